//! Far from the world's origin tracking works as it does near it.

mod scenes;

use scenes::{ball, filled, particles, together, turned};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, TriMesh, Unwatched};
use whitecap_track::{TrackReport, TrackSettings, Tracker};

/// A millimetre, nearly: what numbers are apart 10 km from the origin.
const STEP: f32 = 1.0 / 1024.0;

fn rounded(p: Vec3) -> Vec3 {
    (p / STEP).round() * STEP
}

/// Two bumpy balls that meet, at positions that single precision holds 10 km away as well.
fn meeting_balls(at: Vec3, spacing: f32) -> (TriMesh, Vec<Particles>) {
    let rest = filled(spacing, Vec3::splat(0.5), |p| p.length() < 0.35);
    let frame = |away: f32| {
        let left = rest.iter().map(|&p| p - Vec3::X * away);
        let both = left.chain(rest.iter().map(|&p| p + Vec3::X * away));
        particles(both.map(|p| rounded(p) + at).collect())
    };
    let bumps = |d: Vec3| 0.01 * (9.0 * d.y).sin();
    let mut mesh = together(&[-0.56, 0.56].map(|x| ball(Vec3::X * x, 0.37, 3, bumps)));
    for position in mesh.positions_mut() {
        *position = rounded(*position) + at;
    }
    (mesh, [0.56, 0.51, 0.46, 0.41].map(frame).to_vec())
}

fn run(mesh: &TriMesh, frames: &[Particles], spacing: f32) -> (Tracker, Vec<TrackReport>) {
    let settings = TrackSettings { spacing: Some(spacing), ..TrackSettings::default() };
    let mut tracker = Tracker::new(mesh, &frames[0], settings, &Unwatched).unwrap();
    let mut reports = Vec::new();
    for pair in frames.windows(2) {
        reports.push(tracker.advance(&pair[0], &pair[1], 0.04, &Unwatched).unwrap());
    }
    (tracker, reports)
}

/// Contract: 10 km away, a whole number of grid steps, balls merge as they do at the origin: the same
/// triangles, detail and volume to the bit, and positions to the precision of numbers there.
#[test]
fn a_merge_ten_kilometres_away_has_the_bits_of_one_at_the_origin() {
    let spacing = 0.125;
    let far = Vec3::new(10_240.0, -1_024.0, -10_240.0);
    let (mesh, frames) = meeting_balls(Vec3::ZERO, spacing);
    let (near_tracker, near) = run(&mesh, &frames, spacing);
    let (mesh, frames) = meeting_balls(far, spacing);
    let (far_tracker, away) = run(&mesh, &frames, spacing);
    assert!(near.iter().any(|report| report.remeshed_cells > 0), "the balls meet");
    for (near, away) in near.iter().zip(&away) {
        assert_eq!(near.volume.to_bits(), away.volume.to_bits());
        assert_eq!(
            (near.remeshed_cells, near.flagged_cells, near.topology),
            (away.remeshed_cells, away.flagged_cells, away.topology)
        );
    }
    assert_eq!(near_tracker.detail(), far_tracker.detail());
    let (near, away) = (near_tracker.mesh(), far_tracker.mesh());
    assert_eq!(near.triangles(), away.triangles());
    for (near, away) in near.positions().iter().zip(away.positions()) {
        assert!((*away - far).distance(*near) < STEP, "{away} is not {near}");
    }
}

/// Contract: anywhere 10 km away a ball that falls and turns keeps its triangles, and its vertices are as
/// exact as the numbers of its particles.
#[test]
fn a_ball_that_turns_ten_kilometres_away_is_not_remeshed() {
    let spacing = 0.1;
    let at = Vec3::new(10_000.3, 12.0, -9_999.9);
    let rest = filled(spacing, Vec3::splat(0.6), |p| p.length() < 0.5);
    let motion = |frame: u8, p: Vec3| {
        turned(p, 0.1 * f32::from(frame), Vec3::NEG_Y * 0.05 * f32::from(frame)) + at
    };
    let at_frame = |frame: u8| particles(rest.iter().map(|&p| motion(frame, p)).collect());
    let bumps = |d: Vec3| 0.02 * (11.0 * d.y).sin() * (9.0 * d.z).cos();
    let model = ball(Vec3::ZERO, 0.52, 4, bumps);
    let mut mesh = model.clone();
    for position in mesh.positions_mut() {
        *position = motion(0, *position);
    }
    let frames: Vec<Particles> = (0..6).map(at_frame).collect();
    let (tracker, reports) = run(&mesh, &frames, spacing);
    for report in &reports {
        assert_eq!((report.remeshed_cells, report.splits, report.collapses), (0, 0, 0));
    }
    let moved = tracker.mesh();
    assert_eq!(moved.triangles(), mesh.triangles());
    for (&p, q) in model.positions().iter().zip(moved.positions()) {
        let off = q.distance(motion(5, p)) / spacing;
        assert!(off < 0.05, "a vertex is off by {off} spacings");
    }
}

/// Contract: messages have positions in the world, not relative to where tracking works.
#[test]
fn messages_ten_kilometres_away_have_positions_in_the_world() {
    let spacing = 0.125;
    let far = Vec3::new(10_240.0, -1_024.0, -10_240.0);
    let (mesh, frames) = meeting_balls(far, spacing);
    let settings = TrackSettings { spacing: Some(spacing), ..TrackSettings::default() };
    let mut tracker = Tracker::new(&mesh, &frames[0], settings, &Unwatched).unwrap();
    let mut refused = |position: Vec3| {
        let mut next = frames[1].clone();
        next.positions_mut()[7] = position;
        tracker.advance(&frames[0], &next, 0.04, &Unwatched).unwrap_err().to_string()
    };
    let flown = refused(Vec3::new(1e6, -1_024.0, -10_240.0));
    assert!(flown.contains("particle 7 at [1000000, -1024, -10240] m"), "{flown}");
    let broken = refused(Vec3::new(f32::NAN, -1_024.0, -10_240.0));
    assert!(broken.contains("particle 7") && broken.contains("-1024, -10240"), "{broken}");
}
