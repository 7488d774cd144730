//! Marching cubes on a sparse grid: from node values, negative inside, to a triangle mesh.
//!
//! # Guarantees
//! For every input grid with a positive background the mesh is closed, 2-manifold and
//! consistently oriented (normals point to the positive side): see the module `table`. Vertices are
//! shared, in an order that depends on the grid alone, never on threads. NaN counts as outside.
//!
//! # Non-guarantees
//! Triangles may be thin, and where the field is thinner than a cell the mesh may touch itself
//! without sharing vertices. Between samples the topology is that of the signs, not of the
//! trilinear interpolant.
//!
//! # How
//! A tile's signs are eight 64-bit words, one per slice. Shifts and exclusive-ors find all
//! crossed edges of a slice at once, and the number of a vertex is a count of set bits: there is
//! no map from edges to vertices.

mod table;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, offset_in_tile, tile_order};
use whitecap_core::{CoordinateIndex, Lattice, SparseGrid, Tile, TriMesh};

use table::{EDGE_COUNT, TABLE, edge_base};

/// One bit per node of a tile; slice z, bit x + 8 y. Set inside.
type Signs = [u64; 8];

/// Vertices closer to a node than this fraction of an edge are moved away from it, so that
/// no triangle collapses where a node value is exactly zero.
const EDGE_MARGIN: f32 = 1e-4;

/// Extracts the zero level of `grid`; inside is where values are negative.
pub fn extract(grid: &SparseGrid<f32>) -> TriMesh {
    let tiles = SignedTiles::of(grid);
    let patches = tiles.patches();
    let mut vertex_base = 0u32;
    let mut triangle_base = 0usize;
    let mut vertex_counts = Vec::with_capacity(patches.len());
    let mut triangle_counts = Vec::with_capacity(patches.len());
    let mut numbered = patches;
    for patch in &mut numbered {
        patch.vertex_base = vertex_base;
        let vertices = patch.edge_vertices + patch.middle_vertices;
        vertex_counts.push(vertices as usize);
        triangle_counts.push(patch.triangles as usize);
        vertex_base += vertices;
        triangle_base += patch.triangles as usize;
    }
    let surface = Surface::new(&tiles, grid, numbered);
    let mut positions = vec![Vec3::ZERO; vertex_base as usize];
    let mut triangles = vec![[0u32; 3]; triangle_base];
    let rows = split(&mut positions, &vertex_counts);
    surface
        .patches
        .par_iter()
        .zip(rows)
        .zip(split(&mut triangles, &triangle_counts))
        .for_each(|((patch, positions), triangles)| surface.emit(patch, positions, triangles));
    TriMesh::new(positions, triangles).expect("every index was counted")
}

fn split<'a, T>(mut rest: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let mut rows = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (row, tail) = rest.split_at_mut(length);
        rows.push(row);
        rest = tail;
    }
    rows
}

/// The signs of all tiles that can hold a part of the surface.
struct SignedTiles {
    coordinates: Vec<IVec3>,
    signs: Vec<Signs>,
    index: CoordinateIndex,
    background: Signs,
}

impl SignedTiles {
    fn of(grid: &SparseGrid<f32>) -> Self {
        let fill = |inside: bool| if inside { [u64::MAX; 8] } else { [0; 8] };
        let background = fill(grid.background() < 0.0);
        let stored: Vec<Signs> = grid
            .tiles()
            .par_iter()
            .map(|tile| match tile {
                Tile::Constant(value) => fill(*value < 0.0),
                Tile::Dense(values) => signs_of(values),
            })
            .collect();
        // A missing tile owns the edges that lead from it into a stored tile.
        let mut missing: Vec<IVec3> = grid
            .coordinates()
            .par_iter()
            .zip(&stored)
            .flat_map_iter(|(&coordinate, signs)| {
                (1..8usize).filter_map(move |step| {
                    let behind = coordinate - step_vector(step);
                    let seen = low_part(signs, step) != low_part(&background, step);
                    (seen && grid.tile(behind).is_none()).then_some(behind)
                })
            })
            .collect();
        missing.sort_unstable_by_key(|c| tile_order(*c));
        missing.dedup();
        let mut all: Vec<(IVec3, Signs)> = grid.coordinates().iter().copied().zip(stored).collect();
        if !missing.is_empty() {
            all.extend(missing.into_iter().map(|c| (c, background)));
            all.par_sort_by_key(|(c, _)| tile_order(*c));
        }
        let (coordinates, signs): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let index = CoordinateIndex::build(&coordinates);
        Self { coordinates, signs, index, background }
    }

