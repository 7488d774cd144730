//! Volume that level sets lose, with particles and without: Zalesak's disc and Enright's test, as a table.
//!
//! `cargo run --release -p whitecap-bulk --example 4_level_set_tests -- 64 100` for Enright's test with 64³ and
//! 100³ cells.

#[path = "../tests/level_set_scenes/mod.rs"]
mod level_set_scenes;

use std::time::Instant;

use level_set_scenes::{Enright, Zalesak, without_particles};
use whitecap_bulk::particle_level_set::LevelSetSettings;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let resolutions: Result<Vec<i32>, _> = std::env::args().skip(1).map(|n| n.parse()).collect();
    let usual = LevelSetSettings::default();
    let never = LevelSetSettings { reseed_every: 0, ..usual.clone() };
    let few = LevelSetSettings { particles_per_cell: 16, ..usual.clone() };
    let kinds = [
        ("no particles", without_particles()),
        ("16 a cell", few),
        ("64 a cell, never reseeded", never),
        ("64 a cell", usual),
    ];
    println!("| test | particles | halfway | at the end | time |\n|---|---|---|---|---|");
    for (name, settings) in &kinds {
        let start = Instant::now();
        let mut disc = Zalesak::new(settings.clone());
        disc.turn(0.5);
        let halfway = 100.0 * disc.change();
        disc.turn(0.5);
        let (end, seconds) = (100.0 * disc.change(), start.elapsed().as_secs_f64());
        println!(
            "| Zalesak's disc, 100² | {name} | {halfway:+.2} % | {end:+.2} % | {seconds:.0} s |"
        );
    }
    for cells in resolutions? {
        for (name, settings) in &kinds {
            let start = Instant::now();
            let mut ball = Enright::new(cells, settings.clone());
            ball.stretch();
            let halfway = 100.0 * ball.change();
            ball.return_home();
            let (end, seconds) = (100.0 * ball.change(), start.elapsed().as_secs_f64());
            println!(
                "| Enright's, {cells}³ | {name} | {halfway:+.2} % | {end:+.2} % | {seconds:.0} s |"
            );
        }
    }
    Ok(())
}
