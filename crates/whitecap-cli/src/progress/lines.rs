//! Lines of progress at a steady pace, written by a thread of their own.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Status;

/// Prints how far the work is, again and again, until it is dropped.
pub struct Lines {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    status: Status,
    finished: bool,
    /// When the next line is printed.
    due: Instant,
    /// Whether a frame was finished, so that the time left is known.
    is_estimated: bool,
}

impl Lines {
    /// Prints a line every `interval`; the first when the first of several frames is finished.
    pub fn start(
        status: Status,
        interval: Duration,
        print: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let state = Mutex::new(State {
            status,
            finished: false,
            due: Instant::now() + interval,
            is_estimated: false,
        });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        // Without a thread there are no lines, and nothing else is lost.
        let thread =
            std::thread::Builder::new().spawn(move || own.print_until_finished(interval, print));
        Self { shared, thread: thread.ok() }
    }

    /// Changes what the next line says.
    pub fn tell(&self, change: impl FnOnce(&mut Status)) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state.status);
        if !state.is_estimated && state.status.has_several_and_one_finished() {
            state.is_estimated = true;
            state.due = Instant::now();
            self.shared.changed.notify_all();
        }
    }
}

impl Shared {
    fn print_until_finished(&self, interval: Duration, print: impl Fn(&str)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.finished {
            let now = Instant::now();
            if now < state.due {
                let left = state.due - now;
                let waited = self.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let line = state.status.line();
            // Not while holding the lock: the reader of a pipe may be slow.
            drop(state);
            print(&line);
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.due = Instant::now() + interval;
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).finished = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: lines come while a single step works and tells nothing, and end with the work; work
    /// that is done before the first is due prints none.
    #[test]
    fn a_long_step_prints_lines() {
        let printed = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&printed);
        let print = move |line: &str| sink.lock().unwrap().push(line.to_owned());
        let lines = Lines::start(Status::new(1), Duration::from_millis(10), print);
        lines.tell(|status| status.within(0, 0.0, "big.bgeo"));
        while printed.lock().unwrap().len() < 3 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(lines);
        let count = printed.lock().unwrap().len();
        assert!(printed.lock().unwrap().iter().all(|line| line.starts_with("big.bgeo, 0 %, ")));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(printed.lock().unwrap().len(), count, "the work has ended");

        let sink = Arc::clone(&printed);
        let print = move |line: &str| sink.lock().unwrap().push(line.to_owned());
        let started = Instant::now();
        drop(Lines::start(Status::new(1), Duration::from_secs(10), print));
        assert!(started.elapsed() < Duration::from_secs(5), "ending does not wait for a line");
        assert_eq!(printed.lock().unwrap().len(), count);

        let sink = Arc::clone(&printed);
        let print = move |line: &str| sink.lock().unwrap().push(line.to_owned());
        let lines = Lines::start(Status::new(9), Duration::from_secs(100), print);
        lines.tell(|status| status.finished(1, "frame 1", None));
        while printed.lock().unwrap().len() == count {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(printed.lock().unwrap()[count].starts_with("frame 1, 1 of 9 done (11 %), about "));
    }
}
