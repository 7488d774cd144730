//! A step of a particle liquid: `cargo bench -p whitecap-bulk`.

use divan::Bencher;
use whitecap_bulk::sph::{Liquid, PressureMethod, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};
use whitecap_scene::shape::BoxShape;

fn main() {
    divan::main();
}

/// One step of a dam break of 13 800 particles, a tenth of a second after it broke.
#[divan::bench(args = [PressureMethod::Dfsph, PressureMethod::Pcisph], max_time = 4)]
fn step_of_a_dam(bencher: Bencher, pressure: PressureMethod) {
    const STEP: f64 = 0.001;
    let settings = SphSettings {
        spacing: 0.5 / 24.0,
        pressure,
        domain: Some(BoxShape { min: [0.0; 3], max: [1.5, 1.0, 0.5] }),
        ..SphSettings::default()
    };
    let volume = Volume::Box { min: Vec3::ZERO, max: Vec3::splat(0.5) };
    let positions = lattice_points(volume, settings.spacing).unwrap();
    let mut liquid = Liquid::new(settings.clone()).unwrap();
    liquid.add(&positions, &vec![Vec3::ZERO; positions.len()]).unwrap();
    liquid.step_frame(0.1, &Unwatched).unwrap();
    let state = liquid.save();
    bencher
        .with_inputs(|| {
            // The first step after restoring a state builds what later steps reuse.
            let mut liquid = Liquid::new(settings.clone()).unwrap();
            liquid.restore(&state).unwrap();
            liquid.step_frame(STEP, &Unwatched).unwrap();
            liquid
        })
        .bench_local_values(|mut liquid| {
            let report = liquid.step_frame(STEP, &Unwatched).unwrap();
            assert_eq!(report.steps.len(), 1);
            liquid
        });
}
