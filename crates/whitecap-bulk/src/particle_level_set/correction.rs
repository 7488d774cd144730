//! Error correction (Enright, Fedkiw, Ferziger and Mitchell 2002, § 3.4): a particle that is on the wrong side
//! of the surface by more than its radius shows that the grid has lost detail there, and its ball is put back.
//!
//! # Guarantees
//! Every cell takes extremes over particles: the result depends neither on their order nor on threads.

use rayon::prelude::*;
use whitecap_core::SparseGrid;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{TILE_NODES, Tile, offset_in_tile, tile_of, tile_order};

use super::narrow_band::with_tiles;
use super::particles::TileParticles;
use crate::mac::faces::corner_step;
use crate::mac::step_around;

/// The level set corrected by the particles that have escaped.
pub fn corrected(distances: &SparseGrid<f32>, particles: &TileParticles) -> SparseGrid<f32> {
    let escaped = particles.escaped(distances);
    let changed = touched_tiles(distances, &escaped)
        .par_iter()
        .map(|&tile| (tile, corrected_tile(distances, tile, &escaped)))
        .collect();
    with_tiles(distances, changed)
}

/// Tiles with a cell beside a particle, in order.
fn touched_tiles(distances: &SparseGrid<f32>, escaped: &TileParticles) -> Vec<IVec3> {
    let mut tiles: Vec<IVec3> = escaped
        .iter()
        .flat_map(|particle| {
            let low = distances.lattice().locate(particle.position).0;
            (0..8).map(move |corner| tile_of(low + corner_step(corner)))
        })
        .collect();
    tiles.sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    tiles
}

fn corrected_tile(distances: &SparseGrid<f32>, tile: IVec3, escaped: &TileParticles) -> Tile<f32> {
    let lattice = distances.lattice();
    let stored = distances.tile(tile);
    let values: [f32; TILE_NODES] =
        std::array::from_fn(|offset| stored.map_or(distances.background(), |tile| tile.at(offset)));
    let (mut above, mut below) = (values, values);
    for particle in (0..27).flat_map(|slot| escaped.of_tile(tile + step_around(slot))) {
        let low = lattice.locate(particle.position).0;
        let beside = (0..8).map(|corner| low + corner_step(corner));
        for cell in beside.filter(|&cell| tile_of(cell) == tile) {
            let depth = particle.radius() - lattice.position(cell).distance(particle.position);
            let offset = offset_in_tile(cell);
            // φ_p = s_p (r_p − |x − x_p|); φ⁺ = max(φ_p, φ⁺), φ⁻ = min(φ_p, φ⁻).
            if particle.side() > 0.0 {
                above[offset] = above[offset].max(depth);
            } else {
                below[offset] = below[offset].min(-depth);
            }
        }
    }
    // Of φ⁺ and φ⁻ the one nearer to the surface.
    let nearer = |offset: usize| match (above[offset], below[offset]) {
        (above, below) if above.abs() <= below.abs() => above,
        (_, below) => below,
    };
    Tile::Dense(Box::new(std::array::from_fn(nearer)))
}
