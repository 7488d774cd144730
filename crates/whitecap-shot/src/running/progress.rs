//! What a run reports while it works, and how it is asked to stop.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use whitecap_core::Watch;

use crate::FrameData;
use crate::stage::Metric;

/// Something that happened during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins.
    RunStarted {
        /// Name of the shot.
        shot: &'a str,
        /// Where results go.
        output: &'a Path,
        /// Number of frames, counted once per stage.
        total: usize,
    },
    /// A frame is being made.
    FrameStarted {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
    },
    /// Part of a frame is made. Can come from any thread.
    FrameProgress {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
        /// How much of it, 0 to 1.
        fraction: f32,
    },
    /// A frame was made and saved.
    FrameDone {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
        /// Frames that are finished, over all stages.
        done: usize,
        /// Number of frames, over all stages.
        total: usize,
        /// What was measured.
        result: FrameResult<'a>,
        /// How long the rest will take, estimated from the frames that were made.
        remaining: Option<Duration>,
    },
    /// A frame was up to date.
    FrameSkipped {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
        /// Frames that are finished, over all stages.
        done: usize,
        /// Number of frames, over all stages.
        total: usize,
        /// What was measured when it was made.
        result: FrameResult<'a>,
    },
    /// The frame so far, while it is being made, if previews were asked for.
    Preview {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
        /// The unfinished data.
        data: &'a FrameData,
    },
    /// Something that the user should know. A note that repeats from frame to frame is sent once.
    Note {
        /// Name of the stage.
        stage: &'a str,
        /// The frame.
        frame: i64,
        /// A sentence.
        text: &'a str,
    },
    /// The run ended, for whatever reason.
    RunFinished {
        /// Frames made.
        computed: usize,
        /// Frames that were up to date.
        skipped: usize,
        /// How long it took.
        seconds: f64,
    },
}

/// What was measured on a finished frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameResult<'a> {
    /// How long it took.
    pub seconds: f64,
    /// Numbers of the stage.
    pub metrics: &'a [Metric],
    /// How long parts of the work took.
    pub times: &'a [Metric],
    /// Sentences that the user should see.
    pub notes: &'a [String],
}

/// Takes the events of a run. Every `Fn(&Event)` that threads may share is one.
pub trait Observer: Sync {
    /// Called for every event.
    fn event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Sync> Observer for F {
    fn event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// A request to stop, shared between the run and its callers. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    requested: Arc<AtomicBool>,
}

impl CancelToken {
    /// A token without a request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to finish the current write and stop.
    pub fn cancel(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }
}

/// Says when a run should stop. Once it says so, it does not change its mind.
pub trait Cancel: Sync {
    /// Whether a stop was requested.
    fn is_cancelled(&self) -> bool;
}

impl Cancel for CancelToken {
    fn is_cancelled(&self) -> bool {
        CancelToken::is_cancelled(self)
    }
}

/// Passes a frame's progress to the observer, and the request to stop to the stage.
pub(crate) struct FrameWatch<'a> {
    pub stage: &'a str,
    pub frame: i64,
    pub observer: &'a dyn Observer,
    pub cancel: &'a dyn Cancel,
}

impl Watch for FrameWatch<'_> {
    fn progress(&self, fraction: f32) {
        let (stage, frame) = (self.stage, self.frame);
        self.observer.event(&Event::FrameProgress { stage, frame, fraction });
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Estimates how long the rest takes.
///
/// Each stage's remaining frames are assumed to cost the mean of its last eight frames that were
/// really made: recent, because frames of a splash get slower with time; made, because frames that
/// were up to date say nothing about those that are not.
#[derive(Debug)]
pub(crate) struct Estimate {
    stages: Vec<StageEstimate>,
}

#[derive(Debug, Default)]
struct StageEstimate {
    remaining: usize,
    recent: VecDeque<f64>,
}

impl Estimate {
    const RECENT: usize = 8;

    pub fn new(stages: usize, frames: usize) -> Self {
        let stage = || StageEstimate { remaining: frames, ..StageEstimate::default() };
        Self { stages: (0..stages).map(|_| stage()).collect() }
    }

    /// A frame is finished; `seconds` if it was made, `None` if it was up to date.
    pub fn finished(&mut self, stage: usize, seconds: Option<f64>) {
        let stage = &mut self.stages[stage];
        stage.remaining = stage.remaining.saturating_sub(1);
        if let Some(seconds) = seconds {
            stage.recent.push_back(seconds);
            if stage.recent.len() > Self::RECENT {
                stage.recent.pop_front();
            }
        }
    }

    /// The time for what remains; `None` until the first frame is made.
    pub fn remaining(&self) -> Option<Duration> {
        let made: Vec<&StageEstimate> =
            self.stages.iter().filter(|stage| !stage.recent.is_empty()).collect();
        if made.is_empty() {
            return None;
        }
        let seconds = made.iter().map(|stage| {
            let mean = stage.recent.iter().sum::<f64>() / stage.recent.len() as f64;
            mean * stage.remaining as f64
        });
        Duration::try_from_secs_f64(seconds.sum()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: frames that were up to date do not shorten the estimate for those that are not.
    #[test]
    fn skipped_frames_do_not_count_as_fast() {
        let mut estimate = Estimate::new(2, 10);
        assert_eq!(estimate.remaining(), None);
        for _ in 0..5 {
            estimate.finished(0, None);
        }
        assert_eq!(estimate.remaining(), None);
        estimate.finished(0, Some(3.0));
        estimate.finished(1, Some(1.0));
        assert_eq!(estimate.remaining(), Some(Duration::from_secs(4 * 3 + 9)));
    }

    /// Contract: only the last eight frames count, so the estimate follows frames that get slower.
    #[test]
    fn recent_frames_count() {
        let mut estimate = Estimate::new(1, 101);
        for _ in 0..92 {
            estimate.finished(0, Some(0.001));
        }
        for _ in 0..8 {
            estimate.finished(0, Some(10.0));
        }
        assert_eq!(estimate.remaining(), Some(Duration::from_secs(10)));
    }
}
