//! Surface points from frame to frame.
//!
//! # Guarantees
//! * Every point lies in the band of the coarse particles up to a tenth of its thickness.
//! * Points follow the particles and keep their identity; where surface is stretched, points come
//!   between others, and where it is squeezed the youngest go.
//! * Drops that appear get points; points that are caught inside the liquid go.
//! * The result does not depend on the number of threads, nor on the unit of length.

use std::time::Instant;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Particles, Watch, reduce};
use whitecap_surface::particle_spacing;

use super::advection::{Movement, displacements};
use super::band::{Band, Level};
use super::blocks::{Block, Cut, blocks_of, per_block};
use super::coarse::CoarseParticles;
use super::error::PointError;
use super::lanes::Oriented;
use super::matching::{Identities, nearest};
use super::patches::Patches;
use super::report::{PointReport, PointTimes, Spacing, timed};
use super::samples::{Samples, Surface};
use super::settings::{COARSE_PER_SPACING, PointSettings};
use super::smoothing::{fitted_normal, mean_normal, shift};
use super::sphere_sampling::sphere_samples;
use super::turnover::{crowded, vacancies};
use super::{Carry, Neighbourhood, SurfacePoints, spreading};

/// How far outside the band a point may stay, in thicknesses.
const BAND_TOLERANCE: f32 = 0.1;
/// Projections before a point counts as lost.
const MOST_PROJECTIONS: usize = 4;
/// Neighbours of the regularisation may face this much apart: less than two bodies that touch, more
/// than the neighbours on a small drop.
const LEAST_COSINE: f32 = -0.5;
/// How far points may move before the particles near them are searched anew, in fine spacings.
const PATCH_MARGIN: f32 = 0.4;
/// A coordinate may be this many fine spacings from the origin: beyond, rounding shows.
const MOST_SPACINGS: f32 = 1e6;
/// The most points there may be.
const MOST_POINTS: usize = 1 << 28;

/// A set of surface points that follows a liquid.
#[derive(Clone, Debug, Default)]
pub struct SurfaceTracker {
    settings: PointSettings,
    state: TrackerState,
    /// The fields below are made anew in every frame and kept for their memory.
    particles: CoarseParticles,
    grid: NeighbourGrid,
    neighbourhood: Neighbourhood,
    patches: Patches,
}

/// The two scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// Coarse length λ_c, in metres.
    pub coarse: f32,
    /// Fine spacing λ_f, in metres.
    pub fine: f32,
}

/// All that is remembered from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrackerState {
    pub lengths: Option<Lengths>,
    pub points: SurfacePoints,
    pub next_id: u64,
    pub last: LastParticles,
}

/// Particles near the surface of the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LastParticles {
    pub position: Vec<Vec3>,
    /// 1 / ψ.
    pub inverse_density: Vec<f32>,
    /// Identities, or none.
    pub id: Vec<i64>,
    /// Velocities, or none: kept only where there are no identities.
    pub velocity: Vec<Vec3>,
}

/// What one frame of points gives.
#[derive(Clone, Debug)]
pub struct PointFrame {
    /// How columns of the last frame's points become columns of this frame's.
    pub carry: Carry,
    /// Velocity of the liquid at each point, in metres per second; zero where it is not known yet.
    pub velocity: Vec<Vec3>,
    /// What happened.
    pub report: PointReport,
}

