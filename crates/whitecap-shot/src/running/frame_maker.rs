//! Makes one frame of one stage at a time, and knows what is up to date.
//!
//! This is the part of the runner that decides; see [`runner`](crate::runner) for the whole.

use std::io;
use std::time::{Duration, Instant};

use crate::runner::RunOptions;
use crate::running::frame_rates::rate_note;
use crate::running::progress::{Estimate, Event, FrameResult, FrameWatch};
use crate::running::source_checksums::SourceChecksums;
use crate::running::stage_folder::{FileRecord, FrameRecord};
use crate::running::stage_run::{Cause, Finished, FrameLog, StageRun};
use crate::shot_file::{Shot, ShotStage};
use crate::stage::{Inputs, Metric, ShotContext, StageError, StageOutput, StepContext};
use crate::{FrameData, running::memory};

/// Why the run stops.
pub(crate) enum Stop {
    Cancelled,
    Failed { stage: usize, frame: i64, cause: Cause },
}

impl Stop {
    /// Names the stage and frame that a cause belongs to.
    fn at<E: Into<Cause>>(stage: usize, frame: i64) -> impl Fn(E) -> Stop {
        move |cause| Stop::Failed { stage, frame, cause: cause.into() }
    }
}

/// A frame to be made: what is known before it is.
struct Work {
    stage: usize,
    frame: i64,
    key: String,
    /// The record on disk, valid or outdated.
    old: Option<FrameRecord>,
    /// Files on disk that are already right.
    intact: Vec<FileRecord>,
    started: Instant,
}

/// All stages of a shot while it runs.
pub(crate) struct FrameMaker<'a> {
    shot: ShotContext,
    options: RunOptions<'a>,
    stages: Vec<StageRun<'a>>,
    checksums: SourceChecksums,
    estimate: Estimate,
    computed: usize,
    skipped: usize,
}

impl<'a> FrameMaker<'a> {
    pub fn new(shot: &'a Shot, options: &RunOptions<'a>) -> io::Result<Self> {
        let stages: Vec<StageRun<'a>> = shot
            .stages
            .iter()
            .enumerate()
            .map(|(stage, spec)| {
                let takes = |other: &ShotStage| other.inputs.iter().any(|input| input.1 == stage);
                StageRun::open(spec, shot, shot.stages.iter().any(takes))
            })
            .collect::<io::Result<_>>()?;
        let shot = shot.context();
        let estimate = Estimate::new(stages.len(), shot.made_frames().count());
        let checksums = SourceChecksums::default();
        Ok(Self { shot, options: *options, stages, checksums, estimate, computed: 0, skipped: 0 })
    }

    /// The stages, in the order of the shot.
    pub fn stages(&self) -> &[StageRun<'a>] {
        &self.stages
    }

    /// Number of frames, over all stages.
    pub fn total(&self) -> usize {
        self.shot.made_frames().count() * self.stages.len()
    }

    /// Frames made and frames that were up to date, over all stages.
    pub fn counts(&self) -> (usize, usize) {
        (self.computed, self.skipped)
    }

    /// Makes a frame unless it is up to date. Its inputs must have been brought up to date.
    pub fn bring_up_to_date(&mut self, stage: usize, frame: i64) -> Result<(), Stop> {
        if self.options.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let started = Instant::now();
        let run = &self.stages[stage];
        let inputs = run.spec.inputs.iter().filter_map(|&(key, input)| {
            let finished = self.stages[input].finished.get(&frame)?;
            Some((key, finished.data.as_str()))
        });
        let key = run.key(&self.shot, frame, inputs.collect(), &mut self.checksums);
        let key = key.map_err(Stop::at(stage, frame))?;
        let old = run.folder.record(frame);
        let same = old.as_ref().filter(|record| record.key == key);
        let intact = same.map_or(Vec::new(), |record| run.intact_files(record));
        if let Some(record) = same.filter(|record| run.is_complete(record, &intact)) {
            self.finish(stage, record.clone(), true);
            return Ok(());
        }
        self.options.observer.event(&Event::FrameStarted { stage: &run.spec.name, frame });
        let work = Work { stage, frame, key, old, intact, started };
        let output = self.make(&work)?;
        let record = self.save(work, output)?;
        self.finish(stage, record, false);
        Ok(())
    }

    /// A frame's output: read back if only some of its files are missing, else computed.
    fn make(&mut self, work: &Work) -> Result<StageOutput, Stop> {
        let run = &self.stages[work.stage];
        if let (true, Some((_, data)), Some(log)) = (run.is_static, &run.current, run.log.last()) {
            return Ok(recorded(&log.record, data.clone()));
        }
        let same = work.old.as_ref().filter(|record| record.key == work.key);
        let needs_side = run.unsaved(work.frame, &work.intact).iter().any(|s| s.result.is_some());
        if let Some(record) = same.filter(|_| !needs_side)
            && let Some(data) = run.read_back(record)
        {
            return Ok(recorded(record, data));
        }
        self.return_to(work.stage, work.frame)?;
        self.step(work.stage, work.frame)
    }

