//! Levels of many points at once: points of one block use the same coarse particles and look
//! them up once per frame.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;

use super::band::{Band, Level};
use crate::points::coarse::CoarseParticles;
use crate::points::sums::blocks::{Block, Cut, per_block};
use crate::points::sums::lanes::Weighted;

/// Share of blocks without a list above which the lists are rebuilt.
const STALE_SHARE: f32 = 0.1;
/// Blocks per task.
const BLOCKS_PER_TASK: usize = 16;

/// Lists of the coarse particles near blocks. A block that has no list, or has grown out of the box
/// that its list was made for, costs a search; the level does not depend on this.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    blocks: CoordinateIndex,
    boxes: Vec<[Vec3; 2]>,
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Patches {
    /// The level at one point, found without lists.
    pub fn level_at(point: Vec3, band: &Band, particles: &CoarseParticles) -> Level {
        let mut places = Vec::new();
        let cell = particles.cell_of(point);
        particles.places_near(cell, [point, point], band.reach(), &mut places);
        let mut lanes = Weighted::default();
        lanes.fill(&places, particles.metaballs());
        band.level(point, &lanes)
    }

    /// Discards the lists, for particles that moved.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Makes lists for these blocks unless most have one. They stay valid while points stay within
    /// `margin` of the box round the block's points. Densities near them must be known.
    pub fn refresh(
        &mut self,
        positions: &[Vec3],
        blocks: &[Block],
        margin: f32,
        cut: &Cut,
        band: &Band,
        particles: &CoarseParticles,
    ) {
        let is_missing = |block: &Block| self.list(block, positions).is_none();
        let missing = blocks.par_iter().with_min_len(64).filter(|block| is_missing(block)).count();
        if missing as f32 <= STALE_SHARE * blocks.len() as f32 {
            return;
        }
        let grown = |block: &Block| {
            let [min, max] = block.bounds(positions);
            [min - margin, max + margin]
        };
        let parts: Vec<(Vec<u32>, Vec<u32>)> = blocks
            .par_chunks(BLOCKS_PER_TASK)
            .map(|chunk| {
                let mut places = Vec::new();
                let count = |block: &Block| {
                    let before = places.len();
                    let cell = cut.coarse_cell(block.coordinate);
                    particles.places_near(cell, grown(block), band.reach(), &mut places);
                    (places.len() - before) as u32
                };
                (chunk.iter().map(count).collect(), places)
            })
            .collect();
        let coordinates: Vec<IVec3> = blocks.iter().map(|block| block.coordinate).collect();
        self.blocks.rebuild(&coordinates);
        self.boxes.clear();
        self.boxes.extend(blocks.iter().map(grown));
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

    /// The list of a block, if it has one that covers its points.
    fn list(&self, block: &Block, positions: &[Vec3]) -> Option<&[u32]> {
        let patch = self.blocks.get(block.coordinate)?;
        let [min, max] = self.boxes[patch];
        let points = &positions[block.points.clone()];
        let is_inside = |p: &Vec3| p.cmpge(min).all() && p.cmple(max).all();
        let range = self.starts[patch] as usize..self.starts[patch + 1] as usize;
        points.iter().all(is_inside).then(|| &self.places[range])
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
        per_block(blocks, &mut levels, |memory: &mut (Weighted, Vec<u32>), block, mine| {
            let (lanes, searched) = memory;
            let places = self.list(block, positions).unwrap_or_else(|| {
                searched.clear();
                let cell = cut.coarse_cell(block.coordinate);
                particles.places_near(cell, block.bounds(positions), band.reach(), searched);
                &searched[..]
            });
            lanes.fill(places, particles.metaballs());
            for (level, point) in mine.iter_mut().zip(block.points.clone()) {
                *level = band.level(positions[point], lanes);
            }
        });
        levels
    }
}
