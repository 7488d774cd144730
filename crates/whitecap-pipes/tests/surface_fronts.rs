//! The edge of spreading liquid lies between the cells.

mod surface_scenes;

use glam::{Vec2, Vec3, Vec3Swizzles};
use surface_scenes::*;
use whitecap_pipes::Surface;

/// Where edges of the surface emerge from flat ground.
fn edge_points(surface: &Surface) -> Vec<Vec2> {
    let mut points = Vec::new();
    for triangle in surface.triangles() {
        let corners = triangle.map(|vertex| surface.positions()[vertex as usize]);
        for side in 0..3 {
            let [a, b]: [Vec3; 2] = [corners[side], corners[(side + 1) % 3]];
            if (a.y > 0.0) != (b.y > 0.0) {
                points.push(a.xz().lerp(b.xz(), a.y / (a.y - b.y)));
            }
        }
    }
    points
}

/// Contract: where the depth of a round puddle on flat ground falls by powers of ten from cell to
/// cell, as at moving fronts, its edge is round to a sixth of a cell, and a puddle that is wider by
/// a fraction of a cell has an edge that is wider by the same amount.
#[test]
fn fronts_lie_between_the_cells() {
    let mut columns = heightfield(60, 60, |_, _| 0.0);
    let center = columns.grid().origin() + Vec2::splat(29.7 * CELL);
    let distances: Vec<f32> = (0..columns.len())
        .map(|column| {
            let (x, z) = columns.position_of(column);
            columns.grid().center(x, z).distance(center) / CELL
        })
        .collect();
    let mut radii = Vec::new();
    for wider in 0..=10 {
        let radius = 18.0 + 0.1 * wider as f32;
        columns.fill(|column| {
            let decades = f64::from(radius - distances[column]) * 1.5;
            1e-8 * 10f64.powf(decades.min(5.0))
        });
        let points = edge_points(&surface_of(&columns));
        let away: Vec<f32> = points.iter().map(|point| point.distance(center) / CELL).collect();
        let mean = away.iter().sum::<f32>() / away.len() as f32;
        let farthest = away.iter().map(|away| (away - mean).abs()).fold(0.0, f32::max);
        assert!(
            away.len() > 100 && farthest < 1.0 / 6.0,
            "{farthest} of a cell at radius {radius}"
        );
        radii.push(mean - radius);
    }
    let (least, most) =
        radii.iter().fold((f32::MAX, f32::MIN), |(low, high), &off| (low.min(off), high.max(off)));
    assert!(most - least < 0.05, "edges off by {radii:?}");
    assert!(least.abs().max(most.abs()) < 0.1, "edges off by {radii:?}");
}
