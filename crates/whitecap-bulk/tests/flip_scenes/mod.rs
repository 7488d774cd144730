//! Scenes of grid liquids that several tests share.

#![allow(dead_code, reason = "each test takes what it needs")]

use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Filling, Volume};

/// A liquid that fills a box.
pub fn box_of_water(settings: FlipSettings, min: Vec3, max: Vec3) -> FlipLiquid {
    filled(settings, Volume::Box { min, max }, Vec3::ZERO)
}

/// A liquid that fills a volume.
pub fn filled(settings: FlipSettings, volume: Volume<'_>, velocity: Vec3) -> FlipLiquid {
    let mut filling = Filling::new(settings.spacing, &[]).unwrap();
    let mut liquid = FlipLiquid::new(settings).unwrap();
    filling.add(volume, velocity, &|place| liquid.clearance(place)).unwrap();
    liquid.add(filling.positions(), filling.velocities()).unwrap();
    liquid
}
