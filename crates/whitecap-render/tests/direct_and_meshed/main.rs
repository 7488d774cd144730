//! The same liquid hit directly and as a mesh: the pictures agree when it is still, and only the
//! direct one is right when drops merge while the shutter is open.

mod drops;

use std::sync::Arc;

use whitecap_core::{Particles, Unwatched};
use whitecap_render::glam::Vec3;
use whitecap_render::liquid::{LiquidMethod, LiquidSettings, Shutter};
use whitecap_render::{
    Camera, Environment, Light, LightKind, Material, MeshOptions, ParticleLiquid, PixelFilter,
    RenderSettings, Scene, Shape, TriangleMesh, render,
};
use whitecap_surface::{SurfaceSettings, surface_particles};

use drops::Drops;

/// Mean over all pixels of the largest difference of a channel.
fn mean_difference(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).abs().max_element()).sum::<f32>() / a.len() as f32
}

/// Means over squares of 4 × 4 pixels, which have little noise, in the middle quarter of a picture of
/// the given width, where the neck is.
fn in_blocks(pixels: &[Vec3], width: usize) -> Vec<Vec3> {
    let block = |first: usize| {
        let rows = (0..4).flat_map(|row| &pixels[first + row * width..][..4]);
        rows.sum::<Vec3>() / 16.0
    };
    let rows = (0..pixels.len()).step_by(4 * width);
    rows.flat_map(|row| (row + width * 3 / 8..row + width * 5 / 8).step_by(4)).map(block).collect()
}

/// Contract: the blurred picture of two drops that merge is the mean of still pictures in between when
/// particles move, but not when the vertices of the frame's mesh do: the neck that the mesh has at the middle
/// of the shutter is smeared to either side of it, where the drops are still two.
#[test]
fn merging_drops_are_blurred_right_only_when_hit_directly() {
    let drops = Drops::new();
    let settings = RenderSettings {
        width: 96,
        height: 40,
        samples: 48,
        noise: 0.0,
        filter: PixelFilter::Box,
        filter_width: 1.0,
        ..RenderSettings::default()
    };
    let expected = drops.mean_of_stills(32, &RenderSettings { samples: 16, ..settings.clone() });
    let expected = in_blocks(&expected, 96);
    let direct = mean_difference(&in_blocks(&drops.direct(&settings), 96), &expected);
    let meshed = mean_difference(&in_blocks(&drops.meshed(&settings), 96), &expected);
    println!("mean difference from the mean of stills: direct {direct:.4}, mesh {meshed:.4}");
    assert!(direct < 0.01, "{direct}");
    assert!(meshed > 2.5 * direct, "{meshed} by mesh, {direct} directly");
}

/// A wavy heap of particles.
fn heap(spacing: f32) -> Particles {
    let cells = (0..40 * 24 * 40)
        .map(|i| Vec3::new((i % 40) as f32, (i / 40 % 24) as f32, (i / 960) as f32));
    let under_waves = |p: &Vec3| p.y < 12.0 + 4.0 * (0.3 * p.x).sin() + 3.0 * (0.4 * p.z).cos();
    Particles::new(
        cells.filter(under_waves).map(|p| (p - Vec3::new(20.0, 0.0, 20.0)) * spacing).collect(),
    )
}

/// Contract: a still liquid looks the same hit directly and as a mesh of cells of half a radius: the
/// mean difference of the light in a pixel is below 1 % of that of a white surface in the sun.
#[test]
fn direct_and_meshed_pictures_agree() {
    let spacing = 0.02;
    let particles = heap(spacing);
    let liquid = LiquidSettings {
        method: LiquidMethod::Density,
        radius: Some(0.5 * spacing),
        ..LiquidSettings::default()
    };
    let picture = |shape: Arc<dyn Shape>| {
        let mut scene = Scene::default();
        let blue = scene.add_material(Material::diffuse(Vec3::new(0.2, 0.5, 0.8)));
        scene.add("liquid", shape, blue);
        let sun = LightKind::Sun {
            direction: Vec3::new(1.0, 1.0, 0.5).normalize(),
            diameter: 0.53,
            irradiance: Vec3::splat(std::f32::consts::PI),
        };
        scene.lights.push(Light::from(sun));
        scene.environment = Environment::Constant(Vec3::splat(0.3));
        scene.camera = Camera::looking(Vec3::new(0.9, 0.9, 1.2), Vec3::new(0.0, 0.15, 0.0), 35.0);
        let settings = RenderSettings {
            width: 128,
            height: 96,
            samples: 64,
            bounces: 2,
            noise: 0.0,
            ..RenderSettings::default()
        };
        render(&scene, &settings, &Unwatched).unwrap().rgb("beauty").unwrap()
    };
    let direct = ParticleLiquid::new(&particles, &liquid, Shutter::STILL).unwrap();
    let fine = SurfaceSettings { cell: Some(0.25 * spacing), ..liquid.surface_settings() };
    let mesh = surface_particles(&particles, &fine, &Unwatched).unwrap().mesh;
    let meshed = TriangleMesh::new(mesh, MeshOptions::default()).unwrap();
    let difference = mean_difference(&picture(Arc::new(direct)), &picture(Arc::new(meshed)));
    println!("mean difference between direct and meshed: {difference:.4}");
    assert!(difference < 0.01, "{difference}");
}
