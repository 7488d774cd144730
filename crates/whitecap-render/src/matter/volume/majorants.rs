//! Upper bounds of a density on a coarse grid, and the cells that a ray passes through.

use glam::{DVec3, I64Vec3, IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{local_node, offset_in_tile};
use whitecap_core::{Bounds, SparseGrid, Tile};

use super::{SphereUnion, VolumeError};
use crate::Ray;

/// Largest number of cells; beyond that the cells get larger. Eight megabytes.
const MOST_CELLS: f64 = (1 << 21) as f64;
/// Nodes along one edge of the blocks of a density grid that each have a bound.
const BLOCK: i32 = 4;

/// Upper bounds of a density.
pub(super) struct MajorantGrid {
    origin: DVec3,
    cell: f64,
    size: IVec3,
    values: Vec<f32>,
}

/// A part of a ray with the upper bound of the density there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub start: f32,
    pub end: f32,
    pub majorant: f32,
}

impl MajorantGrid {
    fn new(origin: DVec3, cell: f64, size: IVec3) -> Self {
        let count = size.as_i64vec3().element_product() as usize;
        Self { origin, cell, size, values: vec![0.0; count] }
    }

    /// Bounds of a trilinear interpolation: the largest node of each block and of its low neighbours.
    pub fn of_grid(grid: &SparseGrid<f32>) -> Result<Self, VolumeError> {
        if grid.background() != 0.0 {
            return Err(VolumeError::Background { value: grid.background() });
        }
        let blocks = grid
            .coordinates()
            .par_iter()
            .zip(grid.tiles())
            .map(|(&tile, values)| largest_of_blocks(grid, tile, values))
            .collect::<Result<Vec<_>, _>>()?;
        let filled = || blocks.iter().flatten().filter(|(_, largest)| *largest > 0.0);
        // A node's value extends one cell further down, into the previous block.
        let low = filled()
            .fold(I64Vec3::MAX, |low, (block, _)| low.min(*block))
            .saturating_sub(I64Vec3::ONE);
        let high = filled().fold(I64Vec3::MIN, |high, (block, _)| high.max(*block));
        if filled().next().is_none() {
            return Ok(Self::new(DVec3::ZERO, 1.0, IVec3::ZERO));
        }
        let mut shift = 0;
        let size_at = |shift: u32| ((high - low) >> shift) + 1;
        while size_at(shift).as_dvec3().element_product() > MOST_CELLS {
            shift += 1;
        }
        let lattice = grid.lattice();
        let cell = f64::from(lattice.cell);
        let origin = lattice.origin.as_dvec3() + (low * i64::from(BLOCK)).as_dvec3() * cell;
        let coarse = cell * f64::from(BLOCK) * (1u64 << shift) as f64;
        let mut majorants = Self::new(origin, coarse, size_at(shift).as_ivec3());
        for &(block, largest) in filled() {
            let place = block - low;
            let range = [(place - 1) >> shift, place >> shift].map(|place| place.as_ivec3());
            majorants.raise(range, |_| largest);
        }
        Ok(majorants)
    }

    /// Bounds of a union of spheres: its density at the point of each cell nearest to a centre.
    pub fn of_spheres(spheres: &SphereUnion) -> Self {
        let bounds = spheres.bounds();
        if bounds.is_empty() {
            return Self::new(DVec3::ZERO, 1.0, IVec3::ZERO);
        }
        let (origin, span) = (bounds.min.as_dvec3(), bounds.size().as_dvec3());
        let mut cell = f64::from(spheres.mean_extent()) * 2.0;
        let cells = |length: f64, cell: f64| (length / cell).floor() + 1.0;
        let many = |cell: f64| {
            let count = cells(span.x, cell) * cells(span.y, cell) * cells(span.z, cell);
            let work: f64 = spheres
                .extents()
                .map(|extent| (2.0 * f64::from(extent) / cell + 1.0).powi(3))
                .sum();
            count > MOST_CELLS || work > MOST_CELLS + 64.0 * spheres.len() as f64
        };
        while many(cell) {
            cell *= 2.0;
        }
        let size = DVec3::from_array(span.to_array().map(|length| cells(length, cell)));
        let mut majorants = Self::new(origin, cell, size.as_ivec3());
        spheres.for_each_swept(|sphere| {
            // One cell further in each direction, to allow for rounding at the borders.
            let place = |point: Vec3| ((point.as_dvec3() - origin) / cell).floor().as_ivec3();
            let slack = Vec3::splat(1e-5 * sphere.bounds.max.abs().max_element());
            let range = [place(sphere.bounds.min - slack), place(sphere.bounds.max + slack)];
            majorants.raise(range, |bounds| sphere.largest_density(&bounds));
        });
        majorants
    }

