//! Contracts: terrain from a mesh or a distance field has the spaces of the solid; lines through
//! edges and vertices hit it once; hostile grids and meshes are refused with a message.

mod liquid_scenes;

use glam::{Vec2, Vec3};
use liquid_scenes::{Numbers, grid};
use whitecap_core::TriMesh;
use whitecap_pipes::{Grid, PipeError, Space, Terrain};
use whitecap_surface::LevelSet;

/// Contract: a table stands on a slab: two spaces under its top, one beside it, none off the slab; cell
/// centres lie on edges and diagonals of the boxes.
#[test]
fn a_table_has_a_space_below_and_one_above() {
    let slab = TriMesh::cuboid(Vec3::new(0.0, -1.0, 0.0), Vec3::new(8.0, 0.0, 8.0));
    let top = TriMesh::cuboid(Vec3::new(2.5, 2.0, 2.5), Vec3::new(5.5, 3.0, 5.5));
    for mesh in
        [TriMesh::joined(&[slab.clone(), top.clone()]), TriMesh::joined(&[slab, top]).flipped()]
    {
        let terrain = Terrain::from_mesh(grid(1.0, 10, 10), &mesh, None).unwrap();
        for z in 0..10 {
            for x in 0..10 {
                // Centres at 2.5 lie on the low edges of the table, those at 5.5 on the high ones.
                let on_table = |i: usize| (2..5).contains(&i) || i == 5;
                let spaces = terrain.cell(x, z);
                match spaces.len() {
                    0 => assert!(x > 7 || z > 7, "({x}, {z}) is solid"),
                    1 => assert_eq!(spaces, [Space::open(0.0)], "({x}, {z})"),
                    _ => {
                        assert!(on_table(x) && on_table(z), "({x}, {z})");
                        let below = Space { floor: 0.0, ceiling: 2.0 };
                        assert_eq!(spaces, [below, Space::open(3.0)], "({x}, {z})");
                    }
                }
            }
        }
        // The table is three cells wide: each of its edges is seen by one side only.
        let doubled = (0..100).filter(|i| terrain.cell(i % 10, i / 10).len() == 2).count();
        assert_eq!(doubled, 9);
    }
}

/// Contract: overlapping boxes are one solid, an open sheet is ground, and a ground plane closes what
/// a mesh leaves open.
#[test]
fn overlaps_sheets_and_ground_planes_are_understood() {
    let low = TriMesh::cuboid(Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 2.0, 4.0));
    let high = TriMesh::cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(4.0, 3.0, 4.0));
    let terrain =
        Terrain::from_mesh(grid(1.0, 4, 4), &TriMesh::joined(&[low, high]), None).unwrap();
    assert_eq!(terrain.cell(1, 2), [Space::open(3.0)]);

    let corners = [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]];
    let positions = corners.map(|[x, z]| Vec3::new(x, 0.1 * x, z)).to_vec();
    let sheet = TriMesh::new(positions, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let terrain = Terrain::from_mesh(grid(1.0, 8, 8), &sheet, None).unwrap();
    for x in 0..8 {
        let floor = terrain.cell(x, 5)[0].floor;
        assert!((floor - 0.1 * (x as f32 + 0.5)).abs() < 1e-6, "cell {x}: {floor}");
        assert_eq!(terrain.cell(x, 5).len(), 1);
    }

    let ball = TriMesh::cuboid(Vec3::splat(1.0), Vec3::splat(3.0));
    let terrain = Terrain::from_mesh(grid(1.0, 4, 4), &ball, Some(0.25)).unwrap();
    assert_eq!(terrain.cell(0, 0), [Space::open(0.25)]);
    let below = Space { floor: 0.25, ceiling: 1.0 };
    assert_eq!(terrain.cell(1, 1), [below, Space::open(3.0)]);
    let buried = Terrain::from_mesh(grid(1.0, 4, 4), &ball, Some(2.0)).unwrap();
    assert_eq!(buried.cell(1, 1), [Space::open(3.0)]);
    assert_eq!(buried.cell(0, 0), [Space::open(2.0)]);
}

