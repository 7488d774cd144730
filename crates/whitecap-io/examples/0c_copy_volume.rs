//! Reads an OpenVDB file, says what is in it, and writes a copy:
//! `cargo run --example 0c_copy_volume -- in.vdb [out.vdb]`

use std::path::Path;

use whitecap_core::GridValues;
use whitecap_io::vdb;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let source = paths.first().ok_or("usage: 0c_copy_volume in.vdb [out.vdb]")?;
    let (volume, skipped) = vdb::read_all(Path::new(source))?;
    for grid in &volume.grids {
        let (kind, tiles, lattice) = match &grid.values {
            GridValues::Scalar(values) => ("scalar", values.tile_count(), values.lattice()),
            GridValues::Vector(values) => ("vector", values.tile_count(), values.lattice()),
        };
        println!(
            "`{}`: {kind}, {:?}, {tiles} tiles, cell {} m, origin {}",
            grid.name, grid.class, lattice.cell, lattice.origin
        );
    }
    for grid in skipped {
        println!("`{}`: skipped, because it is a {}", grid.name, grid.kind);
    }
    if let Some(target) = paths.get(1) {
        vdb::write(Path::new(target), &volume)?;
    }
    Ok(())
}
