//! The faces around a tile in plain memory: for many samples near one another.
//!
//! # Guarantees
//! Velocities that are linear in space are sampled exactly, to rounding.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::SparseGrid;
use wide::f32x4;

use super::MacLattice;
use super::faces;

/// Cells around a tile that are copied with it.
const PADDING: usize = 3;
const EDGE: usize = 8 + 2 * PADDING;
/// From the first to the last of the eight corners around a position, and one more.
const CORNER_SPAN: usize = EDGE * EDGE + EDGE + 2;

/// The faces of a tile and of some cells around it.
pub struct FaceBlock<'a> {
    values: [Vec<f32>; 3],
    corner: Vec3,
    velocity: &'a SparseGrid<Vec3>,
}

/// The corners that a component is interpolated between.
struct Corners {
    values: [f32; 8],
    t: Vec3,
}

/// Coordinates as the whole cells below them and the rest.
struct Located {
    low: [usize; 3],
    t: Vec3,
}

impl Located {
    #[inline]
    fn new(at: Vec3) -> Self {
        let at = f32x4::new([at.x, at.y, at.z, 0.0]);
        let low = at.fast_trunc_int();
        let t = (at - f32x4::from_i32x4(low)).to_array();
        let low = low.to_array();
        Self {
            low: [low[0], low[1], low[2]].map(|low| low as usize),
            t: Vec3::new(t[0], t[1], t[2]),
        }
    }
}

impl<'a> FaceBlock<'a> {
    /// The faces around a tile.
    pub fn new(velocity: &'a SparseGrid<Vec3>, tile: IVec3) -> Self {
        let mut copied = vec![Vec3::ZERO; EDGE * EDGE * EDGE];
        velocity.neighbourhood(tile).copy_padded(PADDING, &mut copied);
        let values = std::array::from_fn(|axis| copied.iter().map(|value| value[axis]).collect());
        let corner = velocity.lattice().position(tile * 8 - PADDING as i32);
        Self { values, corner, velocity }
    }

    /// Velocity at a position.
    #[inline]
    pub fn sample(&self, position: Vec3) -> Vec3 {
        let local = self.local(position);
        match is_inside(local) {
            true => self.sample_local(local),
            false => faces::sample(self.velocity, position),
        }
    }

    /// Velocity at a position and the gradient of each component in 1/s; `None` beyond the block.
    #[inline]
    pub fn sample_with_gradient(&self, position: Vec3) -> Option<(Vec3, [Vec3; 3])> {
        let local = self.local(position);
        if !is_inside(local) {
            return None;
        }
        let per_cell = self.velocity.lattice().cell.recip();
        let mut velocity = Vec3::ZERO;
        let mut gradients = [Vec3::ZERO; 3];
        for axis in 0..3 {
            let Corners { values, t } = self.corners(local, axis);
            velocity[axis] = faces::trilinear(values, t);
            gradients[axis] = faces::trilinear_gradient(values, t) * per_cell;
        }
        Some((velocity, gradients))
    }

    /// Where the flow carries a point in a time step, which may be negative: the third-order step of
    /// Ralston (1962). `first` is the velocity at the point.
    #[inline]
    pub fn carried(&self, position: Vec3, first: Vec3, time_step: f32) -> Vec3 {
        let local = self.local(position);
        let per_cell = self.velocity.lattice().cell.recip();
        let after = |step: Vec3| {
            let moved = local + step * per_cell;
            match is_inside(moved) {
                true => self.sample_local(moved),
                false => faces::sample(self.velocity, position + step),
            }
        };
        let second = after(0.5 * time_step * first);
        let third = after(0.75 * time_step * second);
        position + time_step / 9.0 * (2.0 * first + 3.0 * second + 4.0 * third)
    }

    /// A position in cells from the corner of the block.
    #[inline]
    fn local(&self, position: Vec3) -> Vec3 {
        let cell = f64::from(self.velocity.lattice().cell);
        ((position.as_dvec3() - self.corner.as_dvec3()) * cell.recip()).as_vec3()
    }

    /// Velocity at a place inside the block. Faces of an axis are at whole cells on it and at half ones on the
    /// others, so that six roundings serve all nine coordinates.
    #[inline]
    fn sample_local(&self, local: Vec3) -> Vec3 {
        let (whole, half) = (Located::new(local), Located::new(local - 0.5));
        let component = |axis: usize| {
            let at = |other: usize| if other == axis { &whole } else { &half };
            let (x, y, z) = (at(0), at(1), at(2));
            let start = x.low[0] + EDGE * (y.low[1] + EDGE * z.low[2]);
            let near = &self.values[axis][start..][..CORNER_SPAN];
            let layer = |start: usize| {
                let (low, high) = (&near[start..][..2], &near[start + EDGE..][..2]);
                f32x4::new([low[0], low[1], high[0], high[1]])
            };
            let (below, above) = (layer(0), layer(EDGE * EDGE));
            let [a, b, c, d] = (below + (above - below) * f32x4::splat(z.t[2])).to_array();
            let (low, high) = (a + (c - a) * y.t[1], b + (d - b) * y.t[1]);
            low + (high - low) * x.t[0]
        };
        Vec3::new(component(0), component(1), component(2))
    }

    /// What a component is interpolated from, at a place inside the block.
    #[inline]
    fn corners(&self, local: Vec3, axis: usize) -> Corners {
        let Located { low, t } = Located::new(local - MacLattice::face_offset(axis));
        let near = &self.values[axis][low[0] + EDGE * (low[1] + EDGE * low[2])..][..CORNER_SPAN];
        let value =
            |corner: usize| near[(corner & 1) + EDGE * ((corner >> 1 & 1) + EDGE * (corner >> 2))];
        Corners { values: std::array::from_fn(value), t }
    }
}

/// Whether all components can be read at a place of the block.
#[inline]
fn is_inside(local: Vec3) -> bool {
    local.min_element() >= 0.5 && local.max_element() < EDGE as f32 - 1.0
}
