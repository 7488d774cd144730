//! Input that cannot be used gives an error message, never a panic, and leaves the state as it was.

mod points_scenes;

use points_scenes::{ball, counted, with_ids};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched, Watch};
use whitecap_waves::points::{PointError, PointSettings};
use whitecap_waves::{Surroundings, WaveError, WaveFrame, WaveSettings, Waves};

fn settings(coarse: Option<f32>, fine: Option<f32>) -> WaveSettings {
    let points = PointSettings { coarse, fine, first_rounds: 4, ..PointSettings::default() };
    WaveSettings { points, ..WaveSettings::default() }
}

fn waves(coarse: Option<f32>) -> Waves {
    Waves::new(settings(coarse, None), 0.04).unwrap()
}

fn step(waves: &mut Waves, particles: &Particles) -> Result<WaveFrame, WaveError> {
    waves.step(particles, Surroundings::default(), &Unwatched)
}

fn drop() -> Vec<Vec3> {
    ball(Vec3::ONE, 0.1)
}

/// Contract: no particles give no points, whether or not the scale is known; liquid may come later.
#[test]
fn no_particles_are_no_error() {
    for coarse in [None, Some(0.1)] {
        let mut waves = waves(coarse);
        for _ in 0..2 {
            assert!(step(&mut waves, &counted(Vec::new())).unwrap().points.is_empty());
        }
        assert!(!step(&mut waves, &counted(drop())).unwrap().points.is_empty());
        assert!(step(&mut waves, &counted(Vec::new())).unwrap().points.is_empty());
    }
}

/// Contract: one particle is a drop if the coarse length is known, and an error that asks for it if
/// not; so are many particles at one position.
#[test]
fn one_particle_needs_a_coarse_length() {
    let one = counted(vec![Vec3::ONE]);
    assert!(step(&mut waves(Some(0.1)), &one).unwrap().points.len() > 50);
    let mut unknown = waves(None);
    for particles in [one, counted(vec![Vec3::ONE; 7])] {
        let error = step(&mut unknown, &particles).unwrap_err();
        assert!(matches!(error, WaveError::Points(PointError::CoarseUnknown { .. })));
        assert!(error.to_string().contains("set `coarse`"), "{error}");
    }
}

/// Contract: a fine spacing that is not below the coarse length, or far below it, is refused when
/// the waves are made, or at the first frame if the coarse length comes from the particles.
#[test]
fn scales_must_go_together() {
    for fine in [0.1, 0.2, 1e-4] {
        let error = Waves::new(settings(Some(0.1), Some(fine)), 0.04).unwrap_err();
        assert!(error.to_string().contains("must lie between"), "{error}");
    }
    let mut late = Waves::new(settings(None, Some(0.5)), 0.04).unwrap();
    let error = step(&mut late, &counted(drop())).unwrap_err();
    assert!(matches!(error, WaveError::Points(PointError::Lengths { .. })), "{error}");
    for duration in [0.0, -1.0, f64::NAN] {
        assert!(Waves::new(WaveSettings::default(), duration).is_err());
    }
    assert!(Waves::new(settings(Some(f32::NAN), None), 0.04).is_err());
}

/// Contract: duplicate ids, NaN positions and places beyond single precision are reported with their
/// index; the next frame continues as if they had not been there.
#[test]
fn broken_particles_are_named_and_forgotten() {
    let mut waves = waves(Some(0.1));
    let mut undisturbed = waves.clone();
    let good = counted(drop());
    step(&mut waves, &good).unwrap();
    step(&mut undisturbed, &good).unwrap();

    let mut ids: Vec<i32> = (0..drop().len() as i32).collect();
    ids[7] = 3;
    let error = step(&mut waves, &with_ids(drop(), ids)).unwrap_err();
    assert!(error.to_string().contains("particles 3 and 7 have the same id, 3"), "{error}");

    let mut positions = drop();
    positions[5].y = f32::NAN;
    let error = step(&mut waves, &counted(positions)).unwrap_err();
    assert!(error.to_string().contains("particle 5"), "{error}");

    let mut positions = drop();
    positions[6].x = 1e9;
    let error = step(&mut waves, &counted(positions)).unwrap_err();
    assert!(error.to_string().contains("particle 6"), "{error}");

    step(&mut waves, &good).unwrap();
    step(&mut undisturbed, &good).unwrap();
    assert!(waves.save() == undisturbed.save());
}

/// Contract: a few particles that flew off are left out, which the report mentions; the rest is as without
/// them.
#[test]
fn particles_that_flew_off_are_left_out() {
    let liquid = ball(Vec3::ONE, 0.2);
    let mut with_stray = liquid.clone();
    with_stray.push(Vec3::new(1e12, 0.0, -3.0));
    let expected = step(&mut waves(Some(0.1)), &counted(liquid)).unwrap();
    let found = step(&mut waves(Some(0.1)), &counted(with_stray)).unwrap();
    assert_eq!(found.points, expected.points);
    assert!(found.report.points.notes.iter().any(|note| note.contains("left out")));
}

struct Impatient;

impl Watch for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Contract: a cancelled frame is an error of its own kind and changes nothing.
#[test]
fn cancelling_changes_nothing() {
    let mut waves = waves(Some(0.1));
    step(&mut waves, &counted(drop())).unwrap();
    let before = waves.save();
    let result = waves.step(&counted(drop()), Surroundings::default(), &Impatient);
    assert_eq!(result.unwrap_err(), WaveError::Cancelled);
    assert!(waves.save() == before);
}

/// Contract: a `fine` spacing at which the points would not fit into memory is refused before they are made,
/// with the setting to change.
#[test]
fn a_fine_spacing_for_more_points_than_memory_is_refused() {
    let apart = |i: i32| Vec3::new((i % 40) as f32, (i / 40 % 40) as f32, (i / 1600) as f32);
    let drops = counted((0..64_000).map(apart).collect());
    let mut waves = Waves::new(settings(Some(0.1), Some(0.1 / 64.0)), 0.04).unwrap();
    match step(&mut waves, &drops) {
        Err(WaveError::Points(PointError::OverBudget(refused))) => {
            assert!(refused.to_string().contains("`fine`"), "{refused}");
        }
        other => panic!("{:?}", other.map(|frame| frame.points.len())),
    }
    assert_eq!((waves.frames(), waves.lengths()), (0, None));
}
