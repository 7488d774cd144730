//! The front of a breaking dam moves as it did in the experiments of Martin & Moyce 1952.

mod martin_moyce;
mod sph_scenes;

use martin_moyce::MEASURED;
use sph_scenes::box_of_water;
use whitecap_bulk::sph::SphSettings;
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::shape::BoxShape;

/// Contract: up to T = 3 the front is within 8 % of the measured one. The front is the position that a
/// hundredth of the liquid has passed: at a spacing of a/20 the tip of the sheet is thinner than a
/// particle. A little friction stands for that of the channel.
#[test]
fn front_is_where_martin_and_moyce_saw_it() {
    let width = 0.05715;
    let spacing = width / 20.0;
    let depth = 8.0 * spacing;
    let settings = SphSettings {
        spacing,
        friction: 0.1,
        domain: Some(BoxShape { min: [0.0; 3], max: [6.0 * width, 3.0 * width, depth] }),
        ..SphSettings::default()
    };
    let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(width, 2.0 * width, depth));
    let unit = (0.5 * f64::from(width) / 9.81).sqrt();
    for (time, expected) in MEASURED {
        let duration = f64::from(time) * unit - liquid.time();
        liquid.step_frame(duration, &Unwatched).unwrap();
        let mut x: Vec<f32> = liquid.positions().iter().map(|p| p.x).collect();
        x.sort_by(|a, b| b.total_cmp(a));
        let front = (x[x.len() / 100] + 0.5 * spacing) / width;
        assert!((front / expected - 1.0).abs() < 0.08, "T {time}: {front}, measured {expected}");
    }
}
