//! One frame of work on surface points: advection, and rounds of regularisation (Mercier et al. 2015,
//! §4.3).

use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::reduce;

use super::smoothing::{fitted_normal, mean_normal, shift};
use super::sphere_sampling::sphere_samples;
use super::turnover::{crowded, vacancies};
use crate::points::coarse::CoarseParticles;
use crate::points::coarse::advection::{Movement, displacements};
use crate::points::coarse::band::{Band, Level};
use crate::points::coarse::patches::Patches;
use crate::points::error::PointError;
use crate::points::report::{PointReport, PointTimes, Spacing, timed};
use crate::points::state::{Lengths, TrackerState};
use crate::points::sums::blocks::{Block, Cut, blocks_of, per_block};
use crate::points::sums::lanes::Oriented;
use crate::points::sums::samples::{Samples, Surface};
use crate::points::{Carry, Neighbourhood, Sums, SurfacePoints, regularisation::spreading};

/// How far outside the band a point may stay, in thicknesses.
const BAND_TOLERANCE: f32 = 0.1;
/// Projections before a point counts as lost.
const MOST_PROJECTIONS: usize = 4;
/// Normals of neighbours in the regularisation may differ by this much: less than on two bodies that
/// touch, more than on a small drop.
const LEAST_COSINE: f32 = -0.5;
/// How far points may move before the particles near them are searched again, in fine spacings.
const PATCH_MARGIN: f32 = 0.4;
/// The largest number of points.
const MOST_POINTS: usize = 1 << 28;

/// What is rebuilt in every frame and kept for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub particles: CoarseParticles,
    pub grid: NeighbourGrid,
    pub patches: Patches,
}

/// The points of a frame during the update.
pub(crate) struct Round {
    coarse: f32,
    fine: f32,
    band: Band,
    cut: Cut,
    pub points: SurfacePoints,
    pub carry: Carry,
    pub next_id: u64,
    pub particles: CoarseParticles,
    pub grid: NeighbourGrid,
    blocks: Vec<Block>,
    pub lists: Neighbourhood,
    /// ρ over one fine spacing, found with the lists.
    density: Vec<f32>,
    samples: Samples,
    pub patches: Patches,
    /// How far the fields above match the present points.
    order: Order,
}

/// How far the points are sorted and searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// There are points that belong to no block.
    Unknown,
    /// Each point belongs to a block, but may have left its cell.
    Blocks,
    /// Points are in cells and blocks.
    Cells,
    /// There are also lists and samples.
    Lists,
}

impl Round {
    /// Begins with the points of the last frame; takes memory to reuse.
    pub fn new(state: &TrackerState, lengths: Lengths, memory: Memory) -> Self {
        let Memory { particles, grid, mut patches } = memory;
        patches.clear();
        Self {
            coarse: lengths.coarse,
            fine: lengths.fine,
            band: Band::new(lengths.coarse),
            cut: Cut::new(lengths.coarse, lengths.fine),
            points: state.points.clone(),
            carry: Carry::identity(state.points.len()),
            next_id: state.next_id,
            particles,
            grid,
            blocks: Vec::new(),
            lists: Neighbourhood::default(),
            density: Vec::new(),
            samples: Samples::default(),
            patches,
            order: Order::Unknown,
        }
    }

    /// Advects the points (Eq. 4.4). Returns where the old points went, and how fast.
    pub fn advect(
        &mut self,
        movement: &Movement,
        duration: f64,
        times: &mut PointTimes,
    ) -> (Vec<Vec3>, Vec<Vec3>) {
        timed(&mut times.neighbours, || {
            // The grid of the last frame, unless the points come from a saved state.
            if self.grid.positions() != self.points.position {
                self.put_in_order();
            }
            self.blocks = blocks_of(&self.grid, &self.cut);
            self.order = Order::Blocks;
        });
        timed(&mut times.advection, || {
            let moved = displacements(&self.points.position, &self.blocks, movement, self.coarse);
            let mut advected = vec![Vec3::ZERO; moved.len()];
            let mut velocity = vec![Vec3::ZERO; moved.len()];
            for (point, displacement) in moved.into_iter().enumerate() {
                self.points.position[point] += displacement;
                let old = self.carry.old_index(point).expect("no point was made yet");
                advected[old] = self.points.position[point];
                velocity[old] = displacement / duration as f32;
            }
            (advected, velocity)
        })
    }

