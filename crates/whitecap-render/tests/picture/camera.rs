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

/// The motion layer says how many pixels a point moves until the next frame, to the right and down;
/// depth is measured from the camera's plane.
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
        let motion = |channel| picture.numbers("motion", channel).unwrap()[pixel];
        assert!((motion("X") - 1.0).abs() < 1e-3 && (motion("Y") - 0.5).abs() < 1e-3);
        assert!((picture.numbers("depth", "Z").unwrap()[pixel] - 3.0).abs() < 1e-4);
    }
    assert!(picture.rgb("velocity").unwrap().iter().all(|v| v.distance(velocity) < 1e-5));
}
