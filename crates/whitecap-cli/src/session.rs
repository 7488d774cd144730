//! What every command knows about how it was called.

use std::io::Write;
use std::time::Duration;

use clap::ArgMatches;
use whitecap_core::Watch;
use whitecap_shot::{CancelToken, Observer, RunOptions};

use crate::plain_text;

/// How the command was called.
pub struct Session {
    /// Nothing but errors and what was asked for.
    pub quiet: bool,
    /// The answer is one JSON object.
    pub json: bool,
    /// Ctrl-C was pressed.
    pub cancel: CancelToken,
    /// How often a simulation saves its state, if the user says so.
    pub checkpoint_interval: Option<Duration>,
}

impl Session {
    /// Reads the options that every command has.
    pub fn new(matches: &ArgMatches, cancel: CancelToken) -> Self {
        let flag = |name| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
        let seconds = matches.try_get_one::<f64>("checkpoint-interval").ok().flatten();
        let checkpoint_interval = seconds.copied().map(Duration::from_secs_f64);
        Self { quiet: flag("quiet"), json: flag("json"), cancel, checkpoint_interval }
    }

    /// How a run of a shot talks to this session.
    pub fn run_options<'a>(&'a self, observer: &'a dyn Observer) -> RunOptions<'a> {
        let mut options = RunOptions::new(observer, &self.cancel);
        options.checkpoint_interval =
            self.checkpoint_interval.unwrap_or(options.checkpoint_interval);
        options
    }

    /// Lets Ctrl-C stop a long computation.
    pub fn watch(&self) -> impl Watch {
        UntilCancelled(self.cancel.clone())
    }

    /// A note for people. It never fails, as nobody may be reading.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", plain_text::printable(text));
        }
    }
}

/// Stops when Ctrl-C is pressed.
struct UntilCancelled(CancelToken);

impl Watch for UntilCancelled {
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
