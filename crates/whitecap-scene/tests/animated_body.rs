//! Contracts of bodies between their frames: how accurate their motion is, and that it depends on nothing
//! but the frames.

mod shapes;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use shapes::{block, sphere};
use whitecap_core::glam::{Quat, Vec3};
use whitecap_core::{Column, Transform, TriMesh, attributes};
use whitecap_scene::SceneError;
use whitecap_scene::body::{AnimatedBody, BodyFrames, MeshMotion};

/// A block that sways, turns and swells.
fn swaying(time: f64) -> TriMesh {
    let mut mesh = block(Vec3::splat(-0.5), Vec3::splat(0.5));
    for position in mesh.positions_mut() {
        *position = sway(*position, time);
    }
    mesh
}

fn sway(point: Vec3, time: f64) -> Vec3 {
    let turn = Quat::from_rotation_z((2.0 * time).sin() as f32);
    let swell = 1.0 + 0.2 * (5.0 * time).cos() as f32;
    turn * (point * swell) + Vec3::new((3.0 * time).sin() as f32, 0.0, (4.0 * time).cos() as f32)
}

/// Frames from a function of time, made when they are requested.
#[derive(Debug)]
struct Made {
    times: Vec<f64>,
    asked: AtomicUsize,
}

impl Made {
    fn new(times: Vec<f64>) -> Arc<Self> {
        Arc::new(Self { times, asked: AtomicUsize::new(0) })
    }

    fn at_rate(fps: f64) -> Arc<Self> {
        Self::new((0..=fps as usize).map(|frame| frame as f64 / fps).collect())
    }
}

impl BodyFrames for Made {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn mesh(&self, frame: usize) -> Result<TriMesh, String> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(swaying(self.times[frame]))
    }
}

/// Largest distance of a vertex from its place in the true motion, within a second.
fn largest_error(times: Vec<f64>) -> f32 {
    let motion = MeshMotion::sequence(Made::new(times)).unwrap();
    let moments = (1..400).map(|i| f64::from(i) / 400.0);
    moments.fold(0.0, |largest, time| {
        let (mesh, _) = motion.at(time).unwrap();
        let exact = swaying(time);
        let pairs = mesh.positions().iter().zip(exact.positions());
        pairs.map(|(a, b)| a.distance(*b)).fold(largest, f32::max)
    })
}

/// Contract: from 24 to 48 to 96 frames per second the error between frames falls at least with the third
/// power, the ends of the sequence included, and for unevenly spaced frames too.
#[test]
fn motion_between_frames_is_of_third_order() {
    let even = |fps: f64| (0..=fps as usize).map(|frame| frame as f64 / fps).collect();
    let uneven = |fps: f64| {
        let place = |frame: usize| frame as f64 / fps;
        (0..=fps as usize)
            .map(|frame| place(frame) + 0.05 * (6.3 * place(frame)).sin() * 0.5)
            .collect()
    };
    for (name, errors) in [
        ("even", [24.0, 48.0, 96.0].map(|fps| largest_error(even(fps)))),
        ("uneven", [24.0, 48.0, 96.0].map(|fps| largest_error(uneven(fps)))),
    ] {
        println!("{name}: errors {errors:?} m");
        assert!(errors[0] < 2e-3, "{name}: {} m at 24 frames per second", errors[0]);
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            println!("{name}: order {order:.2}");
            assert!(order > 2.8, "{name}: order {order}");
        }
    }
}

/// Contract: at a frame the body is exactly the mesh of that frame, to the bit.
#[test]
fn frames_are_passed_exactly() {
    let made = Made::at_rate(24.0);
    let motion = MeshMotion::sequence(made.clone()).unwrap();
    for (frame, &time) in made.times.iter().enumerate() {
        assert_eq!(motion.at(time).unwrap().0.positions(), made.mesh(frame).unwrap().positions());
    }
}

