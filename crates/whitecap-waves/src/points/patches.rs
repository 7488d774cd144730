//! Levels of many points at once: points of one block look at the same coarse particles, and find
//! them once per frame.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;

use super::band::{Band, Level};
use super::blocks::{Block, Cut, per_block};
use super::coarse::CoarseParticles;
use super::lanes::Lanes;

/// Blocks without a list, as a share of all, from which the lists are made anew.
const STALE_SHARE: f32 = 0.1;
/// Blocks per task.
const BLOCKS_PER_TASK: usize = 16;

/// Lists of the coarse particles near blocks. A block without a list costs a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    blocks: CoordinateIndex,
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Patches {
    /// Forgets the lists, for particles that moved.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Makes lists for these blocks unless most have one. Densities near them must be known.
    pub fn refresh(
        &mut self,
        blocks: &[Block],
        cut: &Cut,
        band: &Band,
        particles: &CoarseParticles,
    ) {
        let missing = blocks.iter().filter(|block| self.blocks.get(block.coordinate).is_none());
        if missing.count() as f32 <= STALE_SHARE * blocks.len() as f32 {
            return;
        }
        let parts: Vec<(Vec<u32>, Vec<u32>)> = blocks
            .par_chunks(BLOCKS_PER_TASK)
            .map(|chunk| {
                let mut places = Vec::new();
                let count = |block: &Block| {
                    let before = places.len();
                    let block_box = cut.block_box(block.coordinate);
                    particles.places_near(block_box, band.reach(), &mut places);
                    (places.len() - before) as u32
                };
                (chunk.iter().map(count).collect(), places)
            })
            .collect();
        let coordinates: Vec<IVec3> = blocks.iter().map(|block| block.coordinate).collect();
        self.blocks.rebuild(&coordinates);
        self.starts.clear();
        self.starts.push(0);
        self.places.clear();
        let mut end = 0;
        for (counts, places) in &parts {
            for count in counts {
                end += count;
                self.starts.push(end);
            }
            self.places.extend_from_slice(places);
        }
    }

    /// The level of each point.
    pub fn levels(
        &self,
        positions: &[Vec3],
        blocks: &[Block],
        cut: &Cut,
        band: &Band,
        particles: &CoarseParticles,
    ) -> Vec<Level> {
        let mut levels = vec![Level { level: 0.0, outward: Vec3::ZERO }; positions.len()];
        per_block(blocks, &mut levels, |memory: &mut (Lanes, Vec<u32>), block, mine| {
            let (lanes, searched) = memory;
            let places = match self.blocks.get(block.coordinate) {
                Some(patch) => {
                    &self.places[self.starts[patch] as usize..self.starts[patch + 1] as usize]
                }
                None => {
                    searched.clear();
                    let block_box = cut.block_box(block.coordinate);
                    particles.places_near(block_box, band.reach(), searched);
                    &searched[..]
                }
            };
            lanes.fill(places.iter().map(|&place| particles.metaball(place as usize)));
            for (level, point) in mine.iter_mut().zip(block.points.clone()) {
                *level = band.level(positions[point], lanes);
            }
        });
        levels
    }
}
