//! Times the surface and the meniscus on 200 × 200 cells of one and of five layers, with as many threads
//! as there are cores: best and median of 200 frames, in milliseconds.
//!
//! `cargo run --release -p whitecap-pipes --example 2_surface_timings`

use std::time::Instant;

use glam::Vec2;
use whitecap_pipes::{
    Columns, Grid, Meniscus, MeniscusSettings, MinimumHeights, PipeError, Space, Surface,
    SurfaceSettings, Terrain,
};

const CELLS: usize = 200;
const CELL: f32 = 5e-4;

fn main() -> Result<(), PipeError> {
    println!(
        "| terrain | columns | triangles | surface, best | median | meniscus, best | median |"
    );
    println!("|---|---|---|---|---|---|---|");
    time("one layer, a lake with an island", lake_with_island()?)?;
    time("one layer, lakes and hills", lakes(0.3)?)?;
    time("one layer, all wet", lakes(100.0)?)?;
    time("five layers, all flowing", layers(1.0)?)?;
    time("five layers, puddles", layers(0.25)?)?;
    Ok(())
}

fn shape(x: usize, z: usize, phase: f32) -> f32 {
    let (x, z) = (x as f32 * 0.05, z as f32 * 0.05);
    (x + phase).sin() + (1.3 * z + 2.0 * phase).cos() + 0.3 * (2.9 * x - 1.7 * z + phase).sin()
}

/// A bowl with a hill in its middle.
fn lake_with_island() -> Result<Columns, PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, CELLS, CELLS)?;
    let floor = |cell: usize| {
        let place = Vec2::new((cell % CELLS) as f32, (cell / CELLS) as f32);
        let radius = place.distance(Vec2::splat(100.0));
        CELL * (0.1 * (radius - 80.0)).max(0.2 * (20.0 - radius))
    };
    let floors: Vec<f32> = (0..grid.cells()).map(floor).collect();
    let mut columns = Columns::new(&Terrain::heightfield(grid, &floors)?);
    columns.fill(|column| -f64::from(floors[column]));
    Ok(columns)
}

/// Hills with liquid up to a level.
fn lakes(level: f32) -> Result<Columns, PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, CELLS, CELLS)?;
    let floors: Vec<f32> =
        (0..grid.cells()).map(|cell| 6.0 * CELL * shape(cell % CELLS, cell / CELLS, 0.0)).collect();
    let mut columns = Columns::new(&Terrain::heightfield(grid, &floors)?);
    columns.fill(|column| f64::from(6.0 * level * CELL - floors[column]));
    Ok(columns)
}

/// Five plates above each other with liquid on part of each.
fn layers(share: f32) -> Result<Columns, PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, CELLS, CELLS)?;
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        for layer in 0..5 {
            let floor = 16.0 * layer as f32 + 2.0 * shape(x, z, layer as f32);
            let ceiling = if layer < 4 { CELL * (floor + 8.0) } else { f32::INFINITY };
            spaces.push(Space { floor: CELL * floor, ceiling });
        }
    })?;
    let mut columns = Columns::new(&terrain);
    let cells = columns.cell().to_vec();
    columns.fill(|column| {
        let (x, z) = (cells[column] as usize % CELLS, cells[column] as usize / CELLS);
        let wave = 0.5 + 0.2 * shape(x, z, column as f32 % 5.0 * 2.0 + 1.0);
        if wave < share { 1e-3 } else { 0.0 }
    });
    Ok(columns)
}

fn time(name: &str, columns: Columns) -> Result<(), PipeError> {
    let (mut surface, mut meniscus) = (Surface::new(), Meniscus::new());
    let (mut surface_times, mut meniscus_times) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let start = Instant::now();
        surface.update(&columns, &MinimumHeights::none(), &SurfaceSettings::default())?;
        surface_times.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        meniscus.apply(&columns, &mut surface, &MeniscusSettings::default(), None)?;
        meniscus_times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let summary = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        format!("{:.3} | {:.3}", times[0], times[times.len() / 2])
    };
    let (surface_times, meniscus_times) = (summary(surface_times), summary(meniscus_times));
    println!(
        "| {name} | {} | {} | {surface_times} | {meniscus_times} |",
        columns.len(),
        surface.triangles().len()
    );
    Ok(())
}
