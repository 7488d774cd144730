//! Bringing the frames of a shot up to date.
//!
//! `runner` goes through frames and stages. `frame_maker` decides what is up to date and makes the rest,
//! with one `stage_run` for each stage, which knows its `stage_folder`. `lock` keeps other runs out,
//! `frame_rates` compares the shot's with that of the particles,
//! `source_checksums` tells whether input files changed, `progress` reports and `memory` is measured.
//!
//! # Guarantees
//! * A run that is killed or fails leaves every finished frame, and the same command continues from there.

pub(crate) mod frame_maker;
pub(crate) mod frame_rates;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod progress;
pub mod runner;
pub(crate) mod source_checksums;
pub(crate) mod stage_folder;
pub(crate) mod stage_run;
