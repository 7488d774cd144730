//! The blocks of a tile that may hold the surface, and which of them a particle reaches.

use glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::TILE_NODES;

use super::bounds::boxes_along;
use crate::liquid::Shutter;
use crate::liquid::blocks::FIRST_SIGN;
use crate::liquid::field::kernel::Kernel;

/// The blocks of a tile that may hold the surface: bit x of row y + 8 z.
pub(crate) struct ActiveRows([u8; 64]);

impl ActiveRows {
    /// All blocks.
    pub const ALL: Self = Self([0xFF; 64]);

    /// The active blocks among the states of a tile.
    pub fn of(states: &[u32; TILE_NODES]) -> Self {
        Self(std::array::from_fn(|row| {
            let active = |x: usize| u8::from(states[8 * row + x] < FIRST_SIGN) << x;
            (0..8).map(active).fold(0, |all, bit| all | bit)
        }))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    /// Calls `visit` for every active block of the tile that a particle may reach, possibly more
    /// than once.
    pub fn for_each_reached(
        &self,
        kernel: &Kernel,
        tile: IVec3,
        edge: f32,
        shutter: Shutter,
        mut visit: impl FnMut(usize),
    ) {
        let reach = kernel.reach();
        for (min, max) in boxes_along(kernel, edge, shutter) {
            // The particle moves through the middle of its box; half its path widens the reach.
            let middle = 0.5 * (min + max);
            let way = (0.5 * (max - min) - reach).max(Vec3::ZERO).length();
            let limit = (reach + way) * (1.0 + 1e-5);
            let low = ((min / edge).floor().as_ivec3() - tile * 8).max(IVec3::ZERO);
            let high = ((max / edge).floor().as_ivec3() - tile * 8).min(IVec3::splat(7));
            if low.cmpgt(high).any() {
                continue;
            }
            let columns = (0xFFu8 >> (7 - high.x)) & (0xFFu8 << low.x);
            let corner = (tile * 8).as_vec3() * edge;
            let apart = |axis: usize, block: i32| {
                let start = corner[axis] + block as f32 * edge;
                let gap = (start - middle[axis]).max(middle[axis] - start - edge).max(0.0);
                gap * gap
            };
            for z in low.z..=high.z {
                for y in low.y..=high.y {
                    let mut row = self.0[(y + 8 * z) as usize] & columns;
                    let rest = limit * limit - apart(2, z) - apart(1, y);
                    while row != 0 {
                        let x = row.trailing_zeros() as i32;
                        row &= row - 1;
                        if apart(0, x) < rest {
                            visit((x + 8 * y + 64 * z) as usize);
                        }
                    }
                }
            }
        }
    }
}
