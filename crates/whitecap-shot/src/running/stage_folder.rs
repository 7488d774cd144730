//! The folder of a stage: its frames, and the records of what made them.
//!
//! ```text
//! OUTPUT/STAGE/STAGE.0001.ply        what the stage saves
//! OUTPUT/STAGE/manifest.json         checksums and keys of all frames, written when a run ends
//! OUTPUT/STAGE/.frames/0001.json     the record of one frame, written after its files
//! OUTPUT/STAGE/.exact/0001.frame     exact copy, where a stateful stage saves no exact format
//! OUTPUT/STAGE/.state/0001.state     checkpoint of a stateful stage
//! ```
//!
//! # Guarantees
//! * A record is written after the files it names, and every file is written whole or not at all;
//!   so a record whose key is right and whose checksums match describes finished work.
//! * One record per frame: the cost of a frame does not grow with the number of frames.
//! * Whatever a record says, only plain files of this folder that are named like a frame are read or removed,
//!   and files that the shot itself names as output; links are not followed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use whitecap_io::{atomic, plain};

use crate::shot_file::Save;
use crate::stage::Metric;

/// A file of a stage's folder and its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// Name relative to the stage's folder.
    pub name: String,
    /// Size.
    pub bytes: u64,
    /// Checksum.
    pub blake3: String,
}

/// What is known about a finished frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrameRecord {
    /// Number of the frame.
    pub frame: i64,
    /// Checksum of everything the frame was made from.
    pub key: String,
    /// Checksum of its data.
    pub data: String,
    /// The files saved.
    pub files: Vec<FileRecord>,
    /// A file known to hold the data exactly: one of `files` or a stored copy.
    pub exact: Option<FileRecord>,
    /// The checkpoint after this frame, if there is one.
    pub state: Option<FileRecord>,
    /// What was measured.
    pub metrics: Vec<Metric>,
    /// How long parts of the work took.
    pub times: Vec<Metric>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// How long it took to make.
    pub seconds: f64,
}

/// The folder of one stage.
#[derive(Clone, Debug)]
pub(crate) struct StageFolder {
    path: PathBuf,
    stage: String,
}

impl StageFolder {
    /// Creates the folder where needed and clears what a killed run left half-written.
    pub fn open(output: &Path, stage: &str) -> io::Result<Self> {
        let folder = Self { path: output.join(stage), stage: stage.to_string() };
        for path in [folder.path.clone(), folder.path.join(".frames")] {
            plain::create_folder(&path)?;
            remove_temporaries(&path)?;
        }
        for path in [".exact", ".state"].map(|name| folder.path.join(name)) {
            if path.symlink_metadata().is_ok() {
                plain::create_folder(&path)?;
                remove_temporaries(&path)?;
            }
        }
        Ok(folder)
    }

    /// The file of a saved frame.
    pub fn frame_path(&self, frame: i64, save: &Save) -> PathBuf {
        let Save { result, format, files } = save;
        match (files, result) {
            (Some(files), _) => files.path(frame),
            (None, None) => self.path.join(format!("{}.{frame:04}.{format}", self.stage)),
            (None, Some(result)) => {
                self.path.join(format!("{}.{result}.{frame:04}.{format}", self.stage))
            }
        }
    }

    /// What records call a saved frame: its name, with its result before it if it lies elsewhere.
    pub fn frame_name(&self, frame: i64, save: &Save) -> String {
        let path = self.frame_path(frame, save);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match save.files {
            Some(_) => format!("{}/{name}", save.result.unwrap_or("result")),
            None => name,
        }
    }

    /// Path of a file that a record of a frame names: a saved frame, perhaps in a format that is no longer
    /// asked for, or an exact copy. Any other name leads nowhere.
    pub fn recorded_path(&self, frame: i64, name: &str, saves: &[Save]) -> Option<PathBuf> {
        let saved = saves.iter().find(|save| self.frame_name(frame, save) == name);
        let is_plain = Path::new(name).file_name().is_some_and(|plain| plain == name);
        let is_frame = name.starts_with(&format!("{}.", self.stage))
            && name.contains(&format!(".{frame:04}."));
        match saved {
            Some(save) => Some(self.frame_path(frame, save)),
            None if name == exact_name(frame) => Some(self.exact_path(frame)),
            None => (is_plain && is_frame).then(|| self.path.join(name)),
        }
    }

    /// Path of an exact copy.
    pub fn exact_path(&self, frame: i64) -> PathBuf {
        self.path.join(exact_name(frame))
    }

    /// Path of a checkpoint.
    pub fn state_path(&self, frame: i64) -> PathBuf {
        self.path.join(".state").join(format!("{frame:04}.state"))
    }

    fn record_path(&self, frame: i64) -> PathBuf {
        self.path.join(".frames").join(format!("{frame:04}.json"))
    }

