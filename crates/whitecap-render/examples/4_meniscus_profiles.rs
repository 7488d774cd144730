//! Menisci sampled by rays, as lines of CSV, which `bench/plots/meniscus.py` plots.
//!
//! `cargo run --release -p whitecap-render --example 4_meniscus_profiles > meniscus.csv`
//!
//! Columns: figure, curve, x, y, shading slope in degrees; lengths are in capillary lengths, except in
//! the figure of the drops, where they are in drop radii.

use std::error::Error;
use std::f32::consts::PI;

use glam::Vec3;
use whitecap_core::{Particles, TriMesh};
use whitecap_render::liquid::{LiquidMethod, LiquidSettings, Shutter};
use whitecap_render::meniscus::{ContactHeight, MeniscusMode, MeniscusSettings, Solid};
use whitecap_render::{MeniscusLiquid, Ray, Shape};
use whitecap_surface::LevelSet;

/// Capillary length, in m.
const LENGTH: f32 = 0.0027;

fn main() -> Result<(), Box<dyn Error>> {
    println!("figure,curve,x,y,slope");
    contact_angles()?;
    inclined_walls()?;
    modes()?;
    drops()
}

/// A vertical wall and contact angles from 10° to 170° (Morgenroth 2021, Fig. 4.3).
fn contact_angles() -> Result<(), Box<dyn Error>> {
    for angle in (10..180).step_by(10) {
        let solid = wall(0.5 * PI, angle as f32)?;
        let liquid = MeniscusLiquid::level_set(pool()?, vec![solid], &settings())?;
        profile("contact angles", &angle.to_string(), &liquid, 0.5 * PI);
    }
    Ok(())
}

/// Walls tilted by 45° to 135°, contact angle 20° (Morgenroth 2021, Fig. 4.5), exact and by Eq. 4.2.
fn inclined_walls() -> Result<(), Box<dyn Error>> {
    for degrees in [45.0f32, 60.0, 90.0, 120.0, 135.0] {
        for (name, height) in
            [("exact", ContactHeight::Exact), ("eq. 4.2", ContactHeight::Difference)]
        {
            let tilt = degrees.to_radians();
            let settings = MeniscusSettings { height, ..settings() };
            let liquid = MeniscusLiquid::level_set(pool()?, vec![wall(tilt, 20.0)?], &settings)?;
            profile("inclined walls", &format!("{degrees} {name}"), &liquid, tilt);
        }
    }
    Ok(())
}

/// The four modes on a liquid of particles (Morgenroth 2021, Fig. 4.9).
fn modes() -> Result<(), Box<dyn Error>> {
    let spacing = 0.001;
    let mut positions = Vec::new();
    for i in 0..46 {
        for j in -16..0 {
            for k in -13..13 {
                positions.push((Vec3::new(i as f32, j as f32, k as f32) + 0.5) * spacing);
            }
        }
    }
    let particles = Particles::new(positions);
    let liquid = LiquidSettings { radius: Some(0.5 * spacing), ..LiquidSettings::default() };
    for (name, mode) in [
        ("none", MeniscusMode::None),
        ("ghost", MeniscusMode::Ghost),
        ("geometric", MeniscusMode::Geometric),
        ("normal", MeniscusMode::Normal),
    ] {
        let settings = MeniscusSettings { mode, ..settings() };
        let walls = vec![wall(0.5 * PI, 20.0)?];
        let wet = MeniscusLiquid::particles(&particles, &liquid, Shutter::STILL, walls, &settings)?;
        profile("modes", name, &wet, 0.5 * PI);
    }
    Ok(())
}

/// One particle on a plane at three contact angles (Morgenroth 2021, Fig. 4.10).
fn drops() -> Result<(), Box<dyn Error>> {
    let radius = 0.004;
    let floor = box_mesh(-0.01 * Vec3::Y, [Vec3::X * 0.03, Vec3::Y * 0.01, Vec3::Z * 0.03]);
    for angle in [45.0f32, 90.0, 135.0] {
        let solid = Solid::from_mesh("floor", &floor, 0.001, 0.016, angle)?;
        let drop = Particles::new(vec![Vec3::new(0.0, 0.4 * radius, 0.0)]);
        let liquid = LiquidSettings {
            method: LiquidMethod::ZhuBridson,
            radius: Some(radius),
            ..LiquidSettings::default()
        };
        let settings = MeniscusSettings { capillary_length: Some(0.25 * radius), ..settings() };
        let wet =
            MeniscusLiquid::particles(&drop, &liquid, Shutter::STILL, vec![solid], &settings)?;
        for i in 0..=200 {
            let height = (1.3 * (i as f32 / 200.0).powi(2) + 1e-4) * radius;
            let origin = Vec3::new(3.0 * radius, height, 1e-6);
            let ray = Ray { origin, direction: Vec3::NEG_X, time: 0.0, far: 0.1 };
            if let Some(hit) = wet.intersect(&ray) {
                let place = ray.at(hit.distance) / radius;
                println!("drops,{angle},{},{},0", place.x, place.y);
            }
        }
    }
    Ok(())
}

/// Rays along the wall, at increasing distances from it.
fn profile(figure: &str, curve: &str, liquid: &impl Shape, tilt: f32) {
    let up = Vec3::new(-tilt.cos(), tilt.sin(), 0.0);
    let normal = Vec3::new(tilt.sin(), tilt.cos(), 0.0);
    for i in 0..300 {
        let distance = 6.0 * ((i as f32 + 1.0) / 300.0).powi(2) * LENGTH;
        let origin = distance * normal + 0.03 * up + 0.000_37 * Vec3::Z;
        let ray = Ray { origin, direction: -up, time: 0.0, far: 0.06 };
        if let Some(hit) = liquid.intersect(&ray) {
            let place = ray.at(hit.distance) / LENGTH;
            let slope = hit.shading_normal.x.atan2(hit.shading_normal.y).to_degrees();
            println!("{figure},{curve},{},{},{slope}", place.x, place.y);
        }
    }
}

fn settings() -> MeniscusSettings {
    MeniscusSettings { capillary_length: Some(LENGTH), ..MeniscusSettings::default() }
}

/// A flat wall through the origin, tilted by β in radians.
fn wall(tilt: f32, contact_degrees: f32) -> Result<Solid, Box<dyn Error>> {
    let up = Vec3::new(-tilt.cos(), tilt.sin(), 0.0);
    let normal = Vec3::new(tilt.sin(), tilt.cos(), 0.0);
    let mesh = box_mesh(-0.02 * normal, [0.02 * normal, 0.09 * up, 0.06 * Vec3::Z]);
    Ok(Solid::from_mesh("wall", &mesh, 0.003, 0.036, contact_degrees)?)
}

/// A flat pool with its surface at y = 0.
fn pool() -> Result<LevelSet, Box<dyn Error>> {
    let half = [Vec3::X * 0.14, Vec3::Y * 0.035, Vec3::Z * 0.035];
    Ok(LevelSet::from_mesh(&box_mesh(Vec3::new(0.02, -0.035, 0.0), half), 0.003, 0.009)?)
}

/// A box from its centre and half axes.
fn box_mesh(center: Vec3, [x, y, z]: [Vec3; 3]) -> TriMesh {
    let corner = |c: u32| {
        let sign = |bit: u32| if c >> bit & 1 == 1 { 1.0 } else { -1.0 };
        center + sign(0) * x + sign(1) * y + sign(2) * z
    };
    let faces: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let mesh = TriMesh::new((0..8).map(corner).collect(), triangles).expect("the corners exist");
    if x.cross(y).dot(z) > 0.0 { mesh } else { mesh.flipped() }
}
