//! Exact distances to a triangulated surface, on a band of nodes.
//!
//! Dagenais et al. 2017 (§2.3.1) set the nodes next to the surface from the nearest triangle and
//! march outwards. Here every node of the band queries a bounding-volume hierarchy instead: exact,
//! parallel, the same for any number of threads, and cheap because the answer for one node bounds
//! the search for the next.
//!
//! Triangles cut the corners of a curved surface, so distances to them are biased inwards and a
//! field that is redistanced again and again shrinks. Where the surface comes from a field, the
//! field's own value at the closest point says by how far the triangle is off, and the
//! distance is corrected by that: the zero level then stays in place to third order in the cell size.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::budget::{self, OverBudget};
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};
use whitecap_core::tile_cover::{TileCost, tiles_of_boxes};
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::winding_number::{DEFAULT_ACCURACY, WindingNumber};
use whitecap_core::{Bounds, CoordinateIndex, Lattice, SparseGrid, Tile, TriMesh, Watch};

use crate::{LevelSetError, marching_cubes};

/// Signed distance to the zero level of `field`, which says what is inside.
pub(crate) fn distance_to_surface(field: &SparseGrid<f32>, band: f32) -> SparseGrid<f32> {
    let lattice = field.lattice();
    let mesh = marching_cubes::extract(field);
    let bvh = TriangleBvh::build(&mesh);
    // Its triangles are as small as its cells, so that the tiles follow those of the field: a list
    // that costs nothing is never refused.
    let follows = TileCost { bytes: 0.0, what: "", remedy: "" };
    let near = tiles_near(&mesh, lattice, band, follows).expect("nothing is asked for");
    let mut tiles: Vec<(IVec3, Tile<f32>)> = near
        .par_iter()
        .map(|&tile| {
            let around = field.neighbourhood(tile);
            let inside = |node: IVec3, _: Vec3| around.get(node) < 0.0;
            let miss = |closest: Vec3| facet_miss(field, closest);
            let mut values = Box::new([0.0; TILE_NODES]);
            fill_tile(&bvh, lattice, tile, band, inside, miss, &mut values);
            (tile, Tile::Dense(values))
        })
        .collect();
    // Deep inside, beyond the band, only the sign matters.
    let near_index = CoordinateIndex::build(&near);
    for (&coordinate, tile) in field.coordinates().iter().zip(field.tiles()) {
        if near_index.get(coordinate).is_none() && tile.at(0) < 0.0 {
            tiles.push((coordinate, Tile::Constant(-band)));
        }
    }
    SparseGrid::from_tiles(lattice, band, tiles).expect("coordinates are unique")
}

/// Memory of a tile of distances, and of what is made from it: a mesh, or a file.
const TILE_BYTES: f64 = 2.0 * (TILE_NODES * size_of::<f32>()) as f64;
/// Memory of a constant tile inside, with its places in lists and in the index.
const INNER_TILE_BYTES: f64 = 160.0;
/// The memory of a distance field.
const DISTANCE_COST: TileCost<'_> = TileCost {
    bytes: TILE_BYTES,
    what: "the distance field of the mesh",
    remedy: "use larger cells, or a mesh without triangles far larger than the rest",
};

