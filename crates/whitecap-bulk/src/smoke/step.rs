//! The time step.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::SolveSettings;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_core::{Watch, budget, counted};

use super::air::{Air, Smoke};
use super::confinement::confinement;
use super::emission::{Emission, Place};
use super::error::SmokeError;
use super::forces::Forces;
use super::report::{DensityLedger, SmokeFrameReport, SmokeStepReport};
use super::tiles;
use super::touching::Touching;
use crate::mac::advection::carry_faces_sharply;
use crate::mac::extrapolation::{ALL_FACES, KnownFaces, extrapolate};
use crate::mac::pressure::{PressureInput, project};
use crate::mac::solids::SolidFaces;
use crate::mac::transport::carry_amounts;
use crate::surroundings::Surroundings;

/// Memory of a tile with all that a step needs, in bytes.
const TILE_BYTES: f64 = 200.0 * TILE_NODES as f64;
/// Share of a step for which the pressure acts where air arrives.
const THETA: f64 = 2.0 / 3.0;
/// Edge of a tile with one layer of cells around it, and the distance to the cells below there.
const PADDED: usize = 10;
const BELOW: [usize; 3] = [1, PADDED, PADDED * PADDED];
/// Faces in solids that get a velocity, besides those that a step reaches.
const LAYERS: usize = 1;

impl Smoke {
    /// One step; on an error nothing has changed.
    pub(super) fn step(
        &mut self,
        time_step: f64,
        watch: &dyn Watch,
        report: &mut SmokeFrameReport,
    ) -> Result<(), SmokeError> {
        let emissions = self.emissions()?;
        let tiles = self.next_tiles(&emissions)?;
        let mut ledger = DensityLedger::default();

        // Density and warmth go where the flow goes; so does the velocity itself.
        let [density, temperature] = self.carried_scalars(&tiles, time_step, &mut ledger);
        let velocity = self.impelled(time_step);
        let velocity = carry_faces_sharply(&velocity, &self.air.velocity, &tiles, time_step as f32);
        let after = self.surroundings.at(self.air.time + time_step)?;
        let solids = self.next_solids(&after, velocity.coordinates());
        let time = self.air.time + time_step;
        let pressure = self.air.pressure.clone();
        let mut next = Air { density, temperature, velocity, pressure, time, last_step: time_step };

        self.dissipate(&mut next, time_step, &mut ledger);
        let place = Place {
            lattice: self.lattice,
            room: self.room,
            solids: &solids,
            time: self.air.time,
            time_step: time_step as f32,
        };
        let blocked = self.emit(&mut next, &emissions, &place, &mut ledger);
        self.accelerate(&mut next, time_step as f32);
        emissions.iter().for_each(|emission| emission.impel(&mut next.velocity, &place));

        let mut step = SmokeStepReport { time_step, tiles: tiles.len(), ..Default::default() };
        self.project(&mut next, &solids, watch, &mut step)?;
        step.largest_speed = tiles::largest_component(&next.velocity);
        check_finite(&next, step.largest_speed)?;

        (self.air, self.solids, self.surroundings) = (next, solids, after);
        ledger_in_metres(&mut ledger, self.cell_volume());
        report.ledger.add(&ledger);
        report.steps.push(step);
        for source in blocked {
            if !report.blocked_sources.contains(&source) {
                report.blocked_sources.push(source);
            }
        }
        Ok(())
    }

