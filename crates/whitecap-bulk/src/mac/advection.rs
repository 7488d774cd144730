//! What a flow carries along: values of cells and of faces at a later time.
//!
//! [`carry_cells`] takes the value where the flow comes from (semi-Lagrangian: Stam 1999): smooth, and it
//! blurs. [`carry_cells_sharply`] and [`carry_faces_sharply`] go there and back again, and take half of what
//! that changed as the error of one way: MacCormack's method (Selle, Fedkiw, Kim, Liu and Rossignac 2008), of
//! second order in space and time.
//!
//! # Guarantees
//! Values are between those they are taken from: nothing larger or smaller appears. The sharp ones are limited
//! to the eight values that the first way was interpolated from.
//!
//! # Non-guarantees
//! * Sums are not kept; for amounts see [`super::transport`].
//! * The sharp ones reach [`FARTHEST`] cells: what comes from farther away is taken from there.

use whitecap_core::CoordinateIndex;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

use super::MacLattice;
use super::face_block::FaceBlock;
use super::faces::trilinear;

/// How far the sharp methods look along each axis, in cells.
pub const FARTHEST: f32 = 3.0;

/// Cells around a tile that are copied with it.
const PADDING: usize = 4;
const EDGE: usize = 8 + 2 * PADDING;
/// From the first to the last of the eight corners around a position, and one more.
const CORNER_SPAN: usize = EDGE * EDGE + EDGE + 2;

/// The values that the flow has carried to the middles of the cells of `tiles` after a time step: each
/// cell takes the value where the flow comes from (semi-Lagrangian: Stam 1999), traced back by a third-order
/// step.
pub fn carry_cells(
    values: &SparseGrid<f32>,
    velocity: &SparseGrid<Vec3>,
    tiles: &[IVec3],
    time_step: f32,
) -> SparseGrid<f32> {
    let lattice = values.lattice();
    SparseGrid::filled(lattice, values.background(), tiles.to_vec(), |tile, carried| {
        let flow = FaceBlock::new(velocity, tile);
        for (offset, value) in carried.iter_mut().enumerate() {
            let middle = lattice.position(tile * 8 + local_node(offset));
            *value = values.sample(flow.carried(middle, flow.sample(middle), -time_step));
        }
    })
}

/// As [`carry_cells`], by MacCormack's method.
pub fn carry_cells_sharply(
    values: &SparseGrid<f32>,
    velocity: &SparseGrid<Vec3>,
    tiles: &[IVec3],
    time_step: f32,
) -> SparseGrid<f32> {
    MacCormack { values, velocity, components: 1, time_step, cells: None }.carried(tiles)
}

/// The values that the flow has carried to the faces of the cells of `tiles`, each component to its own, by
/// MacCormack's method. High faces at the border are in tiles of their own, with the background on all other
/// faces. `velocity` carries itself if `values` is the same grid.
pub fn carry_faces_sharply(
    values: &SparseGrid<Vec3>,
    velocity: &SparseGrid<Vec3>,
    tiles: &[IVec3],
    time_step: f32,
) -> SparseGrid<Vec3> {
    let cells = CoordinateIndex::build(tiles);
    let behind = |&tile: &IVec3| [tile, tile + IVec3::X, tile + IVec3::Y, tile + IVec3::Z];
    let tiles: Vec<IVec3> = tiles.iter().flat_map(behind).collect();
    MacCormack { values, velocity, components: 3, time_step, cells: Some(&cells) }.carried(&tiles)
}

/// One or three numbers of a cell.
trait Components: Copy + Send + Sync {
    /// One of them.
    fn component(self, index: usize) -> f32;
    /// From each of them.
    fn from_components(value: impl FnMut(usize) -> f32) -> Self;
}

impl Components for f32 {
    #[inline(always)]
    fn component(self, _index: usize) -> f32 {
        self
    }

    #[inline(always)]
    fn from_components(mut value: impl FnMut(usize) -> f32) -> Self {
        value(0)
    }
}

