//! Contracts of walls in closed form.

mod shapes;

use shapes::points_in_cube;
use whitecap_core::glam::Vec3;
use whitecap_scene::setting::SettingError;
use whitecap_scene::{
    shape::{BoxShape, PlaneShape, Side},
    walls::Walls,
};

fn shape(min: [f32; 3], max: [f32; 3]) -> BoxShape {
    BoxShape { min, max }
}

fn tank() -> Walls {
    Walls::new()
        .with_domain(shape([-0.8; 3], [0.8; 3]), &[])
        .unwrap()
        .with_obstacle(shape([-0.3, -0.8, -0.3], [0.2, 0.1, 0.4]))
        .unwrap()
        .with_plane(PlaneShape { point: [-0.8, -0.6, 0.0], normal: [1.0, 2.0, 0.0] })
        .unwrap()
}

/// Contract: distances are negative outside the domain, in obstacles and behind planes, and right.
#[test]
fn distances_to_walls() {
    let walls = Walls::new().with_domain(shape([0.0; 3], [1.0, 2.0, 1.0]), &[]).unwrap();
    let walls = walls.with_obstacle(shape([0.4, 0.0, 0.4], [0.6, 1.0, 0.6])).unwrap();
    let distance = |x, y, z| walls.signed_distance(Vec3::new(x, y, z));
    assert!((distance(0.1, 1.0, 0.5) - 0.1).abs() < 1e-6);
    assert!((distance(1.2, 1.0, 0.5) + 0.2).abs() < 1e-6);
    assert!((distance(0.5, 0.95, 0.5) + 0.05).abs() < 1e-6);
    assert!((distance(0.63, 1.04, 0.5) - 0.05).abs() < 1e-6);
    assert_eq!(Walls::new().signed_distance(Vec3::ZERO), f32::INFINITY);
    let slope = Walls::new()
        .with_plane(PlaneShape { point: [0.0, 1.0, 0.0], normal: [0.0, 5.0, 0.0] })
        .unwrap();
    assert_eq!(slope.nearest(Vec3::new(7.0, 3.0, 1.0)), Some((2.0, Vec3::Y)));
}

/// Contract: after being pushed out a particle keeps the margin from every wall, even from within an
/// obstacle that stands on the floor, in the corners of the tank and under the slope; others stay.
#[test]
fn nothing_stays_in_a_wall() {
    let (walls, margin) = (tank(), 0.02);
    for point in points_in_cube(20_000) {
        let before = walls.signed_distance(point);
        match walls.push_out(point, Vec3::ZERO, margin, 0.0) {
            None => assert!(before >= margin - 1e-6, "{point} stays at {before}"),
            Some((place, _)) => {
                let after = walls.signed_distance(place);
                assert!(after >= margin - 1e-5, "{point} went from {before} to {after}");
            }
        }
    }
    assert_eq!(walls.push_out(Vec3::NAN, Vec3::ZERO, margin, 0.0), None);
}

/// Contract: open sides let particles out, and in a gap narrower than two margins they go to the
/// middle.
#[test]
fn open_sides_and_narrow_gaps() {
    let open = Walls::new().with_domain(shape([0.0; 3], [1.0; 3]), &[Side::HighY, Side::LowX]);
    let open = open.unwrap();
    assert_eq!(open.push_out(Vec3::new(-5.0, 9.0, 0.5), Vec3::ZERO, 0.01, 0.0), None);
    let velocity = Vec3::new(1.0, -2.0, 3.0);
    let (place, speed) = open.push_out(Vec3::new(0.5, -0.1, 1.2), velocity, 0.01, 0.0).unwrap();
    assert!(place.distance(Vec3::new(0.5, 0.01, 0.99)) < 1e-6);
    assert_eq!(speed, Vec3::X);
    let slit = Walls::new().with_domain(shape([0.0; 3], [0.01, 1.0, 1.0]), &[]).unwrap();
    let (place, _) = slit.push_out(Vec3::new(0.5, 0.5, 0.5), Vec3::ZERO, 0.02, 0.0).unwrap();
    assert!((place.x - 0.005).abs() < 1e-6, "{place}");
}

/// Contract: boxes with crossed corners, planes without a direction and numbers that are not
/// finite are refused.
#[test]
fn bad_walls_are_refused() {
    let crossed = shape([0.0, 1.0, 0.0], [1.0, 0.0, 1.0]);
    let refused = Walls::new().with_domain(crossed, &[]).unwrap_err();
    assert_eq!(refused, whitecap_scene::shape::empty_box('y'));
    assert!(Walls::new().with_obstacle(shape([f32::NAN; 3], [1.0; 3])).is_err());
    let plane = PlaneShape { point: [0.0; 3], normal: [0.0; 3] };
    let refused = Walls::new().with_plane(plane).unwrap_err();
    let sentence = "the normal of a plane has no direction: it must not be zero";
    assert_eq!(refused, SettingError::new("normal", sentence));
}
