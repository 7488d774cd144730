//! Makes single frames of single stages, and knows what is up to date.
//!
//! This is the part of the runner that decides; see [`runner`](crate::runner) for the whole.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::progress::{Estimate, Event, FrameWatch};
use crate::runner::RunOptions;
use crate::shot_file::{Shot, ShotStage};
use crate::stage::{Inputs, ShotContext, StageError, StageOutput, StepContext};
use crate::stage_folder::{FileRecord, FrameRecord};
use crate::stage_run::{Cause, Finished, FrameLog, StageRun};
use crate::{FrameData, exact, formats, memory};

/// Why the run does not go on.
pub(crate) enum Stop {
    Cancelled,
    Failed { stage: usize, frame: u32, cause: Cause },
}

impl Stop {
    /// Names the stage and frame that a cause belongs to.
    fn at<E: Into<Cause>>(stage: usize, frame: u32) -> impl Fn(E) -> Stop {
        move |cause| Stop::Failed { stage, frame, cause: cause.into() }
    }
}

/// A frame to be made: what is known before it is.
struct Work {
    stage: usize,
    frame: u32,
    key: String,
    /// The record that stands on disk, right or outdated.
    old: Option<FrameRecord>,
    /// Files on disk that are right already.
    intact: Vec<FileRecord>,
    started: Instant,
}

