//! Contract: liquids behave the same in millimetres, in metres and in kilometres, and far from the origin. In
//! a splash, where two liquids meet, there are points and waves, nothing is infinite, the number of points is
//! that of the metre to 1 %, and their spacing is as even. In a pool with ripples, which is not chaotic, the
//! heights too, in coarse lengths, are those of the metre: to a thousandth at the origin, and to a tenth (the
//! largest to a quarter) so far away that particles are rounded to a thousandth of their distance.

mod points_scenes;

use points_scenes::{SPACING, ball, block, counted, rippled};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_waves::dynamics::{Dispersion, DynamicsSettings};
use whitecap_waves::points::PointSettings;
use whitecap_waves::{Surroundings, WaveFrame, WaveSettings, Waves};

const COARSE: f32 = 2.0 * SPACING;
const FRAME: f32 = 0.04;
const FRAMES: usize = 16;

/// Runs a liquid, of which the particles at each frame are given, in a unit of length of `scale`, with the
/// origin moved.
fn run(liquid: &dyn Fn(usize) -> Vec<Vec3>, scale: f32, origin: Vec3) -> WaveFrame {
    let points = PointSettings {
        coarse: Some(scale * COARSE),
        fine: Some(scale * COARSE / 4.0),
        ..PointSettings::default()
    };
    // On water, waves of different lengths have different speeds; that is not tested here.
    let dynamics = DynamicsSettings { dispersion: Dispersion::None, ..DynamicsSettings::default() };
    let mut waves = Waves::new(WaveSettings { points, dynamics }, FRAME.into()).unwrap();
    let mut last = WaveFrame::default();
    for frame in 0..FRAMES {
        let positions = liquid(frame).into_iter().map(|p| scale * p + origin);
        let particles = counted(positions.collect());
        last = waves.step(&particles, Surroundings::default(), &Unwatched).unwrap();
    }
    last
}

/// A ball falls into a pool.
fn splash(frame: usize) -> Vec<Vec3> {
    let fall = FRAME * frame as f32 * Vec3::Y;
    let drop = ball(Vec3::new(0.33, 0.75, 0.33), 0.15);
    let pool = block(Vec3::ZERO, [14, 5, 14]);
    pool.into_iter().chain(drop.into_iter().map(|p| p - fall)).collect()
}

/// The root mean square height and the largest one, in coarse lengths.
fn heights(frame: &WaveFrame, scale: f32) -> [f32; 2] {
    [frame.report.mean_height, frame.report.largest_height].map(|height| height / (scale * COARSE))
}

/// Compares a liquid of one metre at the origin with others.
fn compare(liquid: &dyn Fn(usize) -> Vec<Vec3>, check: impl Fn(&str, bool, [f32; 2], [f32; 2])) {
    let expected = run(liquid, 1.0, Vec3::ZERO);
    let right = heights(&expected, 1.0);
    let far = Vec3::new(1000.0, -1000.0, 500.0);
    for (scale, origin) in
        [(1e-3, Vec3::ZERO), (1e3, Vec3::ZERO), (1.0, far), (1e-3, 1e-3 * far), (1e3, 1e3 * far)]
    {
        let found = run(liquid, scale, origin);
        let case = format!("scale {scale}, origin {origin}");
        assert!(found.points.position.iter().all(|p| p.is_finite()), "{case}");
        assert!(found.waves.displaced_position.iter().all(|p| p.is_finite()), "{case}");
        let share = found.points.len() as f32 / expected.points.len() as f32;
        assert!((share - 1.0).abs() < 0.01, "{case}: {share} of the points");
        let (spacing, even) = (found.report.points.spacing, expected.report.points.spacing);
        assert!((spacing.mean - even.mean).abs() < 0.01, "{case}: {spacing:?}, {even:?}");
        assert!((spacing.deviation - even.deviation).abs() < 0.01, "{case}: {spacing:?}");
        check(&case, origin != Vec3::ZERO, right, heights(&found, scale));
    }
}

#[test]
fn a_splash_is_even_at_every_scale_and_place() {
    compare(&splash, |case, _, right, found| {
        for [mean, largest] in [right, found] {
            assert!(mean > 1e-3 && largest > 0.02, "{case}: there are waves: {mean}, {largest}");
        }
    });
}

#[test]
fn ripples_are_the_same_at_every_scale_and_place() {
    compare(&|frame| rippled(FRAME * frame as f32), |case, is_far, right, found| {
        assert!(right[0] > 1e-3, "{case}: there are waves: {right:?}");
        let most = if is_far { [0.1, 0.25] } else { [1e-3; 2] };
        for k in 0..2 {
            assert!((found[k] / right[k] - 1.0).abs() < most[k], "{case}: {found:?}, {right:?}");
        }
    });
}