    /// Raises the bounds of a range of cells, both ends included; what lies outside is left out.
    fn raise(&mut self, [low, high]: [IVec3; 2], value: impl Fn(Bounds) -> f32) {
        let (low, high) = (low.max(IVec3::ZERO), high.min(self.size - 1));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cell = IVec3::new(x, y, z);
                    let place = self.place(cell);
                    let value = value(self.bounds_of(cell, cell + 1));
                    self.values[place] = self.values[place].max(value);
                }
            }
        }
    }

    fn place(&self, cell: IVec3) -> usize {
        let [x, y, z] = cell.to_array().map(|c| c as usize);
        (z * self.size.y as usize + y) * self.size.x as usize + x
    }

    fn bounds_of(&self, low: IVec3, high: IVec3) -> Bounds {
        let corner = |place: IVec3| (self.origin + place.as_dvec3() * self.cell).as_vec3();
        Bounds::new(corner(low), corner(high))
    }

    /// The box outside which the density is zero.
    pub fn bounds(&self) -> Bounds {
        match self.values.is_empty() {
            true => Bounds::EMPTY,
            false => self.bounds_of(IVec3::ZERO, self.size),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<f32>()
    }

    /// The cells that a ray passes through, in order (Amanatides & Woo 1987); cells of density zero
    /// are left out.
    pub fn segments(&self, ray: &Ray) -> Segments<'_> {
        let origin = ray.origin.as_dvec3();
        let direction = ray.direction.as_dvec3();
        let (start, end) = self.entry_and_exit(origin, direction, f64::from(ray.far));
        let inside = (origin + start * direction - self.origin) / self.cell;
        let cell = inside.floor().as_ivec3().clamp(IVec3::ZERO, (self.size - 1).max(IVec3::ZERO));
        Segments { grid: self, origin, direction, cell, at: start, end }
    }

    fn entry_and_exit(&self, origin: DVec3, direction: DVec3, far: f64) -> (f64, f64) {
        if self.values.is_empty() || !(origin.is_finite() && direction.is_finite()) {
            return (0.0, 0.0);
        }
        let top = self.origin + self.size.as_dvec3() * self.cell;
        let (mut start, mut end) = (0.0f64, far);
        for axis in 0..3 {
            let (low, high) = (self.origin[axis] - origin[axis], top[axis] - origin[axis]);
            if direction[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return (0.0, 0.0);
                }
                continue;
            }
            let (low, high) = (low / direction[axis], high / direction[axis]);
            start = start.max(low.min(high));
            end = end.min(low.max(high));
        }
        // A ray without a direction would stay inside forever.
        if end.is_finite() { (start, end) } else { (0.0, 0.0) }
    }
}

/// See [`MajorantGrid::segments`].
pub(super) struct Segments<'a> {
    grid: &'a MajorantGrid,
    origin: DVec3,
    direction: DVec3,
    cell: IVec3,
    at: f64,
    end: f64,
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        while self.at < self.end {
            let majorant = self.grid.values[self.grid.place(self.cell)];
            let start = self.at;
            let end = self.leave_cell();
            if majorant > 0.0 && start < end {
                return Some(Segment { start: start as f32, end: end as f32, majorant });
            }
        }
        None
    }
}

impl Segments<'_> {
    /// Steps into the next cell; returns the distance where it begins.
    fn leave_cell(&mut self) -> f64 {
        let (mut nearest, mut crossed) = (f64::INFINITY, 0);
        for axis in 0..3 {
            if self.direction[axis] == 0.0 {
                continue;
            }
            // From the cell's own index, so that no error accumulates along the ray.
            let face = self.cell[axis] + i32::from(self.direction[axis] > 0.0);
            let plane = self.grid.origin[axis] + f64::from(face) * self.grid.cell;
            let distance = (plane - self.origin[axis]) / self.direction[axis];
            if distance < nearest {
                (nearest, crossed) = (distance, axis);
            }
        }
        let next = self.cell[crossed] + if self.direction[crossed] > 0.0 { 1 } else { -1 };
        let reached = nearest.clamp(self.at, self.end);
        if next < 0 || next >= self.grid.size[crossed] {
            self.at = self.end;
        } else {
            self.cell[crossed] = next;
            self.at = reached;
        }
        reached
    }
}

/// The largest value of each block of a tile, with the block's number.
fn largest_of_blocks(
    grid: &SparseGrid<f32>,
    tile: IVec3,
    values: &Tile<f32>,
) -> Result<[(I64Vec3, f32); 8], VolumeError> {
    let mut largest = std::array::from_fn(|corner| {
        let corner = corner as i64;
        (tile.as_i64vec3() * 2 + I64Vec3::new(corner & 1, corner >> 1 & 1, corner >> 2), 0.0f32)
    });
    for offset in 0..whitecap_core::sparse_grid::TILE_NODES {
        let node = local_node(offset);
        let value = values.at(offset_in_tile(node));
        if !value.is_finite() {
            let position = grid.lattice().position(tile * 8 + node);
            return Err(VolumeError::GridValue { value, position });
        }
        let block = node / BLOCK;
        let slot = &mut largest[(block.x + 2 * block.y + 4 * block.z) as usize].1;
        *slot = slot.max(value);
    }
    Ok(largest)
}
