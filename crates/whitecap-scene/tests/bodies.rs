//! Contracts of solids: distances, motion, and that no particle ends inside one.

mod shapes;

use shapes::{block, joined, points_in_cube, sphere};
use whitecap_core::glam::{Quat, Vec3};
use whitecap_core::transform::KeyframeError;
use whitecap_core::{Transform, TriMesh};
use whitecap_scene::SceneError;
use whitecap_scene::body::{AnimatedBody, BodyPose, Contact, slide};

const CONTACT: Contact = Contact { margin: 0.01, friction: 0.0, reach: f32::INFINITY };

fn pose(mesh: TriMesh) -> BodyPose {
    AnimatedBody::at_rest(mesh).unwrap().at(0.0).unwrap()
}

/// Signed distance to a box, negative inside.
fn block_distance(min: Vec3, max: Vec3, p: Vec3) -> f32 {
    let outside = (min - p).max(p - max);
    outside.max(Vec3::ZERO).length() + outside.max_element().min(0.0)
}

/// Contract: distances to a block are exact inside, outside, at edges and corners, and the normal
/// is the direction in which the distance grows.
#[test]
fn distances_are_exact() {
    let (min, max) = (Vec3::new(-0.5, -0.3, -0.4), Vec3::new(0.4, 0.3, 0.6));
    let solid = pose(block(min, max));
    for point in points_in_cube(5000) {
        let found = solid.nearest(point, f32::INFINITY).unwrap();
        assert!((found.distance - block_distance(min, max, point)).abs() < 1e-6, "{point}");
        assert_eq!(solid.contains(point), found.distance < 0.0, "{point}");
        let further = block_distance(min, max, point + 1e-3 * found.normal);
        assert!((further - found.distance - 1e-3).abs() < 1e-5, "{point}: {}", found.normal);
    }
    assert!(solid.nearest(Vec3::splat(3.0), 0.5).is_none());
    assert!(solid.nearest(Vec3::NAN, 0.5).is_none());
}

/// Contract: a plate a tenth of a millimetre thick has an inside, and particles in it or too near
/// leave it by the near side.
#[test]
fn thin_solids_are_solid() {
    let plate = pose(block(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 1e-4, 1.0)));
    for (height, expected) in [(2e-5, -2e-5), (7e-5, -3e-5), (3e-4, 2e-4), (-1e-3, 1e-3)] {
        let found = plate.signed_distance(Vec3::new(0.2, height, 0.3));
        assert!((found - expected).abs() < 1e-7, "{found} at {height}");
    }
    let pushed = |height: f32| {
        plate.push_out(Vec3::new(0.2, height, 0.3), Vec3::ZERO, &CONTACT).unwrap().0.y
    };
    assert!((pushed(7e-5) - 0.0101).abs() < 1e-5);
    assert!((pushed(2e-5) + 0.01).abs() < 1e-5);
}

/// Contract: wherever a particle is, after being pushed out it is outside and keeps the margin,
/// for convex, concave and overlapping solids; one that is far enough away stays.
#[test]
fn nothing_stays_inside() {
    let notch = joined(
        &block(Vec3::new(-0.8, -0.8, -0.8), Vec3::new(0.8, 0.0, 0.8)),
        &block(Vec3::new(-0.8, -0.5, -0.8), Vec3::new(0.0, 0.8, 0.8)),
    );
    let shapes = [
        ("sphere", sphere(Vec3::ZERO, 0.7, 4)),
        ("block", block(-0.6 * Vec3::ONE, 0.5 * Vec3::ONE)),
        ("overlap", notch),
    ];
    for (name, mesh) in shapes {
        let solid = pose(mesh.clone());
        let near_surface = mesh.positions().iter().map(|&vertex| 0.999 * vertex);
        for point in points_in_cube(3000).chain(near_surface) {
            let before = solid.signed_distance(point);
            match solid.push_out(point, Vec3::ZERO, &CONTACT) {
                None => assert!(before >= CONTACT.margin, "{name}: {point} stays at {before}"),
                Some((place, _)) => {
                    let after = solid.signed_distance(place);
                    assert!(
                        before < CONTACT.margin && after > 0.9 * CONTACT.margin,
                        "{name}: {point} went from {before} to {after}"
                    );
                }
            }
        }
    }
}

/// Contract: pushing out removes the velocity into the solid and nothing else; friction slows
/// the rest by its share of what was removed, and a particle that is leaving is not changed.
#[test]
fn velocities_slide() {
    let (into, normal) = (Vec3::new(3.0, -2.0, 0.0), Vec3::Y);
    assert_eq!(slide(into, Vec3::ZERO, normal, 0.0), Vec3::new(3.0, 0.0, 0.0));
    let slowed = slide(into, Vec3::ZERO, normal, 0.5);
    assert!(slowed.distance(Vec3::new(2.0, 0.0, 0.0)) < 1e-6);
    assert_eq!(slide(into, Vec3::ZERO, normal, 10.0), Vec3::ZERO);
    assert_eq!(slide(Vec3::Y, Vec3::ZERO, normal, 1.0), Vec3::Y);
    // A wall that moves up carries the particle along.
    assert_eq!(slide(Vec3::X, Vec3::Y, normal, 0.0), Vec3::new(1.0, 1.0, 0.0));
}

