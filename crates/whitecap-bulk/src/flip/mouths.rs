//! The mouths of emitters, for liquids that hang together: what is still in the mouth moves at the speed of the
//! emitter, and holds what has left. Without that a viscous thread would tear off and fall as a whole.

use std::collections::BTreeMap;

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{
    SparseGrid, TILE_NODES, Tile, offset_in_tile, tile_of, tile_order,
};
use whitecap_scene::emitter::Emitter;

use crate::mac::MacLattice;
use crate::mac::solids::SolidFaces;

/// How deep a mouth is, in steps of half a cell from the opening along the flow.
const DEPTH: usize = 4;

/// Cells of the mouths that are open at a time in s, each with the velocity of the liquid there, by tile.
type MouthCells = BTreeMap<(i32, i32, i32), Vec<(usize, Vec3)>>;

/// The solids, and mouths that are open as further solids whose surface moves with the liquid.
pub(super) fn with_mouths(
    lattice: MacLattice,
    solids: &SolidFaces,
    emitters: &[Emitter],
    time: f64,
) -> SolidFaces {
    let mut cells = MouthCells::new();
    for emitter in emitters.iter().filter(|emitter| emitter.is_open(time)) {
        for &(point, direction) in emitter.opening() {
            for step in 0..=DEPTH {
                let inside = point + 0.5 * step as f32 * lattice.cell() * direction;
                let cell = lattice.cell_of(inside);
                let entry = (offset_in_tile(cell), emitter.speed() * direction);
                cells.entry(tile_order(tile_of(cell))).or_default().push(entry);
            }
        }
    }
    let distance = replaced(&solids.distance, &cells, |_| -0.5 * lattice.cell());
    let velocity = replaced(&solids.velocity, &cells, |velocity| velocity);
    SolidFaces { velocity, distance, ..solids.clone() }
}

/// A grid with other values in the cells of mouths.
fn replaced<T: Copy + Send + Sync>(
    grid: &SparseGrid<T>,
    cells: &MouthCells,
    value: impl Fn(Vec3) -> T + Sync,
) -> SparseGrid<T> {
    grid.map_tiles(grid.background(), |tile: IVec3, around| {
        let own = around.center().cloned().unwrap_or(Tile::Constant(grid.background()));
        let Some(cells) = cells.get(&tile_order(tile)) else { return own };
        let mut values: Box<[T; TILE_NODES]> = Box::new(std::array::from_fn(|node| own.at(node)));
        for &(offset, velocity) in cells {
            values[offset] = value(velocity);
        }
        Tile::Dense(values)
    })
}
