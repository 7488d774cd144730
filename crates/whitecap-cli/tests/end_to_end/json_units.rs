//! Numbers for programs say their unit.

use serde_json::Value;

use crate::{block, run_json, write_sequence};

/// How keys end that say their unit; one for each quantity.
const UNITS: [&str; 11] = [
    "kilograms_per_cubic_metre",
    "frames_per_second",
    "seconds",
    "bytes",
    "square_metres",
    "cubic_metres",
    "metres",
    "metres_per_second",
    "percent",
    "joules",
    "pixels",
];

/// Counts, numbers of frames, shares, and what a file holds in units of its own.
const WITHOUT_UNIT: &str = "frame frames frame_count first last missing particles vertices triangles \
     components euler_characteristic open_edges non_manifold_edges non_manifold_vertices \
     self_intersections particles_inside_a_solid particles_outside_the_domain steps drops \
     shortest_steps columns wet_columns pictures rays tiles dense_tiles range error_of_the_volume \
     computed skipped total iterations_per_step missing_frames fps \
     steps_with_unsettled_pressure steps_with_unsettled_viscosity";

fn check(value: &Value, has_unit: bool, key: &str, command: &str) {
    match value {
        Value::Number(number) => {
            let known = WITHOUT_UNIT.split_whitespace().any(|word| word == key);
            assert!(has_unit || known, "{command}: `{key}` is {number}, in which unit?");
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, has_unit, key, command)),
        Value::Object(entries) => {
            for (name, value) in entries {
                let has_unit = has_unit || UNITS.iter().any(|unit| name.ends_with(unit));
                check(value, has_unit, name, command);
            }
        }
        _ => {}
    }
}

/// Contract: every number that a command answers is a count or has a key that ends in its unit.
#[test]
fn numbers_in_json_carry_their_units() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    for command in [
        "surface block.bgeo -o block.ply --json",
        "surface frame.####.bgeo -o m.####.ply --json",
        "info block.bgeo --json",
        "info frame.####.bgeo --json",
        "info block.ply --json",
        "check block.ply --self-intersections --json",
        "check m.####.ply --json",
        "convert block.ply block.vdb --cell 0.05 --json",
        "info block.vdb --json",
        "sph --fill-box=0,0,0,0.2,0.2,0.2 --spacing=0.05 --frames=2 -o w.##.bgeo --json",
        "pipes --terrain-slope=0.3,0 --area=0,0,0.06,0.04 --frames=2 -o d.##.ply --json",
        "render block.ply --width=16 --height=16 --samples=1 -o a.##.png --turntable=2 --json",
        "sheet a.01.png a.02.png -o s.png --json",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        check(&run_json(folder, &words), false, "", command);
    }
}
