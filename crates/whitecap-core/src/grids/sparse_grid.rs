//! `SparseGrid<T>`: values on the nodes of a [`Lattice`], stored as tiles of 8³ in sorted order.
//!
//! # Guarantees
//! * Tiles are sorted by (z, y, x) of their coordinate; iteration order never depends on threads
//!   or on insertion order.
//! * Memory follows the stored tiles, not the bounding box. A tile whose nodes all hold one value
//!   costs a few bytes.
//! * Reading a node that is in no tile gives the background value.
//!
//! # Non-guarantees
//! * Reading single nodes with [`SparseGrid::get`] hashes once per call. Loops use
//!   [`SparseGrid::neighbourhood`], which looks up the 27 tiles once and then only indexes.
//!
//! Node (i, j, k) lives in tile (i >> 3, j >> 3, k >> 3), at x + 8 y + 64 z inside it: the eight
//! nodes of a row are adjacent, one SIMD register of `f32`.

use glam::{IVec3, Vec3};
use rayon::prelude::*;

use crate::{CoordinateIndex, Error, Lattice};

/// Nodes in a tile.
pub const TILE_NODES: usize = 512;

/// The tile that holds `node`.
#[inline]
pub fn tile_of(node: IVec3) -> IVec3 {
    node >> 3
}

/// Place of `node` inside its tile.
#[inline]
pub fn offset_in_tile(node: IVec3) -> usize {
    let local = node & 7;
    (local.x + 8 * local.y + 64 * local.z) as usize
}

/// Local coordinate of a place inside a tile.
#[inline]
pub fn local_node(offset: usize) -> IVec3 {
    IVec3::new((offset & 7) as i32, ((offset >> 3) & 7) as i32, (offset >> 6) as i32)
}

/// The order of tiles: z, then y, then x.
#[inline]
pub fn tile_order(tile: IVec3) -> (i32, i32, i32) {
    (tile.z, tile.y, tile.x)
}

/// What a tile holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile<T> {
    /// Every node has this value.
    Constant(T),
    /// One value per node.
    Dense(Box<[T; TILE_NODES]>),
}

impl<T: Copy> Tile<T> {
    /// The value at a place inside the tile.
    #[inline]
    pub fn at(&self, offset: usize) -> T {
        match self {
            Tile::Constant(value) => *value,
            Tile::Dense(values) => values[offset],
        }
    }

    /// The node values, if stored one by one.
    pub fn dense(&self) -> Option<&[T; TILE_NODES]> {
        match self {
            Tile::Constant(_) => None,
            Tile::Dense(values) => Some(values),
        }
    }
}

/// A sparse grid of node values. See the module documentation.
#[derive(Clone, Debug)]
pub struct SparseGrid<T> {
    lattice: Lattice,
    background: T,
    coordinates: Vec<IVec3>,
    tiles: Vec<Tile<T>>,
    index: CoordinateIndex,
}

impl<T: Copy + PartialEq> PartialEq for SparseGrid<T> {
    fn eq(&self, other: &Self) -> bool {
        self.lattice == other.lattice
            && self.background == other.background
            && self.coordinates == other.coordinates
            && self.tiles == other.tiles
    }
}

impl<T: Copy + Send + Sync> SparseGrid<T> {
    /// A grid with no tile: the background everywhere.
    pub fn new(lattice: Lattice, background: T) -> Self {
        Self {
            lattice,
            background,
            coordinates: Vec::new(),
            tiles: Vec::new(),
            index: CoordinateIndex::default(),
        }
    }

