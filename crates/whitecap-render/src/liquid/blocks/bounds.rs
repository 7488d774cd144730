//! Which blocks cannot contain the surface.
//!
//! The field is evaluated on nodes two to a block edge, at moments of the shutter between which no
//! particle moves farther than a cell. Where all nodes of a block, at all moments, lie farther from
//! zero than the field can bulge between them, the block is certainly outside or inside.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::budget::{self, OverBudget};
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};
use whitecap_core::{SparseGrid, Tile, Watch, reduce};
use whitecap_surface::{FieldKind, ParticleField};

use super::active_rows::ActiveRows;
use super::lists::particles_by_tile;
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use crate::liquid::field::kernel::Kernel;
use crate::liquid::{LiquidError, Shutter};

/// Nodes per block edge.
const NODES: i32 = 2;
/// Largest number of moments of the shutter at which the field is evaluated.
const MOST_MOMENTS: usize = 9;
/// State of a block that may hold the surface, before it gets a number.
const ACTIVE: u32 = 0;

/// How far the field can bulge beyond its values on the nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bulge {
    /// Towards outside (upwards), in the unit of the field.
    pub outward: f32,
    /// Towards inside (downwards).
    pub inward: f32,
}

impl Bulge {
    /// The state of a block with the lowest and the highest value on its nodes.
    pub fn state(&self, low: f32, high: f32) -> u32 {
        if low > self.inward {
            OUTSIDE
        } else if high < -self.outward {
            INSIDE
        } else {
            ACTIVE
        }
    }

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
pub(crate) struct Sorted {
    pub edge: f32,
    pub tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
}

impl Sorted {
    /// Converts to a grid of blocks without numbers.
    pub fn blocks(&self) -> BlockGrid {
        let tiles = self.tiles.iter().map(|(tile, states)| (*tile, Tile::Dense(states.clone())));
        BlockGrid::new(self.edge, tiles.collect())
    }

