//! Feeds damaged files to every reader, and to `whitecap info`, `surface`, `render` and `convert`.
//!
//! ```text
//! cargo build --release
//! cargo run --release -p whitecap-fuzz
//! cargo run --release -p whitecap-fuzz -- --cases 500 --seed 7 --whitecap target/release/whitecap
//! ```
//!
//! A case is a valid small file with a few damages: flipped bits, extreme bytes, cut ends, repeated
//! and swapped pieces, and numbers that are finite but absurd. The same seed gives the same cases.
//! A case fails if it panics, crashes, takes longer than ten seconds, or uses far more memory than
//! the file justifies; the file is then kept in `target/fuzz`, and the exit code is 1. It is 2 if
//! the command or the sample files of the tests are missing.
//!
//! # Non-guarantees
//! A reader that hangs ends the program, as a thread cannot be stopped; its file is kept.

mod commands;
mod mutation;
mod readers;
mod samples;

use std::path::PathBuf;
use std::process::ExitCode;

use peak_alloc::PeakAlloc;

/// Counts the memory that readers use.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What was asked for.
struct Request {
    /// Cases for each reader and each command.
    cases: usize,
    seed: u64,
    /// The command to run.
    whitecap: PathBuf,
}

impl Request {
    fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut request =
            Self { cases: 10_000, seed: 1, whitecap: PathBuf::from("target/release/whitecap") };
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number =
                || value.parse::<u64>().map_err(|error| format!("{flag} {value}: {error}"));
            match flag.as_str() {
                "--cases" => request.cases = number()? as usize,
                "--seed" => request.seed = number()?,
                "--whitecap" => request.whitecap = PathBuf::from(value),
                _ => return Err(format!("{flag}: only --cases, --seed and --whitecap are known")),
            }
        }
        match request.whitecap.is_file() {
            true => Ok(request),
            false => Err(format!(
                "{} does not exist; build it with cargo build --release, or give --whitecap",
                request.whitecap.display()
            )),
        }
    }
}

fn main() -> ExitCode {
    let request = match Request::of(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let samples = match samples::all() {
        Ok(samples) => samples,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let failures = readers::run(&request, &samples) + commands::run(&request, &samples);
    println!("{failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Keeps the file of a failed case and says why it failed.
fn keep(what: &str, case: usize, name: &str, bytes: &[u8], why: &str) {
    let folder = PathBuf::from("target/fuzz");
    let file = folder.join(format!("{}-{case}-{name}", what.replace(' ', "-")));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, bytes));
    match kept {
        Ok(()) => println!("{what}, case {case}: {why}: {}", file.display()),
        Err(error) => println!("{what}, case {case}: {why} (the file was not kept: {error})"),
    }
}
