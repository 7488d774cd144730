//! Iterations and time of the pressure: a half-full tank with a wavy surface and a ball in it, N³ cells, by multigrid
//! and by plain Jacobi-preconditioned conjugate gradients.
//!
//! `cargo run --release -p whitecap-bulk --example 6_pressure_table -- 32 64 128 256` (cells along an edge)

use std::time::Instant;

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::mac::pressure::{PressureInput, project};
use whitecap_bulk::mac::solids::{Obstacles, SolidFaces};
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::{Preconditioner, SolveSettings};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, local_node};

/// A tank of one metre with a ball in the middle of its floor.
struct Tank;

impl Obstacles for Tank {
    fn distance(&self, position: Vec3) -> f32 {
        let ball = position.distance(Vec3::new(0.5, 0.2, 0.5)) - 0.15;
        ball.min(position.min_element()).min((1.0 - position).min_element())
    }

    fn velocity(&self, _position: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sizes: Result<Vec<i32>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let sizes = Some(sizes?).filter(|sizes| !sizes.is_empty()).unwrap_or(vec![32, 64, 128]);
    println!("| cells | wet cells | solver | iterations | time / s | time per wet cell / ns |");
    println!("|---|---|---|---|---|---|");
    for cells in sizes {
        for preconditioner in [Preconditioner::Multigrid, Preconditioner::Jacobi] {
            solve(cells, preconditioner)?;
        }
    }
    Ok(())
}

/// One line of the table: water that starts to fall, as in the first step of a simulation.
fn solve(cells: i32, preconditioner: Preconditioner) -> Result<(), whitecap_core::Error> {
    let lattice = MacLattice::at_origin(1.0 / cells as f32);
    let edge = (cells + 7) / 8;
    let tiles: Vec<IVec3> =
        (0..edge.pow(3)).map(|t| IVec3::new(t % edge, t / edge % edge, t / edge / edge)).collect();
    let solids = SolidFaces::new(lattice, &tiles, &Tank);
    let centers = lattice.centers();
    let liquid = SparseGrid::filled(centers, 1.0, tiles.clone(), |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let Vec3 { x, y, z } = centers.position(tile * 8 + local_node(offset));
            *value = y - 0.5 - 0.05 * (9.0 * x).sin() * (7.0 * z).cos();
        }
    });
    let fall = Vec3::new(0.0, -9.81 / 24.0, 0.0);
    let mut velocity =
        SparseGrid::filled(lattice.corners, fall, tiles, |_, values| values.fill(fall));
    let input = PressureInput { liquid: &liquid, solids: &solids, divergence: None, surface: None };
    let settings = SolveSettings { tolerance: 1e-5, max_iterations: 10_000, preconditioner };
    let start = Instant::now();
    let projection = project(&mut velocity, &input, None, &settings, &whitecap_core::Unwatched)?;
    let seconds = start.elapsed().as_secs_f64();
    let wet = |tile: usize| {
        (0..TILE_NODES).filter(|&offset| liquid.tiles()[tile].at(offset) < 0.0).count()
    };
    let wet: usize = (0..liquid.tile_count()).map(wet).sum();
    println!(
        "| {cells}³ | {wet} | {preconditioner:?} | {} | {seconds:.3} | {:.0} |",
        projection.iterations,
        1e9 * seconds / wet as f64
    );
    Ok(())
}
