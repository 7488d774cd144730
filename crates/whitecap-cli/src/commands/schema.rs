//! `whitecap schema`: the JSON Schema of shot files, for editors.

use clap::{ArgMatches, Command};

use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

const EXAMPLES: &str = "\
Example:
  whitecap schema > shot.schema.json

Editors with TOML support (Taplo, Even Better TOML) then complete keys and show units when a shot
file begins with the line
  #:schema ./shot.schema.json";

/// Its help.
pub fn command() -> Command {
    Command::new("schema").about("Prints the JSON Schema of shot files").after_help(EXAMPLES)
}

/// Its work.
pub fn execute(_matches: &ArgMatches, _session: &Session) -> Result<Answer, Failure> {
    let schema = whitecap_shot::shot_schema();
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Failure::Work(format!("the schema cannot be printed: {error}")))?;
    Ok(Answer::report(text + "\n", schema))
}
