//! Contract: on moving random terrains, with sources, drains, brush and carving, no depth is ever negative,
//! infinite or NaN, none reaches above its ceiling, nothing panics, and the volume is accounted for. A
//! hundred terrains; the environment variable WHITECAP_PIPES_TERRAINS asks for more.

mod liquid_scenes;

use glam::Vec3;
use liquid_scenes::{Numbers, hills, random_layers, random_spaces};
use whitecap_pipes::{
    Brush, Edges, Passages, PipeArea, PipeSettings, Pipes, Solver, Source, Space, Terrain,
};

const CELL: f32 = 0.001;

fn random_source(numbers: &mut Numbers) -> Source {
    let brush = random_brush(numbers);
    let rate = 10f64.powf(numbers.between(-10.0, -5.0));
    Source { position: brush.position.to_array(), radius: brush.radius, rate }
}

fn random_brush(numbers: &mut Numbers) -> Brush {
    let mut place = |reach: f64| numbers.between(-0.2 * reach, 1.2 * reach) as f32;
    let position = Vec3::new(place(0.02), place(0.01), place(0.02));
    Brush { position, radius: numbers.between(0.0, 0.006) as f32 }
}

fn random_settings(numbers: &mut Numbers) -> PipeSettings {
    let solvers = [Solver::Pipes, Solver::Pipes, Solver::ShallowWater];
    let passages = [Passages::Unified, Passages::AxisAligned, Passages::Off];
    PipeSettings {
        solver: solvers[numbers.below(3)],
        viscosity: [0.0, 1e-6, 1e-3, 0.4, 1e3][numbers.below(5)],
        retained: [0.0, 0.5, 1.0][numbers.below(3)],
        gravity: [9.81, 0.0, 1000.0][numbers.below(3)],
        pipe_area: [PipeArea::Physical, PipeArea::Square][numbers.below(2)],
        passages: passages[numbers.below(3)],
        edges: [Edges::Walls, Edges::Open][numbers.below(2)],
        falling_drops: numbers.next() < 0.3,
        fall_height: Some(numbers.between(0.0, 0.005) as f32),
        most_drops: [1, 10, 10_000][numbers.below(3)],
        sources: (0..numbers.below(3)).map(|_| random_source(numbers)).collect(),
        drains: (0..numbers.below(3)).map(|_| random_source(numbers)).collect(),
        ..PipeSettings::default()
    }
}

fn random_terrain(numbers: &mut Numbers, seed: u64) -> Terrain {
    let (width, length) = (1 + numbers.below(20), 1 + numbers.below(20));
    if numbers.next() < 0.3 {
        hills(CELL, width, length, seed)
    } else {
        random_layers(CELL, width, length, seed)
    }
}

/// Something happens to the terrain, the liquid or the settings.
fn disturb(pipes: &mut Pipes, numbers: &mut Numbers) {
    let brush = random_brush(numbers);
    match numbers.below(7) {
        0 => drop(pipes.pour(brush, 10f64.powf(numbers.between(-9.0, -6.0))).unwrap()),
        1 => drop(pipes.wipe(brush, 10f64.powf(numbers.between(-9.0, -5.0))).unwrap()),
        2 => pipes.carve(brush, numbers.between(-0.004, 0.004) as f32).unwrap(),
        3 => pipes.set_settings(random_settings(numbers)).unwrap(),
        4 => replace_patch(pipes, numbers),
        _ => shift_patch(pipes, numbers),
    }
}

fn random_patch(
    pipes: &Pipes,
    numbers: &mut Numbers,
) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let grid = pipes.columns().grid();
    let mut range = |count: usize| {
        let start = numbers.below(count);
        start..start + 1 + numbers.below(count - start)
    };
    (range(grid.width()), range(grid.length()))
}

/// Entirely different spaces.
fn replace_patch(pipes: &mut Pipes, numbers: &mut Numbers) {
    let (xs, zs) = random_patch(pipes, numbers);
    pipes.set_terrain(xs, zs, |_, _, spaces| random_spaces(numbers, CELL, spaces)).unwrap();
}

/// The same spaces, moved a little, as soft tissue would.
fn shift_patch(pipes: &mut Pipes, numbers: &mut Numbers) {
    let (xs, zs) = random_patch(pipes, numbers);
    let shift = numbers.between(-0.0005, 0.0005) as f32;
    let columns = pipes.columns().clone();
    let moved = |x, z, spaces: &mut Vec<Space>| {
        spaces.extend(columns.of_cell(x, z).map(|column| Space {
            floor: columns.floor()[column] + shift,
            ceiling: columns.ceiling()[column] + shift,
        }));
    };
    pipes.set_terrain(xs, zs, moved).unwrap();
}

fn check(pipes: &Pipes, seed: u64) {
    let columns = pipes.columns();
    for (column, &depth) in columns.depth().iter().enumerate() {
        assert!(depth.is_finite() && depth >= 0.0, "terrain {seed}: depth {depth}");
        let most = columns.capacity(column) * (1.0 + 1e-9) + 1e-12;
        assert!(depth <= most, "terrain {seed}: depth {depth} in a space of {most}");
    }
    pipes.fluxes(|pipe| assert!(pipe.flux.is_finite(), "terrain {seed}: {pipe:?}"));
    let report = pipes.report();
    assert!(report.relative_error.abs() < 1e-6, "terrain {seed}: {report:?}");
}

#[test]
fn random_terrains_do_no_harm() {
    let count = std::env::var("WHITECAP_PIPES_TERRAINS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(100u64);
    let mut wet = 0;
    for seed in 0..count {
        let mut numbers = Numbers::new(seed.wrapping_mul(977) + 1);
        let terrain = random_terrain(&mut numbers, seed);
        let mut pipes = Pipes::new(&terrain, random_settings(&mut numbers)).unwrap();
        let depths: Vec<f64> =
            (0..pipes.columns().len()).map(|_| numbers.between(-0.005, 0.01)).collect();
        pipes.fill(|column| depths[column]);
        for step in 0..300 {
            if step % 10 == 9 {
                disturb(&mut pipes, &mut numbers);
                check(&pipes, seed);
            }
            pipes.step([0.003, 1e-5, 0.1][numbers.below(3)]).unwrap();
            check(&pipes, seed);
        }
        wet += usize::from(pipes.volume() > 0.0);
    }
    assert!(wet as u64 > count / 2, "only {wet} terrains were still wet");
}