    /// Steps the stage, whose instance is right before `frame`.
    fn step(&mut self, stage: usize, frame: i64) -> Result<StageOutput, Stop> {
        let spec = self.stages[stage].spec;
        let inputs: Vec<(&str, FrameData)> = spec
            .inputs
            .iter()
            .map(|&(key, input)| Ok((key, self.data(input, frame)?)))
            .collect::<Result<_, Stop>>()?;
        let RunOptions { observer, cancel, previews, .. } = self.options;
        let name = spec.name.as_str();
        let watch = FrameWatch { stage: name, frame, observer, cancel };
        let preview =
            |data: &FrameData| observer.event(&Event::Preview { stage: name, frame, data });
        let beside: Vec<&'static str> = spec.save.iter().filter_map(|save| save.result).collect();
        let context = StepContext {
            frame: self.shot.time_of(frame),
            seed: self.shot.seed,
            watch: &watch,
            beside: &beside,
            preview: previews.then_some(&preview),
        };
        // Taken out while it steps: an instance that failed half-way is not used again.
        let mut running = match self.stages[stage].running.take() {
            Some(running) => running,
            None => self.stages[stage].start().map_err(Stop::at(stage, frame))?,
        };
        let tells_rate = spec.info().depends.on_time;
        let note = if tells_rate { rate_note(&inputs, self.shot.fps) } else { None };
        let mut output =
            running.instance.step(&context, &Inputs::new(inputs)).map_err(|error| match error {
                StageError::Cancelled => Stop::Cancelled,
                error => Stop::at(stage, frame)(error),
            })?;
        if let Some(problem) = output.data.first_non_finite() {
            return Err(Stop::at(stage, frame)(problem));
        }
        output.notes.extend(note);
        running.after = Some(frame);
        self.stages[stage].running = Some(running);
        Ok(output)
    }

    /// The data of a frame that is up to date: from memory, from disk, or made again.
    fn data(&mut self, stage: usize, frame: i64) -> Result<FrameData, Stop> {
        let run = &self.stages[stage];
        if let Some((at_hand, data)) = &run.current
            && (*at_hand == frame || run.is_static)
        {
            return Ok(data.clone());
        }
        let record = run.folder.record(frame).filter(|record| run.is_finished(record));
        let data = match record.and_then(|record| run.read_back(&record)) {
            Some(data) => data,
            None => {
                self.return_to(stage, frame)?;
                let output = self.step(stage, frame)?;
                self.compare(stage, frame, &output.data);
                output.data
            }
        };
        self.stages[stage].current = Some((frame, data.clone()));
        Ok(data)
    }

    /// Brings a stateful stage back to its state before `frame`: from the newest checkpoint that is
    /// still valid, repeating the frames since.
    fn return_to(&mut self, stage: usize, frame: i64) -> Result<(), Stop> {
        let run = &mut self.stages[stage];
        let wanted = (frame > self.shot.first).then(|| frame - 1);
        let standing = run.running.as_ref().is_some_and(|running| running.after == wanted);
        if standing || !run.spec.info().stateful {
            return Ok(());
        }
        let restored = run.restore(&self.shot, frame).map_err(Stop::at(stage, frame))?;
        let next = restored.after.map_or(self.shot.first, |after| after + 1);
        run.running = Some(restored);
        if next < frame {
            let text = match frame - 1 - next {
                0 => format!("Frame {next} is repeated to continue where the last run stopped."),
                _ => format!(
                    "Frames {next} to {} are repeated to continue where the last run stopped.",
                    frame - 1
                ),
            };
            self.note(stage, frame, &text);
        }
        for repeated in next..frame {
            if self.options.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let output = self.step(stage, repeated)?;
            self.compare(stage, repeated, &output.data);
        }
        Ok(())
    }

    /// Notes when a repeated frame is not what it was: the promise of equal bits was broken, by
    /// another machine or by a mistake in the stage.
    fn compare(&self, stage: usize, frame: i64, data: &FrameData) {
        let run = &self.stages[stage];
        let known = run.finished.get(&frame);
        if known.is_some_and(|known| known.data != run.identity(&known.key, data)) {
            let text = "This frame was made again and is not what it was before. If the earlier \
                        frames come from another machine, remove the stage's folder and run again.";
            self.note(stage, frame, text);
        }
    }

