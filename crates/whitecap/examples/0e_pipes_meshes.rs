//! Models the terrains of the example shots of shallow liquid and writes them to `shots/meshes/`.
//!
//! ```sh
//! cargo run --release -p whitecap --example 0e_pipes_meshes
//! ```
//!
//! The vertebra is a signed distance, joined by smooth minima; the wound around it is a sheet over
//! a square. The dish is a surface of revolution. Platforms, passages and the incline are built
//! from blocks.

mod shapes;

use std::f32::consts::TAU;
use std::path::Path;

use whitecap::core::glam::{Vec2, Vec3};
use whitecap::core::{Bounds, TriMesh};

use shapes::{capsule, joined, mesh, rounded_box};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shots/meshes");
    std::fs::create_dir_all(&folder)?;
    let bone = Bounds::new(Vec3::new(-0.046, 0.0, -0.034), Vec3::new(0.046, 0.074, 0.034));
    let meshes = [
        ("pipes-vertebra.ply", both(&mesh(vertebra, bone, 0.0013), &wound())),
        ("pipes-dish.ply", dish()),
        ("pipes-incline.ply", incline()),
        ("pipes-platforms.ply", blocks(&platforms())),
        ("pipes-passages.ply", blocks(&passages())),
    ];
    for (name, mesh) in meshes {
        let path = folder.join(name);
        whitecap::io::write_mesh(&path, &mesh)?;
        let bytes = std::fs::metadata(&path)?.len();
        println!("{name}: {} triangles, {bytes} bytes", mesh.triangles().len());
    }
    Ok(())
}

/// A lumbar vertebra as a surgeon sees it, 85 mm across: the spinous process points up (y), the
/// canal runs along z. The channels of its veins run through it.
fn vertebra(p: Vec3) -> f32 {
    // One side is the mirror image of the other.
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let at = |x: f32, y: f32, z: f32| 0.001 * Vec3::new(x, y, z);
    // The body has a waist and stands above the floor of the wound.
    let waist = 0.003 * (1.0 - (p.z / 0.014).powi(2)).max(0.0);
    let body = {
        let round = Vec2::new(p.x / 1.35, p.y - 0.0225).length() - 0.0165 + waist;
        rounded(Vec2::new(round, p.z.abs() - 0.0145), 0.002)
    };
    let canal = Vec2::new(p.x / 1.25, p.y - 0.0435).length() - 0.0075;
    let arch = rounded(Vec2::new(canal - 0.0065, p.z.abs() - 0.0095), 0.002);
    let pedicle = capsule(p, at(12.0, 33.0, 5.0), at(13.0, 42.0, 4.0), 0.0055);
    let transverse = capsule(p, at(14.0, 44.0, 2.0), at(39.0, 49.0, -3.0), 0.0045);
    let upper_facet = capsule(p, at(14.5, 46.0, 7.0), at(16.5, 56.0, 14.0), 0.0048);
    let lower_facet = capsule(p, at(9.0, 52.0, -6.0), at(10.5, 50.0, -20.0), 0.0045);
    // The spinous process hangs over the wound behind the arch.
    let spine = {
        let q = p - at(0.0, 63.0, -10.0);
        let tilted = Vec3::new(q.x, q.y + 0.35 * q.z, q.z);
        rounded_box(tilted, at(2.6, 6.5, 17.0), 0.0025)
    };
    let lamina = capsule(p, at(0.0, 55.0, -2.0), at(8.0, 52.0, -3.0), 0.0045);
    let bone = joined(joined(body, pedicle, 0.006), arch, 0.004);
    let bone =
        joined(joined(bone, transverse, 0.006), joined(upper_facet, lower_facet, 0.002), 0.005);
    let bone = joined(bone, joined(lamina, spine, 0.008), 0.005);
    let vein = Vec2::new(p.x - 0.009, p.y - 0.022).length() - 0.0035;
    bone.max(-canal).max(-vein)
}

/// Height of the tissue that holds the vertebra, over (x, z): a bowl with uneven walls.
fn tissue(place: Vec2) -> f32 {
    let ripple = 0.0015 * (190.0 * place.x + 40.0 * place.y).sin() * (150.0 * place.y).cos();
    let wall = (place / Vec2::new(0.048, 0.045)).abs().powf(4.0).element_sum();
    // One beyond the rim, which is round.
    let rounded = wall / (1.0 + wall.powi(5)).powf(0.2);
    0.002 + 0.02 * rounded + ripple
}