/// Contract: a rigid solid turns and moves as its keys say: its samples stay on it, move with the
/// velocity of its material, and distances are those of the placed mesh.
#[test]
fn rigid_solids_move_with_their_keys() {
    let (min, max) = (Vec3::new(-0.2, -0.05, -0.1), Vec3::new(0.2, 0.05, 0.1));
    let quarter = Transform {
        rotation: Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
        translation: Vec3::new(1.0, 0.5, 0.0),
        scale: 2.0,
    };
    let keys = vec![(0.0, Transform::IDENTITY), (2.0, quarter)];
    let solid = AnimatedBody::rigid(block(min, max), keys).unwrap();
    let samples = solid.sample(0.05).unwrap();
    let at_end = solid.at(2.0).unwrap();
    for &position in &at_end.positions(&samples) {
        assert!(at_end.signed_distance(position).abs() < 1e-6);
    }
    for point in points_in_cube(500) {
        let local = quarter.inverse().unwrap().point(point);
        let expected = 2.0 * block_distance(min, max, local);
        assert!((at_end.signed_distance(point) - expected).abs() < 2e-6, "{point}");
    }
    let [before, now, after] = [0.99, 1.0, 1.01].map(|time| solid.at(time).unwrap());
    let velocities = now.velocities(&samples);
    let (before, after) = (before.positions(&samples), after.positions(&samples));
    for ((a, b), velocity) in before.iter().zip(&after).zip(velocities) {
        assert!(((b - a) / 0.02).distance(velocity) < 1e-3);
    }
}

/// Contract: a deforming solid passes through its frames, moves between three of them on the parabola
/// through them with the velocity of that motion, and is at rest before and after.
#[test]
fn deforming_solids_pass_through_their_frames() {
    let first = block(Vec3::ZERO, Vec3::ONE);
    let stretched = |amount: f32| {
        let mut mesh = first.clone();
        mesh.positions_mut().iter_mut().for_each(|p| p.x *= amount);
        mesh
    };
    let frames = vec![(0.0, first.clone()), (0.5, stretched(2.0)), (1.0, stretched(1.5))];
    let solid = AnimatedBody::in_memory(frames).unwrap();
    let samples = solid.sample(0.1).unwrap();
    let tip = |solid: &AnimatedBody, time| {
        let pose = solid.at(time).unwrap();
        let found = pose.nearest(Vec3::new(3.0, 0.5, 0.5), f32::INFINITY).unwrap();
        (found.point.x, found.velocity.x)
    };
    for (time, place, speed) in [
        (-1.0, 1.0, 0.0),
        (0.25, 1.6875, 2.0),
        (0.5, 2.0, 0.5),
        (0.75, 1.9375, -1.0),
        (1.5, 1.5, 0.0),
    ] {
        let (found, velocity) = tip(&solid, time);
        assert!((found - place).abs() < 1e-5 && (velocity - speed).abs() < 1e-5, "at {time}");
    }
    let pose = solid.at(0.6).unwrap();
    assert!(pose.positions(&samples).iter().all(|&p| pose.signed_distance(p).abs() < 1e-6));
}

/// Contract: a particle that jumps across a thin plate in one step is held on its side and slides;
/// a thin blade that sweeps over a particle at rest carries it along, rigid or deforming.
#[test]
fn nothing_tunnels_through_a_thin_solid() {
    let plate = block(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.001, 1.0));
    let still = pose(plate);
    let (from, to) = (Vec3::new(0.0, 0.05, 0.0), Vec3::new(0.1, -0.05, 0.0));
    let velocity = Vec3::new(10.0, -10.0, 0.0);
    let (place, speed) = still.collide(&still, from, to, velocity, &CONTACT).unwrap();
    assert!(place.distance(Vec3::new(0.1, 0.011, 0.0)) < 1e-4, "{place}");
    assert!(speed.distance(Vec3::new(10.0, 0.0, 0.0)) < 1e-4, "{speed}");
    assert_eq!(still.collide(&still, from, from + 0.01 * Vec3::X, velocity, &CONTACT), None);

    let blade = block(Vec3::new(-0.001, -1.0, -1.0), Vec3::new(0.0, 1.0, 1.0));
    let push = Transform::from_translation(Vec3::X);
    let mut moved = blade.clone();
    moved.positions_mut().iter_mut().for_each(|p| *p += Vec3::X);
    let resting = Vec3::new(0.03, 0.2, 0.1);
    for solid in [
        AnimatedBody::rigid(blade.clone(), vec![(0.0, Transform::IDENTITY), (1.0, push)]).unwrap(),
        AnimatedBody::in_memory(vec![(0.0, blade), (1.0, moved)]).unwrap(),
    ] {
        let (before, after) = (solid.at(0.0).unwrap(), solid.at(0.1).unwrap());
        let (place, speed) =
            after.collide(&before, resting, resting, Vec3::ZERO, &CONTACT).unwrap();
        assert!(place.distance(Vec3::new(0.11, 0.2, 0.1)) < 1e-4, "{place}");
        assert!(speed.distance(Vec3::X) < 1e-4, "{speed}");
    }
}

