//! Velocity beyond the liquid: every unknown face takes the mean of its known neighbours, layer by layer.
//!
//! Next to the liquid, [`extrapolate_linearly`] goes on along lines instead: there the outermost particles are, and with
//! the mean of those inside they would slow down everything that turns or spreads.
//!
//! # Guarantees
//! Known faces keep their values. The result depends neither on the order of tiles nor on threads.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

/// Which faces of a cell are known: bit a for its low face on axis a.
pub type KnownFaces = SparseGrid<u8>;

/// All three faces of a cell.
pub const ALL_FACES: u8 = 0b111;

/// Edge of a tile with three layers of cells around it, and the distance to the six neighbours there.
const PADDED: usize = 14;
const PADDED_STEPS: [isize; 6] = [-1, 1, -14, 14, -196, 196];

/// New values of the faces of a tile.
type Extended = (Box<[Vec3; TILE_NODES]>, Box<[u8; TILE_NODES]>);

/// Extends `velocity` by this many layers of faces beyond those that are `known`, within its tiles. Both
/// have the same tiles.
pub fn extrapolate(velocity: &mut SparseGrid<Vec3>, known: &mut KnownFaces, layers: usize) {
    extend(velocity, known, layers, false);
}

/// Extends `velocity` as [`extrapolate`] does, but along lines where the three known faces next to each other agree on a
/// slope: velocities that are linear in space go on unchanged beyond a flat front. The lesser of two slopes is taken, and
/// none where they disagree, so that disorder is not carried outwards.
pub fn extrapolate_linearly(
    velocity: &mut SparseGrid<Vec3>,
    known: &mut KnownFaces,
    layers: usize,
) {
    extend(velocity, known, layers, true);
}

fn extend(velocity: &mut SparseGrid<Vec3>, known: &mut KnownFaces, layers: usize, is_linear: bool) {
    for _ in 0..layers {
        let found: Vec<Option<Extended>> = known
            .coordinates()
            .par_iter()
            .map(|&tile| extended_tile(velocity, known, tile, is_linear))
            .collect();
        let tiles = velocity.tiles_mut().par_iter_mut().zip(known.tiles_mut());
        tiles.zip(found).for_each(|((values, bits), found)| {
            if let Some((new_values, new_bits)) = found {
                (*values, *bits) = (Tile::Dense(new_values), Tile::Dense(new_bits));
            }
        });
    }
}

/// One layer more in a tile; `None` if nothing changes there.
fn extended_tile(
    velocity: &SparseGrid<Vec3>,
    known: &KnownFaces,
    tile: IVec3,
    is_linear: bool,
) -> Option<Extended> {
    let around = known.neighbourhood(tile);
    let is_full = |tile: &Tile<u8>| match tile {
        Tile::Constant(bits) => *bits == ALL_FACES,
        Tile::Dense(bits) => bits.iter().all(|&bits| bits == ALL_FACES),
    };
    if around.center().is_none_or(is_full) {
        return None;
    }
    let mut bits = [0u8; PADDED * PADDED * PADDED];
    around.copy_padded(3, &mut bits);
    if bits.iter().all(|&bits| bits == 0) {
        return None;
    }
    let mut values = vec![Vec3::ZERO; PADDED * PADDED * PADDED];
    velocity.neighbourhood(tile).copy_padded(3, &mut values);
    let (mut new_values, mut new_bits) =
        (Box::new([Vec3::ZERO; TILE_NODES]), Box::new([0; TILE_NODES]));
    let mut is_changed = false;
    for offset in 0..TILE_NODES {
        let node = local_node(offset) + 3;
        let place = node.x as usize + PADDED * (node.y as usize + PADDED * node.z as usize);
        (new_values[offset], new_bits[offset]) = (values[place], bits[place]);
        for axis in (0..3).filter(|axis| bits[place] >> axis & 1 == 0) {
            let is_known = |place: usize| bits[place] >> axis & 1 == 1;
            let (mut sum, mut count) = (0.0, 0);
            for step in PADDED_STEPS {
                let beside = place.wrapping_add_signed(step);
                if is_known(beside) {
                    sum += values[beside][axis];
                    let farther = [2, 3].map(|steps| place.wrapping_add_signed(steps * step));
                    if is_linear && farther.iter().all(|&place| is_known(place)) {
                        let [first, second, third] =
                            [beside, farther[0], farther[1]].map(|place| values[place][axis]);
                        sum += least_slope(first - second, second - third);
                    }
                    count += 1;
                }
            }
            if count > 0 {
                new_values[offset][axis] = sum / count as f32;
                new_bits[offset] |= 1 << axis;
                is_changed = true;
            }
        }
    }
    is_changed.then_some((new_values, new_bits))
}

