//! Contracts of filling volumes with particles.

mod shapes;

use schemars::{Schema, json_schema};
use serde::Deserialize;
use shapes::{block, sphere};
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_scene::SceneError;
use whitecap_scene::fill::{BoxFill, Fill, Filling, Volume, lattice_points};
use whitecap_scene::{ClosedShape, shape::BoxShape, walls::Walls};

fn open(_: Vec3) -> f32 {
    f32::INFINITY
}

/// Contract: a box filled from wall to wall has one particle per spacing³ and touches no wall:
/// the outermost particles are half a spacing away.
#[test]
fn a_box_filled_from_wall_to_wall_fits() {
    let (min, max) = (Vec3::ZERO, Vec3::new(0.3, 0.7, 1.1));
    let walls = Walls::new()
        .with_domain(BoxShape { min: min.to_array(), max: max.to_array() }, &[])
        .unwrap();
    let mut filling = Filling::new(0.1, &[]).unwrap();
    let made = filling
        .add(Volume::Box { min, max }, Vec3::X, &|point| walls.signed_distance(point))
        .unwrap();
    assert_eq!(made, 3 * 7 * 11);
    assert!(filling.notes().is_empty(), "{:?}", filling.notes());
    let least = filling.positions().iter().map(|&p| walls.signed_distance(p)).fold(9.0, f32::min);
    assert!((least - 0.05).abs() < 1e-5, "{least}");
    assert!(filling.velocities().iter().all(|&v| v == Vec3::X));
    let mesh = ClosedShape::new(block(min, max)).unwrap();
    assert_eq!(lattice_points(Volume::Mesh(&mesh), 0.1).unwrap(), filling.positions());
}

/// Contract: where the spacing does not divide the box, the liquid stands on the floor and is
/// centred sideways.
#[test]
fn an_odd_box_is_centred_and_stands_on_the_floor() {
    let points =
        lattice_points(Volume::Box { min: Vec3::ZERO, max: Vec3::splat(0.35) }, 0.1).unwrap();
    assert_eq!(points.len(), 27);
    assert!(points[0].distance(Vec3::new(0.075, 0.05, 0.075)) < 1e-6, "{}", points[0]);
}

/// Contract: the particles of a ball and of a mesh of that ball have its volume within 2 %, lie
/// inside it, and those of the ball are symmetric about its centre.
#[test]
fn balls_and_meshes_have_their_volume() {
    let (center, radius, spacing) = (Vec3::new(0.1, 0.2, 0.3), 0.5, 0.05f32);
    let volume = 4.0 / 3.0 * std::f32::consts::PI * radius * radius * radius;
    let ball = lattice_points(Volume::Sphere { center, radius }, spacing).unwrap();
    let shape = ClosedShape::new(sphere(center, radius, 5)).unwrap();
    let mesh = lattice_points(Volume::Mesh(&shape), spacing).unwrap();
    for points in [&ball, &mesh] {
        let ratio = points.len() as f32 * spacing.powi(3) / volume;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        assert!(points.iter().all(|p| p.distance(center) < radius));
    }
    let mean = ball.iter().map(|p| p - center).sum::<Vec3>() / ball.len() as f32;
    assert!(mean.length() < 1e-6);
}

/// Contract: the points of a mesh are exactly the lattice points whose winding number says inside,
/// even for a mesh thinner than the spacing, which gets one layer.
#[test]
fn meshes_are_filled_exactly() {
    let spacing = 0.037;
    let shape = ClosedShape::new(sphere(Vec3::ZERO, 0.4, 2)).unwrap();
    let found = lattice_points(Volume::Mesh(&shape), spacing).unwrap();
    let bounds = shape.bounds();
    let all = lattice_points(Volume::Box { min: bounds.min, max: bounds.max }, spacing).unwrap();
    let inside: Vec<Vec3> = all.into_iter().filter(|&p| shape.contains(p)).collect();
    assert_eq!(found, inside);
    let plate = ClosedShape::new(block(Vec3::ZERO, Vec3::new(1.0, 0.02, 1.0))).unwrap();
    let layer = lattice_points(Volume::Mesh(&plate), 0.1).unwrap();
    assert_eq!(layer.len(), 100);
    assert!(layer.iter().all(|p| (p.y - 0.01).abs() < 1e-6));
}