/// Contract: velocities are the derivatives of the positions, continuous at frames, and zero beyond the
/// sequence; the mesh carries them as a column, whether it deforms or moves rigidly.
#[test]
fn velocities_are_derivatives() {
    let deforming = MeshMotion::sequence(Made::at_rate(24.0)).unwrap();
    let quarter = Transform::from_rotation(Quat::from_rotation_y(1.5));
    let rigid =
        MeshMotion::rigid(swaying(0.0), vec![(0.0, Transform::IDENTITY), (1.0, quarter)]).unwrap();
    let step = 1e-3;
    for motion in [&deforming, &rigid] {
        for time in [0.1, 0.25, 0.501, 0.75, 0.97] {
            let [before, after] = [time - step, time + step].map(|t| motion.at(t).unwrap().0);
            let mesh = motion.mesh_at(time).unwrap();
            let Some(Column::Vec3(velocities)) = mesh.attribute(attributes::VELOCITY) else {
                panic!()
            };
            for (vertex, velocity) in velocities.iter().enumerate() {
                let moved = after.positions()[vertex] - before.positions()[vertex];
                let difference = moved / (2.0 * step as f32);
                assert!(
                    difference.distance(*velocity) < 5e-3,
                    "{difference} against {velocity} at {time}"
                );
            }
        }
    }
    let frame = 7.0 / 24.0;
    let sides = [frame - 1e-9, frame + 1e-9].map(|time| deforming.at(time).unwrap().1);
    assert!(sides[0].iter().zip(&sides[1]).all(|(a, b)| a.distance(*b) < 1e-4));
    for time in [-0.5, 1.5] {
        assert!(deforming.at(time).unwrap().1.iter().all(|velocity| *velocity == Vec3::ZERO));
    }
}

/// Contract: a sequence of one frame is at rest, one of two moves in straight lines.
#[test]
fn short_sequences() {
    let [first, second] = [0.0, 0.1].map(swaying);
    let one = MeshMotion::in_memory(vec![(2.0, first.clone())]).unwrap();
    for time in [0.0, 2.0, 5.0] {
        assert_eq!(
            one.at(time).unwrap(),
            (first.clone(), vec![Vec3::ZERO; first.positions().len()])
        );
    }
    let two = MeshMotion::in_memory(vec![(0.0, first.clone()), (0.1, second.clone())]).unwrap();
    let (mesh, velocities) = two.at(0.025).unwrap();
    for (vertex, velocity) in velocities.iter().enumerate() {
        let (a, b) = (first.positions()[vertex], second.positions()[vertex]);
        assert!(mesh.positions()[vertex].distance(a.lerp(b, 0.25)) < 1e-6);
        assert!(velocity.distance((b - a) / 0.1) < 1e-4);
    }
}

/// Contract: a sequence of a rigid motion stays rigid between its frames: edges keep their lengths, and
/// the distance of a point that moves with it stays the same, each within 10⁻⁴ of the size at a fifth of
/// a turn per second.
#[test]
fn rigid_motion_keeps_distances() {
    let shape = sphere(Vec3::new(0.5, 0.0, 0.0), 0.5, 3);
    let placed = |time: f64| {
        let rotation = Quat::from_rotation_y(std::f32::consts::TAU * 0.2 * time as f32);
        Transform { rotation, translation: Vec3::X * time as f32, scale: 1.0 }
    };
    let frames = (0..=24).map(|i| f64::from(i) / 24.0).map(|t| (t, placed(t).mesh(shape.clone())));
    let body = AnimatedBody::in_memory(frames.collect()).unwrap();
    let (outside, inside) = (Vec3::new(1.2, 0.1, 0.0), Vec3::new(0.7, 0.1, 0.1));
    let still = AnimatedBody::at_rest(shape.clone()).unwrap().at(0.0).unwrap();
    for time in [0.01, 0.33, 0.52, 0.99] {
        let pose = body.at(time).unwrap();
        for point in [outside, inside] {
            let moved = pose.signed_distance(placed(time).point(point));
            assert!((moved - still.signed_distance(point)).abs() < 1e-4, "{moved} at {time}");
        }
        let mesh = pose.mesh();
        for &[a, b, _] in mesh.triangles() {
            let length = |mesh: &TriMesh| {
                mesh.positions()[a as usize].distance(mesh.positions()[b as usize])
            };
            assert!((length(&mesh) - length(&shape)).abs() < 1e-4);
        }
    }
}