impl Components for Vec3 {
    #[inline(always)]
    fn component(self, index: usize) -> f32 {
        self[index]
    }

    #[inline(always)]
    fn from_components(value: impl FnMut(usize) -> f32) -> Self {
        Vec3::from_array(std::array::from_fn(value))
    }
}

/// What is carried, and by what.
struct MacCormack<'a, T> {
    values: &'a SparseGrid<T>,
    velocity: &'a SparseGrid<Vec3>,
    /// One in the middle of each cell, or three on its faces.
    components: usize,
    time_step: f32,
    /// The tiles of the cells whose faces are wanted; `None` if everything in each tile is wanted.
    cells: Option<&'a CoordinateIndex>,
}

/// What one way finds: the value, and the lowest and the highest of those it was interpolated from.
#[derive(Clone, Copy)]
struct Found<T> {
    value: T,
    low: T,
    high: T,
}

impl<T: Components> MacCormack<'_, T> {
    /// The values after the time step (Selle et al. 2008, Sections 3 and 4).
    fn carried(&self, tiles: &[IVec3]) -> SparseGrid<T> {
        let background = self.values.background();
        // φ̂ = A(φ): where the flow comes from.
        let nothing = Found { value: background, low: background, high: background };
        let lattice = self.values.lattice();
        let there = SparseGrid::filled(lattice, nothing, tiles.to_vec(), |tile, found| {
            self.each_found(self.values, tile, -self.time_step, |offset, value| {
                found[offset] = value;
            });
        });
        let predicted = there.map_tiles(background, |_, around| {
            let tile = around.center().expect("tiles of the grid itself");
            Tile::Dense(Box::new(std::array::from_fn(|offset| tile.at(offset).value)))
        });
        // φ̄ = Aᴿ(φ̂): back again; half of the difference to φ is the error of one way.
        there.map_tiles(background, |tile, there| {
            let there = there.center().expect("tiles of the grid itself");
            let before = self.values.tile(tile);
            let mut carried = Box::new([background; TILE_NODES]);
            self.each_found(&predicted, tile, self.time_step, |offset, back| {
                let found = there.at(offset);
                let before = before.map_or(background, |before| before.at(offset));
                carried[offset] = T::from_components(|index| {
                    let error = 0.5 * (before.component(index) - back.value.component(index));
                    let (low, high) = (found.low.component(index), found.high.component(index));
                    (found.value.component(index) + error).max(low).min(high)
                });
            });
            Tile::Dense(carried)
        })
    }

    /// Calls `visit` with each cell of a tile and what is found where the flow leads from there in a time,
    /// which may be negative.
    fn each_found(
        &self,
        values: &SparseGrid<T>,
        tile: IVec3,
        time: f32,
        mut visit: impl FnMut(usize, Found<T>),
    ) {
        let moved = Block::new(self.velocity, tile, 3).moved(time / self.velocity.lattice().cell);
        let block = Block::new(values, tile, self.components);
        let border = self.border(tile);
        let nothing = self.values.background();
        for offset in 0..TILE_NODES {
            let cell = local_node(offset);
            let is_wanted =
                |axis: usize| border.is_none_or(|border| border[axis] && cell[axis] == 0);
            if !(0..3).any(is_wanted) {
                continue;
            }
            let corner = (cell + PADDING as i32).as_vec3();
            let here = moved_place(cell);
            let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
            let value = T::from_components(|index| {
                if !is_wanted(index) {
                    low[index] = nothing.component(index);
                    high[index] = low[index];
                    return low[index];
                }
                // A face moves like the mean of the cells beside it.
                let moved = match self.components {
                    1 => moved[here],
                    _ => 0.5 * (moved[here] + moved[here - MOVED_BELOW[index]]),
                };
                let corners = Corners::new(&block.components[index], corner + moved);
                (low[index], high[index]) = corners.range();
                trilinear(corners.values, corners.t)
            });
            let found = Found {
                value,
                low: T::from_components(|index| low[index]),
                high: T::from_components(|index| high[index]),
            };
            visit(offset, found);
        }
    }
}

