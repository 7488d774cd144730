//! Contracts: when the terrain changes under the liquid, the liquid stays and keeps its volume; what has
//! no room moves to the nearest place that has; untouched columns are not touched; patches that do not
//! fit are refused.

mod liquid_scenes;

use glam::Vec3;
use liquid_scenes::{drawn, grid, hills};
use whitecap_pipes::{Brush, PipeError, PipeSettings, Pipes, Space, Terrain};

fn flat(width: usize, length: usize) -> Terrain {
    Terrain::heightfield(grid(0.001, width, length), &vec![0.0; width * length]).unwrap()
}

fn pool(terrain: &Terrain, depth: f64) -> Pipes {
    let mut pipes = Pipes::new(terrain, PipeSettings::default()).unwrap();
    pipes.fill(|_| depth);
    pipes
}

/// Contract: ground that rises lifts its liquid, which then flows away; depths elsewhere keep their
/// bits until the next step.
#[test]
fn rising_ground_lifts_its_liquid() {
    let mut pipes = pool(&hills(0.001, 20, 20, 3), 0.004);
    for _ in 0..10 {
        pipes.step(0.003).unwrap();
    }
    let before = pipes.columns().clone();
    pipes.set_terrain(5..8, 6..9, |_, _, spaces| spaces.push(Space::open(0.02))).unwrap();
    assert_eq!(pipes.columns().depth(), before.depth());
    for column in 0..before.len() {
        let (x, z) = before.position_of(column);
        let inside = (5..8).contains(&x) && (6..9).contains(&z);
        let expected = if inside { 0.02 } else { before.floor()[column] };
        assert_eq!(pipes.columns().floor()[column], expected);
    }
    for _ in 0..3000 {
        pipes.step(0.003).unwrap();
    }
    assert!(pipes.columns().depth()[6 * 20 + 6] < 1e-4);
    assert!(pipes.report().relative_error.abs() < 1e-9);
}

/// Contract: a roof that is put over liquid, and a solid block, squeeze it out to where there is room;
/// taking them away again leaves all of it.
#[test]
fn roofs_and_blocks_squeeze_liquid_out() {
    let mut pipes = pool(&flat(12, 10), 0.005);
    let volume = pipes.volume();
    pipes
        .set_terrain(2..6, 2..6, |_, _, spaces| {
            spaces.extend([Space { floor: 0.0, ceiling: 0.002 }, Space::open(0.003)]);
        })
        .unwrap();
    assert!((pipes.volume() - volume).abs() < 1e-12 * volume);
    let columns = pipes.columns();
    let under = columns.of_cell(3, 3).start;
    assert!((columns.depth()[under] - 0.002).abs() < 1e-9, "{}", columns.depth()[under]);
    assert!((columns.depth()[under + 1] - 0.003).abs() < 1e-9);

    pipes.set_terrain(8..11, 1..4, |_, _, _| {}).unwrap();
    assert_eq!(pipes.columns().of_cell(9, 2).len(), 0);
    assert!((pipes.volume() - volume).abs() < 1e-12 * volume);
    for _ in 0..100 {
        pipes.step(0.003).unwrap();
    }
    let open = |_, _, spaces: &mut Vec<Space>| spaces.push(Space::open(0.0));
    pipes.set_terrain(0..12, 0..10, open).unwrap();
    assert!((pipes.volume() - volume).abs() < 1e-12 * volume);
    assert!(pipes.columns().is_heightfield());
}

/// Contract: when everything is solid, the liquid is lost and counted as drained.
#[test]
fn liquid_without_any_room_is_counted() {
    let mut pipes = pool(&flat(4, 4), 0.005);
    let volume = pipes.volume();
    pipes.set_terrain(0..4, 0..4, |_, _, _| {}).unwrap();
    assert_eq!(pipes.volume(), 0.0);
    assert!((pipes.report().drained - volume).abs() < 1e-12 * volume);
    pipes.step(0.003).unwrap();
}

/// Contract: a change that leaves all connections as they are keeps the flow; a gateway that closes
/// stops it.
#[test]
fn flow_goes_on_through_a_change() {
    let mut pipes = pool(&flat(30, 1), 0.001);
    pipes.pour(Brush { position: Vec3::new(0.0005, 0.0, 0.0005), radius: 0.004 }, 2e-8).unwrap();
    for _ in 0..10 {
        pipes.step(0.002).unwrap();
    }
    let fluxes = |pipes: &Pipes| {
        let mut fluxes = Vec::new();
        pipes.fluxes(|pipe| fluxes.push(pipe.flux));
        fluxes
    };
    let before = fluxes(&pipes);
    assert!(before.iter().any(|flux| flux.abs() > 1e-9));
    pipes.set_terrain(20..25, 0..1, |_, _, spaces| spaces.push(Space::open(-0.0001))).unwrap();
    assert_eq!(fluxes(&pipes), before);
    // With a roof at the far end the columns are renumbered, and the rest keeps flowing.
    let roof = |_, _, spaces: &mut Vec<Space>| {
        spaces.extend([Space { floor: -0.0001, ceiling: 0.01 }, Space::open(0.02)]);
    };
    pipes.set_terrain(24..25, 0..1, roof).unwrap();
    let (after, kept) = (fluxes(&pipes), &before[..22]);
    assert_eq!(&after[..22], kept);
}

