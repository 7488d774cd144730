//! A staggered velocity grid: each component lives on the faces it crosses (Harlow and Welch
//! 1965), so that the divergence of a cell is exactly what flows through its six faces.
//!
//! # Guarantees
//! * Sampling reproduces linear velocity fields away from the outermost half cell, and the
//!   divergence of a linear field is exact to rounding.
//! * Sampling is defined everywhere: beyond the faces of a component it keeps the border value.

use glam::{UVec3, Vec3};

use crate::{Bounds, DenseGrid, Lattice};

/// Velocity on the faces of a box of cells, in metres per second.
#[derive(Clone, Debug, PartialEq)]
pub struct MacGrid {
    lattice: Lattice,
    cells: UVec3,
    faces: [DenseGrid<f32>; 3],
}

impl MacGrid {
    /// A grid of `cells` cells at rest. Node (i, j, k) of `lattice` is the low corner of cell
    /// (i, j, k).
    ///
    /// # Panics
    /// If an axis has no cell.
    pub fn new(lattice: Lattice, cells: UVec3) -> Self {
        Self::from_fn(lattice, cells, |_| Vec3::ZERO)
    }

    /// A grid that takes each face's component from `velocity(position of the face's middle)`.
    ///
    /// # Panics
    /// If an axis has no cell.
    pub fn from_fn(lattice: Lattice, cells: UVec3, velocity: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        assert!(cells.min_element() > 0, "a staggered grid of {cells} cells has none on some axis");
        let faces = std::array::from_fn(|axis| {
            let half = 0.5 * lattice.cell * (Vec3::ONE - Vec3::AXES[axis]);
            let middles = Lattice { origin: lattice.origin + half, cell: lattice.cell };
            DenseGrid::from_fn(middles, cells + UVec3::AXES[axis], |face| {
                velocity(middles.position(face.as_ivec3()))[axis]
            })
        });
        Self { lattice, cells, faces }
    }

    /// The lattice of cell corners.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// Number of cells on each axis.
    pub fn cells(&self) -> UVec3 {
        self.cells
    }

    /// The box the cells fill.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.lattice.origin, self.lattice.position(self.cells.as_ivec3()))
    }

    /// Velocity component `axis` (0, 1, 2) on its faces: face (i, j, k) is the low side of cell
    /// (i, j, k), and there is one more face than cells along `axis`.
    pub fn faces(&self, axis: usize) -> &DenseGrid<f32> {
        &self.faces[axis]
    }

    /// The faces of one axis, to be changed in place.
    pub fn faces_mut(&mut self, axis: usize) -> &mut DenseGrid<f32> {
        &mut self.faces[axis]
    }

    /// Velocity at a world position, each component trilinear in its own faces.
    pub fn sample(&self, position: Vec3) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|axis| self.faces[axis].sample(position)))
    }

    /// Outflow of a cell per volume, per second.
    ///
    /// # Panics
    /// If the cell is outside the grid.
    pub fn divergence(&self, cell: UVec3) -> f32 {
        let outflow = |axis: usize| {
            self.faces[axis].get(cell + UVec3::AXES[axis]) - self.faces[axis].get(cell)
        };
        (outflow(0) + outflow(1) + outflow(2)) / self.lattice.cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Mat3;

    /// Contract: a linear velocity field is sampled exactly half a cell inside the box, and its
    /// divergence in every cell is the trace of its matrix.
    #[test]
    fn linear_fields_are_reproduced_with_their_divergence() {
        let slope = Mat3::from_cols_array(&[1.0, -0.5, 2.0, 0.25, 3.0, -1.0, 0.5, 1.5, -2.5]);
        let offset = Vec3::new(1.0, -2.0, 0.5);
        let field = |p: Vec3| slope * p + offset;
        let lattice = Lattice { origin: Vec3::new(-1.0, 0.5, 2.0), cell: 0.25 };
        let grid = MacGrid::from_fn(lattice, UVec3::new(6, 5, 4), field);
        let inner = grid.bounds().grown(-0.5 * lattice.cell);
        for step in 0..500 {
            let t = Vec3::new(0.819, 0.671, 0.5497) * step as f32;
            let p = inner.min + (t - t.floor()) * inner.size();
            assert!((grid.sample(p) - field(p)).length() < 1e-5, "{p}");
        }
        for place in 0..6 * 5 * 4 {
            let cell = UVec3::new(place % 6, place / 6 % 5, place / 30);
            assert!((grid.divergence(cell) - 1.5).abs() < 1e-4, "{cell}");
        }
    }

    /// Contract: there is one more face than cells along the face's own axis, and every face's
    /// middle lies in the box.
    #[test]
    fn faces_surround_the_cells() {
        let grid = MacGrid::new(Lattice::at_origin(0.5), UVec3::new(2, 3, 4));
        assert_eq!(grid.bounds(), Bounds::new(Vec3::ZERO, Vec3::new(1.0, 1.5, 2.0)));
        for axis in 0..3 {
            assert_eq!(grid.faces(axis).dims(), UVec3::new(2, 3, 4) + UVec3::AXES[axis]);
            let inner = grid.faces(axis).bounds();
            assert!(grid.bounds().contains(inner.min) && grid.bounds().contains(inner.max));
            assert_eq!(inner.min[axis], 0.0);
        }
    }
}