    /// Signs of the tile at `coordinate` and its seven forward neighbours, by step bits.
    fn forward(&self, coordinate: IVec3) -> [&Signs; 8] {
        std::array::from_fn(|step| {
            let place = self.index.get(coordinate + step_vector(step));
            place.map_or(&self.background, |place| &self.signs[place])
        })
    }

    /// The tiles that hold vertices or triangles, with their counts.
    fn patches(&self) -> Vec<Patch> {
        (0..self.coordinates.len())
            .into_par_iter()
            .filter_map(|place| {
                let coordinate = self.coordinates[place];
                let forward = self.forward(coordinate);
                if forward.iter().all(|signs| **signs == *forward[0])
                    && (*forward[0] == [0; 8] || *forward[0] == [u64::MAX; 8])
                {
                    return None;
                }
                Patch::count(coordinate, &forward)
            })
            .collect()
    }
}

fn step_vector(step: usize) -> IVec3 {
    IVec3::new((step & 1) as i32, (step >> 1 & 1) as i32, (step >> 2) as i32)
}

fn signs_of(values: &[f32; TILE_NODES]) -> Signs {
    std::array::from_fn(|z| {
        let slice = &values[z * 64..z * 64 + 64];
        slice.iter().enumerate().fold(0, |bits, (i, &v)| bits | u64::from(v < 0.0) << i)
    })
}

const LOW_X: u64 = 0x0101_0101_0101_0101;
const LOW_Y: u64 = 0xFF;

/// The nodes of the low face, edge or corner named by `step`, as a masked copy.
fn low_part(signs: &Signs, step: usize) -> Signs {
    let mask_x = if step & 1 != 0 { LOW_X } else { u64::MAX };
    let mask_y = if step & 2 != 0 { LOW_Y } else { u64::MAX };
    let slices = if step & 4 != 0 { 1 } else { 8 };
    std::array::from_fn(|z| if z < slices { signs[z] & mask_x & mask_y } else { 0 })
}

/// The signs of a tile shifted by one node along any of the axes in `step`.
fn shifted(forward: &[&Signs; 8], step: usize) -> Signs {
    let slice = |tile: usize, z: usize| {
        if step & 4 == 0 {
            forward[tile][z]
        } else if z < 7 {
            forward[tile][z + 1]
        } else {
            forward[tile | 4][0]
        }
    };
    let along_x = |tile: usize, z: usize| {
        if step & 1 == 0 {
            slice(tile, z)
        } else {
            (slice(tile, z) >> 1 & !(LOW_X << 7)) | (slice(tile | 1, z) & LOW_X) << 7
        }
    };
    std::array::from_fn(|z| {
        if step & 2 == 0 { along_x(0, z) } else { along_x(0, z) >> 8 | along_x(2, z) << 56 }
    })
}

/// The part of the surface that one tile owns.
struct Patch {
    coordinate: IVec3,
    /// Crossed edges: axis, slice, bit of the low node.
    crossed: [Signs; 3],
    /// Vertices on edges of earlier axes and slices of this tile.
    before: [[u16; 8]; 3],
    /// Cells with both signs among their corners.
    cells: Signs,
    edge_vertices: u32,
    middle_vertices: u32,
    triangles: u32,
    vertex_base: u32,
}

impl Patch {
    fn count(coordinate: IVec3, forward: &[&Signs; 8]) -> Option<Self> {
        let corners: [Signs; 8] = std::array::from_fn(|step| shifted(forward, step));
        let here = corners[0];
        let crossed: [Signs; 3] =
            std::array::from_fn(|axis| std::array::from_fn(|z| here[z] ^ corners[1 << axis][z]));
        let mut before = [[0u16; 8]; 3];
        let mut edge_vertices = 0;
        for axis in 0..3 {
            for z in 0..8 {
                before[axis][z] = edge_vertices as u16;
                edge_vertices += crossed[axis][z].count_ones();
            }
        }
        let cells: Signs = std::array::from_fn(|z| {
            let any = corners.iter().fold(0, |bits, corner| bits | corner[z]);
            let all = corners.iter().fold(u64::MAX, |bits, corner| bits & corner[z]);
            any & !all
        });
        let (mut triangles, mut middle_vertices) = (0, 0);
        for_each_cell(&cells, |z, bit| {
            let pattern = &TABLE[pattern_of(&corners, z, bit)];
            triangles += pattern.triangles.len() as u32;
            middle_vertices += pattern.middles.len() as u32;
        });
        (edge_vertices > 0 || triangles > 0).then_some(Self {
            coordinate,
            crossed,
            before,
            cells,
            edge_vertices,
            middle_vertices,
            triangles,
            vertex_base: 0,
        })
    }

