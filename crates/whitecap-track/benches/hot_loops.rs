//! A frame of tracking: `cargo bench -p whitecap-track`.

#[path = "../tests/scenes/mod.rs"]
mod scenes;

use divan::Bencher;
use scenes::{ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched};
use whitecap_track::{TrackSettings, Tracker};

fn main() {
    divan::main();
}

const SPACING: f32 = 0.06;

/// Two knurled balls of 41 000 triangles and 8000 particles in all, whose centres are this far from
/// the origin.
fn balls(away: f32) -> (Particles, Tracker) {
    let rest = filled(SPACING, Vec3::splat(0.7), |p| p.length() < 0.6);
    let knurls = |d: Vec3| 0.02 * (20.0 * d.x).sin() * (20.0 * d.y).sin();
    let sides = [-Vec3::X * away, Vec3::X * away];
    let mesh = together(&sides.map(|center| ball(center, 0.63, 5, knurls)));
    let places = sides.iter().flat_map(|&side| rest.iter().map(move |&p| p + side));
    let liquid = particles(places.collect());
    let settings = TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() };
    let tracker = Tracker::new(&mesh, &liquid, settings, &Unwatched).unwrap();
    (liquid, tracker)
}

/// The balls approach by `step` in one frame.
fn frame(bencher: Bencher, away: f32, step: f32, remeshes: bool) {
    let (before, tracker) = balls(away);
    let nearer = |p: &Vec3| *p - Vec3::X * step * p.x.signum();
    let after = particles(before.positions().iter().map(nearer).collect());
    bencher.with_inputs(|| tracker.clone()).bench_local_values(|mut tracker| {
        let report = tracker.advance(&before, &after, 0.04, &Unwatched).unwrap();
        assert_eq!(report.remeshed_cells > 0, remeshes);
        tracker
    });
}

/// Only positions change.
#[divan::bench(max_time = 4)]
fn frame_without_change_of_topology(bencher: Bencher) {
    frame(bencher, 1.0, 0.02, false);
}

/// The balls meet.
#[divan::bench(max_time = 4)]
fn frame_in_which_balls_merge(bencher: Bencher) {
    frame(bencher, 0.65, 0.05, true);
}
