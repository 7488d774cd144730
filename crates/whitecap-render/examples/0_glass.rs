//! A glass of water beside a drop of metal, a plastic ball and a frosted ball:
//! `cargo run --release --example 0_glass -- glass.png 64`.
//!
//! The water extends into the glass by a tenth of a millimetre; priorities decide what is where.

#[path = "bodies/lathe.rs"]
mod lathe;

use std::sync::Arc;
use std::time::Instant;

use whitecap_core::Unwatched;
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Plane, Rectangle, Sphere};
use whitecap_render::{
    Camera, Dielectric, Environment, LightKind, Mapping, Material, MeshOptions, RenderSettings,
    Scene, Texture, Tone, TriangleMesh, render,
};

use lathe::lathe;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "glass.png".to_owned());
    let samples = arguments.next().map_or(Ok(64), |text| text.parse())?;
    let width = arguments.next().map_or(Ok(640), |text| text.parse())?;
    let settings =
        RenderSettings { width, height: width * 9 / 16, samples, ..RenderSettings::default() };
    let scene = table()?;
    let started = Instant::now();
    let picture = render(&scene, &settings, &Unwatched)?;
    let seconds = started.elapsed().as_secs_f32();
    let statistics = picture.statistics;
    println!(
        "{seconds:.1} s, {:.1} paths per pixel, {:.2} million rays per second, {} lost",
        statistics.paths as f32 / (picture.width * picture.height) as f32,
        statistics.rays as f32 / seconds / 1e6,
        statistics.lost_paths,
    );
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&Tone::Filmic.bytes(&picture, 0.0))?;
    Ok(())
}

/// The scene.
fn table() -> Result<Scene, Box<dyn std::error::Error>> {
    let mut scene = Scene::default();
    let mapping = Mapping::Uv { scale: 12.5 };
    let (first, second) = (Vec3::new(0.6, 0.57, 0.52), Vec3::new(0.18, 0.2, 0.24));
    let tiles = Texture::Checker { first, second, mapping };
    let floor = scene.add_material(Material::plastic(tiles, 0.15));
    let glass = scene.add_material(Material::dielectric(Dielectric::glass()));
    let tea = Dielectric::clear(1.333).tinted(Vec3::new(0.25, 0.7, 0.85), 0.05);
    let water = scene.add_material(Material::dielectric(tea));
    let gold = scene.add_material(Material::metal(Vec3::new(1.0, 0.77, 0.34), 0.25));
    let red = scene.add_material(Material::plastic(Vec3::new(0.7, 0.05, 0.04), 0.05));
    let mut frosted = Dielectric::clear(1.5);
    frosted.roughness = 0.35.into();
    let frosted = scene.add_material(Material::dielectric(frosted));

    scene.add("floor", Arc::new(Plane::floor(0.0)), floor);
    // Radius and height along the outside from the foot to the rim, then down the inside.
    let tumbler = lathe(
        &[
            [0.0, 0.0005],
            [0.029, 0.0005],
            [0.031, 0.0025],
            [0.037, 0.098],
            [0.0365, 0.0995],
            [0.0355, 0.0995],
            [0.035, 0.098],
            [0.0295, 0.009],
            [0.0275, 0.007],
            [0.0, 0.007],
        ],
        128,
    )?;
    scene.add("glass", Arc::new(TriangleMesh::new(tumbler, MeshOptions::default())?), glass);
    let liquid = lathe(
        &[[0.0, 0.0069], [0.0276, 0.0069], [0.0296, 0.0089], [0.0337, 0.072], [0.0, 0.072]],
        128,
    )?;
    let flat = MeshOptions { smooth: false, ..MeshOptions::default() };
    scene.add("water", Arc::new(TriangleMesh::new(liquid, flat)?), water);
    let ball =
        |x: f32, z: f32, radius: f32| Arc::new(Sphere { center: Vec3::new(x, radius, z), radius });
    scene.add("gold", ball(-0.085, 0.0, 0.033), gold);
    scene.add("red", ball(0.055, -0.05, 0.03), red);
    scene.add("frosted", ball(0.075, 0.02, 0.022), frosted);

    let lamp = Rectangle {
        corner: Vec3::new(-0.5, 0.45, -0.1),
        edge_u: Vec3::new(0.0, 0.0, 0.3),
        edge_v: Vec3::new(0.25, 0.15, 0.0),
    };
    let radiance = Vec3::new(14.0, 13.0, 11.0);
    scene.lights.push(LightKind::Rectangle { shape: lamp, radiance, two_sided: true }.into());
    scene.environment = Environment::Sky {
        zenith: Vec3::new(0.35, 0.45, 0.65),
        horizon: Vec3::new(0.75, 0.75, 0.75),
        ground: Vec3::splat(0.1),
    };
    scene.camera = Camera {
        lens_radius: 0.002,
        focus_distance: Some(0.32),
        ..Camera::looking(Vec3::new(0.02, 0.13, 0.33), Vec3::new(-0.005, 0.042, 0.0), 32.0)
    };
    Ok(scene)
}
