//! The contract between the runner and a stage.
//!
//! A [`StageKind`] is an entry of the [`Registry`](crate::Registry): its [`KindInfo`] says what a stage is
//! called, what it takes and what it gives. Checked settings make a [`CheckedStage`], which holds what the
//! check has loaded. A [`Stage`] is one running instance, stepped frame by frame in ascending order.
//!
//! Phenomena implement [`Phenomenon`](crate::Phenomenon), the typed form of all three.
//!
//! # What a stage must guarantee
//! * The same settings, inputs, frame and (for stateful kinds) history give the same bits, on any
//!   number of threads.
//! * A stateless stage can be asked for any frame, in any order. A stateful stage is asked for
//!   one frame after the other, and [`Stage::save`] followed by [`CheckedStage::restore`] continues with
//!   the same bits.
//! * A stage writes no file and prints nothing; it reads only its inputs and the files it names in
//!   [`CheckedStage::sources`].

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_core::{Particles, TriMesh, Volume, Watch};

use crate::contract::command_info::CommandInfo;
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

/// The part of a shot that every stage may use.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotContext {
    /// Folder of the shot file, which relative paths start from.
    pub folder: PathBuf,
    /// First frame.
    pub first: i64,
    /// Last frame.
    pub last: i64,
    /// Frames in between that are not made, ascending; see [`Shot::left_out`](crate::Shot::left_out).
    pub left_out: Vec<i64>,
    /// Frames per second.
    pub fps: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl ShotContext {
    /// Every frame of the shot, ascending, made or not.
    pub fn frames(&self) -> std::ops::RangeInclusive<i64> {
        self.first..=self.last
    }

    /// The frames that are made, ascending.
    pub fn made_frames(&self) -> impl Iterator<Item = i64> + '_ {
        self.frames().filter(|frame| self.left_out.binary_search(frame).is_err())
    }

    /// The file that a setting names.
    pub fn file(&self, setting: &str) -> PathBuf {
        self.folder.join(whitecap_io::path_text::decode(setting))
    }

    /// When a frame happens.
    pub fn time_of(&self, index: i64) -> FrameTime {
        let time = (index - self.first) as f64 / self.fps;
        FrameTime { index, time, dt: 1.0 / self.fps }
    }
}

/// What changes the result of a stage, apart from settings and inputs; frames are recomputed when
/// it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depends {
    /// The time of the frame (that is, the frame number, the first frame and the frame rate).
    pub on_time: bool,
    /// The seed of the shot.
    pub on_seed: bool,
}

/// The kind of data that a stage gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Always the same.
    Always(DataKind),
    /// What one of its settings chooses.
    Chosen {
        /// The setting, usually `give`.
        key: &'static str,
        /// Its values and what each gives; the first is the default.
        choices: &'static [(&'static str, DataKind)],
    },
}

impl Gives {
    /// Every kind of data it can be.
    pub fn kinds(&self) -> Vec<DataKind> {
        match self {
            Gives::Always(kind) => vec![*kind],
            Gives::Chosen { choices, .. } => choices.iter().map(|choice| choice.1).collect(),
        }
    }

    /// What settings choose, given or left out.
    pub fn with(&self, settings: &Value) -> DataKind {
        match self {
            Gives::Always(kind) => *kind,
            Gives::Chosen { key, choices } => {
                let chosen = choices.iter().find(|choice| settings[key] == choice.0);
                chosen.unwrap_or(&choices[0]).1
            }
        }
    }
}

/// A further result that a stage can save beside what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideResult {
    /// Its name: `points` is saved with `save = ["points.bgeo"]`, or by a command with `--points FILE`.
    pub name: &'static str,
    /// What it is.
    pub kind: DataKind,
    /// What it is, in a sentence.
    pub doc: &'static str,
}

/// What a kind of stage is, as plain data.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The name that `kind = "…"` takes.
    pub name: &'static str,
    /// What the stage does, in a sentence or two.
    pub doc: &'static str,
    /// Version of its results: raised when the same settings give different bits, so that earlier
    /// frames are made again.
    pub version: u32,
    /// The inputs it takes.
    pub inputs: &'static [InputPort],
    /// What it gives.
    pub gives: Gives,
    /// What else it can save.
    pub beside: &'static [SideResult],
    /// What its result depends on, apart from settings and inputs.
    pub depends: Depends,
    /// Whether a frame needs the frame before it.
    pub stateful: bool,
    /// Its own command, if it has one.
    pub command: Option<CommandInfo>,
}

impl KindInfo {
    /// A stateless kind without inputs that depends on nothing but its settings. Every kind
    /// overrides the fields in which it differs.
    pub const PLAIN: Self = Self {
        name: "",
        doc: "",
        version: 1,
        inputs: &[],
        gives: Gives::Always(DataKind::Mesh),
        beside: &[],
        depends: Depends { on_time: false, on_seed: false },
        stateful: false,
        command: None,
    };
}

/// A setting whose value is impossible in a way that its schema cannot express.
pub type SettingProblem = whitecap_scene::SettingError;

/// A kind of stage. Phenomena get theirs from [`Kind`](crate::Kind).
pub trait StageKind: Send + Sync {
    /// What it is.
    fn info(&self) -> &KindInfo;

    /// The schema of its settings.
    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// Reads settings that passed the schema and looks for problems that the schema cannot express,
    /// such as missing files.
    fn check(
        &self,
        settings: Value,
        shot: &ShotContext,
    ) -> Result<Arc<dyn CheckedStage>, Vec<SettingProblem>>;
}

