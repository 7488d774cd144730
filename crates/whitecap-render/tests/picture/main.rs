//! Contracts of pictures: light in closed form, the same bits for any number of threads, layers,
//! camera, and input that makes no sense.

mod camera;
mod contracts;
mod layers;
mod light;
mod media;

use std::sync::Arc;

use whitecap_core::Unwatched;
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::Plane;
use whitecap_render::{Camera, Material, Projection, RenderSettings, Rendered, Scene, render};

/// A few pixels that all look at the same spot: a camera of parallel rays, a millimetre wide.
fn spot_camera(position: Vec3, target: Vec3) -> Camera {
    Camera {
        projection: Projection::Orthographic,
        height: 1e-3,
        ..Camera::looking(position, target, 40.0)
    }
}

fn settings(samples: u32) -> RenderSettings {
    RenderSettings { width: 4, height: 4, samples, noise: 0.0, ..RenderSettings::default() }
}

fn picture(scene: &Scene, settings: &RenderSettings) -> Rendered {
    let picture = render(scene, settings, &Unwatched).unwrap();
    assert_eq!(picture.statistics.lost_paths, 0);
    picture
}

/// Mean radiance of a picture.
fn mean(scene: &Scene, settings: &RenderSettings) -> Vec3 {
    let pixels = picture(scene, settings).rgb("beauty").unwrap();
    pixels.iter().sum::<Vec3>() / pixels.len() as f32
}

/// A grey floor seen from the side, at the origin.
fn floor_scene(albedo: f32) -> Scene {
    let mut scene = Scene::default();
    let grey = scene.add_material(Material::diffuse(Vec3::splat(albedo)));
    scene.add("floor", Arc::new(Plane::floor(0.0)), grey);
    scene.camera = spot_camera(Vec3::new(2.0, 0.5, 0.3), Vec3::ZERO);
    scene
}

#[track_caller]
fn assert_near(found: f32, expected: f32, tolerance: f32) {
    let error = (found - expected).abs() / expected.abs();
    assert!(error < tolerance, "found {found}, expected {expected}: {error:.4}");
}
