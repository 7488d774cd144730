//! One stage while its shot runs: its folder, its instance, and what is known to be finished.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::memory::Memory;
use crate::shot_file::ShotStage;
use crate::stage::{ShotContext, Stage};
use crate::stage_folder::{FileRecord, FrameRecord, StageFolder, checksum};
use crate::{FrameData, exact, formats};

/// Any cause of a failed frame.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// How one frame went, for the report.
pub(crate) struct FrameLog {
    pub record: FrameRecord,
    pub skipped: bool,
    pub memory: Memory,
}

/// Key and data checksum of a frame known to be up to date.
pub(crate) struct Finished {
    pub key: String,
    pub data: String,
}

/// An instance, and the frame it has made last.
pub(crate) struct Running {
    pub instance: Box<dyn Stage>,
    pub after: Option<u32>,
}

/// A stage while its shot runs.
pub(crate) struct StageRun<'a> {
    pub spec: &'a ShotStage,
    pub folder: StageFolder,
    pub running: Option<Running>,
    pub finished: BTreeMap<u32, Finished>,
    /// Whether another stage takes its data.
    pub is_taken: bool,
    /// The data at hand: of which frame, and what.
    pub current: Option<(u32, Arc<FrameData>)>,
    pub log: Vec<FrameLog>,
    last_checkpoint: Instant,
}

impl<'a> StageRun<'a> {
    pub fn open(spec: &'a ShotStage, output: &Path, is_taken: bool) -> io::Result<Self> {
        Ok(Self {
            spec,
            folder: StageFolder::open(output, &spec.name)?,
            running: None,
            finished: BTreeMap::new(),
            is_taken,
            current: None,
            log: Vec::new(),
            last_checkpoint: Instant::now(),
        })
    }

    /// The checksum of everything a frame is made from; `inputs` holds the data checksum of each
    /// input by key.
    pub fn key(
        &self,
        shot: &ShotContext<'_>,
        frame: u32,
        inputs: BTreeMap<&str, &str>,
    ) -> Result<String, Cause> {
        let ShotStage { kind, settings, .. } = self.spec;
        let time = shot.time_of(frame);
        let sources = kind
            .sources(settings, shot, time)?
            .iter()
            .map(|path| match checksum(path) {
                Ok((_, digest)) => Ok(digest),
                Err(error) => Err(format!("cannot read {}: {error}", path.display())),
            })
            .collect::<Result<Vec<String>, String>>()?;
        let previous = match frame.checked_sub(1) {
            Some(before) if kind.is_stateful() => self.finished.get(&before),
            _ => None,
        };
        let depends = kind.depends();
        Ok(hash_of(&json!({
            "whitecap": env!("CARGO_PKG_VERSION"),
            "kind": kind.name(),
            "version": kind.version(),
            "settings": settings,
            "time": depends.on_time.then_some((time.index, time.time, time.dt)),
            "seed": depends.on_seed.then_some(shot.seed),
            "inputs": inputs,
            "sources": sources,
            "previous": previous.map(|previous| &previous.key),
        })))
    }

    /// The files of a record that are still what they were.
    pub fn intact_files(&self, record: &FrameRecord) -> Vec<FileRecord> {
        record.files.iter().filter(|file| self.folder.is_intact(file)).cloned().collect()
    }

    /// Whether a record with the right key describes everything that this run would save.
    pub fn is_complete(&self, record: &FrameRecord, intact: &[FileRecord]) -> bool {
        let saved = self.spec.save.iter().all(|format| {
            let name = self.folder.frame_file(record.frame, format);
            intact.iter().any(|file| file.name == name)
        });
        let readable = || match &record.exact {
            Some(file) => intact.contains(file) || self.folder.is_intact(file),
            None => false,
        };
        saved && (!self.spec.kind.is_stateful() || readable())
    }

    /// Whether a record on disk is the one that this run found or made up to date.
    pub fn is_finished(&self, record: &FrameRecord) -> bool {
        self.finished.get(&record.frame).is_some_and(|finished| finished.key == record.key)
    }

