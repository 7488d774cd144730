//! Virtual pipes over a terrain of one layer under the open sky, where columns and pipes have fixed
//! places and nothing has to be looked up.
//!
//! A step reads the old state and writes a new one beside it, in bands of rows. Within a band a
//! rolling window of three rows of fluxes is kept, so that a row is read from memory once and the
//! threads synchronise only once per step. The rows between two bands are computed by both.
//!
//! # Guarantees
//! The arithmetic and its order are those of [`crate::flow::layered`]: both give the same bits.

use whitecap_core::saved_bytes::{Reader, StateError, possible, put};

use crate::flow::rows;
use crate::flow::rules::Rules;
use crate::flow::{Flow, PipeFlux};
use crate::liquid::columns::Columns;

/// Approximate largest number of cells in a band.
const BAND_CELLS: usize = 32768;
/// Smallest number of rows in a band: three more are computed for each.
const LEAST_ROWS: usize = 8;
/// Below this many cells, threads cost more than they gain.
const PARALLEL_CELLS: usize = 8192;
/// Rows of fluxes kept while a band is processed; a power of two, at least three.
const RING: usize = 4;

/// Virtual pipes over one layer.
#[derive(Clone, Debug)]
pub(crate) struct HeightfieldFlow {
    width: usize,
    length: usize,
    current: State,
    next: State,
    bands: Vec<Band>,
}

/// Everything that changes in a step, one entry for each cell.
#[derive(Clone, Debug)]
struct State {
    /// Depths; during a step, those of the current state are in the columns.
    depth: Vec<f64>,
    /// Flux to the next cell along x.
    along_x: Vec<f32>,
    /// Flux to the next cell along z.
    along_z: Vec<f32>,
}

impl State {
    fn new(cells: usize) -> Self {
        Self { depth: vec![0.0; cells], along_x: vec![0.0; cells], along_z: vec![0.0; cells] }
    }
}

/// The rolling window of rows while a band is processed.
#[derive(Clone, Debug)]
struct Band {
    rows: std::ops::Range<usize>,
    /// Which rows hold liquid, including three before and after the band.
    wet: Vec<bool>,
    height: [Vec<f64>; RING],
    depth: [Vec<f32>; RING],
    /// Cross-sections of pipes from each cell, over Δx.
    section: [Vec<f32>; RING],
    /// Fraction of the fluxes from each cell that viscosity leaves.
    left: [Vec<f32>; RING],
    drop: Vec<f32>,
    /// Flux across the low x face of each cell, and of the wall at the end.
    along_x: [Vec<f32>; RING],
    along_z: [Vec<f32>; RING],
    /// Fraction of its outflow that each cell can give.
    gives: [Vec<f32>; RING],
    /// Scaled fluxes of the row that is finished, and of the one before it.
    scaled_x: Vec<f32>,
    scaled_z: Vec<f32>,
}

impl HeightfieldFlow {
    pub fn new(columns: &Columns) -> Self {
        let (width, length) = (columns.grid().width(), columns.grid().length());
        // Bands do not change what is computed, so they may follow the number of threads.
        let for_threads = length.div_ceil(2 * rayon::current_num_threads());
        let rows = for_threads.min(BAND_CELLS / width).max(LEAST_ROWS);
        let bands = (0..length)
            .step_by(rows)
            .map(|first| Band {
                rows: first..(first + rows).min(length),
                wet: vec![false; rows + 6],
                height: std::array::from_fn(|_| vec![0.0; width]),
                depth: std::array::from_fn(|_| vec![0.0; width]),
                section: std::array::from_fn(|_| vec![0.0; width]),
                left: std::array::from_fn(|_| vec![0.0; width]),
                drop: vec![0.0; width],
                along_x: std::array::from_fn(|_| vec![0.0; width + 1]),
                along_z: std::array::from_fn(|_| vec![0.0; width]),
                gives: std::array::from_fn(|_| vec![1.0; width]),
                scaled_x: vec![0.0; width + 1],
                scaled_z: vec![0.0; width],
            })
            .collect();
        let state = State::new(width * length);
        Self { width, length, current: state.clone(), next: state, bands }
    }

    fn update(&mut self, columns: &Columns, rules: &Rules) {
        let (width, length) = (self.width, self.length);
        let (floor, depth) = (columns.floor(), columns.depth());
        let old = Old { width, length, floor, depth, flux: &self.current };
        let State { depth, along_x, along_z } = &mut self.next;
        let mut rest = Rows { depth, along_x, along_z };
        if width * length < PARALLEL_CELLS {
            for band in &mut self.bands {
                let rows;
                (rows, rest) = rest.split(band.rows.len() * width);
                band.walk(&old, rows, rules);
            }
        } else {
            walk_bands(&mut self.bands, &old, rest, rules);
        }
    }
}

