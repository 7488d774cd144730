//! Runs a shot file and reports its progress: `cargo run --release -p whitecap-shot --example
//! 0a_run_shot -- shots/drop.toml`

use std::path::Path;
use std::process::ExitCode;

use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("Give the path of a shot file.");
        return ExitCode::from(2);
    };
    let shot = match Shot::load(Path::new(&path), &Registry::standard()) {
        Ok(shot) => shot,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let observer = |event: &Event<'_>| match event {
        Event::FrameDone { stage, frame, done, total, result, remaining } => {
            let (seconds, left) =
                (result.seconds, remaining.map_or(0.0, |time| time.as_secs_f64()));
            eprintln!("{done}/{total}: {stage} {frame} took {seconds:.2} s, {left:.0} s to go");
        }
        Event::Note { stage, frame, text } => eprintln!("{stage} {frame}: {text}"),
        _ => {}
    };
    match run(&shot, &RunOptions::new(&observer, &CancelToken::new())) {
        Ok(summary) => {
            println!("{}", summary.sentence());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
