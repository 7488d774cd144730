//! What a liquid must not gain or lose.

mod sph_scenes;

use sph_scenes::{add_ball, dam};
use whitecap_bulk::sph::{Liquid, PressureMethod, SphSettings};
use whitecap_core::glam::{DVec3, Vec3};
use whitecap_core::{Particles, Unwatched};

fn weightless(pressure: PressureMethod) -> SphSettings {
    SphSettings { spacing: 0.02, gravity: [0.0; 3], pressure, ..SphSettings::default() }
}

fn momentum(particles: &Particles) -> (DVec3, f64) {
    let velocities = particles.velocities().unwrap();
    let sum = velocities.iter().map(|v| v.as_dvec3()).sum();
    (sum, velocities.iter().map(|v| f64::from(v.length())).sum())
}

/// Contract: two balls that collide without walls keep their momentum to rounding, with both
/// solvers and with viscosity.
#[test]
fn momentum_is_conserved_without_walls() {
    for pressure in [PressureMethod::Dfsph, PressureMethod::Pcisph] {
        let mut liquid =
            Liquid::new(SphSettings { viscosity: 0.5, ..weightless(pressure) }).unwrap();
        add_ball(&mut liquid, 0.02, Vec3::new(-0.12, 0.0, 0.0), 0.1, Vec3::new(3.0, 0.1, 0.0));
        add_ball(&mut liquid, 0.02, Vec3::new(0.1, 0.03, 0.0), 0.1, Vec3::new(-1.0, 0.0, 0.2));
        let before = momentum(&liquid.particles().unwrap()).0;
        for _ in 0..5 {
            liquid.step_frame(0.02, &Unwatched).unwrap();
        }
        let (after, scale) = momentum(&liquid.particles().unwrap());
        let change = (after - before).length() / scale;
        assert!(change < 1e-6, "{pressure:?} changed the momentum by {change:e}");
    }
}

/// Contract: a drop at rest without gravity stays at rest.
#[test]
fn drop_at_rest_gains_no_energy() {
    for pressure in [PressureMethod::Dfsph, PressureMethod::Pcisph] {
        let mut liquid = Liquid::new(weightless(pressure)).unwrap();
        add_ball(&mut liquid, 0.02, Vec3::ZERO, 0.1, Vec3::ZERO);
        for _ in 0..10 {
            let report = liquid.step_frame(0.04, &Unwatched).unwrap();
            assert!(report.kinetic_energy < 1e-9, "{pressure:?}: {} J", report.kinetic_energy);
        }
    }
}

/// Contract: a dam break never has more energy than at its start, its particles stay inside
/// the domain, and none is lost or duplicated.
#[test]
fn dam_break_gains_no_energy_and_loses_no_particle() {
    let mut liquid = dam(SphSettings { spacing: 0.5 / 16.0, ..SphSettings::default() });
    let count = liquid.len();
    let mass = 125.0 / count as f64;
    let energy = |liquid: &Liquid| {
        let height: f64 = liquid.positions().iter().map(|p| f64::from(p.y)).sum();
        liquid.kinetic_energy() + mass * 9.81 * height
    };
    let start = energy(&liquid);
    for _ in 0..25 {
        liquid.step_frame(0.04, &Unwatched).unwrap();
        assert!(energy(&liquid) < 1.01 * start, "{} J of {start} J", energy(&liquid));
        for p in liquid.positions() {
            assert!(p.cmpge(Vec3::ZERO).all() && p.cmple(Vec3::new(1.5, 1.0, 0.5)).all(), "{p}");
        }
    }
    let ids = liquid.particles().unwrap().ids().unwrap();
    assert_eq!(ids, (0..count as i64).collect::<Vec<_>>());
}
