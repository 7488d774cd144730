//! Contract: the neighbour search finds exactly the pairs a brute-force search finds, in an order
//! that depends only on the particles, for uniform and per-query radii, for other query sets, and
//! with an outlier at any distance.

use glam::Vec3;
use proptest::prelude::*;
use whitecap_core::neighbours::{NeighbourGrid, NeighbourLists, SearchRadius};
use whitecap_core::scatter::Sequence;

fn brute_force(sources: &[Vec3], query: Vec3, radius: f32) -> Vec<u32> {
    let near = |p: &Vec3| p.distance_squared(query) <= radius * radius;
    (0..sources.len() as u32).filter(|&i| near(&sources[i as usize])).collect()
}

fn found(grid: &NeighbourGrid, places: &[u32]) -> Vec<u32> {
    let mut indices: Vec<u32> = places.iter().map(|&p| grid.order()[p as usize]).collect();
    indices.sort_unstable();
    indices
}

fn cloud(count: usize, size: f32) -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec((-size..size, -size..size, -size..size), 0..count)
        .prop_map(|v| v.into_iter().map(|(x, y, z)| Vec3::new(x, y, z)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn equals_brute_force(sources in cloud(300, 1.0), queries in cloud(40, 1.3), radius in 0.05f32..0.6) {
        let grid = NeighbourGrid::build(&sources, radius);
        let mut lists = NeighbourLists::default();
        grid.lists(&queries, SearchRadius::Uniform(radius), &mut lists);
        for (i, &query) in queries.iter().enumerate() {
            prop_assert_eq!(found(&grid, lists.of(i)), brute_force(&sources, query, radius));
        }
        let radii: Vec<f32> = (0..queries.len()).map(|i| 0.03 + 0.01 * i as f32).collect();
        grid.lists(&queries, SearchRadius::PerQuery(&radii), &mut lists);
        for (i, &query) in queries.iter().enumerate() {
            prop_assert_eq!(found(&grid, lists.of(i)), brute_force(&sources, query, radii[i]));
        }
    }
}

#[test]
fn an_outlier_far_away_changes_nothing_near_the_origin() {
    let mut sources: Vec<Vec3> = (0..1000)
        .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) * 0.01)
        .collect();
    let near = NeighbourGrid::build(&sources, 0.02);
    sources.push(Vec3::splat(1e4));
    sources.push(Vec3::splat(-3e30));
    let far = NeighbourGrid::build(&sources, 0.02);
    assert_eq!(far.cell_count(), near.cell_count() + 2);
    for &query in &sources[..1000] {
        let list = |grid: &NeighbourGrid| {
            let mut indices = Vec::new();
            grid.for_each_within(query, 0.02, |place, _| indices.push(grid.order()[place]));
            indices
        };
        assert_eq!(list(&near), list(&far));
    }
}

#[test]
fn sorting_does_not_depend_on_threads() {
    let sources: Vec<Vec3> = (0..20_000)
        .map(|i| {
            let t = i as f32;
            Vec3::new((t * 0.37).sin(), (t * 0.73).sin(), (t * 1.19).cos())
        })
        .collect();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let grid = NeighbourGrid::build(&sources, 0.05);
            let mut lists = NeighbourLists::default();
            grid.lists(&sources, SearchRadius::Uniform(0.05), &mut lists);
            let all: Vec<u32> = (0..lists.len()).flat_map(|i| lists.of(i).to_vec()).collect();
            (grid.order().to_vec(), all)
        })
    };
    assert_eq!(with_threads(1), with_threads(2));
    assert_eq!(with_threads(1), with_threads(7));
}

/// Contract: a search radius that spans far more cells than there are finds the same neighbours in
/// the same order as a search through all cells, and does not loop over the empty ones.
#[test]
fn a_radius_far_beyond_the_cells_ends() {
    let mut random = Sequence::new(5);
    let mut positions: Vec<Vec3> = (0..2000).map(|_| random.point()).collect();
    positions.push(Vec3::new(1e38, 0.0, 0.0));
    let grid = NeighbourGrid::build(&positions, 0.1);
    let middle = Vec3::splat(0.5);
    let mut found = Vec::new();
    grid.for_each_within(middle, 1e18, |place, _| found.push(place));
    let mut expected = Vec::new();
    grid.for_each_within(middle, 1.0, |place, _| expected.push(place));
    assert_eq!(found.len(), 2000);
    assert_eq!(found, expected);
    let mut everything = 0;
    grid.for_each_cell_in_box(Vec3::splat(f32::MIN), Vec3::splat(f32::MAX), |range| {
        everything += range.len();
    });
    assert_eq!(everything, positions.len());
}
