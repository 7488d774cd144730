//! `whitecap completions`: what a shell needs to complete commands and flags.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use serde_json::json;

use crate::answer::Answer;
use crate::command_line;
use crate::failure::Failure;
use crate::session::Session;

const EXAMPLES: &str = "\
Examples:
  whitecap completions bash > ~/.local/share/bash-completion/completions/whitecap
  whitecap completions zsh > ~/.zfunc/_whitecap
  whitecap completions fish > ~/.config/fish/completions/whitecap.fish";

/// Its arguments and help.
pub fn command() -> Command {
    let shell = Arg::new("shell")
        .value_name("SHELL")
        .required(true)
        .value_parser(value_parser!(Shell))
        .help("The shell");
    Command::new("completions").about("Prints shell completions").after_help(EXAMPLES).arg(shell)
}

/// Its work.
pub fn execute(matches: &ArgMatches, _session: &Session) -> Result<Answer, Failure> {
    let shell = *matches.get_one::<Shell>("shell").unwrap_or(&Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line::command(), "whitecap", &mut script);
    let text = String::from_utf8_lossy(&script).into_owned();
    Ok(Answer::report(text, json!({ "shell": shell.to_string() })))
}
