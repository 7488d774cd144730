//! Solids as smoke meets them: a face that lies in the surface of a solid is closed.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use crate::mac::solids::Obstacles;
use crate::surroundings::Surroundings;

/// How much thicker solids are, as a share of how far from the origin they are: more than rounding.
const THICKNESS: f32 = 1e-6;

/// Surroundings, thicker by rounding: walls along faces close them, although rounding may put them on either
/// side.
pub(super) struct Touching<'a>(pub(super) &'a Surroundings);

impl Obstacles for Touching<'_> {
    fn distance(&self, position: Vec3) -> f32 {
        self.0.distance(position) - THICKNESS * (1.0 + position.abs().max_element())
    }

    fn velocity(&self, position: Vec3) -> Vec3 {
        self.0.velocity(position)
    }

    fn may_move(&self, bounds: &Bounds) -> bool {
        self.0.may_move(bounds)
    }
}
