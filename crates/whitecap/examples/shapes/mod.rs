//! Shapes as signed distances, for the meshes of the example shots.

use whitecap::core::glam::{IVec3, Vec3};
use whitecap::core::sparse_grid::{TILE_NODES, local_node, tile_of};
use whitecap::core::{Bounds, Lattice, SparseGrid, TriMesh};
use whitecap::surface::marching_cubes;

/// The zero level of a distance within bounds.
pub fn mesh(distance: impl Fn(Vec3) -> f32 + Sync, bounds: Bounds, cell: f32) -> TriMesh {
    let lattice = Lattice::at_origin(cell);
    let node = |place: Vec3| tile_of((place / cell).round().as_ivec3());
    let (low, high) = (node(bounds.min), node(bounds.max));
    let mut tiles = Vec::new();
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            tiles.extend((low.x..=high.x).map(|x| IVec3::new(x, y, z)));
        }
    }
    let grid = SparseGrid::filled(lattice, cell, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate().take(TILE_NODES) {
            *value = distance(lattice.position(8 * tile + local_node(offset)));
        }
    });
    marching_cubes::extract(&grid)
}

/// A round bar between two points.
pub fn capsule(p: Vec3, from: Vec3, to: Vec3, radius: f32) -> f32 {
    let along = to - from;
    let share = ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(from + share * along) - radius
}

/// A box about the origin with rounded edges.
pub fn rounded_box(p: Vec3, half: Vec3, rounding: f32) -> f32 {
    let outside = p.abs() - (half - rounding);
    outside.max(Vec3::ZERO).length() + outside.max_element().min(0.0) - rounding
}

/// The union of two shapes, with a fillet of about `rounding` where they meet.
pub fn joined(a: f32, b: f32, rounding: f32) -> f32 {
    let overlap = (rounding - (a - b).abs()).max(0.0) / rounding;
    a.min(b) - 0.25 * rounding * overlap * overlap
}
