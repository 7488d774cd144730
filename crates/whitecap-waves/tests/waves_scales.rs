//! Contract: a splash behaves the same in millimetres, in metres and in kilometres, and far from the
//! origin: there are points and waves, nothing is infinite, the number of points is that of the metre to
//! 1 %, their spacing is as even, and the heights, in coarse lengths, are those of the metre to a tenth.

mod points_scenes;

use points_scenes::{SPACING, ball, block, counted};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_waves::dynamics::{Dispersion, DynamicsSettings};
use whitecap_waves::points::PointSettings;
use whitecap_waves::{Surroundings, WaveFrame, WaveSettings, Waves};

const COARSE: f32 = 2.0 * SPACING;

/// A ball falls into a pool, in a unit of length of `scale`, with the origin moved.
fn splash(scale: f32, origin: Vec3) -> WaveFrame {
    let points = PointSettings {
        coarse: Some(scale * COARSE),
        fine: Some(scale * COARSE / 4.0),
        ..PointSettings::default()
    };
    // On water waves of another length have another speed; that is not what is looked at here.
    let dynamics = DynamicsSettings { dispersion: Dispersion::None, ..DynamicsSettings::default() };
    let mut waves = Waves::new(WaveSettings { points, dynamics }, 0.04).unwrap();
    let pool = block(Vec3::ZERO, [14, 5, 14]);
    let drop = ball(Vec3::new(0.33, 0.75, 0.33), 0.15);
    let mut last = WaveFrame::default();
    for frame in 0..16 {
        let fall = 0.04 * frame as f32 * Vec3::Y;
        let positions = pool.iter().copied().chain(drop.iter().map(|p| p - fall));
        let particles = counted(positions.map(|p| scale * p + origin).collect());
        last = waves.step(&particles, Surroundings::default(), &Unwatched).unwrap();
    }
    last
}

/// The root mean square height and the largest one, in coarse lengths.
fn heights(frame: &WaveFrame, scale: f32) -> [f32; 2] {
    [frame.report.mean_height, frame.report.largest_height].map(|height| height / (scale * COARSE))
}

#[test]
fn a_splash_is_the_same_at_every_scale_and_place() {
    let expected = splash(1.0, Vec3::ZERO);
    let [mean, largest] = heights(&expected, 1.0);
    assert!(mean > 1e-3 && largest > 0.02, "there are waves: {mean}, {largest}");
    let far = Vec3::new(1000.0, -1000.0, 500.0);
    for (scale, origin) in
        [(1e-3, Vec3::ZERO), (1e3, Vec3::ZERO), (1.0, far), (1e-3, 1e-3 * far), (1e3, 1e3 * far)]
    {
        let found = splash(scale, origin);
        let told = format!("scale {scale}, origin {origin}");
        assert!(found.points.position.iter().all(|p| p.is_finite()), "{told}");
        assert!(found.waves.displaced_position.iter().all(|p| p.is_finite()), "{told}");
        let share = found.points.len() as f32 / expected.points.len() as f32;
        assert!((share - 1.0).abs() < 0.01, "{told}: {share} of the points");
        let (spacing, even) = (found.report.points.spacing, expected.report.points.spacing);
        assert!((spacing.mean - even.mean).abs() < 0.01, "{told}: {spacing:?}, {even:?}");
        assert!((spacing.deviation - even.deviation).abs() < 0.01, "{told}: {spacing:?}");
        let [mean_found, largest_found] = heights(&found, scale);
        assert!((mean_found / mean - 1.0).abs() < 0.1, "{told}: mean {mean_found}, {mean}");
        assert!((largest_found / largest - 1.0).abs() < 0.25, "{told}: {largest_found}, {largest}");
    }
}
