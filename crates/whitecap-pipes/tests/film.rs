//! Contract: a viscous film on an incline has the speed of a real one, H² g S / 3ν (Nusselt 1916),
//! within two percent over three decades of depth and of viscosity, with the physical pipe area; with
//! the paper's area it is Δx H g S / 3ν. Both solvers.

mod liquid_scenes;

use liquid_scenes::grid;
use whitecap_pipes::{PipeArea, PipeSettings, Pipes, Solver, Terrain};

const SLOPE: f64 = 0.1;
const CELL: f32 = 0.0005;

/// Speed of an even film of a depth in the middle of a long incline.
fn film_speed(depth: f64, viscosity: f32, pipe_area: PipeArea, solver: Solver) -> f64 {
    let width = 512;
    let heights: Vec<f32> =
        (0..width).map(|x| -(SLOPE * f64::from(CELL) * x as f64) as f32).collect();
    let terrain = Terrain::heightfield(grid(CELL, width, 1), &heights).unwrap();
    let settings =
        PipeSettings { viscosity, pipe_area, solver, retained: 1.0, ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|_| depth);
    // Long enough for the speed to settle (H² / 3ν), short enough for the ends not to be felt; the
    // waves of the film must not be too fast for the step.
    let settle = depth * depth / (3.0 * f64::from(viscosity));
    let wave = (9.81 * depth.max(f64::from(CELL))).sqrt();
    let step = (0.1 * f64::from(CELL) / wave).min(settle);
    let steps = (8.0 * settle / step).ceil() as usize;
    for _ in 0..steps {
        pipes.step(step).unwrap();
    }
    let mut speed = 0.0;
    pipes.fluxes(|pipe| {
        if pipe.from as usize == width / 2 {
            speed = pipe.flux / (f64::from(CELL) * pipes.columns().depth()[width / 2]);
        }
    });
    speed
}

/// Depths over three decades, each with three decades of viscosity that let it settle before the ends
/// of the incline are felt.
fn films() -> impl Iterator<Item = (f64, f32)> {
    [1e-5, 1e-4, 1e-3, 1e-2].into_iter().flat_map(|depth: f64| {
        let least = (20.0 * depth.powi(2)).max(1e-6);
        [1.0, 10.0, 100.0, 1000.0].map(move |factor| (depth, (least * factor) as f32))
    })
}

#[test]
fn a_film_has_the_speed_of_nusselt() {
    for solver in [Solver::Pipes, Solver::ShallowWater] {
        let mut worst: f64 = 0.0;
        for (depth, viscosity) in films() {
            let found = film_speed(depth, viscosity, PipeArea::Physical, solver);
            let expected = depth * depth * 9.81 * SLOPE / (3.0 * f64::from(viscosity));
            let error = (found / expected - 1.0).abs();
            worst = worst.max(error);
            assert!(
                error < 0.02,
                "{solver:?}, {depth} m, {viscosity} m²/s: {found} for {expected}"
            );
        }
        println!("{solver:?}: film speed within {:.2} %", 100.0 * worst);
    }
}

#[test]
fn the_papers_area_makes_the_speed_linear_in_depth() {
    for (depth, viscosity) in films() {
        let found = film_speed(depth, viscosity, PipeArea::Square, Solver::Pipes);
        let expected = f64::from(CELL) * depth * 9.81 * SLOPE / (3.0 * f64::from(viscosity));
        let error = (found / expected - 1.0).abs();
        assert!(error < 0.02, "{depth} m, {viscosity} m²/s: {found} for {expected}");
    }
}
