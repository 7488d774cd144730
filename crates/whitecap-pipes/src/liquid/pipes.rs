//! A shallow liquid on a terrain, step by step (Dagenais et al. 2018, Alg. 1).
//!
//! # Guarantees
//! * Volume changes only by what [`PipeReport`] says, to rounding, on any terrain.
//! * A step allocates nothing. (A thread outside rayon's pool hands over its work through a queue
//!   that occasionally does; call from within a pool to avoid this.)
//! * Results do not depend on the number of threads.
//!
//! # Non-guarantees
//! Liquid too deep for the time step has waves slower than real ones. Liquid flows only between
//! cells that share an edge.

use glam::Vec2;

use crate::error::{PipeError, within};
use crate::flow::heightfield::HeightfieldFlow;
use crate::flow::layered::{LayeredFlow, VirtualPipes};
use crate::flow::rules::Rules;
use crate::flow::shallow_water::ShallowWater;
use crate::flow::{Flow, PipeFlux};
use crate::liquid::columns::Columns;
use crate::liquid::drops::{Drop, Drops};
use crate::liquid::place::{Displaced, place_volume};
use crate::liquid::report::{Ledger, PipeReport};
use crate::settings::{Edges, PipeSettings, Solver};
use crate::terrain::Terrain;

/// Largest number of steps that one call of [`Pipes::advance`] may take.
const MOST_STEPS: f64 = 1e7;

/// From this many columns on, some loops of a step may use several threads.
const POOL_COLUMNS: usize = 5000;

/// A shallow liquid on a terrain.
#[derive(Debug)]
pub struct Pipes {
    pub(crate) settings: PipeSettings,
    pub(crate) columns: Columns,
    pub(crate) flow: Box<dyn Flow>,
    pub(crate) ledger: Ledger,
    pub(crate) time: f64,
}

impl Clone for Pipes {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            columns: self.columns.clone(),
            flow: self.flow.boxed_clone(),
            ledger: self.ledger,
            time: self.time,
        }
    }
}

impl Pipes {
    /// A dry terrain.
    pub fn new(terrain: &Terrain, settings: PipeSettings) -> Result<Self, PipeError> {
        settings.check()?;
        let columns = Columns::new(terrain);
        let flow = Self::flow_for(&columns, &settings);
        Ok(Self { settings, columns, flow, ledger: Ledger::default(), time: 0.0 })
    }