/// Contract: a distance field gives the spaces of its mesh to a tenth of a cell.
#[test]
fn a_level_set_gives_the_spaces_of_its_mesh() {
    let mesh = TriMesh::cuboid(Vec3::new(0.6, 0.4, 0.6), Vec3::new(3.4, 1.7, 3.4));
    let solid = LevelSet::from_mesh(&mesh, 0.1, 0.4).unwrap();
    let grid = grid(0.25, 16, 16);
    let cast = Terrain::from_level_set(grid, &solid, Some(0.0)).unwrap();
    let exact = Terrain::from_mesh(grid, &mesh, Some(0.0)).unwrap();
    for (x, z) in [(8, 8), (4, 11), (0, 0), (15, 3)] {
        let (cast, exact) = (cast.cell(x, z), exact.cell(x, z));
        assert_eq!(cast.len(), exact.len(), "({x}, {z})");
        for (cast, exact) in cast.iter().zip(exact) {
            assert!((cast.floor - exact.floor).abs() < 0.01, "{cast:?} for {exact:?}");
            let open = cast.ceiling == exact.ceiling;
            assert!(open || (cast.ceiling - exact.ceiling).abs() < 0.01, "{cast:?} for {exact:?}");
        }
    }
}

/// Contract: random triangles, closed or not, give a terrain or an error, never a panic.
#[test]
fn any_triangles_give_a_terrain() {
    let mut numbers = Numbers::new(11);
    for _ in 0..200 {
        let mut point = || {
            // Multiples of a half put many points on cell centres.
            let mut place = || (numbers.between(-2.0, 10.0) * 2.0).round() as f32 * 0.5;
            Vec3::new(place(), place(), place())
        };
        let positions: Vec<Vec3> = (0..12).map(|_| point()).collect();
        let triangles = (0..20).map(|i| [i % 12, (i * 5 + 1) % 12, (i * 7 + 3) % 12]).collect();
        let mesh = TriMesh::new(positions, triangles).unwrap();
        Terrain::from_mesh(grid(1.0, 9, 9), &mesh, Some(0.0)).unwrap();
        Terrain::from_mesh(grid(1.0, 9, 9), &mesh, None).unwrap();
    }
}

/// Contract: impossible sizes, cells and heights are refused, with a sentence that names them.
#[test]
fn hostile_terrain_is_refused() {
    let refuse = |cell: f32, width: usize, length: usize| {
        Grid::new(Vec2::ZERO, cell, width, length).unwrap_err().to_string()
    };
    for (width, length) in
        [(0, 5), (5, 0), (usize::MAX, 2), (usize::MAX, usize::MAX), (1 << 20, 1 << 20)]
    {
        assert!(refuse(0.1, width, length).contains("cells"), "{width} × {length}");
    }
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(refuse(cell, 4, 4).contains("cell size"), "{cell}");
    }
    assert!(Grid::new(Vec2::new(f32::NAN, 0.0), 0.1, 4, 4).is_err());

    let small = grid(0.1, 2, 1);
    let few = Terrain::heightfield(small, &[0.0]).unwrap_err();
    assert_eq!(few, PipeError::TerrainSize { found: 1, expected: 2 });
    for height in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e9] {
        let found = Terrain::heightfield(small, &[0.0, height]).unwrap_err();
        assert!(found.to_string().contains("cell (1, 0)"), "{found}");
    }
    let upside_down = Space { floor: 1.0, ceiling: 0.5 };
    let nothing = Space { floor: 1.0, ceiling: f32::NAN };
    for space in [upside_down, nothing] {
        assert!(Terrain::layers(small, &[vec![space], vec![]]).is_err());
    }
    let overlapping = vec![Space { floor: 0.0, ceiling: 2.0 }, Space::open(1.0)];
    let found = Terrain::layers(small, &[vec![], overlapping]).unwrap_err();
    assert!(matches!(found, PipeError::Overlap { x: 1, .. }), "{found}");

    let mut mesh = TriMesh::cuboid(Vec3::ZERO, Vec3::ONE);
    mesh.positions_mut()[3].y = f32::NAN;
    let found = Terrain::from_mesh(small, &mesh, None).unwrap_err();
    assert_eq!(found, PipeError::MeshVertex { vertex: 3 });
}
