//! Level sets: signed distances on a narrow band, and what can be done with them.
//!
//! # Guarantees
//! * After construction, [`LevelSet::redistance`], [`LevelSet::offset`] and [`LevelSet::smooth`],
//!   every node within the band holds the distance to the zero level, negative inside; nodes
//!   beyond hold ± the band.
//! * [`LevelSet::mesh`] is closed and 2-manifold.
//!
//! # Non-guarantees
//! * [`LevelSet::union`], [`LevelSet::intersection`] and [`LevelSet::difference`] keep the zero
//!   level exact, but near a seam their values only bound the distance from below, as any
//!   combination by minimum and maximum does; after [`LevelSet::advect`], values are distances only
//!   as far as the motion was rigid. Call [`LevelSet::redistance`] when it matters.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::budget::OverBudget;
use whitecap_core::sparse_grid::{TILE_NODES, local_node};
use whitecap_core::{
    GridClass, GridValues, Lattice, SparseGrid, Tile, TriMesh, Unwatched, Volume, VolumeGrid, Watch,
};

use crate::distance::{distance_to_surface, mesh_to_distance};
use crate::marching_cubes;

/// A signed distance on a narrow band around a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSet {
    grid: SparseGrid<f32>,
    band: f32,
}

/// An error of a level-set operation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LevelSetError {
    /// Two level sets live on different nodes.
    #[error(
        "the level sets have different nodes (cells of {first} m and {second} m); resample one of them first"
    )]
    LatticeMismatch {
        /// Cell of the first.
        first: f32,
        /// Cell of the second.
        second: f32,
    },
    /// The mesh has no triangle.
    #[error("the mesh has no triangle, so it has no inside")]
    EmptyMesh,
    /// A length that must be positive is not.
    #[error("{name} must be a positive length in metres, but it is {value}")]
    Length {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f32,
    },
    /// A vertex position is not finite.
    #[error("vertex {0} of the mesh has a position that is not a finite number")]
    NonFiniteVertex(usize),
    /// The field needs more memory than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The caller asked to stop.
    #[error("the distance field was cancelled")]
    Cancelled,
}

/// Half the width of the band of an exported level set, in cells. Three is what other programs
/// expect of a narrow band.
const EXCHANGED_BAND: f32 = 3.0;
/// How much faster than the distance the values of neighbouring nodes may change before the field no
/// longer counts as a distance.
const STEEPEST: f32 = 1.2;
/// How fast they change at least along the steepest axis at the surface: 1/√3 for a distance.
const FLATTEST: f32 = 0.4;

/// The signed distance to a mesh as the grid `surface` of a volume, as other programs expect it.
pub fn distance_volume(
    mesh: &TriMesh,
    cell: f32,
    watch: &dyn Watch,
) -> Result<Volume, LevelSetError> {
    let band = EXCHANGED_BAND * cell;
    let grid = match mesh.triangles().is_empty() {
        true => SparseGrid::new(Lattice::at_origin(cell), band),
        false => LevelSet::from_mesh_watched(mesh, cell, band, watch)?.grid,
    };
    let values = GridValues::Scalar(grid);
    let surface = VolumeGrid { name: String::from("surface"), class: GridClass::LevelSet, values };
    Ok(Volume { grids: vec![surface] })
}

/// Whether values change from node to node as distances do: nowhere much faster than the distance, and at
/// the surface not much slower along at least one axis. Differences between tiles are not looked at.
fn has_slope_of_distance(field: &SparseGrid<f32>, cell: f32) -> bool {
    field.tiles().par_iter().filter_map(Tile::dense).all(|values| {
        (0..TILE_NODES).all(|node| {
            let place = local_node(node);
            let ahead = [(place.x, 1), (place.y, 8), (place.z, 64)];
            let here = values[node];
            let inside = ahead.into_iter().filter(|&(at, _)| at != 7);
            let others: Vec<f32> = inside.map(|(_, step)| values[node + step]).collect();
            let steepest = others.iter().map(|other| (other - here).abs()).fold(0.0, f32::max);
            let is_at_surface = others.len() == 3 && others.iter().any(|o| o * here < 0.0);
            steepest <= STEEPEST * cell && (!is_at_surface || steepest >= FLATTEST * cell)
        })
    })
}

impl LevelSet {
    /// The distance field of a mesh, with cells of `cell` and a band of `band` on either side.
    ///
    /// Inside is where the generalised winding number exceeds one half, so small holes and
    /// self-intersections do no harm.
    pub fn from_mesh(mesh: &TriMesh, cell: f32, band: f32) -> Result<Self, LevelSetError> {
        Self::from_mesh_watched(mesh, cell, band, &Unwatched)
    }