impl SurfaceTracker {
    /// No points yet.
    pub fn new(settings: PointSettings) -> Result<Self, PointError> {
        settings.check()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// The points of the last frame.
    pub fn points(&self) -> &SurfacePoints {
        &self.state.points
    }

    /// Neighbours of the points of the last frame within two fine spacings.
    pub fn neighbourhood(&self) -> &Neighbourhood {
        &self.neighbourhood
    }

    /// The level of each point in the band of the particles: 0 and 1 are its borders.
    pub fn levels(&self) -> Vec<f32> {
        let Some(lengths) = self.state.lengths else { return Vec::new() };
        let band = Band::new(lengths.coarse);
        let positions = self.state.points.position.par_iter();
        let level = |&point: &Vec3| Patches::level_at(point, &band, &self.particles).level;
        positions.with_min_len(64).map(level).collect()
    }

    /// The scales; unknown before the first frame with particles.
    pub fn lengths(&self) -> Option<Lengths> {
        self.state.lengths
    }

    /// The settings.
    pub fn settings(&self) -> &PointSettings {
        &self.settings
    }

    /// Moves the points to the next frame of the liquid, `duration` seconds after the last. On
    /// failure they stay as they are.
    pub fn step(
        &mut self,
        particles: &Particles,
        duration: f64,
        watch: &impl Watch,
    ) -> Result<PointFrame, PointError> {
        self.step_from(particles, duration, watch).map(|(frame, _)| frame)
    }

    /// As [`SurfaceTracker::step`], with the state before the step.
    pub(crate) fn step_from(
        &mut self,
        particles: &Particles,
        duration: f64,
        watch: &impl Watch,
    ) -> Result<(PointFrame, TrackerState), PointError> {
        particles.check_finite()?;
        let mut report = PointReport::default();
        let identities = match particles.ids() {
            Some(ids) => Some((Identities::new(&ids).map_err(duplicate)?, ids)),
            None => None,
        };
        let lengths = match self.state.lengths {
            Some(lengths) => Some(lengths),
            None => self.find_lengths(particles, &mut report.notes)?,
        };
        let Some(lengths) = lengths else {
            return Ok((self.without_surface(report), self.state.clone()));
        };
        check_reach(particles.positions(), lengths.fine)?;
        let mut round = Round::new(self, lengths);
        let start = Instant::now();
        round.particles.rebuild(particles.positions(), lengths.coarse);
        let ids = identities.as_ref().map(|(identities, _)| identities);
        let movement = round.movement(&self.state.last, particles, ids, duration, &mut report);
        report.times.particles += start.elapsed();
        let (advected, mut velocity) = round.advect(&movement, duration, &mut report.times);
        round.prepare(&mut report.times);
        round.sample_uncovered(&mut report)?;
        let rounds = if self.state.points.is_empty() {
            self.settings.first_rounds
        } else {
            self.settings.rounds
        };
        for number in 0..rounds {
            if watch.cancelled() {
                return Err(PointError::Cancelled);
            }
            round.regularise(self.settings.sums, number + 1 < rounds, &mut report)?;
            watch.progress((number + 1) as f32 / rounds as f32);
        }
        round.prepare(&mut report.times);
        let start = Instant::now();
        round.settle(&mut report);
        report.times.band += start.elapsed();
        round.finish(&advected, &mut report);
        round.carry.apply(&mut velocity);
        let carry = std::mem::take(&mut round.carry);
        let before = self.keep(round, lengths, particles, identities.map(|(_, ids)| ids));
        Ok((PointFrame { carry, velocity, report }, before))
    }

    /// The scales, from the settings or the particles; none while there is no particle.
    fn find_lengths(
        &self,
        particles: &Particles,
        notes: &mut Vec<String>,
    ) -> Result<Option<Lengths>, PointError> {
        if particles.is_empty() {
            return Ok(None);
        }
        let coarse = match (self.settings.coarse, particles.radii()) {
            (Some(coarse), _) => coarse,
            (None, Some(radii)) if radii.iter().all(|r| *r > 0.0 && r.is_finite()) => {
                let total = reduce::sum(radii.len(), |i| f64::from(radii[i]));
                COARSE_PER_SPACING * 2.0 * (total / radii.len() as f64) as f32
            }
            (None, _) => {
                let spacing = particle_spacing(particles.positions())
                    .ok_or(PointError::CoarseUnknown { count: particles.len() })?;
                COARSE_PER_SPACING * spacing
            }
        };
        if self.settings.coarse.is_none() {
            notes.push(format!(
                "no coarse length was given: {coarse:.6} m, twice the particle spacing, is used"
            ));
        }
        Ok(Some(Lengths { coarse, fine: self.settings.fine_for(coarse)? }))
    }

    /// A frame of a liquid that has had no particle yet.
    fn without_surface(&mut self, report: PointReport) -> PointFrame {
        self.neighbourhood = Neighbourhood::build(&NeighbourGrid::default(), &[], 1.0);
        PointFrame { carry: Carry::identity(0), velocity: Vec::new(), report }
    }

    /// Makes a finished round the state; returns the state before.
    fn keep(
        &mut self,
        round: Round,
        lengths: Lengths,
        particles: &Particles,
        ids: Option<Vec<i64>>,
    ) -> TrackerState {
        let near: Vec<usize> = (0..round.particles.len())
            .filter(|&place| round.particles.is_near_surface(place))
            .collect();
        let index = |&place: &usize| round.particles.order()[place] as usize;
        let velocities = particles.velocities().filter(|_| ids.is_none());
        let last = LastParticles {
            position: near.iter().map(|&place| round.particles.position(place)).collect(),
            inverse_density: near.iter().map(|&p| round.particles.metaball(p)[3]).collect(),
            id: ids.map_or(Vec::new(), |ids| near.iter().map(|p| ids[index(p)]).collect()),
            velocity: velocities
                .map_or(Vec::new(), |values| near.iter().map(|p| values[index(p)]).collect()),
        };
        self.particles = round.particles;
        self.grid = round.grid;
        self.neighbourhood = round.lists;
        self.patches = round.patches;
        let lengths = Some(lengths);
        let state = TrackerState { lengths, points: round.points, next_id: round.next_id, last };
        std::mem::replace(&mut self.state, state)
    }

    /// All that is remembered.
    pub(crate) fn state(&self) -> &TrackerState {
        &self.state
    }

    /// Goes on from another state. Neighbours and levels are not known before the next step.
    pub(crate) fn put_back(&mut self, state: TrackerState) {
        self.state = state;
        self.neighbourhood = Neighbourhood::default();
        self.particles = CoarseParticles::default();
    }
}

fn duplicate(found: super::matching::Duplicate) -> PointError {
    let [first, second] = found.particles;
    PointError::DuplicateId { id: found.id, first, second }
}

fn check_reach(positions: &[Vec3], fine: f32) -> Result<(), PointError> {
    let limit = MOST_SPACINGS * fine;
    match positions.iter().position(|p| p.abs().max_element() > limit) {
        None => Ok(()),
        Some(index) => {
            let distance = positions[index].abs().max_element();
            Err(PointError::TooFar { index, distance, fine })
        }
    }
}

/// The points of a frame while they are worked on.
struct Round {
    coarse: f32,
    fine: f32,
    band: Band,
    cut: Cut,
    points: SurfacePoints,
    carry: Carry,
    next_id: u64,
    particles: CoarseParticles,
    grid: NeighbourGrid,
    blocks: Vec<Block>,
    lists: Neighbourhood,
    patches: Patches,
}

impl Round {
    fn new(tracker: &mut SurfaceTracker, lengths: Lengths) -> Self {
        let mut patches = std::mem::take(&mut tracker.patches);
        patches.clear();
        Self {
            coarse: lengths.coarse,
            fine: lengths.fine,
            band: Band::new(lengths.coarse),
            cut: Cut::new(lengths.coarse, lengths.fine),
            points: tracker.state.points.clone(),
            carry: Carry::identity(tracker.state.points.len()),
            next_id: tracker.state.next_id,
            particles: std::mem::take(&mut tracker.particles),
            grid: std::mem::take(&mut tracker.grid),
            blocks: Vec::new(),
            lists: Neighbourhood::default(),
            patches,
        }
    }

