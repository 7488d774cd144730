//! The smoke and the air that carries it.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::{SparseGrid, Watch};
use whitecap_scene::AnimatedBody;
use whitecap_scene::shape::Side;

use super::error::SmokeError;
use super::report::SmokeFrameReport;
use super::settings::SmokeSettings;
use super::source::Source;
use super::tiles::{self, largest_component};
use super::touching::Touching;
use crate::mac::MacLattice;
use crate::mac::solids::SolidFaces;
use crate::mac::transport::CellBox;
use crate::surroundings::Surroundings;

/// More steps in a frame than any smoke needs.
const MOST_STEPS: f64 = 1000.0;
/// Rounding of the place of a wall, in cells.
const ROUNDING: f64 = 1e-3;

/// Smoke.
#[derive(Clone, Debug)]
pub struct Smoke {
    pub(super) settings: SmokeSettings,
    pub(super) lattice: MacLattice,
    /// The cells of the domain.
    pub(super) room: CellBox,
    pub(super) surroundings: Surroundings,
    pub(super) sources: Vec<Source>,
    pub(super) air: Air,
    /// Solids at the faces of the air at its time.
    pub(super) solids: SolidFaces,
}

/// What changes from step to step.
#[derive(Clone, Debug)]
pub(super) struct Air {
    /// Density and temperature above that of still air, in the same tiles.
    pub(super) density: SparseGrid<f32>,
    pub(super) temperature: SparseGrid<f32>,
    /// Velocity on the faces of these tiles, free of divergence.
    pub(super) velocity: SparseGrid<Vec3>,
    /// Pressure of the step before, to start from.
    pub(super) pressure: SparseGrid<f32>,
    /// Time in s.
    pub(super) time: f64,
    /// Length of the last step in s; zero if its pressure is not known.
    pub(super) last_step: f64,
}

impl Smoke {
    /// Still air without smoke.
    pub fn new(settings: SmokeSettings) -> Result<Self, SmokeError> {
        if let Some(problem) = settings.problems().into_iter().next() {
            return Err(problem.into());
        }
        let lattice = MacLattice::at_origin(settings.cell);
        let surroundings = Surroundings::new(settings.walls())?;
        let nothing = SparseGrid::new(lattice.centers(), 0.0);
        let air = Air {
            density: nothing.clone(),
            temperature: nothing.clone(),
            velocity: SparseGrid::new(lattice.corners, Vec3::ZERO),
            pressure: nothing,
            time: 0.0,
            last_step: 0.0,
        };
        let solids = SolidFaces::new(lattice, &[], &Touching(&surroundings));
        let room = cells_of_domain(&settings);
        Ok(Self { settings, lattice, room, surroundings, sources: Vec::new(), air, solids })
    }

    /// The settings.
    pub fn settings(&self) -> &SmokeSettings {
        &self.settings
    }

    /// Density in the middles of cells.
    pub fn density(&self) -> &SparseGrid<f32> {
        &self.air.density
    }

    /// Temperature above that of still air in the middles of cells, in K.
    pub fn temperature(&self) -> &SparseGrid<f32> {
        &self.air.temperature
    }

    /// Velocity on faces in m/s: component a of a cell on its low face on axis a.
    pub fn velocity(&self) -> &SparseGrid<Vec3> {
        &self.air.velocity
    }

    /// Solids on the faces of the air.
    pub fn solids(&self) -> &SolidFaces {
        &self.solids
    }

    /// The cells of the domain.
    pub fn room(&self) -> CellBox {
        self.room
    }

    /// Time since the start, in s.
    pub fn time(&self) -> f64 {
        self.air.time
    }

    /// The integral of the density over space: density times m³.
    pub fn total_density(&self) -> f64 {
        tiles::sum(&self.air.density, |_| true) * self.cell_volume()
    }

    pub(super) fn cell_volume(&self) -> f64 {
        f64::from(self.settings.cell).powi(3)
    }

    /// Sentences about what can be simulated, but will hardly look as it was meant: solids that are thinner than a
    /// cell.
    pub fn warnings(&self) -> Vec<String> {
        self.surroundings.leaks(&self.settings.obstacles, self.settings.cell, "cell")
    }

    /// Adds a body that the smoke flows round.
    pub fn add_solid(&mut self, solid: AnimatedBody) -> Result<(), SmokeError> {
        self.surroundings.add(solid, self.air.time)?;
        let tiles = self.air.velocity.coordinates();
        self.solids = SolidFaces::new(self.lattice, tiles, &Touching(&self.surroundings));
        Ok(())
    }

    /// Adds a source.
    pub fn add_source(&mut self, source: Source) {
        self.sources.push(source);
    }

    /// The sources, to be given the particles and volumes of a frame.
    pub fn sources_mut(&mut self) -> &mut [Source] {
        &mut self.sources
    }

