//! Layers of a picture.

use std::sync::Arc;

use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Plane, Sphere};
use whitecap_render::{
    Camera, Dielectric, Environment, Material, Pass, RenderSettings, Scene, Values,
};

use crate::picture;

fn scene() -> Scene {
    let mut scene = Scene {
        environment: Environment::Constant(Vec3::splat(0.8)),
        camera: Camera::looking(Vec3::new(0.0, 1.0, 4.0), Vec3::new(0.0, 0.3, 0.0), 40.0),
        ..Scene::default()
    };
    let floor = scene.add_material(Material::plastic(Vec3::new(0.5, 0.3, 0.2), 0.1));
    let glass = scene.add_material(Material::dielectric(Dielectric::glass()));
    scene.add("floor", Arc::new(Plane::floor(0.0)), floor);
    scene.add("ball", Arc::new(Sphere { center: Vec3::new(0.0, 0.5, 0.0), radius: 0.5 }), glass);
    scene
}

fn all_passes() -> RenderSettings {
    use Pass::*;
    RenderSettings {
        width: 40,
        height: 30,
        samples: 8,
        noise: 0.0,
        passes: vec![
            Diffuse,
            Reflection,
            Refraction,
            Volume,
            Emission,
            Depth,
            Position,
            Normal,
            Velocity,
            Motion,
            Object,
            Material,
            Particle,
            FilmThickness,
            Beauty,
        ],
        ..RenderSettings::default()
    }
}

/// The picture is the sum of its layers of light.
#[test]
fn light_adds_up() {
    let picture = picture(&scene(), &all_passes());
    let beauty = picture.rgb("beauty").unwrap();
    let parts = ["diffuse", "reflection", "refraction", "volume", "emission"]
        .map(|name| picture.rgb(name).unwrap());
    for (pixel, light) in beauty.iter().enumerate() {
        let sum: Vec3 = parts.iter().map(|part| part[pixel]).sum();
        assert!(sum.distance(*light) <= 1e-5 * (1.0 + light.length()), "{pixel}: {sum} {light}");
    }
    let total = |part: &Vec<Vec3>| part.iter().map(|light| light.x).sum::<f32>();
    for (name, part) in [("diffuse", 0), ("reflection", 1), ("refraction", 2), ("emission", 4)] {
        assert!(total(&parts[part]) > 0.0, "{name}");
    }
}

/// Ids, depth, position and normal are those of what the middle of a pixel sees.
#[test]
fn data_of_the_middle() {
    let picture = picture(&scene(), &all_passes());
    let object = picture.ids("object").unwrap();
    assert_eq!(object, picture.ids("material").unwrap());
    let (position, normal) = (picture.rgb("position").unwrap(), picture.rgb("normal").unwrap());
    let depth = picture.numbers("depth", "Z").unwrap();
    let mut seen = [0; 3];
    for pixel in 0..object.len() {
        seen[object[pixel] as usize] += 1;
        match object[pixel] {
            0 => assert!(depth[pixel] == f32::INFINITY),
            1 => {
                assert!(position[pixel].y.abs() < 1e-4 && normal[pixel].distance(Vec3::Y) < 1e-5);
            }
            _ => {
                let outward = position[pixel] - Vec3::new(0.0, 0.5, 0.0);
                assert!((outward.length() - 0.5).abs() < 1e-4);
                assert!(normal[pixel].distance(outward.normalize()) < 1e-3);
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    assert!(picture.ids("particle").unwrap().iter().all(|&id| id == 0));
}

/// A region is the same part of the same picture, and a scaled picture is smaller.
#[test]
fn region_and_scale() {
    let settings = RenderSettings { passes: Vec::new(), ..all_passes() };
    let whole = picture(&scene(), &settings).rgb("beauty").unwrap();
    let region = Some([0.25, 0.2, 0.75, 0.6]);
    let part = picture(&scene(), &RenderSettings { region, ..settings.clone() });
    assert_eq!([part.width, part.height], [20, 12]);
    let pixels = part.rgb("beauty").unwrap();
    for (pixel, light) in pixels.iter().enumerate() {
        let (x, y) = (10 + pixel % 20, 6 + pixel / 20);
        assert_eq!(*light, whole[y * 40 + x]);
    }
    let half = picture(&scene(), &RenderSettings { scale: 0.5, ..settings });
    assert_eq!([half.width, half.height], [20, 15]);
}

/// Without background the environment lights the scene but is not visible; alpha shows where it
/// would be.
#[test]
fn background_can_be_left_out() {
    let settings = RenderSettings { background: false, passes: Vec::new(), ..all_passes() };
    let picture = picture(&scene(), &settings);
    let alpha = picture.numbers("alpha", "A").unwrap();
    let beauty = picture.rgb("beauty").unwrap();
    assert!(alpha[0] == 0.0 && beauty[0] == Vec3::ZERO);
    let last = alpha.len() - 1;
    assert!(alpha[last] == 1.0 && beauty[last].x > 0.05);
    assert!(picture.layers.iter().all(|layer| {
        layer.channels.iter().all(|channel| matches!(channel.values, Values::F32(_)))
    }));
}
