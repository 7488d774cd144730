//! Topology matching (Dagenais et al. 2017, §2.4): where the coarse surface φ changed its topology,
//! Γ takes φ's, with a smooth transition to the detailed mesh around it.
//!
//! ψ = Γ − φ is kept where the mesh is near and unflagged, and harmonic elsewhere; then Γ = ψ + φ
//! (Eqs. 2.2–2.4, Alg. 2.1). The paper relaxes the whole grid; here only tiles near flagged nodes
//! are solved, by conjugate gradients with a multigrid preconditioner. What is farther away hardly
//! matters, because fixed nodes along the mesh lie in between.

use glam::IVec3;
use rayon::prelude::*;
use whitecap_core::poisson::{self, NodeKind, PoissonProblem, SolveSettings};
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_of};
use whitecap_core::{CoordinateIndex, SparseGrid, Tile, Watch};

use crate::topology::cells::{cells_between, sort_unique};

/// Cells around the flagged nodes that are included.
pub(crate) const MARGIN: i32 = 6;

/// The tiles that are solved: those with a node within `margin` cells of a flagged node.
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

/// Γ with the topology of φ at flagged nodes. `gamma` covers the domain. Fails if the solver is cancelled
/// or does not converge.
pub(crate) fn matched(
    gamma: &SparseGrid<f32>,
    distance: &SparseGrid<f32>,
    flagged: &[IVec3],
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, whitecap_core::Error> {
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
    let solved = poisson::solve(&problem, None, &settings, watch)?.values;
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
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use whitecap_core::{Lattice, Unwatched};

    fn grid(tiles: &[IVec3], value: impl Fn(Vec3) -> f32 + Sync) -> SparseGrid<f32> {
        let lattice = Lattice::at_origin(1.0);
        SparseGrid::filled(lattice, 2.0, tiles.to_vec(), |tile, values| {
            for (offset, slot) in values.iter_mut().enumerate() {
                *slot = value(lattice.position(tile * 8 + local_node(offset)));
            }
        })
    }

    /// Contract: where two bumpy balls begin to touch, solving near the flagged cells gives the same
    /// Γ there as solving everywhere, to a hundredth of a cell; and it joins the balls as φ does.
    #[test]
    fn the_local_solution_is_the_full_one() {
        let centers = [Vec3::new(-13.0, 0.4, 0.2), Vec3::new(13.0, 0.4, 0.2)];
        let apart = |p: Vec3, radius: f32| {
            centers.iter().map(|&c| (p - c).length() - radius).fold(f32::INFINITY, f32::min)
        };
        let bumps = |p: Vec3| 0.8 * (0.5 * p.y).sin() * (0.6 * p.z).cos();
        let mesh_distance = |p: Vec3| (apart(p, 12.6) + bumps(p)).clamp(-2.0, 2.0);
        // φ has a neck between the balls.
        let coarse = |p: Vec3| {
            let neck = Vec3::new(0.0, p.y, p.z).length().max(p.x.abs() - 3.0) - 5.0;
            apart(p, 12.0).min(neck).clamp(-6.0, 6.0)
        };
        let everywhere: Vec<IVec3> = cells_between(IVec3::splat(-6), IVec3::splat(5)).collect();
        let flagged_cells: Vec<IVec3> = cells_between(IVec3::new(-3, -6, -6), IVec3::new(3, 6, 6))
            .filter(|c| (c.as_vec3() * Vec3::new(0.0, 1.0, 1.0)).length() < 6.0)
            .collect();
        let flagged = flagged_cells;
        let near = domain(&flagged, MARGIN);
        assert!(near.len() < everywhere.len() / 4);
        let solve = |tiles: &[IVec3]| {
            matched(&grid(tiles, mesh_distance), &grid(tiles, coarse), &flagged, &Unwatched)
                .unwrap()
        };
        let (local, full) = (solve(&near), solve(&everywhere));
        let mut largest = 0.0f32;
        for &node in &flagged {
            largest = largest.max((local.get(node) - full.get(node)).abs());
        }
        assert!(largest < 0.01, "off by {largest} cells");
        assert!(mesh_distance(Vec3::ZERO) > 0.0 && local.get(IVec3::ZERO) < 0.0, "joined");
    }

    /// Contract: a solve without a result is an error, never ψ = 0.
    #[test]
    fn an_unsolved_equation_is_an_error() {
        let tiles: Vec<IVec3> = cells_between(IVec3::splat(-1), IVec3::splat(0)).collect();
        let known = grid(&tiles, |p| p.x - 0.4);
        let broken = grid(&tiles, |p| if p == Vec3::X { f32::NAN } else { p.x });
        let flagged: Vec<IVec3> = cells_between(IVec3::splat(-3), IVec3::splat(0)).collect();
        assert!(matched(&known, &known, &flagged, &Unwatched).is_ok());
        let failure = matched(&known, &broken, &flagged, &Unwatched).unwrap_err();
        assert!(matches!(failure, whitecap_core::Error::NotConverged { .. }), "{failure}");
    }
}
