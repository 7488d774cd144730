//! Surface points from frame to frame.
//!
//! # Guarantees
//! * Every point lies in the band of the coarse particles, to within a tenth of its thickness.
//! * Points follow the particles and keep their identity; where the surface is stretched, points are inserted
//!   between others, and where it is squeezed the youngest are deleted.
//! * Drops that appear get points; points that are caught inside the liquid are deleted.
//! * The result does not depend on the number of threads, nor on the unit of length.

use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::budget;
use whitecap_core::identities::Duplicate;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Identities, Particles, Watch, counted};
use whitecap_surface::spacing_of;

use super::coarse::averages::averages;
use super::coarse::band::Band;
use super::coarse::patches::Patches;
use super::error::PointError;
use super::regularisation::round::{Memory, Round};
use super::report::PointReport;
use super::settings::{COARSE_PER_SPACING, PointSettings};
use super::state::{LastParticles, Lengths, TrackerState};
use super::{Carry, Neighbourhood, SurfacePoints};

/// A coordinate may be this many fine spacings from the origin; beyond that, rounding is visible.
const MOST_SPACINGS: f32 = 1e6;
/// The share of particles that may be farther than that, and are left out.
const MOST_STRAYS: f32 = 0.01;

/// Memory of a surface point, with its neighbours, its place in grids and its waves.
const BYTES_PER_POINT: f64 = 400.0;

/// Rounds of regularisation from one turnover to the next; points keep their order and neighbours
/// meanwhile.
const ROUNDS_PER_TURNOVER: u32 = 2;

/// A set of surface points that follows a liquid.
#[derive(Clone, Debug, Default)]
pub struct SurfaceTracker {
    settings: PointSettings,
    state: TrackerState,
    neighbourhood: Neighbourhood,
    memory: Memory,
}

