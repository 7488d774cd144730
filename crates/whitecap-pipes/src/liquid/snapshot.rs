//! The full state of a shallow liquid as bytes, and back.
//!
//! # Guarantees
//! * A liquid made with the same settings, restored and continued, has the same bits as one that was
//!   never interrupted. The terrain is part of the state.
//! * Bytes that are cut short, begin differently, come from another version or another grid, or
//!   hold impossible numbers are refused with a message and leave the liquid as it was. No more
//!   than a constant times the size of the bytes is allocated.
//!
//! # Layout
//! Little-endian: the eight bytes `wcpipe` and a version, scalars, then columns, each with its length.

use glam::Vec2;
use whitecap_core::saved_bytes::{Kind, Reader, StateError, possible, put};

use crate::error::PipeError;
use crate::liquid::columns::Columns;
use crate::liquid::pipes::Pipes;
use crate::liquid::report::Ledger;
use crate::terrain::grid::Grid;
use crate::terrain::{Space, Terrain};

const KIND: Kind = Kind { of: "pipes", magic: *b"wcpipe", version: 1 };

impl Pipes {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let grid = self.columns.grid();
        let mut bytes = KIND.begin();
        for number in [grid.origin().x, grid.origin().y, grid.cell()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [grid.width() as u64, grid.length() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.time, self.ledger.poured, self.ledger.drained] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        put(&mut bytes, self.columns.first(), u32::to_le_bytes);
        put(&mut bytes, self.columns.floor(), f32::to_le_bytes);
        put(&mut bytes, self.columns.ceiling(), f32::to_le_bytes);
        put(&mut bytes, self.columns.depth(), f64::to_le_bytes);
        self.flow.save(&mut bytes);
        bytes
    }

    /// Continues from a state that [`Pipes::save`] gave. The liquid must have been made with the same
    /// settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), PipeError> {
        let mut reader = KIND.open(bytes)?;
        let grid = read_grid(&mut reader)?;
        let mut scalar = || -> Result<f64, StateError> {
            let number = f64::from_le_bytes(reader.take()?);
            possible("volume or time", number.is_finite() && number >= 0.0)?;
            Ok(number)
        };
        let time = scalar()?;
        let ledger = Ledger { poured: scalar()?, drained: scalar()? };
        let columns = read_columns(&mut reader, grid)?;
        let mut flow = Self::flow_for(&columns, &self.settings);
        flow.restore(&mut reader, &columns)?;
        reader.end()?;
        (self.columns, self.flow, self.time, self.ledger) = (columns, flow, time, ledger);
        Ok(())
    }
}

fn read_grid(reader: &mut Reader<'_>) -> Result<Grid, PipeError> {
    let mut number = || reader.take().map(f32::from_le_bytes);
    let (x, z, cell) = (number()?, number()?, number()?);
    let mut count = || reader.take().map(u64::from_le_bytes);
    let (width, length) = (count()?, count()?);
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Grid::new(Vec2::new(x, z), cell, size(width), size(length))
}

fn read_columns(reader: &mut Reader<'_>, grid: Grid) -> Result<Columns, PipeError> {
    let first = reader.values(u32::from_le_bytes)?;
    let floor = reader.values(f32::from_le_bytes)?;
    let ceiling = reader.values(f32::from_le_bytes)?;
    let depth = reader.values(f64::from_le_bytes)?;
    let count = floor.len();
    possible("number of cells", first.len() == grid.cells() + 1)?;
    possible("number of ceilings", ceiling.len() == count)?;
    possible("number of depths", depth.len() == count)?;
    let ends_are_right = first[0] == 0 && first[first.len() - 1] as usize == count;
    possible("number of columns", ends_are_right && first.is_sorted())?;
    let possible_depth = |depth: &f64| depth.is_finite() && *depth >= 0.0;
    possible("depth", depth.iter().all(possible_depth))?;
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        let cell = grid.index(x, z);
        let range = first[cell] as usize..first[cell + 1] as usize;
        spaces.extend(range.map(|i| Space { floor: floor[i], ceiling: ceiling[i] }));
    })?;
    let mut columns = Columns::new(&terrain);
    columns.depth = depth;
    Ok(columns)
}
