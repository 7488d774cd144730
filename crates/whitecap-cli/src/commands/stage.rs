//! The command of a stage: `whitecap sph`, `whitecap waves`, and one for every kind that declares
//! one.
//!
//! A command is a shot of one stage. Its inputs become file arguments that a cache reads, its settings
//! become flags, its metrics become the answer.
//!
//! # Guarantees
//! * Every frame is written whole or not at all, and is the same for any number of threads.
//! * A run that was stopped or killed continues with the same command, and ends with the same files
//!   as an uninterrupted run. What it needs for that is in a hidden folder beside the output,
//!   removed when it is finished.

mod answer;
mod files;
mod flags;
mod frame_rate;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::ArgMatches;
use serde_json::{Map, Value, json};
use whitecap_io::image::{PngDepth, write_png};
use whitecap_io::path_text;
use whitecap_shot::{
    Event, FrameData, Records, Registry, RunError, RunOutcome, Save, SettingProblem, Shot,
    ShotContext, ShotSettings, ShotStage, StageKind,
};

use super::render;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::session::Session;
use crate::setting_flags::SettingFlags;
use crate::wording;
use answer::FrameAnswer;
use files::PortFile;

pub use files::Files;
pub use flags::command;

/// Its work.
pub fn execute(
    kind: &Arc<dyn StageKind>,
    matches: &ArgMatches,
    session: &Session,
) -> Result<Answer, Failure> {
    let setting_flags = SettingFlags::of(kind.as_ref());
    let mut settings = setting_flags.read(matches);
    flags::add_subject(&mut settings, kind.info(), matches)?;
    let files = Files::of(kind.info(), &mut settings, matches, session)?;
    if kind.info().name == render::NAME {
        render::complete(&mut settings, &files, matches, session)?;
    }
    let shot = shot(kind, settings, &files, &setting_flags)?;
    files.refuse_overwriting(&shot)?;
    files.make_folders()?;
    let job = Job { shot, files, session, flags: setting_flags };
    job.run()
}

/// The shot of one stage and the caches that it takes its inputs from.
fn shot(
    kind: &Arc<dyn StageKind>,
    settings: Map<String, Value>,
    files: &Files,
    flags: &SettingFlags,
) -> Result<Shot, Failure> {
    let (first, last, left_out) = (files.first(), files.last(), files.left_out());
    let (folder, fps) = (PathBuf::new(), files.fps);
    let context = ShotContext { folder, first, last, left_out: left_out.clone(), fps, seed: 0 };
    let registry = Registry::standard();
    let cache = registry.get("cache").ok_or_else(|| Failure::Work("there is no cache".into()))?;
    let mut stages = Vec::new();
    let mut inputs = Vec::new();
    for PortFile { port, sequence, content } in &files.ports {
        let path = sequence.pattern();
        let settings = json!({
            "path": path_text::encode(&path),
            "content": content,
            "outliers": files.outliers,
        });
        let checked = cache.check(settings, &context).map_err(|problems| {
            let words = problems.iter().map(|problem| problem.message.clone());
            Failure::about(&path, words.collect::<Vec<_>>().join("; "))
        })?;
        inputs.push((port.key, stages.len()));
        let (kind, save) = (Arc::clone(cache), Vec::new());
        stages.push(ShotStage { name: port.key.into(), kind, checked, inputs: vec![], save });
    }
    let checked = kind.check(Value::Object(settings), &context);
    let checked = checked.map_err(|problems| usage(&problems, flags))?;
    let (name, kind) = (kind.info().name.to_owned(), Arc::clone(kind));
    stages.push(ShotStage { name: name.clone(), kind, checked, inputs, save: files.saves.clone() });
    Ok(Shot {
        path: PathBuf::new(),
        folder: PathBuf::new(),
        settings: ShotSettings { name, frames: [first, last], fps, seed: 0, output: None },
        output: files.hidden_folder(),
        stages,
        records: Records::UntilFinished,
        left_out,
    })
}

/// Problems with settings, in terms of the command line.
fn usage(problems: &[SettingProblem], flags: &SettingFlags) -> Failure {
    let words = problems.iter().map(|SettingProblem { key, message, help }| {
        let message = flags.in_words(message);
        let help = help.as_ref().map(|help| format!("; {}", flags.in_words(help)));
        let help = help.unwrap_or_default();
        match key.as_str() {
            "kind" => message + &help,
            key => match flags.items_of(key).as_slice() {
                [] => format!("--{}: {message}{help}", flags.nearest(key)),
                items => format!("{message}; use {}", items.join(" or ")),
            },
        }
    });
    Failure::Usage(words.collect::<Vec<_>>().join("\n"))
}