    /// Puts the points in cells and blocks.
    fn put_in_order(&mut self) {
        self.grid.rebuild(&self.points.position, self.cut.fine_cell());
        self.points.gather(self.grid.order());
        self.carry.gather(self.grid.order());
        self.blocks = blocks_of(&self.grid, &self.cut);
        self.order = Order::Cells;
    }

    /// Puts the points in order, at least up to `least`, and computes what the band needs near them.
    fn prepare(&mut self, least: Order, times: &mut PointTimes) {
        if (self.order as u8) < least as u8 {
            timed(&mut times.neighbours, || self.put_in_order());
        }
        let margin = PATCH_MARGIN * self.fine;
        timed(&mut times.particles, || {
            let blocks = self.blocks.iter().filter(|block| !block.points.is_empty());
            let boxes = blocks.map(|block| {
                let cell = self.cut.coarse_cell(block.coordinate);
                (cell, block.bounds(&self.points.position))
            });
            self.particles.activate(boxes, margin);
        });
        timed(&mut times.band, || {
            self.patches.refresh(
                &self.points.position,
                &self.blocks,
                margin,
                &self.cut,
                &self.band,
                &self.particles,
            );
        });
    }

    fn levels(&self) -> Vec<Level> {
        let positions = &self.points.position;
        self.patches.levels(positions, &self.blocks, &self.cut, &self.band, &self.particles)
    }

    /// Moves points towards the band (Eq. 4.9) and makes the direction out of it their normal (Algorithm 1,
    /// line 2). Returns how deep in the band each is: the distance to its inner border.
    fn project(&mut self) -> Vec<f32> {
        let thickness = self.band.thickness();
        let levels = self.levels();
        let columns = self.points.position.par_iter_mut().zip(&mut self.points.normal);
        let columns = columns.zip(levels).with_min_len(4096);
        let project = |((position, normal), level): ((&mut Vec3, &mut Vec3), Level)| {
            if level.level.is_finite() {
                *position += level.outward * (level.correction() * thickness);
                *normal = level.outward.normalize_or(*normal);
            }
            level.level.clamp(0.0, 1.0) * thickness
        };
        columns.map(project).collect()
    }

    /// Moves points into the band and deletes those that do not get there.
    pub fn settle(&mut self, report: &mut PointReport) {
        self.prepare(Order::Blocks, &mut report.times);
        let start = Instant::now();
        let settled: Vec<Option<Vec3>> = self
            .points
            .position
            .par_iter()
            .zip(self.levels())
            .with_min_len(512)
            .map(|(&position, level)| settled(position, level, &self.band, &self.particles))
            .collect();
        for (position, settled) in self.points.position.iter_mut().zip(&settled) {
            *position = settled.unwrap_or(*position);
        }
        report.lost += self.retain(|point| settled[point].is_some());
        report.times.band += start.elapsed();
    }

    /// Keeps only some points; returns how many were removed.
    fn retain(&mut self, stays: impl Fn(usize) -> bool) -> usize {
        let before = self.points.len();
        let stays: Vec<u32> = (0..before as u32).filter(|&point| stays(point as usize)).collect();
        if stays.len() < before {
            self.points.gather(&stays);
            self.carry.gather(&stays);
            let place = |end: usize| stays.partition_point(|&point| (point as usize) < end);
            for block in &mut self.blocks {
                block.points = place(block.points.start)..place(block.points.end);
            }
            self.order = if self.order == Order::Unknown { self.order } else { Order::Blocks };
        }
        before - stays.len()
    }