    /// Number of the vertex on the edge along `axis` from the node at `offset`.
    #[inline]
    fn vertex(&self, axis: usize, offset: usize) -> u32 {
        let (z, bit) = (offset >> 6, offset & 63);
        let lower = self.crossed[axis][z] & ((1 << bit) - 1);
        self.vertex_base + u32::from(self.before[axis][z]) + lower.count_ones()
    }
}

fn for_each_cell(cells: &Signs, mut visit: impl FnMut(usize, usize)) {
    for (z, &slice) in cells.iter().enumerate() {
        let mut rest = slice;
        while rest != 0 {
            visit(z, rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

#[inline]
fn pattern_of(corners: &[Signs; 8], z: usize, bit: usize) -> usize {
    (0..8).fold(0, |pattern, corner| pattern | ((corners[corner][z] >> bit & 1) as usize) << corner)
}

/// Everything needed to write vertices and triangles.
struct Surface<'a> {
    tiles: &'a SignedTiles,
    grid: &'a SparseGrid<f32>,
    lattice: Lattice,
    patches: Vec<Patch>,
    index: CoordinateIndex,
}

impl<'a> Surface<'a> {
    fn new(tiles: &'a SignedTiles, grid: &'a SparseGrid<f32>, patches: Vec<Patch>) -> Self {
        let coordinates: Vec<IVec3> = patches.iter().map(|patch| patch.coordinate).collect();
        let index = CoordinateIndex::build(&coordinates);
        Self { tiles, grid, lattice: grid.lattice(), patches, index }
    }

    fn emit(&self, patch: &Patch, positions: &mut [Vec3], triangles: &mut [[u32; 3]]) {
        self.emit_vertices(patch, positions);
        let forward = self.tiles.forward(patch.coordinate);
        let corners: [Signs; 8] = std::array::from_fn(|step| shifted(&forward, step));
        let owners: [Option<&Patch>; 8] = std::array::from_fn(|step| {
            let place = self.index.get(patch.coordinate + step_vector(step));
            place.map(|place| &self.patches[place])
        });
        let mut written = 0;
        let mut middle = patch.edge_vertices;
        for_each_cell(&patch.cells, |z, bit| {
            let pattern = &TABLE[pattern_of(&corners, z, bit)];
            let cell = local_node(z * 64 + bit);
            let number = |corner: u8| -> u32 {
                if corner as usize >= EDGE_COUNT {
                    return patch.vertex_base + middle + u32::from(corner) - EDGE_COUNT as u32;
                }
                let (base, axis) = edge_base(corner as usize);
                let node = cell + IVec3::from_array(base);
                let owner: IVec3 = node >> 3;
                let owner = owners[(owner.x | owner.y << 1 | owner.z << 2) as usize];
                owner.expect("a crossed edge has an owner").vertex(axis, offset_in_tile(node))
            };
            for corners in &pattern.triangles {
                triangles[written] = corners.map(number);
                written += 1;
            }
            for cycle in &pattern.middles {
                positions[middle as usize] = self.loop_middle(patch.coordinate * 8 + cell, cycle);
                middle += 1;
            }
        });
    }

    fn emit_vertices(&self, patch: &Patch, positions: &mut [Vec3]) {
        let around = self.grid.neighbourhood(patch.coordinate);
        let low = patch.coordinate * 8;
        let mut next = 0;
        for axis in 0..3 {
            let step: IVec3 = IVec3::AXES[axis];
            for_each_cell(&patch.crossed[axis], |z, bit| {
                let node = local_node(z * 64 + bit);
                let crossing = crossing(around.get(node), around.get(node + step));
                positions[next] = self.on_edge(low + node, axis, crossing);
                next += 1;
            });
        }
    }

    /// The mean of the vertices of a loop, recomputed from the grid: rare patterns only.
    fn loop_middle(&self, cell: IVec3, cycle: &[u8]) -> Vec3 {
        let sum: Vec3 = cycle
            .iter()
            .map(|&edge| {
                let (base, axis) = edge_base(edge as usize);
                let node = cell + IVec3::from_array(base);
                let crossing =
                    crossing(self.grid.get(node), self.grid.get(node + IVec3::AXES[axis]));
                self.on_edge(node, axis, crossing)
            })
            .sum();
        sum / cycle.len() as f32
    }

    fn on_edge(&self, node: IVec3, axis: usize, t: f32) -> Vec3 {
        let cell = f64::from(self.lattice.cell);
        let mut place = node.as_dvec3();
        place[axis] += f64::from(t);
        (self.lattice.origin.as_dvec3() + cell * place).as_vec3()
    }
}

/// Where the value crosses zero between two nodes, as a fraction of the edge.
#[inline]
fn crossing(from: f32, to: f32) -> f32 {
    let t = from / (from - to);
    if t.is_finite() { t.clamp(EDGE_MARGIN, 1.0 - EDGE_MARGIN) } else { 0.5 }
}