/// Contract: a body's answers do not depend on what was asked before, in which order, or from how
/// many threads; at most a few frames are requested to answer for one time.
#[test]
fn answers_do_not_depend_on_the_order_of_questions() {
    let times: Vec<f64> = (0..97).map(|i| f64::from(i * 31 % 97) / 90.0 - 0.03).collect();
    let answers = |order: &[f64]| {
        let body = AnimatedBody::sequence(Made::at_rate(24.0)).unwrap();
        let mut answers: Vec<(u64, TriMesh)> =
            order.iter().map(|&time| (time.to_bits(), body.at(time).unwrap().mesh())).collect();
        answers.sort_by_key(|(time, _)| *time);
        answers
    };
    let mut ascending = times.clone();
    ascending.sort_by(f64::total_cmp);
    let expected = answers(&ascending);
    assert!(answers(&times) == expected, "another order gives other answers");
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let body = AnimatedBody::sequence(Made::at_rate(24.0)).unwrap();
        let mut found: Vec<(u64, TriMesh)> = pool.install(|| {
            times.par_iter().map(|&time| (time.to_bits(), body.at(time).unwrap().mesh())).collect()
        });
        found.sort_by_key(|(time, _)| *time);
        assert!(found == expected, "{threads} threads give other answers");
    }
    let made = Made::at_rate(24.0);
    let motion = MeshMotion::sequence(made.clone()).unwrap();
    ascending.iter().for_each(|&time| drop(motion.at(time).unwrap()));
    let asked = made.asked.load(Ordering::Relaxed);
    assert!(asked <= made.times.len() + 1, "{asked} frames were asked for");
}

/// A sequence whose last frame cannot be used.
#[derive(Debug)]
struct Broken(Result<TriMesh, String>);

impl BodyFrames for Broken {
    fn times(&self) -> &[f64] {
        &[0.0, 1.0, 2.0, 3.0]
    }

    fn mesh(&self, frame: usize) -> Result<TriMesh, String> {
        if frame == 3 { self.0.clone() } else { Ok(swaying(0.0)) }
    }

    fn name(&self, frame: usize) -> String {
        format!("hand.{frame:04}.ply")
    }
}

/// Contract: a frame with other triangles, one that cannot be read and one that is not finite are
/// refused by name, and only when they are needed; an open mesh is not a body.
#[test]
fn bad_frames_are_refused_by_name() {
    let mut far = swaying(0.0);
    far.positions_mut()[2].x = f32::NAN;
    for (last, reason) in [
        (Ok(sphere(Vec3::ZERO, 1.0, 1)), "every frame must move the same vertices"),
        (Err(String::from("there is no such file")), "there is no such file"),
        (Ok(far), "vertex 2 of the mesh is not finite"),
    ] {
        let body = AnimatedBody::sequence(Arc::new(Broken(last))).unwrap();
        assert!(body.at(0.5).is_ok());
        let refused = body.at(1.5).unwrap_err().to_string();
        assert!(refused.starts_with("hand.0003.ply") && refused.contains(reason), "{refused}");
    }
    let mut open = swaying(0.0).triangles().to_vec();
    open.pop();
    let open = TriMesh::new(swaying(0.0).positions().to_vec(), open).unwrap();
    let motion = MeshMotion::in_memory(vec![(0.0, open)]).unwrap();
    assert!(matches!(AnimatedBody::new(motion), Err(SceneError::NotClosed { .. })));
}
