//! The contract between the runner and a stage.
//!
//! A [`StageKind`] is an entry of the [`Registry`](crate::Registry): what a stage is called, which
//! settings and inputs it takes, what it gives. A [`Stage`] is one running instance, stepped frame
//! by frame in ascending order.
//!
//! # What a stage must keep
//! * The same settings, inputs, frame and (for stateful kinds) history give the same bits, on any
//!   number of threads.
//! * A stateless stage can be asked for any frame, in any order. A stateful stage is asked for
//!   one frame after the other, and [`Stage::save_state`] followed by [`Stage::restore_state`] in
//!   a fresh instance continues with the same bits.
//! * A stage writes no file and prints nothing; it reads only its inputs and the files it names in
//!   [`StageKind::sources`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_core::{Particles, TriMesh, Volume, Watch};

use crate::{DataKind, FrameData, FrameTime};

/// An input that a stage takes, connected in the shot file by the name of another stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputPort {
    /// The key in the shot file, such as `particles`.
    pub key: &'static str,
    /// Which data it takes.
    pub accepts: &'static [DataKind],
    /// Whether the stage cannot run without it.
    pub required: bool,
    /// What the stage does with it, in a sentence.
    pub doc: &'static str,
}

/// The part of a shot that every stage may know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotContext<'a> {
    /// Folder of the shot file, which relative paths start from.
    pub folder: &'a Path,
    /// First frame.
    pub first: u32,
    /// Last frame.
    pub last: u32,
    /// Frames per second.
    pub fps: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl ShotContext<'_> {
    /// Every frame of the shot, ascending.
    pub fn frames(&self) -> std::ops::RangeInclusive<u32> {
        self.first..=self.last
    }

    /// When a frame happens.
    pub fn time_of(&self, index: u32) -> FrameTime {
        let time = (f64::from(index) - f64::from(self.first)) / self.fps;
        FrameTime { index, time, dt: 1.0 / self.fps }
    }
}

/// What besides settings and inputs changes the result of a stage; frames are recomputed when it
/// changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depends {
    /// The time of the frame (that is, the frame number, the first frame and the frame rate).
    pub on_time: bool,
    /// The seed of the shot.
    pub on_seed: bool,
}

/// A setting whose value is impossible in a way that its schema cannot say.
pub type SettingProblem = whitecap_scene::SettingError;

/// A kind of stage.
pub trait StageKind: Send + Sync {
    /// The name that `kind = "…"` takes.
    fn name(&self) -> &'static str;

    /// What the stage does, in a sentence or two.
    fn doc(&self) -> &'static str;

    /// Version of its results: raised when the same settings give other bits, so that frames
    /// made before are made anew.
    fn version(&self) -> u32 {
        1
    }

    /// The schema of its settings, usually `Settings::json_schema(generator)`.
    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// The inputs it takes.
    fn inputs(&self) -> &'static [InputPort];

    /// The kinds of data it can give; most stages name one.
    fn can_give(&self) -> &'static [DataKind];

    /// The kind of data it gives with these settings, which [`StageKind::check`] accepted.
    fn gives(&self, settings: &Value) -> DataKind {
        let _ = settings;
        self.can_give()[0]
    }

    /// What its result depends on besides settings and inputs.
    fn depends(&self) -> Depends {
        Depends { on_time: true, on_seed: true }
    }

    /// Whether a frame needs the frame before it.
    fn is_stateful(&self) -> bool {
        false
    }

