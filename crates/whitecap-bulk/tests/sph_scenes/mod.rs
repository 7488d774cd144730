//! Small liquids that several tests start from.

use whitecap_bulk::sph::{Liquid, SphSettings};
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};
use whitecap_scene::shape::BoxShape;

/// A box of water from `min` to `max`, at rest.
#[allow(dead_code)]
pub fn box_of_water(settings: SphSettings, min: Vec3, max: Vec3) -> Liquid {
    let positions = lattice_points(Volume::Box { min, max }, settings.spacing).unwrap();
    let mut liquid = Liquid::new(settings).unwrap();
    liquid.add(&positions, &vec![Vec3::ZERO; positions.len()]).unwrap();
    liquid
}

/// A cube of water of half a metre that collapses in a box of 1.5 × 1 × 0.5 m.
#[allow(dead_code)]
pub fn dam(settings: SphSettings) -> Liquid {
    let domain = Some(BoxShape { min: [0.0; 3], max: [1.5, 1.0, 0.5] });
    box_of_water(SphSettings { domain, ..settings }, Vec3::ZERO, Vec3::splat(0.5))
}

/// A ball of water with a velocity.
#[allow(dead_code)]
pub fn add_ball(liquid: &mut Liquid, spacing: f32, center: Vec3, radius: f32, velocity: Vec3) {
    let positions = lattice_points(Volume::Sphere { center, radius }, spacing).unwrap();
    liquid.add(&positions, &vec![velocity; positions.len()]).unwrap();
}
