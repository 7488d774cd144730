//! Runs a shot: frame by frame, stage by stage, only what is not up to date.
//!
//! # The run in detail
//! 1. **Lock.** One run at a time in an output folder; half-written files of a killed run are
//!    cleared.
//! 2. **Frames**, ascending; in each frame the **stages**, inputs first:
//!    * *Key.* A checksum of everything the frame is made from: settings, the data of its inputs,
//!      source files, the version; for a stateful stage also the key of the frame before.
//!    * *Up to date?* If there is a record with this key, and the files have the recorded
//!      checksums, nothing is done and no input is read.
//!    * *Make.* Inputs come from memory if they were made in this run, else from an exact copy on
//!      disk, else they are made again. A stateful stage first returns to where it was: from its
//!      newest checkpoint, repeating the frames since.
//!    * *Save.* Files, checkpoint, and finally the record.
//! 3. **Manifests and report**, also when the run was cancelled or failed.
//!
//! # Guarantees
//! * However often and wherever a run is killed or cancelled, the files of the run that finally
//!   finishes are byte for byte those of an uninterrupted run.
//! * No file with a final name is ever incomplete, unless the caller writes previews there.
//! * A failure names stage, frame and cause, and leaves finished frames as they are.
//!
//! # Non-guarantees
//! Files of frames and stages that the shot no longer has are left alone. Timings in records and
//! reports differ from run to run.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use whitecap_core::counted;
use whitecap_io::plain;

use crate::report::{Outcome, Report};
use crate::running::frame_maker::{FrameMaker, Stop};
use crate::running::lock::RunLock;
use crate::running::progress::{Cancel, Event, Observer};
use crate::running::stage_folder::remove_temporaries;
use crate::running::stage_run::StageRun;
use crate::shot_file::{Records, Shot};

/// How a run talks to its caller.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Takes the events.
    pub observer: &'a dyn Observer,
    /// Asks the run to stop.
    pub cancel: &'a dyn Cancel,
    /// A stateful stage saves its state when this much time has passed since it last did, and also
    /// twenty times the time that saving takes. This changes how much a killed run repeats, never
    /// the result.
    pub checkpoint_interval: Duration,
    /// Whether frames are shown while they are being made; see [`Event::Preview`].
    pub previews: bool,
}

impl<'a> RunOptions<'a> {
    /// Options with a checkpoint every five seconds, without previews.
    pub fn new(observer: &'a dyn Observer, cancel: &'a dyn Cancel) -> Self {
        Self { observer, cancel, checkpoint_interval: Duration::from_secs(5), previews: false }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Everything is up to date.
    Finished,
    /// It was asked to stop.
    Cancelled,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Frames made, over all stages.
    pub computed: usize,
    /// Frames that were up to date, over all stages.
    pub skipped: usize,
    /// Number of frames, over all stages.
    pub total: usize,
    /// How long it took.
    pub seconds: f64,
    /// Where results are.
    pub output: PathBuf,
    /// The report for people, if records are kept.
    pub report_html: Option<PathBuf>,
    /// The report for programs, if records are kept.
    pub report_json: Option<PathBuf>,
}

impl RunSummary {
    /// What happened, in a sentence.
    pub fn sentence(&self) -> String {
        let Self { computed, skipped, total, seconds, output, .. } = self;
        let output = output.display();
        match self.outcome {
            RunOutcome::Finished if *computed == 0 => {
                let (all, are) = if *total == 1 { ("the", "is") } else { ("all", "are") };
                let frames = counted(*total, "frame");
                format!("Nothing to do: {all} {frames} in {output} {are} up to date.")
            }
            RunOutcome::Finished => format!(
                "Made {} in {seconds:.1} s ({skipped} {} up to date); {} in {output}.",
                counted(*computed, "frame"),
                if *skipped == 1 { "was" } else { "were" },
                if *computed == 1 { "it is" } else { "they are" },
            ),
            RunOutcome::Cancelled => format!(
                "Cancelled: {} of {} done and safe in {output}. The same command continues from here.",
                computed + skipped,
                counted(*total, "frame"),
            ),
        }
    }
}

/// Why a run could not finish.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another run writes to the same folder.
    #[error(
        "{owner} is already writing to {}. Wait for it to end, or give this shot another `output`.",
        output.display()
    )]
    Locked {
        /// The output folder.
        output: PathBuf,
        /// Who holds it.
        owner: String,
    },
    /// A file of the output folder that belongs to no frame cannot be used.
    #[error("{} cannot be used for results: {cause}", path.display())]
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// A frame could not be made or saved.
    #[error(
        "stage `{stage}`, frame {frame}: {cause}. Frames made before it are kept; once the cause is fixed, the same command continues from here."
    )]
    Frame {
        /// Name of the stage.
        stage: String,
        /// The frame.
        frame: i64,
        /// What went wrong.
        cause: Box<dyn Error + Send + Sync>,
    },
}

