//! Where a run that makes frames one from another was stopped: one file beside the results,
//! `.water.####.bgeo.state`.
//!
//! It holds a line that says what the run was made from, and the state after a frame. A file of
//! another run, or a damaged one, is as good as none.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use whitecap_shot::StageKind;

use crate::failure::Failure;

/// The checkpoint of one run.
pub struct Checkpoint {
    path: PathBuf,
    /// What the run is made from; a run that is made from the same gives the same.
    made_from: Value,
}

impl Checkpoint {
    /// The checkpoint of a run that writes to `output` and is made from `settings` of a stage and from
    /// `sources`, in that order.
    pub fn new(
        output: &Path,
        kind: &dyn StageKind,
        settings: &Value,
        fps: f64,
        sources: &[PathBuf],
    ) -> Self {
        let sources: Vec<Value> = sources.iter().map(|path| file_mark(path)).collect();
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let made_from = json!({
            "whitecap": env!("CARGO_PKG_VERSION"),
            "version": kind.version(),
            "settings": settings,
            "fps": fps,
            "sources": sources,
        });
        Self { path: output.with_file_name(format!(".{name}.state")), made_from }
    }

    /// The last frame and the state after it, if a run of the same was stopped.
    pub fn load(&self) -> Option<(u32, Vec<u8>)> {
        let bytes = std::fs::read(&self.path).ok()?;
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let head: Value = serde_json::from_slice(&bytes[..end]).ok()?;
        let frame = u32::try_from(head["frame"].as_u64()?).ok()?;
        (head["made-from"] == self.made_from).then(|| (frame, bytes[end + 1..].to_vec()))
    }

    /// Writes the state after a frame, whole or not at all.
    pub fn save(&self, frame: u32, state: &[u8]) -> Result<(), Failure> {
        let head = json!({ "frame": frame, "made-from": self.made_from });
        let mut bytes = head.to_string().into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(state);
        Ok(whitecap_io::atomic::write(&self.path, &bytes)?)
    }

    /// Forgets where the run was stopped: it is finished.
    pub fn remove(&self) {
        // It may never have been stopped.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Tells a changed file from one that stayed the same.
fn file_mark(path: &Path) -> Value {
    let about = std::fs::metadata(path).ok();
    let changed = about.as_ref().and_then(|about| about.modified().ok());
    let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    json!([path, about.map(|about| about.len()), since.map(|since| since.as_nanos().to_string())])
}