    /// A fresh instance.
    pub fn start(&self, shot: &ShotContext<'_>) -> Result<Running, Cause> {
        let instance = self.spec.kind.start(&self.spec.settings, shot)?;
        Ok(Running { instance, after: None })
    }

    /// An instance restored from the newest valid checkpoint before `frame`, or a fresh one.
    pub fn restore(&self, shot: &ShotContext<'_>, frame: u32) -> Result<Running, Cause> {
        let usable = shot.first..frame;
        for after in self.folder.checkpoints().into_iter().rev().filter(|f| usable.contains(f)) {
            let record = self.folder.record(after).filter(|record| self.is_finished(record));
            let Some(state) = record.and_then(|record| record.state) else { continue };
            if !self.folder.is_intact(&state) {
                continue;
            }
            let mut running = self.start(shot)?;
            let bytes = std::fs::read(self.folder.file(&state.name))?;
            if running.instance.restore_state(&bytes).is_ok() {
                running.after = Some(after);
                return Ok(running);
            }
        }
        self.start(shot)
    }

    /// The data of a recorded frame from a file that holds all of it, if there is one.
    pub fn read_back(&self, record: &FrameRecord) -> Option<FrameData> {
        let candidates = record.exact.iter().chain(&record.files);
        candidates.filter_map(|file| self.read_exactly(file, &record.data)).next()
    }

    /// The data of a file, if it has the checksum `digest`.
    fn read_exactly(&self, file: &FileRecord, digest: &str) -> Option<FrameData> {
        let path = self.folder.file(&file.name);
        let data = if self.folder.is_exact_file(file) {
            exact::decode(&std::fs::read(path).ok()?).ok()?
        } else if formats::may_be_exact(&path) {
            formats::read(&path, self.spec.gives).ok()?
        } else {
            return None;
        };
        (exact::digest(&data) == digest).then_some(data)
    }

    /// Names a file from which the data can be read back exactly; writes one if no saved file is.
    pub fn keep_exact(&self, record: &mut FrameRecord, data: &FrameData) -> Result<(), Cause> {
        let saved = record.files.iter().find(|f| self.read_exactly(f, &record.data).is_some());
        record.exact = Some(match saved {
            Some(file) => file.clone(),
            None => {
                let name = self.folder.exact_file(record.frame);
                self.folder.write_file(name, &exact::encode(data))?
            }
        });
        Ok(())
    }

    /// Saves the state after the recorded frame, if the instance stands there and `interval` has
    /// passed since the last time.
    pub fn checkpoint(
        &mut self,
        record: &mut FrameRecord,
        interval: Duration,
    ) -> Result<(), Cause> {
        let running = self.running.as_ref().filter(|r| r.after == Some(record.frame));
        if let Some(running) = running
            && record.state.is_none()
            && self.last_checkpoint.elapsed() >= interval
        {
            let state = running.instance.save_state();
            record.state = Some(self.folder.write_state(record.frame, &state)?);
            self.last_checkpoint = Instant::now();
        }
        Ok(())
    }

    /// Writes the manifest.
    pub fn write_manifest(&self) -> Result<(), whitecap_io::Error> {
        let frames: Vec<u32> = self.finished.keys().copied().collect();
        let settings_hash = hash_of(&self.spec.settings);
        self.folder.write_manifest(self.spec.kind.name(), &settings_hash, &frames)
    }
}

/// Checksum of a JSON value, whatever the order of its keys.
fn hash_of(value: &Value) -> String {
    fn feed(value: &Value, hasher: &mut blake3::Hasher) {
        match value {
            Value::Object(fields) => {
                let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
                hasher.update(b"{");
                for (key, value) in sorted {
                    hasher.update(Value::from(key.as_str()).to_string().as_bytes());
                    feed(value, hasher);
                }
                hasher.update(b"}");
            }
            Value::Array(items) => {
                hasher.update(b"[");
                items.iter().for_each(|item| feed(item, hasher));
                hasher.update(b"]");
            }
            plain => {
                hasher.update(plain.to_string().as_bytes());
                hasher.update(b",");
            }
        }
    }
    let mut hasher = blake3::Hasher::new();
    feed(value, &mut hasher);
    hasher.finalize().to_hex().to_string()
}
