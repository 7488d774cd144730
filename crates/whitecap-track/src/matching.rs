//! Topology matching (Dagenais et al. 2017, §2.4): where the coarse surface φ changed its topology,
//! Γ takes φ's, with a smooth passage to the detailed mesh around.
//!
//! ψ = Γ − φ is kept where the mesh is near and unflagged, and harmonic elsewhere; then Γ = ψ + φ
//! (Eqs. 2.2–2.4, Alg. 2.1). The paper relaxes the whole grid; here only tiles near flagged nodes
//! are solved, by conjugate gradients with a multigrid preconditioner. What is farther away hardly
//! matters, because fixed nodes along the mesh stand between.

use glam::IVec3;
use rayon::prelude::*;
use whitecap_core::poisson::{self, NodeKind, PoissonProblem, SolveSettings};
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_of};
use whitecap_core::{CoordinateIndex, SparseGrid, Tile, Watch};

use crate::cells::{cells_between, sort_unique};

/// Cells round the flagged nodes that take part.
pub(crate) const MARGIN: i32 = 8;

/// The tiles that take part: those with a node within `margin` cells of a flagged node.
pub(crate) fn domain(flagged: &[IVec3], margin: i32) -> Vec<IVec3> {
    let mut boxes: Vec<(IVec3, IVec3)> =
        flagged.iter().map(|&n| (tile_of(n - margin), tile_of(n + margin))).collect();
    boxes.sort_unstable_by_key(|(low, high)| (low.to_array(), high.to_array()));
    boxes.dedup();
    let mut tiles: Vec<IVec3> =
        boxes.into_iter().flat_map(|(low, high)| cells_between(low, high)).collect();
    sort_unique(&mut tiles);
    tiles
}

/// Γ with the topology of φ at flagged nodes. `gamma` covers the domain.
pub(crate) fn matched(
    gamma: &SparseGrid<f32>,
    distance: &SparseGrid<f32>,
    flagged: &[IVec3],
    watch: &dyn Watch,
) -> SparseGrid<f32> {
    let cell = gamma.lattice().cell;
    let near = cell * 3f32.sqrt();
    let flagged_index = CoordinateIndex::build(flagged);
    let fixed = |node: IVec3, value: f32| value.abs() <= near && flagged_index.get(node).is_none();
    let kinds = gamma.map_tiles(NodeKind::Neumann, |tile, around| {
        Tile::Dense(Box::new(std::array::from_fn(|offset| {
            let node = local_node(offset);
            if fixed(tile * 8 + node, around.get(node)) {
                NodeKind::Dirichlet
            } else {
                NodeKind::Unknown
            }
        })))
    });
    let difference = gamma.map_tiles(0.0, |tile, around| {
        let coarse = distance.neighbourhood(tile);
        Tile::Dense(Box::new(std::array::from_fn(|offset| {
            let node = local_node(offset);
            around.get(node) - coarse.get(node)
        })))
    });
    let zero = SparseGrid::new(gamma.lattice(), 0.0f32);
    let problem = PoissonProblem {
        kinds: &kinds,
        right_hand_side: &zero,
        boundary_values: Some(&difference),
        face_weights: None,
    };
    let settings = SolveSettings { tolerance: 1e-5, ..SolveSettings::default() };
    // Without a solution (which would take numbers that are not finite) ψ is zero: Γ follows φ.
    let solved =
        poisson::solve(&problem, None, &settings, watch).map_or(zero, |solution| solution.values);
    let mut result = gamma.clone();
    let coordinates = gamma.coordinates();
    result.tiles_mut().par_iter_mut().zip(coordinates).for_each(|(tile, &coordinate)| {
        let coarse = distance.neighbourhood(coordinate);
        let solved = solved.neighbourhood(coordinate);
        let mut values = Box::new([0.0f32; TILE_NODES]);
        for (offset, value) in values.iter_mut().enumerate() {
            let (node, known) = (local_node(offset), tile.at(offset));
            *value = if fixed(coordinate * 8 + node, known) {
                known
            } else {
                solved.get(node) + coarse.get(node)
            };
        }
        *tile = Tile::Dense(values);
    });
    result
}
