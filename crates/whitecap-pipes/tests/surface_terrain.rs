//! No terrain vertex sticks out of the liquid, however thin it is.

mod surface_scenes;

use glam::{Vec2, Vec3, Vec3Swizzles};
use surface_scenes::*;
use whitecap_core::TriMesh;
use whitecap_pipes::{
    Columns, MinimumHeights, Space, Surface, SurfaceSettings, Terrain, VertexKind, terrain_mesh,
};

/// A terrain mesh that is three times as fine as the columns and not aligned with them.
fn fine_mesh(columns: &Columns, seed: u64, height: &dyn Fn(f32, f32) -> f32) -> TriMesh {
    let mut random = Random::new(seed);
    let grid = columns.grid();
    let (width, length) = (3 * grid.width(), 3 * grid.length());
    let mut positions = Vec::new();
    for z in 0..length {
        for x in 0..width {
            let mut place = |at: usize| (at as f32 + 0.8 * (random.unit() - 0.5)) / 3.0;
            let (x, z) = (place(x), place(z));
            let at = grid.origin() + Vec2::new(x + 0.5, z + 0.5) * CELL;
            positions.push(Vec3::new(at.x, CELL * height(x, z), at.y));
        }
    }
    let mut triangles = Vec::new();
    for z in 0..length as u32 - 1 {
        for x in 0..width as u32 - 1 {
            let a = z * width as u32 + x;
            let (b, c, d) = (a + 1, a + 1 + width as u32, a + width as u32);
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// Terrain vertices above a triangle of three free vertices and at most `layer` away from it, and
/// how many were compared.
fn count_above(surface: &Surface, terrain: &TriMesh, layer: f32) -> (usize, usize) {
    let (mut above, mut compared) = (0, 0);
    for triangle in surface.triangles() {
        if triangle.iter().any(|&v| surface.kinds()[v as usize] != VertexKind::Free) {
            continue;
        }
        let [a, b, c] = triangle.map(|v| surface.positions()[v as usize]);
        let cross = |one: Vec2, other: Vec2| one.perp_dot(other);
        let area = cross((b - a).xz(), (c - a).xz());
        for vertex in terrain.positions() {
            let u = cross((vertex - a).xz(), (c - a).xz()) / area;
            let v = cross((b - a).xz(), (vertex - a).xz()) / area;
            if u < 0.0 || v < 0.0 || u + v > 1.0 {
                continue;
            }
            let height = a.y + u * (b.y - a.y) + v * (c.y - a.y);
            if (height - vertex.y).abs() < layer {
                compared += 1;
                above += usize::from(vertex.y > height);
            }
        }
    }
    (above, compared)
}

/// Contract: on random terrains of one layer, under films of 0.1 µm to 0.1 mm and in lakes, no terrain vertex
/// lies above a triangle whose corners are all wet; without minimum heights hundreds do.
#[test]
fn no_terrain_vertex_above_a_wet_triangle() {
    let settings = SurfaceSettings::default();
    let (mut compared, mut without) = (0, 0);
    for seed in 0..12 {
        let shape = waves(seed, 0.3 + 0.05 * seed as f32);
        let mut columns = heightfield(20, 16, &shape);
        let mesh = fine_mesh(&columns, seed, &shape);
        let minimum = MinimumHeights::over(&columns, &mesh, settings.least_thickness);
        assert_eq!(minimum.skipped(), 0);
        let floors = columns.floor().to_vec();
        for film in [1e-7f64, 1e-5, 1e-4, 0.0] {
            columns.fill(|column| film.max(f64::from(-0.2 * CELL - floors[column])));
            let mut surface = Surface::new();
            surface.update(&columns, &minimum, &settings).unwrap();
            let (above, count) = count_above(&surface, &mesh, f32::INFINITY);
            assert_eq!(above, 0, "terrain {seed}, film {film}");
            compared += count;
            surface.update(&columns, &MinimumHeights::none(), &settings).unwrap();
            without += count_above(&surface, &mesh, f32::INFINITY).0;
        }
    }
    assert!(compared > 50_000 && without > 300, "{compared} compared, {without} without");
}

/// Contract: with a slab above the ground the vertices of each are kept below the liquid on each.
#[test]
fn layers_do_not_disturb_each_other() {
    let (low, high) = (waves(1, 0.5), waves(2, 0.5));
    let top = |x: f32, z: f32| 9.0 + high(x, z);
    let grid = grid(16, 16);
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        let (x, z) = (x as f32, z as f32);
        spaces.push(Space { floor: low(x, z) * CELL, ceiling: (top(x, z) - 2.0) * CELL });
        spaces.push(Space::open(top(x, z) * CELL));
    });
    let mut columns = Columns::new(&terrain.unwrap());
    columns.fill(|_| 1e-6);
    let settings = SurfaceSettings::default();
    let meshes = [fine_mesh(&columns, 1, &low), fine_mesh(&columns, 2, &top)];
    let both = TriMesh::joined(&meshes);
    let minimum = MinimumHeights::over(&columns, &both, settings.least_thickness);
    let mut surface = Surface::new();
    surface.update(&columns, &minimum, &settings).unwrap();
    let (above, compared) = count_above(&surface, &both, 3.0 * CELL);
    assert!(compared > 3000);
    assert_eq!(above, 0);
    check_surface(&columns, &surface);
}

/// Contract: vertices of ceilings, which face down, and those at the edge of a cliff do not raise the liquid
/// by more than a cell above the highest ground beside them. At the foot of the cliff they do not raise it at
/// all.
#[test]
fn cliffs_and_ceilings_do_not_raise_bumps() {
    let cliff = |x: f32, _: f32| if x < 8.45 { 6.0 } else { 0.0 };
    let mut columns = heightfield(16, 12, cliff);
    columns.fill(|_| 1e-6);
    let mesh = fine_mesh(&columns, 3, &cliff);
    let minimum = MinimumHeights::over(&columns, &mesh, 0.05);
    for column in 0..columns.len() {
        let top = columns.floor()[column] + minimum.above_floor(column);
        assert!(top < 7.0 * CELL, "column {column} at {}", top / CELL);
        let is_low = columns.floor()[column] == 0.0;
        assert!(!is_low || top < 0.1 * CELL, "column {column} at {}", top / CELL);
    }
    assert!(minimum.skipped() > 0);
    let ceiling = fine_mesh(&columns, 3, &|x, z| cliff(x, z) + 0.5).flipped();
    let under = MinimumHeights::over(&columns, &ceiling, 0.05);
    assert!((0..columns.len()).all(|column| under.above_floor(column) == 0.0));
}

/// Contract: the terrain's own mesh has the ground of each column at its centre and faces up.
#[test]
fn the_ground_can_be_drawn() {
    let columns = heightfield(9, 7, waves(1, 1.0));
    let mesh = terrain_mesh(&columns);
    assert_eq!((mesh.positions().len(), mesh.triangles().len()), (63, 96));
    assert!(mesh.vertex_normals().iter().all(|normal| normal.y > 0.0));
    for (column, position) in mesh.positions().iter().enumerate() {
        let (x, z) = columns.position_of(column);
        let center = columns.grid().center(x, z);
        assert_eq!(*position, Vec3::new(center.x, columns.floor()[column], center.y));
    }
}

/// Contract: a slab over flat ground is drawn as a closed solid of the right volume: top, underside and
/// sides. The ground continues below it.
#[test]
fn a_slab_is_closed() {
    let terrain = Terrain::from_cells(grid(20, 20), |x, z, spaces| {
        if (5..15).contains(&x) && (4..12).contains(&z) {
            spaces.push(Space { floor: 0.0, ceiling: 4.0 * CELL });
            spaces.push(Space::open(7.0 * CELL));
        } else {
            spaces.push(Space::open(0.0));
        }
    });
    let mesh = terrain_mesh(&Columns::new(&terrain.unwrap()));
    let (mut area, mut volume, mut ground) = (Vec3::ZERO, 0.0, 0.0);
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle).map(|at| (at - Vec3::new(0.0, 0.0, 0.02)) / CELL);
        let normal = 0.5 * (b - a).cross(c - a);
        if a.y.max(b.y).max(c.y) > 3.0 {
            area += normal;
            volume += a.dot(normal) / 3.0;
        } else {
            ground += normal.y;
        }
    }
    // Ten by eight cells without four corners of an eighth each, three thick.
    assert!(area.length() < 1e-3, "{area}");
    assert!((volume - 3.0 * (80.0 - 4.0 * 0.125)).abs() < 0.01, "{volume}");
    assert!((ground - 19.0 * 19.0).abs() < 0.01, "{ground}");
}

/// Contract: the drawing of random layers lies between the lowest ground and the highest ceiling, give or take
/// a cell.
#[test]
fn random_layers_can_be_drawn() {
    for seed in 0..20 {
        let columns = random_layers(seed);
        let mesh = terrain_mesh(&columns);
        let heights = columns.floor().iter().chain(columns.ceiling()).filter(|y| y.is_finite());
        let (low, high) =
            heights.fold((f32::MAX, f32::MIN), |(low, high), &y: &f32| (low.min(y), high.max(y)));
        for position in mesh.positions() {
            let y = position.y;
            assert!(y >= low - CELL && y <= high + CELL, "terrain {seed} at {y}");
        }
    }
}