/// Contract: where fills overlap the first keeps its particles, no two end closer than 0.9
/// spacings, and a note counts those left out; particles that were there before count too.
#[test]
fn overlapping_fills_do_not_double() {
    let spacing = 0.05;
    let pool = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1.0, 0.5, 1.0) };
    let drop = Volume::Sphere { center: Vec3::new(0.5, 0.5, 0.5), radius: 0.2 };
    let existing = [Vec3::new(0.025, 0.026, 0.025)];
    let mut filling = Filling::new(spacing, &existing).unwrap();
    assert_eq!(filling.add(pool, Vec3::ZERO, &open).unwrap(), 20 * 10 * 20 - 1);
    let made = filling.add(drop, -Vec3::Y, &open).unwrap();
    let alone = lattice_points(drop, spacing).unwrap().len();
    assert!(made > alone / 3 && made < 2 * alone / 3, "{made} of {alone}");
    let expected = format!(
        "fill 2 (sphere): {} of {alone} particles left out: an earlier fill already has particles there",
        alone - made
    );
    assert_eq!(filling.notes()[1], expected);
    let positions = filling.positions();
    assert_eq!(positions.len(), filling.velocities().len());
    let grid = NeighbourGrid::build(positions, spacing);
    for &position in positions {
        let mut near = 0;
        grid.for_each_within(position, 0.899 * spacing, |_, _| near += 1);
        assert_eq!(near, 1, "{position}");
    }
    // The same fill again makes no particles and says so.
    assert_eq!(filling.add(drop, Vec3::ZERO, &open).unwrap(), 0);
    assert_eq!(filling.notes().last().unwrap(), "fill 3 (sphere) made no particles");
}

/// Contract: particles inside solids are left out and counted; a box thinner than a spacing gives
/// no particles and says so.
#[test]
fn solids_and_thin_boxes_are_noted() {
    let ball = ClosedShape::new(sphere(Vec3::splat(0.5), 0.3, 4)).unwrap();
    let mut filling = Filling::new(0.05, &[]).unwrap();
    let room = Volume::Box { min: Vec3::ZERO, max: Vec3::ONE };
    let made = filling.add(room, Vec3::ZERO, &|point| ball.signed_distance(point)).unwrap();
    let left_out = 8000 - made;
    let note = &filling.notes()[0];
    assert!(left_out > 900 && note.contains(&format!("{left_out} of 8000")), "{note}");
    assert!(filling.positions().iter().all(|&p| ball.signed_distance(p) > 0.0249));
    let sheet = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1.0, 0.04, 1.0) };
    assert_eq!(filling.add(sheet, Vec3::ZERO, &open).unwrap(), 0);
    let note = &filling.notes()[1];
    assert_eq!(note, "fill 2 (box) made no particles: it is too small for a spacing of 0.05 m");
}

/// Contract: impossible spacings, boxes, radii and velocities are refused, and so are fills that
/// no machine could hold.
#[test]
fn bad_fills_are_refused() {
    for spacing in [0.0, -0.1, f32::NAN] {
        assert!(matches!(Filling::new(spacing, &[]), Err(SceneError::Length { .. })));
    }
    assert!(Filling::new(0.1, &[Vec3::NAN]).is_err());
    let room = Volume::Box { min: Vec3::ZERO, max: Vec3::ONE };
    let mut filling = Filling::new(0.1, &[]).unwrap();
    assert!(filling.add(room, Vec3::NAN, &open).is_err());
    assert!(matches!(lattice_points(room, 1e-4), Err(SceneError::TooMany { .. })));
    let endless = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1e30, 1e30, 1e-6) };
    assert!(matches!(lattice_points(endless, 1e-4), Err(SceneError::TooMany { .. })));
    let crossed = Volume::Box { min: Vec3::ONE, max: Vec3::ZERO };
    assert!(
        matches!(lattice_points(crossed, 0.1), Err(SceneError::Setting(empty)) if empty.message.contains("empty along"))
    );
    for radius in [0.0, -1.0, f32::INFINITY] {
        let ball = Volume::Sphere { center: Vec3::ZERO, radius };
        assert!(matches!(lattice_points(ball, 0.1), Err(SceneError::Length { .. })));
    }
}

/// Contract: a fill is written as `{ box = { min, max, velocity } }`, the velocity may be left
/// out, unknown keys are refused, and a mesh fill asks for its file.
#[test]
fn fills_are_written_by_shape() {
    let read = |written: Schema| Fill::deserialize(written.to_value());
    let fill = read(json_schema!({ "box": { "min": [0, 0, 0], "max": [1, 2, 3] } })).unwrap();
    let expected = BoxFill { min: [0.0; 3], max: [1.0, 2.0, 3.0], velocity: [0.0; 3] };
    assert_eq!(fill, Fill::Box(expected));
    assert_eq!(lattice_points(fill.volume(None).unwrap(), 1.0).unwrap().len(), 6);

    let ball = json_schema!({
        "sphere": { "center": [0, 0, 0], "radius": 1, "velocity": [0, -1, 0] }
    });
    let ball = read(ball).unwrap();
    assert_eq!(ball.velocity(), -Vec3::Y);
    assert!(matches!(ball.volume(None), Ok(Volume::Sphere { radius: 1.0, .. })));
    let misspelt = json_schema!({ "sphere": { "center": [0, 0, 0], "radius": 1, "speed": 2 } });
    assert!(read(misspelt).is_err());

    let mesh = read(json_schema!({ "mesh": { "path": "bunny.obj" } })).unwrap();
    assert_eq!((mesh.path(), mesh.velocity()), (Some("bunny.obj"), Vec3::ZERO));
    assert!(matches!(mesh.volume(None), Err(SceneError::EmptyMesh)));
    let shape = ClosedShape::new(block(Vec3::ZERO, Vec3::ONE)).unwrap();
    assert!(matches!(mesh.volume(Some(&shape)), Ok(Volume::Mesh(_))));
}
