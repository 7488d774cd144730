//! Terrains with liquid for the tests of the surface, and the conditions every surface must meet.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::HashMap;

use glam::Vec2;
use whitecap_core::scatter::Sequence;
use whitecap_pipes::{
    Columns, Grid, MinimumHeights, Space, Surface, SurfaceSettings, Terrain, VertexKind,
};

/// Size of a cell in all scenes: half a millimetre.
pub const CELL: f32 = 5e-4;

/// Pseudo-random numbers that are the same on every machine.
pub struct Random(Sequence);

impl Random {
    pub fn new(seed: u64) -> Self {
        let spread = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        let mut random = Self(Sequence::new(spread));
        random.unit();
        random
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f32 {
        self.0.fraction()
    }

    pub fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f32) as usize).min(count - 1)
    }
}

pub fn grid(width: usize, length: usize) -> Grid {
    Grid::new(Vec2::new(-0.01, 0.02), CELL, width, length).unwrap()
}

/// A smooth random height: a few waves, in cells.
pub fn waves(seed: u64, steepness: f32) -> impl Fn(f32, f32) -> f32 {
    let mut random = Random::new(seed);
    let waves: Vec<[f32; 4]> = (0..5)
        .map(|_| {
            let angle = random.unit() * 6.3;
            let length = 4.0 + 12.0 * random.unit();
            let number = std::f32::consts::TAU / length;
            [angle.cos() * number, angle.sin() * number, random.unit() * 6.3, steepness / number]
        })
        .collect();
    move |x, z| waves.iter().map(|w| w[3] * (w[0] * x + w[1] * z + w[2]).sin()).sum::<f32>() * 0.3
}

/// A terrain of one layer.
pub fn heightfield(width: usize, length: usize, height: impl Fn(f32, f32) -> f32) -> Columns {
    let grid = grid(width, length);
    let heights: Vec<f32> = (0..grid.cells())
        .map(|cell| CELL * height((cell % width) as f32, (cell / width) as f32))
        .collect();
    Columns::new(&Terrain::heightfield(grid, &heights).unwrap())
}

/// A terrain of one layer with pools up to several levels and films between.
pub fn random_lakes(seed: u64) -> Columns {
    let mut random = Random::new(seed);
    let (width, length) = (3 + random.below(40), 3 + random.below(40));
    let mut columns = heightfield(width, length, waves(seed, 0.2 + 2.0 * random.unit()));
    let levels = [random.unit(), random.unit(), random.unit()].map(|u| (u - 0.5) * 4.0 * CELL);
    let floors = columns.floor().to_vec();
    let film = if random.unit() < 0.5 { 0.0 } else { 1e-6 };
    columns.fill(|column| {
        let level = levels[column % width * 3 / width];
        f64::from(level - floors[column]).max(film)
    });
    columns
}

/// Random layers, steps, slabs, empty cells, and liquid from none to full.
pub fn random_layers(seed: u64) -> Columns {
    let mut random = Random::new(seed);
    let (width, length) = (2 + random.below(24), 2 + random.below(24));
    let grid = grid(width, length);
    let (layers, roughness) = (1 + random.below(4), random.unit());
    let shapes: Vec<_> = (0..2 * layers).map(|k| waves(seed * 31 + k as u64, 0.8)).collect();
    let missing = 0.4 * random.unit();
    let cells: Vec<Vec<Space>> = (0..grid.cells())
        .map(|cell| {
            let (x, z) = ((cell % width) as f32, (cell / width) as f32);
            let mut spaces = Vec::new();
            let mut base = shapes[0](x, z) + roughness * random.unit();
            for layer in 0..layers {
                let room = 0.3 + 2.0 * (1.0 + shapes[2 * layer + 1](x, z).sin());
                let thickness = 0.1 + roughness * random.unit() + shapes[2 * layer](x, z).abs();
                if random.unit() >= missing {
                    let ceiling = (base + room) * CELL;
                    spaces.push(Space { floor: base * CELL, ceiling });
                }
                base += room + thickness;
            }
            if let Some(last) = spaces.last_mut().filter(|_| random.unit() < 0.9) {
                last.ceiling = f32::INFINITY;
            }
            spaces
        })
        .collect();
    let mut columns = Columns::new(&Terrain::layers(grid, &cells).unwrap());
    let style = random.below(4);
    let levels: Vec<f32> = (0..4).map(|_| (10.0 * random.unit() - 2.0) * CELL).collect();
    let floors = columns.floor().to_vec();
    let amounts: Vec<f32> = (0..columns.len())
        .map(|column| match style {
            0 => levels[0] - floors[column],
            1 => levels[column * 4 / floors.len()] - floors[column],
            2 => (random.unit() - 0.4) * 3.0 * CELL,
            _ => 0.4 * CELL * (random.unit() - 0.3) + (levels[1] - floors[column]).max(0.0),
        })
        .collect();
    columns.fill(|column| f64::from(amounts[column]));
    columns
}