/// All stages of a shot while it runs.
pub(crate) struct FrameMaker<'a> {
    shot: ShotContext<'a>,
    options: RunOptions<'a>,
    stages: Vec<StageRun<'a>>,
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
                StageRun::open(spec, &shot.output, shot.stages.iter().any(takes))
            })
            .collect::<io::Result<_>>()?;
        let shot = shot.context();
        let estimate = Estimate::new(stages.len(), shot.frames().count());
        Ok(Self { shot, options: *options, stages, estimate, computed: 0, skipped: 0 })
    }

    /// The stages, in the order of the shot.
    pub fn stages(&self) -> &[StageRun<'a>] {
        &self.stages
    }

    /// Frames there are, over all stages.
    pub fn total(&self) -> usize {
        self.shot.frames().count() * self.stages.len()
    }

    /// Frames made and frames that were up to date, over all stages.
    pub fn counts(&self) -> (usize, usize) {
        (self.computed, self.skipped)
    }

    /// Makes a frame unless it is up to date. Its inputs must have been brought up to date.
    pub fn bring_up_to_date(&mut self, stage: usize, frame: u32) -> Result<(), Stop> {
        if self.options.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let started = Instant::now();
        let run = &self.stages[stage];
        let inputs = run.spec.inputs.iter().filter_map(|&(key, input)| {
            let finished = self.stages[input].finished.get(&frame)?;
            Some((key, finished.data.as_str()))
        });
        let key = run.key(&self.shot, frame, inputs.collect()).map_err(Stop::at(stage, frame))?;
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

    /// A frame's output: read back if only some of its files are gone, else computed.
    fn make(&mut self, work: &Work) -> Result<StageOutput, Stop> {
        if let Some(record) = work.old.as_ref().filter(|record| record.key == work.key)
            && let Some(data) = self.stages[work.stage].read_back(record)
        {
            let (notes, metrics) = (record.notes.clone(), record.metrics.clone());
            return Ok(StageOutput { data, notes, metrics });
        }
        self.return_to(work.stage, work.frame)?;
        self.step(work.stage, work.frame)
    }

    /// Steps the stage, whose instance stands right before `frame`.
    fn step(&mut self, stage: usize, frame: u32) -> Result<StageOutput, Stop> {
        let spec = self.stages[stage].spec;
        let inputs: Vec<(&str, Arc<FrameData>)> = spec
            .inputs
            .iter()
            .map(|&(key, input)| Ok((key, self.data(input, frame)?)))
            .collect::<Result<_, Stop>>()?;
        let RunOptions { observer, cancel, .. } = self.options;
        let watch = FrameWatch { stage: &spec.name, frame, observer, cancel };
        let time = self.shot.time_of(frame);
        let context = StepContext { frame: time, seed: self.shot.seed, watch: &watch };
        // Taken out while it steps: an instance that failed half-way is not used again.
        let mut running = match self.stages[stage].running.take() {
            Some(running) => running,
            None => self.stages[stage].start(&self.shot).map_err(Stop::at(stage, frame))?,
        };
        let output =
            running.instance.step(&context, &Inputs::new(inputs)).map_err(|error| match error {
                StageError::Cancelled => Stop::Cancelled,
                other => Stop::at(stage, frame)(other),
            })?;
        if let Some(problem) = output.data.first_non_finite() {
            return Err(Stop::at(stage, frame)(problem));
        }
        running.after = Some(frame);
        self.stages[stage].running = Some(running);
        Ok(output)
    }

    /// The data of a frame that is up to date: from memory, from disk, or made again.
    fn data(&mut self, stage: usize, frame: u32) -> Result<Arc<FrameData>, Stop> {
        let run = &self.stages[stage];
        if let Some((at_hand, data)) = &run.current
            && *at_hand == frame
        {
            return Ok(Arc::clone(data));
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
        let data = Arc::new(data);
        self.stages[stage].current = Some((frame, Arc::clone(&data)));
        Ok(data)
    }

    /// Brings a stateful stage to where it stood before `frame`: from the newest checkpoint that
    /// still holds, repeating the frames since.
    fn return_to(&mut self, stage: usize, frame: u32) -> Result<(), Stop> {
        let run = &mut self.stages[stage];
        let wanted = (frame > self.shot.first).then(|| frame - 1);
        let standing = run.running.as_ref().is_some_and(|running| running.after == wanted);
        if standing || !run.spec.kind.is_stateful() {
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
    fn compare(&self, stage: usize, frame: u32, data: &FrameData) {
        let known = self.stages[stage].finished.get(&frame).map(|finished| &finished.data);
        if known.is_some_and(|known| *known != exact::digest(data)) {
            let text = "This frame was made again and is not what it was before. If the earlier \
                        frames come from another machine, remove the stage's folder and run again.";
            self.note(stage, frame, text);
        }
    }

    /// Writes what the stage saves, then the record.
    fn save(&mut self, work: Work, output: StageOutput) -> Result<FrameRecord, Stop> {
        let Work { stage, frame, key, old, intact: mut files, started } = work;
        let StageRun { spec, folder, .. } = &self.stages[stage];
        for format in &spec.save {
            let name = folder.frame_file(frame, format);
            if files.iter().any(|file| file.name == name) {
                continue;
            }
            formats::write(&folder.file(&name), &output.data).map_err(Stop::at(stage, frame))?;
            files.push(folder.describe(name).map_err(Stop::at(stage, frame))?);
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let same = old.as_ref().filter(|old| old.key == key);
        let mut record = FrameRecord {
            frame,
            state: same.and_then(|old| old.state.clone()),
            key,
            data: exact::digest(&output.data),
            files,
            exact: None,
            metrics: output.metrics.into_iter().filter(|m| m.value.is_finite()).collect(),
            notes: output.notes,
            seconds: 0.0,
        };
        if spec.kind.is_stateful() {
            let last = frame == self.shot.last;
            let interval = if last { Duration::ZERO } else { self.options.checkpoint_interval };
            let run = &mut self.stages[stage];
            run.keep_exact(&mut record, &output.data)
                .and_then(|()| run.checkpoint(&mut record, interval))
                .map_err(Stop::at(stage, frame))?;
        }
        record.seconds = started.elapsed().as_secs_f64();
        let run = &mut self.stages[stage];
        run.folder.remove_stale(old.as_ref(), &record);
        run.folder.write_record(&record).map_err(Stop::at(stage, frame))?;
        run.current = run.is_taken.then(|| (frame, Arc::new(output.data)));
        Ok(record)
    }

    /// Saves the state of every stateful stage where it stands, so that a cancelled run repeats
    /// as little as possible.
    pub fn checkpoint_all(&mut self) -> Result<(), Stop> {
        for (stage, run) in self.stages.iter_mut().enumerate() {
            let Some(frame) = run.running.as_ref().and_then(|running| running.after) else {
                continue;
            };
            let record = run.folder.record(frame).filter(|record| run.is_finished(record));
            if let Some(mut record) = record.filter(|_| run.spec.kind.is_stateful()) {
                run.checkpoint(&mut record, Duration::ZERO).map_err(Stop::at(stage, frame))?;
                run.folder.write_record(&record).map_err(Stop::at(stage, frame))?;
            }
        }
        Ok(())
    }

    /// Enters a frame that is up to date into the books and tells the observer.
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
        // The system updates its own maximum late.
        memory.peak = memory.peak.max(memory.resident).max(earlier);
        self.stages[stage].log.push(FrameLog { record, skipped, memory });
        self.estimate.finished(stage, (!skipped).then_some(seconds));
        *(if skipped { &mut self.skipped } else { &mut self.computed }) += 1;
        let (done, total) = (self.computed + self.skipped, self.total());
        let remaining = self.estimate.remaining();
        let stage = self.stages[stage].spec.name.as_str();
        self.options.observer.event(&match skipped {
            true => Event::FrameSkipped { stage, frame, done, total },
            false => Event::FrameDone { stage, frame, done, total, seconds, remaining },
        });
    }

    fn note(&self, stage: usize, frame: u32, text: &str) {
        let stage = self.stages[stage].spec.name.as_str();
        self.options.observer.event(&Event::Note { stage, frame, text });
    }

    /// Drops the data of all stages: the next frame has its own.
    pub fn forget_data(&mut self) {
        for stage in &mut self.stages {
            stage.current = None;
        }
    }

    /// Writes every stage's manifest.
    pub fn write_manifests(&self) -> Result<(), whitecap_io::Error> {
        self.stages.iter().try_for_each(StageRun::write_manifest)
    }
}