    /// The sources that release smoke now, with the cells that they cover.
    fn emissions(&self) -> Result<Vec<Emission<'_>>, SmokeError> {
        let covers = self.sources.iter().enumerate().map(|(number, source)| {
            let cover = source.cover(self.lattice, self.air.time)?;
            Ok(cover.map(|cover| Emission { number, source, cover }))
        });
        covers.filter_map(Result::transpose).collect()
    }

    /// The tiles of the step: those with smoke or a source, and layers around them.
    fn next_tiles(&self, emissions: &[Emission<'_>]) -> Result<Vec<IVec3>, SmokeError> {
        let settings = &self.settings;
        let mut tiles = tiles::tiles_beyond(&self.air.density, settings.density_threshold);
        tiles.extend(tiles::tiles_beyond(&self.air.temperature, settings.temperature_threshold));
        for emission in emissions {
            tiles.extend(emission.cover.coordinates());
        }
        let tiles = tiles::dilated(tiles, settings.padding, self.room);
        let more = tiles.len().saturating_sub(self.air.density.tile_count());
        let what = format!("smoke in {} of 8³ cells", counted(tiles.len(), "tile"));
        budget::ask(more as f64 * TILE_BYTES, &what, "use a larger `cell` or give a `domain`")?;
        Ok(tiles)
    }

    /// Density and temperature after they were carried along, on new tiles.
    fn carried_scalars(
        &self,
        tiles: &[IVec3],
        time_step: f64,
        ledger: &mut DensityLedger,
    ) -> [SparseGrid<f32>; 2] {
        let air = &self.air;
        let mut scalars = [&air.density, &air.temperature].map(|grid| tiles::retiled(grid, tiles));
        let kept = &scalars[0];
        ledger.pruned = tiles::sum(&air.density, |tile| kept.tile(tile).is_none());
        let flow = self.flow_through_faces();
        let flow = flow.as_ref().unwrap_or(&air.velocity);
        ledger.left = carry_amounts(&mut scalars, flow, self.room, time_step)[0];
        scalars
    }

    /// The velocity that is carried along: with part of the pressure of the step before, u − (1 − θ) Δt ∇p / ρ
    /// instead of u. The pressure then acts for 1 − θ of a step where air comes from and for θ where it arrives
    /// (the θ-method), and not only at the end. For θ = ½ this is the reflection of Zehnder, Narain and
    /// Thomaszewski (2018); a larger θ lets errors fade.
    fn impelled(&self, time_step: f64) -> SparseGrid<Vec3> {
        let longer = if self.air.last_step > 0.0 { time_step / self.air.last_step } else { 0.0 };
        // The potential of the step before is θ Δt p / ρ.
        let share = ((1.0 - THETA) / THETA * longer) as f32 / self.settings.cell;
        let (pressure, fractions) = (&self.air.pressure, &self.solids.fractions);
        self.air.velocity.map_tiles(Vec3::ZERO, |tile, velocity| {
            let velocity = velocity.center().expect("tiles of the grid itself");
            let open = fractions.tile(tile);
            let mut padded = [0.0; PADDED * PADDED * PADDED];
            pressure.neighbourhood(tile).copy_padded(1, &mut padded);
            let mut impelled = Box::new([Vec3::ZERO; TILE_NODES]);
            for (offset, impelled) in impelled.iter_mut().enumerate() {
                let cell = local_node(offset) + 1;
                let place = cell.x as usize + PADDED * (cell.y as usize + PADDED * cell.z as usize);
                let below = BELOW.map(|below| padded[place - below]);
                let change = share * (padded[place] - Vec3::from_array(below));
                let open = open.map_or(Vec3::ONE, |open| open.at(offset));
                *impelled =
                    velocity.at(offset) - Vec3::select(open.cmpgt(Vec3::ZERO), change, Vec3::ZERO);
            }
            Tile::Dense(impelled)
        })
    }

    /// What flows through each face as a whole: air through its open part, the solid through the rest. `None`
    /// if there is no solid.
    fn flow_through_faces(&self) -> Option<SparseGrid<Vec3>> {
        if !is_cut(&self.solids) {
            return None;
        }
        let (fractions, solid) = (&self.solids.fractions, &self.solids.velocity);
        Some(self.air.velocity.map_tiles(Vec3::ZERO, |tile, velocity| {
            let velocity = velocity.center().expect("tiles of the grid itself");
            match (fractions.tile(tile), solid.tile(tile)) {
                (Some(Tile::Dense(open)), Some(solid)) => {
                    Tile::Dense(Box::new(std::array::from_fn(|offset| {
                        let open = open[offset];
                        open * velocity.at(offset) + (Vec3::ONE - open) * solid.at(offset)
                    })))
                }
                _ => velocity.clone(),
            }
        }))
    }

    /// The solids at the end of the step.
    fn next_solids(&self, after: &Surroundings, tiles: &[IVec3]) -> SolidFaces {
        SolidFaces::renewed(Some(&self.solids), self.lattice, tiles, &Touching(after))
    }

    /// Dissipation and cooling.
    fn dissipate(&self, next: &mut Air, time_step: f64, ledger: &mut DensityLedger) {
        let kept = |rate: f32| (-f64::from(rate) * time_step).exp() as f32;
        if self.settings.dissipation > 0.0 {
            let before = tiles::sum(&next.density, |_| true);
            scale(&mut next.density, kept(self.settings.dissipation));
            ledger.dissipated = before - tiles::sum(&next.density, |_| true);
        }
        if self.settings.cooling > 0.0 {
            scale(&mut next.temperature, kept(self.settings.cooling));
        }
    }

    /// Lets sources add density and warmth; returns those that cover no free cell.
    fn emit(
        &self,
        next: &mut Air,
        emissions: &[Emission<'_>],
        place: &Place<'_>,
        ledger: &mut DensityLedger,
    ) -> Vec<usize> {
        let mut blocked = Vec::new();
        for emission in emissions {
            let (density, temperature) = (&mut next.density, &mut next.temperature);
            let (added, is_free) = emission.emit(density, temperature, place);
            ledger.emitted += added;
            if !is_free {
                blocked.push(emission.number);
            }
        }
        blocked
    }

    /// Buoyancy, confinement and fields.
    fn accelerate(&self, next: &mut Air, time_step: f32) {
        let strength = self.settings.confinement;
        let confinement =
            (strength > 0.0).then(|| confinement(&next.velocity, &next.density, strength));
        let forces = Forces {
            settings: &self.settings,
            density: &next.density,
            temperature: &next.temperature,
            confinement: confinement.as_ref(),
            time: self.air.time,
        };
        forces.act(&mut next.velocity, time_step);
    }

    /// Makes the velocity free of divergence, and extends it into solids.
    fn project(
        &self,
        next: &mut Air,
        solids: &SolidFaces,
        watch: &dyn Watch,
        report: &mut SmokeStepReport,
    ) -> Result<(), SmokeError> {
        let air = tiles::air(&next.density, &next.velocity, self.room);
        let input = PressureInput { liquid: &air, solids, divergence: None, surface: None };
        let solver =
            SolveSettings { tolerance: self.settings.tolerance, ..SolveSettings::default() };
        let solved = project(&mut next.velocity, &input, Some(&next.pressure), &solver, watch);
        let solved = match solved {
            Err(error @ whitecap_core::Error::NotConverged { .. }) => {
                check_finite(next, tiles::largest_component(&next.velocity))?;
                return Err(error.into());
            }
            solved => solved?,
        };
        if air.tile_count() > 0 && is_cut(solids) && has_no_room(&solved.known) {
            return Err(SmokeError::NoRoom);
        }
        report.iterations = solved.iterations;
        report.residual = solved.residual;
        next.pressure = solved.pressure;
        let mut known = still_beyond(&mut next.velocity, &solved.known, solids);
        if is_cut(solids) {
            let layers = self.settings.cfl.ceil() as usize + LAYERS;
            extrapolate(&mut next.velocity, &mut known, layers);
        }
        Ok(())
    }
}

fn ledger_in_metres(ledger: &mut DensityLedger, cell_volume: f64) {
    ledger.emitted *= cell_volume;
    ledger.dissipated *= cell_volume;
    ledger.left *= cell_volume;
    ledger.pruned *= cell_volume;
}

/// Whether a solid reaches any tile.
fn is_cut(solids: &SolidFaces) -> bool {
    solids.distance.tiles().iter().any(|tile| tile.dense().is_some())
}

fn has_no_room(known: &KnownFaces) -> bool {
    known.tiles().par_iter().all(|tile| (0..TILE_NODES).all(|offset| tile.at(offset) == 0))
}

fn scale(grid: &mut SparseGrid<f32>, factor: f32) {
    grid.tiles_mut().par_iter_mut().for_each(|tile| match tile {
        Tile::Constant(value) => *value *= factor,
        Tile::Dense(values) => values.iter_mut().for_each(|value| *value *= factor),
    });
}

/// Stops the air on faces that no pressure acts on. Returns which faces count as known: all of them in tiles
/// that no solid reaches, since nothing is extended there.
fn still_beyond(
    velocity: &mut SparseGrid<Vec3>,
    known: &KnownFaces,
    solids: &SolidFaces,
) -> KnownFaces {
    let tiles = velocity.tiles_mut().par_iter_mut().zip(known.tiles());
    tiles.for_each(|(values, known)| {
        let Tile::Dense(values) = values else { return };
        for (offset, value) in values.iter_mut().enumerate() {
            let bits = known.at(offset);
            if bits != ALL_FACES {
                let kept = |axis: usize| if bits >> axis & 1 == 1 { value[axis] } else { 0.0 };
                *value = Vec3::new(kept(0), kept(1), kept(2));
            }
        }
    });
    known.map_tiles(0, |tile, known| match solids.distance.tile(tile) {
        Some(Tile::Dense(_)) => known.center().expect("tiles of the grid itself").clone(),
        _ => Tile::Constant(ALL_FACES),
    })
}

fn check_finite(air: &Air, speed: f32) -> Result<(), SmokeError> {
    let time = air.time;
    for (what, largest) in [
        ("velocity", speed),
        ("density", tiles::largest(&air.density)),
        ("temperature", tiles::largest(&air.temperature)),
    ] {
        if !largest.is_finite() {
            return Err(SmokeError::NotFinite { what, time });
        }
    }
    Ok(())
}
