//! Liquid on several layers: the steps of Dagenais et al. 2018 (Alg. 1) over a network of pipes.
//!
//! A [`Drive`] computes the fluxes: virtual pipes or the shallow-water equations. Viscosity,
//! limits, flooded passages, heights and falling drops are the same for both.
//!
//! # Guarantees
//! * Depths never become negative, and never reach above a ceiling except by rounding.
//! * What leaves one column arrives in another or in a drop: the volume is exact to rounding.

use std::ops::Range;

use whitecap_core::saved_bytes::{Reader, StateError, possible, put};

use crate::flow::chunks::{for_chunks, for_rows};
use crate::flow::network::Network;
use crate::flow::passages::FloodedPassages;
use crate::flow::rows;
use crate::flow::rules::Rules;
use crate::flow::{Flow, PipeFlux};
use crate::liquid::columns::Columns;
use crate::liquid::drops::{Drop, Drops};
use crate::settings::Passages;

/// The part of the liquid that a drive sees.
pub(crate) struct Surroundings<'a> {
    pub network: &'a Network,
    /// Height of the liquid in each column.
    pub height: &'a [f64],
    /// Depth of the liquid in each column.
    pub depth: &'a [f64],
    /// Cross-sections of the pipes from each column, over Δx.
    pub section: &'a [f32],
    /// Fraction of the fluxes from each column that viscosity leaves.
    pub left: &'a [f32],
    /// Which rows of cells hold liquid, and one extra row that does not.
    pub wet: &'a [bool],
    pub rules: &'a Rules,
}

/// Computes the fluxes.
pub(crate) trait Drive: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// A drive at rest for a number of pipes.
    fn new(network: &Network) -> Self;

    /// Fluxes of all pipes after gravity, friction and viscosity have acted.
    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f32]);

    /// Receives the fluxes that the columns could take, so that a drive with its own state can
    /// follow.
    fn limited(&mut self, _network: &Network, _takes: &[f32]) {}

    /// Sets new fluxes at given depths.
    fn set_fluxes(&mut self, _network: &Network, _depth: &[f32], _cell: f64, _flux: &[f32]) {}

    /// Appends its state to bytes.
    fn save(&self, _bytes: &mut Vec<u8>) {}

    /// Reads its state back.
    fn restore(&mut self, _reader: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

/// Virtual pipes (Dagenais et al. 2018, Eqs. 1 and 5).
#[derive(Clone, Debug)]
pub(crate) struct VirtualPipes;

impl Drive for VirtualPipes {
    fn new(_: &Network) -> Self {
        Self
    }

    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f32]) {
        drive_pipes(around, flux);
    }
}

fn drive_pipes(around: &Surroundings<'_>, flux: &mut [f32]) {
    let Surroundings { network, height, section, left, wet, rules, .. } = around;
    for_rows(&network.row_pipes, flux, |rows, chunk| {
        let first = network.row_pipes[rows.start] as usize;
        for row in rows {
            // Most of a terrain is dry.
            if !wet[row] && !wet[row + 1] {
                let pipes = network.row_pipes[row] as usize..network.row_pipes[row + 1] as usize;
                chunk[pipes.start - first..pipes.end - first].fill(0.0);
                continue;
            }
            for run in network.runs_of(row) {
                let flux = &mut chunk[run.pipes().start - first..run.pipes().end - first];
                let (from, to) = (run.from(), run.to());
                let (section_0, section_1) = (&section[from.clone()], &section[to.clone()]);
                let (left_0, left_1) = (&left[from.clone()], &left[to.clone()]);
                let (height_0, height_1) = (&height[from], &height[to]);
                let drive = rows::drive_run;
                drive(**rules, height_0, height_1, section_0, section_1, left_0, left_1, flux);
            }
        }
    });
}

/// Liquid on several layers.
#[derive(Clone, Debug)]
pub(crate) struct LayeredFlow<D> {
    network: Network,
    drive: D,
    cell: f64,
    height: Vec<f64>,
    shallow: Vec<f32>,
    section: Vec<f32>,
    left: Vec<f32>,
    wet: Vec<bool>,
    depth: Vec<f64>,
    flux: Vec<f32>,
    gives: Vec<f32>,
    takes: Vec<f32>,
    has_ceilings: bool,
    passages: FloodedPassages,
    drops: Option<Drops>,
}

impl<D: Drive> LayeredFlow<D> {
    /// A flow at rest. Liquid falls as drops if `drops` is given.
    pub fn new(columns: &Columns, passages: Passages, drops: Option<Drops>) -> Self {
        let network = Network::new(columns);
        let count = columns.len();
        let mut flow = Self {
            drive: D::new(&network),
            cell: f64::from(columns.grid().cell()),
            height: vec![0.0; count],
            shallow: vec![0.0; count],
            section: vec![0.0; count],
            left: vec![0.0; count],
            wet: vec![false; columns.grid().length() + 1],
            depth: vec![0.0; count],
            flux: vec![0.0; network.len()],
            gives: vec![1.0; count],
            takes: vec![1.0; count],
            has_ceilings: columns.ceiling().iter().any(|ceiling| ceiling.is_finite()),
            passages: FloodedPassages::new(columns, &network, passages),
            drops: drops.map(|drops| drops.for_pipes(network.len())),
            network,
        };
        flow.refresh(columns);
        flow
    }