/// Halves the range of bands until one is left: this needs no list of tasks, and so no memory.
fn walk_bands(bands: &mut [Band], old: &Old<'_>, rows: Rows<'_>, rules: &Rules) {
    if let [band] = bands {
        return band.walk(old, rows, rules);
    }
    let (low, high) = bands.split_at_mut(bands.len() / 2);
    let count: usize = low.iter().map(|band| band.rows.len()).sum();
    let (low_rows, high_rows) = rows.split(count * old.width);
    rayon::join(
        || walk_bands(low, old, low_rows, rules),
        || walk_bands(high, old, high_rows, rules),
    );
}

/// The state before the step.
#[derive(Clone, Copy)]
struct Old<'a> {
    width: usize,
    length: usize,
    floor: &'a [f32],
    depth: &'a [f64],
    flux: &'a State,
}

impl<'a> Old<'a> {
    fn row<T>(&self, values: &'a [T], row: usize) -> &'a [T] {
        &values[row * self.width..][..self.width]
    }
}

/// Rows of the state after the step.
struct Rows<'a> {
    depth: &'a mut [f64],
    along_x: &'a mut [f32],
    along_z: &'a mut [f32],
}

impl<'a> Rows<'a> {
    fn split(self, cells: usize) -> (Self, Self) {
        let (depth, depth_rest) = self.depth.split_at_mut(cells);
        let (along_x, along_x_rest) = self.along_x.split_at_mut(cells);
        let (along_z, along_z_rest) = self.along_z.split_at_mut(cells);
        let rest = Rows { depth: depth_rest, along_x: along_x_rest, along_z: along_z_rest };
        (Rows { depth, along_x, along_z }, rest)
    }
}

impl Band {
    fn walk(&mut self, old: &Old<'_>, mut new: Rows<'_>, rules: &Rules) {
        let rows = self.rows.clone();
        for (index, wet) in self.wet.iter_mut().enumerate() {
            let row = (rows.start + index).checked_sub(3).filter(|&row| row < old.length);
            *wet = row.is_some_and(|row| old.row(old.depth, row).iter().any(|&d| d > 0.0));
        }
        // Beyond the first and last row there is a wall: no flux.
        self.along_z[rows.start.wrapping_sub(1) % RING].fill(0.0);
        let first = rows.start.saturating_sub(2);
        self.measure(old, first, rules);
        for row in first..(rows.end + 1).min(old.length) {
            if row + 1 < old.length {
                self.measure(old, row + 1, rules);
            }
            self.update_fluxes(old, row, rules);
            if row + 1 >= rows.start {
                self.limit_outflow(row, rules);
            }
            if row > rows.start {
                let rest;
                (new, rest) = new.split(old.width);
                self.finish_row(old, row - 1, new, rules);
                new = rest;
            }
        }
        if rows.end == old.length {
            self.finish_row(old, rows.end - 1, new, rules);
        }
    }

    /// Whether any of the rows, within three of the band, holds liquid.
    fn any_wet(&self, rows: std::ops::RangeInclusive<usize>) -> bool {
        rows.into_iter().any(|row| self.wet[row + 3 - self.rows.start])
    }

    /// Heights and depths of a row, and what its pipes derive from them.
    fn measure(&mut self, old: &Old<'_>, row: usize, rules: &Rules) {
        let (height, depth) = (&mut self.height[row % RING], &mut self.depth[row % RING]);
        rows::measure(old.row(old.floor, row), old.row(old.depth, row), height, depth);
        rows::prepare(*rules, depth, &mut self.section[row % RING], &mut self.left[row % RING]);
    }

    /// Fluxes of a row from the heights around it (Eqs. 1 and 5).
    fn update_fluxes(&mut self, old: &Old<'_>, row: usize, rules: &Rules) {
        let width = old.width;
        let (here, behind) = (row % RING, (row + 1) % RING);
        // Most of a terrain is dry.
        if !self.any_wet(row..=row + 1) {
            self.along_x[here].fill(0.0);
            return self.along_z[here].fill(0.0);
        }
        let (height, drop) = (&self.height[here], &mut self.drop);
        let (section, left) = (&self.section[here], &self.left[here]);
        rows::subtract(height, &height[1..], &mut drop[..width - 1]);
        let before = old.row(&old.flux.along_x, row);
        let after = &mut self.along_x[here][1..width];
        let update = rows::update_fluxes;
        update(*rules, before, drop, section, &section[1..], left, &left[1..], after);
        let after = &mut self.along_z[here];
        if row + 1 == old.length {
            return after.fill(0.0);
        }
        rows::subtract(height, &self.height[behind], drop);
        let before = old.row(&old.flux.along_z, row);
        let (section_behind, left_behind) = (&self.section[behind], &self.left[behind]);
        update(*rules, before, drop, section, section_behind, left, left_behind, after);
    }

