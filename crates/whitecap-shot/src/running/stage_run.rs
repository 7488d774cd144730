//! One stage while its shot runs: its folder, its instance, and what is known to be finished.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use whitecap_io::plain;

use crate::running::memory::Memory;
use crate::running::source_checksums::SourceChecksums;
use crate::running::stage_folder::{FileRecord, FrameRecord, StageFolder, is_intact};
use crate::shot_file::{Records, Save, Shot, ShotStage};
use crate::stage::{KindInfo, ShotContext, Stage, StageOutput};
use crate::{FrameData, files::exact, files::formats};

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

/// An instance, and the last frame it has made.
pub(crate) struct Running {
    pub instance: Box<dyn Stage>,
    pub after: Option<i64>,
}

/// A stage while its shot runs.
pub(crate) struct StageRun<'a> {
    pub spec: &'a ShotStage,
    pub folder: StageFolder,
    pub running: Option<Running>,
    pub finished: BTreeMap<i64, Finished>,
    /// Whether another stage takes its data.
    pub is_taken: bool,
    /// Whether every frame is the same: it takes nothing, and its files serve every frame.
    pub is_static: bool,
    /// The data in memory: its frame, and the data itself.
    pub current: Option<(i64, FrameData)>,
    pub log: Vec<FrameLog>,
    /// Whether records stay when the run is finished.
    pub keeps_records: bool,
    /// Whether a frame must stay readable to the bit after the run.
    keeps_exact: bool,
    last_checkpoint: Instant,
    checkpoint_cost: Duration,
}

/// Checkpoints may take one part of the time in this many.
const CHECKPOINT_SHARE: u32 = 20;

impl<'a> StageRun<'a> {
    pub fn open(spec: &'a ShotStage, shot: &Shot, is_taken: bool) -> io::Result<Self> {
        let info = spec.info();
        let same_files =
            || match (spec.checked.sources(shot.settings.frames[0]), shot.settings.frames) {
                (Ok(first), [_, last]) => {
                    spec.checked.sources(last).is_ok_and(|other| other == first)
                }
                _ => false,
            };
        let (depends, takes) = (info.depends, !info.inputs.is_empty());
        let changes = info.stateful || depends.on_time || takes;
        Ok(Self {
            spec,
            folder: StageFolder::open(&shot.output, &spec.name)?,
            running: None,
            finished: BTreeMap::new(),
            is_taken,
            is_static: !changes && same_files(),
            current: None,
            log: Vec::new(),
            keeps_records: shot.records == Records::Kept,
            keeps_exact: info.stateful && (is_taken || shot.records == Records::Kept),
            last_checkpoint: Instant::now(),
            checkpoint_cost: Duration::ZERO,
        })
    }

    /// The checksum of everything a frame is made from; `inputs` holds the data checksum of each
    /// input by key.
    pub fn key(
        &self,
        shot: &ShotContext,
        frame: i64,
        inputs: BTreeMap<&str, &str>,
        checksums: &mut SourceChecksums,
    ) -> Result<String, Cause> {
        let KindInfo { name, version, depends, stateful, .. } = self.spec.info();
        let time = shot.time_of(frame);
        let sources = self
            .spec
            .checked
            .sources(frame)?
            .iter()
            .map(|path| match checksums.of(path) {
                Ok(digest) => Ok(digest),
                Err(error) => Err(format!("cannot read {}: {error}", path.display())),
            })
            .collect::<Result<Vec<String>, String>>()?;
        let previous = if *stateful { self.finished.get(&(frame - 1)) } else { None };
        Ok(hash_of(&json!({
            "whitecap": env!("CARGO_PKG_VERSION"),
            "kind": name,
            "version": version,
            "settings": self.spec.checked.settings(),
            "time": depends.on_time.then_some((time.index, time.time, time.dt)),
            "seed": depends.on_seed.then_some(shot.seed),
            "inputs": inputs,
            "sources": sources,
            "previous": previous.map(|previous| &previous.key),
        })))
    }

    /// What identifies a frame's data for later stages. No stage takes pictures as input, so their
    /// key will do.
    pub fn identity(&self, key: &str, data: &FrameData) -> String {
        match data {
            FrameData::Picture(_) => key.to_string(),
            data => exact::digest(data),
        }
    }

    /// The path of a file that a record names.
    fn path_of(&self, record: &FrameRecord, file: &FileRecord) -> Option<PathBuf> {
        self.folder.recorded_path(record.frame, &file.name, &self.spec.save)
    }

    fn is_intact(&self, record: &FrameRecord, file: &FileRecord) -> bool {
        self.path_of(record, file).is_some_and(|path| is_intact(&path, file))
    }

    /// The files of a record that are still what they were.
    pub fn intact_files(&self, record: &FrameRecord) -> Vec<FileRecord> {
        record.files.iter().filter(|file| self.is_intact(record, file)).cloned().collect()
    }

