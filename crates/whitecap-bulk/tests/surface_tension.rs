//! Surface tension pulls drops together.

mod sph_scenes;

use whitecap_bulk::sph::{Liquid, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};

fn weightless_drop(half_edges: Vec3) -> Liquid {
    let settings = SphSettings {
        spacing: 0.001,
        gravity: [0.0; 3],
        surface_tension: 0.072,
        viscosity: 0.005,
        ..SphSettings::default()
    };
    let volume = Volume::Box { min: -half_edges, max: half_edges };
    let positions = lattice_points(volume, settings.spacing).unwrap();
    let mut liquid = Liquid::new(settings).unwrap();
    liquid.add(&positions, &vec![Vec3::ZERO; positions.len()]).unwrap();
    liquid
}

/// The fourth-order moment that distinguishes a cube from a ball: −0.126 for a cube along the axes, 0 for a
/// ball.
fn cubeness(liquid: &Liquid) -> f32 {
    let positions = liquid.positions();
    let of_axes: f32 = positions.iter().map(|p| (p * p).dot(p * p)).sum();
    let of_radius: f32 = positions.iter().map(|p| p.length_squared().powi(2)).sum();
    of_axes / of_radius - 0.6
}

/// How far the liquid reaches towards a corner of the cube, as a share of how far it reaches along x.
fn roundness(liquid: &Liquid) -> f32 {
    let reach = |direction: Vec3| {
        let along = liquid.positions().iter().map(|p| p.dot(direction));
        along.fold(0.0, f32::max)
    };
    reach(Vec3::ONE.normalize()) / reach(Vec3::X)
}

/// Contract: a cube of water without gravity becomes round, and keeps its momentum.
#[test]
fn cube_becomes_a_ball() {
    let mut liquid = weightless_drop(Vec3::splat(0.006));
    assert!(cubeness(&liquid) < -0.12, "{}", cubeness(&liquid));
    assert!(roundness(&liquid) > 1.6);
    // At 0.1 s the drop is stretched towards its former faces; the oscillation has died down at 0.4 s.
    liquid.step_frame(0.4, &Unwatched).unwrap();
    assert!(cubeness(&liquid).abs() < 0.03, "{}", cubeness(&liquid));
    assert!(roundness(&liquid) < 1.15, "corners are at {} radii", roundness(&liquid));
    let sum: Vec3 = liquid.particles().unwrap().velocities().unwrap().iter().sum();
    assert!(sum.length() / (liquid.len() as f32) < 1e-5, "{sum}");
}
