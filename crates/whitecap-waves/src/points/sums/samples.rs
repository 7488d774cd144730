//! The samples that sums over λ_c run over while points are regularised, and which of them each block
//! of points needs.
//!
//! These are the samples of [`crate::points::Aggregates`], made from points that are already in order: a block
//! of half a coarse length holds eight cells of them.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;

use super::aggregates::{Mean, SAME_SIDE, mean};
use super::blocks::{Block, Cut, OWN_SAMPLE_RATIO};
use super::lanes::{Oriented, Row, oriented};
use super::near_box::{NearBox, PositionColumns};
use crate::points::Sums;

/// Blocks per task.
const BLOCKS_PER_TASK: usize = 16;

/// Samples of the surface in the order of blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// Position, normal and area.
    sample: Vec<Row>,
    /// Points of each sample; empty if each point is its own.
    members: Vec<u32>,
    starts: Vec<u32>,
    /// Samples near each block.
    near: Vec<u32>,
    near_starts: Vec<u32>,
}

/// Columns of the points.
#[derive(Clone, Copy)]
pub(crate) struct Surface<'a> {
    pub position: &'a [Vec3],
    pub normal: &'a [Vec3],
    pub area: &'a [f32],
}

impl Samples {
    /// Samples of the points of `blocks` with the scales λ_c and λ_f.
    pub fn build(
        surface: Surface<'_>,
        blocks: &[Block],
        cut: &Cut,
        [coarse, fine]: [f32; 2],
        sums: Sums,
    ) -> Self {
        let mut samples = Self::default();
        let mut block_starts = vec![0u32];
        if sums == Sums::Exact || coarse < OWN_SAMPLE_RATIO * fine {
            samples.sample = (0..surface.position.len())
                .map(|i| oriented(surface.position[i], surface.normal[i], surface.area[i]))
                .collect();
            block_starts.extend(blocks.iter().map(|block| block.points.end as u32));
        } else {
            block_starts.extend(samples.merge(surface, blocks, cut));
        }
        samples.find_near(surface.position, blocks, &block_starts, cut, coarse);
        samples
    }

    /// Merges points; returns where the samples of each block end.
    fn merge(&mut self, surface: Surface<'_>, blocks: &[Block], cut: &Cut) -> Vec<u32> {
        type Part = (Vec<Mean>, Vec<u32>, Vec<u32>, Vec<u32>);
        let parts: Vec<Part> = blocks
            .par_chunks(BLOCKS_PER_TASK)
            .map(|chunk| {
                let (mut means, mut members) = (Vec::new(), Vec::new());
                let (mut counts, mut ends) = (Vec::new(), Vec::new());
                let mut clusters = Vec::new();
                for block in chunk {
                    clusters_of(block, surface, cut, &mut clusters);
                    for (_, _, cluster) in &clusters {
                        means.push(mean(cluster, surface.position, surface.normal, surface.area));
                        members.extend_from_slice(cluster);
                        counts.push(cluster.len() as u32);
                    }
                    ends.push(means.len() as u32);
                }
                (means, members, counts, ends)
            })
            .collect();
        let mut block_ends = Vec::with_capacity(blocks.len());
        self.starts.push(0);
        for (means, members, counts, ends) in parts {
            let before = self.sample.len() as u32;
            block_ends.extend(ends.into_iter().map(|end| before + end));
            self.sample.extend(means.iter().map(|m| oriented(m.position, m.normal, m.area)));
            self.members.extend_from_slice(&members);
            let mut end = *self.starts.last().expect("begins with one");
            for count in counts {
                end += count;
                self.starts.push(end);
            }
        }
        block_ends
    }

    /// Finds the samples within a coarse length of each block's points.
    fn find_near(
        &mut self,
        positions: &[Vec3],
        blocks: &[Block],
        block_starts: &[u32],
        cut: &Cut,
        coarse: f32,
    ) {
        let cells = CoarseCells::new(blocks, block_starts, cut);
        let mut columns = PositionColumns::default();
        let places = self.sample.iter().map(|sample| Vec3::new(sample[0], sample[1], sample[2]));
        columns.fill(&places.collect::<Vec<_>>());
        let near_block = |block: &Block, found: &mut Vec<u32>| {
            let near_box = NearBox::new(block.bounds(positions), coarse);
            let before = found.len();
            cells.for_each_around(cut.coarse_cell(block.coordinate), |range| {
                columns.collect_near(range, &near_box, found);
            });
            (found.len() - before) as u32
        };
        let parts: Vec<(Vec<u32>, Vec<u32>)> = blocks
            .par_chunks(BLOCKS_PER_TASK)
            .map(|chunk| {
                let mut found = Vec::new();
                let counts = chunk.iter().map(|block| near_block(block, &mut found)).collect();
                (counts, found)
            })
            .collect();
        self.near_starts.push(0);
        let mut end = 0;
        for (counts, found) in &parts {
            for count in counts {
                end += count;
                self.near_starts.push(end);
            }
            self.near.extend_from_slice(found);
        }
    }

