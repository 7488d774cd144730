//! Contract: the mesh encloses the volume of the particles, their number times the cube of their spacing, to
//! two per cent in every frame and with default settings: while the liquid is stretched, bursts
//! into lumps, draws apart, and loses particles. Keeping the volume leaves detail as it is, and the report says
//! what was done.

mod scenes;

use std::f64::consts::PI;

use scenes::{assert_closed, ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{TriMesh, Unwatched};
use whitecap_track::{TrackReport, TrackSettings, Tracker};

const SPACING: f32 = 0.1;
const DURATION: f32 = 1.0 / 24.0;

/// Particles of a ball around the origin.
fn filled_ball(radius: f32) -> Vec<Vec3> {
    filled(SPACING, Vec3::splat(radius + SPACING), |p| p.length() < radius)
}

/// The volume of so many particles, whatever any mesh encloses.
fn volume_of(count: usize) -> f64 {
    count as f64 * f64::from(SPACING).powi(3)
}

/// A bumpy ball with the volume of so many particles.
fn bumpy_ball(center: Vec3, count: usize) -> TriMesh {
    let radius = (volume_of(count) * 3.0 / (4.0 * PI)).cbrt() as f32;
    let mesh = ball(center, radius, 4, |d| 0.02 * (11.0 * d.y).sin() * (9.0 * d.z).cos());
    assert_volume(&mesh, count, 0.005, "the first mesh");
    mesh
}

/// Fails unless the mesh is closed and has the volume of so many particles.
fn assert_volume(mesh: &TriMesh, count: usize, most: f64, when: &str) {
    let found = assert_closed(mesh, when).volume;
    let off = found / volume_of(count) - 1.0;
    assert!(off.abs() < most, "{when}: {found} m³, off by {:.2} %", 100.0 * off);
}

/// Tracks a ball whose particles are at `place(frame, rest)`, with the volume checked in every frame.
fn track_ball(rest: &[Vec3], frames: u8, place: impl Fn(f32, Vec3) -> Vec3) -> Vec<TrackReport> {
    let at = |frame: u8| particles(rest.iter().map(|&p| place(f32::from(frame), p)).collect());
    let mesh = bumpy_ball(Vec3::ZERO, rest.len());
    let mut tracker = Tracker::new(&mesh, &at(0), TrackSettings::default(), &Unwatched).unwrap();
    let advance = |frame| {
        let report = tracker.advance(&at(frame - 1), &at(frame), DURATION, &Unwatched).unwrap();
        assert_volume(&tracker.mesh(), rest.len(), 0.02, &format!("frame {frame}"));
        let limit = 0.25 * tracker.spacing();
        assert!(report.volume_offset.abs() <= limit, "{}", report.volume_offset);
        report
    };
    (1..=frames).map(advance).collect()
}

/// Contract: a ball that is stretched to less than half its thickness keeps its volume; φ alone, a fixed
/// distance outside the particles, would enclose too little, as the distance says by which it was moved.
#[test]
fn a_ball_that_is_stretched() {
    let stretched = |frame: f32, p: Vec3| {
        let long = (0.1 * frame).exp();
        p * Vec3::new(long, long.recip(), 1.0)
    };
    let reports = track_ball(&filled_ball(0.5), 8, stretched);
    let moved = reports[7].volume_offset - reports[0].volume_offset;
    assert!(moved > 0.05 * SPACING, "φ was moved by {moved} m only");
}

/// Contract: a ball that bursts into lumps of a few particles within a frame, so that all of its surface
/// is rebuilt, keeps its volume in that frame.
#[test]
fn a_ball_that_bursts() {
    let burst = |frame: f32, p: Vec3| {
        let lump = (p / (3.0 * SPACING)).round() * 3.0 * SPACING;
        p + lump * (0.4 * frame)
    };
    let reports = track_ball(&filled_ball(0.4), 1, burst);
    assert!(reports[0].topology.components > 20, "{:?}", reports[0].topology);
    assert!(reports[0].remeshed_share > 0.9, "hardly anything was rebuilt");
}

/// Contract: while φ is moved by less than a quarter of a spacing, no limit is reported.
#[test]
fn a_ball_whose_particles_draw_apart() {
    let reports = track_ball(&filled_ball(0.6), 3, |frame, p| p * (1.0 + 0.02 * frame));
    assert!(reports.iter().all(|report| !report.volume_limited));
}

/// Contract: where φ would have to be moved farther than a quarter of a spacing, the report says so.
#[test]
fn a_limit_that_is_reached_is_reported() {
    let rest = filled_ball(0.6);
    let at = |scale: f32| particles(rest.iter().map(|&p| p * scale).collect());
    let mesh = bumpy_ball(Vec3::ZERO, rest.len());
    let mut tracker = Tracker::new(&mesh, &at(1.0), TrackSettings::default(), &Unwatched).unwrap();
    let report = tracker.advance(&at(1.0), &at(1.12), DURATION, &Unwatched).unwrap();
    assert!(report.volume_limited, "{}", report.volume_offset);
}

/// Contract: when one of two balls loses all its particles, the mesh around both loses its volume.
#[test]
fn particles_that_vanish_take_their_volume_along() {
    let rest = filled_ball(0.5);
    let apart = Vec3::X;
    let both: Vec<Vec3> =
        rest.iter().map(|&p| p - apart).chain(rest.iter().map(|&p| p + apart)).collect();
    let (before, after) = (particles(both.clone()), particles(both[..rest.len()].to_vec()));
    let mesh = together(&[bumpy_ball(-apart, rest.len()), bumpy_ball(apart, rest.len())]);
    let mut tracker = Tracker::new(&mesh, &before, TrackSettings::default(), &Unwatched).unwrap();
    let report = tracker.advance(&before, &after, DURATION, &Unwatched).unwrap();
    assert_volume(&tracker.mesh(), rest.len(), 0.02, "one ball left");
    let told = report.particle_volume.unwrap();
    assert!((told / volume_of(rest.len()) - 1.0).abs() < 0.005, "{told}");
}

/// Contract: the correction moves vertices, but not their distance from φ: as long as the triangles stay
/// as they are, so does every bit of detail. The report's volumes and self-intersections are those of the mesh.
#[test]
fn detail_is_left_alone_and_the_report_is_right() {
    let rest = filled_ball(0.6);
    let at = |scale: f32| particles(rest.iter().map(|&p| p * scale).collect());
    let mesh = bumpy_ball(Vec3::ZERO, rest.len());
    let mut tracker = Tracker::new(&mesh, &at(1.0), TrackSettings::default(), &Unwatched).unwrap();
    let before = tracker.detail().to_vec();
    let report = tracker.advance(&at(1.0), &at(1.01), DURATION, &Unwatched).unwrap();
    assert_eq!(report.splits + report.collapses + report.flips + report.remeshed_cells, 0);
    assert!(tracker.detail() == before, "detail changed");
    // φ grows by a hundredth of the radius, and is moved back by as much.
    let mut still = Tracker::new(&mesh, &at(1.0), TrackSettings::default(), &Unwatched).unwrap();
    let at_rest = still.advance(&at(1.0), &at(1.0), DURATION, &Unwatched).unwrap();
    let moved = at_rest.volume_offset - report.volume_offset;
    assert!((0.004..0.008).contains(&moved), "moved back by {moved} m of 0.006 m");
    let now = tracker.mesh();
    assert_eq!(report.self_intersections, whitecap_surface::self_intersections(&now));
    assert!((report.volume / whitecap_surface::volume(&now) - 1.0).abs() < 1e-5);
    assert!((report.particle_volume.unwrap() / volume_of(rest.len()) - 1.0).abs() < 0.005);
}
