//! The surface has no open seam.

mod surface_scenes;

use surface_scenes::*;
use whitecap_pipes::{
    Columns, Meniscus, MeniscusSettings, SurfaceSettings, Terrain, VertexKind, terrain_mesh,
};

/// Contract: over 100 random terrains of up to four layers with random liquid, and 100 of one layer, the
/// surface is finite, faces up, and is open only at the grid's border and between shore, ceiling, wall and
/// lip vertices.
#[test]
fn random_terrains_have_no_open_seam() {
    let mut kinds_seen = [0usize; 6];
    let mut shared = 0;
    for seed in 0..100 {
        for columns in [random_layers(seed), random_lakes(seed)] {
            let surface = surface_of(&columns);
            shared += check_surface(&columns, &surface).shared;
            for triangle in surface.triangles() {
                for &vertex in triangle {
                    kinds_seen[surface.kinds()[vertex as usize] as usize] += 1;
                }
            }
        }
    }
    assert!(shared > 100_000, "{shared} edges");
    let all = [VertexKind::Free, VertexKind::Shore, VertexKind::Ceiling, VertexKind::Wall];
    for kind in all.into_iter().chain([VertexKind::Lip]) {
        assert!(kinds_seen[kind as usize] > 100, "{kind:?} hardly occurs: {kinds_seen:?}");
    }
}

/// Contract: liquid on a ramp that joins two layers is one piece of surface from bottom to top, and its
/// links go from the ramp to the slab where their levels meet, and only there.
#[test]
fn a_ramp_between_layers_is_watertight() {
    let columns = ramp_between_layers();
    let surface = surface_of(&columns);
    let edges = check_surface(&columns, &surface);
    assert!(edges.shared > 1000, "{edges:?}");
    let linked_up: Vec<usize> = (0..24)
        .filter(|&x| {
            let ramp = columns.of_cell(x, 5).start;
            surface.linked(&columns, ramp, 1).is_some_and(|other| columns.floor()[other] > 0.0)
        })
        .collect();
    // The slab spans 5 to 6 cells with liquid up to 7; the ramp's liquid is at x / 2 + 1.
    assert_eq!(linked_up, (9..20).collect::<Vec<_>>());
    let mesh = surface.to_mesh();
    let parts = mesh.components();
    let of_slab = mesh.positions().iter().position(|p| p.y == 7.0 * CELL).unwrap();
    assert!(parts.iter().filter(|&&part| part == parts[of_slab]).count() > 100);
}

/// Contract: the surface of still liquid over flat ground is flat, with normals straight up; so it
/// is where it continues from the open under a slab and over one.
#[test]
fn flat_water_is_flat() {
    let columns = {
        let mut columns = heightfield(20, 17, |_, _| 0.0);
        columns.fill(|_| 3e-3);
        columns
    };
    let surface = surface_of(&columns);
    assert_eq!(surface.triangles().len(), 2 * 19 * 16);
    assert!(surface.normals().iter().all(|&normal| normal == glam::Vec3::Y));
    assert!(surface.positions().iter().all(|position| position.y == 3e-3));
    assert!(surface.opacity().iter().all(|&opacity| opacity == 1.0));
}

/// Contract: a front on flat ground goes into the ground by the least thickness, and in a bowl the shore's vertices lie at
/// the level of the liquid, inside the bowl's wall.
#[test]
fn shores_touch_the_ground() {
    let mut columns = heightfield(30, 30, |_, _| 0.0);
    columns.fill(|column| if column % 30 < 12 { 1e-3 } else { 0.0 });
    let surface = surface_of(&columns);
    for z in 0..30 {
        assert_eq!(
            surface.positions()[z * 30 + 12].y,
            -SurfaceSettings::default().least_thickness * CELL
        );
        assert_eq!(surface.kinds()[z * 30 + 12], VertexKind::Shore);
        assert_eq!(surface.opacity()[z * 30 + 12], 0.0);
    }
    let mut columns = heightfield(30, 30, |x, z| 0.05 * ((x - 15.0).powi(2) + (z - 15.0).powi(2)));
    let floors = columns.floor().to_vec();
    columns.fill(|column| 2e-3 - f64::from(floors[column]));
    let surface = surface_of(&columns);
    let shores = (0..900).filter(|&v| surface.kinds()[v] == VertexKind::Shore);
    let off: Vec<f32> = shores.map(|v| (surface.positions()[v].y - 2e-3).abs()).collect();
    assert!(off.len() > 40);
    assert!(off.iter().all(|&off| off < 0.06 * CELL), "{off:?}");
}

/// Contract: grids of one row, one cell, or nothing but solid give surfaces without triangles, not a panic.
#[test]
fn smallest_grids_are_harmless() {
    for (width, length) in [(1, 1), (1, 5), (5, 1)] {
        let mut columns = heightfield(width, length, |x, z| x + z);
        columns.fill(|_| 1e-3);
        assert!(surface_of(&columns).triangles().is_empty());
        assert!(terrain_mesh(&columns).triangles().is_empty());
    }
    for size in [1, 6] {
        let terrain = Terrain::from_cells(grid(size, size), |_, _, _| {}).unwrap();
        let columns = Columns::new(&terrain);
        let mut surface = surface_of(&columns);
        let settings = MeniscusSettings::default();
        Meniscus::new().apply(&columns, &mut surface, &settings, None).unwrap();
        assert!(surface.triangles().is_empty());
        assert!(terrain_mesh(&columns).triangles().is_empty());
    }
}
