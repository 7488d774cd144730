//! The volume that a level set encloses, to a fraction of a cell.
//!
//! Between the middles of eight cells φ is linear in each of six tetrahedra, and the share of a tetrahedron where
//! a linear function is negative has a closed form: this is the volume inside marching tetrahedra.

use rayon::prelude::*;
use whitecap_core::SparseGrid;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{TILE_NODES, Tile, local_node};

use crate::mac::faces::corner_step;

/// The corners of six tetrahedra that share a diagonal of the cube.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Volume where φ is negative, in m³.
pub fn volume(distances: &SparseGrid<f32>) -> f64 {
    // Every tile in turn, then their sum in order.
    let shares: Vec<f64> =
        distances.coordinates().par_iter().map(|&tile| tile_share(distances, tile)).collect();
    shares.iter().sum::<f64>() * f64::from(distances.lattice().cell).powi(3)
}

/// The volume between the cells of a tile and those after them, in cells.
fn tile_share(distances: &SparseGrid<f32>, tile: IVec3) -> f64 {
    let around = distances.neighbourhood(tile);
    let share = |offset: usize| {
        let cell = local_node(offset);
        negative_share_of_cube(std::array::from_fn(|corner| around.get(cell + corner_step(corner))))
    };
    let is_inside = |tile: Option<&Tile<f32>>| matches!(tile, Some(Tile::Constant(v)) if *v < 0.0);
    if (0..8).all(|corner| is_inside(around.tile(corner_step(corner)))) {
        return TILE_NODES as f64;
    }
    (0..TILE_NODES).map(share).sum()
}

/// Share of a cube where a function with these values at its corners is negative.
pub fn negative_share_of_cube(corners: [f32; 8]) -> f64 {
    if corners.iter().all(|&value| value >= 0.0) {
        return 0.0;
    }
    if corners.iter().all(|&value| value < 0.0) {
        return 1.0;
    }
    let share = |tetrahedron: [usize; 4]| {
        negative_share_of_tetrahedron(tetrahedron.map(|corner| f64::from(corners[corner])))
    };
    TETRAHEDRA.into_iter().map(share).sum::<f64>() / 6.0
}

/// Share of a tetrahedron where a linear function is negative.
fn negative_share_of_tetrahedron(mut corners: [f64; 4]) -> f64 {
    corners.sort_unstable_by(f64::total_cmp);
    let [a, b, c, d] = corners;
    if a >= 0.0 {
        0.0
    } else if b >= 0.0 {
        a * a * a / ((a - b) * (a - c) * (a - d))
    } else if c >= 0.0 {
        // Two corners on each side: a wedge of three tetrahedra, by the shares of the four cut edges.
        let (ac, ad) = (a / (a - c), a / (a - d));
        let (bc, bd) = (b / (b - c), b / (b - d));
        ac * ad * (1.0 - bd) + bd * (ac * (1.0 - bc) + bc)
    } else if d >= 0.0 {
        1.0 - d * d * d / ((d - a) * (d - b) * (d - c))
    } else {
        1.0
    }
}
