//! The longest stable time step as a function of the number of cells in the same domain (Dagenais et al.
//! 2018, Fig. 16).
//!
//! `cargo run --release -p whitecap-pipes --example 3_stable_steps` prints one row per resolution: the
//! longest step in milliseconds for which a pool of ten centimetres, disturbed by a hump, calms down, for
//! both pipe areas and the shallow-water solver; and that step in cells crossed by a wave of the paper's
//! area, √(g Δx).

use glam::Vec2;
use whitecap_pipes::{Grid, PipeArea, PipeError, PipeSettings, Pipes, Solver, Terrain};

const DOMAIN: f32 = 0.1;
const DEPTH: f64 = 0.002;

fn main() -> Result<(), PipeError> {
    println!(
        "{:>6} {:>9} {:>10} {:>10} {:>10} {:>9}",
        "cells", "Δx mm", "square ms", "phys. ms", "SWE ms", "crossed"
    );
    for cells in [25, 50, 100, 200, 400] {
        let square = PipeSettings { pipe_area: PipeArea::Square, ..PipeSettings::default() };
        let physical = PipeSettings::default();
        let water = PipeSettings { solver: Solver::ShallowWater, ..PipeSettings::default() };
        let [square, physical, water] = [
            longest_step(cells, square)?,
            longest_step(cells, physical)?,
            longest_step(cells, water)?,
        ];
        let cell = f64::from(DOMAIN) / cells as f64;
        let crossed = square * (9.81 * cell).sqrt() / cell;
        let shown =
            |step: f64| if step >= 0.1 { "any".into() } else { format!("{:.2}", 1e3 * step) };
        println!(
            "{cells:>6} {:>9.2} {:>10} {:>10} {:>10} {crossed:>9.2}",
            1e3 * cell,
            shown(square),
            shown(physical),
            shown(water)
        );
    }
    Ok(())
}

/// By bisection.
fn longest_step(cells: usize, settings: PipeSettings) -> Result<f64, PipeError> {
    let (mut stable, mut unstable) = (1e-5, 0.1);
    if calms_down(cells, &settings, unstable)? {
        return Ok(unstable);
    }
    while unstable / stable > 1.02 {
        let middle = f64::sqrt(stable * unstable);
        if calms_down(cells, &settings, middle)? { stable = middle } else { unstable = middle }
    }
    Ok(stable)
}

/// Whether the unevenness of the surface is a thousandth of the depth after many steps.
fn calms_down(cells: usize, settings: &PipeSettings, step: f64) -> Result<bool, PipeError> {
    let grid = Grid::new(Vec2::ZERO, DOMAIN / cells as f32, cells, cells)?;
    let terrain = Terrain::heightfield(grid, &vec![0.0; cells * cells])?;
    // Strong friction: what does not calm down soon is caused by the step itself.
    let settings = PipeSettings { retained: 0.01, viscosity: 0.0, ..settings.clone() };
    let mut pipes = Pipes::new(&terrain, settings)?;
    pipes.fill(|column| {
        let (x, z) = (column % cells, column / cells);
        let away = [x, z].map(|i| (i as f64 + 0.5) / cells as f64 - 0.4);
        DEPTH * (1.0 + 0.2 * (-100.0 * (away[0] * away[0] + away[1] * away[1])).exp())
    });
    for _ in 0..((6.0 / step) as usize).clamp(200, 20_000) {
        pipes.step(step)?;
    }
    // Only differences between neighbours count: long waves may still slosh.
    let depth = pipes.columns().depth();
    let unevenness = depth
        .windows(2)
        .enumerate()
        .filter(|(index, _)| (index + 1) % cells != 0)
        .map(|(_, pair)| (pair[0] - pair[1]).abs());
    Ok(unevenness.fold(0.0, f64::max) < 0.01 * DEPTH)
}
