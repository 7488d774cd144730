//! What every command knows about how it was called.

use std::io::Write;

use clap::ArgMatches;
use whitecap_shot::CancelToken;

use crate::plain_text;

/// How the command was called.
pub struct Session {
    /// Nothing but errors and what was asked for.
    pub quiet: bool,
    /// The answer is one JSON object.
    pub json: bool,
    /// Ctrl-C was pressed.
    pub cancel: CancelToken,
}

impl Session {
    /// Reads the options that every command has.
    pub fn new(matches: &ArgMatches, cancel: CancelToken) -> Self {
        let flag = |name| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
        Self { quiet: flag("quiet"), json: flag("json"), cancel }
    }

    /// A note for people. It never fails, as nobody may be reading.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", plain_text::printable(text));
        }
    }
}
