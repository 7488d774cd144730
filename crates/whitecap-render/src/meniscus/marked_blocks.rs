//! Which blocks of a liquid menisci and cuts at solids change.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::Tile;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};

use super::field::Correction;
use super::profile::REACH;
use crate::liquid::LiquidField;
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};

/// State of a block in which the corrected function must be asked.
pub(super) const CORRECTED: u32 = FIRST_SIGN - 1;
/// State of a block in which only the cut at a solid can be the surface.
pub(super) const CUT: u32 = FIRST_SIGN - 2;
/// State of a block in which the liquid's own surface and the cut meet, without a meniscus.
pub(super) const SURFACE_AND_CUT: u32 = FIRST_SIGN - 3;

/// The blocks of the liquid, with those marked in which menisci or cuts change something.
pub(super) fn marked_blocks(
    liquid: &impl LiquidField,
    correction: &Correction,
    moved: bool,
) -> BlockGrid {
    let plain = liquid.blocks_of_surface();
    let tile_edge = 8.0 * plain.edge();
    let mut tiles: Vec<IVec3> = plain.states().coordinates().to_vec();
    for guide in correction.walls.iter().filter_map(|wall| wall.guide.as_ref()) {
        let lattice = guide.grid().lattice();
        tiles.par_extend(guide.grid().coordinates().par_iter().flat_map_iter(|&tile| {
            let low = (lattice.position(tile * 8) / tile_edge).floor().as_ivec3();
            let high = (lattice.position(tile * 8 + 8) / tile_edge).floor().as_ivec3();
            let span = high - low + 1;
            (0..span.x * span.y * span.z).map(move |i| {
                low + IVec3::new(i % span.x, i / span.x % span.y, i / (span.x * span.y))
            })
        }));
    }
    tiles.par_sort_unstable_by_key(|tile| tile_order(*tile));
    tiles.dedup();
    let tiles = tiles
        .into_par_iter()
        .filter_map(|tile| {
            let states = marked_tile(liquid, correction, moved, tile)?;
            if states.iter().all(|&state| state == OUTSIDE) {
                return None;
            }
            let inside = states.iter().all(|&state| state == INSIDE);
            Some((tile, if inside { Tile::Constant(INSIDE) } else { Tile::Dense(states) }))
        })
        .collect();
    BlockGrid::new(plain.edge(), tiles)
}

fn marked_tile(
    liquid: &impl LiquidField,
    correction: &Correction,
    moved: bool,
    tile: IVec3,
) -> Option<Box<[u32; TILE_NODES]>> {
    let plain = liquid.blocks_of_surface();
    let edge = plain.edge();
    let radius = 0.87 * edge;
    let plain_tile = plain.states().tile(tile);
    let middle = (tile * 8 + 4).as_vec3() * edge;
    let around = 8.0 * radius + correction.extension;
    let near_guide = correction.walls.iter().any(|wall| wall.guide.is_some())
        && correction.walls.iter().any(|wall| {
            let reach = REACH * correction.length + correction.extension;
            wall.solid.distance(middle) < (around + reach).min(0.999 * wall.solid.band())
                || wall.solid.band() < around + reach
        });
    let cut_far = correction
        .cut(middle)
        .is_none_or(|(distance, solid)| distance > around && solid.band() > around);
    if !near_guide && cut_far {
        return plain_tile.map(|tile| Box::new(std::array::from_fn(|offset| tile.at(offset))));
    }
    Some(Box::new(std::array::from_fn(|offset| {
        let block = tile * 8 + local_node(offset);
        let center = (block.as_vec3() + 0.5) * edge;
        let state = plain_tile.map_or(OUTSIDE, |tile| tile.at(offset));
        if correction.cut(center).is_some_and(|(distance, _)| distance < -radius) {
            return OUTSIDE;
        }
        let free = moved_state(liquid, correction, moved, block, center, state);
        let overlap = correction.overlap;
        let cut = overlap.is_some_and(|overlap| {
            free != OUTSIDE && correction.nearest_in_block(center, edge) + overlap <= 0.0
        });
        match free {
            INSIDE if cut => CUT,
            OUTSIDE | CORRECTED => free,
            _ if cut => SURFACE_AND_CUT,
            _ => free,
        }
    })))
}

/// State of a block once its points are asked elsewhere.
fn moved_state(
    liquid: &impl LiquidField,
    correction: &Correction,
    moved: bool,
    block: IVec3,
    center: Vec3,
    state: u32,
) -> u32 {
    let plain = liquid.blocks_of_surface();
    let edge = plain.edge();
    let farthest = match moved {
        true => correction.largest_displacement(center, edge),
        false => Vec3::ZERO,
    };
    let extended = correction.extension > 0.0
        && correction.walls.iter().any(|wall| {
            wall.guide.as_ref().is_some_and(|guide| guide.at(center).is_some())
                && wall.solid.distance(center) < correction.extension + 0.87 * edge
        });
    if farthest.length() < 1e-4 * edge.min(correction.length) && !extended {
        return state;
    }
    // All places its points may be asked at.
    let margin = if extended { 2.0 * correction.extension } else { 0.0 };
    let reach = Vec3::splat(0.501 * edge + margin);
    let from = center - reach - farthest.max(Vec3::ZERO);
    let to = center + reach - farthest.min(Vec3::ZERO);
    let low = (from / edge).floor().as_ivec3();
    let high = (to / edge).floor().as_ivec3();
    let first = plain.state(block);
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                let here = plain.state(IVec3::new(x, y, z));
                if here != first || here < FIRST_SIGN {
                    return CORRECTED;
                }
            }
        }
    }
    first
}
