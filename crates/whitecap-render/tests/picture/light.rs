//! Light on a matt floor, against closed forms.

use std::f32::consts::PI;
use std::sync::Arc;

use whitecap_core::TriMesh;
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Disc, Rectangle, Sphere};
use whitecap_render::{
    Camera, Dielectric, Environment, LightKind, Material, MeshOptions, Pass, RenderSettings, Scene,
    TextureImage, TriangleMesh,
};

use crate::{assert_near, floor_scene, mean, picture, settings};

const ALBEDO: f32 = 0.5;

/// Irradiance on the floor, computed from its radiance.
fn irradiance(scene: &Scene, samples: u32) -> f32 {
    mean(scene, &settings(samples)).x * PI / ALBEDO
}

fn lit_by(kind: LightKind) -> Scene {
    let mut scene = floor_scene(ALBEDO);
    scene.lights.push(kind.into());
    scene
}

/// A disc overhead: E = π L R² / (R² + h²).
#[test]
fn disc_light() {
    let shape = Disc { center: Vec3::new(0.0, 2.0, 0.0), normal: Vec3::NEG_Y, radius: 1.5 };
    let radiance = Vec3::splat(3.0);
    let scene = lit_by(LightKind::Disc { shape, radiance, two_sided: false });
    let expected = PI * 3.0 * 1.5 * 1.5 / (1.5 * 1.5 + 2.0 * 2.0);
    assert_near(irradiance(&scene, 256), expected, 0.01);
}

/// A ball overhead: E = π L (R / d)².
#[test]
fn sphere_light() {
    let shape = Sphere { center: Vec3::new(0.0, 2.0, 0.0), radius: 0.7 };
    let scene = lit_by(LightKind::Sphere { shape, radiance: Vec3::splat(3.0) });
    assert_near(irradiance(&scene, 256), PI * 3.0 * (0.7f32 / 2.0).powi(2), 0.01);
}

/// Irradiance under the corner of a rectangle of sides a and b at height h, parallel to the floor.
fn under_corner(a: f32, b: f32, h: f32) -> f32 {
    let (x, y) = (a / h, b / h);
    let (p, q) = ((1.0 + x * x).sqrt(), (1.0 + y * y).sqrt());
    0.5 * (x / p * (y / p).atan() + y / q * (x / q).atan())
}

/// A rectangle, and a mesh of the same two triangles, whose corner is overhead.
#[test]
fn rectangle_and_mesh_light() {
    let (a, b, h) = (1.3, 0.8, 1.1);
    let shape = Rectangle {
        corner: Vec3::new(0.0, h, 0.0),
        edge_u: Vec3::new(a, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 0.0, b),
    };
    let radiance = Vec3::splat(2.0);
    let expected = 2.0 * under_corner(a, b, h);
    let rectangle = lit_by(LightKind::Rectangle { shape, radiance, two_sided: true });
    assert_near(irradiance(&rectangle, 512), expected, 0.01);
    let corners = [Vec3::ZERO, shape.edge_u, shape.edge_u + shape.edge_v, shape.edge_v];
    let positions = corners.map(|offset| shape.corner + offset).to_vec();
    let mesh = TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let shape = Arc::new(TriangleMesh::new(mesh, MeshOptions::default()).unwrap());
    let mesh = lit_by(LightKind::Mesh { shape, radiance });
    assert_near(irradiance(&mesh, 512), expected, 0.01);
}

/// A sun at 60° from the zenith gives half its irradiance; a large one as much as a small one.
#[test]
fn sun() {
    for diameter in [0.53, 10.0] {
        let scene = lit_by(LightKind::Sun {
            direction: Vec3::new(0.0, 0.5, -(0.75f32.sqrt())),
            diameter,
            irradiance: Vec3::splat(4.0),
        });
        assert_near(irradiance(&scene, 256), 2.0, 0.01);
    }
}

/// Light from all around, and from a small bright patch of an image, arrives in full: choosing
/// directions by brightness changes the noise but not the mean.
#[test]
fn environment() {
    let mut scene = floor_scene(ALBEDO);
    scene.environment = Environment::Constant(Vec3::splat(1.5));
    assert_near(irradiance(&scene, 1024), 1.5 * PI, 0.005);

    let (width, height) = (64, 32);
    let mut values = vec![Vec3::splat(0.2); width * height];
    values[6 * width + 20] = Vec3::splat(300.0);
    let image = Arc::new(TextureImage::new(width, height, values).unwrap());
    scene.environment = Environment::Image { image, rotation: 30.0, strength: 2.0 };
    let mut expected = 0.0f64;
    let (rows, columns) = (1200, 1200);
    for row in 0..rows {
        let cosine = (row as f64 + 0.5) / rows as f64;
        let ring = (1.0 - cosine * cosine).sqrt();
        for column in 0..columns {
            let angle = std::f64::consts::TAU * (column as f64 + 0.5) / columns as f64;
            let direction = [ring * angle.cos(), cosine, ring * angle.sin()].map(|x| x as f32);
            let radiance = scene.environment.radiance(Vec3::from_array(direction)).x;
            expected += f64::from(radiance) * cosine;
        }
    }
    let expected = expected * std::f64::consts::TAU / f64::from(rows * columns);
    assert_near(irradiance(&scene, 2048), expected as f32, 0.01);
}

/// Several lights of very different strength add up.
#[test]
fn lights_add_up() {
    let ball = |x: f32| Sphere { center: Vec3::new(x, 2.0, 0.0), radius: 0.3 };
    let bright = LightKind::Sphere { shape: ball(0.5), radiance: Vec3::splat(30.0) };
    let faint = LightKind::Sphere { shape: ball(-0.5), radiance: Vec3::splat(0.5) };
    let both = Scene {
        lights: vec![bright.clone().into(), faint.clone().into()],
        environment: Environment::Constant(Vec3::splat(0.1)),
        ..floor_scene(ALBEDO)
    };
    let expected = irradiance(&lit_by(bright), 256) + irradiance(&lit_by(faint), 256) + 0.1 * PI;
    assert_near(irradiance(&both, 512), expected, 0.01);
}

/// Contract: with a limit no path adds more after its second bounce, so that no isolated pixel is bright;
/// what is seen directly or in one reflection keeps its light.
#[test]
fn fireflies_are_limited_and_reflections_are_not() {
    let mut scene = Scene {
        camera: Camera::looking(Vec3::new(0.0, 0.0, 4.0), Vec3::ZERO, 20.0),
        environment: Environment::Constant(Vec3::splat(1000.0)),
        ..Scene::default()
    };
    let glass = scene.add_material(Material::dielectric(Dielectric::glass()));
    scene.add("ball", Arc::new(Sphere { center: Vec3::ZERO, radius: 0.5 }), glass);
    let brightest = |clamp: Option<f32>, layer: &str| {
        let settings = RenderSettings {
            width: 24,
            height: 24,
            samples: 16,
            clamp,
            passes: vec![Pass::Refraction, Pass::Reflection, Pass::Emission],
            ..RenderSettings::default()
        };
        picture(&scene, &settings)
            .rgb(layer)
            .unwrap()
            .into_iter()
            .map(|light| light.x)
            .fold(0.0, f32::max)
    };
    assert!(brightest(None, "refraction") > 500.0);
    assert!(brightest(Some(8.0), "refraction") <= 8.0);
    assert!(brightest(Some(8.0), "reflection") > 20.0);
    assert!(brightest(Some(8.0), "emission") > 999.0);
}
