//! Contracts: two basins joined by a flooded passage of any shape come to the same level, to a tenth of a
//! millimetre, with the unified pipe; without extended pipes they do not. Axis-aligned pipes level basins
//! that see each other along x or z, and leave apart those that a passage joins around a corner (Dagenais et
//! al. 2018, §7 and Fig. 23).

mod liquid_scenes;

use liquid_scenes::drawn;
use whitecap_pipes::{Passages, PipeArea, PipeSettings, Pipes, Solver};

const STRAIGHT: &[&str] = &[
    "....######....",
    "....######....",
    "....======....",
    "....======....",
    "....######....",
    "....######....",
];

const CORNER: &[&str] = &[
    "....##########",
    "....##########",
    "....=======###",
    "....=======###",
    "....#####==###",
    "#########==###",
    "########......",
    "########......",
    "########......",
];

const TEE: &[&str] = &[
    "....#######....",
    "....#######....",
    "....=======....",
    "....=======....",
    "....##==###....",
    "######==#######",
    "#####.....#####",
    "#####.....#####",
    "#####.....#####",
];

const CROSS: &[&str] = &[
    "######....######",
    "######....######",
    "#######==#######",
    "#######==#######",
    "...####==####...",
    "...==========...",
    "...==========...",
    "...####==####...",
    "#######==#######",
    "######....######",
    "######....######",
];

/// Pours into the basin at the top left until the passage is well submerged, with the others half
/// as deep, waits, and returns the largest difference of level between open columns.
fn unevenness(picture: &[&str], settings: PipeSettings) -> f64 {
    let terrain = drawn(0.001, picture, 0.003, 0.05);
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    let columns = pipes.columns().clone();
    let first = picture.iter().position(|row| row.contains('.')).unwrap();
    let start = picture[first].find('.').unwrap();
    pipes.fill(|column| {
        let (x, z) = columns.position_of(column);
        let is_first = x < start + 4 && z < first + 5 && columns.ceiling()[column].is_infinite();
        if columns.floor()[column] > 0.01 {
            0.0
        } else if is_first {
            0.02
        } else {
            0.005
        }
    });
    for _ in 0..20_000 {
        pipes.step(0.002).unwrap();
    }
    assert!(pipes.report().relative_error.abs() < 1e-9);
    let columns = pipes.columns();
    let open = (0..columns.len()).filter(|&column| {
        columns.ceiling()[column].is_infinite() && columns.floor()[column] < 0.01
    });
    let (low, high) = open.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), column| {
        let height = columns.height(column);
        (low.min(height), high.max(height))
    });
    assert!(low > 0.0035, "the passage fell dry: {low}");
    high - low
}

fn settings(passages: Passages) -> PipeSettings {
    PipeSettings { passages, retained: 0.1, ..PipeSettings::default() }
}

#[test]
fn the_unified_pipe_levels_any_passage() {
    for (name, picture) in [("straight", STRAIGHT), ("L", CORNER), ("T", TEE), ("cross", CROSS)] {
        for pipe_area in [PipeArea::Physical, PipeArea::Square] {
            for solver in [Solver::Pipes, Solver::ShallowWater] {
                let settings = PipeSettings { pipe_area, solver, ..settings(Passages::Unified) };
                let found = unevenness(picture, settings);
                println!("{name}, {pipe_area:?}, {solver:?}: {:.5} mm", 1e3 * found);
                assert!(found < 1e-4, "{name}, {pipe_area:?}, {solver:?}: {found} m");
            }
        }
    }
}

#[test]
fn without_extended_pipes_nothing_levels() {
    for (name, picture) in [("straight", STRAIGHT), ("L", CORNER), ("T", TEE), ("cross", CROSS)] {
        let found = unevenness(picture, settings(Passages::Off));
        println!("{name}, off: {:.3} mm", 1e3 * found);
        assert!(found > 3e-3, "{name}: {found} m");
    }
}

#[test]
fn axis_aligned_pipes_level_only_what_faces_each_other() {
    let straight = unevenness(STRAIGHT, settings(Passages::AxisAligned));
    println!("straight, axis-aligned: {:.5} mm", 1e3 * straight);
    assert!(straight < 1e-4, "straight: {straight} m");
    for (name, picture) in [("L", CORNER), ("T", TEE), ("cross", CROSS)] {
        let found = unevenness(picture, settings(Passages::AxisAligned));
        println!("{name}, axis-aligned: {:.3} mm", 1e3 * found);
        assert!(found > 1e-3, "{name}: {found} m");
    }
}