    /// Heights of all columns.
    fn measure(&mut self, columns: &Columns) {
        let (floor, depth) = (columns.floor(), columns.depth());
        let slices = (&mut self.height[..], &mut self.shallow[..]);
        for_chunks(columns.len(), slices, |start, (height, shallow)| {
            let range = start..start + height.len();
            rows::measure(&floor[range.clone()], &depth[range], height, shallow);
        });
        let (last, rows) = self.wet.split_last_mut().expect("there is one more than rows");
        *last = false;
        for (row, wet) in rows.iter_mut().enumerate() {
            *wet = self.shallow[self.network.columns_of(row)].iter().any(|&depth| depth > 0.0);
        }
    }

    /// What all pipes derive from the depths.
    fn prepare(&mut self, rules: &Rules) {
        let shallow = &self.shallow;
        let slices = (&mut self.section[..], &mut self.left[..]);
        for_chunks(shallow.len(), slices, |start, (section, left)| {
            rows::prepare(*rules, &shallow[start..start + section.len()], section, left);
        });
    }

    /// Scales fluxes down to what columns can give (K_min) and then take (K_max).
    fn scale_fluxes(&mut self, columns: &Columns, rules: &Rules) {
        let Self { network, flux, wet, gives, takes, passages, .. } = self;
        let exchange = passages.exchange();
        for_rows(&network.row_columns, gives, |rows, gives| {
            for row in rows.clone() {
                let mine = row_of(network, &rows, row, gives);
                if !wet[row] {
                    mine.fill(0.0);
                    continue;
                }
                sum_outflow(network, row, flux, mine);
                let columns = network.columns_of(row);
                if let Some((outflow, _)) = exchange {
                    add_slices(&outflow[columns.clone()], mine);
                }
                rows::turn_outflow_to_share(*rules, &self.shallow[columns], mine);
            }
        });
        if self.has_ceilings {
            for_rows(&network.row_columns, takes, |rows, takes| {
                for row in rows.clone().filter(|&row| is_near_wet(wet, row)) {
                    let mine = row_of(network, &rows, row, takes);
                    sum_inflow(network, row, flux, gives, mine);
                    let range = network.columns_of(row);
                    if let Some((_, inflow)) = exchange {
                        add_slices(&inflow[range.clone()], mine);
                    }
                    let ceiling = &columns.ceiling()[range.clone()];
                    rows::turn_inflow_to_share(*rules, ceiling, &self.height[range], mine);
                }
            });
        }
        for_rows(&network.row_pipes, flux, |rows, chunk| {
            let first = network.row_pipes[rows.start] as usize;
            for run in rows.filter(|&row| is_near_wet(wet, row)).flat_map(|r| network.runs_of(r)) {
                let flux = &mut chunk[run.pipes().start - first..run.pipes().end - first];
                let (from, to) = (run.from(), run.to());
                let (gives_0, gives_1) = (&gives[from.clone()], &gives[to.clone()]);
                rows::scale_to_limits(gives_0, gives_1, &takes[from], &takes[to], flux);
            }
        });
        passages.scale(gives, takes);
        self.drive.limited(network, takes);
    }

    /// New depths (Eq. 2).
    fn update_depths(&mut self, columns: &mut Columns, rules: &Rules) {
        let Self { network, flux, wet, .. } = self;
        let old = &columns.depth;
        for_rows(&network.row_columns, &mut self.depth, |rows, depth| {
            for row in rows.clone() {
                let mine = row_of(network, &rows, row, depth);
                if !is_near_wet(wet, row) {
                    mine.fill(0.0);
                    continue;
                }
                sum_flux(network, row, flux, mine);
                rows::turn_inflow_to_depth(*rules, &old[network.columns_of(row)], mine);
            }
        });
        std::mem::swap(&mut self.depth, &mut columns.depth);
    }
}

/// Whether a row or one beside it holds liquid, so that some may flow in.
fn is_near_wet(wet: &[bool], row: usize) -> bool {
    wet[row.saturating_sub(1)..row + 2].contains(&true)
}

/// The entries of one row among those of several.
fn row_of<'a, T>(
    network: &Network,
    rows: &Range<usize>,
    row: usize,
    values: &'a mut [T],
) -> &'a mut [T] {
    let first = network.row_columns[rows.start] as usize;
    let columns = network.columns_of(row);
    &mut values[columns.start - first..columns.end - first]
}

/// A range of columns, counted from the first of its row.
fn within_row(network: &Network, row: usize, columns: Range<usize>) -> Range<usize> {
    let first = network.row_columns[row] as usize;
    columns.start - first..columns.end - first
}

