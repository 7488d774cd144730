//! Volumes in other units and with another axis up.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{TILE_NODES, local_node, offset_in_tile};
use whitecap_core::{GridClass, GridValues, Lattice, SparseGrid, Tile, Volume, VolumeGrid};

use super::columns::{length_power, named_columns};
use super::{ChangeError, Changes, Up};

pub(super) fn changed(changes: &Changes, volume: Volume) -> Result<Volume, ChangeError> {
    if changes.flipped {
        return Err(ChangeError::NoTriangles);
    }
    let grids = volume.grids.into_iter().map(|grid| (grid.name.clone(), grid)).collect();
    let grids = named_columns(changes, grids, false)?;
    let grids =
        grids.into_iter().map(|(name, grid)| changed_grid(changes, VolumeGrid { name, ..grid }));
    Ok(Volume { grids: grids.collect::<Result<_, _>>()? })
}

fn changed_grid(changes: &Changes, grid: VolumeGrid) -> Result<VolumeGrid, ChangeError> {
    let VolumeGrid { name, class, values } = grid;
    if changes.up == Up::Z && class == GridClass::Staggered {
        return Err(ChangeError::Staggered { name });
    }
    let is_distance = class == GridClass::LevelSet;
    let is_velocity = class == GridClass::Staggered || length_power(&name) == 1;
    let values = match values {
        GridValues::Scalar(values) => {
            let factor = if is_distance { changes.scale } else { 1.0 };
            let scaled = |value: f32| (factor * f64::from(value)) as f32;
            GridValues::Scalar(moved(changes, values, scaled))
        }
        GridValues::Vector(values) => {
            let factor = if is_velocity { changes.scale } else { 1.0 };
            GridValues::Vector(moved(changes, values, |value: Vec3| {
                changes.vector((factor * value.as_dvec3()).as_vec3())
            }))
        }
    };
    Ok(VolumeGrid { name, class, values })
}

/// The grid in its new place with its values changed.
fn moved<T: Copy + Send + Sync>(
    changes: &Changes,
    grid: SparseGrid<T>,
    value: impl Fn(T) -> T,
) -> SparseGrid<T> {
    let Lattice { origin, cell } = grid.lattice();
    let origin = (changes.scale * origin.as_dvec3()).as_vec3();
    let cell = (changes.scale * f64::from(cell)) as f32;
    let turn = changes.up == Up::Z;
    // Node j along y becomes node −1 − j along z, so that tiles stay whole; the origin makes up for it.
    let origin = match turn {
        true => Vec3::new(origin.x, origin.z, cell - origin.y),
        false => origin,
    };
    let lattice = Lattice { origin: origin + changes.translation, cell };
    let place = |tile: IVec3| if turn { IVec3::new(tile.x, tile.z, -1 - tile.y) } else { tile };
    let tiles = grid.coordinates().iter().zip(grid.tiles()).map(|(coordinate, tile)| {
        let tile = match tile {
            Tile::Constant(constant) => Tile::Constant(value(*constant)),
            Tile::Dense(values) => {
                let mut moved = Box::new([value(values[0]); TILE_NODES]);
                for (offset, old) in values.iter().enumerate() {
                    let node = local_node(offset);
                    let node = if turn { IVec3::new(node.x, node.z, 7 - node.y) } else { node };
                    moved[offset_in_tile(node)] = value(*old);
                }
                Tile::Dense(moved)
            }
        };
        (place(*coordinate), tile)
    });
    let background = value(grid.background());
    // No two tiles come to lie in one place.
    SparseGrid::from_tiles(lattice, background, tiles.collect())
        .unwrap_or_else(|_| SparseGrid::new(lattice, background))
}