    /// How the particles of the last frame move to this one.
    fn movement(
        &self,
        last: &LastParticles,
        particles: &Particles,
        identities: Option<&Identities>,
        duration: f64,
        report: &mut PointReport,
    ) -> Movement {
        let count = last.position.len();
        let by_identity = identities.filter(|_| last.id.len() == count);
        if by_identity.is_none() && count > 0 {
            report.notes.push(
                "the particles have no ids: each was matched with the nearest one of the last frame"
                    .to_owned(),
            );
        }
        let now: Vec<Option<Vec3>> = (0..count)
            .into_par_iter()
            .with_min_len(512)
            .map(|i| match by_identity {
                Some(identities) => {
                    identities.get(last.id[i]).map(|index| particles.positions()[index])
                }
                None => {
                    let velocity = last.velocity.get(i).copied().unwrap_or(Vec3::ZERO);
                    let expected = last.position[i] + velocity * duration as f32;
                    nearest(&self.particles, expected, self.coarse)
                }
            })
            .collect();
        let mut movement = Movement::default();
        for (i, now) in now.into_iter().enumerate() {
            let Some(now) = now else {
                report.vanished_particles += 1;
                continue;
            };
            movement.position.push(last.position[i]);
            movement.displacement.push(now - last.position[i]);
            movement.inverse_density.push(last.inverse_density[i]);
        }
        movement
    }

