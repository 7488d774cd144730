//! Converts particles, one file or a sequence, from any format to any other.
//!
//! `cargo run -p whitecap-io --example 0a_convert_particles -- sim/frame_####.bgeo out/frame_####.ply`
//!
//! A third argument names the format if the extension does not: `bgeo-json`.

use std::process::ExitCode;

use whitecap_io::{Error, Format, Sequence, read_particles, write_particles, write_particles_as};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (from, to, format) = match arguments.as_slice() {
        [from, to] => (from, to, None),
        [from, to, format] => (from, to, Format::named(format)),
        _ => {
            eprintln!("usage: 0a_convert_particles FROM TO [FORMAT]");
            return ExitCode::FAILURE;
        }
    };
    match convert(from, to, format) {
        Ok(count) => {
            println!("{count} files written");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &str, to: &str, format: Option<Format>) -> Result<usize, Error> {
    let output = Sequence::new(to)?;
    let frames = Sequence::new(from)?.expand(None)?;
    for (frame, path) in &frames {
        let particles = read_particles(path)?;
        match format {
            Some(format) => write_particles_as(output.path(*frame), format, &particles)?,
            None => write_particles(output.path(*frame), &particles)?,
        }
    }
    Ok(frames.len())
}
