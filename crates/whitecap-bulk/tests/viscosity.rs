//! Viscosity from water to honey.

mod sph_scenes;

use sph_scenes::{add_ball, box_of_water};
use whitecap_bulk::sph::{Liquid, SphSettings, ViscosityMethod};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};
use whitecap_scene::shape::BoxShape;

/// Contract: the shear in a block of liquid decays at the same rate with the explicit and the
/// implicit method, and about as fast as the diffusion equation says. The kernel is wide: with the
/// usual support a regular lattice, which no flowing liquid is, shears too easily.
#[test]
fn explicit_and_implicit_shear_decay_alike() {
    let (spacing, height) = (0.025, 0.4f32);
    let shear_left = |viscosity_method| {
        let settings = SphSettings {
            spacing,
            support: 3.0,
            gravity: [0.0; 3],
            viscosity: 10.0,
            viscosity_method,
            time_step: Some(0.005),
            ..SphSettings::default()
        };
        let max = Vec3::new(0.5, height, 0.5);
        let positions = lattice_points(Volume::Box { min: Vec3::ZERO, max }, spacing).unwrap();
        // Free surfaces carry no stress: a cosine over the height keeps its shape.
        let shape = |p: &Vec3| (std::f32::consts::PI * p.y / height).cos();
        let velocities: Vec<Vec3> = positions.iter().map(|p| Vec3::X * 0.2 * shape(p)).collect();
        let mut liquid = Liquid::new(settings).unwrap();
        liquid.add(&positions, &velocities).unwrap();
        liquid.step_frame(0.5, &Unwatched).unwrap();
        let particles = liquid.particles().unwrap();
        // Away from the sides, where neighbours are missing.
        let inside = |p: &Vec3| (p.x - 0.25).abs() < 0.12 && (p.z - 0.25).abs() < 0.12;
        let velocities = particles.velocities().unwrap();
        let inner = particles.positions().iter().zip(velocities).filter(|(p, _)| inside(p));
        let (sum, squares) = inner.fold((0.0, 0.0), |(sum, squares), (p, v)| {
            (sum + v.x * shape(p), squares + 0.2 * shape(p).powi(2))
        });
        sum / squares
    };
    let explicit = shear_left(ViscosityMethod::Explicit);
    let implicit = shear_left(ViscosityMethod::Implicit);
    let expected = (-0.01 * (std::f32::consts::PI / height).powi(2) * 0.5).exp();
    assert!((explicit / implicit - 1.0).abs() < 0.01, "{explicit} and {implicit}");
    assert!((implicit / expected - 1.0).abs() < 0.1, "{implicit}, expected {expected}");
}

/// Contract: honey, 10 Pa·s, is stable at steps as long as a frame of a twenty-fourth of a second,
/// and a heap of it comes to rest.
#[test]
fn honey_is_stable_at_frame_sized_steps() {
    let settings = SphSettings {
        spacing: 0.02,
        viscosity: 10.0,
        viscosity_method: ViscosityMethod::Implicit,
        friction: 10.0,
        time_step: Some(1.0 / 24.0),
        domain: Some(BoxShape { min: [0.0; 3], max: [0.4; 3] }),
        ..SphSettings::default()
    };
    let mut liquid = box_of_water(settings, Vec3::new(0.1, 0.0, 0.1), Vec3::new(0.3, 0.15, 0.3));
    let mut last = 0.0;
    for _ in 0..48 {
        let report = liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap();
        let fastest = report.steps.iter().map(|step| step.largest_speed).fold(0.0, f32::max);
        assert!(fastest < 1.5, "{fastest} m/s");
        assert!(report.steps.iter().all(|step| step.viscosity_iterations < 200));
        last = report.kinetic_energy;
    }
    assert!(last < 1e-2, "{last} J are left");
}

/// Contract: viscosity removes energy from a tumbling ball and never adds any.
#[test]
fn viscosity_only_takes_energy() {
    for viscosity_method in [ViscosityMethod::Explicit, ViscosityMethod::Implicit] {
        let settings = SphSettings {
            spacing: 0.02,
            gravity: [0.0; 3],
            viscosity: 5.0,
            viscosity_method,
            ..SphSettings::default()
        };
        let mut liquid = Liquid::new(settings).unwrap();
        add_ball(&mut liquid, 0.02, Vec3::new(-0.09, 0.03, 0.0), 0.08, Vec3::X);
        add_ball(&mut liquid, 0.02, Vec3::new(0.09, 0.0, 0.0), 0.08, -Vec3::X);
        let mut before = liquid.kinetic_energy();
        for _ in 0..10 {
            let after = liquid.step_frame(0.02, &Unwatched).unwrap().kinetic_energy;
            assert!(after <= before * (1.0 + 1e-4), "{after} J after {before} J");
            before = after;
        }
    }
}
