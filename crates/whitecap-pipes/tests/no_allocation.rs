//! Contract: once set up, a step allocates nothing, for any solver, with passages, drops and sources,
//! on one thread or several. A test of its own, because it counts the allocations of the whole process.

mod liquid_scenes;

use liquid_scenes::{Numbers, hills, random_layers};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use whitecap_pipes::{Edges, Passages, PipeSettings, Pipes, Solver, Source, Terrain};

#[global_allocator]
static COUNTED: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// Allocations of two hundred steps.
fn allocations(terrain: &Terrain, settings: PipeSettings) -> usize {
    let mut pipes = Pipes::new(terrain, settings).unwrap();
    let mut numbers = Numbers::new(8);
    let depths: Vec<f64> =
        (0..pipes.columns().len()).map(|_| numbers.between(-0.002, 0.004)).collect();
    pipes.fill(|column| depths[column]);
    // Threads grow their own queues once.
    for _ in 0..20 {
        pipes.step(0.003).unwrap();
    }
    let region = Region::new(COUNTED);
    for _ in 0..200 {
        pipes.step(0.003).unwrap();
    }
    region.change().allocations
}

#[test]
fn a_step_allocates_nothing() {
    let place = Source { position: [0.01, 1.0, 0.01], radius: 0.002, rate: 1e-6 };
    let plain = PipeSettings {
        sources: vec![place],
        drains: vec![place],
        edges: Edges::Open,
        ..PipeSettings::default()
    };
    let drops = PipeSettings { falling_drops: true, ..plain.clone() };
    let aligned = PipeSettings { passages: Passages::AxisAligned, ..plain.clone() };
    let water = PipeSettings { solver: Solver::ShallowWater, ..plain.clone() };
    let (layer, layers) = (hills(0.0005, 200, 200, 1), random_layers(0.0005, 150, 150, 2));
    let cases = [
        ("one layer", &layer, plain.clone()),
        ("layers", &layers, plain),
        ("drops", &layers, drops),
        ("axis-aligned", &layers, aligned),
        ("shallow water", &layers, water),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (name, terrain, settings) in cases {
        let found = pool.install(|| allocations(terrain, settings));
        assert_eq!(found, 0, "{name}");
    }
}
