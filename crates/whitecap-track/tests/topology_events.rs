//! Merging, parting and closing: the mesh takes the topology of the coarse surface.

mod scenes;

use scenes::{assert_closed, filled, particles, surfaced};
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_core::{Particles, TriMesh, Unwatched};
use whitecap_track::{TrackReport, TrackSettings, Tracker};

const SPACING: f32 = 0.1;

fn settings() -> TrackSettings {
    TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() }
}

/// Tracks the surface of the first frame through the others; in every frame the mesh must be
/// closed.
fn track(frames: &[Particles]) -> Vec<TrackReport> {
    let mesh: TriMesh = surfaced(&frames[0], SPACING, settings().support);
    let mut tracker = Tracker::new(&mesh, &frames[0], settings(), &Unwatched).unwrap();
    let mut reports = Vec::new();
    for (number, pair) in frames.windows(2).enumerate() {
        let report = tracker.advance(&pair[0], &pair[1], 0.04, &Unwatched).unwrap();
        let found = assert_closed(&tracker.mesh(), &format!("frame {}", number + 1));
        assert_eq!(found.components, report.topology.components);
        assert_eq!(found.euler_characteristic, report.topology.euler_characteristic);
        reports.push(report);
    }
    reports
}

/// Fails where the mesh has another topology than φ for more than two frames on end, or another
/// volume by more than a hundredth.
fn assert_follows(reports: &[TrackReport]) {
    let mut late = 0;
    for (number, report) in reports.iter().enumerate() {
        late = if report.topology == report.coarse_topology { 0 } else { late + 1 };
        assert!(late <= 2, "frame {}: {report:?}", number + 1);
        let off = (report.volume / report.coarse_volume - 1.0).abs();
        assert!(off < 0.01, "frame {}: the volume is off by {off}: {report:?}", number + 1);
        assert_eq!(report.rebuilt_components, 0, "frame {}", number + 1);
        let reach = settings().jump * SPACING;
        assert!(report.largest_jump <= reach, "frame {} pops: {report:?}", number + 1);
    }
}

fn topology(report: &TrackReport) -> (usize, i64) {
    (report.topology.components, report.topology.euler_characteristic)
}

/// Contract: two balls that are pushed into each other become one part within two frames of φ.
#[test]
fn two_balls_merge() {
    let rest = filled(SPACING, Vec3::splat(0.7), |p| p.length() < 0.6);
    let frame = |number: usize| {
        let away = Vec3::X * (0.75 - 0.02 * number as f32);
        let left = rest.iter().map(|&p| p - away);
        particles(left.chain(rest.iter().map(|&p| p + away)).collect())
    };
    let reports = track(&(0..16).map(frame).collect::<Vec<_>>());
    assert_follows(&reports);
    assert_eq!((topology(&reports[0]), topology(&reports[14])), ((2, 4), (1, 2)));
}

/// Contract: a dumb-bell whose halves are drawn apart parts within two frames of φ, into its halves
/// and the drops of its neck.
#[test]
fn a_dumb_bell_parts() {
    let inside = |p: Vec3| {
        let bells = Vec3::new(p.x.abs() - 0.7, p.y, p.z).length() < 0.45;
        bells || (p.x.abs() < 0.7 && Vec2::new(p.y, p.z).length() < 0.16)
    };
    let rest = filled(SPACING, Vec3::new(1.2, 0.6, 0.6), inside);
    let frame = |number: usize| {
        let stretch = 0.03 * number as f32;
        let moved = |p: &Vec3| *p + Vec3::X * stretch * (4.0 * p.x).clamp(-1.0, 1.0);
        particles(rest.iter().map(moved).collect())
    };
    let reports = track(&(0..20).map(frame).collect::<Vec<_>>());
    assert_follows(&reports);
    assert_eq!(topology(&reports[0]), (1, 2));
    assert!(topology(&reports[18]).0 >= 2);
}

/// Contract: a ball with a hole through it, whose liquid flows inwards, closes: a handle goes.
#[test]
fn a_ball_with_a_hole_closes() {
    let across = |p: Vec3| Vec2::new(p.x, p.z).length();
    let rest = filled(SPACING, Vec3::splat(0.9), |p| p.length() < 0.8 && across(p) > 0.35);
    let frame = |number: usize| {
        let inwards = 0.02 * number as f32;
        let moved = |p: &Vec3| {
            let out = Vec3::new(p.x, 0.0, p.z).normalize_or_zero();
            *p - out * inwards.min(across(*p) - 0.02)
        };
        particles(rest.iter().map(moved).collect())
    };
    let reports = track(&(0..16).map(frame).collect::<Vec<_>>());
    assert_follows(&reports);
    assert_eq!((topology(&reports[0]), topology(&reports[14])), ((1, 0), (1, 2)));
}
