//! Liquids whose surface is hit directly, without a mesh: implicit functions of particles and
//! distance fields (after Morgenroth 2021, §3.4).
//!
//! Space is cut into blocks about as wide as the particle spacing. Before the first ray, blocks that cannot
//! contain the surface, outside the liquid and deep inside it, are excluded (`blocks`); a ray visits only the
//! others, front to back. In a block it marches in steps of a quarter of the spacing, watches value and slope
//! for a change of sign, including one that is undone within a step, and refines the position by a Newton
//! iteration that cannot leave its bracket (`march`).
//!
//! # Guarantees
//! * The function is evaluated exactly at every step: no grid value enters a hit.
//! * Rays may start anywhere; surfaces are hit from outside and from inside.
//! * Positions at a ray's time are p + v·t; parts of the liquid may merge or separate within the
//!   shutter.
//!
//! # Non-guarantees
//! * The bounds of the density and of blobs follow from the curvature of their kernels. Those of the
//!   averaged and the stretched functions assume that these change no faster than a distance does; a
//!   bubble smaller than half a spacing inside the liquid could be missed.
//! * Zhu–Bridson creates spurious surfaces midway between separate particles, some thinner than a
//!   step; rays may miss them.

mod beside_walls;
pub(crate) mod blocks;
mod error;
mod field;
mod level_set;
pub(crate) mod march;
mod particles;
mod settings;
pub(crate) mod sides;

use glam::Vec3;

pub(crate) use beside_walls::Walls;
pub use error::LiquidError;
pub use level_set::LevelSetLiquid;
pub(crate) use level_set::smooth_gradient;
pub use particles::ParticleLiquid;
pub use settings::{LiquidMethod, LiquidSettings, Shutter};

use crate::{Hit, Ray, Shape};
use blocks::BlockGrid;
#[doc(hidden)]
pub use blocks::nearby::ListBox;
use march::Crossing;
use sides::Sides;

/// Returns the value at a point beside a piece of a ray, from the distance along the piece and the
/// point.
#[doc(hidden)]
pub type Ask<'a> = dyn FnMut(f32, Vec3) -> f32 + 'a;

/// A search for a crossing that evaluates values beside a piece of a ray.
#[doc(hidden)]
pub type March<'a> = dyn FnMut(&mut Ask) -> Option<Crossing> + 'a;

/// A piece of a ray beside which a liquid is evaluated.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Row of the particles near it, from [`LiquidField::lists_around`].
    pub row: u32,
    /// Where it begins and ends on the ray.
    pub range: (f32, f32),
    /// Evaluated points are near the piece moved by minus this,
    pub shift: Vec3,
    /// and no farther from it, in m.
    pub margin: f32,
}

/// A liquid as a function of space and time that is negative inside.
///
/// Where a thin wall divides the liquid, points on its two sides see different particles; `facing`
/// is a vector away from the wall, or zero if there is no wall.
pub trait LiquidField: Shape {
    /// The function at a point at a moment of the shutter, and its gradient. Away from the surface only
    /// the sign of the value means something, and the gradient is zero.
    fn sample(&self, point: Vec3, time: f32, facing: Vec3) -> (f32, Vec3);

    /// The function at a point at a moment of the shutter.
    fn value(&self, point: Vec3, time: f32, facing: Vec3) -> f32 {
        self.sample(point, time, facing).0
    }

    /// Size of the finest detail of the surface, in m: the particle spacing, or two cells.
    fn spacing(&self) -> f32;

    /// How far from the edge of the liquid its surface is bent by missing neighbours, in m.
    fn edge_width(&self) -> f32;

    /// Whether a crossing at a point counts; the inner edge of a layer of blind particles does not.
    fn counts(&self, _point: Vec3, _time: f32, _facing: Vec3) -> bool {
        true
    }

    /// Whether the two sides of thin walls see different particles.
    #[doc(hidden)]
    fn has_sides(&self) -> bool {
        false
    }

    /// Where the surface can be.
    #[doc(hidden)]
    fn blocks_of_surface(&self) -> &BlockGrid;

    /// The first crossing inside one block.
    #[doc(hidden)]
    fn cross(&self, ray: &Ray, state: u32, facing: Vec3, range: (f32, f32)) -> Option<Crossing>;

    /// Prepares lists of the particles that reach boxes, and returns the row of the first.
    #[doc(hidden)]
    fn lists_around(&mut self, boxes: &[ListBox], sides: Option<&dyn Sides>) -> u32 {
        let _ = (boxes, sides);
        0
    }

    /// Calls `run` with a fast way to evaluate many points beside a piece of a ray: it takes the
    /// distance along the piece and the point.
    #[doc(hidden)]
    fn ask_beside(&self, ray: &Ray, beside: &Beside, run: &mut March) -> Option<Crossing> {
        let _ = beside;
        run(&mut |_, point| self.value(point, ray.time, Vec3::ZERO))
    }

    /// The hit to report for a crossing at a distance along the ray, with the normal along the
    /// gradient.
    #[doc(hidden)]
    fn describe(&self, ray: &Ray, distance: f32, facing: Vec3) -> Hit;
}
