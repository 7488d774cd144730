//! What a narrow band saves: a tank of N³ cells, full to seven eighths, sloshes.
//!
//! `cargo run --release -p whitecap-bulk --example 7_narrow_band -- 64 24 4` (cells along an edge, frames, cells in
//! the band; without the last, particles are everywhere)

use std::time::Instant;

use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Filling, Volume};
use whitecap_scene::shape::BoxShape;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: usize| {
        arguments.get(place).map_or(Ok(default), |argument| argument.parse::<usize>())
    };
    let (cells, frames) = (number(0, 64)?, number(1, 24)?);
    let spacing = 0.5 / cells as f32;
    let settings = FlipSettings {
        spacing,
        narrow_band: arguments.get(2).map(|argument| argument.parse()).transpose()?,
        domain: Some(BoxShape { min: [0.0; 3], max: [1.0; 3] }),
        ..FlipSettings::default()
    };
    let mut liquid = filled(settings)?;
    println!("{} particles; peak after the fill: {}", liquid.particles().len(), peak());
    let volume = liquid.volume();
    liquid.step_frame(1e-3, &whitecap_core::Unwatched)?;
    println!("peak of the first step: {}", peak());
    forget_peak();
    let (start, mut steps) = (Instant::now(), 0);
    for _ in 0..frames {
        steps += liquid.step_frame(1.0 / 24.0, &whitecap_core::Unwatched)?.steps.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} particles in the band, {} cells in the core",
        liquid.particles().len(),
        liquid.core_cells()
    );
    println!(
        "held between steps: {:.1} MB; peak of later steps: {}",
        1e-6 * liquid.bytes_held() as f64,
        peak()
    );
    println!("{:.3} s a step, {:.3} s a frame", seconds / steps as f64, seconds / frames as f64);
    println!("volume changed by {:+.2} %", 100.0 * (liquid.volume() / volume - 1.0));
    Ok(())
}

/// The tank; the lattice of the fill is gone when this returns.
fn filled(settings: FlipSettings) -> Result<FlipLiquid, Box<dyn std::error::Error>> {
    let mut filling = Filling::new(settings.spacing, &[])?;
    let mut liquid = FlipLiquid::new(settings)?;
    let full = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1.0, 0.875, 1.0) };
    filling.add(full, Vec3::new(0.8, 0.0, 0.0), &|_| 1.0)?;
    liquid.add(filling.positions(), filling.velocities())?;
    Ok(liquid)
}

/// Lets the peak begin anew, where Linux can do so.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that this program had so far, where Linux says so.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".into(), |line| line.trim().into())
}
