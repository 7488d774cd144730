//! From particles to a mesh, by each method: `cargo bench -p whitecap-surface`.

use divan::Bencher;
use glam::{IVec3, Vec3};
use whitecap_core::{Particles, Unwatched};
use whitecap_surface::{Method, SurfaceSettings, surface_particles};

fn main() {
    divan::main();
}

/// A ball of 20 000 particles with a crater.
fn particles() -> Particles {
    let node = |i: i32| IVec3::new(i % 37, i / 37 % 37, i / 1369).as_vec3() - 18.0;
    let wobble = |i: i32| Vec3::new((i as f32).sin(), (2.3 * i as f32).sin(), (i as f32).cos());
    let places = (0..37 * 37 * 37).map(|i| 0.01 * (node(i) + 0.1 * wobble(i)));
    let inside = |p: &Vec3| p.length() < 0.17 && p.distance(Vec3::Y * 0.17) > 0.06;
    Particles::new(places.filter(inside).collect())
}

#[divan::bench(
    args = [Method::Density, Method::ZhuBridson, Method::Solenthaler, Method::Anisotropic],
    max_time = 2
)]
fn surface_of_20k_particles(bencher: Bencher, method: Method) {
    let particles = particles();
    let settings = SurfaceSettings { method, radius: Some(0.005), ..SurfaceSettings::default() };
    bencher.bench_local(|| surface_particles(&particles, &settings, &Unwatched).unwrap());
}
