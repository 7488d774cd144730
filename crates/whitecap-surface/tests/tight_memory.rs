//! Refusals under a memory limit, which is one for the whole process: one test only.

use whitecap_core::budget::{self, ALWAYS_GRANTED};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched};
use whitecap_surface::{Error, SurfaceSettings, implicit_field};

/// Contract: a field whose coarse pass is small but whose fine pass is not is refused between the two.
#[test]
fn the_fine_pass_asks_too() {
    let sheet = (0..160 * 160).map(|i| Vec3::new((i % 160) as f32, 0.0, (i / 160) as f32) * 2.0);
    let particles = Particles::new(sheet.collect());
    let settings =
        SurfaceSettings { radius: Some(1.0), cell: Some(0.25), ..SurfaceSettings::default() };
    budget::set_memory_limit(Some(1));
    let coarse = SurfaceSettings { cell: Some(0.5), ..settings.clone() };
    assert!(implicit_field(&particles, &coarse, &Unwatched).is_ok());
    match implicit_field(&particles, &settings, &Unwatched) {
        Err(Error::OverBudget(refused)) => assert!(refused.needed > ALWAYS_GRANTED, "{refused}"),
        other => panic!("{other:?}"),
    }
}
