//! Contract: data in other units and with another axis up comes to lie where it should, and only what
//! was asked for changes.

use whitecap_core::glam::{IVec3, Vec2, Vec3, Vec4};
use whitecap_core::{
    Column, GridClass, GridValues, Lattice, Particles, SparseGrid, TriMesh, Volume, VolumeGrid,
};
use whitecap_io::changes::{ChangeError, Changes, Up};

fn particles() -> Particles {
    let mut particles = Particles::new(vec![Vec3::new(1.0, 2.0, 3.0)]);
    let mut set = |name: &str, column| particles.set_attribute(name, column).unwrap();
    set("velocity", Column::Vec3(vec![Vec3::new(4.0, 5.0, 6.0)]));
    set("radius", Column::F32(vec![10.0]));
    set("volume", Column::F32(vec![1000.0]));
    set("area", Column::F32(vec![100.0]));
    set("curvature", Column::F32(vec![0.5]));
    set("density", Column::F32(vec![998.0]));
    set("normal", Column::Vec3(vec![Vec3::Z]));
    set("vorticity", Column::Vec3(vec![Vec3::new(0.0, 0.0, 7.0)]));
    set("color", Column::Vec3(vec![Vec3::new(0.1, 0.2, 0.3)]));
    set("uv", Column::Vec2(vec![Vec2::new(0.5, 0.5)]));
    set("orient", Column::Vec4(vec![Vec4::new(0.0, 0.0, 0.0, 1.0)]));
    set("id", Column::I64(vec![9]));
    particles.facts_mut().radius = Some(10.0);
    particles
}

fn vector(particles: &Particles, name: &str) -> Vec3 {
    match particles.attribute(name) {
        Some(Column::Vec3(values)) => values[0],
        other => panic!("{name}: {other:?}"),
    }
}

fn scalar(particles: &Particles, name: &str) -> f32 {
    match particles.attribute(name) {
        Some(Column::F32(values)) => values[0],
        other => panic!("{name}: {other:?}"),
    }
}

/// Contract: without changes every bit stays.
#[test]
fn no_change_changes_nothing() {
    assert_eq!(Changes::default().particles(&particles()).unwrap(), particles());
}

/// Contract: a scale applies to positions and to columns by the power of length in them.
#[test]
fn lengths_scale_with_positions() {
    let changes = Changes { scale: 0.1, ..Changes::default() };
    let scaled = changes.particles(&particles()).unwrap();
    assert!((scaled.positions()[0] - Vec3::new(0.1, 0.2, 0.3)).length() < 1e-6);
    assert!((vector(&scaled, "velocity") - Vec3::new(0.4, 0.5, 0.6)).length() < 1e-6);
    for (name, expected) in
        [("radius", 1.0), ("volume", 1.0), ("area", 1.0), ("curvature", 5.0), ("density", 998.0)]
    {
        assert!((scalar(&scaled, name) - expected).abs() < 1e-4, "{name}");
    }
    assert_eq!(vector(&scaled, "normal"), Vec3::Z);
    assert_eq!(scaled.facts().radius, Some(1.0), "what the file says about all particles");
}

/// Contract: where z was up, y is; vectors turn along, colours do not, and nothing is mirrored.
#[test]
fn vectors_turn_with_the_up_axis() {
    let changes = Changes { up: Up::Z, ..Changes::default() };
    let turned = changes.particles(&particles()).unwrap();
    assert_eq!(turned.positions()[0], Vec3::new(1.0, 3.0, -2.0));
    assert_eq!(vector(&turned, "velocity"), Vec3::new(4.0, 6.0, -5.0));
    assert_eq!(vector(&turned, "normal"), Vec3::Y);
    assert_eq!(vector(&turned, "vorticity"), Vec3::new(0.0, 7.0, 0.0));
    assert_eq!(vector(&turned, "color"), Vec3::new(0.1, 0.2, 0.3));
    let Some(Column::Vec4(orient)) = turned.attribute("orient") else { panic!("no orient") };
    let image = whitecap_core::glam::Quat::from_vec4(orient[0]) * Vec3::Z;
    assert!((image - Vec3::Y).length() < 1e-6, "{image}");
    // Three right-handed axes stay right-handed.
    let axis = |v: Vec3| changes.particles(&Particles::new(vec![v])).unwrap().positions()[0];
    assert_eq!(axis(Vec3::X).cross(axis(Vec3::Y)), axis(Vec3::Z));
}

