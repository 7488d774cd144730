//! Contract: once set up, a frame of surface and meniscus allocates nothing while the liquid moves, over one
//! layer and over several. A test of its own, because it counts the allocations of the whole process.

mod surface_scenes;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use surface_scenes::*;
use whitecap_pipes::{
    Columns, Meniscus, MeniscusSettings, MinimumHeights, Space, Surface, SurfaceSettings, Terrain,
};

#[global_allocator]
static COUNTED: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// Two plates with hills, the upper with holes.
fn plates() -> Columns {
    let (low, high) = (waves(1, 0.6), waves(2, 0.6));
    let terrain = Terrain::from_cells(grid(120, 90), |x, z, spaces| {
        let (at_x, at_z) = (x as f32, z as f32);
        let floor = CELL * low(at_x, at_z);
        if x % 20 < 5 {
            spaces.push(Space::open(floor));
        } else {
            spaces.push(Space { floor, ceiling: CELL * (7.0 + high(at_x, at_z)) });
            spaces.push(Space::open(CELL * (8.0 + high(at_x, at_z))));
        }
    });
    Columns::new(&terrain.unwrap())
}

/// Allocations of ten frames of a tide that has been seen before.
fn allocations(mut columns: Columns) -> usize {
    let (mut surface, mut meniscus) = (Surface::new(), Meniscus::new());
    let floors = columns.floor().to_vec();
    let mut tide = |frame: usize| {
        let level = CELL * (4.0 + 4.0 * (frame as f32 * 0.628).sin());
        columns.fill(|column| f64::from(level - floors[column]));
        let minimum = MinimumHeights::none();
        surface.update(&columns, &minimum, &SurfaceSettings::default()).unwrap();
        meniscus.apply(&columns, &mut surface, &MeniscusSettings::default(), None).unwrap();
    };
    (0..30).for_each(&mut tide);
    let region = Region::new(COUNTED);
    (0..10).for_each(&mut tide);
    region.change().allocations
}

#[test]
fn a_frame_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for columns in [heightfield(150, 120, waves(3, 0.8)), plates()] {
        let found = pool.install(|| allocations(columns));
        assert_eq!(found, 0);
    }
}
