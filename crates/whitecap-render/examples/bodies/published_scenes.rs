//! Scenes with the particle counts and picture sizes of Morgenroth 2021, Tables 3.2 and 4.1. The
//! shapes are our own: the originals were never published.

use std::error::Error;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use whitecap_core::{Bounds, Particles, TriMesh};
use whitecap_render::glam::Vec3;
use whitecap_render::meniscus::Solid;
use whitecap_render::shapes::Cuboid;
use whitecap_render::{Camera, MeshOptions, Shape, TriangleMesh};

use super::lathe::lathe;

/// A liquid of particles with the solids it touches.
pub struct Published {
    pub name: &'static str,
    /// Width and height of the picture, in pixels.
    pub size: [u32; 2],
    pub particles: Particles,
    /// Half the spacing of the particles, in m.
    pub radius: f32,
    pub solids: Vec<Solid>,
    /// Solids that are seen.
    pub seen: Vec<Arc<dyn Shape>>,
    pub camera: Camera,
}

/// The scene called `name`.
pub fn scene(name: &str) -> Result<Published, Box<dyn Error>> {
    match name {
        "dam-20k" => dam("dam-20k", 20_000, 0.02),
        "dam-200k" => dam("dam-200k", 200_000, 0.02),
        "cup" => cup(),
        "boat" => boat(),
        "corridor" => corridor(),
        other => Err(format!("no scene is called {other}").into()),
    }
}

/// A dam that broke a moment ago: a falling column, a tongue, a sheet up the far wall and spray.
fn dam(name: &'static str, count: usize, spacing: f32) -> Result<Published, Box<dyn Error>> {
    // Twelve times as long as deep; its volume gives the length.
    let length = (count as f32 * spacing.powi(3) / 0.07).cbrt();
    let tank = Bounds { min: Vec3::ZERO, max: length * Vec3::new(1.0, 0.8, 0.4) };
    let wet = |point: Vec3| {
        let [x, y, z] = (point / length).to_array();
        let ripple = 0.012 * (23.0 * x + 9.0 * z).sin() * (31.0 * z).cos();
        let column = 0.34 * (-(4.2 * x).powi(2)).exp() + 0.09 + ripple;
        let sheet = x > 0.965 && y < 0.5 + 0.08 * (19.0 * z).sin();
        let spray = x > 0.5 && y < 0.7 && noise(point, spacing) > 0.994;
        y < column || sheet || spray
    };
    let solid = Solid::cuboid("tank", tank.min, tank.max, 20.0)?.container();
    let particles = filled(tank, spacing, std::slice::from_ref(&solid), wet);
    let center = length * Vec3::new(0.5, 0.2, 0.2);
    let eye = center + length * Vec3::new(0.35, 0.6, 1.3);
    let camera = Camera::looking(eye, center, 40.0);
    Ok(Published {
        name,
        size: [1280, 720],
        particles,
        radius: 0.5 * spacing,
        solids: vec![solid],
        seen: Vec::new(),
        camera,
    })
}

/// A cup of liquid that was stirred.
fn cup() -> Result<Published, Box<dyn Error>> {
    let spacing = 0.002;
    let profile =
        [[0.0, 0.0], [0.036, 0.0], [0.036, 0.08], [0.032, 0.08], [0.032, 0.006], [0.0, 0.006]];
    let mesh = lathe(&profile, 256)?;
    let solid = Solid::from_mesh("cup", &mesh, 0.001, 0.026, 20.0)?;
    let bounds =
        Bounds { min: Vec3::new(-0.032, 0.006, -0.032), max: Vec3::new(0.032, 0.08, 0.032) };
    let wet = |point: Vec3| {
        let across = Vec3::new(point.x, 0.0, point.z).length();
        let turn = point.z.atan2(point.x);
        let height =
            0.0541 + 0.004 * (across / 0.032).powi(2) + 0.001 * (3.0 * turn + 200.0 * across).sin();
        across < 0.032 && point.y < height
    };
    let particles = filled(bounds, spacing, std::slice::from_ref(&solid), wet);
    let camera = Camera::looking(Vec3::new(0.05, 0.17, 0.13), Vec3::new(0.0, 0.045, 0.0), 30.0);
    Ok(Published {
        name: "cup",
        size: [1280, 1024],
        particles,
        radius: 0.5 * spacing,
        solids: vec![solid],
        seen: vec![Arc::new(TriangleMesh::new(
            mesh,
            MeshOptions { smooth: false, ..MeshOptions::default() },
        )?)],
        camera,
    })
}

