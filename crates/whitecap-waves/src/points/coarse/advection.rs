//! Surface points follow the coarse particles (Mercier et al. 2015, Eq. 4.4).

use glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

use crate::points::sums::blocks::{Block, per_block};
use crate::points::sums::lanes::{Oriented, Row, dot, offsets, oriented, splat, sum};
use crate::points::sums::near_box::{NearBox, PositionColumns};

/// The particles near the surface of the last frame that also exist in this one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movement {
    pub position: Vec<Vec3>,
    /// Displacement from the last frame to this one.
    pub displacement: Vec<Vec3>,
    /// 1 / ψ in the last frame.
    pub inverse_density: Vec<f32>,
}

/// For each point the mean displacement of the particles within 2 λ_c; zero where there are none.
pub(crate) fn displacements(
    positions: &[Vec3],
    blocks: &[Block],
    movement: &Movement,
    coarse: f32,
) -> Vec<Vec3> {
    let radius = 2.0 * coarse;
    let grid = NeighbourGrid::build(&movement.position, coarse);
    let mut displacements = vec![Vec3::ZERO; positions.len()];
    let mut columns = PositionColumns::default();
    columns.fill(grid.positions());
    let row = |(&position, &particle): (&Vec3, &u32)| {
        let particle = particle as usize;
        oriented(position, movement.displacement[particle], movement.inverse_density[particle])
    };
    let rows: Vec<Row> = grid.positions().iter().zip(grid.order()).map(row).collect();
    per_block(blocks, &mut displacements, |memory: &mut (Oriented, Vec<u32>), block, mine| {
        let (lanes, near) = memory;
        near.clear();
        let [min, max] = block.bounds(positions);
        let near_box = NearBox::new([min, max], radius);
        grid.for_each_cell_in_box(min - radius, max + radius, |range| {
            columns.collect_near(range, &near_box, near);
        });
        lanes.fill(near, &rows);
        for (value, point) in mine.iter_mut().zip(block.points.clone()) {
            *value = mean_displacement(positions[point], lanes, radius);
        }
    });
    displacements
}

/// Σ W displacement.
fn mean_displacement(point: Vec3, particles: &Oriented, radius: f32) -> Vec3 {
    let here = splat(point);
    let inverse_radius = f32x8::splat(1.0 / radius);
    let mut moved = [f32x8::ZERO; 3];
    let mut weights = f32x8::ZERO;
    for group in particles.groups() {
        let offset = offsets(group, here);
        let distance = dot(offset, offset).sqrt() * inverse_radius;
        let kernel = (f32x8::ONE - distance).fast_max(f32x8::ZERO);
        let weight = kernel * group[6];
        weights += weight;
        for (sum, displacement) in moved.iter_mut().zip(&group[3..6]) {
            *sum = weight.mul_add(*displacement, *sum);
        }
    }
    let weights = weights.reduce_add();
    if weights > 0.0 { sum(moved) / weights } else { Vec3::ZERO }
}