/// The result of one frame.
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
        let level = |&point: &Vec3| Patches::level_at(point, &band, &self.memory.particles).level;
        positions.with_min_len(64).map(level).collect()
    }

    /// The mean, at each point of the last frame, of `values` of its particles, with the weights of the
    /// advection. Values that are not numbers count as zero.
    ///
    /// # Panics
    /// If there is not one value for each of the particles of the last frame.
    pub fn averages(&self, particles: &Particles, values: &[f32]) -> Vec<f32> {
        let Some(Lengths { coarse, fine }) = self.state.lengths else { return Vec::new() };
        let kept = near_particles(particles.positions(), fine);
        let value = |particle: usize| {
            let value = values[kept.as_ref().map_or(particle, |kept| kept[particle] as usize)];
            if value.is_finite() { value } else { 0.0 }
        };
        averages(&self.state.points.position, &self.memory.particles, value, coarse)
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
        watch: &dyn Watch,
    ) -> Result<PointFrame, PointError> {
        self.step_from(particles, duration, watch).map(|(frame, _)| frame)
    }

    /// As [`SurfaceTracker::step`], with the state before the step.
    pub(crate) fn step_from(
        &mut self,
        particles: &Particles,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<(PointFrame, TrackerState), PointError> {
        particles.check_finite()?;
        let mut report = PointReport::default();
        let lengths = match self.state.lengths {
            Some(lengths) => Some(lengths),
            None => self.find_lengths(particles, &mut report.notes)?,
        };
        let Some(lengths) = lengths else {
            return Ok((self.without_surface(report), self.state.clone()));
        };
        match without_strays(particles, lengths.fine, &mut report.notes)? {
            Some(kept) => self.step_at(lengths, &kept, duration, watch, report),
            None => self.step_at(lengths, particles, duration, watch, report),
        }
    }

    fn step_at(
        &mut self,
        lengths: Lengths,
        particles: &Particles,
        duration: f64,
        watch: &dyn Watch,
        mut report: PointReport,
    ) -> Result<(PointFrame, TrackerState), PointError> {
        let ids = particles.ids();
        let identities = ids.as_deref().map(Identities::unique).transpose().map_err(duplicate)?;
        let mut round = Round::new(&self.state, lengths, std::mem::take(&mut self.memory));
        let start = Instant::now();
        round.particles.rebuild(particles.positions(), lengths.coarse);
        let known = self.state.points.len() as f64;
        let more = round.particles.expected_points(lengths.fine) - known;
        budget::ask(more * BYTES_PER_POINT, "the surface points", "use a larger `fine` spacing")?;
        let movement = self.state.last.movement(
            particles,
            identities.as_ref(),
            lengths.coarse,
            duration,
            &mut report,
        );
        report.times.particles += start.elapsed();
        let (advected, mut velocity) = round.advect(&movement, duration, &mut report.times);
        round.sample_uncovered(&mut report)?;
        let is_first = self.state.points.is_empty();
        let rounds = if is_first { self.settings.first_rounds } else { self.settings.rounds };
        for number in 0..rounds {
            if watch.cancelled() {
                return Err(PointError::Cancelled);
            }
            round.regularise(self.settings.sums, &mut report);
            let is_last = number + 1 == rounds;
            if is_last || (number + 1) % ROUNDS_PER_TURNOVER == 0 {
                round.turn_over(!is_last, &mut report)?;
            }
            watch.progress((number + 1) as f32 / rounds as f32);
        }
        round.settle(&mut report);
        round.finish(&advected, &mut report);
        round.carry.apply(&mut velocity);

        let last = LastParticles::new(&round.particles, particles, ids);
        let Round { carry, points, next_id, lists, particles, grid, patches, .. } = round;
        self.neighbourhood = lists;
        self.memory = Memory { particles, grid, patches };
        let state = TrackerState { lengths: Some(lengths), points, next_id, last };
        let before = std::mem::replace(&mut self.state, state);
        Ok((PointFrame { carry, velocity, report }, before))
    }

    /// The scales, from the settings or the particles; `None` while there is no particle.
    fn find_lengths(
        &self,
        particles: &Particles,
        notes: &mut Vec<String>,
    ) -> Result<Option<Lengths>, PointError> {
        if particles.is_empty() {
            return Ok(None);
        }
        let coarse = match self.settings.coarse {
            Some(coarse) => coarse,
            None => {
                let unknown = PointError::CoarseUnknown { count: particles.len() };
                COARSE_PER_SPACING * spacing_of(particles).ok_or(unknown)?
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

    /// Everything that is remembered.
    pub(crate) fn state(&self) -> &TrackerState {
        &self.state
    }

    /// Continues from another state. Neighbours and levels are not known before the next step.
    pub(crate) fn put_back(&mut self, state: TrackerState) {
        self.state = state;
        self.neighbourhood = Neighbourhood::default();
        self.memory = Memory::default();
    }
}

fn duplicate(found: Duplicate) -> PointError {
    let [first, second] = found.particles;
    PointError::DuplicateId { id: found.id, first, second }
}

/// The indices of the particles that are not too far from the origin for their size, if some are.
fn near_particles(positions: &[Vec3], fine: f32) -> Option<Vec<u32>> {
    let is_near = |p: &Vec3| p.abs().max_element() <= MOST_SPACINGS * fine;
    if positions.par_iter().with_min_len(4096).all(is_near) {
        return None;
    }
    Some((0..positions.len() as u32).filter(|&i| is_near(&positions[i as usize])).collect())
}

/// The particles that are not too far from the origin for their size, if some are. A few that flew
/// off are left out; if there are many, the liquid itself is too far.
fn without_strays(
    particles: &Particles,
    fine: f32,
    notes: &mut Vec<String>,
) -> Result<Option<Particles>, PointError> {
    let positions = particles.positions();
    let Some(kept) = near_particles(positions, fine) else { return Ok(None) };
    // The first that is missing among those that were kept.
    let index = kept.iter().enumerate().take_while(|&(i, &kept)| i == kept as usize).count();
    let strays = positions.len() - kept.len();
    if strays as f32 > MOST_STRAYS * positions.len() as f32 {
        let distance = positions[index].abs().max_element();
        return Err(PointError::TooFar { index, distance, fine });
    }
    notes.push(format!(
        "{strays} of {} left out: too far away; the first is {index}",
        counted(positions.len(), "particle")
    ));
    Ok(Some(particles.gather(&kept)))
}