    /// What this run would save and has not saved yet.
    pub fn unsaved(&self, frame: i64, intact: &[FileRecord]) -> Vec<&'a Save> {
        let is_saved = |save: &&Save| {
            let name = self.folder.frame_name(frame, save);
            intact.iter().any(|file| file.name == name)
        };
        self.spec.save.iter().filter(|save| !is_saved(save)).collect()
    }

    /// Whether a record with the right key describes everything that this run would save.
    pub fn is_complete(&self, record: &FrameRecord, intact: &[FileRecord]) -> bool {
        let readable = || match &record.exact {
            Some(file) => intact.contains(file) || self.is_intact(record, file),
            None => false,
        };
        self.unsaved(record.frame, intact).is_empty() && (!self.keeps_exact || readable())
    }

    /// Whether a record on disk is the one that this run found or made up to date.
    pub fn is_finished(&self, record: &FrameRecord) -> bool {
        self.finished.get(&record.frame).is_some_and(|finished| finished.key == record.key)
    }

    /// A fresh instance.
    pub fn start(&self) -> Result<Running, Cause> {
        Ok(Running { instance: self.spec.checked.start()?, after: None })
    }

    /// An instance restored from the newest valid checkpoint before `frame`, or a fresh one.
    pub fn restore(&self, shot: &ShotContext, frame: i64) -> Result<Running, Cause> {
        let usable = shot.first..frame;
        for after in self.folder.checkpoints().into_iter().rev().filter(|f| usable.contains(f)) {
            let record = self.folder.record(after).filter(|record| self.is_finished(record));
            let Some(state) = record.and_then(|record| record.state) else { continue };
            let path = self.folder.state_path(after);
            if !is_intact(&path, &state) {
                continue;
            }
            if let Ok(instance) = self.spec.checked.restore(&plain::read(&path)?) {
                return Ok(Running { instance, after: Some(after) });
            }
        }
        self.start()
    }

    /// The data of a recorded frame from a file that holds all of it, if there is one.
    pub fn read_back(&self, record: &FrameRecord) -> Option<FrameData> {
        let candidates = record.exact.iter().chain(&record.files);
        candidates.filter_map(|file| self.read_exactly(record, file)).next()
    }

    /// The data of a file, if it matches the record.
    fn read_exactly(&self, record: &FrameRecord, file: &FileRecord) -> Option<FrameData> {
        let path = self.path_of(record, file)?;
        let bytes = (path == self.folder.exact_path(record.frame) || formats::may_be_exact(&path))
            .then(|| plain::read(&path))?;
        self.decode_exactly(record, &path, &bytes.ok()?)
    }

    /// The data in a file's bytes, if it matches the record.
    fn decode_exactly(&self, record: &FrameRecord, path: &Path, bytes: &[u8]) -> Option<FrameData> {
        let data = match path == self.folder.exact_path(record.frame) {
            true => exact::decode(bytes).ok()?,
            false => formats::decode(path, bytes, self.spec.gives())?,
        };
        (exact::digest(&data) == record.data).then_some(data)
    }

    /// Writes a frame in the formats that are not saved yet, and names a file from which its data
    /// can be read back exactly, if that is wanted: a copy, if none of the formats keeps
    /// everything.
    pub fn save(&self, record: &mut FrameRecord, output: &StageOutput) -> Result<(), Cause> {
        let still_exact = record.exact.take().filter(|file| self.is_intact(record, file));
        record.exact = still_exact.filter(|_| self.keeps_exact);
        for save in self.unsaved(record.frame, &record.files) {
            let data = match save.result {
                None => &output.data,
                Some(name) => {
                    let side = output.beside.iter().find(|side| side.0 == name);
                    &side
                        .ok_or_else(|| format!("there is no result `{name}` with these settings"))?
                        .1
                }
            };
            let path = self.folder.frame_path(record.frame, save);
            let bytes = formats::encode(&path, data)?;
            let file = self.folder.write_frame(record.frame, save, &bytes)?;
            let may_be_exact = save.result.is_none() && formats::may_be_exact(&path);
            if self.keeps_exact
                && record.exact.is_none()
                && may_be_exact
                && self.decode_exactly(record, &path, &bytes).is_some()
            {
                record.exact = Some(file.clone());
            }
            record.files.push(file);
        }
        record.files.sort_by(|a, b| a.name.cmp(&b.name));
        if self.keeps_exact && record.exact.is_none() {
            let bytes = exact::encode(&output.data);
            record.exact = Some(self.folder.write_exact(record.frame, &bytes)?);
        }
        Ok(())
    }

    /// Saves the state after the recorded frame, if the instance is there and `interval` has passed
    /// since the last time.
    pub fn checkpoint(
        &mut self,
        record: &mut FrameRecord,
        interval: Duration,
    ) -> Result<(), Cause> {
        let running = self.running.as_ref().filter(|r| r.after == Some(record.frame));
        let cost =
            if interval.is_zero() { interval } else { CHECKPOINT_SHARE * self.checkpoint_cost };
        if let Some(running) = running
            && record.state.is_none()
            && self.last_checkpoint.elapsed() >= interval.max(cost)
        {
            let started = Instant::now();
            let state = running.instance.save();
            record.state = Some(self.folder.write_state(record.frame, &state)?);
            self.last_checkpoint = Instant::now();
            self.checkpoint_cost = started.elapsed();
        }
        Ok(())
    }

    /// Writes the manifest.
    pub fn write_manifest(&self) -> Result<(), whitecap_io::Error> {
        let frames: Vec<i64> = self.finished.keys().copied().collect();
        let settings_hash = hash_of(self.spec.checked.settings());
        self.folder.write_manifest(self.spec.info().name, &settings_hash, &frames)
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