    /// Writes what the stage saves, then the record.
    fn save(&mut self, work: Work, output: StageOutput) -> Result<FrameRecord, Stop> {
        let Work { stage, frame, key, old, intact, started } = work;
        let run = &mut self.stages[stage];
        let last = frame == self.shot.last && run.keeps_records;
        let interval = if last { Duration::ZERO } else { self.options.checkpoint_interval };
        let same = old.as_ref().filter(|old| old.key == key);
        // A frame made from the same as the one before it is the same.
        let twin = run.log.last().filter(|log| run.is_static && log.record.key == key);
        let data = match twin {
            Some(log) => log.record.data.clone(),
            None => run.identity(&key, &output.data),
        };
        let finite = |metric: &Metric| metric.value.is_finite();
        let mut record = FrameRecord {
            frame,
            state: same.and_then(|old| old.state.clone()),
            exact: same.and_then(|old| old.exact.clone()),
            data,
            key,
            files: intact,
            metrics: output.metrics.iter().filter(|metric| finite(metric)).cloned().collect(),
            times: output.times.clone(),
            notes: output.notes.clone(),
            seconds: 0.0,
        };
        run.save(&mut record, &output).map_err(Stop::at(stage, frame))?;
        if run.spec.info().stateful {
            run.checkpoint(&mut record, interval).map_err(Stop::at(stage, frame))?;
        }
        record.seconds = started.elapsed().as_secs_f64();
        run.folder.remove_stale(old.as_ref(), &record, &run.spec.save);
        run.folder.write_record(&record).map_err(Stop::at(stage, frame))?;
        run.current = run.is_taken.then_some((frame, output.data));
        Ok(record)
    }

    /// Saves the current state of every stateful stage, so that a cancelled run repeats as little
    /// as possible.
    pub fn checkpoint_all(&mut self) -> Result<(), Stop> {
        for (stage, run) in self.stages.iter_mut().enumerate() {
            let Some(frame) = run.running.as_ref().and_then(|running| running.after) else {
                continue;
            };
            let record = run.folder.record(frame).filter(|record| run.is_finished(record));
            if let Some(mut record) = record.filter(|_| run.spec.info().stateful) {
                run.checkpoint(&mut record, Duration::ZERO).map_err(Stop::at(stage, frame))?;
                run.folder.write_record(&record).map_err(Stop::at(stage, frame))?;
            }
        }
        Ok(())
    }

    /// Records a frame that is up to date and notifies the observer.
    fn finish(&mut self, stage: usize, record: FrameRecord, skipped: bool) {
        let (frame, seconds) = (record.frame, record.seconds);
        let finished = Finished { key: record.key.clone(), data: record.data.clone() };
        let last = self.stages[stage].log.last().map(|log| &log.record.notes);
        for text in record.notes.iter().filter(|_| !skipped) {
            if last.is_none_or(|last| !last.contains(text)) {
                self.note(stage, frame, text);
            }
        }
        self.stages[stage].finished.insert(frame, finished);
        let earlier = self.stages.iter().filter_map(|run| run.log.last()?.memory.peak).max();
        let mut memory = memory::now();
        // The system updates its own maximum with a delay.
        memory.peak = memory.peak.max(memory.resident).max(earlier);
        self.stages[stage].log.push(FrameLog { record, skipped, memory });
        self.estimate.finished(stage, (!skipped).then_some(seconds));
        *(if skipped { &mut self.skipped } else { &mut self.computed }) += 1;
        let (done, total) = (self.computed + self.skipped, self.total());
        let remaining = self.estimate.remaining();
        let Some(FrameLog { record, .. }) = self.stages[stage].log.last() else { return };
        let (metrics, times, notes) = (&record.metrics, &record.times, &record.notes);
        let result = FrameResult { seconds, metrics, times, notes };
        let stage = self.stages[stage].spec.name.as_str();
        self.options.observer.event(&match skipped {
            true => Event::FrameSkipped { stage, frame, done, total, result },
            false => Event::FrameDone { stage, frame, done, total, result, remaining },
        });
    }

    fn note(&self, stage: usize, frame: i64, text: &str) {
        let stage = self.stages[stage].spec.name.as_str();
        self.options.observer.event(&Event::Note { stage, frame, text });
    }

    /// Drops the data of all stages whose next frame has data of its own.
    pub fn forget_data(&mut self) {
        for stage in self.stages.iter_mut().filter(|stage| !stage.is_static) {
            stage.current = None;
        }
    }

    /// Writes every stage's manifest.
    pub fn write_manifests(&self) -> Result<(), whitecap_io::Error> {
        self.stages.iter().try_for_each(StageRun::write_manifest)
    }
}

/// What a record says of a frame, with its data.
fn recorded(record: &FrameRecord, data: FrameData) -> StageOutput {
    StageOutput {
        notes: record.notes.clone(),
        metrics: record.metrics.clone(),
        times: record.times.clone(),
        ..StageOutput::new(data)
    }
}
