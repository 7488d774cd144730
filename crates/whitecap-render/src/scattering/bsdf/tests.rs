use glam::Vec3;

use super::{Bsdf, Interface, InterfaceReflectance, Metal, MetalReflectance, Plastic, Sheet};
use crate::Sampler;
use crate::sampling::frame::uniform_sphere;
use crate::scattering::albedo::AlbedoTable;

fn from(cosine: f32) -> Vec3 {
    Vec3::new((1.0 - cosine * cosine).sqrt(), 0.0, cosine)
}

/// Evenly distributed points of the unit cube.
fn points(count: u32) -> impl Iterator<Item = ([f32; 2], f32)> {
    (0..count).map(|sample| {
        let mut sampler = Sampler::new(1, [0, 0], sample);
        (sampler.next_2d(), sampler.next())
    })
}

/// Mean weight of samples: the fraction of light that returns.
fn returned(bsdf: &Bsdf, from: Vec3, count: u32) -> f32 {
    let weight = |(point, choice)| bsdf.sample(from, point, choice).map_or(0.0, |s| s.weight.x);
    (points(count).map(|p| f64::from(weight(p))).sum::<f64>() / f64::from(count)) as f32
}

/// Calls `check` with every material that absorbs nothing, at a roughness.
fn white_materials(roughness: f32, mut check: impl FnMut(&str, &Bsdf)) {
    let white = MetalReflectance::Schlick(Vec3::ONE);
    check("metal", &Bsdf::Metal(Metal { reflectance: white, roughness }));
    for index in [1.333, 1.5, 2.4] {
        let coat = AlbedoTable::of_coat([roughness; 2], index);
        let plastic = Plastic { color: Vec3::ONE, index, roughness, coat: &coat };
        check(&format!("plastic {index}"), &Bsdf::Plastic(plastic));
        for index in [index, 1.0 / index] {
            let kept = AlbedoTable::of_interface([roughness; 2], index);
            let interface = Interface {
                index,
                roughness,
                kept: Some(&kept),
                reflectance: InterfaceReflectance::Bare,
                least_reflection: 0.0,
            };
            check(&format!("interface {index}"), &Bsdf::Interface(interface));
        }
    }
}

/// A surface that absorbs nothing returns all light, at every roughness and from every direction.
#[test]
fn white_furnace() {
    for step in 0..=20 {
        let roughness = 0.05 * step as f32;
        white_materials(roughness, |name, bsdf| {
            for cosine in [0.03, 0.1, 0.35, 0.7, 1.0] {
                let returned = returned(bsdf, from(cosine), 16_384);
                assert!(
                    (returned - 1.0).abs() < 0.005,
                    "{name}, roughness {roughness}, cosine {cosine}: {returned}"
                );
            }
        });
    }
    let reflectance = Vec3::splat(Sheet::pane_reflectance(0.5, 1.5));
    let pane = Bsdf::Sheet(Sheet { reflectance, tint: Vec3::ONE, least_reflection: 0.25 });
    assert!((returned(&pane, from(0.5), 8192) - 1.0).abs() < 0.005);
    assert!((returned(&Bsdf::Diffuse(Vec3::ONE), from(0.5), 8192) - 1.0).abs() < 0.005);
}

/// A roughness that varies over a surface takes its albedo from between the rows of a table, and still
/// returns all light.
#[test]
fn white_furnace_between_table_rows() {
    let coat = AlbedoTable::of_coat([0.03, 1.0], 1.5);
    let kept = AlbedoTable::of_interface([0.03, 1.0], 1.5);
    for roughness in [0.041, 0.1234, 0.33, 0.71, 0.987] {
        let plastic =
            Bsdf::Plastic(Plastic { color: Vec3::ONE, index: 1.5, roughness, coat: &coat });
        let interface = Bsdf::Interface(Interface {
            index: 1.5,
            roughness,
            kept: Some(&kept),
            reflectance: InterfaceReflectance::Bare,
            least_reflection: 0.0,
        });
        for bsdf in [&plastic, &interface] {
            for cosine in [0.06, 0.4, 0.93] {
                let returned = returned(bsdf, from(cosine), 16_384);
                assert!((returned - 1.0).abs() < 0.005, "{roughness} {cosine}: {returned}");
            }
        }
    }
}

/// What `sample` returns agrees with `evaluate` for its direction: the same density, and a weight
/// that is scattering over density.
#[test]
fn samples_agree_with_evaluation() {
    for roughness in [0.1, 0.3, 1.0] {
        white_materials(roughness, |name, bsdf| {
            for (point, choice) in points(200) {
                let Some(sample) = bsdf.sample(from(0.6), point, choice) else { continue };
                let scattering = bsdf.evaluate(from(0.6), sample.direction);
                let value = scattering.diffuse.x + scattering.specular.x;
                let near = |a: f32, b: f32| (a - b).abs() <= 0.02 * (a.abs() + b.abs()) + 1e-5;
                assert!(near(sample.pdf, scattering.pdf), "{name} {roughness}: {sample:?}");
                assert!(
                    near(sample.weight.x * sample.pdf, value),
                    "{name} {roughness}: {sample:?}"
                );
            }
        });
    }
}

/// Over all directions the density integrates to the fraction of samples that find one, and the
/// scattering to what the samples return.
#[test]
fn densities_add_up() {
    const SIDE: usize = 400;
    for roughness in [0.3, 0.6, 1.0] {
        white_materials(roughness, |name, bsdf| {
            let from = from(0.8);
            let (mut density, mut scattered) = (0.0f64, 0.0f64);
            for cell in 0..SIDE * SIDE {
                let u = ((cell % SIDE) as f32 + 0.5) / SIDE as f32;
                let v = ((cell / SIDE) as f32 + 0.5) / SIDE as f32;
                // Rotated so that the poles of the grid lie on the horizon, away from every lobe.
                let direction = uniform_sphere([u, v]);
                let found = bsdf.evaluate(from, Vec3::new(direction.y, direction.x, direction.z));
                density += f64::from(found.pdf);
                scattered += f64::from(found.diffuse.x + found.specular.x);
            }
            let solid_angle = 4.0 * std::f64::consts::PI / (SIDE * SIDE) as f64;
            let found =
                points(8192).filter(|&(point, choice)| bsdf.sample(from, point, choice).is_some());
            let share = found.count() as f64 / 8192.0;
            assert!((density * solid_angle - share).abs() < 0.01, "{name} {roughness}: {density}");
            assert!((scattered * solid_angle - 1.0).abs() < 0.01, "{name} {roughness}");
        });
    }
}

/// A coloured coat or metal absorbs, and never returns more than it gets.
#[test]
fn nothing_shines_by_itself() {
    for roughness in [0.0, 0.2, 0.8] {
        let reflectance = MetalReflectance::Index {
            index: Vec3::new(0.2, 0.4, 1.4),
            extinction: Vec3::new(3.9, 2.4, 1.8),
        };
        let metal = Bsdf::Metal(Metal { reflectance, roughness });
        for cosine in [0.05, 0.5, 1.0] {
            let returned = returned(&metal, from(cosine), 4096);
            assert!(returned > 0.3 && returned < 1.0, "{roughness} {cosine}: {returned}");
        }
    }
}