    /// Makes points where there is surface but no point.
    pub fn sample_uncovered(&mut self, report: &mut PointReport) -> Result<(), PointError> {
        self.prepare(Order::Cells, &mut report.times);
        let samples = timed(&mut report.times.turnover, || {
            let cells = self.particles.uncovered_cells();
            sphere_samples(&self.particles, &cells, self.coarse, self.fine)
        });
        report.sampled += samples.len();
        for (position, normal) in samples {
            self.push(position, normal, 1.0, std::iter::empty())?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        position: Vec3,
        normal: Vec3,
        area: f32,
        parents: impl Iterator<Item = (usize, f32)>,
    ) -> Result<(), PointError> {
        if self.points.len() >= MOST_POINTS {
            return Err(PointError::TooMany { most: MOST_POINTS });
        }
        self.order = Order::Unknown;
        self.carry.insert(parents);
        self.points.position.push(position);
        self.points.normal.push(normal);
        self.points.id.push(self.next_id);
        self.points.area.push(area);
        self.next_id += 1;
        Ok(())
    }

    /// One round of regularisation (§4.3.4), without the turnover. Lists and samples are those of the
    /// last turnover: points move little in a round.
    pub fn regularise(&mut self, sums: Sums, report: &mut PointReport) {
        let times = &mut report.times;
        if self.order != Order::Lists {
            self.prepare(Order::Cells, times);
        }
        let depths = timed(&mut times.band, || self.project());
        if self.order != Order::Lists {
            timed(&mut times.neighbours, || self.find_neighbours(LEAST_COSINE));
            timed(&mut times.normals, || {
                let (cut, surface) = (&self.cut, surface(&self.points));
                let lengths = [self.coarse, self.fine];
                self.samples = Samples::build(surface, &self.blocks, cut, lengths, sums);
            });
            self.order = Order::Lists;
        } else {
            timed(&mut times.normals, || self.samples.refresh(surface(&self.points)));
        }
        timed(&mut times.normals, || self.smooth(&depths));
        timed(&mut times.tangents, || self.spread());
    }

    /// Deletes points that are too close to others, and inserts some where there are too few.
    pub fn turn_over(&mut self, inserts: bool, report: &mut PointReport) -> Result<(), PointError> {
        timed(&mut report.times.turnover, || {
            let goes = crowded(&self.points, &self.lists, self.fine);
            let places = if inserts {
                vacancies(&self.points, &self.lists, &goes, self.fine)
            } else {
                Vec::new()
            };
            report.inserted += places.len();
            let before = self.points.len();
            for (beside, place) in places {
                self.insert(beside as usize, place)?;
            }
            report.crowded += self.retain(|point| point >= before || !goes[point]);
            self.order = if self.order == Order::Unknown { self.order } else { Order::Blocks };
            Ok(())
        })
    }

    /// Lists, and densities over two and one fine spacings. The points may have moved a little since
    /// they were put in order.
    fn find_neighbours(&mut self, least_cosine: f32) {
        let (positions, normals) = (&self.points.position, &self.points.normal);
        let radius = 2.0 * self.fine;
        let densities =
            self.lists.rebuild_facing(&self.grid, positions, normals, radius, least_cosine);
        self.points.area = densities.whole.into_iter().map(|density| 1.0 / density).collect();
        self.density = densities.half;
    }

    /// Normals (Algorithm 1) and the displacement along them (Eq. 4.11), which ends at the borders of
    /// the band: a point that left it would come back beside where it was, and points would creep
    /// along edges forever.
    fn smooth(&mut self, depths: &[f32]) {
        let samples = &mut self.samples;
        for estimate in [fitted_normal, mean_normal] {
            let mut normals = vec![Vec3::ZERO; self.points.len()];
            per_block(&self.blocks, &mut normals, |lanes: &mut Oriented, block, mine| {
                samples.collect_near(block, lanes);
                for (value, i) in mine.iter_mut().zip(block.points.clone()) {
                    let (position, normal) = (self.points.position[i], self.points.normal[i]);
                    *value = estimate(position, normal, lanes, self.coarse);
                }
            });
            samples.refresh_normals(&normals, &self.points.area);
            self.points.normal = normals;
        }
        samples.lift(surface(&self.points));
        let mut shifts = vec![0.0; self.points.len()];
        per_block(&self.blocks, &mut shifts, |lanes: &mut Oriented, block, mine| {
            samples.collect_near(block, lanes);
            for (value, i) in mine.iter_mut().zip(block.points.clone()) {
                *value = shift(self.points.position[i], self.points.normal[i], lanes, self.coarse);
            }
        });
        let thickness = self.band.thickness();
        let columns = self.points.position.par_iter_mut().zip(&self.points.normal);
        columns.zip(shifts).zip(depths).with_min_len(4096).for_each(
            |(((position, &normal), shift), &depth)| {
                *position += shift.clamp(-depth, thickness - depth) * normal;
            },
        );
    }

    /// The displacement along tangents (Eq. 4.12).
    fn spread(&mut self) {
        let pushes = spreading::pushes(
            &self.points.position,
            &self.points.normal,
            &self.lists,
            &self.density,
            self.fine,
        );
        for (position, push) in self.points.position.iter_mut().zip(pushes) {
            *position += push;
        }
    }

    /// A new point at `place`, a mean of the points near it.
    fn insert(&mut self, beside: usize, place: Vec3) -> Result<(), PointError> {
        let mut parents = vec![(beside, 0.0)];
        parents.extend(self.lists.of(beside).iter().map(|&other| (other as usize, 0.0)));
        for (parent, weight) in &mut parents {
            let distance = self.points.position[*parent].distance(place);
            let kernel = (1.0 - 0.5 * distance / self.fine).max(0.0);
            *weight = kernel * self.points.area[*parent];
        }
        let normal: Vec3 = parents.iter().map(|&(i, weight)| weight * self.points.normal[i]).sum();
        let normal = normal.normalize_or(self.points.normal[beside]);
        let area = self.points.area[beside];
        self.push(place, normal, area, parents.into_iter())
    }

    /// The end of a frame: order, neighbours, and the report on them.
    pub fn finish(&mut self, advected: &[Vec3], report: &mut PointReport) {
        timed(&mut report.times.neighbours, || {
            self.put_in_order();
            self.find_neighbours(0.0);
        });
        report.points = self.points.len();
        report.spacing = Spacing::of(&self.points.position, &self.lists, self.fine);
        let moved = |point: usize| {
            let old = self.carry.old_index(point)?;
            Some(f64::from(self.points.position[point].distance_squared(advected[old])))
        };
        let kept = (0..self.points.len()).filter(|&i| self.carry.old_index(i).is_some()).count();
        let total = reduce::sum(self.points.len(), |point| moved(point).unwrap_or(0.0));
        report.correction = (total / kept.max(1) as f64).sqrt() as f32 / self.fine;
    }
}

fn surface(points: &SurfacePoints) -> Surface<'_> {
    Surface { position: &points.position, normal: &points.normal, area: &points.area }
}

/// Projects a point into the band (Eq. 4.9), repeatedly if it is far from it: its new
/// position. `None` if it does not get there.
fn settled(
    mut position: Vec3,
    mut level: Level,
    band: &Band,
    particles: &CoarseParticles,
) -> Option<Vec3> {
    for _ in 0..MOST_PROJECTIONS {
        if !level.level.is_finite() {
            return None;
        }
        position += level.outward * (level.correction() * band.thickness());
        if level.correction().abs() <= BAND_TOLERANCE {
            return Some(position);
        }
        level = Patches::level_at(position, band, particles);
    }
    None
}