/// A toy boat with its wake.
fn boat() -> Result<Published, Box<dyn Error>> {
    let spacing = 0.002;
    let ring = |i: usize| {
        let angle = PI * i as f32 / 64.0;
        [0.012 * angle.sin().max(0.0).powf(0.7), -0.03 * angle.cos()]
    };
    let body = lathe(&(0..=64).map(ring).collect::<Vec<_>>(), 128)?;
    let lying = |&p: &Vec3| Vec3::new(p.y, 0.041 + 0.8 * p.x, p.z);
    let hull =
        TriMesh::new(body.positions().iter().map(lying).collect(), body.triangles().to_vec())?;
    let tank = Bounds { min: Vec3::new(-0.11, 0.0, -0.046), max: Vec3::new(0.11, 0.08, 0.046) };
    let solids = vec![
        Solid::cuboid("tank", tank.min, tank.max, 20.0)?.container(),
        Solid::from_mesh("hull", &hull, 0.001, 0.026, 60.0)?,
    ];
    let wet = |point: Vec3| {
        let behind = (-0.02 - point.x).max(0.0);
        let wake = 0.003 * (-behind / 0.06).exp() * (behind / 0.01).min(1.0);
        let height = 0.0395 + wake * (TAU * (behind - 1.5 * point.z.abs()) / 0.025).sin();
        point.y < height + 0.0008 * (90.0 * point.x + 40.0 * point.z).sin()
    };
    let particles = filled(tank, spacing, &solids, wet);
    let camera = Camera::looking(Vec3::new(0.1, 0.14, 0.2), Vec3::new(0.0, 0.035, 0.0), 34.0);
    Ok(Published {
        name: "boat",
        size: [1280, 1024],
        particles,
        radius: 0.5 * spacing,
        solids,
        seen: vec![Arc::new(TriangleMesh::new(hull, MeshOptions::default())?)],
        camera,
    })
}

/// A corridor with pillars that a flood runs through, seen from inside.
fn corridor() -> Result<Published, Box<dyn Error>> {
    let spacing = 0.04;
    let tank = Bounds { min: Vec3::ZERO, max: Vec3::new(10.0, 2.6, 2.4) };
    let mut solids = vec![Solid::cuboid("corridor", tank.min, tank.max, 20.0)?.container()];
    let mut seen: Vec<Arc<dyn Shape>> = Vec::new();
    for i in 0..8 {
        let low = Vec3::new(1.0 + 1.1 * i as f32, 0.0, if i % 2 == 0 { 0.4 } else { 1.7 });
        let high = low + Vec3::new(0.3, 2.6, 0.3);
        solids.push(Solid::cuboid("pillar", low, high, 20.0)?);
        seen.push(Arc::new(Cuboid::new(low, high)));
    }
    let wet = |point: Vec3| {
        let front = 0.735 - 0.05 * point.x;
        let waves = 0.08 * (2.3 * point.x + 1.1 * point.z).sin()
            + 0.04 * (7.0 * point.z - 3.0 * point.x).sin();
        point.y < front + waves
    };
    let particles = filled(tank, spacing, &solids, wet);
    let camera = Camera::looking(Vec3::new(-0.6, 2.2, 1.2), Vec3::new(4.0, 0.4, 1.2), 50.0);
    Ok(Published {
        name: "corridor",
        size: [640, 480],
        particles,
        radius: 0.5 * spacing,
        solids,
        seen,
        camera,
    })
}

/// Jittered particles where it is wet and there is no solid.
fn filled(bounds: Bounds, spacing: f32, solids: &[Solid], wet: impl Fn(Vec3) -> bool) -> Particles {
    let steps = (bounds.size() / spacing).floor();
    let mut positions = Vec::new();
    for j in 0..steps.y as u32 {
        for i in 0..steps.x as u32 {
            for k in 0..steps.z as u32 {
                let cell = Vec3::new(i as f32, j as f32, k as f32) + 0.5;
                let place = bounds.min + spacing * cell;
                let jitter = [0.0, 11.0, 23.0].map(|shift| noise(place + shift, spacing) - 0.5);
                let place = beside(solids, place + 0.2 * spacing * Vec3::from(jitter), spacing);
                let free = solids.iter().all(|solid| solid.distance(place) > 0.3 * spacing);
                if free && wet(place) {
                    positions.push(place);
                }
            }
        }
    }
    Particles::new(positions)
}

/// A particle next to a wall lies half a spacing from it.
fn beside(solids: &[Solid], place: Vec3, spacing: f32) -> Vec3 {
    let onto = |place: Vec3, solid: &Solid| {
        let distance = solid.distance(place);
        let near = distance > 0.0 && distance < spacing;
        if near { place + (0.5 * spacing - distance) * solid.normal(place) } else { place }
    };
    solids.iter().fold(place, onto)
}

/// A pseudo-random number from zero to one for a position.
fn noise(place: Vec3, spacing: f32) -> f32 {
    let [x, y, z] = (place / spacing).round().as_ivec3().to_array();
    let mut bits = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77);
    bits = (bits ^ (z as u32).wrapping_mul(0xc2b2_ae3d)).wrapping_mul(0x27d4_eb2f);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
    (bits ^ (bits >> 13)) as f32 / u32::MAX as f32
}