    /// Excludes the blocks that lie deep inside walls: `dry(middle, edge)`.
    pub fn dry_out(&mut self, dry: &(dyn Fn(Vec3, f32) -> bool + Sync)) {
        let edge = self.edge;
        self.tiles.par_iter_mut().for_each(|(tile, states)| {
            for (offset, state) in states.iter_mut().enumerate() {
                let middle = ((*tile * 8 + local_node(offset)).as_vec3() + 0.5) * edge;
                if *state != OUTSIDE && dry(middle, edge) {
                    *state = OUTSIDE;
                }
            }
        });
    }
}

/// Sorts the blocks around a liquid of particles. `kernels` are its particles in sorted order. If
/// they do not move, it also returns how far the field can bulge.
pub(crate) fn sort_blocks(
    field: &ParticleField,
    kernels: &[Kernel],
    velocities: impl Fn(u32) -> Vec3 + Sync,
    shutter: Shutter,
    watch: &dyn Watch,
) -> Result<(Sorted, Option<Bulge>), LiquidError> {
    let cell = node_distance(field);
    let span = shutter.close - shutter.open;
    let farthest = kernels.iter().map(|k| k.velocity.length() * span).fold(0.0, f32::max);
    let moments = (farthest / cell).ceil().min(MOST_MOMENTS as f32 - 1.0) as usize + 1;
    let bulge = Bulge::of(field, cell, moments > 1);
    let still = (moments == 1).then_some(bulge);
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
    let fast = |kernel: &&Kernel| kernel.velocity.length() * span > 1.001 * interval;
    let fast: Vec<Kernel> = kernels.iter().filter(fast).copied().collect();
    if !fast.is_empty() {
        ask_for_paths(&fast, edge, shutter)?;
        tiles = merge_forced(tiles, &fast, edge, shutter);
    }
    Ok((Sorted { edge, tiles }, still))
}

/// Asks whether the tiles that fast particles pass through can be listed and filled. Pieces of a way
/// overlap: each new tile is counted about twice.
fn ask_for_paths(kernels: &[Kernel], edge: f32, shutter: Shutter) -> Result<(), OverBudget> {
    let tiles_of = |kernel: &Kernel| {
        let way = f64::from(kernel.velocity.length() * (shutter.close - shutter.open));
        let pieces = (way / f64::from(4.0 * edge)).ceil().max(1.0);
        let across = f64::from((2.0 * kernel.reach() + 4.0 * edge) / (8.0 * edge)).ceil() + 1.0;
        pieces * across.powi(3)
    };
    let tiles = reduce::sum(kernels.len(), |place| tiles_of(&kernels[place]));
    let bytes = tiles * (size_of::<IVec3>() + size_of::<[u32; TILE_NODES]>()) as f64;
    budget::ask(bytes, "the paths of fast particles", "use a shorter `shutter`, or none")
}

/// Distance between nodes: a quarter of the smallest support, and for averaged positions, whose
/// values inside are about a radius, at most a radius.
fn node_distance(field: &ParticleField) -> f32 {
    let quarter = 0.25 * field.support();
    let length = match field.kind() {
        FieldKind::ZhuBridson | FieldKind::Solenthaler => quarter.min(field.radius()),
        _ => quarter,
    };
    length * field.smallest_relative_radius().max(0.25)
}

/// The blocks of a field that is trilinear between its nodes.
pub(crate) fn blocks_of_nodes(nodes: &SparseGrid<f32>) -> BlockGrid {
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
        bulge.state(low[place], high[place])
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

/// Marks the blocks that particles reach which are too fast for the moments, as nothing else is
/// known about those blocks.
fn merge_forced(
    tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)>,
    kernels: &[Kernel],
    edge: f32,
    shutter: Shutter,
) -> Vec<(IVec3, Box<[u32; TILE_NODES]>)> {
    let tile_edge = 8.0 * edge;
    let mut coordinates: Vec<IVec3> = kernels
        .par_iter()
        .flat_map_iter(|kernel| boxes_along(kernel, edge, shutter))
        .flat_map_iter(|(min, max)| {
            let low = (min / tile_edge).floor().as_ivec3();
            let span = (max / tile_edge).floor().as_ivec3() - low + 1;
            (0..span.x * span.y * span.z).map(move |i| {
                low + IVec3::new(i % span.x, i / span.x % span.y, i / (span.x * span.y))
            })
        })
        .collect();
    coordinates.par_extend(tiles.par_iter().map(|(tile, _)| *tile));
    coordinates.par_sort_unstable_by_key(|tile| tile_order(*tile));
    coordinates.dedup();
    let (starts, by_tile) = particles_by_tile(&coordinates, kernels, edge, shutter);
    let mut known = tiles.into_iter().peekable();
    let merged: Vec<_> = coordinates
        .into_iter()
        .map(|tile| {
            let states = known.next_if(|(known, _)| *known == tile).map(|(_, states)| states);
            (tile, states.unwrap_or_else(|| Box::new([OUTSIDE; TILE_NODES])))
        })
        .collect();
    merged
        .into_par_iter()
        .enumerate()
        .map(|(place, (tile, mut states))| {
            for &kernel in &by_tile[starts[place]..starts[place + 1]] {
                let kernel = &kernels[kernel as usize];
                ActiveRows::ALL.for_each_reached(kernel, tile, edge, shutter, |offset| {
                    states[offset] = ACTIVE;
                });
            }
            (tile, states)
        })
        .collect()
}

/// The blocks of a liquid as they were, with those that may have changed marked as able to hold the
/// surface: all that the given particles reach.
pub(crate) fn woken(blocks: &BlockGrid, changed: &[Kernel], shutter: Shutter) -> Sorted {
    let (states, edge) = (blocks.states(), blocks.edge());
    let tiles = states.coordinates().iter().zip(states.tiles()).map(|(&tile, states)| {
        let state = |offset: usize| match states.at(offset) {
            state if state < FIRST_SIGN => ACTIVE,
            sign => sign,
        };
        (tile, Box::new(std::array::from_fn(state)))
    });
    Sorted { edge, tiles: merge_forced(tiles.collect(), changed, edge, shutter) }
}

/// Boxes that cover what a particle reaches during the shutter, in pieces of a few blocks.
pub(crate) fn boxes_along(
    kernel: &Kernel,
    edge: f32,
    shutter: Shutter,
) -> impl Iterator<Item = (Vec3, Vec3)> {
    let reach = kernel.reach();
    let at = |time: f32| kernel.center + kernel.velocity * time;
    let (start, end) = (at(shutter.open), at(shutter.close));
    let pieces = (start.distance(end) / (4.0 * edge)).ceil().max(1.0) as u32;
    (0..pieces).map(move |piece| {
        let from = start.lerp(end, piece as f32 / pieces as f32);
        let to = start.lerp(end, (piece + 1) as f32 / pieces as f32);
        (from.min(to) - reach, from.max(to) + reach)
    })
}
