//! Virtual pipes over a terrain of one layer under the open sky, where columns and pipes have fixed
//! places and nothing has to be looked up.
//!
//! A step reads the old state and writes a new one beside it, in bands of rows. Within a band three
//! rows of fluxes roll along, so that a row is read from memory once and the whole step needs the
//! threads to meet only once. The rows next to a band are computed by both of its sides.
//!
//! # Guarantees
//! The arithmetic and its order are those of [`crate::layered`]: both give the same bits.

use whitecap_core::saved_bytes::{Reader, put};

use crate::columns::Columns;
use crate::flow::{Flow, PipeFlux};
use crate::rules::Rules;
use crate::settings::PipeArea;
use crate::snapshot::{SnapshotError, possible};

/// Cells of a band, about: enough to hide what a task costs.
const BAND_CELLS: usize = 8192;
/// Below so many cells threads cost more than they give.
const PARALLEL_CELLS: usize = 16384;
/// Rows of fluxes kept while a band is walked through; a power of two, at least three.
const RING: usize = 4;

/// Virtual pipes over one layer.
#[derive(Clone, Debug)]
pub(crate) struct HeightfieldFlow {
    width: usize,
    length: usize,
    floor: Vec<f64>,
    current: State,
    next: State,
    bands: Vec<Band>,
}

/// Everything that changes in a step, one entry for each cell.
#[derive(Clone, Debug)]
struct State {
    /// Depths; those of the current state live with the columns during a step.
    depth: Vec<f64>,
    /// Flux to the next cell along x.
    along_x: Vec<f64>,
    /// Flux to the next cell along z.
    along_z: Vec<f64>,
}

impl State {
    fn new(cells: usize) -> Self {
        Self { depth: vec![0.0; cells], along_x: vec![0.0; cells], along_z: vec![0.0; cells] }
    }
}

/// Rows that roll along while a band is walked through.
#[derive(Clone, Debug)]
struct Band {
    rows: std::ops::Range<usize>,
    /// Flux across the low x face of each cell, and of the wall at the end.
    along_x: [Vec<f64>; RING],
    along_z: [Vec<f64>; RING],
    /// Share of its outflow that each cell can give.
    gives: [Vec<f64>; RING],
}

impl HeightfieldFlow {
    pub fn new(columns: &Columns) -> Self {
        let (width, length) = (columns.grid().width(), columns.grid().length());
        let rows = (BAND_CELLS / width).clamp(4, length.max(4));
        let bands = (0..length)
            .step_by(rows)
            .map(|first| Band {
                rows: first..(first + rows).min(length),
                along_x: std::array::from_fn(|_| vec![0.0; width + 1]),
                along_z: std::array::from_fn(|_| vec![0.0; width]),
                gives: std::array::from_fn(|_| vec![1.0; width]),
            })
            .collect();
        let mut flow = Self {
            width,
            length,
            floor: Vec::new(),
            current: State::new(width * length),
            next: State::new(width * length),
            bands,
        };
        flow.refresh(columns);
        flow
    }

    fn step_with<const PHYSICAL: bool>(&mut self, depth: &[f64], rules: &Rules) {
        let (width, length) = (self.width, self.length);
        let old = Old { width, length, floor: &self.floor, depth, flux: &self.current };
        let State { depth, along_x, along_z } = &mut self.next;
        let mut rest = Rows { depth, along_x, along_z };
        if width * length < PARALLEL_CELLS {
            for band in &mut self.bands {
                let rows;
                (rows, rest) = rest.split(band.rows.len() * width);
                band.walk::<PHYSICAL>(&old, rows, rules);
            }
        } else {
            walk_bands::<PHYSICAL>(&mut self.bands, &old, rest, rules);
        }
    }
}

/// Halves the bands until one is left: this needs no list of tasks, and so no memory.
fn walk_bands<const PHYSICAL: bool>(
    bands: &mut [Band],
    old: &Old<'_>,
    rows: Rows<'_>,
    rules: &Rules,
) {
    if let [band] = bands {
        return band.walk::<PHYSICAL>(old, rows, rules);
    }
    let (low, high) = bands.split_at_mut(bands.len() / 2);
    let count: usize = low.iter().map(|band| band.rows.len()).sum();
    let (low_rows, high_rows) = rows.split(count * old.width);
    rayon::join(
        || walk_bands::<PHYSICAL>(low, old, low_rows, rules),
        || walk_bands::<PHYSICAL>(high, old, high_rows, rules),
    );
}

/// The state before the step.
#[derive(Clone, Copy)]
struct Old<'a> {
    width: usize,
    length: usize,
    floor: &'a [f64],
    depth: &'a [f64],
    flux: &'a State,
}

