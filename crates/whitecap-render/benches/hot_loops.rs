//! Rays per second of a small scene: `cargo bench -p whitecap-render`.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use whitecap_core::{TriMesh, Unwatched};
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Plane, Sphere};
use whitecap_render::{
    Camera, Dielectric, Environment, LightKind, Material, MeshOptions, RenderSettings, Scene,
    TriangleMesh, render,
};

fn main() {
    divan::main();
}

/// A wavy ball of 80 000 triangles.
fn wavy_ball() -> TriMesh {
    const ROWS: usize = 200;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..=ROWS {
        for column in 0..ROWS {
            let (down, around) = (row as f32 / ROWS as f32, column as f32 / ROWS as f32);
            let (down, around) = (down * std::f32::consts::PI, around * std::f32::consts::TAU);
            let radius = 0.5 + 0.02 * (20.0 * down).sin() * (15.0 * around).cos();
            let ring = down.sin();
            let direction = Vec3::new(ring * around.cos(), down.cos(), ring * around.sin());
            positions.push(Vec3::Y * 0.6 + radius * direction);
            if row < ROWS {
                let at = |r: usize, c: usize| (r * ROWS + c % ROWS) as u32;
                let [a, b] = [at(row, column), at(row, column + 1)];
                let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// The ball on a floor under a lamp and a grey sky.
fn scene(ball: Material) -> Scene {
    let mut scene = Scene {
        environment: Environment::Constant(Vec3::splat(0.3)),
        camera: Camera::looking(Vec3::new(0.0, 1.0, 4.0), Vec3::new(0.0, 0.4, 0.0), 30.0),
        ..Scene::default()
    };
    let floor = scene.add_material(Material::plastic(Vec3::splat(0.5), 0.3));
    let ball = scene.add_material(ball);
    scene.add("floor", Arc::new(Plane::floor(0.0)), floor);
    let mesh = TriangleMesh::new(wavy_ball(), MeshOptions::default()).unwrap();
    scene.add("ball", Arc::new(mesh), ball);
    let shape = Sphere { center: Vec3::new(1.0, 2.0, 1.0), radius: 0.3 };
    scene.lights.push(LightKind::Sphere { shape, radiance: Vec3::splat(20.0) }.into());
    scene
}

fn picture(bencher: Bencher, scene: &Scene) {
    let settings = RenderSettings {
        width: 160,
        height: 120,
        samples: 4,
        samples_per_pass: 4,
        ..RenderSettings::default()
    };
    let rays = render(scene, &settings, &Unwatched).unwrap().statistics.rays;
    bencher
        .counter(ItemsCount::new(rays))
        .bench_local(|| render(scene, &settings, &Unwatched).unwrap());
}

/// All rays cast for a picture of a plaster ball.
#[divan::bench(max_time = 4)]
fn rays_on_plaster(bencher: Bencher) {
    picture(bencher, &scene(Material::diffuse(Vec3::splat(0.7))));
}

/// The same with a ball of water, whose paths are longer.
#[divan::bench(max_time = 4)]
fn rays_through_water(bencher: Bencher) {
    picture(bencher, &scene(Material::dielectric(Dielectric::water())));
}