/// Signed distance to a mesh; inside is where the winding number exceeds one half.
pub(crate) fn mesh_to_distance(
    mesh: &TriMesh,
    lattice: Lattice,
    band: f32,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, LevelSetError> {
    let near = tiles_near(mesh, lattice, band, DISTANCE_COST)?;
    budget::ask(
        near.len() as f64 * TILE_BYTES + inner_bytes(mesh, lattice),
        DISTANCE_COST.what,
        DISTANCE_COST.remedy,
    )?;
    let winding = WindingNumber::from_bvh(TriangleBvh::build(mesh), DEFAULT_ACCURACY);
    let mut tiles: Vec<(IVec3, Tile<f32>)> = near
        .par_iter()
        .map(|&tile| {
            if watch.cancelled() {
                return Err(LevelSetError::Cancelled);
            }
            let inside = |_: IVec3, position: Vec3| winding.is_inside(position);
            let mut values = Box::new([0.0; TILE_NODES]);
            fill_tile(winding.bvh(), lattice, tile, band, inside, |_| 0.0, &mut values);
            Ok((tile, Tile::Dense(values)))
        })
        .collect::<Result<_, _>>()?;
    tiles.extend(
        enclosed_tiles(&tiles, lattice, &winding)?
            .into_iter()
            .map(|coordinate| (coordinate, Tile::Constant(-band))),
    );
    Ok(SparseGrid::from_tiles(lattice, band, tiles).expect("coordinates are unique"))
}

/// Memory of the tiles inside a mesh, by its volume.
fn inner_bytes(mesh: &TriMesh, lattice: Lattice) -> f64 {
    let tile = f64::from(lattice.cell) * 8.0;
    crate::volume(mesh).abs() / tile.powi(3) * INNER_TILE_BYTES
}

/// Tiles with a node within `band` of a triangle's box, sorted.
fn tiles_near(
    mesh: &TriMesh,
    lattice: Lattice,
    band: f32,
    cost: TileCost<'_>,
) -> Result<Vec<IVec3>, OverBudget> {
    let around = |triangle| Bounds::of_corners(mesh.corners(triangle)).grown(band);
    tiles_of_boxes(lattice, mesh.triangles().len(), around, cost)
}

/// Distances of one tile. `inside(local node, position)` is called only where the sign does not
/// follow from the previous node; `miss(closest point)` is added to the signed distance.
fn fill_tile(
    bvh: &TriangleBvh,
    lattice: Lattice,
    tile: IVec3,
    band: f32,
    inside: impl Fn(IVec3, Vec3) -> bool,
    miss: impl Fn(Vec3) -> f32,
    values: &mut [f32; TILE_NODES],
) {
    // Along a snake through the tile consecutive nodes are one cell apart.
    let mut previous: Option<f32> = None;
    for step in 0..TILE_NODES {
        let node = snake_node(step);
        let position = lattice.position(tile * 8 + node);
        let bound = previous.map_or(band, |p| band.min(p.abs() + 1.001 * lattice.cell));
        let found = bvh.closest_point(position, bound);
        let distance = found.as_ref().map_or(bound, |found| found.distance_squared.sqrt());
        // No surface lies within the previous node's distance, so the sign cannot have changed.
        let is_inside = match previous {
            Some(p) if p.abs() > 1.001 * lattice.cell => p < 0.0,
            _ => inside(node, position),
        };
        let value = if is_inside { -distance } else { distance };
        let correction = found.map_or(0.0, |found| miss(found.point));
        let corrected = keep_sign(value, value + correction).clamp(-band, band);
        values[(node.x + 8 * node.y + 64 * node.z) as usize] = corrected;
        previous = Some(value);
    }
}

/// A correction never moves a node to the other side.
fn keep_sign(before: f32, after: f32) -> f32 {
    if before < 0.0 { after.min(-f32::MIN_POSITIVE) } else { after.max(0.0) }
}

/// Signed distance of a point on a facet from the zero level of the field it was cut from, to
/// first order; zero where the field around it is not known or not smooth.
fn facet_miss(field: &SparseGrid<f32>, point: Vec3) -> f32 {
    let (_, gradient) = field.sample_with_gradient(point);
    let miss = field.sample_cubic(point) / gradient.length();
    if miss.abs() < 0.25 * field.lattice().cell { miss } else { 0.0 }
}

/// The nodes of a tile in an order in which consecutive ones are neighbours.
fn snake_node(step: usize) -> IVec3 {
    let node = local_node(step);
    let y = if node.z % 2 == 0 { node.y } else { 7 - node.y };
    let x = if (node.y + node.z * 8) % 2 == 0 { node.x } else { 7 - node.x };
    IVec3::new(x, y, node.z)
}

/// Missing tiles inside the surface, found by flooding from the inside faces of the band.
fn enclosed_tiles(
    tiles: &[(IVec3, Tile<f32>)],
    lattice: Lattice,
    winding: &WindingNumber,
) -> Result<Vec<IVec3>, OverBudget> {
    let mut known: std::collections::BTreeSet<(i32, i32, i32)> =
        tiles.iter().map(|(coordinate, _)| tile_order(*coordinate)).collect();
    let mut enclosed = Vec::new();
    let mut frontier: Vec<IVec3> = Vec::new();
    let steps = [IVec3::X, IVec3::Y, IVec3::Z, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z];
    let is_inside = |tile: IVec3| winding.is_inside(lattice.position(tile * 8 + 4));
    for (coordinate, tile) in tiles {
        for step in steps {
            let neighbour = *coordinate + step;
            let border = (IVec3::splat(4) + step * 4).min(IVec3::splat(7));
            let inwards = tile.at((border.x + 8 * border.y + 64 * border.z) as usize) < 0.0;
            if inwards && !known.contains(&tile_order(neighbour)) && is_inside(neighbour) {
                known.insert(tile_order(neighbour));
                frontier.push(neighbour);
            }
        }
    }
    while let Some(tile) = frontier.pop() {
        enclosed.push(tile);
        // A mesh of several shells can hold more than its volume says.
        if enclosed.len() % (1 << 20) == 0 {
            budget::ask(
                INNER_TILE_BYTES * (1 << 20) as f64,
                DISTANCE_COST.what,
                DISTANCE_COST.remedy,
            )?;
        }
        for neighbour in steps.map(|step| tile + step) {
            if !known.contains(&tile_order(neighbour)) && is_inside(neighbour) {
                known.insert(tile_order(neighbour));
                frontier.push(neighbour);
            }
        }
    }
    Ok(enclosed)
}
