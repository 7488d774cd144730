//! Contract: with the paper's pipe area a pool calms down as long as its waves, √(g Δx), cross less
//! than 1/√2 of a cell in a step, and not beyond that (cf. Dagenais et al. 2018, Fig. 16); with the
//! physical area it calms down at any step, however deep, because waves that are too fast are
//! slowed.

mod liquid_scenes;

use liquid_scenes::grid;
use whitecap_pipes::{PipeArea, PipeSettings, Pipes, Terrain};

const CELLS: usize = 40;
/// Largest difference between neighbours in the hump, in depths: 0.2 √(2/e) / 8.
const HUMP: f64 = 0.02145;

/// Largest difference between neighbours, in depths, long after a hump was let go.
fn unevenness(pipe_area: PipeArea, viscosity: f32, cell: f32, depth: f64, step: f64) -> f64 {
    let terrain =
        Terrain::heightfield(grid(cell, CELLS, CELLS), &vec![0.0; CELLS * CELLS]).unwrap();
    let settings = PipeSettings { pipe_area, retained: 0.01, viscosity, ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|column| {
        let away = [column % CELLS, column / CELLS].map(|i| (i as f64 - 16.0) / 8.0);
        depth * (1.0 + 0.2 * (-away[0] * away[0] - away[1] * away[1]).exp())
    });
    for _ in 0..((8.0 / step) as usize).max(300) {
        pipes.step(step).unwrap();
    }
    let depths = pipes.columns().depth();
    let pairs = depths.windows(2).enumerate().filter(|(i, _)| (i + 1) % CELLS != 0);
    pairs.map(|(_, pair)| (pair[0] - pair[1]).abs()).fold(0.0, f64::max) / depth
}

#[test]
fn the_papers_area_is_stable_up_to_a_courant_number() {
    for cell in [0.002_f32, 0.0005] {
        let crossing = (f64::from(cell) / 9.81).sqrt();
        let below = unevenness(PipeArea::Square, 0.0, cell, 0.003, 0.68 * crossing);
        let above = unevenness(PipeArea::Square, 0.0, cell, 0.003, 0.75 * crossing);
        assert!(below < 1e-3, "cells of {cell} m: {below}");
        assert!(above > 1e-2, "cells of {cell} m: {above}");
    }
}

#[test]
fn the_physical_area_is_stable_at_any_step() {
    for depth in [0.0001, 0.003, 0.1] {
        for step in [0.0005, 0.003, 0.02, 0.1] {
            for viscosity in [0.0, 4e-6, 4e-4, 0.4] {
                let found = unevenness(PipeArea::Physical, viscosity, 0.0005, depth, step);
                // A viscous thin film creeps, at g H³ / 3ν: in eight seconds it may not cross the
                // hump of four millimetres, which is then still there.
                let reach = 8.0 * 9.81 * depth.powi(3) / (3.0 * f64::from(viscosity));
                let creeps = viscosity > 1e-5 && reach < 100.0 * 0.004_f64.powi(2);
                let most = if creeps { HUMP } else { 1e-2 };
                assert!(
                    found <= most,
                    "depth {depth} m, step {step} s, viscosity {viscosity} m²/s: {found}"
                );
            }
        }
    }
}