/// The tissue as a closed body over a square of 10 cm.
fn wound() -> TriMesh {
    const CELLS: usize = 50;
    const HALF: f32 = 0.05;
    const BOTTOM: f32 = -0.006;
    let side = CELLS + 1;
    let mut positions = Vec::new();
    for top in [true, false] {
        for i in 0..side * side {
            let place = Vec2::new((i % side) as f32, (i / side) as f32) / CELLS as f32;
            let place = 2.0 * HALF * place - HALF;
            let height = if top { tissue(place) } else { BOTTOM };
            positions.push(Vec3::new(place.x, height, place.y));
        }
    }
    let below = (side * side) as u32;
    let vertex = |x: usize, z: usize| (z * side + x) as u32;
    let mut triangles = Vec::new();
    for z in 0..CELLS {
        for x in 0..CELLS {
            let [a, b] = [vertex(x, z), vertex(x + 1, z)];
            let [c, d] = [vertex(x, z + 1), vertex(x + 1, z + 1)];
            triangles.extend([[a, c, d], [a, d, b]]);
            triangles.extend([[a, d, c], [a, b, d]].map(|corners| corners.map(|v| v + below)));
        }
    }
    // The sides, with the outside to the right of the direction from the first to the second
    // vertex.
    let mut side_of = |a: u32, b: u32| {
        triangles.extend([[a, b + below, b], [a, a + below, b + below]]);
    };
    for i in 0..CELLS {
        side_of(vertex(i + 1, 0), vertex(i, 0));
        side_of(vertex(i, CELLS), vertex(i + 1, CELLS));
        side_of(vertex(0, i), vertex(0, i + 1));
        side_of(vertex(CELLS, i + 1), vertex(CELLS, i));
    }
    TriMesh::new(positions, triangles).expect("the indices are those of the vertices above")
}

/// A dish of 4 cm with a straight wall, a peg that widens upwards and one that narrows.
fn dish() -> TriMesh {
    let bowl = [
        (0.0, -0.003),
        (0.0215, -0.003),
        (0.0225, -0.002),
        (0.0225, 0.0105),
        (0.0222, 0.011),
        (0.0198, 0.011),
        (0.0195, 0.0105),
        (0.0195, 0.002),
        (0.0175, 0.0),
        (0.0, 0.0),
    ];
    let peg = |x: f32, low: f32, high: f32| {
        let rim = if high > low { 0.0002 } else { 0.0001 };
        let section =
            [(0.0, -0.001), (low, -0.001), (high, 0.01 - rim), (high - rim, 0.01), (0.0, 0.01)];
        revolved(&section.map(Vec2::from), 72, x)
    };
    let pegs = both(&peg(-0.0085, 0.0015, 0.0065), &peg(0.0085, 0.006, 0.001));
    both(&revolved(&bowl.map(Vec2::from), 144, 0.0), &pegs)
}

