//! Which blocks cannot hold the surface.
//!
//! The field is evaluated on nodes two to a block edge, at moments of the shutter between which no
//! particle moves farther than a cell. Where all nodes of a block, at all moments, lie farther from
//! zero than the field can bulge between them, the block is certainly outside or inside.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};
use whitecap_core::{SparseGrid, Tile, Watch};
use whitecap_surface::{FieldKind, ParticleField};

use super::blocks::{BlockGrid, INSIDE, OUTSIDE};
use super::gather::Kernel;
use super::{LiquidError, Shutter};

/// Nodes per block edge.
const NODES: i32 = 2;
/// Moments of the shutter at which the field is evaluated, at most.
const MOST_MOMENTS: usize = 9;
/// State of a block that may hold the surface, before it gets a number.
const ACTIVE: u32 = 0;

/// How far the field can bulge beyond its values on the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulge {
    /// Towards outside (upwards), in the unit of the field.
    pub outward: f32,
    /// Towards inside (downwards).
    pub inward: f32,
}

impl Bulge {
    /// Bulge between nodes `cell` apart and, if particles move, moments at which they are `cell`
    /// apart.
    ///
    /// Trilinear interpolation over a cell of edge H errs by at most ⅜ H² max |∂²/∂x²|, linear
    /// interpolation in time by ⅛ (v Δt)² max |∂²/∂x²|. For the density, with s half the support
    /// and volumes that sum to at most one per volume, the second derivative is at most 1.83/s²
    /// upwards (all particles where the kernel's is negative) and 3/s² downwards (one particle of unit
    /// peak). Blobs are bounded in the same way with k = (1 − q²)³: 4.1 n h upwards for n particles
    /// per volume, and the larger of that and 6/h² downwards.
    pub fn of(field: &ParticleField, cell: f32, moves: bool) -> Self {
        let support = field.support() * field.smallest_relative_radius();
        let factor = (0.375 + if moves { 0.125 } else { 0.0 }) * (cell / support).powi(2);
        let (radius, level) = (field.radius(), field.background());
        match field.kind() {
            FieldKind::Density => Self { outward: 7.32 * factor, inward: 12.0 * factor },
            // Stretched kernels are up to 2.5 times as thin, but hardly inside the liquid.
            FieldKind::Anisotropic => Self { outward: 11.0 * factor, inward: 20.0 * factor },
            FieldKind::Blobs => {
                let crowd = 4.1 * (0.5 * support / radius).powi(3) * factor;
                Self { outward: crowd, inward: crowd.max(6.0 * factor).min(level) }
            }
            // Well inside, the distance to the averaged position hardly changes. Outside, it can jump
            // between distant particles; there the hull of the particles decides (see `lists`).
            FieldKind::ZhuBridson | FieldKind::Solenthaler => {
                let moving = if moves { 0.1 * cell } else { 0.0 };
                Self { outward: 0.75 * cell + moving, inward: f32::INFINITY }
            }
        }
    }
}

/// Blocks sorted into outside, inside and those that may hold the surface, tile by tile.
pub(super) struct Sorted {
    pub edge: f32,
    pub tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
}

/// Sorts the blocks around a liquid of particles. `kernels` are its particles in sorted order.
pub(super) fn sort_blocks(
    field: &ParticleField,
    kernels: &[Kernel],
    velocities: impl Fn(u32) -> Vec3 + Sync,
    shutter: Shutter,
    watch: &dyn Watch,
) -> Result<Sorted, LiquidError> {
    let cell = node_distance(field);
    let span = shutter.close - shutter.open;
    let farthest = kernels.iter().map(|k| k.velocity.length() * span).fold(0.0, f32::max);
    let moments = (farthest / cell).ceil().min(MOST_MOMENTS as f32 - 1.0) as usize + 1;
    let bulge = Bulge::of(field, cell, moments > 1);
    let mut tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)> = Vec::new();
    for moment in shutter.moments(moments) {
        let nodes = match shutter.moves() {
            true => field.moved(|source| velocities(source) * moment).nodes(cell, watch)?,
            false => field.nodes(cell, watch)?,
        };
        tiles = merge(tiles, sort_nodes(&nodes, bulge));
    }
    let edge = NODES as f32 * cell;
    let interval = cell * (moments.max(2) - 1) as f32;
    let fast: Vec<&Kernel> =
        kernels.iter().filter(|k| k.velocity.length() * span > 1.001 * interval).collect();
    if !fast.is_empty() {
        tiles = merge_forced(tiles, &fast, edge, shutter);
    }
    Ok(Sorted { edge, tiles })
}

/// Distance of the nodes: a quarter of the smallest support, and for averaged positions, whose
/// values inside are about a radius, no more than that.
fn node_distance(field: &ParticleField) -> f32 {
    let quarter = 0.25 * field.support();
    let length = match field.kind() {
        FieldKind::ZhuBridson | FieldKind::Solenthaler => quarter.min(field.radius()),
        _ => quarter,
    };
    length * field.smallest_relative_radius().max(0.25)
}

/// The blocks of a field that is trilinear between its nodes.
pub(super) fn blocks_of_nodes(nodes: &SparseGrid<f32>) -> BlockGrid {
    let exact = Bulge { outward: 0.0, inward: 0.0 };
    let tiles = sort_nodes(nodes, exact).into_iter().map(|(tile, states)| {
        let flat = states.iter().all(|&state| state == INSIDE);
        (tile, if flat { Tile::Constant(INSIDE) } else { Tile::Dense(states) })
    });
    BlockGrid::new(NODES as f32 * nodes.lattice().cell, tiles.collect())
}

