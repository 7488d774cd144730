//! Far from the world's origin single precision is too coarse for detail: 10 km away, numbers are a
//! millimetre apart. So tracking works relative to an origin near the mesh.
//!
//! # Guarantees
//! * The origin is a whole number of grid steps from the world's origin, so the grid is the same one.
//! * Within 2048 spacings of the world's origin it is that origin, and nothing is rounded.
//!
//! # Non-guarantees
//! * What comes in and goes out has the precision of its coordinates.

use std::borrow::Cow;

use glam::{DVec3, Vec3};
use whitecap_core::{Bounds, Particles};

/// Cells from one possible origin to the next; a whole number of tiles.
const STEP_IN_CELLS: f64 = 8192.0;

/// The origin that positions are relative to, in metres from the world's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LocalOrigin(pub DVec3);

impl LocalOrigin {
    /// The origin for a mesh within these bounds.
    pub fn near(bounds: Bounds, spacing: f32) -> Self {
        let step = f64::from(0.5 * spacing) * STEP_IN_CELLS;
        let origin = (bounds.center().as_dvec3() / step).round() * step;
        Self(if origin.is_finite() && !bounds.is_empty() { origin } else { DVec3::ZERO })
    }

    pub fn is_world(self) -> bool {
        self.0 == DVec3::ZERO
    }

    /// A position in the world, relative to this origin.
    pub fn local(self, position: Vec3) -> Vec3 {
        (position.as_dvec3() - self.0).as_vec3()
    }

    /// A local position, in the world.
    pub fn world(self, position: Vec3) -> Vec3 {
        (position.as_dvec3() + self.0).as_vec3()
    }

    /// Particles of the world, relative to this origin.
    pub fn particles(self, particles: &Particles) -> Cow<'_, Particles> {
        if self.is_world() {
            return Cow::Borrowed(particles);
        }
        let mut moved = particles.clone();
        for position in moved.positions_mut() {
            *position = self.local(*position);
        }
        Cow::Owned(moved)
    }
}
