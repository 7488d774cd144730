//! How many frames of a stage's command are a second.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::files::PortFile;
use crate::session::Session;

/// What `--fps` says; if it was left out, what the first file of particles says, with a note if that is not the
/// default.
pub fn of(ports: &[PortFile], matches: &ArgMatches, session: &Session) -> f64 {
    let flag = matches.try_get_one::<f64>("fps").ok().flatten().copied();
    let Some(default) = flag else { return 24.0 };
    if matches.value_source("fps") == Some(ValueSource::CommandLine) {
        return default;
    }
    match ports.iter().find_map(known) {
        Some((rate, file)) if rate != default => {
            session.note(&format!(
                "note: {file} was made for {rate} frames per second, which is used; --fps was not given"
            ));
            rate
        }
        _ => default,
    }
}

/// The frame rate that particles were made for, and the file that says so. What is wrong with the file is
/// reported when its frame is made.
fn known(file: &PortFile) -> Option<(f64, String)> {
    if file.content != "particles" {
        return None;
    }
    let (_, path) = file.sequence.existing().ok()?.into_iter().next()?;
    let rate = whitecap_io::read_particles(&path).ok()?.facts().frame_rate?;
    // With the digits that a person would write.
    Some((rate.to_string().parse().ok()?, path.display().to_string()))
}
