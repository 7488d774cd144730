//! Three drops of one shape on three plates whose contact angles are 45°, 90° and 135°:
//! `cargo run --release -p whitecap-render --example 6_contact_angles -- drops.png 256`.
//!
//! Without menisci all three would be the same hemisphere.

#[path = "bodies/lathe.rs"]
mod lathe;

use std::error::Error;
use std::f32::consts::PI;
use std::sync::Arc;

use whitecap_core::{TriMesh, Unwatched};
use whitecap_render::glam::Vec3;
use whitecap_render::meniscus::{MeniscusSettings, Solid};
use whitecap_render::shapes::{Cuboid, Plane, Rectangle};
use whitecap_render::{
    Camera, Dielectric, Environment, LightKind, Mapping, Material, MeniscusLiquid, RenderSettings,
    Scene, Texture, Tone, render,
};
use whitecap_surface::LevelSet;

use lathe::lathe;

/// Radius of the drops, in m.
const RADIUS: f32 = 0.004;
/// Size of a plate, in m.
const PLATE: Vec3 = Vec3::new(0.016, 0.002, 0.016);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "drops.png".to_owned());
    let samples = arguments.next().map_or(Ok(64), |text| text.parse())?;
    let settings = RenderSettings {
        width: 960,
        height: 360,
        samples,
        clamp: Some(8.0),
        ..RenderSettings::default()
    };
    let picture = render(&drops()?, &settings, &Unwatched)?;
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&Tone::Filmic.bytes(&picture, 0.0))?;
    Ok(())
}

/// The scene.
fn drops() -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::default();
    let mapping = Mapping::Uv { scale: 250.0 };
    let (first, second) = (Vec3::new(0.62, 0.6, 0.56), Vec3::new(0.2, 0.24, 0.3));
    let table = scene.add_material(Material::plastic(Vec3::splat(0.35), 0.4));
    let tiles =
        scene.add_material(Material::plastic(Texture::Checker { first, second, mapping }, 0.3));
    let tinted = Dielectric::clear(1.333).tinted(Vec3::new(0.55, 0.85, 0.95), 0.01);
    let water = scene.add_material(Material::dielectric(tinted));
    scene.add("table", Arc::new(Plane::floor(-PLATE.y)), table);
    for (x, angle) in [(-0.018, 45.0), (0.0, 90.0), (0.018, 135.0)] {
        let place = Vec3::new(x, 0.0, 0.0);
        let plate = Cuboid::new(
            place - PLATE * Vec3::new(0.5, 1.0, 0.5),
            place + PLATE * Vec3::new(0.5, 0.0, 0.5),
        );
        scene.add("plate", Arc::new(plate), tiles);
        scene.add("drop", Arc::new(drop(place, angle)?), water);
    }
    let lamp = Rectangle {
        corner: Vec3::new(-0.08, 0.08, -0.06),
        edge_u: Vec3::new(0.0, 0.0, 0.06),
        edge_v: Vec3::new(0.05, 0.03, 0.0),
    };
    let radiance = Vec3::new(12.0, 11.5, 10.5);
    scene.lights.push(LightKind::Rectangle { shape: lamp, radiance, two_sided: true }.into());
    scene.environment = Environment::Sky {
        zenith: Vec3::new(0.35, 0.42, 0.55),
        horizon: Vec3::new(0.75, 0.77, 0.8),
        ground: Vec3::splat(0.1),
    };
    scene.camera = Camera::looking(Vec3::new(0.0, 0.026, 0.08), Vec3::new(0.0, 0.0008, 0.0), 15.0);
    Ok(scene)
}

/// A hemisphere of water on a plate.
fn drop(
    place: Vec3,
    contact_angle: f32,
) -> Result<MeniscusLiquid<impl whitecap_render::liquid::LiquidField>, Box<dyn Error>> {
    let ring = |i: usize| {
        let angle = PI * i as f32 / 96.0;
        [RADIUS * angle.sin(), -RADIUS * angle.cos()]
    };
    let ball = moved(&lathe(&(0..=96).map(ring).collect::<Vec<_>>(), 192)?, place)?;
    let low = PLATE * Vec3::new(0.5, 1.0, 0.5);
    let below = lathe(&[[0.0, -low.y], [0.012, -low.y], [0.012, 0.0], [0.0, 0.0]], 192)?;
    let solid = Solid::from_mesh("plate", &moved(&below, place)?, 0.0002, 0.012, contact_angle)?;
    let settings = MeniscusSettings {
        capillary_length: Some(0.4 * RADIUS),
        overlap: 0.0001,
        ..MeniscusSettings::default()
    };
    let level_set = LevelSet::from_mesh(&ball, 0.0001, 0.0004)?;
    Ok(MeniscusLiquid::level_set(level_set, vec![solid], &settings)?)
}

fn moved(mesh: &TriMesh, way: Vec3) -> Result<TriMesh, whitecap_core::Error> {
    TriMesh::new(
        mesh.positions().iter().map(|&place| place + way).collect(),
        mesh.triangles().to_vec(),
    )
}
