//! A frame of waves: `cargo bench -p whitecap-waves`.

use divan::Bencher;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_waves::{Surroundings, WaveSettings, Waves};

fn main() {
    divan::main();
}

/// A tank of 12 800 particles with a swell running through it.
fn tank(frame: i32) -> Particles {
    let places = (0..40 * 8 * 40).map(|i| {
        let p = Vec3::new((i % 40) as f32, (i / 40 % 8) as f32, (i / 320) as f32) * 0.05;
        let swell = 0.1 * (4.0 * p.x - 0.4 * frame as f32).sin() + 0.05 * (6.0 * p.z).cos();
        p + Vec3::Y * swell * p.y / 0.4
    });
    let mut particles = Particles::new(places.collect());
    particles.set_attribute("id", Column::I32((0..40 * 8 * 40).collect())).unwrap();
    particles
}

/// Points, seeds and waves of one frame, after three frames.
#[divan::bench(max_time = 4)]
fn frame_of_waves(bencher: Bencher) {
    let mut waves = Waves::new(WaveSettings::default(), 1.0 / 24.0).unwrap();
    for frame in 0..3 {
        waves.step(&tank(frame), Surroundings::default(), &Unwatched).unwrap();
    }
    let next = tank(3);
    bencher.with_inputs(|| waves.clone()).bench_local_values(|mut waves| {
        let frame = waves.step(&next, Surroundings::default(), &Unwatched).unwrap();
        (waves, frame)
    });
}
