//! Where particles come from: new ones in cells near the surface that have too few, and needless ones removed
//! (Enright, Fedkiw, Ferziger and Mitchell 2002, § 3.1 and 3.5).
//!
//! # Guarantees
//! Places are drawn from the cell, the round and a counter alone. Escaped particles are never removed.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{
    TILE_NODES, Tile, local_node, offset_in_tile, tile_of, tile_order,
};
use whitecap_core::{SparseGrid, scatter};

use super::distance_block::DistanceBlock;
use super::narrow_band::surface_tiles;
use super::particles::{LevelSetParticle, ParticleSizes, TileParticles};
use crate::mac::MacLattice;

/// Steps by which a new particle is drawn to its distance from the surface.
const ATTRACTION_STEPS: usize = 5;
/// Half the diagonal of a cell, in cells.
const HALF_DIAGONAL: f32 = 0.867;

/// Particles in every cell near the surface: as many as the settings say. Those in `present` stay where there
/// are not too many of them, escaped ones always.
pub fn seeded(
    lattice: MacLattice,
    distances: &SparseGrid<f32>,
    present: &TileParticles,
    sizes: ParticleSizes,
    round: u64,
) -> TileParticles {
    let near = surface_tiles(distances).into_iter();
    let mut tiles: Vec<IVec3> = near.chain(present.tiles().iter().copied()).collect();
    tiles.sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    let found: Vec<Vec<LevelSetParticle>> = tiles
        .par_iter()
        .map(|&tile| {
            let nursery =
                Nursery { lattice, block: DistanceBlock::new(distances, tile), tile, sizes };
            let mut list = nursery.kept(present.of_tile(tile));
            if distances.tile(tile).and_then(Tile::dense).is_some() {
                nursery.fill(&mut list, round);
            }
            list
        })
        .collect();
    by_tile(lattice, tiles, found)
}

/// Attraction may have drawn particles into other tiles: each goes to the list of its own.
fn by_tile(
    lattice: MacLattice,
    tiles: Vec<IVec3>,
    found: Vec<Vec<LevelSetParticle>>,
) -> TileParticles {
    let mut left: Vec<(IVec3, LevelSetParticle)> = Vec::new();
    let mut lists: Vec<(IVec3, Vec<LevelSetParticle>)> = Vec::with_capacity(tiles.len());
    for (tile, list) in tiles.into_iter().zip(found) {
        let home = |particle: &LevelSetParticle| tile_of(lattice.cell_of(particle.position));
        let (stay, leave): (Vec<_>, Vec<_>) = list.into_iter().partition(|p| home(p) == tile);
        left.extend(leave.into_iter().map(|particle| (home(&particle), particle)));
        lists.push((tile, stay));
    }
    left.sort_by_key(|(tile, _)| tile_order(*tile));
    for group in left.chunk_by(|one, other| one.0 == other.0) {
        let particles = group.iter().map(|(_, particle)| *particle);
        match lists.binary_search_by_key(&tile_order(group[0].0), |(tile, _)| tile_order(*tile)) {
            Ok(place) => lists[place].1.extend(particles),
            Err(place) => lists.insert(place, (group[0].0, particles.collect())),
        }
    }
    TileParticles::new(lists)
}

/// Makes the particles of a tile.
struct Nursery {
    lattice: MacLattice,
    block: DistanceBlock,
    tile: IVec3,
    sizes: ParticleSizes,
}

impl Nursery {
    /// Which particles stay: escaped ones, and in each cell those nearest to the surface.
    fn kept(&self, present: &[LevelSetParticle]) -> Vec<LevelSetParticle> {
        let mut kept = Vec::new();
        // The particles of each cell within the band by their gap to the surface.
        let mut others: Vec<(usize, f32, usize)> = Vec::new();
        for (place, particle) in present.iter().enumerate() {
            let distance = self.block.linear(self.block.local(particle.position));
            if particle.is_escaped(distance) {
                kept.push(*particle);
            } else if distance.abs() <= self.sizes.band {
                let offset = offset_in_tile(self.lattice.cell_of(particle.position));
                others.push((offset, particle.side() * distance - particle.radius(), place));
            }
        }
        others.sort_by(|one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        for cell in others.chunk_by(|one, other| one.0 == other.0) {
            kept.extend(cell.iter().take(self.sizes.per_cell).map(|&(_, _, place)| present[place]));
        }
        kept
    }

    /// Adds particles to cells near the surface that have too few.
    fn fill(&self, list: &mut Vec<LevelSetParticle>, round: u64) {
        let mut counts = [0usize; TILE_NODES];
        for particle in list.iter() {
            counts[offset_in_tile(self.lattice.cell_of(particle.position))] += 1;
        }
        let reach = self.sizes.band + HALF_DIAGONAL * self.lattice.cell();
        for (offset, &count) in counts.iter().enumerate() {
            let cell = local_node(offset);
            if self.block.at(cell).abs() >= reach {
                continue;
            }
            for index in count..self.sizes.per_cell {
                list.extend(self.new_particle(cell, draw(self.tile * 8 + cell, round, index)));
            }
        }
    }

    /// A particle at a random place of a cell, drawn along the normal to a random distance on its side.
    fn new_particle(&self, cell: IVec3, random: [f32; 4]) -> Option<LevelSetParticle> {
        let ParticleSizes { smallest, band, .. } = self.sizes;
        let mut local = cell.as_vec3() + Vec3::from_slice(&random) - 0.5;
        let (mut distance, mut slope) = self.block.linear_with_slope(local);
        let side = if distance < 0.0 { -1.0 } else { 1.0 };
        let goal = side * (smallest + random[3] * (band - smallest));
        let is_within = |distance: f32| (smallest..=band).contains(&(side * distance));
        for step in 0..ATTRACTION_STEPS {
            // x + λ (φ_goal − φ) N (2002, eq. 10), with shorter steps where the normal was misleading.
            let share = 0.5f32.powi(step as i32);
            local +=
                share * (goal - distance) / slope.length_squared().max(smallest * smallest) * slope;
            (distance, slope) = self.block.linear_with_slope(local);
            if is_within(distance) {
                break;
            }
        }
        let radius = self.sizes.radius(side, distance);
        let middle = self.lattice.centers().position(self.tile * 8).as_dvec3();
        let position = (middle + local.as_dvec3() * f64::from(self.lattice.cell())).as_vec3();
        is_within(distance).then_some(LevelSetParticle { position, signed_radius: side * radius })
    }
}

/// Four numbers from 0 to 1 that depend on the arguments alone.
fn draw(cell: IVec3, round: u64, index: usize) -> [f32; 4] {
    let mut seed = round;
    for part in [cell.x, cell.y, cell.z, index as i32] {
        seed = scatter::mix(seed ^ u64::from(part as u32));
    }
    std::array::from_fn(|axis| scatter::fraction(seed.wrapping_add(axis as u64)))
}