/// The slope nearer to zero; zero where the two disagree about the direction.
fn least_slope(one: f32, other: f32) -> f32 {
    if one * other <= 0.0 {
        0.0
    } else if one.abs() < other.abs() {
        one
    } else {
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::Lattice;

    /// Contract: a uniform velocity spreads unchanged, one layer for each layer asked for, across tiles;
    /// what was known stays.
    #[test]
    fn uniform_velocities_spread_layer_by_layer() {
        let tiles = vec![IVec3::ZERO, IVec3::X, IVec3::NEG_X];
        let lattice = Lattice::at_origin(0.1);
        let uniform = Vec3::new(1.0, -2.0, 3.0);
        let is_seed = |node: IVec3| node.x == 6 || node.x == 7;
        let fill = |tile: IVec3, values: &mut [Vec3; TILE_NODES]| {
            for (offset, value) in values.iter_mut().enumerate() {
                let seed = is_seed(tile * 8 + local_node(offset));
                *value = if seed { uniform } else { Vec3::splat(99.0) };
            }
        };
        let mut velocity = SparseGrid::filled(lattice, Vec3::ZERO, tiles.clone(), fill);
        let mut known = SparseGrid::filled(lattice, 0, tiles, |tile, bits| {
            for (offset, bits) in bits.iter_mut().enumerate() {
                *bits = if is_seed(tile * 8 + local_node(offset)) { ALL_FACES } else { 0 };
            }
        });
        extrapolate(&mut velocity, &mut known, 4);
        for x in -8..16 {
            let node = IVec3::new(x, 3, 5);
            let expected = if (2..=11).contains(&x) { ALL_FACES } else { 0 };
            assert_eq!(known.get(node), expected, "{x}");
            if expected != 0 {
                assert_eq!(velocity.get(node), uniform);
            }
        }
    }

    /// Contract: a velocity that is linear in space goes on unchanged beyond what is known, also across tiles; beyond
    /// faces that disagree it is that of the nearest.
    #[test]
    fn linear_velocities_go_on() {
        let lattice = Lattice::at_origin(0.1);
        let linear =
            |node: IVec3| Vec3::new(node.y as f32, 2.0 * node.x as f32, (node.x - node.z) as f32);
        let is_seed = |node: IVec3| (4..8).contains(&node.x);
        let extended = |value: &(dyn Fn(IVec3) -> Vec3 + Sync)| {
            let tiles = vec![IVec3::ZERO, IVec3::X];
            let fill = |tile: IVec3, values: &mut [Vec3; TILE_NODES]| {
                for (offset, velocity) in values.iter_mut().enumerate() {
                    let node = tile * 8 + local_node(offset);
                    *velocity = if is_seed(node) { value(node) } else { Vec3::splat(99.0) };
                }
            };
            let mut velocity = SparseGrid::filled(lattice, Vec3::ZERO, tiles.clone(), fill);
            let mut known = SparseGrid::filled(lattice, 0, tiles, |tile, bits| {
                for (offset, bits) in bits.iter_mut().enumerate() {
                    *bits = if is_seed(tile * 8 + local_node(offset)) { ALL_FACES } else { 0 };
                }
            });
            extrapolate_linearly(&mut velocity, &mut known, 1);
            velocity
        };
        let straight = extended(&linear);
        let jagged = |node: IVec3| Vec3::splat((node.x & 1) as f32);
        let rough = extended(&jagged);
        for x in [3, 8] {
            let node = IVec3::new(x, 3, 5);
            assert_eq!(straight.get(node), linear(node), "{x}");
            assert_eq!(
                rough.get(node),
                jagged(if x == 3 { node + IVec3::X } else { node - IVec3::X })
            );
        }
    }
}