    /// Completes settings that passed the schema with their defaults, so that equal settings have
    /// equal text, and looks for problems that the schema cannot say, such as missing files.
    fn check(&self, settings: &Value, shot: &ShotContext<'_>)
    -> Result<Value, Vec<SettingProblem>>;

    /// Files outside the shot that a frame is made from; their checksums decide whether the frame
    /// must be made anew.
    fn sources(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
        frame: FrameTime,
    ) -> Result<Vec<PathBuf>, StageError> {
        let _ = (settings, shot, frame);
        Ok(Vec::new())
    }

    /// A running instance that stands before the first frame. `settings` came from
    /// [`StageKind::check`].
    fn start(&self, settings: &Value, shot: &ShotContext<'_>)
    -> Result<Box<dyn Stage>, StageError>;
}

/// A running stage.
pub trait Stage: Send {
    /// Makes one frame.
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError>;

    /// Everything that the next frame needs from the past. Stateful kinds must implement this and
    /// [`Stage::restore_state`].
    fn save_state(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Brings a fresh instance to where [`Stage::save_state`] was called.
    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        let _ = state;
        Ok(())
    }
}

/// What a stage is told about the frame it makes.
pub struct StepContext<'a> {
    /// When the frame happens.
    pub frame: FrameTime,
    /// Seed of everything random.
    pub seed: u64,
    /// Takes progress within the frame and asks to stop.
    pub watch: &'a dyn Watch,
}

/// The data of a frame's inputs, by key.
pub struct Inputs<'a> {
    entries: Vec<(&'a str, Arc<FrameData>)>,
}

impl<'a> Inputs<'a> {
    /// Inputs from keys and their data.
    pub fn new(entries: Vec<(&'a str, Arc<FrameData>)>) -> Self {
        Self { entries }
    }

    /// The data connected to `key`.
    pub fn get(&self, key: &str) -> Option<&FrameData> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, data)| data.as_ref())
    }

    /// The particles connected to `key`.
    pub fn particles(&self, key: &'static str) -> Result<&Particles, StageError> {
        match self.get(key) {
            Some(FrameData::Particles(particles)) => Ok(particles),
            other => Err(StageError::input(key, DataKind::Particles, other)),
        }
    }

    /// The mesh connected to `key`.
    pub fn mesh(&self, key: &'static str) -> Result<&TriMesh, StageError> {
        match self.get(key) {
            Some(FrameData::Mesh(mesh)) => Ok(mesh),
            other => Err(StageError::input(key, DataKind::Mesh, other)),
        }
    }

    /// The volume connected to `key`.
    pub fn volume(&self, key: &'static str) -> Result<&Volume, StageError> {
        match self.get(key) {
            Some(FrameData::Volume(volume)) => Ok(volume),
            other => Err(StageError::input(key, DataKind::Volume, other)),
        }
    }
}

/// What a stage gives for one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct StageOutput {
    /// The data.
    pub data: FrameData,
    /// Sentences that the user should see, such as a value that was estimated.
    pub notes: Vec<String>,
    /// Numbers for the report.
    pub metrics: Vec<Metric>,
}

/// A number measured on a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// What was measured, such as `volume`.
    pub name: String,
    /// Its unit, such as `m³`; empty for counts.
    pub unit: String,
    /// The value; finite.
    pub value: f64,
}

impl Metric {
    /// A measured quantity.
    pub fn new(name: &str, unit: &str, value: f64) -> Self {
        Self { name: name.to_string(), unit: unit.to_string(), value }
    }

    /// A count.
    pub fn count(name: &str, value: usize) -> Self {
        Self::new(name, "", value as f64)
    }
}

/// Why a stage could not make a frame.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The watch asked to stop.
    #[error("it was cancelled")]
    Cancelled,
    /// An input is missing or of the wrong kind.
    #[error("the input `{key}` should be {wanted}, but it is {found}")]
    Input {
        /// Key of the input.
        key: &'static str,
        /// The kind it should be.
        wanted: &'static str,
        /// The kind it is.
        found: &'static str,
    },
    /// The method failed.
    #[error("{0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StageError {
    /// A failure with its cause.
    pub fn failed(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        StageError::Failed(cause.into())
    }

    fn input(key: &'static str, wanted: DataKind, found: Option<&FrameData>) -> Self {
        let found = found.map_or("not connected", |data| data.kind().in_words());
        StageError::Input { key, wanted: wanted.in_words(), found }
    }
}