    /// A grid from its tiles, in any order. Two tiles at one coordinate are an error.
    pub fn from_tiles(
        lattice: Lattice,
        background: T,
        mut tiles: Vec<(IVec3, Tile<T>)>,
    ) -> Result<Self, Error> {
        tiles.par_sort_by_key(|(coordinate, _)| tile_order(*coordinate));
        if let Some(pair) = tiles.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let IVec3 { x, y, z } = pair[0].0;
            return Err(Error::DuplicateTile { x, y, z });
        }
        let (coordinates, tiles): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
        let index = CoordinateIndex::build(&coordinates);
        Ok(Self { lattice, background, coordinates, tiles, index })
    }

    /// A grid with dense tiles at `coordinates` (any order, repeats allowed), each filled in
    /// parallel by `fill(tile_coordinate, values)`; values start as the background.
    pub fn filled(
        lattice: Lattice,
        background: T,
        mut coordinates: Vec<IVec3>,
        fill: impl Fn(IVec3, &mut [T; TILE_NODES]) + Sync,
    ) -> Self {
        coordinates.par_sort_by_key(|c| tile_order(*c));
        coordinates.dedup();
        let tiles = coordinates
            .par_iter()
            .map(|&coordinate| {
                let mut values = Box::new([background; TILE_NODES]);
                fill(coordinate, &mut values);
                Tile::Dense(values)
            })
            .collect();
        let index = CoordinateIndex::build(&coordinates);
        Self { lattice, background, coordinates, tiles, index }
    }

    /// The lattice the nodes live on.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The value of nodes that are in no tile.
    pub fn background(&self) -> T {
        self.background
    }

    /// Number of stored tiles.
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// Coordinates of the stored tiles, sorted.
    pub fn coordinates(&self) -> &[IVec3] {
        &self.coordinates
    }

    /// Memory that the tiles hold, in bytes; the index of their coordinates is not counted.
    pub fn bytes(&self) -> usize {
        let dense = self.tiles.iter().filter(|tile| tile.dense().is_some()).count();
        dense * TILE_NODES * size_of::<T>()
            + self.tiles.capacity() * size_of::<Tile<T>>()
            + self.coordinates.capacity() * size_of::<IVec3>()
    }

    /// The tiles, in the order of [`SparseGrid::coordinates`].
    pub fn tiles(&self) -> &[Tile<T>] {
        &self.tiles
    }

    /// The tiles, to be changed in place; coordinates stay.
    pub fn tiles_mut(&mut self) -> &mut [Tile<T>] {
        &mut self.tiles
    }

    /// The tile at `coordinate`, if stored.
    #[inline]
    pub fn tile(&self, coordinate: IVec3) -> Option<&Tile<T>> {
        self.index.get(coordinate).map(|place| &self.tiles[place])
    }

    /// The value at `node`.
    #[inline]
    pub fn get(&self, node: IVec3) -> T {
        self.tile(tile_of(node)).map_or(self.background, |tile| tile.at(offset_in_tile(node)))
    }

    /// The tile at `coordinate` with its 26 neighbours, looked up once.
    pub fn neighbourhood(&self, coordinate: IVec3) -> Neighbourhood<'_, T> {
        let sources = std::array::from_fn(|slot| {
            let slot = slot as i32;
            let step = IVec3::new(slot % 3, slot / 3 % 3, slot / 9) - 1;
            self.tile(coordinate + step)
        });
        Neighbourhood { sources, background: self.background }
    }

    /// A grid of the same tiles with every tile replaced by `change(coordinate, neighbourhood)`,
    /// in parallel.
    pub fn map_tiles<U: Copy + Send + Sync>(
        &self,
        background: U,
        change: impl Fn(IVec3, &Neighbourhood<'_, T>) -> Tile<U> + Sync,
    ) -> SparseGrid<U> {
        let tiles = self
            .coordinates
            .par_iter()
            .map(|&coordinate| change(coordinate, &self.neighbourhood(coordinate)))
            .collect();
        SparseGrid {
            lattice: self.lattice,
            background,
            coordinates: self.coordinates.clone(),
            tiles,
            index: self.index.clone(),
        }
    }
}

impl SparseGrid<f32> {
    /// Trilinear interpolation at a world position.
    pub fn sample(&self, position: Vec3) -> f32 {
        let (base, t) = self.lattice.locate(position);
        self.interpolate(base, t).0
    }

    /// Trilinear value and its gradient (per metre) at a world position.
    pub fn sample_with_gradient(&self, position: Vec3) -> (f32, Vec3) {
        let (base, t) = self.lattice.locate(position);
        let (value, gradient) = self.interpolate(base, t);
        (value, gradient / self.lattice.cell)
    }