    /// Puts smoke into cells of `tiles`: `state(position)` is the density, the temperature above that of
    /// still air in K, and the velocity in m/s at a position in m. What was there is gone.
    pub fn set(
        &mut self,
        tiles: &[IVec3],
        state: impl Fn(Vec3) -> (f32, f32, Vec3) + Sync,
    ) -> Result<(), SmokeError> {
        let centers = self.lattice.centers();
        let node = whitecap_core::sparse_grid::local_node;
        let scalars = |pick: fn((f32, f32, Vec3)) -> f32| {
            SparseGrid::filled(centers, 0.0, tiles.to_vec(), |tile, values| {
                for (offset, value) in values.iter_mut().enumerate() {
                    *value = pick(state(centers.position(tile * 8 + node(offset))));
                }
            })
        };
        let (density, temperature) = (scalars(|state| state.0), scalars(|state| state.1));
        let faces = tiles::tiles_of_faces(density.coordinates());
        let velocity =
            SparseGrid::filled(self.lattice.corners, Vec3::ZERO, faces, |tile, values| {
                for (offset, value) in values.iter_mut().enumerate() {
                    for axis in 0..3 {
                        let face =
                            self.lattice.face_centers(axis).position(tile * 8 + node(offset));
                        value[axis] = state(face).2[axis];
                    }
                }
            });
        for (what, is_finite) in [
            ("density", tiles::largest(&density).is_finite()),
            ("temperature", tiles::largest(&temperature).is_finite()),
            ("velocity", largest_component(&velocity).is_finite()),
        ] {
            if !is_finite {
                return Err(SmokeError::NotFinite { what, time: self.air.time });
            }
        }
        self.solids =
            SolidFaces::new(self.lattice, velocity.coordinates(), &Touching(&self.surroundings));
        let pressure = SparseGrid::new(centers, 0.0);
        let time = self.air.time;
        self.air = Air { density, temperature, velocity, pressure, time, last_step: 0.0 };
        Ok(())
    }

    /// Advances by one frame of `duration` seconds, in as many steps as needed.
    pub fn step_frame(
        &mut self,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<SmokeFrameReport, SmokeError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(SmokeError::Duration { duration });
        }
        let (start, end) = (self.air.time, self.air.time + duration);
        let mut report = SmokeFrameReport::default();
        while self.air.time < end {
            if watch.cancelled() {
                return Err(SmokeError::Cancelled);
            }
            let remaining = end - self.air.time;
            let (longest, speed) = self.longest_time_step();
            let steps = (remaining / longest - 1e-6).ceil().max(1.0);
            if steps > MOST_STEPS {
                let time = self.air.time;
                return Err(SmokeError::TooFast { time, speed, steps: steps as u64 });
            }
            self.step(remaining / steps, watch, &mut report)?;
            if steps == 1.0 {
                self.air.time = end;
            }
            watch.progress(((self.air.time - start) / duration).min(1.0) as f32);
        }
        report.total = self.total_density();
        Ok(report)
    }

    /// The longest step that the settings allow now, and the largest speed along an axis.
    fn longest_time_step(&self) -> (f64, f32) {
        let speed = largest_component(&self.air.velocity);
        let warmth = tiles::largest(&self.air.temperature) / self.settings.ambient_temperature;
        let gravity = Vec3::from(self.settings.gravity).length();
        // From v Δt + a Δt² = cfl · cell, written so that it holds for a = 0 and v = 0.
        let distance = self.settings.cfl * self.settings.cell;
        let root = (speed * speed + 4.0 * gravity * warmth * distance).sqrt();
        (f64::from(2.0 * distance / (speed + root)), speed)
    }
}

/// The cells of the domain: those that it touches, and along open sides those whose middle is in it.
fn cells_of_domain(settings: &SmokeSettings) -> CellBox {
    let Some(domain) = settings.domain else { return CellBox::EVERYTHING };
    let sides = [[Side::LowX, Side::HighX], [Side::LowY, Side::HighY], [Side::LowZ, Side::HighZ]];
    let cells = |length: f32| f64::from(length) / f64::from(settings.cell);
    let low = |axis: usize| match settings.open_sides.contains(&sides[axis][0]) {
        true => cells(domain.min[axis]).round() as i32,
        false => (cells(domain.min[axis]) + ROUNDING).floor() as i32,
    };
    let high = |axis: usize| match settings.open_sides.contains(&sides[axis][1]) {
        true => cells(domain.max[axis]).round() as i32,
        false => (cells(domain.max[axis]) - ROUNDING).ceil() as i32,
    };
    CellBox { low: IVec3::new(low(0), low(1), low(2)), high: IVec3::new(high(0), high(1), high(2)) }
}
