//! A cancelled frame changes nothing, whenever the question is asked.

mod scenes;

use std::sync::atomic::{AtomicUsize, Ordering};

use scenes::{ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, TriMesh, Unwatched, Watch};
use whitecap_track::{TrackError, TrackSettings, Tracker};

const SPACING: f32 = 0.15;

/// Says "stop" at one question only: code that asks and goes on regardless is found out.
struct StopsAt {
    asked: AtomicUsize,
    question: usize,
}

impl StopsAt {
    fn new(question: usize) -> Self {
        Self { asked: AtomicUsize::new(0), question }
    }
}

impl Watch for StopsAt {
    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) == self.question
    }
}

/// Two small balls, just before they touch and just after: φ joins them, and the mesh is matched.
fn scene() -> (TriMesh, [Particles; 2]) {
    let rest = filled(SPACING, Vec3::splat(0.5), |p| p.length() < 0.35);
    let frame = |away: f32| {
        let left = rest.iter().map(|&p| p - Vec3::X * away);
        particles(left.chain(rest.iter().map(|&p| p + Vec3::X * away)).collect())
    };
    let bumps = |d: Vec3| 0.01 * (9.0 * d.y).sin();
    let bodies = [-0.56, 0.56].map(|x| ball(Vec3::X * x, 0.37, 3, bumps));
    (together(&bodies), [frame(0.56), frame(0.49)])
}

fn settings() -> TrackSettings {
    TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() }
}

/// Contract: cancelled at the n-th question, for every n, a frame ends with `Cancelled` and leaves the
/// state to the bit; made again it has the bits of a frame that was never cancelled. So does the start.
#[test]
fn cancelling_at_any_question_changes_nothing() {
    let (mesh, frames) = scene();
    // One thread: questions come in one order.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let counting = StopsAt::new(usize::MAX);
        let fresh = Tracker::new(&mesh, &frames[0], settings(), &counting).unwrap();
        let questions = counting.asked.into_inner();
        for question in 0..questions {
            let watch = StopsAt::new(question);
            let outcome = Tracker::new(&mesh, &frames[0], settings(), &watch);
            assert!(matches!(outcome, Err(TrackError::Cancelled)), "start, question {question}");
        }

        let counting = StopsAt::new(usize::MAX);
        let mut whole = fresh.clone();
        let report = whole.advance(&frames[0], &frames[1], 0.04, &counting).unwrap();
        let questions = counting.asked.into_inner();
        assert!(report.flagged_cells > 0 && report.remeshed_cells > 0, "{report:?}");
        assert!(report.rebuilt_components == 0 && questions > 20, "{questions}: {report:?}");
        let (before, after) = (fresh.save(), whole.save());
        let mut tracker = fresh.clone();
        for question in 0..questions {
            let watch = StopsAt::new(question);
            let outcome = tracker.advance(&frames[0], &frames[1], 0.04, &watch);
            assert!(matches!(outcome, Err(TrackError::Cancelled)), "question {question}");
            assert!(tracker.save() == before, "question {question} of {questions} left its mark");
        }
        tracker.advance(&frames[0], &frames[1], 0.04, &Unwatched).unwrap();
        assert!(tracker.save() == after, "the frame made after all");
    });
}
