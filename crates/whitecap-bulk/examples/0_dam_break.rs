//! A dam break: a cube of water of one metre collapses in a box of 3 × 2 × 1 m.
//!
//! `cargo run --release -p whitecap-bulk --example 0_dam_break -- 27 1.0 dfsph` prints, for each
//! frame of a fiftieth of a second, how the solver performed. Arguments: particles along an edge, seconds,
//! `dfsph` or `pcisph`, the number of spacings a particle may move in a step, and the mean density error.

use std::time::Instant;

use whitecap_bulk::sph::{Liquid, PressureMethod, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};
use whitecap_scene::shape::BoxShape;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, |s| s).to_owned();
    let edge: f32 = argument(0, "27").parse()?;
    let seconds: f64 = argument(1, "1.0").parse()?;
    let pressure = match argument(2, "dfsph").as_str() {
        "pcisph" => PressureMethod::Pcisph,
        _ => PressureMethod::Dfsph,
    };
    let settings = SphSettings {
        spacing: 1.0 / edge,
        pressure,
        cfl: argument(3, "0.4").parse()?,
        mean_compression: arguments.get(4).map(|text| text.parse()).transpose()?,
        domain: Some(BoxShape { min: [-1.5, 0.0, -0.5], max: [1.5, 2.0, 0.5] }),
        ..SphSettings::default()
    };
    let volume = Volume::Box { min: Vec3::new(-1.5, 0.0, -0.5), max: Vec3::new(-0.5, 1.0, 0.5) };
    let positions = lattice_points(volume, settings.spacing)?;
    let mut liquid = Liquid::new(settings)?;
    liquid.add(&positions, &vec![Vec3::ZERO; positions.len()])?;

    println!("{} particles", liquid.len());
    println!(
        "time s | steps | iterations | residual % | retries | front m | ms/step | bytes each | densest % | settling"
    );
    let start = Instant::now();
    let mut all_steps = 0;
    while liquid.time() < seconds {
        let frame_start = Instant::now();
        let report = liquid.step_frame(0.02, &Unwatched)?;
        let steps = report.steps.len();
        all_steps += steps;
        let densest = report.steps.iter().map(|step| step.largest_density).fold(0.0, f32::max);
        let front = liquid.positions().iter().map(|p| p.x).fold(-1.5, f32::max) + 1.5;
        println!(
            "{:.2} | {steps} | {:.1} | {:.3} | {} | {front:.3} | {:.1} | {} | {:.2} | {}",
            liquid.time(),
            report.mean_iterations(),
            100.0 * report.largest_compression(),
            report.steps.iter().map(|step| step.retries).sum::<u32>(),
            frame_start.elapsed().as_secs_f64() * 1e3 / steps as f64,
            report.bytes / liquid.len().max(1),
            100.0 * (densest - 1.0),
            report.steps.iter().map(|step| step.settling).sum::<u32>(),
        );
    }
    let wall = start.elapsed().as_secs_f64();
    println!("{all_steps} steps, {:.2} s per simulated second", wall / liquid.time());
    Ok(())
}
