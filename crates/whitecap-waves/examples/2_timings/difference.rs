//! How much the waves of two runs with different points differ.

use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::reduce;
use whitecap_waves::WaveFrame;

/// Root mean square, over the points of `first`, of the difference between the kernel averages of
/// the displacements of both runs, over two fine spacings: the difference a mesh would show. In metres.
pub fn difference(first: &WaveFrame, second: &WaveFrame, fine: f32) -> f64 {
    let grids = [first, second].map(|run| NeighbourGrid::build(&run.points.position, 2.0 * fine));
    let squared = |point: usize| {
        let seen = [(first, &grids[0]), (second, &grids[1])]
            .map(|(run, grid)| average(first, point, run, grid, 2.0 * fine));
        seen[0].zip(seen[1]).map_or(0.0, |(one, other)| f64::from(one - other).powi(2))
    };
    let count = first.points.len();
    (reduce::sum(count, squared) / count.max(1) as f64).sqrt()
}

/// The mean displacement of a run at a position, from points on the same side of the liquid.
fn average(
    places: &WaveFrame,
    place: usize,
    run: &WaveFrame,
    grid: &NeighbourGrid,
    radius: f32,
) -> Option<f32> {
    let (position, normal) = (places.points.position[place], places.points.normal[place]);
    let (mut sum, mut total) = (0.0, 0.0);
    grid.for_each_within(position, radius, |near, squared| {
        let point = grid.order()[near] as usize;
        if run.points.normal[point].dot(normal) > 0.0 {
            let weight = (1.0 - squared.sqrt() / radius).max(0.0) * run.points.area[point];
            sum += weight * run.waves.height[point];
            total += weight;
        }
    });
    (total > 0.0).then(|| sum / total)
}
