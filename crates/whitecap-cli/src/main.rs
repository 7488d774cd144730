//! The `whitecap` command.
//!
//! # Guarantees
//! * Results go to standard output, everything else (progress, notes, errors) to standard error.
//!   With `--json`, standard output is exactly one JSON object.
//! * Exit codes: see [`failure`].
//! * A flag that sets a method's setting is made from that setting's own definition; see
//!   [`setting_flags`].
//! * A processor that is too old gets a message instead of a crash; see [`processor`].

mod answer;
mod cancel;
mod command_line;
mod commands;
mod failure;
mod file_notes;
mod format_choice;
mod frames;
mod memory;
mod plain_text;
mod processor;
mod progress;
mod session;
mod setting_flags;
mod threads;
mod wording;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Nothing else may run before this: the rest of the program uses newer instructions.
    match processor::is_new_enough() {
        true => start(),
        false => processor::explain(),
    }
}

/// The real program. Never inlined, so that none of its instructions move before the check.
#[inline(never)]
fn start() -> ExitCode {
    command_line::run(std::env::args_os())
}