/// Contract: the order is scale, turn, translation, and the translation is in the result's metres.
#[test]
fn the_translation_comes_last() {
    let translation = Vec3::new(10.0, 20.0, 30.0);
    let changes = Changes { scale: 2.0, up: Up::Z, translation, ..Changes::default() };
    let moved = changes.particles(&particles()).unwrap();
    assert_eq!(moved.positions()[0], Vec3::new(12.0, 26.0, 26.0));
    assert_eq!(vector(&moved, "velocity"), Vec3::new(8.0, 12.0, -10.0));
}

/// Contract: a mesh that is turned over has its triangles and normals reversed, and the opposite volume;
/// particles cannot be turned over.
#[test]
fn a_mesh_is_turned_over() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut mesh = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    mesh.set_attribute("normal", Column::Vec3(vec![Vec3::X; 4])).unwrap();
    let changes = Changes { flipped: true, ..Changes::default() };
    let turned = changes.mesh(&mesh).unwrap();
    assert_eq!(turned.triangles()[0], [0, 1, 2]);
    assert_eq!(turned.attribute("normal"), Some(&Column::Vec3(vec![-Vec3::X; 4])));
    assert_eq!(changes.particles(&particles()), Err(ChangeError::NoTriangles));
}

/// Contract: columns are renamed, dropped and kept; a name that is not there is an error that lists
/// those that are, and so is a name that is taken.
#[test]
fn columns_are_renamed_dropped_and_kept() {
    let names = |changes: &Changes| -> Vec<String> {
        let changed = changes.particles(&particles()).unwrap();
        changed.attributes().iter().map(|(name, _)| name.to_owned()).collect()
    };
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let kept = Changes {
        renamed: vec![pair("density", "rho")],
        kept: Some(vec!["rho".into(), "id".into()]),
        ..Changes::default()
    };
    assert_eq!(names(&kept), ["rho", "id"]);
    let dropped = Changes { dropped: vec!["uv".into(), "orient".into()], ..Changes::default() };
    assert_eq!(names(&dropped).len(), 10);
    let unknown = Changes { dropped: vec!["mass".into()], ..Changes::default() };
    let message = unknown.particles(&particles()).unwrap_err().to_string();
    assert!(message.contains("`mass`") && message.contains("velocity, radius"), "{message}");
    assert!(unknown.particles(&Particles::default()).is_ok(), "an empty frame has no columns");
    let taken = Changes { renamed: vec![pair("area", "radius")], ..Changes::default() };
    assert!(matches!(taken.particles(&particles()), Err(ChangeError::Taken { .. })));
    // A column that is renamed to a length is scaled as one.
    let renamed =
        Changes { renamed: vec![pair("density", "depth")], scale: 0.5, ..Changes::default() };
    assert_eq!(scalar(&renamed.particles(&particles()).unwrap(), "depth"), 499.0);
}

/// Contract: a volume that is scaled, turned and moved has the values of the old one at the places that
/// those positions come to; distances scale, densities do not.
#[test]
fn a_volume_moves_like_particles() {
    let lattice = Lattice { origin: Vec3::new(0.5, -1.0, 2.0), cell: 0.25 };
    let value = |node: IVec3| (node.x + 10 * node.y + 100 * node.z) as f32;
    let tiles = vec![IVec3::ZERO, IVec3::new(-1, 2, 0)];
    let grid = SparseGrid::filled(lattice, 1e3, tiles, |tile, values| {
        for (offset, slot) in values.iter_mut().enumerate() {
            *slot = value(8 * tile + whitecap_core::sparse_grid::local_node(offset));
        }
    });
    let volume = |class| Volume {
        grids: vec![VolumeGrid {
            name: "surface".into(),
            class,
            values: GridValues::Scalar(grid.clone()),
        }],
    };
    let translation = Vec3::new(1.0, 2.0, 3.0);
    let changes = Changes { scale: 2.0, up: Up::Z, translation, ..Changes::default() };
    for (class, factor) in [(GridClass::LevelSet, 2.0), (GridClass::Fog, 1.0)] {
        let changed = changes.volume(volume(class)).unwrap();
        let GridValues::Scalar(moved) = &changed.grids[0].values else { panic!("not scalar") };
        assert_eq!(moved.background(), factor * 1e3);
        for node in [IVec3::ZERO, IVec3::new(3, 5, 7), IVec3::new(-8, 16, 0), IVec3::new(-1, 23, 7)]
        {
            let place = Particles::new(vec![lattice.position(node)]);
            let place = changes.particles(&place).unwrap().positions()[0];
            let found = moved.get(moved.lattice().to_cells(place).round().as_ivec3());
            assert_eq!(found, factor * value(node), "{node}");
        }
    }
    let staggered = changes.volume(volume(GridClass::Staggered));
    assert!(matches!(staggered, Err(ChangeError::Staggered { .. })));
}
