//! The grid liquid against closed forms, conservation and experiments, at its default settings.

mod flip_scenes;
mod martin_moyce;

use flip_scenes::{box_of_water, filled};
use martin_moyce::MEASURED;
use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::Volume;
use whitecap_scene::shape::BoxShape;

const FRAME: f64 = 1.0 / 24.0;

fn mean_height(liquid: &FlipLiquid) -> f64 {
    let positions = &liquid.particles().position;
    positions.iter().map(|p| f64::from(p.y)).sum::<f64>() / positions.len() as f64
}

/// Contract: water that rests in a tank stays there: after two seconds nothing has moved by more than a
/// fraction of a cell, and nothing moves faster than it would by falling a twentieth of a cell.
#[test]
fn water_at_rest_stays_at_rest() {
    let settings = FlipSettings {
        spacing: 0.02,
        domain: Some(BoxShape::new(Vec3::ZERO, Vec3::new(0.5, 0.5, 0.3))),
        ..FlipSettings::default()
    };
    let cell = settings.cell();
    let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(0.5, 0.3, 0.3));
    let height = mean_height(&liquid);
    for _ in 0..48 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
    let sunk = (mean_height(&liquid) - height).abs() as f32;
    let speed = liquid.particles().velocity.iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(sunk < 0.05 * cell, "sunk by {sunk} m");
    assert!(speed < (2.0 * 9.81 * 0.05 * cell).sqrt(), "{speed} m/s");
}

/// Contract: up to T = 3 the front of a breaking dam is within 10 % of the measured one. The front is the
/// position that a hundredth of the liquid has passed.
#[test]
fn front_is_where_martin_and_moyce_saw_it() {
    let width = 0.05715;
    let spacing = width / 20.0;
    let depth = 8.0 * spacing;
    let settings = FlipSettings {
        spacing,
        domain: Some(BoxShape { min: [0.0; 3], max: [6.0 * width, 3.0 * width, depth] }),
        ..FlipSettings::default()
    };
    let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(width, 2.0 * width, depth));
    let unit = (0.5 * f64::from(width) / 9.81).sqrt();
    for (time, expected) in MEASURED {
        let duration = f64::from(time) * unit - liquid.time();
        liquid.step_frame(duration, &Unwatched).unwrap();
        let mut x: Vec<f32> = liquid.particles().position.iter().map(|p| p.x).collect();
        x.sort_by(|a, b| b.total_cmp(a));
        let front = (x[x.len() / 100] + 0.5 * spacing) / width;
        assert!((front / expected - 1.0).abs() < 0.10, "T {time}: {front}, measured {expected}");
    }
}

/// Contract: the volume inside the surface is that of the particles, and ten seconds of sloshing change it by
/// less than half a per cent; the motion dies down instead of growing.
#[test]
fn a_sloshing_tank_keeps_its_volume() {
    let settings = FlipSettings {
        spacing: 0.008,
        domain: Some(BoxShape::new(Vec3::ZERO, Vec3::new(1.0, 0.8, 0.064))),
        ..FlipSettings::default()
    };
    let spacing = f64::from(settings.spacing);
    let pool = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1.0, 0.304, 0.064) };
    let mut liquid = filled(settings, pool, Vec3::new(0.8, 0.0, 0.0));
    let volume = liquid.particles().len() as f64 * spacing.powi(3);
    let energy = liquid.kinetic_energy();
    let mut last_second = 0.0;
    for frame in 0..240 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
        assert!(liquid.kinetic_energy() < 1.05 * energy, "frame {frame} gains energy");
        if frame >= 216 {
            last_second += liquid.volume() / 24.0;
        }
    }
    let drift = last_second / volume - 1.0;
    println!("drift of the volume in ten seconds: {:+.2} %", 100.0 * drift);
    assert!(drift.abs() < 0.005, "{drift}");
}