impl<'a> Old<'a> {
    fn row(&self, values: &'a [f64], row: usize) -> &'a [f64] {
        &values[row * self.width..(row + 1) * self.width]
    }
}

/// Rows of the state after the step.
struct Rows<'a> {
    depth: &'a mut [f64],
    along_x: &'a mut [f64],
    along_z: &'a mut [f64],
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
    fn walk<const PHYSICAL: bool>(&mut self, old: &Old<'_>, mut new: Rows<'_>, rules: &Rules) {
        let rows = self.rows.clone();
        // Beyond the first and last row there is a wall: no flux.
        self.along_z[rows.start.wrapping_sub(1) % RING].fill(0.0);
        for row in rows.start.saturating_sub(2)..(rows.end + 1).min(old.length) {
            self.update_fluxes::<PHYSICAL>(old, row, rules);
            if row + 1 >= rows.start {
                self.limit_outflow(old, row, rules);
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

    /// Fluxes of a row from the heights around it (Eqs. 1 and 5).
    fn update_fluxes<const PHYSICAL: bool>(&mut self, old: &Old<'_>, row: usize, rules: &Rules) {
        let width = old.width;
        let (floor, depth) = (old.row(old.floor, row), old.row(old.depth, row));
        let before = &old.row(&old.flux.along_x, row)[..width - 1];
        let after = &mut self.along_x[row % RING][1..width];
        let (floor_0, floor_1) = (&floor[..width - 1], &floor[1..]);
        let (depth_0, depth_1) = (&depth[..width - 1], &depth[1..]);
        for x in 0..width - 1 {
            let depth = [depth_0[x], depth_1[x]];
            let height = [floor_0[x] + depth[0], floor_1[x] + depth[1]];
            after[x] = rules.flux::<PHYSICAL>(before[x], height, depth);
        }
        let after = &mut self.along_z[row % RING][..width];
        if row + 1 == old.length {
            return after.fill(0.0);
        }
        let (floor_1, depth_1) = (old.row(old.floor, row + 1), old.row(old.depth, row + 1));
        let before = old.row(&old.flux.along_z, row);
        for x in 0..width {
            let depth = [depth[x], depth_1[x]];
            let height = [floor[x] + depth[0], floor_1[x] + depth[1]];
            after[x] = rules.flux::<PHYSICAL>(before[x], height, depth);
        }
    }

    /// What each cell of a row can give of its outflow.
    fn limit_outflow(&mut self, old: &Old<'_>, row: usize, rules: &Rules) {
        let width = old.width;
        let depth = old.row(old.depth, row);
        let (low_x, high_x) =
            (&self.along_x[row % RING][..width], &self.along_x[row % RING][1..=width]);
        let high_z = &self.along_z[row % RING][..width];
        let low_z = &self.along_z[row.wrapping_sub(1) % RING][..width];
        let gives = &mut self.gives[row % RING][..width];
        for x in 0..width {
            let outflow = high_x[x].max(0.0)
                + high_z[x].max(0.0)
                + (-low_z[x]).max(0.0)
                + (-low_x[x]).max(0.0);
            gives[x] = rules.gives(depth[x], outflow);
        }
    }

    /// Scaled fluxes and new depths of a row; the row behind it has its limits.
    fn finish_row(&mut self, old: &Old<'_>, row: usize, new: Rows<'_>, rules: &Rules) {
        let width = old.width;
        let scaled =
            |flux: f64, gives: [f64; 2]| flux * if flux > 0.0 { gives[0] } else { gives[1] };
        let gives = &self.gives[row % RING][..width];
        let gives_before = &self.gives[row.wrapping_sub(1) % RING][..width];
        let gives_behind = &self.gives[(row + 1) % RING][..width];
        let along_x = &mut self.along_x[row % RING][..=width];
        let along_z = &self.along_z[row % RING][..width];
        let low_z = &self.along_z[row.wrapping_sub(1) % RING][..width];
        let new_x = &mut new.along_x[..width];
        let new_z = &mut new.along_z[..width];
        let new_depth = &mut new.depth[..width];
        {
            let faces = &mut along_x[1..width];
            let (gives_0, gives_1) = (&gives[..width - 1], &gives[1..]);
            for x in 0..width - 1 {
                faces[x] = scaled(faces[x], [gives_0[x], gives_1[x]]);
            }
        }
        let (low_x, high_x) = (&along_x[..width], &along_x[1..=width]);
        new_x.copy_from_slice(high_x);
        let depth = old.row(old.depth, row);
        for x in 0..width {
            let out_z = scaled(along_z[x], [gives[x], gives_behind[x]]);
            let in_z = scaled(low_z[x], [gives_before[x], gives[x]]);
            new_z[x] = out_z;
            let inflow = -high_x[x] - out_z + in_z + low_x[x];
            new_depth[x] = rules.depth(depth[x], inflow);
        }
    }
}

impl Flow for HeightfieldFlow {
    fn step(&mut self, columns: &mut Columns, rules: &Rules) {
        match rules.area {
            PipeArea::Physical => self.step_with::<true>(&columns.depth, rules),
            PipeArea::Square => self.step_with::<false>(&columns.depth, rules),
        }
        std::mem::swap(&mut columns.depth, &mut self.next.depth);
        std::mem::swap(&mut self.current.along_x, &mut self.next.along_x);
        std::mem::swap(&mut self.current.along_z, &mut self.next.along_z);
    }

    fn fluxes(&self, _: &Columns, visit: &mut dyn FnMut(PipeFlux)) {
        for cell in 0..self.width * self.length {
            let from = cell as u32;
            if (cell + 1) % self.width != 0 {
                visit(PipeFlux { from, to: from + 1, flux: self.current.along_x[cell] });
            }
            if cell + self.width < self.width * self.length {
                let to = from + self.width as u32;
                visit(PipeFlux { from, to, flux: self.current.along_z[cell] });
            }
        }
    }

    fn set_fluxes(&mut self, fluxes: &[PipeFlux]) {
        self.current.along_x.fill(0.0);
        self.current.along_z.fill(0.0);
        for &PipeFlux { from, to, flux } in fluxes {
            if to == from + 1 && !(to as usize).is_multiple_of(self.width) {
                self.current.along_x[from as usize] = flux;
            } else if to as usize == from as usize + self.width {
                self.current.along_z[from as usize] = flux;
            }
        }
    }

    fn refresh(&mut self, columns: &Columns) {
        self.floor.clear();
        self.floor.extend(columns.floor().iter().map(|&floor| f64::from(floor)));
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.current.along_x, f64::to_le_bytes);
        put(bytes, &self.current.along_z, f64::to_le_bytes);
    }

    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), SnapshotError> {
        let along_x = reader.values(f64::from_le_bytes)?;
        let along_z = reader.values(f64::from_le_bytes)?;
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
