//! The liquid and its time step.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::poisson::SolveSettings;
use whitecap_core::sparse_grid::{SparseGrid, Tile, local_node, tile_order};
use whitecap_core::{Watch, attributes, budget, counted, scatter};
use whitecap_scene::AnimatedBody;
use whitecap_scene::body::Contact;
use whitecap_scene::emitter::Emitter;
use whitecap_scene::fill::CLOSEST;
use whitecap_scene::kill::is_removed;

use super::error::FlipError;
use super::from_grid::{Flow, Solids, from_grid};
use super::narrow_band::Band;
use super::particles::{FlipParticles, OneParticle};
use super::report::{FlipFrameReport, FlipStepReport};
use super::settings::FlipSettings;
use super::spreading::spreading;
use super::surface_distance::surface_distance;
use super::time_step::FARTHER;
use super::to_grid::to_grid;
use crate::mac::extrapolation::{extrapolate, extrapolate_linearly};
use crate::mac::faces::acceleration_of_faces;
use crate::mac::pressure::{Equations, PressureInput};
use crate::mac::solids::{Obstacles, SolidFaces};
use crate::mac::{MacLattice, step_around};
use crate::surroundings::Surroundings;

/// Memory of a particle with its share of the grid, in bytes.
const BYTES_PER_PARTICLE: f64 = 200.0;
/// Memory of a tile of 8³ cells in a step, in bytes: counts where few particles are in many tiles.
const BYTES_PER_TILE: f64 = 20_000.0;
/// More steps in a frame than any liquid needs.
const MOST_STEPS: f64 = 10_000.0;
/// Faces beyond the liquid that get a velocity, besides those that particles may reach in a step.
pub(super) const LAYERS: usize = 2;
/// The nearest of them, where the outermost particles are, go on along lines.
const LINEAR_LAYERS: usize = 1;
/// How far from a solid particles are kept, in spacings.
const MARGIN: f32 = 0.1;
/// How far particles of a fill are moved from their lattice, in spacings: enough to break its rows.
const JITTER: f32 = 0.25;

/// A liquid on a grid.
#[derive(Clone, Debug)]
pub struct FlipLiquid {
    pub(super) settings: FlipSettings,
    pub(super) lattice: MacLattice,
    pub(super) surroundings: Surroundings,
    pub(super) particles: FlipParticles,
    /// The core without particles; `None` if there is none, or none yet.
    pub(super) band: Option<Band>,
    pub(super) emitters: Vec<Emitter>,
    /// Solids on the grid, as of the last step.
    pub(super) solids: Option<SolidFaces>,
    /// Pressure of the step before, to start from.
    pub(super) pressure: Option<SparseGrid<f32>>,
    pub(super) time: f64,
    /// Length of the last step in s.
    pub(super) last_step: f64,
    pub(super) next_id: i64,
}

impl FlipLiquid {
    /// A liquid without particles.
    pub fn new(settings: FlipSettings) -> Result<Self, FlipError> {
        if let Some(problem) = settings.problems().into_iter().next() {
            return Err(problem.into());
        }
        let surroundings = Surroundings::new(settings.walls())?;
        Ok(Self {
            lattice: MacLattice::at_origin(settings.cell()),
            surroundings,
            settings,
            particles: FlipParticles::default(),
            band: None,
            emitters: Vec::new(),
            solids: None,
            pressure: None,
            time: 0.0,
            last_step: 0.0,
            next_id: 0,
        })
    }

    /// The particles.
    pub fn particles(&self) -> &FlipParticles {
        &self.particles
    }

    /// The particles, to be changed between frames.
    pub fn particles_mut(&mut self) -> &mut FlipParticles {
        &mut self.particles
    }

    /// Time since the start, in s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Adds a body that the liquid flows round.
    pub fn add_solid(&mut self, solid: AnimatedBody) -> Result<(), FlipError> {
        self.solids = None;
        Ok(self.surroundings.add(solid, self.time)?)
    }

    /// Adds an emitter.
    pub fn add_emitter(&mut self, emitter: Emitter) {
        self.emitters.push(emitter);
    }

