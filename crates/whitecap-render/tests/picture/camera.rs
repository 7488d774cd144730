//! Lens, shutter and projection.

use std::sync::Arc;

use whitecap_core::{Column, TriMesh};
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Moving, Rectangle, Sphere};
use whitecap_render::{
    Camera, Material, MeshOptions, Pass, PixelFilter, RenderSettings, Scene, Shape, TriangleMesh,
};

use crate::picture;

fn sharp(width: u32, height: u32, samples: u32) -> RenderSettings {
    RenderSettings {
        width,
        height,
        samples,
        noise: 0.0,
        filter: PixelFilter::Box,
        filter_width: 1.0,
        ..RenderSettings::default()
    }
}

fn scene_of(shape: Arc<dyn Shape>, camera: Camera) -> Scene {
    let mut scene = Scene { camera, ..Scene::default() };
    let material = scene.add_material(Material::glowing(Vec3::ONE));
    scene.add("shape", shape, material);
    scene
}

fn alpha(scene: &Scene, settings: &RenderSettings) -> Vec<f32> {
    picture(scene, settings).numbers("alpha", "A").unwrap().to_vec()
}

/// A lens keeps what is in focus sharp and blurs the rest, without losing light.
#[test]
fn depth_of_field() {
    let ball =
        |distance: f32| Arc::new(Sphere { center: Vec3::new(0.0, 0.0, -distance), radius: 0.05 });
    let pinhole = Camera::looking(Vec3::ZERO, Vec3::NEG_Z, 10.0);
    let lens = Camera { lens_radius: 0.05, focus_distance: Some(2.0), ..pinhole.clone() };
    let settings = sharp(41, 41, 64);
    let covered = |alpha: &[f32]| alpha.iter().filter(|&&a| a > 0.02).count();
    let count = |distance: f32, camera: &Camera| {
        let alpha = alpha(&scene_of(ball(distance), camera.clone()), &settings);
        (covered(&alpha), alpha.iter().sum::<f32>())
    };
    let (in_focus, _) = count(2.0, &lens);
    let (in_focus_pinhole, _) = count(2.0, &pinhole);
    assert!(in_focus.abs_diff(in_focus_pinhole) < in_focus_pinhole / 4);
    let (blurred, light) = count(4.0, &lens);
    let (sharp, sharp_light) = count(4.0, &pinhole);
    assert!(blurred > 2 * sharp, "{blurred} {sharp}");
    assert!((light / sharp_light - 1.0).abs() < 0.1, "{light} {sharp_light}");
}

/// The edge of a sheet that moves across the picture covers each pixel for the part of the shutter during
/// which it is there: a ramp.
#[test]
fn motion_blur() {
    let camera = Camera {
        projection: whitecap_render::Projection::Orthographic,
        height: 1.0,
        shutter: [0.0, 0.1],
        ..Camera::looking(Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO, 10.0)
    };
    // At first its right edge is at x = -1; after the shutter, at x = 1.
    let velocity = Vec3::new(20.0, 0.0, 0.0);
    let sheet = Rectangle {
        corner: Vec3::new(-4.0, -1.0, 0.0),
        edge_u: Vec3::new(3.0, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 2.0, 0.0),
    };
    let corners = [Vec3::ZERO, sheet.edge_u, sheet.edge_u + sheet.edge_v, sheet.edge_v];
    let positions = corners.map(|offset| sheet.corner + offset).to_vec();
    let mut mesh = TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    mesh.set_attribute("velocity", Column::Vec3(vec![velocity; 4])).unwrap();
    let options = MeshOptions { shutter: [0.0, 0.1], ..MeshOptions::default() };
    let shapes: [Arc<dyn Shape>; 2] = [
        Arc::new(Moving::new(sheet, velocity, [0.0, 0.1])),
        Arc::new(TriangleMesh::new(mesh, options).unwrap()),
    ];
    for shape in shapes {
        let alpha = alpha(&scene_of(shape, camera.clone()), &sharp(20, 10, 256));
        for column in 0..20 {
            let expected = 1.0 - (column as f32 + 0.5) / 20.0;
            let found = alpha[5 * 20 + column];
            assert!((found - expected).abs() < 0.03, "{column}: {found} {expected}");
        }
    }
}

