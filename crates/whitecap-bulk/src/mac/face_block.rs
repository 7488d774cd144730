//! The faces around a tile in plain memory: for many samples near one another.
//!
//! # Guarantees
//! Velocities that are linear in space are sampled exactly, to rounding.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::SparseGrid;

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
        self.sample_block(self.local(position))
            .unwrap_or_else(|| faces::sample(self.velocity, position))
    }

    /// Velocity at a position and the gradient of each component in 1/s; `None` beyond the block.
    #[inline]
    pub fn sample_with_gradient(&self, position: Vec3) -> Option<(Vec3, [Vec3; 3])> {
        let (local, cell) = (self.local(position), self.velocity.lattice().cell);
        let mut velocity = Vec3::ZERO;
        let mut gradients = [Vec3::ZERO; 3];
        for axis in 0..3 {
            let Corners { values, t } = self.corners(local, axis)?;
            velocity[axis] = faces::trilinear(values, t);
            gradients[axis] = faces::trilinear_gradient(values, t) / cell;
        }
        Some((velocity, gradients))
    }

    /// Where the flow carries a point in a time step, which may be negative: the third-order step of
    /// Ralston (1962). `first` is the velocity at the point.
    #[inline]
    pub fn carried(&self, position: Vec3, first: Vec3, time_step: f32) -> Vec3 {
        let second = self.sample(position + 0.5 * time_step * first);
        let third = self.sample(position + 0.75 * time_step * second);
        position + time_step / 9.0 * (2.0 * first + 3.0 * second + 4.0 * third)
    }

    /// A position in cells from the corner of the block.
    #[inline]
    fn local(&self, position: Vec3) -> Vec3 {
        let cell = f64::from(self.velocity.lattice().cell);
        ((position.as_dvec3() - self.corner.as_dvec3()) * cell.recip()).as_vec3()
    }

    #[inline]
    fn sample_block(&self, local: Vec3) -> Option<Vec3> {
        // Components differ in their offset, 0 or a half on each axis: two floors serve all three.
        let halves = local - 0.5;
        let (whole, half) = (local.floor(), halves.floor());
        if !(half.min_element() >= 0.0 && whole.max_element() < (EDGE - 1) as f32) {
            return None;
        }
        let (at_whole, at_half) = ((local - whole).to_array(), (halves - half).to_array());
        let (whole, half) = (whole.as_ivec3().to_array(), half.as_ivec3().to_array());
        let component = |axis: usize| {
            let pick = |n: usize| if n == axis { whole[n] } else { half[n] } as usize;
            let share = |n: usize| if n == axis { at_whole[n] } else { at_half[n] };
            let place = pick(0) + EDGE * (pick(1) + EDGE * pick(2));
            let near = self.values[axis].get(place..place + CORNER_SPAN)?;
            let t = Vec3::new(share(0), share(1), share(2));
            Some(faces::trilinear(corners_of(near), t))
        };
        Some(Vec3::new(component(0)?, component(1)?, component(2)?))
    }

    /// What a component is interpolated from; `None` beyond the block.
    #[inline]
    fn corners(&self, local: Vec3, axis: usize) -> Option<Corners> {
        let at = local - MacLattice::face_offset(axis);
        let low = at.floor();
        if !(low.min_element() >= 0.0 && low.max_element() < (EDGE - 1) as f32) {
            return None;
        }
        let place = low.x as usize + EDGE * (low.y as usize + EDGE * low.z as usize);
        let near = self.values[axis].get(place..place + CORNER_SPAN)?;
        Some(Corners { values: corners_of(near), t: at - low })
    }
}

/// The eight corners around a position, of the values from the first of them on.
#[inline]
fn corners_of(near: &[f32]) -> [f32; 8] {
    let near: &[f32; CORNER_SPAN] = near.try_into().expect("the span is that of the corners");
    [0, 1, EDGE, EDGE + 1, EDGE * EDGE, EDGE * EDGE + 1, EDGE * EDGE + EDGE, CORNER_SPAN - 1]
        .map(|place| near[place])
}