/// What flows out of each column of a row. The order of the four sums is that of one layer.
fn sum_outflow(network: &Network, row: usize, flux: &[f32], sum: &mut [f32]) {
    sum.fill(0.0);
    for run in network.runs_along_x(row).iter().chain(network.runs_along_z(row)) {
        rows::add_forward(&flux[run.pipes()], &mut sum[within_row(network, row, run.from())]);
    }
    for run in network.runs_before(row).iter().chain(network.runs_along_x(row)) {
        rows::add_backward(&flux[run.pipes()], &mut sum[within_row(network, row, run.to())]);
    }
}

/// What flows into each column of a row, limited to what can be given.
fn sum_inflow(network: &Network, row: usize, flux: &[f32], gives: &[f32], sum: &mut [f32]) {
    sum.fill(0.0);
    for run in network.runs_along_x(row).iter().chain(network.runs_along_z(row)) {
        let mine = &mut sum[within_row(network, row, run.from())];
        rows::add_given_backward(&flux[run.pipes()], &gives[run.to()], mine);
    }
    for run in network.runs_before(row).iter().chain(network.runs_along_x(row)) {
        let mine = &mut sum[within_row(network, row, run.to())];
        rows::add_given_forward(&flux[run.pipes()], &gives[run.from()], mine);
    }
}

/// What flows into each column of a row, less what flows out.
fn sum_flux(network: &Network, row: usize, flux: &[f32], sum: &mut [f64]) {
    sum.fill(0.0);
    for run in network.runs_along_x(row).iter().chain(network.runs_along_z(row)) {
        rows::subtract_from(&flux[run.pipes()], &mut sum[within_row(network, row, run.from())]);
    }
    for run in network.runs_before(row).iter().chain(network.runs_along_x(row)) {
        rows::add(&flux[run.pipes()], &mut sum[within_row(network, row, run.to())]);
    }
}

fn add_slices(values: &[f32], sum: &mut [f32]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

impl<D: Drive> Flow for LayeredFlow<D> {
    fn step(&mut self, columns: &mut Columns, rules: &Rules) {
        self.measure(columns);
        self.prepare(rules);
        self.passages.connect(columns, &self.network);
        let around = Surroundings {
            network: &self.network,
            height: &self.height,
            depth: &columns.depth,
            section: &self.section,
            left: &self.left,
            wet: &self.wet,
            rules,
        };
        self.drive.drive(&around, &mut self.flux);
        self.passages.drive(&around);
        self.scale_fluxes(columns, rules);
        if let Some(drops) = &mut self.drops {
            drops.mark_falls(&self.network, columns, &self.height, &self.flux);
        }
        self.update_depths(columns, rules);
        self.passages.move_liquid(columns, rules);
        if let Some(drops) = &mut self.drops {
            drops.launch(&self.network, columns, &self.flux, rules);
            drops.fall(columns, rules);
        }
    }

    fn fluxes(&self, visit: &mut dyn FnMut(PipeFlux)) {
        for (pipe, &flux) in self.flux.iter().enumerate() {
            let (from, to) = (self.network.from[pipe], self.network.to[pipe]);
            visit(PipeFlux { from, to, flux: f64::from(flux) });
        }
    }

    fn set_fluxes(&mut self, fluxes: &[PipeFlux]) {
        self.passages.rest();
        self.flux.fill(0.0);
        for &PipeFlux { from, to, flux } in fluxes {
            if let Some(pipe) = self.network.between(from as usize, to as usize) {
                self.flux[pipe] = flux as f32;
            }
        }
        self.drive.set_fluxes(&self.network, &self.shallow, self.cell, &self.flux);
    }

    fn refresh(&mut self, columns: &Columns) {
        self.passages.refresh(columns);
        self.measure(columns);
    }

    fn carried(&self) -> f64 {
        self.drops.as_ref().map_or(0.0, Drops::volume)
    }

    fn drops(&self) -> &[Drop] {
        self.drops.as_ref().map_or(&[], Drops::all)
    }

    fn take_drops(&mut self, drops: &[Drop]) {
        if let Some(mine) = &mut self.drops {
            mine.take_over(drops);
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.flux, f32::to_le_bytes);
        self.drive.save(bytes);
        self.passages.save(bytes);
        if let Some(drops) = &self.drops {
            drops.save(bytes);
        }
    }

    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), StateError> {
        let flux = reader.values(f32::from_le_bytes)?;
        possible("number of fluxes", flux.len() == self.network.len())?;
        possible("flux", flux.iter().all(|flux| flux.is_finite()))?;
        self.flux = flux;
        self.drive.restore(reader)?;
        self.passages.restore(reader)?;
        if let Some(drops) = &mut self.drops {
            drops.restore(reader)?;
        }
        self.refresh(columns);
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Flow> {
        Box::new(self.clone())
    }
}