/// What is to be made.
struct Job<'a> {
    shot: Shot,
    files: Files,
    session: &'a Session,
    flags: SettingFlags,
}

impl Job<'_> {
    fn run(&self) -> Result<Answer, Failure> {
        let progress = Progress::new(self.session, self.files.frame_count());
        let made: Mutex<Vec<FrameAnswer>> = Mutex::new(Vec::new());
        let finished = AtomicUsize::new(0);
        let observer = |event: &Event<'_>| self.observe(event, &progress, &made, &finished);
        let mut options = self.session.run_options(&observer);
        options.previews = self.files.frame_count() == 1;
        let summary = whitecap_shot::run(&self.shot, &options);
        drop(progress);
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let summary = summary.map_err(|error| self.failure(error))?;
        match summary.outcome {
            RunOutcome::Finished => {
                let told = self.shot.stages.last().and_then(|stage| stage.info().command);
                let told = told.map_or(&[][..], |command| command.told);
                Ok(answer::of_run(&made, &self.files, told, summary.seconds))
            }
            RunOutcome::Cancelled => Err(self.cancelled(made.len())),
        }
    }

    /// Shows what happens to the stage; of the caches, only their notes.
    fn observe(
        &self,
        event: &Event<'_>,
        progress: &Progress,
        made: &Mutex<Vec<FrameAnswer>>,
        finished: &AtomicUsize,
    ) {
        let own = self.shot.settings.name.as_str();
        let name = |frame: i64| self.files.frame_name(frame);
        let done = finished.load(Ordering::Relaxed);
        match *event {
            Event::FrameStarted { stage, frame } if stage == own => {
                let before = made.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(last) = before.last().filter(|last| last.skipped) {
                    let text = format!("Continuing after frame {}.", last.frame);
                    progress.note(self.session, &text);
                }
                progress.within(done, 0.0, &name(frame));
            }
            Event::FrameProgress { stage, frame, fraction } if stage == own => {
                progress.within(done, fraction, &name(frame));
            }
            Event::FrameDone { stage, frame, result, .. }
            | Event::FrameSkipped { stage, frame, result, .. }
                if stage == own =>
            {
                let skipped = matches!(event, Event::FrameSkipped { .. });
                let answer = FrameAnswer::new(frame, skipped, result);
                made.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
                finished.store(done + 1, Ordering::Relaxed);
                if !skipped {
                    progress.finished(done + 1, &name(frame), remaining_of(event));
                }
            }
            Event::Preview { stage, frame, data: FrameData::Picture(picture) } if stage == own => {
                for path in self.files.previews(frame) {
                    // A preview that cannot be written does no harm; the final picture will report
                    // the error.
                    let _ = write_png(path, &picture.preview, PngDepth::Eight);
                }
            }
            Event::Note { text, frame, .. } => {
                let text = self.flags.in_words(text);
                progress.note(self.session, &format!("note: {}: {text}", name(frame)));
            }
            _ => {}
        }
    }

    /// A failure, with the file that it is about.
    fn failure(&self, error: RunError) -> Failure {
        let (frame, cause) = match error {
            RunError::Frame { frame, cause, .. } => (frame, cause),
            RunError::Locked { owner, .. } => {
                return Failure::Work(format!(
                    "{owner} is already writing {}; wait for it to end, or give the output another name",
                    self.files.output.display()
                ));
            }
            RunError::Output { cause, .. } => {
                let folder = self.files.hidden_folder();
                let folder = folder.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new("."));
                return Failure::about(
                    folder,
                    format!("this folder cannot be written to: {cause}"),
                );
            }
        };
        let cause = self.flags.in_words(&cause.to_string());
        match self.files.input_of(frame) {
            // Errors about a file already name it.
            Some(input) if cause.contains(&*input.to_string_lossy()) => Failure::Work(cause),
            // With several inputs it may be about any of them.
            Some(input) if self.files.ports.len() == 1 => Failure::about(&input, cause),
            _ => Failure::Work(format!("frame {frame}: {cause}")),
        }
    }

    fn cancelled(&self, done: usize) -> Failure {
        let total = self.files.frame_count();
        Failure::Cancelled(match done {
            0 => String::from("Cancelled: nothing was written."),
            _ => format!(
                "Cancelled: {done} of {} written. The same command continues from here.",
                wording::count(total, "frame")
            ),
        })
    }
}

/// How long the rest will take, if an event says so.
fn remaining_of(event: &Event<'_>) -> Option<Duration> {
    match event {
        Event::FrameDone { remaining, .. } => *remaining,
        _ => None,
    }
}

/// Where a save puts its files.
fn save_to(path: &Path, result: Option<&'static str>) -> Result<Save, Failure> {
    let files = whitecap_io::Sequence::new(path)?;
    let format = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Save { result, format, files: Some(files) })
}
