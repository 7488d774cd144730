//! How long a grid liquid takes: a dam breaks in a cube of N³ cells, a quarter of which is full.
//!
//! `cargo run --release -p whitecap-bulk --example 5_flip_speed -- 64 24` (cells along an edge, frames)

use std::time::Instant;

use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Filling, Volume};
use whitecap_scene::shape::BoxShape;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let cells = arguments.next().transpose()?.unwrap_or(64);
    let frames = arguments.next().transpose()?.unwrap_or(24);
    let spacing = 0.5 / cells as f32;
    let domain = BoxShape { min: [0.0; 3], max: [1.0; 3] };
    let settings = FlipSettings { spacing, domain: Some(domain), ..FlipSettings::default() };
    let mut liquid = FlipLiquid::new(settings)?;
    let mut filling = Filling::new(spacing, &[])?;

    let full = Volume::Box { min: Vec3::ZERO, max: Vec3::new(0.5, 0.5, 1.0) };
    filling.add(full, Vec3::ZERO, &|_| 1.0)?;
    liquid.add(filling.positions(), filling.velocities())?;
    drop(filling);
    println!("{} particles", liquid.particles().len());
    println!("| frame | time / s | steps | iterations per step | largest speed / m/s |");
    println!("|---|---|---|---|---|");
    let (mut total, mut steps) = (0.0, 0);
    for frame in 1..=frames {
        let start = Instant::now();
        let report = liquid.step_frame(1.0 / 24.0, &whitecap_core::Unwatched)?;
        let seconds = start.elapsed().as_secs_f64();
        let iterations: usize = report.steps.iter().map(|step| step.iterations).sum();
        let speed = report.steps.iter().map(|step| step.largest_speed).fold(0.0, f32::max);
        let count = report.steps.len();
        println!(
            "| {frame} | {seconds:.3} | {count} | {:.1} | {speed:.2} |",
            iterations as f64 / count as f64
        );
        total += seconds;
        steps += count;
    }
    println!("{:.3} s a frame, {:.3} s a step", total / frames as f64, total / steps as f64);
    Ok(())
}