    /// Whether any frame was ever finished.
    pub fn has_records(&self) -> bool {
        let records = fs::read_dir(self.path.join(".frames")).into_iter().flatten().flatten();
        records.into_iter().any(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
    }

    /// The record of a frame, if it was ever finished.
    pub fn record(&self, frame: i64) -> Option<FrameRecord> {
        let record: FrameRecord =
            serde_json::from_slice(&plain::read(&self.record_path(frame)).ok()?).ok()?;
        Some(record).filter(|record| record.frame == frame)
    }

    /// Writes the record of a frame: renamed into place, but not synced to the disk. If a power cut
    /// loses or tears a record, only the work of its frame is lost, because records are checked
    /// against the files they name; waiting for the disk at every frame of every stage would cost
    /// more.
    pub fn write_record(&self, record: &FrameRecord) -> Result<(), FolderError> {
        let text = serde_json::to_string(record).expect("a record is plain data");
        Ok(atomic::write_unsynced(&self.record_path(record.frame), text.as_bytes())?)
    }

    /// Removes the files of an outdated record that the new one does not name: they were made from
    /// other settings, or are no longer needed.
    pub fn remove_stale(&self, old: Option<&FrameRecord>, new: &FrameRecord, saves: &[Save]) {
        let kept: Vec<&str> = new.files.iter().chain(&new.exact).map(|f| f.name.as_str()).collect();
        for file in old.iter().flat_map(|old| old.files.iter().chain(&old.exact)) {
            if !kept.contains(&file.name.as_str())
                && let Some(path) = self.recorded_path(new.frame, &file.name, saves)
            {
                // It may already be gone.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Writes a saved frame and records it.
    pub fn write_frame(
        &self,
        frame: i64,
        save: &Save,
        bytes: &[u8],
    ) -> Result<FileRecord, FolderError> {
        write_file(self.frame_name(frame, save), &self.frame_path(frame, save), bytes)
    }

    /// Writes the exact copy of a frame and records it.
    pub fn write_exact(&self, frame: i64, bytes: &[u8]) -> Result<FileRecord, FolderError> {
        write_file(exact_name(frame), &self.exact_path(frame), bytes)
    }

    /// Writes the checkpoint after a frame. Of those up to this frame only the newest two are
    /// kept.
    pub fn write_state(&self, frame: i64, state: &[u8]) -> Result<FileRecord, FolderError> {
        let name = format!(".state/{frame:04}.state");
        let record = write_file(name, &self.state_path(frame), state)?;
        let older: Vec<i64> =
            self.checkpoints().into_iter().filter(|&kept| kept < frame).rev().skip(1).collect();
        for frame in older {
            // A checkpoint that cannot be removed only takes up space.
            let _ = fs::remove_file(self.state_path(frame));
        }
        Ok(record)
    }

    /// Frames that have a checkpoint, ascending.
    pub fn checkpoints(&self) -> Vec<i64> {
        let Ok(entries) = fs::read_dir(self.path.join(".state")) else { return Vec::new() };
        let mut frames: Vec<i64> = entries
            .filter_map(|entry| {
                entry.ok()?.file_name().to_str()?.strip_suffix(".state")?.parse().ok()
            })
            .collect();
        frames.sort_unstable();
        frames
    }

    /// Writes the manifest. It holds no times, so that equal results have equal manifests.
    pub fn write_manifest(
        &self,
        kind: &str,
        settings_hash: &str,
        frames: &[i64],
    ) -> Result<(), whitecap_io::Error> {
        let frames: serde_json::Map<String, Value> = frames
            .iter()
            .filter_map(|&frame| {
                let record = self.record(frame)?;
                let entry = json!({
                    "key": record.key,
                    "data": record.data,
                    "files": record.files,
                    "metrics": record.metrics,
                    "notes": record.notes,
                });
                Some((format!("{frame:04}"), entry))
            })
            .collect();
        let manifest = json!({
            "stage": self.stage,
            "kind": kind,
            "settings_hash": settings_hash,
            "version": env!("CARGO_PKG_VERSION"),
            "frames": frames,
        });
        let text = serde_json::to_string_pretty(&manifest).expect("a manifest is plain data");
        atomic::write(&self.path.join("manifest.json"), text.as_bytes())
    }
}

/// Why a file of the folder cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error(transparent)]
    System(#[from] io::Error),
    #[error(transparent)]
    Write(#[from] whitecap_io::Error),
}

fn exact_name(frame: i64) -> String {
    format!(".exact/{frame:04}.frame")
}

/// Writes bytes as a file, in a folder that is made where needed, and records it under a name.
fn write_file(name: String, path: &Path, bytes: &[u8]) -> Result<FileRecord, FolderError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    atomic::write(path, bytes)?;
    let blake3 = blake3::hash(bytes).to_hex().to_string();
    Ok(FileRecord { name, bytes: bytes.len() as u64, blake3 })
}

/// Whether a file is still what it was.
pub(crate) fn is_intact(path: &Path, record: &FileRecord) -> bool {
    let Ok(file) = plain::open(path) else { return false };
    file.metadata().is_ok_and(|found| found.len() == record.bytes)
        && checksum(file).is_ok_and(|found| found == record.blake3)
}

/// Checksum of a file.
pub(crate) fn checksum(mut file: impl Read) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Removes temporary files of atomic writes that were never finished.
pub(crate) fn remove_temporaries(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let temporary =
            name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(".tmp"));
        if temporary && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