    /// Recomputes the samples after their points moved a little. The same points share a sample, and
    /// the same samples are near a block.
    pub fn refresh(&mut self, surface: Surface<'_>) {
        let (members, starts) = (&self.members, &self.starts);
        self.sample.par_iter_mut().with_min_len(256).enumerate().for_each(|(number, sample)| {
            *sample = if members.is_empty() {
                oriented(surface.position[number], surface.normal[number], surface.area[number])
            } else {
                let cluster = &members[starts[number] as usize..starts[number + 1] as usize];
                let mean = mean(cluster, surface.position, surface.normal, surface.area);
                oriented(mean.position, mean.normal, mean.area)
            };
        });
    }

    /// Replaces the normals of the samples by means of new normals of the points.
    pub fn refresh_normals(&mut self, normals: &[Vec3], areas: &[f32]) {
        let (members, starts) = (&self.members, &self.starts);
        self.sample.par_iter_mut().with_min_len(256).enumerate().for_each(|(number, sample)| {
            let normal = if members.is_empty() {
                normals[number]
            } else {
                let cluster = &members[starts[number] as usize..starts[number + 1] as usize];
                let weighted = |&i: &u32| areas[i as usize] * normals[i as usize];
                let before = Vec3::new(sample[3], sample[4], sample[5]);
                cluster.iter().map(weighted).sum::<Vec3>().normalize_or(before)
            };
            sample[3..6].copy_from_slice(&normal.to_array());
        });
    }

    /// Moves each sample along its normal onto the surface. The mean of points on a curved
    /// surface lies off it; smoothing would mistake that for a dent, again in every round.
    ///
    /// On a ball of radius R round c the points are c + R n, so their mean is c + R n̄ with the mean
    /// normal n̄, and R (1 - |n̄|) is missing. With C = Σ a (x - x̄) · n / Σ a = R (1 - |n̄|²) that is
    /// C / (1 + |n̄|), which holds to second order on any smooth surface.
    pub fn lift(&mut self, surface: Surface<'_>) {
        if self.members.is_empty() {
            return;
        }
        let (members, starts) = (&self.members, &self.starts);
        self.sample.par_iter_mut().with_min_len(256).enumerate().for_each(|(number, sample)| {
            let cluster = &members[starts[number] as usize..starts[number + 1] as usize];
            let center = Vec3::new(sample[0], sample[1], sample[2]);
            let normal = Vec3::new(sample[3], sample[4], sample[5]);
            let (mut bend, mut mean) = (0.0, Vec3::ZERO);
            for &member in cluster {
                let member = member as usize;
                let weighted = surface.area[member] * surface.normal[member];
                bend += weighted.dot(surface.position[member] - center);
                mean += weighted;
            }
            let lift = bend / (sample[6] + mean.length());
            sample[..3].copy_from_slice(&(center + lift * normal).to_array());
        });
    }

    /// Collects the samples near a block.
    pub fn collect_near(&self, block: &Block, lanes: &mut Oriented) {
        let range = self.near_starts[block.number]..self.near_starts[block.number + 1];
        let near = &self.near[range.start as usize..range.end as usize];
        lanes.fill(near, &self.sample);
    }
}

/// The points of a block by cell of a sample and by orientation: (cell, sum of normals, points).
fn clusters_of(
    block: &Block,
    surface: Surface<'_>,
    cut: &Cut,
    clusters: &mut Vec<(u32, Vec3, Vec<u32>)>,
) {
    clusters.clear();
    let [min, max] = cut.block_box(block.coordinate);
    let middle = 0.5 * (min + max);
    for point in block.points.clone() {
        let cell = surface.position[point].cmpge(middle).bitmask();
        let normal = surface.normal[point];
        let mine = clusters.iter_mut().find(|(other, sum, _)| {
            let along = sum.dot(normal);
            *other == cell
                && along > 0.0
                && along * along > SAME_SIDE * SAME_SIDE * sum.length_squared()
        });
        match mine {
            Some((_, sum, members)) => {
                *sum += normal;
                members.push(point as u32);
            }
            None => clusters.push((cell, normal, vec![point as u32])),
        }
    }
}

/// Cells of one coarse length and the samples in them.
struct CoarseCells {
    index: CoordinateIndex,
    starts: Vec<usize>,
}

impl CoarseCells {
    fn new(blocks: &[Block], block_starts: &[u32], cut: &Cut) -> Self {
        let mut coordinates: Vec<IVec3> = Vec::new();
        let mut starts = Vec::new();
        for block in blocks {
            let coordinate = cut.coarse_cell(block.coordinate);
            if coordinates.last() != Some(&coordinate) {
                coordinates.push(coordinate);
                starts.push(block_starts[block.number] as usize);
            }
        }
        starts.push(*block_starts.last().expect("begins with one") as usize);
        Self { index: CoordinateIndex::build(&coordinates), starts }
    }

    fn for_each_around(&self, middle: IVec3, mut visit: impl FnMut(std::ops::Range<usize>)) {
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -1..=1 {
                    if let Some(cell) = self.index.get(middle + IVec3::new(x, y, z)) {
                        visit(self.starts[cell]..self.starts[cell + 1]);
                    }
                }
            }
        }
    }
}