/// The closed surface that a section from axis to axis sweeps about a vertical axis, with rings
/// doubled at its corners so that they look sharp.
fn revolved(section: &[Vec2], segments: u32, x: f32) -> TriMesh {
    const SHARP: f32 = 0.05;
    let (first, last) = (section[0], section[section.len() - 1]);
    let mut rings = Vec::new();
    for corner in section.windows(3) {
        let toward = |other: Vec2| corner[1] + SHARP * (other - corner[1]).clamp_length_max(0.002);
        rings.extend([toward(corner[0]), corner[1], toward(corner[2])]);
    }
    let at = |height: f32| Vec3::new(x, height, 0.0);
    let mut positions = vec![at(first.y), at(last.y)];
    for ring in &rings {
        positions.extend((0..segments).map(|segment| {
            let turn = Vec2::from_angle(TAU * segment as f32 / segments as f32);
            at(ring.y) + ring.x * Vec3::new(turn.x, 0.0, -turn.y)
        }));
    }
    let vertex = |ring: usize, segment: u32| 2 + ring as u32 * segments + segment % segments;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, vertex(0, segment + 1), vertex(0, segment)]);
        for ring in 0..rings.len() - 1 {
            let [a, b] = [vertex(ring, segment), vertex(ring, segment + 1)];
            let [c, d] = [vertex(ring + 1, segment), vertex(ring + 1, segment + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        let top = rings.len() - 1;
        triangles.push([1, vertex(top, segment), vertex(top, segment + 1)]);
    }
    TriMesh::new(positions, triangles).expect("the indices are those of the vertices above")
}

/// A board of 10 cm that rises by 3 cm along x, in a frame.
fn incline() -> TriMesh {
    const FRAME: f32 = 0.003;
    const TOP: f32 = 0.006;
    const BOTTOM: f32 = -0.004;
    let (low, high) = (-FRAME, 0.1 + FRAME);
    let mut mesh = blocks(&[
        Block::new([0.0, BOTTOM, 0.0], [0.1, 0.0, 0.1]),
        Block::new([low, BOTTOM, low], [0.0, TOP + 0.004, high]),
        Block::new([0.1, BOTTOM, low], [high, TOP, high]),
        Block::new([0.0, BOTTOM, low], [0.1, TOP, 0.0]),
        Block::new([0.0, BOTTOM, 0.1], [0.1, TOP, high]),
    ]);
    for position in mesh.positions_mut().iter_mut().filter(|position| position.y > BOTTOM) {
        position.y += 0.3 * position.x.clamp(0.0, 0.1);
    }
    mesh
}

/// A solid along the axes.
#[derive(Clone, Copy)]
struct Block {
    min: Vec3,
    max: Vec3,
}

impl Block {
    fn new(min: [f32; 3], max: [f32; 3]) -> Self {
        Self { min: min.into(), max: max.into() }
    }
}

/// Three platforms above each other in a tray of 10 cm. The middle one has a hole, the others have notches
/// in their rims.
fn platforms() -> Vec<Block> {
    let mut all = vec![Block::new([-0.05, -0.004, -0.05], [0.05, 0.0, 0.05])];
    let rim = |all: &mut Vec<Block>, half: [f32; 2], low: f32, high: f32, notch: f32| {
        let [x, z] = half;
        const WALL: f32 = 0.002;
        all.push(Block::new([-x, low, -z], [x, high, WALL - z]));
        all.push(Block::new([-x, low, z - WALL], [x, high, z]));
        all.push(Block::new([-x, low, WALL - z], [WALL - x, high, z - WALL]));
        // The notch is in the wall at high x.
        all.push(Block::new([x - WALL, low, WALL - z], [x, high, -notch]));
        all.push(Block::new([x - WALL, low, notch], [x, high, z - WALL]));
    };
    rim(&mut all, [0.05, 0.05], 0.0, 0.016, 0.0);
    // The middle platform, around its hole.
    let (low, high) = (0.016, 0.02);
    all.push(Block::new([-0.036, low, -0.032], [-0.022, high, 0.032]));
    all.push(Block::new([-0.006, low, -0.032], [0.036, high, 0.032]));
    all.push(Block::new([-0.022, low, -0.032], [-0.006, high, -0.008]));
    all.push(Block::new([-0.022, low, 0.008], [-0.006, high, 0.032]));
    rim(&mut all, [0.036, 0.032], high, 0.025, 0.006);
    // The highest one.
    all.push(Block::new([-0.018, 0.036, -0.018], [0.022, 0.04, 0.018]));
    let mut top = Vec::new();
    rim(&mut top, [0.02, 0.018], 0.04, 0.044, 0.005);
    all.extend(
        top.into_iter().map(|block| Block {
            min: block.min + 0.002 * Vec3::X,
            max: block.max + 0.002 * Vec3::X,
        }),
    );
    // Legs, within the rims of what they stand on.
    for (x, z) in [(-0.03, -0.026), (-0.03, 0.026), (0.03, -0.026), (0.03, 0.026)] {
        all.push(Block::new([x - 0.003, 0.0, z - 0.003], [x + 0.003, 0.016, z + 0.003]));
    }
    for (x, z) in [(-0.014, -0.014), (-0.014, 0.014), (0.018, -0.014), (0.018, 0.014)] {
        all.push(Block::new([x - 0.002, 0.02, z - 0.002], [x + 0.002, 0.036, z + 0.002]));
    }
    all
}

/// A well between four basins, joined by low passages under the walls between them.
fn passages() -> Vec<Block> {
    const TOP: f32 = 0.024;
    const CEILING: f32 = 0.006;
    // Lines that divide the square: edge, basin, wall, well, and back.
    let lines = [-0.05, -0.047, -0.03, -0.015, -0.005, 0.005, 0.015, 0.03, 0.047, 0.05];
    let mut all = vec![Block::new([-0.05, -0.004, -0.05], [0.05, 0.0, 0.05])];
    for x in lines.windows(2) {
        for z in lines.windows(2) {
            let middle = |line: &[f32]| 0.5 * (line[0] + line[1]).abs();
            let (near, far) = (middle(x).min(middle(z)), middle(x).max(middle(z)));
            let is_well = far < 0.015;
            let is_basin = (0.03..0.047).contains(&far) && near < 0.015;
            let is_passage = (0.015..0.03).contains(&far) && near < 0.005;
            let low = if is_passage { CEILING } else { 0.0 };
            if !is_well && !is_basin {
                all.push(Block::new([x[0], low, z[0]], [x[1], TOP, z[1]]));
            }
        }
    }
    all
}

/// Blocks as closed meshes, one beside the other. Faces do not share vertices, so that edges are sharp.
fn blocks(blocks: &[Block]) -> TriMesh {
    const FACES: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for block in blocks {
        for face in FACES {
            let first = positions.len() as u32;
            positions.extend(face.map(|corner| {
                let share = [corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit as f32);
                block.min + (block.max - block.min) * Vec3::from(share)
            }));
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|part| part.map(|corner| first + corner)));
        }
    }
    TriMesh::new(positions, triangles).expect("the indices are those of the vertices above")
}

/// Two meshes as one.
fn both(one: &TriMesh, other: &TriMesh) -> TriMesh {
    let count = one.positions().len() as u32;
    let positions = [one.positions(), other.positions()].concat();
    let moved = other.triangles().iter().map(|corners| corners.map(|vertex| vertex + count));
    let triangles = one.triangles().iter().copied().chain(moved).collect();
    TriMesh::new(positions, triangles).expect("the indices are those of the vertices above")
}

/// Where two distances are both negative, with a rounded edge.
fn rounded(distances: Vec2, rounding: f32) -> f32 {
    let outside = distances + rounding;
    outside.max(Vec2::ZERO).length() + outside.max_element().min(0.0) - rounding
}
