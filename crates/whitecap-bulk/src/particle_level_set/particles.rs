//! Particles on both sides of the surface, grouped by the tiles that they are in.
//!
//! # Guarantees
//! The order of particles depends on their history alone, not on threads: within a tile those that stayed come
//! first, then those that came from the tiles around it, in the order of these.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{tile_of, tile_order};
use whitecap_core::{CoordinateIndex, SparseGrid};

use super::distance_block::DistanceBlock;
use super::settings::LevelSetSettings;
use crate::mac::face_block::FaceBlock;
use crate::mac::{MacLattice, step_around};

/// Where the cell that a particle is in has this distance on its side, in cells, the particle is on its side:
/// more than half the diagonal of a cell, as slopes are not exactly 1.
const SAFE: f32 = 1.2;

/// Lengths of the settings in m.
#[derive(Clone, Copy, Debug)]
pub struct ParticleSizes {
    /// The smallest radius.
    pub smallest: f32,
    /// The largest radius.
    pub largest: f32,
    /// How far from the surface particles are.
    pub band: f32,
    /// How many of them are in a cell.
    pub per_cell: usize,
}

impl ParticleSizes {
    /// Those of settings for cells of a size.
    pub fn new(settings: &LevelSetSettings, cell: f32) -> Self {
        Self {
            smallest: settings.smallest_radius * cell,
            largest: settings.largest_radius * cell,
            band: settings.particle_band * cell,
            per_cell: settings.particles_per_cell as usize,
        }
    }

    /// The radius with which a particle touches the surface, within limits (2002, eq. 12).
    #[inline]
    pub fn radius(&self, side: f32, distance: f32) -> f32 {
        (side * distance).clamp(self.smallest, self.largest)
    }
}

/// A particle: a ball that touches the surface from its own side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelSetParticle {
    /// Position in m.
    pub position: Vec3,
    /// Radius in m; negative for a particle of the liquid, positive for one outside.
    pub signed_radius: f32,
}

impl LevelSetParticle {
    /// Radius in m.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.signed_radius.abs()
    }

    /// The sign of φ on the particle's side: −1 in the liquid, 1 outside.
    #[inline]
    pub fn side(&self) -> f32 {
        1.0f32.copysign(self.signed_radius)
    }

    /// Whether a particle at which φ has this value is on the wrong side by more than its radius.
    #[inline]
    pub fn is_escaped(&self, distance: f32) -> bool {
        self.side() * distance < -self.radius()
    }
}

/// Particles by tile.
#[derive(Clone, Debug, Default)]
pub struct TileParticles {
    tiles: Vec<IVec3>,
    lists: Vec<Vec<LevelSetParticle>>,
    index: CoordinateIndex,
}