/// A stage whose settings were checked, with what the check has loaded.
pub trait CheckedStage: Send + Sync {
    /// Its settings with all defaults: equal settings give equal values.
    fn settings(&self) -> &Value;

    /// Refuses formats, by file extension, in which a setting would have no effect.
    fn check_formats(&self, formats: &[&str]) -> Result<(), SettingProblem> {
        let _ = formats;
        Ok(())
    }

    /// Files outside the shot that a frame is made from; their checksums decide whether the frame
    /// must be made again.
    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError>;

    /// A running instance before the first frame.
    fn start(&self) -> Result<Box<dyn Stage>, StageError>;

    /// A running instance in the state in which [`Stage::save`] was called.
    fn restore(&self, saved: &[u8]) -> Result<Box<dyn Stage>, StageError>;

    /// The phenomenon behind it, for callers that know its type.
    fn phenomenon(&self) -> &dyn Any;
}

/// A running stage.
pub trait Stage: Send {
    /// Makes one frame.
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError>;

    /// Everything that the next frame needs from the past; nothing for a stateless stage.
    fn save(&self) -> Vec<u8>;
}

/// What a stage knows about the frame it makes.
pub struct StepContext<'a> {
    /// When the frame happens.
    pub frame: FrameTime,
    /// Seed of everything random.
    pub seed: u64,
    /// Takes progress within the frame and asks to stop.
    pub watch: &'a dyn Watch,
    /// Names of the side results to make.
    pub beside: &'a [&'static str],
    /// Takes the frame so far before it is finished, if previews were asked for.
    pub preview: Option<&'a dyn Fn(&FrameData)>,
}

/// The data of a frame's inputs, by key.
pub struct Inputs<'a> {
    entries: Vec<(&'a str, FrameData)>,
}

impl<'a> Inputs<'a> {
    /// Inputs from keys and their data.
    pub fn new(entries: Vec<(&'a str, FrameData)>) -> Self {
        Self { entries }
    }

    /// The data connected to `key`.
    pub fn get(&self, key: &str) -> Option<&FrameData> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, data)| data)
    }

    /// The particles connected to `key`.
    pub fn particles(&self, key: &'static str) -> Result<&Arc<Particles>, StageError> {
        match self.get(key) {
            Some(FrameData::Particles(particles)) => Ok(particles),
            other => Err(StageError::input(key, DataKind::Particles, other)),
        }
    }

    /// The mesh connected to `key`.
    pub fn mesh(&self, key: &'static str) -> Result<&Arc<TriMesh>, StageError> {
        match self.get(key) {
            Some(FrameData::Mesh(mesh)) => Ok(mesh),
            other => Err(StageError::input(key, DataKind::Mesh, other)),
        }
    }

    /// The mesh connected to `key`, if anything is.
    pub fn optional_mesh(&self, key: &'static str) -> Result<Option<&Arc<TriMesh>>, StageError> {
        self.get(key).map(|_| self.mesh(key)).transpose()
    }

    /// The volume connected to `key`.
    pub fn volume(&self, key: &'static str) -> Result<&Arc<Volume>, StageError> {
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
    /// The side results that were asked for, by name.
    pub beside: Vec<(&'static str, FrameData)>,
    /// Sentences that the user should see, such as a value that was estimated.
    pub notes: Vec<String>,
    /// Numbers for the report, the same in every run.
    pub metrics: Vec<Metric>,
    /// How long parts of the work took, in seconds.
    pub times: Vec<Metric>,
}

impl StageOutput {
    /// Data and nothing else.
    pub fn new(data: impl Into<FrameData>) -> Self {
        let data = data.into();
        let (beside, notes) = (Vec::new(), Vec::new());
        Self { data, beside, notes, metrics: Vec::new(), times: Vec::new() }
    }

    /// The same with notes.
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// The same with metrics.
    pub fn with_metrics(self, metrics: Vec<Metric>) -> Self {
        Self { metrics, ..self }
    }
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
    /// Which number summarises a whole sequence.
    #[serde(default, skip_serializing_if = "Over::is_last")]
    pub over: Over,
}

/// Which number summarises a sequence of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// That of the last frame.
    #[default]
    Last,
    /// The sum.
    Sum,
    /// The largest.
    Largest,
}

impl Over {
    fn is_last(&self) -> bool {
        *self == Over::Last
    }

    /// The number for a sequence of values.
    pub fn of(self, values: impl Iterator<Item = f64>) -> Option<f64> {
        match self {
            Over::Last => values.last(),
            Over::Sum => values.reduce(|sum, value| sum + value),
            Over::Largest => values.reduce(f64::max),
        }
    }
}

impl Metric {
    /// A measured quantity.
    pub fn new(name: &str, unit: &str, value: f64) -> Self {
        Self { name: name.to_string(), unit: unit.to_string(), value, over: Over::Last }
    }

    /// A count.
    pub fn count(name: &str, value: usize) -> Self {
        Self::new(name, "", value as f64)
    }

    /// The same, but a sequence is summarised by its sum.
    pub fn summed(self) -> Self {
        Self { over: Over::Sum, ..self }
    }

    /// The same, but a sequence is summarised by its largest value.
    pub fn largest(self) -> Self {
        Self { over: Over::Largest, ..self }
    }

    /// How long something took, from `since` until now.
    pub fn time(name: &str, since: std::time::Instant) -> Self {
        Self::new(name, "s", since.elapsed().as_secs_f64()).summed()
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