    /// Eq. 4.4. Returns where advection took the old points, and how fast.
    fn advect(
        &mut self,
        movement: &Movement,
        duration: f64,
        times: &mut PointTimes,
    ) -> (Vec<Vec3>, Vec<Vec3>) {
        timed(&mut times.neighbours, || self.order());
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

    /// Puts the points in order, and the densities round them in place.
    fn order(&mut self) {
        self.grid.rebuild(&self.points.position, self.cut.fine_cell());
        self.points.gather(self.grid.order());
        self.carry.gather(self.grid.order());
        self.blocks = blocks_of(&self.grid, &self.cut);
    }

    /// Orders the points and makes known what the band needs near them.
    fn prepare(&mut self, times: &mut PointTimes) {
        timed(&mut times.neighbours, || self.order());
        timed(&mut times.particles, || {
            let cells = self.blocks.iter().map(|block| self.cut.coarse_cell(block.coordinate));
            let mut cells: Vec<IVec3> = cells.collect();
            cells.dedup();
            self.particles.activate(cells.into_iter());
        });
        let margin = PATCH_MARGIN * self.fine;
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

    /// Moves points towards the band (Eq. 4.9) and makes the way out of it their normal (Algorithm 1,
    /// line 2). Returns how deep in the band each is: the distance to its inner border.
    fn project(&mut self) -> Vec<f32> {
        let thickness = self.band.thickness();
        let mut depths = Vec::with_capacity(self.points.len());
        for (i, level) in self.levels().into_iter().enumerate() {
            depths.push(level.level.clamp(0.0, 1.0) * thickness);
            if level.level.is_finite() {
                self.points.position[i] += level.outward * (level.correction() * thickness);
                self.points.normal[i] = level.outward.normalize_or(self.points.normal[i]);
            }
        }
        depths
    }

    /// Moves points into the band and deletes those that do not get there.
    fn settle(&mut self, report: &mut PointReport) {
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
    }

    /// Leaves only some points; returns how many went. If any did, the order must be made anew.
    fn retain(&mut self, stays: impl Fn(usize) -> bool) -> usize {
        let before = self.points.len();
        let stays: Vec<u32> = (0..before as u32).filter(|&point| stays(point as usize)).collect();
        if stays.len() < before {
            self.points.gather(&stays);
            self.carry.gather(&stays);
        }
        before - stays.len()
    }

    /// Makes points where there is surface but no point.
    fn sample_uncovered(&mut self, report: &mut PointReport) -> Result<(), PointError> {
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
        self.carry.insert(parents);
        self.points.position.push(position);
        self.points.normal.push(normal);
        self.points.id.push(self.next_id);
        self.points.area.push(area);
        self.next_id += 1;
        Ok(())
    }

    /// One round of regularisation (§4.3.4).
    fn regularise(
        &mut self,
        sums: super::Sums,
        inserts: bool,
        report: &mut PointReport,
    ) -> Result<(), PointError> {
        self.prepare(&mut report.times);
        let times = &mut report.times;
        let depths = timed(&mut times.band, || self.project());
        timed(&mut times.neighbours, || self.find_neighbours(LEAST_COSINE));
        timed(&mut times.normals, || self.smooth(sums, &depths));
        timed(&mut times.tangents, || self.spread());
        timed(&mut times.turnover, || {
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
            Ok(())
        })
    }

    /// Lists and densities over two fine spacings. The points may have moved a little since they were
    /// put in order.
    fn find_neighbours(&mut self, least_cosine: f32) {
        let radius = 2.0 * self.fine;
        let (positions, normals) = (&self.points.position, &self.points.normal);
        self.lists.rebuild_facing(&self.grid, positions, normals, radius, least_cosine);
        let densities = spreading::densities(positions, &self.lists, radius);
        self.points.area = densities.into_iter().map(|density| 1.0 / density).collect();
    }

    /// Normals (Algorithm 1) and the displacement along them (Eq. 4.11), which ends at the borders of
    /// the band: a point that left it would come back beside where it was, and points would creep
    /// along edges for ever.
    fn smooth(&mut self, sums: super::Sums, depths: &[f32]) {
        let surface = Surface {
            position: &self.points.position,
            normal: &self.points.normal,
            area: &self.points.area,
        };
        let mut samples =
            Samples::build(surface, &self.blocks, &self.cut, self.coarse, self.fine, sums);
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
        let mut shifts = vec![0.0; self.points.len()];
        per_block(&self.blocks, &mut shifts, |lanes: &mut Oriented, block, mine| {
            samples.collect_near(block, lanes);
            for (value, i) in mine.iter_mut().zip(block.points.clone()) {
                *value = shift(self.points.position[i], self.points.normal[i], lanes, self.coarse);
            }
        });
        for (i, shift) in shifts.into_iter().enumerate() {
            let shift = shift.clamp(-depths[i], self.band.thickness() - depths[i]);
            self.points.position[i] += shift * self.points.normal[i];
        }
    }

    /// The displacement along tangents (Eq. 4.12).
    fn spread(&mut self) {
        let densities = spreading::densities(&self.points.position, &self.lists, self.fine);
        let pushes = spreading::pushes(
            &self.points.position,
            &self.points.normal,
            &self.lists,
            &densities,
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

    /// The last look: order, neighbours, and what is told about them.
    fn finish(&mut self, advected: &[Vec3], report: &mut PointReport) {
        timed(&mut report.times.neighbours, || {
            self.order();
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

/// Projects a point into the band (Eq. 4.9), again and again if it is far from it: its new
/// position. None if it does not get there.
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
