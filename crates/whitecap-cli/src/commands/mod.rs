//! The commands, one file each.
//!
//! A command prints nothing on standard output itself: it returns an [`Answer`].

mod check;
mod checkpoint;
mod completions;
mod convert;
mod demo;
mod frame_run;
mod info;
mod pipes;
mod play;
mod render;
mod run;
mod schema;
mod sheet;
mod sph;
mod surface;
mod track;
mod waves;

use clap::{ArgMatches, Command};

use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

/// A command: how it is described, and what it does.
pub struct Entry {
    /// Its arguments and help.
    pub command: fn() -> Command,
    /// Its work.
    pub execute: fn(&ArgMatches, &Session) -> Result<Answer, Failure>,
}

/// Every command, in the order of the help.
pub const ALL: [Entry; 15] = [
    Entry { command: run::command, execute: run::execute },
    Entry { command: sph::command, execute: sph::execute },
    Entry { command: surface::command, execute: surface::execute },
    Entry { command: waves::command, execute: waves::execute },
    Entry { command: track::command, execute: track::execute },
    Entry { command: pipes::command, execute: pipes::execute },
    Entry { command: play::command, execute: play::execute },
    Entry { command: render::command, execute: render::execute },
    Entry { command: convert::command, execute: convert::execute },
    Entry { command: info::command, execute: info::execute },
    Entry { command: check::command, execute: check::execute },
    Entry { command: sheet::command, execute: sheet::execute },
    Entry { command: demo::command, execute: demo::execute },
    Entry { command: schema::command, execute: schema::execute },
    Entry { command: completions::command, execute: completions::execute },
];
