//! The commands: one file each, and one for the commands of stages.
//!
//! A command prints nothing on standard output itself: it returns an [`Answer`].

mod check;
mod completions;
mod convert;
mod demo;
mod info;
mod play;
mod render;
mod run;
mod schema;
mod sheet;
mod stage;

use std::sync::Arc;

use clap::{ArgMatches, Command};
use whitecap_shot::{StageKind, stage_kinds};

use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

/// A command: how it is described, and what it does.
pub struct Entry {
    /// Its arguments and help.
    pub command: Command,
    work: Work,
}

enum Work {
    Own(fn(&ArgMatches, &Session) -> Result<Answer, Failure>),
    Stage(Arc<dyn StageKind>),
}

impl Entry {
    fn own(
        command: Command,
        execute: fn(&ArgMatches, &Session) -> Result<Answer, Failure>,
    ) -> Self {
        Self { command, work: Work::Own(execute) }
    }

    fn of_stage(kind: Arc<dyn StageKind>) -> Option<Self> {
        let command = stage::command(kind.as_ref())?;
        Some(Self { command, work: Work::Stage(kind) })
    }

    /// Does its work.
    pub fn execute(&self, matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
        match &self.work {
            Work::Own(execute) => execute(matches, session),
            Work::Stage(kind) => stage::execute(kind, matches, session),
        }
    }
}

/// Every command, in the order of the help.
pub fn all() -> Vec<Entry> {
    let mut entries = vec![Entry::own(run::command(), run::execute)];
    entries.extend(stage_kinds().into_iter().filter_map(Entry::of_stage));
    entries.extend([
        Entry::own(play::command(), play::execute),
        Entry::own(convert::command(), convert::execute),
        Entry::own(info::command(), info::execute),
        Entry::own(check::command(), check::execute),
        Entry::own(sheet::command(), sheet::execute),
        Entry::own(demo::command(), demo::execute),
        Entry::own(schema::command(), schema::execute),
        Entry::own(completions::command(), completions::execute),
    ]);
    entries
}

/// Runs a command as if it had been typed.
fn call(words: impl Iterator<Item = String>, session: &Session) -> Result<Answer, Failure> {
    let mut words = words.peekable();
    let entry = all()
        .into_iter()
        .find(|entry| Some(entry.command.get_name()) == words.peek().map(String::as_str));
    let entry = entry.ok_or_else(|| Failure::Usage(String::from("there is no such command")))?;
    let matches = entry.command.clone().try_get_matches_from(words);
    let matches = matches.map_err(|error| Failure::Work(error.to_string()))?;
    entry.execute(&matches, session)
}