    /// What moves liquid between these columns with these settings.
    pub(crate) fn flow_for(columns: &Columns, settings: &PipeSettings) -> Box<dyn Flow> {
        let cell = columns.grid().cell();
        let drops = settings.falling_drops.then(|| {
            let height = settings.fall_height.unwrap_or(2.0 * cell);
            Drops::new(f64::from(height), settings.most_drops as usize)
        });
        let passages = settings.passages;
        match settings.solver {
            Solver::ShallowWater => {
                Box::new(LayeredFlow::<ShallowWater>::new(columns, passages, drops))
            }
            Solver::Pipes if columns.is_heightfield() && drops.is_none() => {
                Box::new(HeightfieldFlow::new(columns))
            }
            Solver::Pipes => Box::new(LayeredFlow::<VirtualPipes>::new(columns, passages, drops)),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &PipeSettings {
        &self.settings
    }

    /// Changes the settings; the liquid stays as it is. On failure nothing changes.
    pub fn set_settings(&mut self, settings: PipeSettings) -> Result<(), PipeError> {
        settings.check()?;
        let shape = |settings: &PipeSettings| {
            let PipeSettings { solver, passages, falling_drops, fall_height, most_drops, .. } =
                *settings;
            (solver, passages, falling_drops, fall_height, most_drops)
        };
        let is_another = shape(&settings) != shape(&self.settings);
        self.settings = settings;
        if is_another {
            let fluxes = self.all_fluxes();
            self.replace_flow(&fluxes);
        }
        Ok(())
    }

    /// Rebuilds the flow for the columns, with given fluxes and the drops in the air.
    pub(crate) fn replace_flow(&mut self, fluxes: &[PipeFlux]) {
        let mut flow = Self::flow_for(&self.columns, &self.settings);
        flow.set_fluxes(fluxes);
        if self.settings.falling_drops {
            flow.take_drops(self.flow.drops());
        } else {
            let drops = self.flow.drops().to_vec();
            self.drop_at_once(&drops);
        }
        self.flow = flow;
        self.flow.refresh(&self.columns);
    }

    /// Lands drops that can no longer fly where they are.
    fn drop_at_once(&mut self, drops: &[Drop]) {
        let grid = *self.columns.grid();
        let lands = |drop: &Drop| {
            let at = (Vec2::new(drop.position.x, drop.position.z) - grid.origin()) / grid.cell();
            let x = (at.x.max(0.0) as usize).min(grid.width() - 1);
            let z = (at.y.max(0.0) as usize).min(grid.length() - 1);
            Displaced { x, z, y: drop.position.y, volume: drop.volume }
        };
        self.place_all(drops.iter().map(lands));
    }

    /// Puts liquid that is already counted where there is room; the rest is drained.
    pub(crate) fn place_all(&mut self, displaced: impl IntoIterator<Item = Displaced>) {
        let mut is_full = false;
        for Displaced { x, z, y, mut volume } in displaced {
            // Once something has found no room, nothing else will.
            if !is_full {
                volume = place_volume(&mut self.columns, x, z, y, volume);
                is_full = volume > 0.0;
            }
            if is_full {
                self.ledger.drained += volume;
            }
        }
    }

    pub(crate) fn all_fluxes(&self) -> Vec<PipeFlux> {
        let mut fluxes = Vec::new();
        self.flow.fluxes(&mut |flux| fluxes.push(flux));
        fluxes
    }

    /// The columns with their liquid.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Time since the beginning in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Drops in the air.
    pub fn drops(&self) -> &[Drop] {
        self.flow.drops()
    }

    /// Volume of all liquid in cubic metres, drops included.
    pub fn volume(&self) -> f64 {
        self.columns.volume() + self.flow.carried()
    }

    /// The volume, and what was added and removed.
    pub fn report(&self) -> PipeReport {
        let Ledger { poured, drained } = self.ledger;
        let volume = self.volume();
        PipeReport {
            time: self.time,
            volume,
            in_the_air: self.flow.carried(),
            poured,
            drained,
            relative_error: if poured > 0.0 { (volume - (poured - drained)) / poured } else { 0.0 },
            deepest: self.columns.depth().iter().copied().fold(0.0, f64::max),
        }
    }

    /// Sets all depths, in metres, from a function of the column; see [`Columns::fill`]. The liquid
    /// is then at rest, and counts as poured.
    pub fn fill(&mut self, depth: impl Fn(usize) -> f64) {
        let before = self.columns.volume();
        self.columns.fill(depth);
        self.count(self.columns.volume() - before);
        self.flow.set_fluxes(&[]);
        self.flow.refresh(&self.columns);
    }

    /// Records a change of volume that has been made.
    pub(crate) fn count(&mut self, change: f64) {
        self.ledger.poured += change.max(0.0);
        self.ledger.drained += (-change).max(0.0);
    }

    /// Calls `visit` for the flux of every pipe: row after row of cells, those along x before those along z,
    /// sorted by the column they start from.
    pub fn fluxes(&self, mut visit: impl FnMut(PipeFlux)) {
        self.flow.fluxes(&mut visit);
    }

    /// Mean horizontal velocity (x and z) of each column in metres per second: half of what its pipes
    /// carry on each axis, over its cross-section. Dry columns have none.
    pub fn velocities(&self, velocities: &mut Vec<Vec2>) {
        velocities.clear();
        velocities.resize(self.columns.len(), Vec2::ZERO);
        self.fluxes(|PipeFlux { from, to, flux }| {
            let cells = [from, to].map(|column| self.columns.cell()[column as usize]);
            let axis = if cells[1] == cells[0] + 1 && self.columns.grid().width() > 1 {
                Vec2::X
            } else {
                Vec2::Y
            };
            velocities[from as usize] += axis * (0.5 * flux) as f32;
            velocities[to as usize] += axis * (0.5 * flux) as f32;
        });
        let width = f64::from(self.columns.grid().cell());
        for (column, velocity) in velocities.iter_mut().enumerate() {
            let section = (width * self.columns.depth()[column]) as f32;
            *velocity = if self.columns.is_wet(column) { *velocity / section } else { Vec2::ZERO };
        }
    }

    /// One time step of `duration` seconds, whether or not it is stable for waves: the physical
    /// pipe area and the shallow-water solver slow down waves that would be too fast.
    pub fn step(&mut self, duration: f64) -> Result<(), PipeError> {
        within("duration of a step", duration, 1e-9, 10.0)?;
        in_pool(self.columns.len(), || self.take_step(duration));
        Ok(())
    }

    fn take_step(&mut self, duration: f64) {
        let rules = Rules::new(&self.settings, self.columns.grid().cell(), duration);
        self.flow.step(&mut self.columns, &rules);
        self.run_sources(duration);
        if self.settings.edges == Edges::Open {
            self.drain_edges();
        }
        self.time += duration;
    }

    /// Advances by `duration` seconds, in equal steps no longer than the setting allows. Returns
    /// the number of steps.
    pub fn advance(&mut self, duration: f64) -> Result<usize, PipeError> {
        let longest = self.settings.longest_step(self.columns.grid().cell());
        within("duration", duration, 0.0, longest * MOST_STEPS)?;
        // A frame that is a whole number of steps except for rounding must not get an extra one.
        let count = (duration / longest - 1e-6).ceil().max(0.0) as usize;
        let step = duration / count as f64;
        in_pool(self.columns.len(), || (0..count).for_each(|_| self.take_step(step)));
        Ok(count)
    }
}

/// Runs on a thread of rayon's pool when there is enough to do: handing over each of the many loops
/// of a step would cost more than the loops themselves.
fn in_pool(columns: usize, work: impl FnOnce() + Send) {
    if columns >= POOL_COLUMNS && rayon::current_thread_index().is_none() {
        rayon::join(work, || ());
    } else {
        work();
    }
}
