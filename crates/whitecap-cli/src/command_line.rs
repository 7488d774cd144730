//! The command line: which commands there are, and the way from arguments to an exit code.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use whitecap_shot::CancelToken;

use crate::answer::Answer;
use crate::commands;
use crate::failure::Failure;
use crate::plain_text;
use crate::session::Session;
use crate::{memory, threads};

const AFTER_HELP: &str = "\
Lengths are in metres, y is up. A frame sequence is written with #### or %04d in place of the
frame number: sim/frame.####.bgeo

Exit codes:
  0    done
  1    the work failed, or a check found something wrong
  2    wrong usage, or a shot file with mistakes
  3    this processor is too old for this build
  130  cancelled; the message says how to continue";

/// The whole command line.
pub fn command() -> Command {
    let threads = Arg::new("threads")
        .long("threads")
        .value_name("COUNT")
        .global(true)
        .help("How many threads to use; the result is the same for any number [default: all cores]")
        .value_parser(clap::value_parser!(u16).range(1..=1024));
    let quiet = Arg::new("quiet")
        .long("quiet")
        .short('q')
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Print only errors and what was asked for");
    Command::new("whitecap")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Adds fine detail to fluid animation.")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args([threads, memory::flag(), quiet])
        .subcommands(commands::all().into_iter().map(|entry| entry.command))
}

/// `--json`, for commands that report.
pub fn json_flag() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print the answer as one JSON object, and nothing else, on standard output")
}

/// `--checkpoint-interval`, for commands that may run a simulation.
pub fn checkpoint_flag() -> Arg {
    Arg::new("checkpoint-interval")
        .long("checkpoint-interval")
        .value_name("SECONDS")
        .value_parser(checkpoint_interval)
        .help("Save the state at most this often, to continue from if the run is killed; 0 saves it after every frame [unit: s] [default: 5]")
}

fn checkpoint_interval(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err(String::from("it must be a number of seconds, 0 to 1000000")),
    }
}

/// Parses the arguments, runs the command and prints its answer.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            // If even the message cannot be printed, there is nothing left to do.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let Some((name, matches)) = matches.subcommand() else { return ExitCode::from(2) };
    let cancel = CancelToken::new();
    let session = Session::new(matches, cancel.clone());
    if let Err(error) = crate::cancel::on_interrupt(&cancel) {
        session.note(&format!("Ctrl-C will stop at once, not after the current write: {error}."));
    }
    memory::limit(matches);
    let threads = matches.get_one::<u16>("threads").copied();
    let answer = threads::start(threads).and_then(|()| execute(name, matches, &session));
    finish(answer, &session)
}

fn execute(name: &str, matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    match commands::all().iter().find(|entry| entry.command.get_name() == name) {
        Some(entry) => entry.execute(matches, session),
        None => Err(Failure::Usage(format!("there is no command `{name}`"))),
    }
}

/// One line of JSON.
fn printed(object: &Value) -> String {
    format!("{}\n", plain_text::printable_json(&object.to_string()))
}

/// Prints the answer or the failure, and returns the exit code.
fn finish(answer: Result<Answer, Failure>, session: &Session) -> ExitCode {
    let (text, code) = match &answer {
        Ok(answer) => {
            let text = match (session.json, session.quiet && !answer.asked_for) {
                (true, _) => printed(&answer.json),
                (false, true) => String::new(),
                (false, false) => plain_text::printable(&answer.text).into_owned(),
            };
            (text, if answer.good { 0 } else { 1 })
        }
        Err(failure) => {
            let message = failure.text();
            let _ = writeln!(std::io::stderr(), "{}", plain_text::printable(&message));
            let text = if session.json { printed(&failure.json()) } else { String::new() };
            (text, failure.code())
        }
    };
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match printed {
        // The reader has closed the pipe (`whitecap info x | head -1`).
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "error: the answer cannot be printed: {error}");
            ExitCode::from(1)
        }
        _ => ExitCode::from(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the command line has no contradictions, and every command and every argument says
    /// what it does.
    #[test]
    fn everything_is_documented() {
        command().debug_assert();
        for sub in command().get_subcommands() {
            assert!(sub.get_about().is_some(), "{} says nothing", sub.get_name());
            assert!(
                sub.get_after_help().is_some_and(|text| text.to_string().contains("Example")),
                "{} has no example",
                sub.get_name()
            );
            for argument in sub.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {argument}", sub.get_name());
            }
        }
    }
}
