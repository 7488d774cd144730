//! Runs that make each frame from the one before, file by file: what the commands for them share.
//!
//! # Guarantees
//! * After Ctrl-C the same command continues where it stopped, and after a kill where it was up to a
//!   minute before. What it needs for that is in a [`Checkpoint`], removed when the run is finished.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Arg;
use serde::Serialize;
use serde_json::{Map, Value, json};
use whitecap_core::Watch;
use whitecap_shot::{Metric, Registry, SettingProblem, ShotContext, StageError};

use super::checkpoint::Checkpoint;
use super::sph::frame_rate;
use crate::failure::Failure;
use crate::frames::FramePair;
use crate::progress::Progress;
use crate::session::{FrameWatch, Session};

/// `--fps`, the rate of the frames that are read.
pub fn fps_flag() -> Arg {
    Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value("24")
        .value_parser(frame_rate)
        .help("Frames per second of the particles [unit: 1/s]")
}

/// Least time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Something that goes from frame to frame.
pub trait FrameRun {
    /// Makes and writes a frame.
    fn step(&mut self, pair: &FramePair, watch: &dyn Watch) -> Result<Made, FrameFailure>;

    /// Everything that the next frame needs from the past.
    fn save_state(&self) -> Vec<u8>;

    /// Brings a fresh run to where the state was saved.
    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError>;

    /// Whether all files of a frame are there.
    fn is_written(&self, pair: &FramePair) -> bool {
        pair.output.is_file()
    }
}

/// Why a frame was not made.
pub enum FrameFailure {
    /// Somebody stopped the run.
    Cancelled,
    /// Something is wrong.
    Failed(Failure),
}

impl FrameFailure {
    /// A failure of a stage that reads a frame.
    pub fn of(pair: &FramePair, error: StageError) -> Self {
        match error {
            StageError::Cancelled => Self::Cancelled,
            error => Self::Failed(Failure::about(&pair.input, error)),
        }
    }
}

impl<E: Into<Failure>> From<E> for FrameFailure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What is told of one frame.
pub struct Made {
    pub metrics: Vec<Metric>,
    pub notes: Vec<String>,
    pub seconds: f64,
}

impl Made {
    fn json(&self, pair: &FramePair) -> Value {
        let numbers = self.metrics.iter().map(|metric| {
            let is_count = metric.unit.is_empty() && metric.value.fract() == 0.0;
            let value = if is_count { json!(metric.value as i64) } else { json!(metric.value) };
            (metric.name.replace(' ', "_"), value)
        });
        json!({
            "frame": pair.frame,
            "input": pair.input,
            "output": pair.output,
            "seconds": self.seconds,
            "notes": self.notes,
            "metrics": numbers.collect::<Map<_, _>>(),
        })
    }
}

/// Makes all frames that are not made yet, and tells of each.
pub fn run_frames<R: FrameRun>(
    session: &Session,
    pairs: &[FramePair],
    checkpoint: &Checkpoint,
    start: impl Fn() -> Result<R, Failure>,
) -> Result<Vec<Value>, Failure> {
    let (mut run, first) = resumed(session, pairs, checkpoint, start)?;
    let mut state = (first > 0).then(|| run.save_state());
    let mut saved = Instant::now();
    let progress = Progress::new(session, pairs.len() - first);
    let mut made: Vec<Value> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (index, pair) in pairs.iter().enumerate().skip(first) {
        let name = format!("frame {}", pair.frame);
        let on_progress = |fraction: f32| progress.within(made.len(), fraction, &name);
        let watch = FrameWatch { cancel: &session.cancel, on_progress };
        let outcome = match session.cancel.is_cancelled() {
            true => Err(FrameFailure::Cancelled),
            false => run.step(pair, &watch),
        };
        let frame = match outcome {
            Ok(frame) => frame,
            Err(FrameFailure::Failed(failure)) => return Err(failure),
            Err(FrameFailure::Cancelled) => {
                return Err(cancelled(index, pairs.len(), state.as_deref(), checkpoint)?);
            }
        };
        for note in &frame.notes {
            // A note that every frame repeats is told once.
            if !told.contains(note) {
                progress.note(session, &format!("note: {note}"));
                told.push(note.clone());
            }
        }
        made.push(frame.json(pair));
        let current = run.save_state();
        if saved.elapsed() >= CHECKPOINT_INTERVAL {
            checkpoint.save(index as u32 + 1, &current)?;
            saved = Instant::now();
        }
        state = Some(current);
        progress.finished(made.len(), &name, None);
    }
    drop(progress);
    checkpoint.remove();
    Ok(made)
}

