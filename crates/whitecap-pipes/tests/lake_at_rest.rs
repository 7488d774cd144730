//! Contract: a lake over any terrain stays at rest: no liquid moves faster than a micrometre per
//! second, for either solver.

mod liquid_scenes;

use liquid_scenes::{hills, random_layers};
use whitecap_pipes::{Passages, PipeSettings, Pipes, Solver, Terrain};

fn fastest(terrain: &Terrain, settings: PipeSettings, level: f64) -> f64 {
    let mut pipes = Pipes::new(terrain, settings).unwrap();
    let columns = pipes.columns().clone();
    pipes.fill(|column| level - f64::from(columns.floor()[column]));
    let mut fastest: f64 = 0.0;
    let mut velocities = Vec::new();
    for _ in 0..3000 {
        pipes.step(0.003).unwrap();
        pipes.velocities(&mut velocities);
        let found = velocities.iter().map(|velocity| f64::from(velocity.length()));
        fastest = found.fold(fastest, f64::max);
    }
    assert!(pipes.volume() > 0.0);
    fastest
}

#[test]
fn a_lake_stays_at_rest() {
    let terrains =
        [hills(0.0005, 24, 20, 1), hills(0.01, 24, 20, 2), random_layers(0.0005, 20, 20, 3)];
    for (index, terrain) in terrains.iter().enumerate() {
        for solver in [Solver::Pipes, Solver::ShallowWater] {
            for passages in [Passages::Unified, Passages::AxisAligned] {
                let settings = PipeSettings {
                    solver,
                    passages,
                    retained: 1.0,
                    viscosity: 0.0,
                    ..PipeSettings::default()
                };
                let found = fastest(terrain, settings, 0.0007);
                println!("terrain {index}, {solver:?}, {passages:?}: {found:.1e} m/s");
                assert!(found < 1e-6, "terrain {index}, {solver:?}, {passages:?}: {found:e}");
            }
        }
    }
}
