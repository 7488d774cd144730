//! Particles that have come too close to one another: each is pushed away from its neighbours a little.
//!
//! The density of cells is kept elsewhere (`spreading`); within a cell particles would still gather in clumps
//! and leave holes, which show in every surface made from them.
//!
//! # Guarantees
//! Two particles push each other by the same amount: the middle of the liquid stays where it is.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{offset_in_tile, tile_of};

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

/// The particles of a tile and of one layer of cells around it.
pub struct Crowd {
    /// For each of the cells where its particles start, and the end.
    starts: Vec<u32>,
    /// Positions in spacings from the low corner of the layer.
    positions: Vec<Vec3>,
    corner: Vec3,
    spacing: f32,
}

impl Crowd {
    /// The particles around a tile.
    pub fn new(lattice: MacLattice, tile: IVec3, order: &CellOrder, positions: &[Vec3]) -> Self {
        let corner = lattice.corners.position(tile * 8 - 1);
        let spacing = lattice.cell() / SPACINGS;
        let near: [Option<usize>; 27] =
            std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
        let mut crowd = Self {
            starts: Vec::with_capacity(PADDED + 1),
            positions: Vec::with_capacity(PADDED * 8),
            corner,
            spacing,
        };
        for place in 0..PADDED {
            crowd.starts.push(crowd.positions.len() as u32);
            let edge = PADDED_EDGE;
            let [x, y, z] = [place % edge, place / edge % edge, place / edge / edge];
            let cell = IVec3::new(x as i32, y as i32, z as i32) - 1;
            let step: IVec3 = tile_of(cell) + 1;
            if let Some(tile) = near[(step.x + 3 * (step.y + 3 * step.z)) as usize] {
                let local =
                    |&particle: &u32| crowd_local(positions[particle as usize], corner, spacing);
                crowd.positions.extend(order.of_cell(tile, offset_in_tile(cell)).iter().map(local));
            }
        }
        crowd.starts.push(crowd.positions.len() as u32);
        crowd
    }

    /// How far a particle is pushed, in m. It is one of those in the tile.
    #[inline]
    pub fn push(&self, position: Vec3) -> Vec3 {
        let own = crowd_local(position, self.corner, self.spacing);
        // Neighbours are at most half a cell away: in eight cells.
        let low = (own / SPACINGS - 0.5).max(Vec3::ZERO).min(Vec3::splat(PADDED_EDGE as f32 - 2.0));
        let low = low.x as usize + PADDED_EDGE * (low.y as usize + PADDED_EDGE * low.z as usize);
        let mut push = Vec3::ZERO;
        for row in [0, PADDED_EDGE, PADDED_EDGE * PADDED_EDGE, PADDED_EDGE * (PADDED_EDGE + 1)] {
            // Two cells beside each other are one run.
            let run = self.starts[low + row] as usize..self.starts[low + row + 2] as usize;
            for other in &self.positions[run] {
                let away = own - *other;
                let squared = away.length_squared();
                if squared < NEAREST * NEAREST && squared > 0.0 {
                    push += away * (STRENGTH * (NEAREST / squared.sqrt() - 1.0));
                }
            }
        }
        push.clamp_length_max(FARTHEST) * self.spacing
    }
}

#[inline]
fn crowd_local(position: Vec3, corner: Vec3, spacing: f32) -> Vec3 {
    (position - corner) / spacing
}
