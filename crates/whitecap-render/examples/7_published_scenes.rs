//! Times of the scenes of Morgenroth 2021, Tables 3.2 and 4.1, for `bench/render.py`: `cargo run
//! --release -p whitecap-render --example 7_published_scenes -- dam-20k [OUT_FOLDER]` prints a line
//! for each method; with a folder it also writes the pictures.
//!
//! One path per pixel, as in the source. `opaque` is matt grey with one sun and a shadow ray, `clear` is
//! water with up to eight bounces over a matt floor.

#[path = "bodies/lathe.rs"]
mod lathe;
#[path = "bodies/published_scenes.rs"]
mod published_scenes;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use whitecap_core::{Bounds, Column, Particles, Unwatched};
use whitecap_render::glam::Vec3;
use whitecap_render::liquid::{LiquidSettings, Shutter};
use whitecap_render::meniscus::{MeniscusMode, MeniscusSettings};
use whitecap_render::shapes::Plane;
use whitecap_render::{
    Dielectric, Environment, LightKind, Material, MeniscusLiquid, MeshOptions, ParticleLiquid,
    RenderSettings, Scene, Shape, Tone, TriangleMesh, render,
};
use whitecap_scene::tags;
use whitecap_surface::{SurfaceSettings, surface_particles};

use published_scenes::Published;

type Made = Result<Arc<dyn Shape>, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "dam-20k".to_owned());
    let folder = arguments.next();
    let published = published_scenes::scene(&name)?;
    let few = surface_and_blind(&published)?;
    let ways: [(&str, &dyn Fn() -> Made); 5] = [
        ("direct", &|| direct(&published, &published.particles)),
        ("blind", &|| direct(&published, &few)),
        ("cut", &|| beside_walls(&published, MeniscusMode::Ghost)),
        ("meniscus", &|| beside_walls(&published, MeniscusMode::Geometric)),
        ("mesh", &|| meshed(&published)),
    ];
    for (way, make) in ways {
        for look in ["opaque", "clear"] {
            let picture = folder.as_ref().map(|folder| format!("{folder}/{name}-{way}-{look}.png"));
            time(&published, way, make, look, picture)?;
        }
    }
    Ok(())
}

/// The particles that a solver would keep if it saves only what is visible.
fn surface_and_blind(published: &Published) -> Result<Particles, Box<dyn Error>> {
    let tagged = tags::tag(published.particles.positions(), 2.0 * published.radius)?;
    let kept = tagged.kept();
    let mut particles = published.particles.clone();
    particles.set_attribute("type", Column::I32(tagged.types))?;
    Ok(particles.gather(&kept))
}

fn settings(published: &Published) -> LiquidSettings {
    LiquidSettings { radius: Some(published.radius), ..LiquidSettings::default() }
}

fn direct(published: &Published, particles: &Particles) -> Made {
    Ok(Arc::new(ParticleLiquid::new(particles, &settings(published), Shutter::STILL)?))
}

fn beside_walls(published: &Published, mode: MeniscusMode) -> Made {
    let menisci = MeniscusSettings { mode, ..MeniscusSettings::default() };
    Ok(Arc::new(MeniscusLiquid::particles(
        &published.particles,
        &settings(published),
        Shutter::STILL,
        published.solids.clone(),
        &menisci,
    )?))
}

/// Surfacing is part of the time.
fn meshed(published: &Published) -> Made {
    let settings = SurfaceSettings {
        radius: Some(published.radius),
        cell: Some(0.5 * published.radius),
        ..SurfaceSettings::default()
    };
    let surfaced = surface_particles(&published.particles, &settings, &Unwatched)?;
    println!("vertices={}", surfaced.mesh.positions().len());
    Ok(Arc::new(TriangleMesh::new(surfaced.mesh, MeshOptions::default())?))
}

/// Makes the liquid and its picture, and prints what each took.
fn time(
    published: &Published,
    way: &str,
    make: &dyn Fn() -> Made,
    look: &str,
    picture: Option<String>,
) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let liquid = make()?;
    let prepared = started.elapsed().as_secs_f64();
    let mut scene = Scene { camera: published.camera.clone(), ..Scene::default() };
    let grey = scene.add_material(Material::diffuse(Vec3::splat(0.5)));
    let material = match look {
        "clear" => scene.add_material(Material::dielectric(Dielectric::clear(1.333))),
        _ => grey,
    };
    let low = Bounds::of(published.particles.positions()).min.y - 3.0 * published.radius;
    scene.add("floor", Arc::new(Plane::floor(low)), grey);
    for solid in &published.seen {
        scene.add("solid", solid.clone(), grey);
    }
    scene.add("liquid", liquid, material);
    let sun = LightKind::Sun {
        direction: Vec3::new(0.4, 0.8, 0.45).normalize(),
        irradiance: Vec3::splat(3.0),
        diameter: 0.5,
    };
    scene.lights.push(sun.into());
    scene.environment = Environment::Constant(Vec3::splat(0.3));
    let [width, height] = published.size;
    let bounces = if look == "clear" { 8 } else { 0 };
    let settings = RenderSettings {
        width,
        height,
        samples: 1,
        bounces,
        noise: 0.0,
        ..RenderSettings::default()
    };
    let rendered = render(&scene, &settings, &Unwatched)?;
    let total = started.elapsed().as_secs_f64();
    println!(
        "scene={} particles={} way={way} look={look} prepare={prepared:.3} total={total:.3} rays={}",
        published.name,
        published.particles.len(),
        rendered.statistics.rays
    );
    if let Some(path) = picture {
        let file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&Tone::Filmic.bytes(&rendered, 0.0))?;
    }
    Ok(())
}
