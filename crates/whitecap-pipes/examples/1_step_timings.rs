//! How long a step takes as a function of the number of columns, and a frame of a sixtieth of a
//! second.
//!
//! `cargo run --release -p whitecap-pipes --example 1_step_timings` prints one row per grid: cells, columns,
//! solver, steps per frame, nanoseconds per column and step, milliseconds per frame (median and slowest).
//! With an argument such as `"five layers"`, it prints only those rows.

use std::time::Instant;

use glam::Vec2;
use whitecap_pipes::{Grid, PipeError, PipeSettings, Pipes, Solver, Space, Terrain};

const CELL: f32 = 0.0005;
const FRAMES: usize = 60;

fn main() -> Result<(), PipeError> {
    println!(
        "{:>9} {:>8} {:<14} {:>5} {:>10} {:>8} {:>8}",
        "grid", "columns", "moved by", "steps", "ns/column", "median", "max ms"
    );
    for size in [50, 100, 200, 400, 800] {
        measure(&hills(size)?, "one layer", PipeSettings::default())?;
    }
    let general = PipeSettings { falling_drops: true, ..PipeSettings::default() };
    measure(&hills(200)?, "with drops", general)?;
    for size in [50, 100, 200] {
        measure(&floors(size, 5)?, "five layers", PipeSettings::default())?;
    }
    measure(&floors(100, 3)?, "three layers", PipeSettings::default())?;
    measure(&floors(100, 3)?, "flooded", PipeSettings::default())?;
    let water = PipeSettings { solver: Solver::ShallowWater, ..PipeSettings::default() };
    measure(&hills(200)?, "shallow water", water)
}

/// Frames of a terrain that is wet everywhere, the worst case.
fn measure(terrain: &Terrain, name: &str, settings: PipeSettings) -> Result<(), PipeError> {
    if std::env::args().nth(1).is_some_and(|wanted| wanted != name) {
        return Ok(());
    }
    let settings = PipeSettings { time_step: Some(0.003), viscosity: 4e-6, ..settings };
    let mut pipes = Pipes::new(terrain, settings)?;
    // Two centimetres fill every storey up to its ceiling.
    let depth = if name == "flooded" { 0.02 } else { 0.001 };
    pipes.fill(|column| depth * (1.0 + (column as f64 * 0.7).sin()));
    let mut steps = 0;
    for _ in 0..5 {
        steps = pipes.advance(1.0 / 60.0)?;
    }
    let mut times = Vec::new();
    for _ in 0..FRAMES {
        let start = Instant::now();
        pipes.advance(1.0 / 60.0)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let (median, slowest) = (times[FRAMES / 2], times[FRAMES - 1]);
    let columns = pipes.columns().len();
    let each = 1e9 * median / (steps * columns) as f64;
    let grid = terrain.grid();
    println!(
        "{:>4}×{:<4} {columns:>8} {name:<14} {steps:>5} {each:>10.2} {:>8.3} {:>8.3}",
        grid.width(),
        grid.length(),
        1e3 * median,
        1e3 * slowest
    );
    Ok(())
}

fn hill(x: usize, z: usize) -> f32 {
    CELL * ((x as f32 * 0.13).sin() + (z as f32 * 0.17).cos())
}

fn hills(size: usize) -> Result<Terrain, PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, size, size)?;
    Terrain::from_cells(grid, |x, z, spaces| spaces.push(Space::open(hill(x, z))))
}

/// Storeys above each other, each with a hole at a different place.
fn floors(size: usize, layers: usize) -> Result<Terrain, PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, size, size)?;
    Terrain::from_cells(grid, |x, z, spaces| {
        for layer in 0..layers {
            let floor = hill(x, z) + 0.01 * layer as f32;
            let hole = size * (layer + 1) / (layers + 2);
            let is_hole = layer > 0 && x.abs_diff(hole) < size / 20 && z.abs_diff(hole) < size / 20;
            if is_hole {
                spaces.pop();
                let below = spaces.last().map_or(hill(x, z), |space| space.ceiling + 0.001);
                spaces.push(Space::open(below));
            } else {
                if let Some(below) = spaces.last_mut() {
                    below.ceiling = floor - 0.001;
                }
                spaces.push(Space::open(floor));
            }
        }
    })
}
