//! Reading and writing particles: `cargo bench -p whitecap-io`.

use divan::Bencher;
use divan::counter::BytesCount;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};
use whitecap_io::{read_particles, write_particles};

fn main() {
    divan::main();
}

const FORMATS: [&str; 3] = ["bgeo", "ply", "vtk"];

/// 100 000 particles with velocity and id.
fn particles() -> Particles {
    let place = |i: i32| Vec3::new((i as f32).sin(), (0.3 * i as f32).cos(), 1e-4 * i as f32);
    let mut particles = Particles::new((0..100_000).map(place).collect());
    let velocity = (0..100_000).map(|i| 2.0 * place(i + 7)).collect();
    particles.set_attribute("velocity", Column::Vec3(velocity)).unwrap();
    particles.set_attribute("id", Column::I32((0..100_000).collect())).unwrap();
    particles
}

#[divan::bench(args = FORMATS, max_time = 2)]
fn write_100k_particles(bencher: Bencher, format: &str) {
    let particles = particles();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("particles.{format}"));
    write_particles(&path, &particles).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    bencher
        .counter(BytesCount::new(size))
        .bench_local(|| write_particles(&path, &particles).unwrap());
}

#[divan::bench(args = FORMATS, max_time = 2)]
fn read_100k_particles(bencher: Bencher, format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("particles.{format}"));
    write_particles(&path, &particles()).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    bencher.counter(BytesCount::new(size)).bench_local(|| read_particles(&path).unwrap());
}
