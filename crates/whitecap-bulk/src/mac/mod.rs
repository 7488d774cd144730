//! Operators on staggered grids (Harlow and Welch 1965), each usable alone: liquids and smoke are put
//! together from them.
//!
//! Cells are cubes. Everything lives on sparse tiles of 8³ cells:
//! * what belongs to a cell (distance, pressure, density) is a `SparseGrid<f32>` on [`MacLattice::centers`];
//! * what belongs to faces (velocity, fractions) is a `SparseGrid<Vec3>` on [`MacLattice::corners`]: component
//!   a of a node is the value in the middle of the low face of that cell on axis a.
//!
//! # Guarantees
//! The same input gives the same bits for any number of threads.

pub mod advection;
pub(crate) mod around;
pub mod cell_order;
pub mod extrapolation;
pub mod face_block;
pub mod faces;
mod parabola;
pub mod pressure;
pub mod solids;
pub mod transport;
pub mod viscosity;

use whitecap_core::Lattice;
use whitecap_core::glam::{IVec3, Vec3};

/// The steps from a cell, or a tile, to the 27 around it and itself: x fastest.
#[inline]
pub(crate) fn step_around(slot: usize) -> IVec3 {
    let slot = slot as i32;
    IVec3::new(slot % 3, slot / 3 % 3, slot / 9) - 1
}

/// Where the cells of a staggered grid are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacLattice {
    /// The low corners of the cells.
    pub corners: Lattice,
}

impl MacLattice {
    /// Cells of this size, one of which has its low corner at the origin.
    pub fn at_origin(cell: f32) -> Self {
        Self { corners: Lattice::at_origin(cell) }
    }

    /// Edge of a cell, in m.
    #[inline]
    pub fn cell(&self) -> f32 {
        self.corners.cell
    }

    /// The middles of the cells.
    #[inline]
    pub fn centers(&self) -> Lattice {
        self.moved(Vec3::splat(0.5))
    }

    /// The middles of the low faces on an axis.
    #[inline]
    pub fn face_centers(&self, axis: usize) -> Lattice {
        self.moved(Self::face_offset(axis))
    }

    /// From the low corner of a cell to the middle of its low face on an axis, in cells.
    #[inline]
    pub fn face_offset(axis: usize) -> Vec3 {
        0.5 * (Vec3::ONE - Vec3::AXES[axis])
    }

    /// The cell that holds a position.
    #[inline]
    pub fn cell_of(&self, position: Vec3) -> IVec3 {
        self.corners.locate(position).0
    }

    fn moved(&self, by: Vec3) -> Lattice {
        let Lattice { origin, cell } = self.corners;
        Lattice { origin: origin + by * cell, cell }
    }
}
