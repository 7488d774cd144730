//! Contract: particle values arrive at the points: a uniform value unchanged, a value on one half as one
//! half with a soft border two coarse lengths wide, NaN as zero; particles that flew off do not shift the
//! values.

mod points_scenes;

use points_scenes::{SPACING, block, counted};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_waves::points::{PointSettings, SurfaceTracker};
use whitecap_waves::{Surroundings, WaveError, WaveSettings, Waves};

const COARSE: f32 = 2.0 * SPACING;

#[test]
fn particles_paint_the_points_around_them() {
    let mut places = block(Vec3::ZERO, [24, 6, 12]);
    // It comes first, so that everything after it would be off by one.
    places.insert(0, Vec3::splat(1e9));
    let particles = counted(places.clone());
    let settings = PointSettings { coarse: Some(COARSE), ..PointSettings::default() };
    let mut tracker = SurfaceTracker::new(settings).unwrap();
    tracker.step(&particles, 0.04, &Unwatched).unwrap();
    let points = &tracker.points().position;
    assert!(points.len() > 1000);

    let even = tracker.averages(&particles, &vec![0.7; places.len()]);
    assert_eq!(even.len(), points.len());
    assert!(even.iter().all(|value| (value - 0.7).abs() < 1e-5));

    let middle = 11.5 * SPACING;
    let half: Vec<f32> = places.iter().map(|p| if p.x < middle { 1.0 } else { f32::NAN }).collect();
    for (point, value) in points.iter().zip(tracker.averages(&particles, &half)) {
        let beside = point.x - middle;
        assert!((0.0..=1.0).contains(&value), "{value} at {point}");
        assert!(beside > -2.2 * COARSE || value > 0.9999, "{value} at {point}");
        assert!(beside < 2.2 * COARSE || value == 0.0, "{value} at {point}");
    }
}

/// Contract: a mask for another number of particles is refused, and the waves stay as they were.
#[test]
fn a_mask_of_another_length_is_refused() {
    let particles = counted(block(Vec3::ZERO, [6; 3]));
    let mut waves = Waves::new(WaveSettings::default(), 0.04).unwrap();
    let surroundings = Surroundings { painted_particles: Some(&[1.0]), ..Surroundings::default() };
    let error = waves.step(&particles, surroundings, &Unwatched).unwrap_err();
    assert_eq!(error, WaveError::Paint { found: 1, particles: 216 });
    assert_eq!(waves.frames(), 0);
}