    /// Catmull–Rom interpolation over 4³ nodes, limited to the range of the cell's eight corners widened
    /// by a quarter of it, so that it cannot overshoot far. Third-order accurate where the field is
    /// smooth and monotone.
    pub fn sample_cubic(&self, position: Vec3) -> f32 {
        let (base, t) = self.lattice.locate(position);
        let weights = [t.x, t.y, t.z].map(catmull_rom);
        let around = self.neighbourhood(tile_of(base));
        let local = base & 7;
        let (mut sum, mut low, mut high) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
        for (k, wz) in weights[2].iter().enumerate() {
            for (j, wy) in weights[1].iter().enumerate() {
                for (i, wx) in weights[0].iter().enumerate() {
                    let value = around.get(local + IVec3::new(i as i32, j as i32, k as i32) - 1);
                    sum += wx * wy * wz * value;
                    if [i, j, k].iter().all(|&n| n == 1 || n == 2) {
                        low = low.min(value);
                        high = high.max(value);
                    }
                }
            }
        }
        // A curved field may legitimately leave the corner range by a fraction of it.
        let slack = 0.25 * (high - low);
        sum.clamp(low - slack, high + slack)
    }

    fn interpolate(&self, base: IVec3, t: Vec3) -> (f32, Vec3) {
        let corner = self.cell_corners(base);
        let mix = |a: f32, b: f32, s: f32| a + (b - a) * s;
        let x00 = mix(corner[0], corner[1], t.x);
        let x10 = mix(corner[2], corner[3], t.x);
        let x01 = mix(corner[4], corner[5], t.x);
        let x11 = mix(corner[6], corner[7], t.x);
        let (y0, y1) = (mix(x00, x10, t.y), mix(x01, x11, t.y));
        let slope_x = mix(
            mix(corner[1] - corner[0], corner[3] - corner[2], t.y),
            mix(corner[5] - corner[4], corner[7] - corner[6], t.y),
            t.z,
        );
        let slope_y = mix(x10 - x00, x11 - x01, t.z);
        (mix(y0, y1, t.z), Vec3::new(slope_x, slope_y, y1 - y0))
    }

    /// The eight values of the cell whose low corner is `base`; corner c is at (c&1, c>>1&1, c>>2).
    fn cell_corners(&self, base: IVec3) -> [f32; 8] {
        let local = base & 7;
        let offset = |c: usize| IVec3::new((c & 1) as i32, (c >> 1 & 1) as i32, (c >> 2) as i32);
        if local.max_element() < 7 {
            // The whole cell lies in one tile: one look-up.
            return match self.tile(tile_of(base)) {
                Some(tile) => std::array::from_fn(|c| tile.at(offset_in_tile(base + offset(c)))),
                None => [self.background; 8],
            };
        }
        std::array::from_fn(|c| self.get(base + offset(c)))
    }
}

/// Weights of the four nodes around a position t (0 to 1) between the middle two.
fn catmull_rom(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (2.0 * t2 - t - t3),
        0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
        0.5 * (t + 4.0 * t2 - 3.0 * t3),
        0.5 * (t3 - t2),
    ]
}

/// A tile with its 26 neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Neighbourhood<'a, T> {
    sources: [Option<&'a Tile<T>>; 27],
    background: T,
}

