//! `whitecap run`: a shot, from its shot file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_scene::short_numbers;
use whitecap_shot::{
    Event, Registry, RunOutcome, RunSummary, Save, Shot, ShotError, savable_formats,
};

use crate::answer::Answer;
use crate::command_line::{checkpoint_flag, json_flag};
use crate::failure::Failure;
use crate::memory::peak_bytes;
use crate::progress::Progress;
use crate::session::Session;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap run drop.toml
  whitecap run drop.toml --output /scratch/drop --threads 8

Frames that are up to date are not made again: change a setting and run again, and only what
depends on it is made. A run that was stopped, killed or failed continues with the same command.
The folder of the results also gets report.html and report.json. `whitecap check drop.toml` only
looks for mistakes.";

/// Its arguments and help.
pub fn command() -> Command {
    let shot = Arg::new("shot")
        .value_name("SHOT.toml")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The shot file; `whitecap schema` describes what can be in it");
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .help("Folder for the results [default: the one in the shot file]");
    Command::new("run")
        .about("Runs a shot: makes every frame that is not up to date")
        .after_help(EXAMPLES)
        .args([shot, output, checkpoint_flag(), json_flag()])
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = matches.get_one::<PathBuf>("shot").cloned().unwrap_or_default();
    let mut shot = load(&path)?;
    refuse_unsaved(&shot)?;
    if let Some(output) = matches.get_one::<PathBuf>("output") {
        shot.output.clone_from(output);
    }
    let (summary, notes) = run_shot(&shot, session)?;
    let report = summary.report_html.as_ref().map(|path| format!("Report: {}\n", path.display()));
    let text = format!("{}\n{}", summary.sentence(), report.unwrap_or_default());
    Ok(Answer::done(text, summary_json(&shot, &summary, &notes)))
}

/// Reads and checks a shot file.
pub fn load(path: &Path) -> Result<Shot, Failure> {
    let mut shot = Shot::load(path, &Registry::standard()).map_err(shot_failure)?;
    // Without a `.` in the middle, which would look like a mistake.
    shot.output = shot.output.components().collect();
    Ok(shot)
}

/// Fails if a run of the shot would leave no result.
pub fn refuse_unsaved(shot: &Shot) -> Result<(), Failure> {
    let Some(last) = shot.stages.last().filter(|_| shot.stages.iter().all(|s| s.save.is_empty()))
    else {
        return Ok(());
    };
    let format = savable_formats(last.gives())[0];
    Err(Failure::Usage(format!(
        "{}: no stage saves anything, so a run would leave no result; add save = [\"{format}\"] to [{}], or to the stage that you want",
        shot.path.display(),
        last.name
    )))
}

/// Runs a shot with progress on standard error; also returns the notes.
pub fn run_shot(shot: &Shot, session: &Session) -> Result<(RunSummary, Vec<String>), Failure> {
    let total = shot.stages.len() * shot.context().made_frames().count();
    let progress = Progress::new(session, total);
    let notes = Mutex::new(Vec::new());
    let done_so_far = AtomicUsize::new(0);
    let observer = |event: &Event<'_>| match *event {
        Event::FrameProgress { stage, frame, fraction } => {
            let done = done_so_far.load(Ordering::Relaxed);
            progress.within(done, fraction, &format!("{stage}, frame {frame}"));
        }
        Event::FrameDone { stage, frame, done, result, remaining, .. } => {
            done_so_far.store(done, Ordering::Relaxed);
            let name = format!("{stage}, frame {frame}: {}", wording::duration(result.seconds));
            progress.finished(done, &name, remaining);
        }
        Event::FrameSkipped { done, .. } => {
            done_so_far.store(done, Ordering::Relaxed);
            progress.within(done, 0.0, "up to date");
        }
        Event::Note { stage, frame, text } => {
            let note = format!("{stage}, frame {frame}: {text}");
            progress.note(session, &format!("note: {note}"));
            notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
        _ => {}
    };
    let options = session.run_options(&observer);
    let summary =
        whitecap_shot::run(shot, &options).map_err(|error| Failure::Work(error.to_string()))?;
    drop(progress);
    match summary.outcome {
        RunOutcome::Finished => {
            Ok((summary, notes.into_inner().unwrap_or_else(PoisonError::into_inner)))
        }
        RunOutcome::Cancelled => Err(Failure::Cancelled(summary.sentence())),
    }
}

/// The summary for programs.
pub fn summary_json(shot: &Shot, summary: &RunSummary, notes: &[String]) -> Value {
    json!({
        "shot": shot.settings.name,
        "computed": summary.computed,
        "skipped": summary.skipped,
        "total": summary.total,
        "seconds": summary.seconds,
        "peak_bytes": peak_bytes(),
        "output": wording::path(&summary.output),
        "report_html": summary.report_html.as_deref().map(wording::path),
        "report_json": summary.report_json.as_deref().map(wording::path),
        "notes": notes,
    })
}

/// What the shot would do.
pub fn outline(shot: &Shot) -> Answer {
    let [first, last] = shot.settings.frames;
    let stages: Vec<Value> = shot
        .stages
        .iter()
        .map(|stage| {
            json!({
                "name": stage.name,
                "kind": stage.info().name,
                "gives": stage.gives().in_words(),
                "save": stage.save.iter().map(Save::in_words).collect::<Vec<_>>(),
                "settings": short_numbers(stage.checked.settings().clone()),
            })
        })
        .collect();
    let mut text = format!(
        "{}: no mistakes. Frames {first} to {last}, results in {}\n",
        shot.path.display(),
        shot.output.display()
    );
    for stage in &shot.stages {
        let saved: Vec<String> = stage.save.iter().map(Save::in_words).collect();
        let save = if saved.is_empty() { "nothing".into() } else { saved.join(", ") };
        let (kind, gives) = (stage.info().name, stage.gives().in_words());
        text.push_str(&format!("  {} ({kind}) gives {gives}, saves {save}\n", stage.name));
    }
    let json = json!({
        "shot": shot.settings.name,
        "frames": [first, last],
        "output": wording::path(&shot.output),
        "stages": stages,
    });
    Answer::report(text, json)
}

fn shot_failure(error: ShotError) -> Failure {
    match error {
        ShotError::Unreadable { .. } => Failure::Usage(error.to_string()),
        ShotError::Mistakes(diagnostics) => {
            let mistakes = diagnostics
                .list()
                .iter()
                .map(|mistake| {
                    json!({
                        "file": wording::path(&mistake.path),
                        "line": mistake.line,
                        "column": mistake.column,
                        "message": mistake.message,
                        "help": mistake.help,
                    })
                })
                .collect();
            Failure::Shot { text: diagnostics.to_string(), mistakes }
        }
    }
}