/// The motion layer leads from a point to where it was in the previous frame, and from where it will be in
/// the next frame to the point, in pixels right and up; depth is measured from the camera's plane.
#[test]
fn motion_and_depth_layers() {
    let velocity = Vec3::new(2.4, -1.2, 0.0);
    let sheet = Rectangle {
        corner: Vec3::new(-10.0, -10.0, -3.0),
        edge_u: Vec3::new(20.0, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 20.0, 0.0),
    };
    let camera = Camera::looking(Vec3::ZERO, Vec3::NEG_Z, 90.0);
    let scene = scene_of(Arc::new(Moving::new(sheet, velocity, [0.0, 0.0])), camera);
    let settings = RenderSettings {
        passes: vec![Pass::Motion, Pass::Depth, Pass::Velocity],
        ..sharp(60, 60, 1)
    };
    let picture = picture(&scene, &settings);
    // At a distance of 3 m the picture is 6 m high: ten pixels a metre, and 0.1 m a frame.
    for pixel in 0..60 * 60 {
        let motion = ["X", "Y", "Z", "W"].map(|c| picture.numbers("motion", c).unwrap()[pixel]);
        // It moves right and down: it was to the left and above, and the way back leads there.
        for (found, expected) in motion.into_iter().zip([-1.0, 0.5, -1.0, 0.5]) {
            assert!((found - expected).abs() < 1e-3, "{motion:?}");
        }
        assert!((picture.numbers("depth", "Z").unwrap()[pixel] - 3.0).abs() < 1e-4);
    }
    assert!(picture.rgb("velocity").unwrap().iter().all(|v| v.distance(velocity) < 1e-5));
}

/// A camera that moves makes what is at rest move the other way, by what it moves before and after.
#[test]
fn the_motion_layer_knows_a_moving_camera() {
    let sheet = Rectangle {
        corner: Vec3::new(-10.0, -10.0, -3.0),
        edge_u: Vec3::new(20.0, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 20.0, 0.0),
    };
    let camera = |x: f32| {
        let position = Vec3::new(x, 0.0, 0.0);
        Camera::looking(position, position + Vec3::NEG_Z, 90.0)
    };
    let mut scene = scene_of(Arc::new(sheet), camera(0.0));
    scene.cameras_around = Some([camera(-0.1), camera(0.3)]);
    let settings = RenderSettings { passes: vec![Pass::Motion], ..sharp(60, 60, 1) };
    let picture = picture(&scene, &settings);
    for (channel, expected) in [("X", 1.0), ("Y", 0.0), ("Z", 3.0), ("W", 0.0)] {
        let found = picture.numbers("motion", channel).unwrap()[1830];
        assert!((found - expected).abs() < 1e-3, "{channel}: {found}");
    }
}

/// The camera's matrices put a point where the picture shows it, in a part of the picture too.
#[test]
fn matrices_agree_with_the_picture() {
    use whitecap_render::shapes::Sphere;
    let ball = Sphere { center: Vec3::new(0.3, 0.9, -0.4), radius: 0.02 };
    let perspective = Camera::looking(Vec3::new(1.0, 2.0, 4.0), Vec3::new(0.1, 0.5, 0.0), 40.0);
    let parallel = Camera {
        projection: whitecap_render::Projection::Orthographic,
        height: 3.0,
        ..perspective.clone()
    };
    for (camera, region) in
        [(&perspective, None), (&parallel, None), (&perspective, Some([0.25, 0.0, 1.0, 0.75]))]
    {
        let settings = RenderSettings { region, ..sharp(400, 200, 1) };
        let matrices = camera.matrices(&settings).unwrap();
        let there = matrices.world_to_picture.project_point3(ball.center);
        let picture = picture(&scene_of(Arc::new(ball), camera.clone()), &settings);
        let alpha = picture.numbers("alpha", "A").unwrap();
        let width = picture.width as usize;
        let covered: Vec<usize> = (0..alpha.len()).filter(|&pixel| alpha[pixel] > 0.5).collect();
        let mean = |coordinate: &dyn Fn(usize) -> usize| {
            let sum: usize = covered.iter().map(|&pixel| coordinate(pixel)).sum();
            sum as f32 / covered.len() as f32 + 0.5
        };
        let x = mean(&|pixel| pixel % width) / picture.width as f32 * 2.0 - 1.0;
        let y = 1.0 - mean(&|pixel| pixel / width) / picture.height as f32 * 2.0;
        assert!((there.x - x).abs() < 0.01 && (there.y - y).abs() < 0.01, "{there} {x} {y}");
        let in_front = matrices.world_to_camera.transform_point3(ball.center);
        assert!(in_front.z < 0.0);
    }
}
