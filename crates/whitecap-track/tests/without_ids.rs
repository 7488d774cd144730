//! Particles without ids, or with ids that do not stay the same.

mod scenes;

use scenes::{assert_closed, ball, filled, noise, turned};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_track::{MatchedBy, TrackError, TrackSettings, Tracker};

const SPACING: f32 = 0.1;
const DURATION: f32 = 1.0 / 24.0;

fn motion(time: f32, p: Vec3) -> Vec3 {
    turned(p, 6.0 * time, Vec3::NEG_Y * (1.0 + 4.9 * time) * time)
}

/// A ball that falls and turns, its particles in another order in every frame.
fn frame(number: u32, with_velocities: bool) -> Particles {
    let rest = filled(SPACING, Vec3::splat(0.6), |p| p.length() < 0.5);
    let seed = |i: usize| u64::from(number) * 100_000 + i as u64;
    let mut order: Vec<usize> = (0..rest.len()).collect();
    order.sort_by(|&a, &b| noise(seed(a)).total_cmp(&noise(seed(b))).then(a.cmp(&b)));
    let time = number as f32 * DURATION;
    let at = |time: f32| order.iter().map(|&i| motion(time, rest[i])).collect::<Vec<_>>();
    let mut particles = Particles::new(at(time));
    if with_velocities {
        let (low, high) = (at(time - 0.001), at(time + 0.001));
        let velocity = low.iter().zip(&high).map(|(&a, &b)| (b - a) / 0.002).collect();
        particles.set_attribute("velocity", Column::Vec3(velocity)).unwrap();
    }
    particles
}

fn tracker(first: &Particles) -> Tracker {
    let bumps = |d: Vec3| 0.02 * (11.0 * d.y).sin() * (9.0 * d.z).cos();
    let mesh = ball(Vec3::ZERO, 0.52, 4, bumps);
    let settings = TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() };
    Tracker::new(&mesh, first, settings, &Unwatched).unwrap()
}

/// Contract: particles without ids whose order changes in every frame carry the mesh as well as
/// particles with ids, if they have velocities.
#[test]
fn particles_that_change_order_every_frame_are_matched_by_position() {
    let frames: Vec<Particles> = (0..6).map(|number| frame(number, true)).collect();
    let mut tracker = tracker(&frames[0]);
    let model = tracker.mesh();
    for pair in frames.windows(2) {
        let report = tracker.advance(&pair[0], &pair[1], DURATION, &Unwatched).unwrap();
        assert_eq!((report.matched_by, report.remeshed_cells), (MatchedBy::Position, 0));
    }
    let moved = tracker.mesh();
    assert_closed(&moved, "after six frames");
    assert_eq!(moved.triangles(), model.triangles());
    for (&p, q) in model.positions().iter().zip(moved.positions()) {
        let off = q.distance(motion(5.0 * DURATION, p)) / SPACING;
        assert!(off < 0.1, "a vertex is off by {off} spacings");
    }
}

/// Contract: if positions do not tell which particle is which either, the frame is refused with a sentence
/// that says what to write, and the tracker stays as it was.
#[test]
fn particles_that_cannot_be_matched_are_refused() {
    let (first, second) = (frame(5, false), frame(6, false));
    let mut tracker = tracker(&frame(0, false));
    let before = tracker.save();
    let error = tracker.advance(&first, &second, DURATION, &Unwatched).unwrap_err();
    assert!(matches!(error, TrackError::Unmatched { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("write an `id` column") && text.contains("same integer"), "{text}");
    assert!(tracker.save() == before);
}
