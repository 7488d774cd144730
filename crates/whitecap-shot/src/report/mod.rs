//! The report of a run: what was made, how long it took, what was measured.
//!
//! `report.json` is for programs, `report.html` for people; both hold the same numbers. Times and
//! memory differ from run to run, so reports are not reproducible.
//!
//! This module collects the numbers and writes both files; `html` makes the page, with the graphs of `plot`.

pub(crate) mod html;
pub(crate) mod plot;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use whitecap_scene::short_numbers;

use crate::running::frame_maker::FrameMaker;
use crate::running::stage_run::{FrameLog, StageRun};
use crate::shot_file::Shot;
use crate::stage::Metric;

/// How the run ended, as the report words it.
pub(crate) enum Outcome {
    Finished,
    Cancelled,
    Failed(String),
}

/// Everything in the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Report {
    pub shot: String,
    pub version: &'static str,
    /// `finished`, `cancelled` or `failed`.
    pub outcome: &'static str,
    pub error: Option<String>,
    pub frames: [i64; 2],
    pub fps: f64,
    /// Duration of this run in seconds.
    pub seconds: f64,
    /// Peak memory of the process, in bytes; null if the system does not report it.
    pub peak_bytes: Option<u64>,
    pub stages: Vec<StageReport>,
}

/// What the report says about one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StageReport {
    pub name: String,
    pub kind: &'static str,
    pub settings: Value,
    /// Frames made in this run.
    pub computed: usize,
    /// Frames that were up to date.
    pub skipped: usize,
    /// Time spent on it in this run, in seconds.
    pub seconds: f64,
    pub frames: Vec<FrameReport>,
}

/// What the report says about one frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FrameReport {
    pub frame: i64,
    /// Whether it was up to date; its time and numbers are then those of the run that made it.
    pub skipped: bool,
    pub seconds: f64,
    /// Memory in use after the frame, in bytes.
    pub resident_bytes: Option<u64>,
    /// Peak memory up to then, in bytes.
    pub peak_bytes: Option<u64>,
    /// Size of the files saved.
    pub file_bytes: u64,
    pub metrics: Vec<Metric>,
    /// How long parts of the work took.
    pub times: Vec<Metric>,
    pub notes: Vec<String>,
}

impl Report {
    pub fn new(shot: &Shot, maker: &FrameMaker<'_>, outcome: &Outcome, seconds: f64) -> Self {
        let (outcome, error) = match outcome {
            Outcome::Finished => ("finished", None),
            Outcome::Cancelled => ("cancelled", None),
            Outcome::Failed(cause) => ("failed", Some(cause.clone())),
        };
        Self {
            shot: shot.settings.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
            outcome,
            error,
            frames: shot.settings.frames,
            fps: shot.settings.fps,
            seconds,
            peak_bytes: crate::running::memory::now().peak,
            stages: maker.stages().iter().map(StageReport::new).collect(),
        }
    }

    /// Writes `report.json` and `report.html` into the output folder.
    pub fn write(&self, output: &Path) -> Result<(PathBuf, PathBuf), whitecap_io::Error> {
        let json_path = output.join("report.json");
        let html_path = output.join("report.html");
        let json = serde_json::to_string_pretty(self).expect("a report is plain data");
        whitecap_io::atomic::write(&json_path, json.as_bytes())?;
        whitecap_io::atomic::write(&html_path, html::page(self).as_bytes())?;
        Ok((json_path, html_path))
    }
}

impl StageReport {
    fn new(stage: &StageRun<'_>) -> Self {
        let skipped = stage.log.iter().filter(|log| log.skipped).count();
        let made = stage.log.iter().filter(|log| !log.skipped);
        Self {
            name: stage.spec.name.clone(),
            kind: stage.spec.info().name,
            settings: short_numbers(stage.spec.checked.settings().clone()),
            computed: stage.log.len() - skipped,
            skipped,
            seconds: made.map(|log| log.record.seconds).sum(),
            frames: stage.log.iter().map(FrameReport::new).collect(),
        }
    }
}

impl FrameReport {
    /// What was measured, times included.
    pub fn numbers(&self) -> impl Iterator<Item = &Metric> {
        self.metrics.iter().chain(&self.times)
    }

    fn new(log: &FrameLog) -> Self {
        Self {
            frame: log.record.frame,
            skipped: log.skipped,
            seconds: log.record.seconds,
            resident_bytes: log.memory.resident,
            peak_bytes: log.memory.peak,
            file_bytes: log.record.files.iter().map(|file| file.bytes).sum(),
            metrics: log.record.metrics.clone(),
            times: log.record.times.clone(),
            notes: log.record.notes.clone(),
        }
    }
}