impl<T> MacCormack<'_, T> {
    /// On which axes the lowest faces of a tile are the highest ones of a tile of cells; `None` if the tile
    /// has cells itself.
    fn border(&self, tile: IVec3) -> Option<[bool; 3]> {
        let cells = self.cells.filter(|cells| cells.get(tile).is_none())?;
        Some(std::array::from_fn(|axis| cells.get(tile - IVec3::AXES[axis]).is_some()))
    }
}

/// The values of a tile and of the cells around it in plain memory, by component. Positions are in cells from
/// the corner of the block.
struct Block {
    components: Vec<Vec<f32>>,
}

impl Block {
    fn new<T: Components>(grid: &SparseGrid<T>, tile: IVec3, components: usize) -> Self {
        let mut copied = vec![grid.background(); EDGE * EDGE * EDGE];
        grid.neighbourhood(tile).copy_padded(PADDING, &mut copied);
        let of = |index: usize| copied.iter().map(|value| value.component(index)).collect();
        Self { components: (0..components).map(of).collect() }
    }

    /// How far the flow carries the middle of each cell of the tile, and of those below it on each axis, in a
    /// time, in cells: the midpoint rule, of second order like the method. `time` is in cells per m/s.
    fn moved(&self, time: f32) -> Vec<Vec3> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.components[axis].as_slice());
        let mut moved = vec![Vec3::ZERO; MOVED * MOVED * MOVED];
        for (place, moved) in moved.iter_mut().enumerate() {
            let cell = [place % MOVED, place / MOVED % MOVED, place / MOVED / MOVED];
            let [i, j, k] = cell.map(|along| along + PADDING - 1);
            let here = i + EDGE * (j + EDGE * k);
            let mean = |faces: &[f32], next: usize| 0.5 * (faces[here] + faces[here + next]);
            let first = Vec3::new(mean(x, 1), mean(y, EDGE), mean(z, EDGE * EDGE));
            let middle = Vec3::new(i as f32, j as f32, k as f32) + 0.5 + 0.5 * time * first;
            *moved = time * self.velocity(middle);
        }
        moved
    }

    /// Velocity at a position.
    #[inline(always)]
    fn velocity(&self, position: Vec3) -> Vec3 {
        let component = |axis: usize| {
            let at = position - MacLattice::face_offset(axis);
            let corners = Corners::new(&self.components[axis], at);
            trilinear(corners.values, corners.t)
        };
        Vec3::new(component(0), component(1), component(2))
    }
}

/// Cells along the edge of a tile and of those below it.
const MOVED: usize = 9;
/// Distance to the cell below on each axis there.
const MOVED_BELOW: [usize; 3] = [1, MOVED, MOVED * MOVED];

#[inline(always)]
fn moved_place(cell: IVec3) -> usize {
    let cell = cell + 1;
    cell.x as usize + MOVED * (cell.y as usize + MOVED * cell.z as usize)
}

/// The eight values around a position.
struct Corners {
    values: [f32; 8],
    t: Vec3,
}

impl Corners {
    #[inline(always)]
    fn new(values: &[f32], at: Vec3) -> Self {
        let at = at.clamp(Vec3::ZERO, Vec3::splat((EDGE - 2) as f32 + 0.999));
        let low = at.floor();
        let place = low.x as usize + EDGE * (low.y as usize + EDGE * low.z as usize);
        let near = &values[place..place + CORNER_SPAN];
        let value =
            |corner: usize| near[(corner & 1) + EDGE * ((corner >> 1 & 1) + EDGE * (corner >> 2))];
        Self { values: std::array::from_fn(value), t: at - low }
    }

    /// The lowest and the highest.
    #[inline(always)]
    fn range(&self) -> (f32, f32) {
        let low = self.values.into_iter().fold(f32::INFINITY, f32::min);
        let high = self.values.into_iter().fold(f32::NEG_INFINITY, f32::max);
        (low, high)
    }
}