/// Contract: carving lowers the ground under the brush, most at its centre, keeps the liquid, and
/// stops at what lies below; raising it stops at the ceiling.
#[test]
fn carving_moves_the_ground_and_keeps_the_liquid() {
    let mut pipes = pool(&flat(21, 21), 0.002);
    let volume = pipes.volume();
    let brush = Brush { position: Vec3::new(0.0105, 0.0, 0.0105), radius: 0.005 };
    pipes.carve(brush, 0.003).unwrap();
    let floor = |pipes: &Pipes, x: usize| pipes.columns().floor()[10 * 21 + x];
    assert!((floor(&pipes, 10) + 0.003).abs() < 1e-6);
    assert!(floor(&pipes, 12) > floor(&pipes, 11) && floor(&pipes, 12) < 0.0);
    assert_eq!(floor(&pipes, 16), 0.0);
    assert!((pipes.volume() - volume).abs() < 1e-12 * volume);

    let mut pipes = pool(&drawn(0.001, &["==", "=="], 0.003, 0.004), 0.002);
    let volume = pipes.volume();
    let position = Vec3::new(0.001, 0.001, 0.001);
    pipes.carve(Brush { position, radius: 0.004 }, -1.0).unwrap();
    pipes.carve(Brush { position: position.with_y(0.1), radius: 0.004 }, 1.0).unwrap();
    let columns = pipes.columns();
    for column in 0..columns.len() {
        assert!(columns.floor()[column] < columns.ceiling()[column]);
        assert!(columns.floor()[column] > columns.lowest()[column]);
    }
    assert!((pipes.volume() - volume).abs() < 1e-12 * volume);
}

/// Contract: patches beyond the grid and impossible spaces are refused, and nothing changes.
#[test]
fn impossible_changes_are_refused() {
    let mut pipes = pool(&flat(6, 5), 0.002);
    let before = pipes.columns().clone();
    let found = pipes.set_terrain(4..7, 0..1, |_, _, _| {}).unwrap_err();
    assert!(matches!(found, PipeError::Patch { width: 3, .. }), "{found}");
    let bad = |_, _, spaces: &mut Vec<Space>| spaces.push(Space::open(f32::NAN));
    assert!(pipes.set_terrain(0..2, 0..2, bad).is_err());
    let nowhere = Brush { position: Vec3::NAN, radius: 1.0 };
    assert!(pipes.carve(nowhere, 0.1).is_err());
    let brush = Brush { position: Vec3::ZERO, radius: 1.0 };
    assert!(pipes.carve(brush, f32::INFINITY).is_err());
    assert_eq!(pipes.columns(), &before);
}

/// Contract: carving that opens a way between two layers lets liquid through, and ground raised to the
/// ceiling of its neighbour closes it.
#[test]
fn carving_opens_and_closes_ways() {
    // A basin beside a closed chamber whose ceiling lies below the basin's floor.
    let cells = [vec![Space::open(0.005)], vec![Space { floor: 0.0, ceiling: 0.004 }]];
    let terrain = Terrain::layers(grid(0.001, 2, 1), &cells).unwrap();
    let mut pipes = Pipes::new(&terrain, PipeSettings::default()).unwrap();
    pipes.fill(|column| if column == 0 { 0.001 } else { 0.0 });
    pipes.advance(1.0).unwrap();
    assert_eq!(pipes.columns().depth()[1], 0.0);
    let brush = Brush { position: Vec3::new(0.0005, 0.01, 0.0005), radius: 0.0 };
    pipes.carve(brush, 0.003).unwrap();
    pipes.advance(1.0).unwrap();
    let through = pipes.columns().depth()[1];
    assert!(through > 1e-4, "{through}");
    pipes.carve(brush, -0.004).unwrap();
    pipes.pour(brush, 1e-9).unwrap();
    pipes.advance(1.0).unwrap();
    assert_eq!(pipes.columns().depth()[1], through);
}

/// Contract: replacing the whole terrain does what patching its changed cells does, to the bit, with and
/// without new layers; the same terrain changes nothing; a terrain on another grid is refused.
#[test]
fn a_whole_terrain_can_be_replaced() {
    let before = hills(0.001, 20, 18, 3);
    let raised = |roof: bool| {
        Terrain::from_cells(*before.grid(), |x, z, spaces| {
            spaces.extend_from_slice(before.cell(x, z));
            if (4..9).contains(&x) && (7..11).contains(&z) {
                spaces[0].floor += 0.002;
                if roof {
                    spaces[0].ceiling = spaces[0].floor + 0.003;
                    spaces.push(Space::open(spaces[0].ceiling + 0.001));
                }
            }
        })
        .unwrap()
    };
    for roof in [false, true] {
        let (mut patched, mut replaced) = (pool(&before, 0.004), pool(&before, 0.004));
        let after = raised(roof);
        patched
            .set_terrain(4..9, 7..11, |x, z, spaces| spaces.extend_from_slice(after.cell(x, z)))
            .unwrap();
        replaced.replace_terrain(&before).unwrap();
        replaced.replace_terrain(&after).unwrap();
        patched.step(0.003).unwrap();
        replaced.step(0.003).unwrap();
        assert!(patched.save() == replaced.save(), "roof: {roof}");
        let error = replaced.replace_terrain(&flat(20, 17)).unwrap_err();
        assert!(matches!(error, PipeError::OtherGrid { length: 17, grid_length: 18, .. }));
        assert!(error.to_string().contains("one grid"));
    }
}
