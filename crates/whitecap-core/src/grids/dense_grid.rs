//! `DenseGrid<T>`: values on a box of lattice nodes, every one stored, x fastest.
//!
//! # Guarantees
//! * At least one node on every axis; sampling is defined everywhere: beyond the box it gives
//!   the value of the nearest point of the box.
//! * Trilinear sampling reproduces linear functions.
//!
//! # Non-guarantees
//! * Memory follows the box. Where only a surface matters use [`crate::SparseGrid`].

use std::ops::{Add, Mul};

use glam::{DVec3, UVec3, Vec3};
use rayon::prelude::*;

use crate::{Bounds, Lattice};

/// Values on the nodes (0, 0, 0) to `dims` − 1 of a lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseGrid<T> {
    lattice: Lattice,
    dims: UVec3,
    values: Vec<T>,
}

/// A cell, its eight corners as indices into the value list, and a position inside it.
struct Located {
    corners: [usize; 8],
    inside: Vec3,
    /// 1 on axes where the position was inside the box and the box is not flat, else 0.
    varies: Vec3,
}

impl<T: Copy + Send + Sync> DenseGrid<T> {
    /// A grid filled with one value.
    ///
    /// # Panics
    /// If an axis has no node, or the number of nodes exceeds the address range.
    pub fn new(lattice: Lattice, dims: UVec3, value: T) -> Self {
        Self { lattice, dims, values: vec![value; node_count(dims)] }
    }

    /// A grid of `value(node)`, computed in parallel.
    ///
    /// # Panics
    /// As [`DenseGrid::new`].
    pub fn from_fn(lattice: Lattice, dims: UVec3, value: impl Fn(UVec3) -> T + Sync) -> Self {
        let values = (0..node_count(dims))
            .into_par_iter()
            .map(|place| value(node_at(dims, place)))
            .collect();
        Self { lattice, dims, values }
    }

    /// The lattice the nodes live on.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// Number of nodes on each axis.
    pub fn dims(&self) -> UVec3 {
        self.dims
    }

    /// The box from the first node to the last.
    pub fn bounds(&self) -> Bounds {
        let last = self.lattice.position((self.dims - 1).as_ivec3());
        Bounds::new(self.lattice.origin, last)
    }

    /// All values, x fastest.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Index of a node in the value list.
    ///
    /// # Panics
    /// In builds with debug assertions, if the node is outside the grid.
    #[inline]
    pub fn place(&self, node: UVec3) -> usize {
        debug_assert!(node.cmplt(self.dims).all(), "node {node} of a grid of {}", self.dims);
        let (x, y) = (self.dims.x as usize, self.dims.y as usize);
        (node.z as usize * y + node.y as usize) * x + node.x as usize
    }

    /// The node at an index of the value list.
    #[inline]
    pub fn node(&self, place: usize) -> UVec3 {
        node_at(self.dims, place)
    }

    /// The value at a node.
    ///
    /// # Panics
    /// If the node is outside the grid.
    #[inline]
    pub fn get(&self, node: UVec3) -> T {
        self.values[self.place(node)]
    }

    /// Sets the value at a node.
    ///
    /// # Panics
    /// If the node is outside the grid.
    #[inline]
    pub fn set(&mut self, node: UVec3, value: T) {
        let place = self.place(node);
        self.values[place] = value;
    }

    fn locate(&self, position: Vec3) -> Located {
        let last = (self.dims - 1).as_dvec3();
        let cells = self.lattice.to_cells(position);
        let clamped = cells.max(DVec3::ZERO).min(last);
        let base = clamped.as_uvec3().min(self.dims.saturating_sub(UVec3::splat(2)));
        let inside = (clamped - base.as_dvec3()).as_vec3();
        let varies = cells.cmpge(DVec3::ZERO) & cells.cmple(last) & last.cmpgt(DVec3::ZERO);
        let varies = Vec3::select(varies, Vec3::ONE, Vec3::ZERO);
        let next = (base + 1).min(self.dims - 1);
        let corners = std::array::from_fn(|corner| {
            let pick =
                |bit: usize, low: u32, high: u32| if corner >> bit & 1 == 0 { low } else { high };
            self.place(UVec3::new(
                pick(0, base.x, next.x),
                pick(1, base.y, next.y),
                pick(2, base.z, next.z),
            ))
        });
        Located { corners, inside, varies }
    }
}

