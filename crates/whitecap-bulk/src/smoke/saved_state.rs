//! The full state of smoke as bytes, and back.
//!
//! # Guarantees
//! * Smoke made with the same settings, solids and sources, restored and continued, has the same bits as one
//!   that was never interrupted.
//! * Bytes that are cut short, damaged, or made with other settings or by another version are refused with a
//!   sentence and leave the smoke as it was.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::saved_bytes::{self, Kind, Reader, StateError, possible};
use whitecap_core::sparse_grid::{TILE_NODES, Tile};
use whitecap_core::{Lattice, SparseGrid};

use super::air::{Air, Smoke};
use super::error::SmokeError;
use super::tiles::{self, largest, largest_component};
use super::touching::Touching;
use crate::mac::solids::SolidFaces;

const KIND: Kind = Kind { of: "smoke", magic: *b"wcsmok", version: 1 };

impl Smoke {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&self.settings.cell.to_le_bytes());
        bytes.extend_from_slice(&self.air.time.to_le_bytes());
        bytes.extend_from_slice(&self.air.last_step.to_le_bytes());
        put_grid(&mut bytes, &self.air.density, f32::to_le_bytes);
        put_grid(&mut bytes, &self.air.temperature, f32::to_le_bytes);
        put_grid(&mut bytes, &self.air.velocity, saved_bytes::vector_bytes);
        put_grid(&mut bytes, &self.air.pressure, f32::to_le_bytes);
        bytes
    }

    /// Continues from a state that [`Smoke::save`] returned. The smoke must have been made with the same
    /// settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SmokeError> {
        let mut reader = KIND.open(bytes)?;
        let (found, expected) = (f32::from_le_bytes(reader.take()?), self.settings.cell);
        if found != expected {
            return Err(StateError::Scale { name: "cell", found, expected }.into());
        }
        let time = f64::from_le_bytes(reader.take()?);
        let last_step = f64::from_le_bytes(reader.take()?);
        possible("time", time.is_finite() && time >= 0.0)?;
        possible("time step", last_step.is_finite() && last_step >= 0.0)?;
        let centers = self.lattice.centers();
        let scalar = |reader: &mut Reader<'_>| read_grid(reader, centers, 0.0, f32::from_le_bytes);
        let density = scalar(&mut reader)?;
        let temperature = scalar(&mut reader)?;
        let velocity =
            read_grid(&mut reader, self.lattice.corners, Vec3::ZERO, saved_bytes::vector)?;
        let pressure = scalar(&mut reader)?;
        reader.end()?;
        for grid in [&density, &temperature, &pressure] {
            possible("value", largest(grid).is_finite())?;
        }
        possible("velocity", largest_component(&velocity).is_finite())?;
        let faces = tiles::tiles_of_faces(density.coordinates());
        possible(
            "number of tiles",
            temperature.coordinates() == density.coordinates() && velocity.coordinates() == faces,
        )?;
        // Solids are posed for their saved time; if that fails, nothing has changed yet.
        let surroundings = self.surroundings.at(time)?;
        self.solids = SolidFaces::new(self.lattice, &faces, &Touching(&surroundings));
        self.surroundings = surroundings;
        self.air = Air { density, temperature, velocity, pressure, time, last_step };
        Ok(())
    }
}

/// Tiles of one value are saved as such: they stay what they are.
fn put_grid<T: Copy + Send + Sync, const N: usize>(
    bytes: &mut Vec<u8>,
    grid: &SparseGrid<T>,
    write: impl Fn(T) -> [u8; N] + Copy,
) {
    let coordinates: Vec<i32> =
        grid.coordinates().iter().flat_map(|tile| tile.to_array()).collect();
    saved_bytes::put(bytes, &coordinates, i32::to_le_bytes);
    let is_dense: Vec<u8> = grid.tiles().iter().map(|tile| tile.dense().is_some().into()).collect();
    saved_bytes::put(bytes, &is_dense, |dense| [dense]);
    let count = |tile: &Tile<T>| if tile.dense().is_some() { TILE_NODES } else { 1 };
    let values = grid.tiles().iter().flat_map(|tile| (0..count(tile)).map(|node| tile.at(node)));
    saved_bytes::put(bytes, &values.collect::<Vec<T>>(), write);
}

fn read_grid<T: Copy + Send + Sync, const N: usize>(
    reader: &mut Reader<'_>,
    lattice: Lattice,
    background: T,
    read: impl Fn([u8; N]) -> T,
) -> Result<SparseGrid<T>, StateError> {
    let coordinates: Vec<i32> = reader.values(i32::from_le_bytes)?;
    let is_dense: Vec<u8> = reader.values(|[dense]| dense)?;
    let values: Vec<T> = reader.values(read)?;
    let lengths = is_dense.iter().map(|&dense| if dense == 0 { 1 } else { TILE_NODES });
    possible(
        "number of values",
        coordinates.len() == 3 * is_dense.len() && values.len() == lengths.clone().sum::<usize>(),
    )?;
    let mut rest = values.as_slice();
    let mut tiles = Vec::with_capacity(is_dense.len());
    for (coordinate, length) in coordinates.chunks_exact(3).map(IVec3::from_slice).zip(lengths) {
        let (own, others) = rest.split_at(length);
        rest = others;
        let tile = match own {
            [value] => Tile::Constant(*value),
            _ => Tile::Dense(Box::new(std::array::from_fn(|node| own[node]))),
        };
        tiles.push((coordinate, tile));
    }
    SparseGrid::from_tiles(lattice, background, tiles)
        .map_err(|_| StateError::Value { what: "tile" })
}