impl TileParticles {
    /// Particles of tiles, in the order of tiles; none twice.
    pub fn new(tiles: Vec<(IVec3, Vec<LevelSetParticle>)>) -> Self {
        let tiles = tiles.into_iter().filter(|(_, list)| !list.is_empty());
        let (tiles, lists): (Vec<_>, Vec<_>) = tiles.unzip();
        debug_assert!(tiles.is_sorted_by_key(|&tile| tile_order(tile)));
        let index = CoordinateIndex::build(&tiles);
        Self { tiles, lists, index }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    /// Tiles with particles, in order.
    pub fn tiles(&self) -> &[IVec3] {
        &self.tiles
    }

    /// The particles of a tile.
    pub fn of_tile(&self, tile: IVec3) -> &[LevelSetParticle] {
        self.index.get(tile).map_or(&[], |place| &self.lists[place])
    }

    /// All particles, tile by tile.
    pub fn iter(&self) -> impl Iterator<Item = &LevelSetParticle> {
        self.lists.iter().flatten()
    }

    /// The particles after a time step in which the flow moves by two cells at most: a third-order step.
    pub fn carried(
        &self,
        lattice: MacLattice,
        velocity: &SparseGrid<Vec3>,
        time_step: f32,
    ) -> Self {
        let mut moved: Vec<Moved> = (self.tiles.par_iter().zip(&self.lists))
            .map(|(&tile, list)| Moved::new(lattice, velocity, tile, list, time_step))
            .collect();
        let left = moved.iter().flat_map(|moved| moved.left.iter().map(|(tile, _)| *tile));
        let mut tiles: Vec<IVec3> = self.tiles.iter().copied().chain(left).collect();
        tiles.sort_unstable_by_key(|&tile| tile_order(tile));
        tiles.dedup();
        let mut lists: Vec<(IVec3, Vec<LevelSetParticle>)> = tiles
            .into_iter()
            .map(|tile| {
                let stayed = self.index.get(tile).map(|place| &mut moved[place].stayed);
                (tile, stayed.map(std::mem::take).unwrap_or_default())
            })
            .collect();
        lists.par_iter_mut().for_each(|(tile, list)| {
            for from in (0..27).filter_map(|slot| self.index.get(*tile + step_around(slot))) {
                let arrived = moved[from].left.iter().filter(|(to, _)| to == tile);
                list.extend(arrived.map(|(_, particle)| particle));
            }
        });
        Self::new(lists)
    }

    /// The particles that are on the wrong side by more than their radius.
    pub fn escaped(&self, distances: &SparseGrid<f32>) -> Self {
        let safe = SAFE * distances.lattice().cell;
        let escaped: Vec<_> = (self.tiles.par_iter().zip(&self.lists))
            .map(|(&tile, list)| {
                let block = DistanceBlock::new(distances, tile);
                let is_escaped = |particle: &&LevelSetParticle| {
                    let local = block.local(particle.position);
                    particle.side() * block.of_cell(local) < safe
                        && particle.is_escaped(block.linear(local))
                };
                (tile, list.iter().filter(is_escaped).copied().collect())
            })
            .collect();
        Self::new(escaped)
    }

    /// Takes out the particles of the liquid that are outside by more than this many of their radii, in order.
    pub fn take_beyond(
        &mut self,
        distances: &SparseGrid<f32>,
        radii: f32,
    ) -> Vec<LevelSetParticle> {
        let taken: Vec<Vec<LevelSetParticle>> = (self.tiles.par_iter().zip(&mut self.lists))
            .map(|(&tile, list)| {
                let block = DistanceBlock::new(distances, tile);
                let is_beyond = |particle: &mut LevelSetParticle| {
                    particle.side() < 0.0
                        && block.linear(block.local(particle.position)) > radii * particle.radius()
                };
                list.extract_if(.., is_beyond).collect()
            })
            .collect();
        taken.into_iter().flatten().collect()
    }

    /// Gives particles the radius with which they touch the surface (2002, eq. 12).
    pub fn fit_radii(&mut self, distances: &SparseGrid<f32>, sizes: ParticleSizes) {
        let safe = SAFE * distances.lattice().cell + sizes.largest;
        (self.tiles.par_iter().zip(&mut self.lists)).for_each(|(&tile, list)| {
            let block = DistanceBlock::new(distances, tile);
            for particle in list {
                let (local, side) = (block.local(particle.position), particle.side());
                let is_far = side * block.of_cell(local) > safe;
                let distance = if is_far { side * safe } else { block.linear(local) };
                particle.signed_radius = side * sizes.radius(side, distance);
            }
        });
    }
}

/// What became of the particles of a tile.
struct Moved {
    stayed: Vec<LevelSetParticle>,
    left: Vec<(IVec3, LevelSetParticle)>,
}

impl Moved {
    fn new(
        lattice: MacLattice,
        velocity: &SparseGrid<Vec3>,
        tile: IVec3,
        list: &[LevelSetParticle],
        time_step: f32,
    ) -> Self {
        let flow = FaceBlock::new(velocity, tile);
        let (mut stayed, mut left) = (Vec::with_capacity(list.len()), Vec::new());
        for &particle in list {
            let first = flow.sample(particle.position);
            let position = flow.carried(particle.position, first, time_step);
            let particle = LevelSetParticle { position, ..particle };
            match tile_of(lattice.cell_of(position)) {
                to if to == tile => stayed.push(particle),
                to => left.push((to, particle)),
            }
        }
        Self { stayed, left }
    }
}
