//! Contract: volume changes only by what the report says, to one part in a million after ten thousand steps,
//! for any viscosity and terrain.

mod liquid_scenes;

use liquid_scenes::{Numbers, hills, random_layers};
use whitecap_pipes::{Edges, Passages, PipeSettings, Pipes, Solver, Source, Terrain};

fn relative_error(terrain: &Terrain, settings: PipeSettings) -> f64 {
    let mut pipes = Pipes::new(terrain, settings).unwrap();
    let mut numbers = Numbers::new(3);
    let depths: Vec<f64> =
        (0..pipes.columns().len()).map(|_| numbers.between(-0.002, 0.002)).collect();
    pipes.fill(|column| depths[column]);
    for _ in 0..10_000 {
        pipes.step(0.003).unwrap();
    }
    let report = pipes.report();
    assert!(report.poured > 0.0 && report.drained > 0.0, "{report:?}");
    report.relative_error.abs()
}

fn settings(viscosity: f32) -> PipeSettings {
    let place = |x: f32, rate: f64| Source { position: [x, 1.0, 0.006], radius: 0.002, rate };
    PipeSettings {
        viscosity,
        sources: vec![place(0.004, 1e-7)],
        drains: vec![place(0.011, 2e-7)],
        ..PipeSettings::default()
    }
}

#[test]
fn one_layer_keeps_its_volume() {
    let terrain = hills(0.0005, 32, 24, 1);
    for viscosity in [0.0, 0.001, 0.4] {
        let error = relative_error(&terrain, settings(viscosity));
        println!("one layer, viscosity {viscosity}: {error:.1e}");
        assert!(error < 1e-6, "viscosity {viscosity}: {error:e}");
    }
}

#[test]
fn several_layers_keep_their_volume() {
    let terrain = random_layers(0.0005, 32, 24, 5);
    for passages in [Passages::Unified, Passages::AxisAligned, Passages::Off] {
        for viscosity in [0.0, 0.001, 0.4] {
            let settings = PipeSettings { passages, ..settings(viscosity) };
            let error = relative_error(&terrain, settings);
            println!("layers, {passages:?}, viscosity {viscosity}: {error:.1e}");
            assert!(error < 1e-6, "{passages:?}, viscosity {viscosity}: {error:e}");
        }
    }
}

#[test]
fn the_shallow_water_solver_keeps_its_volume() {
    for terrain in [hills(0.0005, 32, 24, 2), random_layers(0.0005, 24, 24, 9)] {
        let settings = PipeSettings { solver: Solver::ShallowWater, ..settings(1e-6) };
        let error = relative_error(&terrain, settings);
        println!("shallow water: {error:.1e}");
        assert!(error < 1e-6, "{error:e}");
    }
}

#[test]
fn falling_drops_and_open_edges_keep_the_volume() {
    let terrain = random_layers(0.0005, 24, 24, 7);
    let settings = PipeSettings { falling_drops: true, edges: Edges::Open, ..settings(1e-6) };
    let error = relative_error(&terrain, settings);
    println!("drops: {error:.1e}");
    assert!(error < 1e-6, "{error:e}");
}