    /// Fraction of its outflow that each cell of a row can give.
    fn limit_outflow(&mut self, row: usize, rules: &Rules) {
        let here = row % RING;
        let along_x = &self.along_x[here];
        let (low_z, high_z) = (&self.along_z[row.wrapping_sub(1) % RING], &self.along_z[here]);
        let (depth, gives) = (&self.depth[here], &mut self.gives[here]);
        rows::limit_outflow(*rules, depth, along_x, &along_x[1..], low_z, high_z, gives);
    }

    /// Scaled fluxes and new depths of a row; the limits of the row after it are known.
    fn finish_row(&mut self, old: &Old<'_>, row: usize, new: Rows<'_>, rules: &Rules) {
        if !self.any_wet((row.max(1) - 1)..=row + 1) {
            new.along_x.fill(0.0);
            new.along_z.fill(0.0);
            return new.depth.fill(0.0);
        }
        let width = old.width;
        let gives = &self.gives[row % RING];
        let gives_before = &self.gives[row.wrapping_sub(1) % RING];
        let gives_behind = &self.gives[(row + 1) % RING];
        let flux = &self.along_x[row % RING][1..];
        rows::scale_fluxes(flux, gives, &gives[1..], &mut self.scaled_x[1..width]);
        rows::scale_fluxes(&self.along_z[row % RING], gives, gives_behind, new.along_z);
        let low_z = &self.along_z[row.wrapping_sub(1) % RING];
        rows::scale_fluxes(low_z, gives_before, gives, &mut self.scaled_z);
        let (low_x, high_x) = (&self.scaled_x[..width], &self.scaled_x[1..]);
        new.along_x.copy_from_slice(high_x);
        let (depth, low_z, high_z) = (old.row(old.depth, row), &self.scaled_z, &*new.along_z);
        rows::update_depths(*rules, depth, low_x, high_x, low_z, high_z, new.depth);
    }
}

impl Flow for HeightfieldFlow {
    fn step(&mut self, columns: &mut Columns, rules: &Rules) {
        self.update(columns, rules);
        std::mem::swap(&mut columns.depth, &mut self.next.depth);
        std::mem::swap(&mut self.current.along_x, &mut self.next.along_x);
        std::mem::swap(&mut self.current.along_z, &mut self.next.along_z);
    }

    fn fluxes(&self, visit: &mut dyn FnMut(PipeFlux)) {
        let mut visit_row = |fluxes: &[f32], first: usize, to: usize| {
            for (x, &flux) in fluxes.iter().enumerate() {
                let (from, to) = ((first + x) as u32, (to + x) as u32);
                visit(PipeFlux { from, to, flux: f64::from(flux) });
            }
        };
        let width = self.width;
        for row in 0..self.length {
            let first = row * width;
            visit_row(&self.current.along_x[first..first + width - 1], first, first + 1);
            if row + 1 < self.length {
                visit_row(&self.current.along_z[first..first + width], first, first + width);
            }
        }
    }

    fn set_fluxes(&mut self, fluxes: &[PipeFlux]) {
        self.current.along_x.fill(0.0);
        self.current.along_z.fill(0.0);
        for &PipeFlux { from, to, flux } in fluxes {
            if to == from + 1 && !(to as usize).is_multiple_of(self.width) {
                self.current.along_x[from as usize] = flux as f32;
            } else if to as usize == from as usize + self.width {
                self.current.along_z[from as usize] = flux as f32;
            }
        }
    }

    fn refresh(&mut self, _: &Columns) {}

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.current.along_x, f32::to_le_bytes);
        put(bytes, &self.current.along_z, f32::to_le_bytes);
    }

    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), StateError> {
        let along_x = reader.values(f32::from_le_bytes)?;
        let along_z = reader.values(f32::from_le_bytes)?;
        for values in [&along_x, &along_z] {
            possible("number of fluxes", values.len() == columns.len())?;
            possible("flux", values.iter().all(|flux| flux.is_finite()))?;
        }
        self.current.along_x = along_x;
        self.current.along_z = along_z;
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Flow> {
        Box::new(self.clone())
    }
}
