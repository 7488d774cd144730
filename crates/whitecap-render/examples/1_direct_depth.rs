//! A particle file hit directly: a grey picture with shadows, and rays per second for plain
//! particles, with blind particles, and with menisci at the walls of a tank.
//!
//! `cargo run --release -p whitecap-render --example 1_direct_depth -- FILE RADIUS OUT.png [METHOD]
//! [TANK]`, the radius in metres, the method as in a shot file (`density`), the tank as six numbers
//! `x0,y0,z0,x1,y1,z1` (the dam breaks of SPlisHSPlasH: `-1.5,0,-0.5,1.5,2,0.5`).

use std::error::Error;
use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::{Bounds, Column};
use whitecap_render::liquid::{LiquidMethod, LiquidSettings, Shutter};
use whitecap_render::meniscus::{MeniscusMode, MeniscusSettings, Solid};
use whitecap_render::{MeniscusLiquid, ParticleLiquid, Ray, Shape};
use whitecap_scene::tags;

const WIDTH: usize = 1280;
const HEIGHT: usize = 720;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, radius, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: 1_direct_depth FILE RADIUS OUT.png [METHOD] [TANK]".into());
    };
    let radius: f32 = radius.parse()?;
    let method = match rest.first().map(String::as_str) {
        None | Some("density") => LiquidMethod::Density,
        Some("zhu-bridson") => LiquidMethod::ZhuBridson,
        Some("solenthaler") => LiquidMethod::Solenthaler,
        Some("anisotropic") => LiquidMethod::Anisotropic,
        Some("blobs") => LiquidMethod::Blobs,
        Some(other) => return Err(format!("no method is called {other}").into()),
    };
    let settings = LiquidSettings { method, radius: Some(radius), ..LiquidSettings::default() };
    let particles = whitecap_io::read_particles(file)?;
    let bounds = Bounds::of(particles.positions()).grown(2.0 * radius);
    println!("{} particles", particles.len());

    let build = Instant::now();
    let liquid = ParticleLiquid::new(&particles, &settings, Shutter::STILL)?;
    let picture = trace("direct", build, &liquid, bounds);
    write_png(out, &picture)?;

    let tagged = tags::tag(particles.positions(), 2.0 * radius)?;
    let kept = tagged.kept();
    let mut few = particles.clone();
    few.set_attribute("type", Column::I32(tagged.types))?;
    let few = few.gather(&kept);
    println!("{} particles are surface or blind", few.len());
    let build = Instant::now();
    let thin = ParticleLiquid::new(&few, &settings, Shutter::STILL)?;
    let same = trace("direct, blind", build, &thin, bounds);
    let differ = picture.iter().zip(&same).filter(|(a, b)| a != b).count();
    println!("{differ} of {} pixels differ", picture.len());

    if let Some(tank) = rest.get(1) {
        let numbers: Vec<f32> = tank.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let [x0, y0, z0, x1, y1, z1] = numbers[..] else {
            return Err("a tank is six numbers".into());
        };
        let (low, high) = (Vec3::new(x0, y0, z0), Vec3::new(x1, y1, z1));
        let solid = Solid::cuboid("tank", low, high, 20.0)?.container();
        let wet = |name: &str, mode: MeniscusMode| {
            let build = Instant::now();
            let menisci = MeniscusSettings { mode, ..MeniscusSettings::default() };
            let walls = vec![solid.clone()];
            let wet =
                MeniscusLiquid::particles(&particles, &settings, Shutter::STILL, walls, &menisci)?;
            Ok::<_, Box<dyn Error>>(trace(name, build, &wet, bounds))
        };
        wet("direct, cut at the tank", MeniscusMode::Ghost)?;
        let picture = wet("direct, menisci", MeniscusMode::Geometric)?;
        write_png(&out.replace(".png", "-menisci.png"), &picture)?;
    }
    Ok(())
}

/// Grey values of one camera ray per pixel and one shadow ray per hit; prints what it cost.
fn trace(name: &str, build: Instant, liquid: &dyn Shape, bounds: Bounds) -> Vec<u8> {
    let built = build.elapsed().as_secs_f64();
    let start = Instant::now();
    let view = View::of(bounds);
    let sun = Vec3::new(0.4, 0.8, 0.45).normalize();
    let rows: Vec<(Vec<u8>, usize)> = (0..HEIGHT)
        .into_par_iter()
        .map(|y| {
            let mut rays = 0;
            let row = (0..WIDTH).map(|x| {
                let ray = view.ray(x, y);
                rays += 1;
                let Some(hit) = liquid.intersect(&ray) else { return 24 };
                rays += 1;
                let origin = ray.at(hit.distance) + hit.uncertainty * hit.geometric_normal;
                let shadow = Ray { origin, direction: sun, time: 0.0, far: f32::INFINITY };
                let facing = hit.shading_normal.dot(sun).max(0.0);
                let lit = if facing > 0.0 && !liquid.blocks(&shadow) { facing } else { 0.0 };
                let sky = 0.5 + 0.5 * hit.shading_normal.y;
                (255.0 * (0.12 + 0.28 * sky + 0.6 * lit).powf(0.45)).min(255.0) as u8
            });
            (row.collect(), rays)
        })
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    let rays: usize = rows.iter().map(|(_, rays)| rays).sum();
    println!(
        "{name}: built in {built:.3} s, {:.1} MB, {rays} rays in {seconds:.3} s, {:.2} million rays/s on {} threads",
        liquid.bytes() as f64 / 1e6,
        rays as f64 / seconds / 1e6,
        rayon::current_num_threads()
    );
    rows.into_iter().flat_map(|(row, _)| row).collect()
}

/// A camera that sees all of a box from above and one side.
struct View {
    eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
}

impl View {
    fn of(bounds: Bounds) -> Self {
        let from = Vec3::new(0.35, 0.55, 1.0).normalize();
        let right = Vec3::Y.cross(from).normalize();
        let up = from.cross(right);
        let eye = bounds.center() + 1.05 * bounds.size().length() * from;
        Self { eye, forward: -from, right, up }
    }

    fn ray(&self, x: usize, y: usize) -> Ray {
        let scale = 1.1 / WIDTH as f32;
        let across = (x as f32 + 0.5 - 0.5 * WIDTH as f32) * scale;
        let down = (y as f32 + 0.5 - 0.5 * HEIGHT as f32) * scale;
        let direction = (self.forward + across * self.right - down * self.up).normalize();
        Ray { origin: self.eye, direction, time: 0.0, far: f32::INFINITY }
    }
}

fn write_png(path: &str, picture: &[u8]) -> Result<(), Box<dyn Error>> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(picture)?;
    Ok(())
}
