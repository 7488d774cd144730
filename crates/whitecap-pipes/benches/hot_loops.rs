//! A step of shallow liquid and its surface: `cargo bench -p whitecap-pipes`.

use divan::Bencher;
use glam::Vec2;
use whitecap_pipes::{
    Columns, Grid, Meniscus, MeniscusSettings, MinimumHeights, PipeSettings, Pipes, Space, Surface,
    SurfaceSettings, Terrain,
};

fn main() {
    divan::main();
}

const CELL: f32 = 5e-4;
const SIZE: usize = 200;

/// Hilly plates above each other, the top one under the open sky.
fn plates(layers: usize) -> Terrain {
    let grid = Grid::new(Vec2::ZERO, CELL, SIZE, SIZE).unwrap();
    Terrain::from_cells(grid, |x, z, spaces| {
        for layer in 0..layers {
            let hill = (0.13 * x as f32 + layer as f32).sin() + (0.17 * z as f32).cos();
            let floor = CELL * (16.0 * layer as f32 + 2.0 * hill);
            let ceiling = if layer + 1 < layers { floor + 8.0 * CELL } else { f32::INFINITY };
            spaces.push(Space { floor, ceiling });
        }
    })
    .unwrap()
}

fn wavy(column: usize) -> f64 {
    1e-3 * (1.0 + (0.7 * column as f64).sin())
}

/// 40 000 cells of one layer, and of three, all wet.
#[divan::bench(args = [1, 3], max_time = 2)]
fn step(bencher: Bencher, layers: usize) {
    let settings = PipeSettings { viscosity: 4e-6, ..PipeSettings::default() };
    let mut pipes = Pipes::new(&plates(layers), settings).unwrap();
    pipes.fill(wavy);
    bencher.bench_local(|| pipes.step(0.003).unwrap());
}

/// Triangles of the same liquid, and the meniscus at its edges.
#[divan::bench(args = [1, 3], max_time = 2)]
fn surface_and_meniscus(bencher: Bencher, layers: usize) {
    let mut columns = Columns::new(&plates(layers));
    columns.fill(|column| wavy(column) - 5e-4);
    let (mut surface, mut meniscus) = (Surface::new(), Meniscus::new());
    bencher.bench_local(|| {
        surface.update(&columns, &MinimumHeights::none(), &SurfaceSettings::default()).unwrap();
        meniscus.apply(&columns, &mut surface, &MeniscusSettings::default(), None).unwrap();
    });
}
