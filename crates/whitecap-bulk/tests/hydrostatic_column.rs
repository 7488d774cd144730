//! A column of water at rest has the pressure ρgh at the depth h and stays as it is.

mod sph_scenes;

use sph_scenes::box_of_water;
use whitecap_bulk::sph::{PressureMethod, SphSettings};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_scene::shape::BoxShape;

const BINS: usize = 10;

fn pressures(particles: &Particles) -> &[f32] {
    match particles.attribute("pressure") {
        Some(Column::F32(values)) => values,
        other => panic!("no pressure: {other:?}"),
    }
}

fn mean_height(positions: &[Vec3]) -> f64 {
    positions.iter().map(|p| f64::from(p.y)).sum::<f64>() / positions.len() as f64
}

fn check(pressure: PressureMethod) {
    let settings = SphSettings {
        spacing: 0.05,
        pressure,
        domain: Some(BoxShape { min: [0.0; 3], max: [0.4, 2.0, 0.4] }),
        ..SphSettings::default()
    };
    let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(0.4, 1.0, 0.4));
    let mut sums = [(0.0f64, 0u32); BINS];
    let mut height_after_a_second = 0.0;
    for frame in 1..=125 {
        let report = liquid.step_frame(0.04, &Unwatched).unwrap();
        let weight_times_height = 160.0 * 9.81 * 0.5;
        assert!(report.kinetic_energy < 0.005 * weight_times_height, "{}", report.kinetic_energy);
        if frame == 25 {
            height_after_a_second = mean_height(liquid.positions());
        }
        if frame > 50 {
            let particles = liquid.particles().unwrap();
            for (position, pressure) in particles.positions().iter().zip(pressures(&particles)) {
                let bin = &mut sums[((position.y * BINS as f32) as usize).min(BINS - 1)];
                *bin = (bin.0 + f64::from(*pressure), bin.1 + 1);
            }
        }
    }
    for (bin, (sum, count)) in sums.iter().enumerate() {
        let depth = 1.0 - (bin as f64 + 0.5) / BINS as f64;
        let (mean, expected) = (sum / f64::from(*count), 9810.0 * depth);
        assert!((mean - expected).abs() < 0.03 * 9810.0, "{mean:.0} Pa at {depth:.2} m");
    }
    let drift = mean_height(liquid.positions()) - height_after_a_second;
    assert!(drift.abs() < 0.003, "the column sank by {drift} m");
}

/// Contract: with DFSPH the mean pressure of each tenth of a column is ρgh within 3 % of the
/// pressure at its bottom, and the column neither sinks nor boils over five seconds.
#[test]
fn dfsph_column_has_its_pressure_and_rests() {
    check(PressureMethod::Dfsph);
}

/// Contract: PCISPH does the same.
#[test]
fn pcisph_column_has_its_pressure_and_rests() {
    check(PressureMethod::Pcisph);
}
