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

mod body_files;
mod command_info;
mod diagnostic;
mod exact;
mod formats;
mod frame_data;
mod frame_files;
mod frame_maker;
mod graph;
mod located;
mod lock;
mod memory;
mod phenomenon;
mod picture;
mod plot;
mod progress;
mod registry;
mod report;
mod report_html;
pub mod runner;
mod schema_check;
mod shot_file;
mod source_checksums;
pub mod stage;
mod stage_folder;
mod stage_run;
mod stage_table;
pub mod stages;

pub use command_info::{CommandInfo, Subject};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use formats::savable as savable_formats;
pub use frame_data::{DataKind, FrameData, FrameTime};
pub use phenomenon::{Kind, Phenomenon};
pub use picture::Picture;
pub use progress::{CancelToken, Event, FrameResult, Observer};
pub use registry::{Registry, shot_schema, stage_kinds};
pub use runner::{RunError, RunOptions, RunOutcome, RunSummary, run};
pub use shot_file::{Records, Save, Shot, ShotError, ShotSettings, ShotStage};
pub use stage::{
    CheckedStage, Depends, Gives, InputPort, Inputs, KindInfo, Metric, Over, SettingProblem,
    ShotContext, SideResult, Stage, StageError, StageKind, StageOutput, StepContext,
};
