//! A stretched drop without gravity; its period compared with that of Lamb 1932: ω² = 8σ / (ρ R³).
//!
//! `cargo run --release -p whitecap-bulk --example 1_oscillating_drop -- [radius in spacings]`

use std::f32::consts::{PI, TAU};

use whitecap_bulk::sph::{Liquid, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};

const SPACING: f32 = 0.001;
const STRETCH: f32 = 1.1;
const FRAMES_PER_PERIOD: u32 = 100;
const PERIODS: u32 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let radius = std::env::args().nth(1).map_or(Ok(8.0), |text| text.parse::<f32>())? * SPACING;
    let settings = SphSettings {
        spacing: SPACING,
        gravity: [0.0; 3],
        surface_tension: 0.072,
        viscosity: 0.0,
        ..SphSettings::default()
    };
    let squeeze = STRETCH.sqrt().recip();
    let ball = lattice_points(Volume::Sphere { center: Vec3::ZERO, radius }, SPACING)?;
    let drop: Vec<Vec3> = ball.iter().map(|&p| p * Vec3::new(STRETCH, squeeze, squeeze)).collect();
    let radius = (drop.len() as f32 * SPACING.powi(3) * 0.75 / PI).cbrt();
    let frequency =
        (8.0 * settings.surface_tension / (settings.rest_density * radius.powi(3))).sqrt();
    let period = TAU / frequency;
    println!("{} particles, radius {:.4} m, Lamb's period {period:.4} s", drop.len(), radius);

    let mut liquid = Liquid::new(settings)?;
    liquid.add(&drop, &vec![Vec3::ZERO; drop.len()])?;
    let mut before = elongation(&liquid);
    for frame in 1..=PERIODS * FRAMES_PER_PERIOD {
        liquid.step_frame(f64::from(period) / f64::from(FRAMES_PER_PERIOD), &Unwatched)?;
        let now = elongation(&liquid);
        if before.signum() != now.signum() {
            let share = before / (before - now);
            let time = (frame as f32 - 1.0 + share) / FRAMES_PER_PERIOD as f32;
            println!("round after {time:.2} of Lamb's periods");
        }
        before = now;
    }
    Ok(())
}

/// How much longer the drop is than wide: zero for a ball.
fn elongation(liquid: &Liquid) -> f32 {
    liquid.positions().iter().map(|p| p.x * p.x - 0.5 * (p.y * p.y + p.z * p.z)).sum()
}