    /// Adds particles on a lattice, such as those of a fill; each is moved a little, by its number.
    pub fn add(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), FlipError> {
        let (found, expected) = (velocities.len(), positions.len());
        if found != expected {
            let name = attributes::VELOCITY.into();
            return Err(whitecap_core::Error::ColumnLength { name, found, expected }.into());
        }
        let what = format!("a liquid of {}", counted(self.particles.len() + expected, "particle"));
        let needed = expected as f64 * BYTES_PER_PARTICLE;
        budget::ask(needed, &what, "use a larger `spacing`")?;
        for (column, values) in [("position", positions), ("velocity", velocities)] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(FlipError::NotFinite { column, index });
            }
        }
        self.check_places(positions)?;
        self.particles.reserve(expected, self.settings.transfer().is_affine());
        for (&position, &velocity) in positions.iter().zip(velocities) {
            let random = |axis: u64| 2.0 * scatter::fraction(3 * self.next_id as u64 + axis) - 1.0;
            let jitter = Vec3::new(random(0), random(1), random(2));
            let moved = position + JITTER * self.settings.spacing * jitter;
            let is_free = self.surroundings.distance(moved) > 0.0;
            let position = if is_free { moved } else { position };
            let affine = self.settings.transfer().is_affine().then_some([Vec3::ZERO; 3]);
            let particle = OneParticle { position, velocity, affine };
            self.particles.push(particle, self.next_id, self.settings.viscosity);
            self.next_id += 1;
        }
        Ok(())
    }

    /// Distance to the nearest wall or solid in m, negative inside one.
    pub fn clearance(&self, position: Vec3) -> f32 {
        self.surroundings.distance(position)
    }

    /// Advances by one frame of `duration` seconds, in as many steps as needed.
    pub fn step_frame(
        &mut self,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<FlipFrameReport, FlipError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(FlipError::Duration { duration });
        }
        let (start, end) = (self.time, self.time + duration);
        let mut report = FlipFrameReport::default();
        while self.time < end {
            if watch.cancelled() {
                return Err(FlipError::Cancelled);
            }
            let remaining = end - self.time;
            let (longest, speed) = self.longest_time_step();
            let steps = (remaining / longest - 1e-6).ceil().max(1.0);
            if steps > MOST_STEPS {
                return Err(FlipError::TooFast { time: self.time, speed, steps: steps as u64 });
            }
            let (steps, after) = self.slow_enough_for_solids(remaining, steps)?;
            let step = self.step(remaining / steps, after, watch).map_err(|error| {
                self.drop_skin();
                error.at(self.time)
            })?;
            self.time = if steps == 1.0 { end } else { self.time + step.time_step };
            report.steps.push(FlipStepReport { largest_speed: speed, ..step });
            self.kill();
            watch.progress(((self.time - start) / duration).min(1.0) as f32);
        }
        self.particles.acceleration.clear();
        // What the last step released is part of the frame.
        self.emit()?;
        report.particles = self.particles.len();
        report.core_cells = self.core_cells();
        Ok(report)
    }

    /// In how many steps the rest of a frame is to be made, at least as many as asked for, so that no solid moves
    /// farther than `cfl` cells in the next; and where solids are after that.
    fn slow_enough_for_solids(
        &self,
        remaining: f64,
        mut steps: f64,
    ) -> Result<(f64, Surroundings), FlipError> {
        let farthest = self.settings.cfl * self.settings.cell();
        loop {
            let after = self.surroundings.at(self.time + remaining / steps)?;
            let times = after.largest_move(&self.surroundings) / farthest;
            if times <= 1.0 || steps >= MOST_STEPS {
                return Ok((steps, after));
            }
            steps = (steps * f64::from(times)).ceil().max(steps + 1.0).min(MOST_STEPS);
        }
    }

    /// One step, after which solids are where `after` has them; on an error nothing has changed.
    fn step(
        &mut self,
        time_step: f64,
        after: Surroundings,
        watch: &dyn Watch,
    ) -> Result<FlipStepReport, FlipError> {
        let mut report = FlipStepReport { time_step, ..FlipStepReport::default() };
        self.emit()?;
        self.start_band(&after);
        self.add_skin(time_step as f32);
        if self.particles.is_empty() && self.core_cells() == 0 {
            // Solids move on without being looked at.
            self.solids = None;
            self.surroundings = after;
            return Ok(report);
        }
        let order = self.cell_order();
        let tiles = dilated(&order.wet_tiles());
        let what = format!("a liquid that is spread over {}", counted(tiles.len(), "tile"));
        let needed = tiles.len() as f64 * BYTES_PER_TILE;
        budget::ask(needed, &what, "use a larger `spacing`, or keep the liquid together")?;
        let solids = SolidFaces::renewed(self.solids.as_ref(), self.lattice, &tiles, &after);
        let liquid =
            surface_distance(self.lattice, &tiles, &self.particles.position, &order, &solids);
        // Velocities are those halfway between positions (leapfrog), so that the motion is of second order.
        let halfway = 0.5 * (self.last_step + time_step) as f32;
        let particles = self.accelerated(halfway);
        let (mut velocity, mut known) = to_grid(self.lattice, &tiles, &particles, &order);
        self.carry_core(&mut velocity, &mut known);
        extrapolate(&mut velocity, &mut known, LAYERS);
        let before = self.settings.transfer().needs_change().then(|| velocity.clone());
        self.accelerate(&mut velocity, halfway);
        let surface = self.surface_pressure(&liquid, &solids, halfway);
        let surface = surface.as_ref();
        let input = PressureInput { liquid: &liquid, solids: &solids, divergence: None, surface };
        let accuracy =
            SolveSettings { tolerance: self.settings.tolerance, ..SolveSettings::default() };
        let equations = Equations::new(&liquid, &solids);
        let mut solver = equations.solver();
        let system = (&equations, &mut solver);
        let friction = self.rub(&mut velocity, system, &input, &order, time_step as f32, watch)?;
        // Friction starts from a velocity that the pressure, and so surface tension, has already acted on.
        let (guess, surface) = match &friction {
            Some(_) => (None, None),
            None => (self.pressure.as_ref(), surface),
        };
        let input = PressureInput { surface, ..input };
        let projection =
            equations.project(&mut solver, &mut velocity, &input, guess, &accuracy, watch)?;
        let surplus = self.core_density_error();
        let spread = spreading(&equations, &mut solver, &liquid, &order, surplus, &solids, watch)?;
        let mut known = projection.known;
        // What turns or spreads goes on doing so where the outermost particles are.
        extrapolate_linearly(&mut velocity, &mut known, LINEAR_LAYERS);
        extrapolate(&mut velocity, &mut known, self.layers_reached());
        report.iterations = projection.iterations;
        report.residual = projection.residual;
        if let Some(friction) = &friction {
            report.iterations += friction.pressure_iterations;
            report.viscosity_iterations = friction.iterations;
        }
        // Particles need the memory.
        drop(solver);
        drop(equations);
        drop((known, liquid));
        let flow = Flow { before: before.as_ref(), after: &velocity, spread: spread.as_ref() };
        let contacts = Solids {
            before: &self.surroundings,
            after: &after,
            faces: &solids,
            contact: self.contact(),
        };
        let (transfer, duration) = (self.settings.transfer(), time_step as f32);
        let moved = from_grid(flow, contacts, transfer, duration, &order, &particles);
        self.check_motion(&moved)?;
        self.particles = moved;
        self.last_step = time_step;
        self.surroundings = after;
        self.settle_band(&velocity, &solids, None);
        self.solids = Some(solids);
        self.pressure = Some(friction.map_or(projection.pressure, |friction| friction.pressure));
        Ok(report)
    }

    /// Adds the particles that emitters have released until now, where there is room.
    fn emit(&mut self) -> Result<(), FlipError> {
        if self.emitters.is_empty() {
            return Ok(());
        }
        let nearest = CLOSEST * self.settings.spacing;
        for number in 0..self.emitters.len() {
            let taken = NeighbourGrid::build(&self.particles.position, nearest);
            let (surroundings, lattice) = (&self.surroundings, self.lattice);
            let core = self.band.as_ref().map(|band| &band.core);
            let occupied = |place: Vec3| {
                taken.nearest(place, nearest).is_some()
                    || surroundings.distance(place) < 0.0
                    || core.is_some_and(|core| core.get(lattice.cell_of(place)) > 0)
            };
            let emitted = self.emitters[number].emit(self.time, &occupied)?;
            self.add(&emitted.positions, &emitted.velocities)?;
        }
        Ok(())
    }

    /// Lets gravity and other forces act on every face.
    fn accelerate(&self, velocity: &mut SparseGrid<Vec3>, time_step: f32) {
        let gravity = Vec3::from(self.settings.gravity);
        let (forces, lattice, time) = (&self.settings.forces, self.lattice, self.time);
        let coordinates = velocity.coordinates().to_vec();
        velocity.tiles_mut().par_iter_mut().zip(coordinates).for_each(|(values, tile)| {
            let Tile::Dense(values) = values else { return };
            for (offset, value) in values.iter_mut().enumerate() {
                *value += time_step * gravity;
                if !forces.is_empty() {
                    let face = tile * 8 + local_node(offset);
                    *value +=
                        time_step * acceleration_of_faces(forces, lattice, face, *value, time);
                }
            }
        });
    }

    /// How particles meet solids.
    fn contact(&self) -> Contact {
        Contact {
            margin: MARGIN * self.settings.spacing,
            friction: 0.0,
            reach: (FARTHER * self.settings.cfl + 1.0) * self.settings.cell(),
        }
    }

    /// Faces beyond the liquid that particles may be carried by: the last velocity of a step is that after three
    /// quarters of the way.
    fn layers_reached(&self) -> usize {
        (0.75 * FARTHER * self.settings.cfl).ceil() as usize
    }

    fn kill(&mut self) {
        let volumes = &self.settings.kill;
        if !volumes.is_empty() {
            let positions = self.particles.position.clone();
            self.particles.retain(|place| !is_removed(volumes, positions[place]));
        }
    }
}

/// The tiles and all around them, sorted.
pub(super) fn dilated(tiles: &[IVec3]) -> Vec<IVec3> {
    let mut all: Vec<IVec3> =
        tiles.iter().flat_map(|&tile| (0..27).map(move |slot| tile + step_around(slot))).collect();
    all.par_sort_unstable_by_key(|&tile| tile_order(tile));
    all.dedup();
    all
}