/// A run and the place of the frame it makes next: the first, or where it was stopped.
fn resumed<R: FrameRun>(
    session: &Session,
    pairs: &[FramePair],
    checkpoint: &Checkpoint,
    start: impl Fn() -> Result<R, Failure>,
) -> Result<(R, usize), Failure> {
    let mut run = start()?;
    if let Some((done, state)) = checkpoint.load()
        && let Some(finished) = pairs.get(..done as usize)
        && finished.iter().all(|pair| run.is_written(pair))
        && run.restore_state(&state).is_ok()
        && let Some(last) = finished.last()
    {
        session.note(&format!("Continuing after frame {}.", last.frame));
        return Ok((run, finished.len()));
    }
    Ok((start()?, 0))
}

/// Saves the state after the last whole frame; says how to continue.
fn cancelled(
    done: usize,
    total: usize,
    state: Option<&[u8]>,
    checkpoint: &Checkpoint,
) -> Result<Failure, Failure> {
    Ok(Failure::Cancelled(match state {
        Some(state) => {
            checkpoint.save(done as u32, state)?;
            format!(
                "Cancelled: {done} of {total} frames are written. The same command continues from here."
            )
        }
        None => String::from("Cancelled: nothing was written."),
    }))
}

/// Fails at the first gap: such runs need every frame.
pub fn complete_sequence(command: &str, input: &Path, pairs: &[FramePair]) -> Result<(), Failure> {
    let gap = pairs.windows(2).find(|pair| pair[1].frame != pair[0].frame + 1);
    gap.map_or(Ok(()), |pair| {
        Err(Failure::about(
            input,
            format!(
                "frame {} is missing, but {command} need every frame from {} to {}; make it, or choose frames without a gap with --frames",
                pair[0].frame + 1,
                pairs[0].frame,
                pairs[pairs.len() - 1].frame
            ),
        ))
    })
}

/// The settings of a stage with their defaults, or what is wrong with them in the words of the command
/// line.
pub fn checked(stage: &str, settings: &impl Serialize, fps: f64) -> Result<Value, Failure> {
    // Through text, so that single-precision numbers keep their short form.
    let text = serde_json::to_string(settings);
    let raw = text.and_then(|text| serde_json::from_str(&text));
    let raw: Value = raw.map_err(|error| Failure::Work(error.to_string()))?;
    let shot = ShotContext { folder: Path::new(""), first: 1, last: 1, fps, seed: 0 };
    let registry = Registry::standard();
    let kind = registry.get(stage).ok_or_else(|| no_stage(stage))?;
    kind.check(&raw, &shot).map_err(|problems| {
        let words = problems.iter().map(|SettingProblem { key, message, .. }| match key.as_str() {
            "kind" => message.clone(),
            key => format!("--{key}: {message}"),
        });
        Failure::Usage(words.collect::<Vec<_>>().join("\n"))
    })
}

/// Where the run of a stage stops and continues.
pub fn checkpoint_of(
    stage: &str,
    output: &Path,
    settings: &Value,
    fps: f64,
    sources: &[std::path::PathBuf],
) -> Result<Checkpoint, Failure> {
    let registry = Registry::standard();
    let kind = registry.get(stage).ok_or_else(|| no_stage(stage))?;
    Ok(Checkpoint::new(output, kind.as_ref(), settings, fps, sources))
}

fn no_stage(stage: &str) -> Failure {
    Failure::Work(format!("there is no stage {stage}"))
}
