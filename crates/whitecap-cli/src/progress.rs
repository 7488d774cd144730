//! Progress on standard error: a bar on a terminal; in a log file, one line per frame, but at most
//! one per second.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::plain_text;
use crate::session::Session;
use crate::wording;

/// Steps of the bar per frame, so that it also moves within a frame.
const STEPS: u64 = 1000;
/// Shortest time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows how far the work is.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// When the next line may be printed; `None` if no lines are printed.
    next_line: Option<Mutex<Instant>>,
    started: Instant,
    total: usize,
}

impl Progress {
    /// For `total` frames. A single frame in a log file needs no line.
    pub fn new(session: &Session, total: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!session.quiet && terminal).then(|| {
            let target = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(total as u64 * STEPS), target);
            let style = ProgressStyle::with_template("{bar:24} {percent:>3}% {wide_msg}");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        let started = Instant::now();
        let has_lines = !session.quiet && !terminal && total > 1;
        Self { bar, next_line: has_lines.then(|| Mutex::new(started)), started, total }
    }

    /// `done` frames are finished, and `fraction` of the one called `name`.
    pub fn within(&self, done: usize, fraction: f32, name: &str) {
        if let Some(bar) = &self.bar {
            let within = (fraction.clamp(0.0, 1.0) * STEPS as f32) as u64;
            bar.set_position(done as u64 * STEPS + within);
            if bar.message().is_empty() {
                bar.set_message(plain_text::name(name).into_owned());
            }
        }
    }

    /// The frame called `name` is the `done`th that is finished. Without `remaining`, the time left
    /// is estimated from the frames so far.
    pub fn finished(&self, done: usize, name: &str, remaining: Option<Duration>) {
        let left = remaining.or_else(|| self.time_left(done));
        let name = plain_text::name(name);
        let text = format!("{name}, {done} of {}{}", self.total, wording::time_left(left));
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64 * STEPS);
            bar.set_message(text);
        } else if self.may_print_line() {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    fn may_print_line(&self) -> bool {
        let Some(next_line) = &self.next_line else { return false };
        let mut next_line = next_line.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = now >= *next_line;
        if due {
            *next_line = now + LINE_INTERVAL;
        }
        due
    }

    fn time_left(&self, done: usize) -> Option<Duration> {
        let left = self.total.checked_sub(done)? as f64;
        let each = self.started.elapsed().as_secs_f64() / done.max(1) as f64;
        Duration::try_from_secs_f64(each * left).ok()
    }

    /// A note for people, above the bar.
    pub fn note(&self, session: &Session, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| session.note(text)),
            None => session.note(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
