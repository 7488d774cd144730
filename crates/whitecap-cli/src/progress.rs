//! Progress on standard error: a bar on a terminal; in a log file, a plain line every ten seconds, with
//! how much is done and how long the rest will take.
//!
//! # Guarantees
//! * Lines come every ten seconds however long a single step takes: a thread of their own writes
//!   them. The first comes with the first of several frames; a single step that ends sooner writes
//!   none.
//! * Frames that were up to date do not make the estimate shorter.

mod lines;

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::plain_text;
use crate::session::Session;
use crate::wording;
use lines::Lines;

/// Steps of the bar per frame, so that it also moves within a frame.
const STEPS: u64 = 1000;
/// Time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Shows how far the work is.
pub struct Progress {
    display: Display,
}

enum Display {
    Silent,
    /// The bar, and what it has been told.
    Bar(ProgressBar, Mutex<Status>),
    Lines(Lines),
}

impl Progress {
    /// For `total` frames.
    pub fn new(session: &Session, total: usize) -> Self {
        let display = match (session.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Silent,
            (false, true) => {
                let target = ProgressDrawTarget::stderr();
                let bar = ProgressBar::with_draw_target(Some(total as u64 * STEPS), target);
                let style = ProgressStyle::with_template("{bar:24} {percent:>3}% {wide_msg}");
                let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
                Display::Bar(bar, Mutex::new(Status::new(total)))
            }
            (false, false) => {
                let print = |line: &str| {
                    let _ = writeln!(std::io::stderr(), "{line}");
                };
                Display::Lines(Lines::start(Status::new(total), LINE_INTERVAL, print))
            }
        };
        Self { display }
    }

    /// `done` frames are finished, and `fraction` of the one called `name`.
    pub fn within(&self, done: usize, fraction: f32, name: &str) {
        match &self.display {
            Display::Silent => {}
            Display::Lines(lines) => lines.tell(|status| status.within(done, fraction, name)),
            Display::Bar(bar, status) => {
                let within = (fraction.clamp(0.0, 1.0) * STEPS as f32) as u64;
                bar.set_position(done as u64 * STEPS + within);
                let mut status = status.lock().unwrap_or_else(PoisonError::into_inner);
                status.within(done, fraction, name);
                bar.set_message(status.line());
            }
        }
    }

    /// The frame called `name` is the `done`th that is finished. Without `remaining`, the time left
    /// is estimated from the frames so far.
    pub fn finished(&self, done: usize, name: &str, remaining: Option<Duration>) {
        match &self.display {
            Display::Silent => {}
            Display::Lines(lines) => lines.tell(|status| status.finished(done, name, remaining)),
            Display::Bar(bar, status) => {
                bar.set_position(done as u64 * STEPS);
                let mut status = status.lock().unwrap_or_else(PoisonError::into_inner);
                status.finished(done, name, remaining);
                bar.set_message(status.line());
            }
        }
    }

    /// A note for people, above the bar.
    pub fn note(&self, session: &Session, text: &str) {
        match &self.display {
            Display::Bar(bar, _) => bar.suspend(|| session.note(text)),
            _ => session.note(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Display::Bar(bar, _) = &self.display {
            bar.finish_and_clear();
        }
    }
}

/// How far the work is.
#[derive(Clone, Debug)]
struct Status {
    total: usize,
    done: usize,
    /// Of the frame after those that are done.
    fraction: f32,
    name: String,
    started: Instant,
    /// Frames that were up to date before anything was made.
    free: Option<usize>,
    /// How long the rest was said to take, and when.
    told: Option<(Duration, Instant)>,
}

impl Status {
    fn new(total: usize) -> Self {
        // Until something else is said.
        let (started, name) = (Instant::now(), String::from("reading"));
        Self { total, done: 0, fraction: 0.0, name, started, free: None, told: None }
    }

    fn within(&mut self, done: usize, fraction: f32, name: &str) {
        if fraction > 0.0 {
            self.free.get_or_insert(done);
        }
        (self.done, self.fraction) = (done, fraction.clamp(0.0, 1.0));
        self.name = plain_text::name(name).into_owned();
    }

    fn finished(&mut self, done: usize, name: &str, remaining: Option<Duration>) {
        self.free.get_or_insert(done.saturating_sub(1));
        (self.done, self.fraction) = (done, 0.0);
        self.name = plain_text::name(name).into_owned();
        self.told = remaining.map(|remaining| (remaining, Instant::now()));
    }

    /// Whether this is the moment in which the time left becomes known.
    fn has_several_and_one_finished(&self) -> bool {
        self.total > 1 && self.free.is_some_and(|free| self.done > free)
    }

    /// What to print: `frame 12, 11 of 48 (23 %), about 40 s left`.
    fn line(&self) -> String {
        self.line_after(self.started.elapsed())
    }

    fn line_after(&self, elapsed: Duration) -> String {
        let share = (self.done as f64 + f64::from(self.fraction)) / self.total.max(1) as f64;
        let percent = (100.0 * share) as u32;
        let done = match self.total {
            0 | 1 => format!("{percent} %"),
            total => format!("{} of {total} done ({percent} %)", self.done),
        };
        match self.time_left(elapsed) {
            Some(left) => format!("{}, {done}{}", self.name, wording::time_left(Some(left))),
            None => {
                format!(
                    "{}, {done}, {} so far",
                    self.name,
                    wording::duration(elapsed.as_secs_f64())
                )
            }
        }
    }

    /// The time that was told less what has passed since, or in proportion to what was made.
    fn time_left(&self, elapsed: Duration) -> Option<Duration> {
        let told = self.told.map(|(left, when)| left.saturating_sub(when.elapsed()));
        if let Some(left) = told.filter(|left| !left.is_zero()) {
            return Some(left);
        }
        let free = self.free?;
        let made = self.done.checked_sub(free)? as f64 + f64::from(self.fraction);
        let all = self.total.checked_sub(free)? as f64;
        let seconds = elapsed.as_secs_f64() * (all - made).max(0.0) / made;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a line says what is being made, how much is done and how long the rest takes, also
    /// within the only frame; before anything is known, how long it has taken.
    #[test]
    fn progress_lines_say_the_time_left() {
        let after = Duration::from_secs;
        let mut picture = Status::new(1);
        picture.within(0, 0.0, "splash.bgeo");
        assert_eq!(picture.line_after(after(20)), "splash.bgeo, 0 %, 20 s so far");
        picture.within(0, 0.25, "splash.bgeo");
        assert_eq!(picture.line_after(after(20)), "splash.bgeo, 25 %, about 1 min 0 s left");
        let mut shot = Status::new(48);
        shot.within(24, 0.0, "frame 25");
        shot.within(24, 0.5, "frame 25");
        // Half a frame in ten seconds; the 24 that were up to date took no time.
        assert_eq!(
            shot.line_after(after(10)),
            "frame 25, 24 of 48 done (51 %), about 7 min 50 s left"
        );
        shot.finished(25, "frame 25", Some(after(7300)));
        let line = shot.line_after(after(30));
        assert_eq!(line, "frame 25, 25 of 48 done (52 %), about 2 h 1 min left");
    }
}