/// Contract: random flights inside a thin, rotating shell, in many small steps, never end inside
/// its wall or pass through it.
#[test]
fn particles_stay_on_their_side_of_a_turning_shell() {
    let inner = sphere(Vec3::ZERO, 0.49, 3).flipped();
    let shell = joined(&sphere(Vec3::ZERO, 0.5, 3), &inner);
    let spin = Transform::from_rotation(Quat::from_rotation_z(3.0));
    let solid = AnimatedBody::rigid(shell, vec![(0.0, Transform::IDENTITY), (1.0, spin)]).unwrap();
    let contact = Contact { margin: 0.002, friction: 0.1, reach: 0.1 };
    let mut particles: Vec<(Vec3, Vec3)> = points_in_cube(400)
        .zip(points_in_cube(900).skip(500))
        .map(|(p, v)| (0.4 * p.normalize_or(Vec3::X), 4.0 * v))
        .collect();
    let step = 0.01;
    let mut earlier = solid.at(0.0).unwrap();
    for i in 1..=100 {
        let now = solid.at(step * f64::from(i)).unwrap();
        for (position, velocity) in &mut particles {
            let target = *position + *velocity * step as f32;
            let result = now.collide(&earlier, *position, target, *velocity, &contact);
            let (place, speed) = result.unwrap_or((target, *velocity));
            // Thrown back inward, so that it flies on.
            let bounced = if result.is_some() { speed - 0.5 * place } else { speed };
            (*position, *velocity) = (place, bounced);
            assert!(place.length() < 0.49 && !now.contains(place), "step {i}: {place}");
        }
        earlier = now;
    }
}

/// Contract: a mesh that is open, inconsistently oriented, empty, flat or not finite is refused
/// with a sentence that says what to do; one that is inside out is flipped.
#[test]
fn bad_meshes_are_refused() {
    let good = block(Vec3::ZERO, Vec3::ONE);
    let with_triangles =
        |triangles: Vec<[u32; 3]>| TriMesh::new(good.positions().to_vec(), triangles).unwrap();
    let open = with_triangles(good.triangles()[1..].to_vec());
    let refused = AnimatedBody::at_rest(open).unwrap_err();
    assert_eq!(refused, SceneError::NotClosed { open_edges: 3 });
    assert!(
        refused.to_string().contains("3 edges") && refused.to_string().contains("fill its holes")
    );

    let mut triangles = good.triangles().to_vec();
    triangles[0].swap(0, 1);
    let refused = AnimatedBody::at_rest(with_triangles(triangles)).unwrap_err();
    assert_eq!(refused, SceneError::Orientation { edges: 3 });

    assert_eq!(AnimatedBody::at_rest(TriMesh::default()).unwrap_err(), SceneError::EmptyMesh);
    let flat = block(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(AnimatedBody::at_rest(flat).unwrap_err(), SceneError::NoVolume);
    let mut broken = good.clone();
    broken.positions_mut()[5].z = f32::INFINITY;
    let refused = AnimatedBody::at_rest(broken).unwrap_err();
    assert!(matches!(refused, SceneError::NonFiniteVertex { vertex: 5, .. }));

    let turned = pose(good.flipped());
    assert!((turned.signed_distance(Vec3::splat(0.5)) + 0.5).abs() < 1e-6);
}

/// Contract: keys out of order and frames with other triangles, other counts or times that do not
/// ascend are refused by number.
#[test]
fn bad_motions_are_refused() {
    let good = block(Vec3::ZERO, Vec3::ONE);
    let still = Transform::IDENTITY;
    let refused = AnimatedBody::rigid(good.clone(), vec![(1.0, still), (0.5, still)]).unwrap_err();
    let expected = KeyframeError::TimeOrder { index: 1, time: 0.5, previous: 1.0 };
    assert_eq!(refused, SceneError::Keyframes(expected));

    let other = sphere(Vec3::ZERO, 1.0, 1);
    let frames = vec![(0.0, good.clone()), (1.0, good.clone()), (2.0, other)];
    let refused = AnimatedBody::in_memory(frames).unwrap_err();
    assert!(matches!(refused, SceneError::Topology { vertices: 96, .. }), "{refused}");
    assert!(refused.to_string().starts_with("frame 2 of the deforming mesh has 96 vertices"));

    let frames = vec![(0.0, good.clone()), (0.0, good.clone())];
    let refused = AnimatedBody::in_memory(frames).unwrap_err();
    assert_eq!(refused, SceneError::FrameTime { frame: 1, time: 0.0, previous: 0.0 });
    assert!(matches!(
        AnimatedBody::in_memory(vec![(f64::NAN, good.clone())]),
        Err(SceneError::FrameTime { frame: 0, .. })
    ));
    assert!(matches!(AnimatedBody::in_memory(vec![]), Err(SceneError::NoFrame)));
    let fixed = AnimatedBody::at_rest(good).unwrap();
    assert!(fixed.sample(0.0).is_err());
}
