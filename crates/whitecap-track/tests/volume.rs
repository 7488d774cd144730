//! The volume of the liquid is kept.

mod scenes;

use scenes::{assert_closed, ball, filled, particles};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_track::{TrackSettings, Tracker};

const SPACING: f32 = 0.1;

/// Contract: a bumpy ball that is pressed flat without a change of volume keeps its volume, to two per
/// cent in every frame, at 24 frames per second and with default settings, although φ stays half a
/// spacing outside of particles that are closer together; the report has the volume of the particles, how far φ
/// was moved, and the number of self-intersections, which is right.
#[test]
fn a_bumpy_ball_that_is_pressed_flat_keeps_its_volume() {
    let rest = filled(SPACING, Vec3::splat(0.7), |p| p.length() < 0.6);
    let flat = |frame: u8| 1.0 - 0.07 * f32::from(frame);
    let pressed = |frame: u8, p: Vec3| {
        let wide = flat(frame).sqrt().recip();
        p * Vec3::new(wide, flat(frame), wide)
    };
    let at = |frame: u8| particles(rest.iter().map(|&p| pressed(frame, p)).collect());
    let bumps = |d: Vec3| 0.02 * (11.0 * d.y).sin() * (9.0 * d.z).cos();
    let mesh = ball(Vec3::ZERO, 0.62, 4, bumps);
    let mut tracker = Tracker::new(&mesh, &at(0), TrackSettings::default(), &Unwatched).unwrap();
    let expected = whitecap_surface::volume(&mesh);
    let mut grown = 0.0f64;
    let mut first_offset = None;
    for frame in 1..=8 {
        let report = tracker.advance(&at(frame - 1), &at(frame), 1.0 / 24.0, &Unwatched).unwrap();
        let found = assert_closed(&tracker.mesh(), "pressed");
        assert!((report.particle_volume.unwrap() / expected - 1.0).abs() < 1e-6);
        let off = found.volume / expected - 1.0;
        println!("frame {frame}: {off:.4}, offset {}", report.volume_offset / SPACING);
        assert!(off.abs() < 0.02, "frame {frame}: the volume is off by {off}");
        let crossing = whitecap_surface::self_intersections(&tracker.mesh());
        assert_eq!(report.self_intersections, crossing);
        let moved = report.volume_offset - *first_offset.get_or_insert(report.volume_offset);
        grown = grown.max(f64::from(-moved) * found.area / expected);
    }
    assert!(grown > 0.03, "without a correction it would have grown by {grown} only");
}