/// The state of every block around the tiles of nodes.
fn sort_nodes(nodes: &SparseGrid<f32>, bulge: Bulge) -> Vec<(IVec3, Box<[u32; TILE_NODES]>)> {
    let mut coordinates: Vec<IVec3> = nodes
        .coordinates()
        .iter()
        .flat_map(|&tile| {
            // Block b needs nodes 2 b to 2 b + 2.
            let (low, high): (IVec3, IVec3) = ((tile * 4 - 1) >> 3, (tile * 4 + 3) >> 3);
            (0..8).map(move |c| {
                let high_on = IVec3::new(c & 1, c >> 1 & 1, c >> 2).cmpeq(IVec3::ONE);
                IVec3::select(high_on, high, low)
            })
        })
        .collect();
    coordinates.par_sort_unstable_by_key(|c| tile_order(*c));
    coordinates.dedup();
    coordinates
        .into_par_iter()
        .filter_map(|tile| {
            let states = sort_tile(nodes, tile, bulge);
            (!states.iter().all(|&state| state == OUTSIDE)).then_some((tile, states))
        })
        .collect()
}

fn sort_tile(nodes: &SparseGrid<f32>, tile: IVec3, bulge: Bulge) -> Box<[u32; TILE_NODES]> {
    const EDGE: usize = 17;
    let around = nodes.neighbourhood(tile * 2 + 1);
    let mut low = [0.0f32; EDGE * EDGE * EDGE];
    for (place, value) in low.iter_mut().enumerate() {
        let node = [place % EDGE, place / EDGE % EDGE, place / (EDGE * EDGE)];
        *value = around.get(IVec3::from_array(node.map(|n| n as i32)) - 8);
    }
    let mut high = low;
    // Smallest and largest of three nodes along each axis in turn.
    for stride in [1, EDGE, EDGE * EDGE] {
        for place in 0..low.len() - 2 * stride {
            low[place] = low[place].min(low[place + stride]).min(low[place + 2 * stride]);
            high[place] = high[place].max(high[place + stride]).max(high[place + 2 * stride]);
        }
    }
    Box::new(std::array::from_fn(|offset| {
        let block = local_node(offset) * NODES;
        let place = (block.x + 17 * block.y + 289 * block.z) as usize;
        if low[place] > bulge.inward {
            OUTSIDE
        } else if high[place] < -bulge.outward {
            INSIDE
        } else {
            ACTIVE
        }
    }))
}

/// A block keeps its state only if it has it at both moments.
fn merge(
    first: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
    second: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
) -> Vec<(IVec3, Box<[u32; TILE_NODES]>)> {
    if first.is_empty() {
        return second;
    }
    let outside = || Box::new([OUTSIDE; TILE_NODES]);
    let mut merged = Vec::with_capacity(first.len().max(second.len()));
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return merged,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((a, _)), Some((b, _))) => tile_order(*a).cmp(&tile_order(*b)),
        };
        let from_first = if order.is_le() { first.next() } else { None };
        let from_second = if order.is_ge() { second.next() } else { None };
        let tile = from_first.as_ref().or(from_second.as_ref()).map(|(tile, _)| *tile);
        let Some(tile) = tile else { return merged };
        let mut states = from_first.map_or_else(outside, |(_, states)| states);
        let others = from_second.map_or_else(outside, |(_, states)| states);
        for (state, other) in states.iter_mut().zip(others.iter()) {
            if state != other {
                *state = ACTIVE;
            }
        }
        merged.push((tile, states));
    }
}

/// Blocks on the way of particles that are too fast for the moments: nothing is known about them.
fn merge_forced(
    tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
    fast: &[&Kernel],
    edge: f32,
    shutter: Shutter,
) -> Vec<(IVec3, Box<[u32; TILE_NODES]>)> {
    let mut blocks: Vec<IVec3> = fast
        .par_iter()
        .flat_map_iter(|kernel| {
            let mut blocks = Vec::new();
            for (min, max) in boxes_along(kernel, edge, shutter) {
                let low = (min / edge).floor().as_ivec3();
                let high = (max / edge).floor().as_ivec3();
                for z in low.z..=high.z {
                    for y in low.y..=high.y {
                        blocks.extend((low.x..=high.x).map(|x| IVec3::new(x, y, z)));
                    }
                }
            }
            blocks
        })
        .collect();
    blocks.par_sort_unstable_by_key(|b| (tile_order(*b >> 3), tile_order(*b)));
    blocks.dedup();
    let mut states: std::collections::BTreeMap<(i32, i32, i32), Box<[u32; TILE_NODES]>> =
        tiles.into_iter().map(|(tile, states)| (tile_order(tile), states)).collect();
    for block in blocks {
        let tile =
            states.entry(tile_order(block >> 3)).or_insert_with(|| Box::new([OUTSIDE; TILE_NODES]));
        tile[whitecap_core::sparse_grid::offset_in_tile(block)] = ACTIVE;
    }
    states.into_iter().map(|((z, y, x), states)| (IVec3::new(x, y, z), states)).collect()
}

/// Boxes that cover what a particle reaches during the shutter, in pieces of a few blocks.
pub(super) fn boxes_along(
    kernel: &Kernel,
    edge: f32,
    shutter: Shutter,
) -> impl Iterator<Item = (Vec3, Vec3)> {
    let reach = kernel.scale.sqrt().recip();
    let at = |time: f32| kernel.center + kernel.velocity * time;
    let (start, end) = (at(shutter.open), at(shutter.close));
    let pieces = (start.distance(end) / (4.0 * edge)).ceil().max(1.0) as u32;
    (0..pieces).map(move |piece| {
        let from = start.lerp(end, piece as f32 / pieces as f32);
        let to = start.lerp(end, (piece + 1) as f32 / pieces as f32);
        (from.min(to) - reach, from.max(to) + reach)
    })
}
