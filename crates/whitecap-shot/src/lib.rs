//! The shot: from a shot file to finished frames.
//!
//! A *shot file* (TOML) names *stages*: each takes the frames of other stages, or files, and gives
//! frames of its own, which it can save. [`Shot::load`] checks a shot file and reports every
//! mistake with its line; [`run`] brings every frame up to date, makes only what is not, survives
//! being killed, and writes a report.
//!
//! ```no_run
//! use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};
//!
//! let shot = Shot::load("drop.toml".as_ref(), &Registry::standard())?;
//! let cancel = CancelToken::new();
//! let observer = |event: &Event<'_>| println!("{event:?}");
//! let summary = run(&shot, &RunOptions::new(&observer, &cancel))?;
//! println!("{}", summary.sentence());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * the file: [`Shot`], [`Diagnostics`], [`shot_schema`]
//! * the stages: [`StageKind`], [`Stage`], [`Registry`]
//! * the run: [`mod@runner`], [`Event`], [`CancelToken`]

mod contract;
mod files;
mod report;
mod running;
mod shot_file;
pub mod stages;

pub use contract::command_info::{CommandInfo, Subject};
pub use contract::frame_data::{DataKind, FrameData, FrameTime};
pub use contract::phenomenon::{Kind, Phenomenon};
pub use contract::picture::Picture;
pub use contract::registry::{Registry, shot_schema, stage_kinds};
pub use contract::stage;
pub use files::formats::savable as savable_formats;
pub use runner::{RunError, RunOptions, RunOutcome, RunSummary, run};
pub use running::progress::{Cancel, CancelToken, Event, FrameResult, Observer};
pub use running::runner;
pub use shot_file::diagnostic::{Diagnostic, Diagnostics};
pub use shot_file::{Records, Save, Shot, ShotError, ShotSettings, ShotStage};
pub use stage::{
    CheckedStage, Depends, Gives, InputPort, Inputs, KindInfo, Metric, Over, SettingProblem,
    ShotContext, SideResult, Stage, StageError, StageKind, StageOutput, StepContext,
};