impl<T> DenseGrid<T>
where
    T: Copy + Send + Sync + Add<Output = T> + Mul<f32, Output = T>,
{
    /// Trilinear interpolation at a world position.
    pub fn sample(&self, position: Vec3) -> T {
        let Located { corners, inside: t, .. } = self.locate(position);
        let mix = |a: T, b: T, s: f32| a * (1.0 - s) + b * s;
        let along_x = |corner: usize| {
            mix(self.values[corners[corner]], self.values[corners[corner + 1]], t.x)
        };
        mix(mix(along_x(0), along_x(2), t.y), mix(along_x(4), along_x(6), t.y), t.z)
    }
}

impl DenseGrid<f32> {
    /// Trilinear value and its gradient (per metre); the gradient has no component along an axis
    /// on which the position is beyond the box.
    pub fn sample_with_gradient(&self, position: Vec3) -> (f32, Vec3) {
        let Located { corners, inside: t, varies } = self.locate(position);
        let c = corners.map(|corner| self.values[corner]);
        let mix = |a: f32, b: f32, s: f32| a * (1.0 - s) + b * s;
        let x = [0, 2, 4, 6].map(|corner| mix(c[corner], c[corner + 1], t.x));
        let y = [mix(x[0], x[1], t.y), mix(x[2], x[3], t.y)];
        let slope_x =
            mix(mix(c[1] - c[0], c[3] - c[2], t.y), mix(c[5] - c[4], c[7] - c[6], t.y), t.z);
        let slope = Vec3::new(slope_x, mix(x[1] - x[0], x[3] - x[2], t.z), y[1] - y[0]);
        (mix(y[0], y[1], t.z), slope * varies / self.lattice.cell)
    }
}

fn node_at(dims: UVec3, place: usize) -> UVec3 {
    let (x, y) = (dims.x as usize, dims.y as usize);
    UVec3::new((place % x) as u32, (place / x % y) as u32, (place / x / y) as u32)
}

fn node_count(dims: UVec3) -> usize {
    assert!(dims.min_element() > 0, "a dense grid of {dims} nodes has none on some axis");
    (dims.x as usize)
        .checked_mul(dims.y as usize)
        .and_then(|layer| layer.checked_mul(dims.z as usize))
        .expect("the node count of a dense grid fits the address range")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: sampling reproduces a linear function and its gradient inside the box, and
    /// holds the border value outside.
    #[test]
    fn linear_functions_are_reproduced() {
        let lattice = Lattice { origin: Vec3::new(0.25, -1.0, 2.0), cell: 0.5 };
        let plane = |p: Vec3| 2.0 * p.x - 3.0 * p.y + 0.5 * p.z + 1.0;
        let dims = UVec3::new(5, 4, 3);
        let grid =
            DenseGrid::from_fn(lattice, dims, |node| plane(lattice.position(node.as_ivec3())));
        let bounds = grid.bounds();
        for step in 0..500 {
            let t = Vec3::new(0.819, 0.671, 0.5497) * step as f32;
            let p = bounds.min + (t - t.floor()) * bounds.size();
            let (value, gradient) = grid.sample_with_gradient(p);
            assert!((value - plane(p)).abs() < 1e-5 && (grid.sample(p) - value).abs() < 1e-5);
            assert!((gradient - Vec3::new(2.0, -3.0, 0.5)).length() < 1e-4);
        }
        let beyond = bounds.max + Vec3::new(3.0, 0.0, 0.0);
        let (value, gradient) = grid.sample_with_gradient(beyond);
        assert_eq!(value, plane(bounds.max));
        assert_eq!(gradient.x, 0.0);
    }

    /// Contract: nodes and indices correspond one to one, x fastest.
    #[test]
    fn places_run_along_x_first() {
        let grid = DenseGrid::from_fn(Lattice::at_origin(1.0), UVec3::new(3, 4, 5), |node| node);
        for (place, &node) in grid.values().iter().enumerate() {
            assert_eq!((grid.place(node), grid.node(place)), (place, node));
        }
        assert_eq!(grid.values()[1], UVec3::X);
    }

    /// Contract: a grid of a single node is that value everywhere, with no gradient.
    #[test]
    fn a_single_node_is_a_constant() {
        let grid = DenseGrid::new(Lattice::at_origin(1.0), UVec3::ONE, 7.0);
        for p in [Vec3::ZERO, Vec3::splat(-5.0), Vec3::splat(3.5)] {
            assert_eq!(grid.sample_with_gradient(p), (7.0, Vec3::ZERO));
        }
    }
}
