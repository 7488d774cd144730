//! Both solvers keep what they promise about compression.

mod sph_scenes;

use sph_scenes::dam;
use whitecap_bulk::sph::{Liquid, PressureMethod, SphSettings};
use whitecap_core::glam::Vec3;
use whitecap_core::kernels::{CubicSpline, Kernel};
use whitecap_core::{Column, Unwatched};

/// Contract: at the end of every step of a dam break, the front that strikes the wall included, no
/// particle is denser than the solver promises, and the densities that the liquid reports are
/// those of its positions.
#[test]
fn no_step_of_a_dam_break_ends_compressed() {
    for (pressure, promise) in [(PressureMethod::Pcisph, 0.01), (PressureMethod::Dfsph, 0.02)] {
        let settings = SphSettings { spacing: 0.5 / 16.0, pressure, ..SphSettings::default() };
        let mut liquid = dam(settings.clone());
        let mut settling = 0;
        for _ in 0..25 {
            let report = liquid.step_frame(0.04, &Unwatched).unwrap();
            for step in &report.steps {
                let excess = step.largest_density - 1.0;
                assert!(excess <= promise + 1e-5, "{pressure:?}: {excess} at {} s", step.time);
                assert!((2..=settings.most_iterations).contains(&step.compression.count));
                settling += step.settling;
            }
        }
        assert!(settling > 0, "nothing had to be corrected: the scene is too tame");
        check_densities(&liquid, &settings);
    }
}

/// Compares the densities that the liquid reports, away from walls, with sums over all particles.
fn check_densities(liquid: &Liquid, settings: &SphSettings) {
    let given = liquid.particles().unwrap();
    let Some(Column::F32(densities)) = given.attribute("density") else { panic!("no density") };
    let support = settings.support * settings.spacing;
    let kernel = CubicSpline::new(support);
    let inner = |p: &Vec3| {
        p.cmpgt(Vec3::splat(support)).all() && p.cmplt(Vec3::new(1.5, 1.0, 0.5) - support).all()
    };
    let mut compared = 0;
    for (position, density) in given.positions().iter().zip(densities) {
        if inner(position) {
            let weights =
                given.positions().iter().map(|p| kernel.value(p.distance_squared(*position)));
            let counted = liquid.particle_mass() * weights.sum::<f32>();
            let difference = (density - counted).abs() / settings.rest_density;
            assert!(difference < 1e-3, "{density} given, {counted} counted");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