impl<'a, T: Copy> Neighbourhood<'a, T> {
    /// The tile in the middle, if stored.
    pub fn center(&self) -> Option<&'a Tile<T>> {
        self.sources[13]
    }

    /// The neighbour tile at `step`, each component −1, 0 or 1.
    #[inline]
    pub fn tile(&self, step: IVec3) -> Option<&'a Tile<T>> {
        self.sources[(step.x + 1 + 3 * (step.y + 1) + 9 * (step.z + 1)) as usize]
    }

    /// The value at a node given relative to the middle tile's low corner, each component from
    /// −8 to 15.
    #[inline]
    pub fn get(&self, node: IVec3) -> T {
        self.tile(node >> 3).map_or(self.background, |tile| tile.at(offset_in_tile(node)))
    }

    /// Copies the tile and `padding` nodes around it into `block`, x fastest, edge length
    /// 8 + 2 `padding`: stencil loops then run over plain memory.
    ///
    /// # Panics
    /// If `block` is not (8 + 2 `padding`)³ long or `padding` exceeds 8.
    pub fn copy_padded(&self, padding: usize, block: &mut [T]) {
        let edge = 8 + 2 * padding;
        assert!(padding <= 8 && block.len() == edge * edge * edge);
        let low = -(padding as i32);
        for z in 0..edge as i32 {
            for y in 0..edge as i32 {
                let row = (z as usize * edge + y as usize) * edge;
                let row = &mut block[row..row + edge];
                let node = IVec3::new(0, y + low, z + low);
                for (column, (from, to)) in
                    [(0, padding), (padding, padding + 8), (padding + 8, edge)]
                        .into_iter()
                        .enumerate()
                {
                    let values = &mut row[from..to];
                    let step = IVec3::new(column as i32 - 1, node.y >> 3, node.z >> 3);
                    let first = if column == 0 { 8 - padding } else { 0 };
                    match self.tile(step) {
                        None => values.fill(self.background),
                        Some(Tile::Constant(value)) => values.fill(*value),
                        Some(Tile::Dense(tile)) => {
                            let start = offset_in_tile(node) + first;
                            values.copy_from_slice(&tile[start..start + values.len()]);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: values read back at the nodes they were written to, through `get`, through a
    /// neighbourhood, and through a padded copy; the background is everywhere else.
    #[test]
    fn reads_what_was_written_including_negative_coordinates() {
        let label = |node: IVec3| (node.x + 100 * node.y + 10_000 * node.z) as f32;
        let wanted = vec![IVec3::new(-1, 0, 2), IVec3::new(0, 0, 2), IVec3::new(0, -1, 2)];
        let grid = SparseGrid::filled(Lattice::at_origin(0.5), -7.0, wanted, |tile, values| {
            for (offset, value) in values.iter_mut().enumerate() {
                *value = label(tile * 8 + local_node(offset));
            }
        });
        assert!(grid.coordinates().is_sorted_by_key(|c| tile_order(*c)));
        let middle = IVec3::new(0, 0, 2);
        let around = grid.neighbourhood(middle);
        let mut block = vec![0.0; 12 * 12 * 12];
        around.copy_padded(2, &mut block);
        for z in -2..10 {
            for y in -2..10 {
                for x in -2..10 {
                    let local = IVec3::new(x, y, z);
                    let node = middle * 8 + local;
                    let stored = grid.tile(tile_of(node)).is_some();
                    let expected = if stored { label(node) } else { -7.0 };
                    assert_eq!(grid.get(node), expected);
                    assert_eq!(around.get(local), expected);
                    let place = ((z + 2) * 12 + y + 2) * 12 + x + 2;
                    assert_eq!(block[place as usize], expected);
                }
            }
        }
    }

    /// Contract: trilinear sampling reproduces linear functions and their gradient exactly, also
    /// across tile borders.
    #[test]
    fn sampling_is_exact_for_linear_functions() {
        let lattice = Lattice { origin: Vec3::new(0.3, -0.2, 0.1), cell: 0.25 };
        let plane = |p: Vec3| 2.0 * p.x - 3.0 * p.y + 0.5 * p.z + 1.0;
        let tiles = (0..27).map(|s| IVec3::new(s % 3, s / 3 % 3, s / 9) - 1).collect();
        let grid = SparseGrid::filled(lattice, 0.0, tiles, |tile, values| {
            for (offset, value) in values.iter_mut().enumerate() {
                *value = plane(lattice.position(tile * 8 + local_node(offset)));
            }
        });
        for step in 0..200 {
            let t = step as f32 * 0.618_034;
            let p = Vec3::new(t % 3.3 - 1.4, (t * 1.7) % 3.3 - 1.5, (t * 2.3) % 3.3 - 1.5);
            let (value, gradient) = grid.sample_with_gradient(p);
            assert!((value - plane(p)).abs() < 1e-5, "{p}: {value} against {}", plane(p));
            assert!((gradient - Vec3::new(2.0, -3.0, 0.5)).length() < 1e-4);
        }
    }

    /// Contract: two tiles at one place are refused.
    #[test]
    fn duplicate_tiles_are_an_error() {
        let tiles = vec![(IVec3::ONE, Tile::Constant(1.0)), (IVec3::ONE, Tile::Constant(2.0))];
        let grid = SparseGrid::from_tiles(Lattice::at_origin(1.0), 0.0, tiles);
        assert_eq!(grid.unwrap_err(), Error::DuplicateTile { x: 1, y: 1, z: 1 });
    }
}