    /// As [`LevelSet::from_mesh`]; `watch` may cancel it.
    pub fn from_mesh_watched(
        mesh: &TriMesh,
        cell: f32,
        band: f32,
        watch: &dyn Watch,
    ) -> Result<Self, LevelSetError> {
        for (name, value) in [("cell", cell), ("band", band)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(LevelSetError::Length { name, value });
            }
        }
        if mesh.triangles().is_empty() {
            return Err(LevelSetError::EmptyMesh);
        }
        if let Some(vertex) = mesh.positions().iter().position(|p| !p.is_finite()) {
            return Err(LevelSetError::NonFiniteVertex(vertex));
        }
        let band = band.max(2.0 * cell);
        Ok(Self { grid: mesh_to_distance(mesh, Lattice::at_origin(cell), band, watch)?, band })
    }

    /// The distance to the zero level of any field that is negative inside (Dagenais et al. 2017,
    /// §2.3.1: triangulate, then take the distance to the nearest triangle).
    pub fn from_field(field: &SparseGrid<f32>, band: f32) -> Self {
        let band = band.max(2.0 * field.lattice().cell);
        Self { grid: distance_to_surface(field, band), band }
    }

    /// The level set of values declared to be distances already, such as those of a file. They are used
    /// as they are, unless they change so fast from node to node that they cannot be distances; then they
    /// are recomputed.
    pub fn from_distance(field: &SparseGrid<f32>) -> Self {
        let (cell, band) = (field.lattice().cell, field.background());
        let is_distance =
            band >= 2.0 * cell && band.is_finite() && has_slope_of_distance(field, cell);
        match is_distance {
            true => Self { grid: field.clone(), band },
            false => Self::from_field(field, 4.0 * cell),
        }
    }

    /// Node values in metres, negative inside.
    pub fn grid(&self) -> &SparseGrid<f32> {
        &self.grid
    }

    /// Half width of the band in metres; also the background value.
    pub fn band(&self) -> f32 {
        self.band
    }

    /// Distance at a position, by trilinear interpolation.
    pub fn distance(&self, position: Vec3) -> f32 {
        self.grid.sample(position)
    }

    /// The zero level as a closed mesh.
    pub fn mesh(&self) -> TriMesh {
        marching_cubes::extract(&self.grid)
    }

    /// Makes the values exact distances again.
    pub fn redistance(&self) -> Self {
        Self::from_field(&self.grid, self.band)
    }

    /// What lies in either.
    pub fn union(&self, other: &Self) -> Result<Self, LevelSetError> {
        self.combine(other, f32::min)
    }

    /// What lies in both.
    pub fn intersection(&self, other: &Self) -> Result<Self, LevelSetError> {
        self.combine(other, f32::max)
    }

    /// What lies in this one but not in the other.
    pub fn difference(&self, other: &Self) -> Result<Self, LevelSetError> {
        self.combine(other, |a, b| a.max(-b))
    }

    fn combine(
        &self,
        other: &Self,
        choose: impl Fn(f32, f32) -> f32 + Sync,
    ) -> Result<Self, LevelSetError> {
        let (first, second) = (self.grid.lattice(), other.grid.lattice());
        if first != second {
            return Err(LevelSetError::LatticeMismatch { first: first.cell, second: second.cell });
        }
        let band = self.band.min(other.band);
        let choose = |a: f32, b: f32| choose(a, b).clamp(-band, band);
        let background = choose(self.grid.background(), other.grid.background());
        let mut coordinates = self.grid.coordinates().to_vec();
        coordinates.extend_from_slice(other.grid.coordinates());
        coordinates.par_sort_by_key(|c| whitecap_core::sparse_grid::tile_order(*c));
        coordinates.dedup();
        let tiles = coordinates
            .into_par_iter()
            .map(|c| {
                let outside = |grid: &SparseGrid<f32>| Tile::Constant(grid.background());
                let a = self.grid.tile(c).cloned().unwrap_or_else(|| outside(&self.grid));
                let b = other.grid.tile(c).cloned().unwrap_or_else(|| outside(&other.grid));
                let tile = match (&a, &b) {
                    (Tile::Constant(a), Tile::Constant(b)) => Tile::Constant(choose(*a, *b)),
                    _ => Tile::Dense(Box::new(std::array::from_fn(|i| choose(a.at(i), b.at(i))))),
                };
                (c, tile)
            })
            .collect();
        let grid =
            SparseGrid::from_tiles(first, background, tiles).expect("coordinates are unique");
        Ok(Self { grid, band })
    }

    /// The surface moved outwards by `distance` metres (inwards if negative).
    pub fn offset(&self, distance: f32) -> Self {
        // The band bounds one step; a large offset takes several.
        let largest_step = self.band - self.grid.lattice().cell;
        let steps = (distance.abs() / largest_step).ceil().max(1.0);
        let step = distance / steps;
        (0..steps as usize).fold(self.clone(), |current, _| {
            let moved = current.grid.map_tiles(self.band, |_, around| match around.center() {
                Some(Tile::Dense(values)) => Tile::Dense(Box::new(values.map(|v| v - step))),
                Some(Tile::Constant(value)) => Tile::Constant(*value),
                None => Tile::Constant(self.band),
            });
            Self::from_field(&moved, self.band)
        })
    }

    /// Smooths by `rounds` of averaging with the six neighbours (mean-curvature flow with a step
    /// of cell²/12 each), then makes the values distances again. Small features shrink.
    pub fn smooth(&self, rounds: u32) -> Self {
        let mut grid = self.grid.clone();
        for _ in 0..rounds {
            grid = grid.map_tiles(self.band, |_, around| {
                let Some(Tile::Dense(values)) = around.center() else {
                    return around.center().cloned().unwrap_or(Tile::Constant(self.band));
                };
                let mut block = [0.0; 1000];
                around.copy_padded(1, &mut block);
                Tile::Dense(Box::new(std::array::from_fn(|offset| {
                    let node = local_node(offset) + 1;
                    let place = (node.x + 10 * node.y + 100 * node.z) as usize;
                    let sides = block[place - 1]
                        + block[place + 1]
                        + block[place - 10]
                        + block[place + 10]
                        + block[place - 100]
                        + block[place + 100];
                    0.5 * values[offset] + sides / 12.0
                })))
            });
        }
        Self::from_field(&grid, self.band)
    }

    /// The surface carried by `velocity` (m/s at a position) for `time_step` seconds.
    ///
    /// Semi-Lagrangian: each node looks back along a second-order Runge–Kutta path and samples
    /// with limited cubic interpolation. `largest_speed` bounds the velocity; nodes farther from
    /// the old surface than it can travel are not visited.
    pub fn advect(
        &self,
        velocity: impl Fn(Vec3) -> Vec3 + Sync,
        largest_speed: f32,
        time_step: f32,
    ) -> Self {
        let lattice = self.grid.lattice();
        let reach = largest_speed * time_step.abs() + self.band;
        let tiles_around = (reach / (8.0 * lattice.cell)).ceil() as i32;
        let mut visited = Vec::new();
        for (&coordinate, tile) in self.grid.coordinates().iter().zip(self.grid.tiles()) {
            if tile.dense().is_none() {
                visited.push(coordinate);
                continue;
            }
            for z in -tiles_around..=tiles_around {
                for y in -tiles_around..=tiles_around {
                    for x in -tiles_around..=tiles_around {
                        visited.push(coordinate + IVec3::new(x, y, z));
                    }
                }
            }
        }
        let fill = |tile: IVec3, values: &mut [f32; TILE_NODES]| {
            for (offset, value) in values.iter_mut().enumerate() {
                let here = lattice.position(tile * 8 + local_node(offset));
                let middle = here - velocity(here) * (0.5 * time_step);
                *value = self.grid.sample_cubic(here - velocity(middle) * time_step);
            }
        };
        let moved = SparseGrid::filled(lattice, self.band, visited, fill);
        Self { grid: without_flat_tiles(moved, self.band), band: self.band }
    }
}

/// Tiles beyond the band cost nothing outside and one number inside.
fn without_flat_tiles(grid: SparseGrid<f32>, band: f32) -> SparseGrid<f32> {
    let tiles = grid
        .coordinates()
        .par_iter()
        .zip(grid.tiles())
        .filter_map(|(&coordinate, tile)| {
            let values = tile.dense()?;
            if values.iter().all(|&v| v >= band) {
                None
            } else if values.iter().all(|&v| v <= -band) {
                Some((coordinate, Tile::Constant(-band)))
            } else {
                Some((coordinate, tile.clone()))
            }
        })
        .collect();
    SparseGrid::from_tiles(grid.lattice(), band, tiles).expect("coordinates are unique")
}
