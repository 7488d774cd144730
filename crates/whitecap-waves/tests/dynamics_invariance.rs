//! Waves do not depend on the number of threads or on the unit of length, and their state can be
//! saved.

mod dynamics_surfaces;

use dynamics_surfaces::{Surface, sheet};
use whitecap_core::glam::Vec3;
use whitecap_waves::dynamics::{Dispersion, DynamicsSettings, WaveDynamics, WaveOutput, WaveState};
use whitecap_waves::points::Carry;

const FRAME: f64 = 1.0 / 24.0;

/// A sheet with bumps, some of which are sharp enough to be seeded, times `scale`.
fn bumpy(scale: f32) -> Surface {
    let (coarse, fine) = (0.1, 0.02);
    let height = |p: Vec3| 0.09 * (9.0 * p.x).sin() * (11.0 * p.z).cos();
    let slope = |p: Vec3| {
        let (x, z) = (9.0 * p.x, 11.0 * p.z);
        Vec3::new(-0.81 * x.cos() * z.cos(), 1.0, 0.99 * x.sin() * z.sin())
    };
    let places: Vec<Vec3> =
        sheet(2.0, 2.0, fine, 4).into_iter().map(|p| (p + Vec3::Y * height(p)) * scale).collect();
    let normal = move |p: Vec3| slope(p / scale).normalize();
    Surface::new(&places, normal, coarse * scale, fine * scale)
}

fn settings() -> DynamicsSettings {
    DynamicsSettings { curvature_memory: 0.0, full_curvature: 0.05, ..Default::default() }
}

fn run(surface: &Surface, settings: DynamicsSettings) -> WaveOutput {
    let mut dynamics = WaveDynamics::new(settings, surface.coarse, surface.fine, FRAME).unwrap();
    surface.run(&mut dynamics, 12, FRAME)
}

/// Contract: 1, 2 and 7 threads give the same bits.
#[test]
fn threads_do_not_change_a_bit() {
    let surface = bumpy(1.0);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&surface, settings()))
    };
    let one = with_threads(1);
    assert!(one.height.iter().any(|h| h.abs() > 1e-3), "there are waves");
    assert!(one == with_threads(2), "two threads");
    assert!(one == with_threads(7), "seven threads");
}

/// Contract: with all lengths 1024 times as small or as large, at the same time between frames, the
/// waves are as much smaller or larger, to the bit.
#[test]
fn waves_scale_with_the_liquid() {
    let without = DynamicsSettings { dispersion: Dispersion::None, ..settings() };
    let expected = run(&bumpy(1.0), without.clone());
    for scale in [1.0 / 1024.0, 1024.0] {
        let found = run(&bumpy(scale), without.clone());
        let rescaled: Vec<f32> = found.height.iter().map(|h| h / scale).collect();
        assert!(rescaled == expected.height, "scale {scale}");
    }
}

/// Contract: waves restored from saved columns continue as if nothing had happened, to the bit; columns
/// of other settings are refused.
#[test]
fn a_saved_state_goes_on_to_the_bit() {
    let surface = bumpy(1.0);
    let new = || WaveDynamics::new(settings(), surface.coarse, surface.fine, FRAME).unwrap();
    let mut first = new();
    surface.run(&mut first, 5, FRAME);
    let saved: Vec<(String, Vec<f32>)> =
        first.state().columns().into_iter().map(|(name, column)| (name, column.to_vec())).collect();
    let take = |name: &str| saved.iter().find(|(n, _)| n == name).map(|(_, column)| column.clone());
    let bands = first.bands().len();
    let mut second = new();
    second.set_state(WaveState::from_columns(bands, take).unwrap());
    let time = 6.0 * FRAME;
    let expected = first.step(&surface.view(), time).unwrap();
    assert!(second.step(&surface.view(), time).unwrap() == expected, "the next frame");
    let error = WaveState::from_columns(bands + 1, take).unwrap_err().to_string();
    assert!(error.contains("other settings"), "{error}");
}

/// Contract: waves that were not carried to the points of a frame are refused; carried ones keep
/// their values.
#[test]
fn waves_are_carried_with_their_points() {
    let surface = bumpy(1.0);
    let mut dynamics = WaveDynamics::new(settings(), surface.coarse, surface.fine, FRAME).unwrap();
    let error = dynamics.step(&surface.view(), 0.0).unwrap_err().to_string();
    assert!(error.contains("0 values of waves"), "{error}");
    surface.run(&mut dynamics, 3, FRAME);
    let before = dynamics.state().clone();
    dynamics.carry(&Carry::identity(surface.len()));
    assert!(*dynamics.state() == before, "every column is kept");
}
