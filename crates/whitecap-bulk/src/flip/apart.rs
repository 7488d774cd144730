//! Particles that have come too close to one another: each is pushed away from its neighbours a little.
//!
//! The density of cells is kept elsewhere (`spreading`); within a cell particles would still gather in clumps
//! and leave holes, which show in every surface made from them.
//!
//! # Guarantees
//! Two particles push each other by the same amount, so that the middle of the liquid stays where it is, unless a push
//! is cut off at its largest.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{offset_in_tile, tile_of};
use wide::f32x8;

use crate::mac::around::{PADDED, PADDED_EDGE};
use crate::mac::cell_order::CellOrder;
use crate::mac::{MacLattice, step_around};

/// Particles nearer to each other than this are pushed apart, in spacings.
const NEAREST: f32 = 0.9;
/// Share of what is missing that one step corrects, for each pair.
const STRENGTH: f32 = 0.25;
/// The farthest push in a step, in spacings.
const FARTHEST: f32 = 0.2;
/// Cells are this many spacings wide.
const SPACINGS: f32 = 2.0;
/// Particles that are looked at together.
const LANES: usize = 8;
const LANE_NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// A coordinate that is far from every tile, in spacings.
const FAR: f32 = 1e6;

/// The particles of a tile and of one layer of cells around it.
pub struct Crowd {
    /// For each of the cells where its particles start, and the end.
    starts: Vec<u32>,
    /// Coordinates in spacings from the low corner of the layer, axis by axis; at the end some of nobody.
    columns: [Vec<f32>; 3],
    corner: Vec3,
    spacing: f32,
}

impl Crowd {
    /// The particles around a tile.
    pub fn new(lattice: MacLattice, tile: IVec3, order: &CellOrder, positions: &[Vec3]) -> Self {
        let near: [Option<usize>; 27] =
            std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
        let mut crowd = Self {
            starts: Vec::with_capacity(PADDED + 1),
            columns: std::array::from_fn(|_| Vec::with_capacity(PADDED * LANES)),
            corner: lattice.corners.position(tile * 8 - 1),
            spacing: lattice.cell() / SPACINGS,
        };
        for place in 0..PADDED {
            crowd.starts.push(crowd.columns[0].len() as u32);
            let edge = PADDED_EDGE;
            let [x, y, z] = [place % edge, place / edge % edge, place / edge / edge];
            let cell = IVec3::new(x as i32, y as i32, z as i32) - 1;
            let step: IVec3 = tile_of(cell) + 1;
            if let Some(tile) = near[(step.x + 3 * (step.y + 3 * step.z)) as usize] {
                for &particle in order.of_cell(tile, offset_in_tile(cell)) {
                    let local = crowd.local(positions[particle as usize]);
                    (0..3).for_each(|axis| crowd.columns[axis].push(local[axis]));
                }
            }
        }
        crowd.starts.push(crowd.columns[0].len() as u32);
        crowd.columns.iter_mut().for_each(|column| column.extend([FAR; LANES]));
        crowd
    }

    /// How far a particle is pushed, in m. It is one of those in the tile.
    #[inline]
    pub fn push(&self, position: Vec3) -> Vec3 {
        let own = self.local(position);
        // Neighbours are at most half a cell away: in eight cells.
        let low = (own / SPACINGS - 0.5).max(Vec3::ZERO).min(Vec3::splat(PADDED_EDGE as f32 - 2.0));
        let low = low.x as usize + PADDED_EDGE * (low.y as usize + PADDED_EDGE * low.z as usize);
        let mut push = [f32x8::ZERO; 3];
        for row in [0, PADDED_EDGE, PADDED_EDGE * PADDED_EDGE, PADDED_EDGE * (PADDED_EDGE + 1)] {
            // Two cells beside each other are one run.
            let (start, end) =
                (self.starts[low + row] as usize, self.starts[low + row + 2] as usize);
            for group in (start..end).step_by(LANES) {
                self.push_from(group, end - group, own, &mut push);
            }
        }
        let push = Vec3::from_array(push.map(f32x8::reduce_add));
        push.clamp_length_max(FARTHEST) * self.spacing
    }

    /// Adds the push of the first `count` of eight particles.
    #[inline]
    fn push_from(&self, group: usize, count: usize, own: Vec3, push: &mut [f32x8; 3]) {
        let away: [f32x8; 3] = std::array::from_fn(|axis| {
            let other = self.columns[axis][group..].first_chunk::<LANES>();
            f32x8::splat(own[axis]) - f32x8::new(*other.expect("columns end with some of nobody"))
        });
        let squared = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
        let is_counted = f32x8::new(LANE_NUMBERS).simd_lt(f32x8::splat(count as f32));
        let is_near = squared.simd_lt(f32x8::splat(NEAREST * NEAREST)) & is_counted;
        // A particle does not push itself.
        let is_near = is_near & squared.simd_gt(f32x8::ZERO);
        if is_near.none() {
            return;
        }
        let missing = f32x8::splat(NEAREST) / squared.sqrt() - f32x8::ONE;
        let share = (f32x8::splat(STRENGTH) * missing) & is_near;
        (0..3).for_each(|axis| push[axis] += away[axis] * share);
    }

    /// A position in spacings from the low corner of the layer.
    #[inline]
    fn local(&self, position: Vec3) -> Vec3 {
        (position - self.corner) / self.spacing
    }
}