/// A ramp that leads around under a slab: the lower layer rises to become the ground beside the slab's top,
/// and liquid 1 cell deep lies on all of it.
pub fn ramp_between_layers() -> Columns {
    let (width, length) = (24, 12);
    let grid = grid(width, length);
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        let ramp = 0.5 * x as f32 * CELL;
        if z < 6 {
            spaces.push(Space::open(ramp));
        } else if (4..20).contains(&x) {
            // The slab is at the height of the ramp's middle: joined there, apart elsewhere.
            spaces.push(Space { floor: -4.0 * CELL, ceiling: 5.0 * CELL });
            spaces.push(Space::open(6.0 * CELL));
        } else {
            spaces.push(Space::open(-4.0 * CELL));
        }
    });
    let mut columns = Columns::new(&terrain.unwrap());
    columns.fill(|_| f64::from(CELL));
    columns
}

/// The surface of columns without a terrain mesh.
pub fn surface_of(columns: &Columns) -> Surface {
    let mut surface = Surface::new();
    surface.update(columns, &MinimumHeights::none(), &SurfaceSettings::default()).unwrap();
    surface
}

/// Counts of edges of a surface, by what they may be.
#[derive(Debug, Default)]
pub struct Edges {
    pub shared: usize,
    pub on_grid_border: usize,
    pub open_between_ends: usize,
}

/// Fails if a surface breaks one of its guarantees: indices in range, numbers finite, triangles that face
/// up, every directed edge once, and every edge at a free vertex shared by two triangles unless it lies
/// on the border of the grid.
pub fn check_surface(columns: &Columns, surface: &Surface) -> Edges {
    let (positions, kinds) = (surface.positions(), surface.kinds());
    for (vertex, position) in positions.iter().enumerate() {
        assert!(position.is_finite(), "position {vertex}");
        assert!((surface.normals()[vertex].length() - 1.0).abs() < 1e-4, "normal {vertex}");
        assert!((0.0..=1.0).contains(&surface.opacity()[vertex]), "opacity {vertex}");
        assert!((surface.vertex_columns()[vertex] as usize) < columns.len());
    }
    let mut edges = HashMap::new();
    for (number, triangle) in surface.triangles().iter().enumerate() {
        assert!(triangle.iter().all(|&v| kinds[v as usize] != VertexKind::Unused));
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        let up = (b - a).cross(c - a).y;
        assert!(up > 0.1 * CELL * CELL, "triangle {number} has an area of {up} seen from above");
        for k in 0..3 {
            let edge = (triangle[k], triangle[(k + 1) % 3]);
            assert!(edges.insert(edge, number).is_none(), "edge {edge:?} is there twice");
        }
    }
    let mut counts = Edges::default();
    for &(from, to) in edges.keys() {
        let ends = [from, to].map(|vertex| kinds[vertex as usize]);
        if edges.contains_key(&(to, from)) {
            counts.shared += 1;
        } else if is_on_border(columns, positions[from as usize], positions[to as usize]) {
            counts.on_grid_border += 1;
        } else {
            counts.open_between_ends += 1;
            assert!(!ends.contains(&VertexKind::Free), "open edge {from} {to} between {ends:?}");
        }
    }
    counts
}

/// Whether an edge lies on the outermost centres of the grid.
fn is_on_border(columns: &Columns, from: glam::Vec3, to: glam::Vec3) -> bool {
    let grid = columns.grid();
    let (low, high) = (grid.center(0, 0), grid.center(grid.width() - 1, grid.length() - 1));
    let near = |one: f32, other: f32| (one - other).abs() < 1e-3 * CELL;
    [low.x, high.x].iter().any(|&x| near(from.x, x) && near(to.x, x))
        || [low.y, high.y].iter().any(|&z| near(from.z, z) && near(to.z, z))
}
