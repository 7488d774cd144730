//! A ball, hollowed out by a smaller one and opened by a third: level-set operations.
//! `cargo run --release -p whitecap --example 0b_carve_a_level_set`

use whitecap::core::glam::Vec3;
use whitecap::core::{Lattice, SparseGrid, sparse_grid};
use whitecap::surface::{LevelSet, report};

const CELL: f32 = 0.02;

/// The signed distance to a ball, on the tiles around it.
fn ball(center: Vec3, radius: f32) -> LevelSet {
    let lattice = Lattice::at_origin(CELL);
    let reach = radius + 0.1;
    let low = sparse_grid::tile_of(lattice.locate(center - reach).0);
    let high = sparse_grid::tile_of(lattice.locate(center + reach).0);
    let mut tiles = Vec::new();
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                tiles.push((x, y, z).into());
            }
        }
    }
    let field = SparseGrid::filled(lattice, 1.0, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let node = lattice.position(tile * 8 + sparse_grid::local_node(offset));
            *value = node.distance(center) - radius;
        }
    });
    LevelSet::from_field(&field, 3.0 * CELL)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shell = ball(Vec3::ZERO, 0.5).difference(&ball(Vec3::ZERO, 0.4))?;
    let bowl = shell.difference(&ball(Vec3::Y * 0.6, 0.5))?.redistance();
    for (name, shape) in [("shell", &shell), ("bowl", &bowl)] {
        let report = report(&shape.mesh());
        println!(
            "{name}: {} components, volume {:.4} m³, closed: {}",
            report.components,
            report.volume,
            report.is_closed_manifold()
        );
    }
    Ok(())
}