/// Writes manifests and report, or removes what was only needed to continue.
fn close(
    shot: &Shot,
    maker: &FrameMaker<'_>,
    outcome: &Outcome,
    seconds: f64,
) -> Result<(Option<PathBuf>, Option<PathBuf>), whitecap_io::Error> {
    if shot.records == Records::Kept {
        maker.write_manifests()?;
        let (json, html) = Report::new(shot, maker, outcome, seconds).write(&shot.output)?;
        return Ok((Some(json), Some(html)));
    }
    let has_saved =
        |stage: &StageRun<'_>| !stage.spec.save.is_empty() && stage.folder.has_records();
    if matches!(outcome, Outcome::Finished) || !maker.stages().iter().any(has_saved) {
        // What cannot be removed only takes up space.
        let _ = std::fs::remove_dir_all(&shot.output);
    }
    Ok((None, None))
}

/// Brings every frame of a shot up to date.
pub fn run(shot: &Shot, options: &RunOptions<'_>) -> Result<RunSummary, RunError> {
    let started = Instant::now();
    let unusable = |cause: std::io::Error| RunError::Output {
        path: shot.output.clone(),
        cause: Box::new(cause),
    };
    match shot.records {
        // A folder that the user chose may be a link; one of our own may not.
        Records::Kept => std::fs::create_dir_all(&shot.output),
        Records::UntilFinished => plain::create_folder(&shot.output),
    }
    .map_err(unusable)?;
    let _lock = RunLock::take(&shot.output)?;
    remove_temporaries(&shot.output).map_err(unusable)?;
    let mut maker = FrameMaker::new(shot, options).map_err(unusable)?;
    let output = &shot.output;
    let total = maker.total();
    options.observer.event(&Event::RunStarted { shot: &shot.settings.name, output, total });

    let made = make_all(shot, &mut maker);

    let seconds = started.elapsed().as_secs_f64();
    let (computed, skipped) = maker.counts();
    let outcome = match &made {
        Ok(()) => Outcome::Finished,
        Err(Stop::Cancelled) => Outcome::Cancelled,
        Err(Stop::Failed { stage, frame, cause }) => {
            Outcome::Failed(format!("stage `{}`, frame {frame}: {cause}", shot.stages[*stage].name))
        }
    };
    let closed = close(shot, &maker, &outcome, seconds);
    options.observer.event(&Event::RunFinished { computed, skipped, seconds });
    let outcome = match made {
        Ok(()) => RunOutcome::Finished,
        Err(Stop::Cancelled) => RunOutcome::Cancelled,
        Err(Stop::Failed { stage, frame, cause }) => {
            let stage = shot.stages[stage].name.clone();
            return Err(RunError::Frame { stage, frame, cause });
        }
    };
    // A failed frame is the more useful error, so this one comes second.
    let (report_json, report_html) = closed
        .map_err(|cause| RunError::Output { path: output.clone(), cause: Box::new(cause) })?;
    let output = output.clone();
    Ok(RunSummary { outcome, computed, skipped, total, seconds, output, report_html, report_json })
}

fn make_all(shot: &Shot, maker: &mut FrameMaker<'_>) -> Result<(), Stop> {
    for frame in shot.context().made_frames() {
        for stage in 0..shot.stages.len() {
            if let Err(stop) = maker.bring_up_to_date(stage, frame) {
                if matches!(stop, Stop::Cancelled) {
                    maker.checkpoint_all()?;
                }
                return Err(stop);
            }
        }
        maker.forget_data();
    }
    Ok(())
}
