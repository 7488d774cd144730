//! Waves on a sequence of particles, frame by frame, with the time of points and waves.
//!
//! `cargo run --release -p whitecap-waves --example 1_waves -- sim/frame_####.bgeo 0-45 50 4` prints one
//! row per frame. Arguments: the particles, the frames, frames per second, coarse length per fine
//! spacing, `exact` or `hierarchical`, and a pattern of PLY files to write.

use whitecap_core::Unwatched;
use whitecap_io::{Sequence, read_particles, write_particles};
use whitecap_surface::particle_spacing;
use whitecap_waves::points::{PointSettings, Sums};
use whitecap_waves::{Surroundings, WaveSettings, Waves};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, |s| s).to_owned();
    let frames = argument(1, "0-1000000");
    let (first, last) = frames.split_once('-').ok_or("frames are written as 0-45")?;
    let frames = first.parse::<i64>()?..=last.parse::<i64>()?;
    let duration = 1.0 / argument(2, "50").parse::<f64>()?;
    let ratio: f32 = argument(3, "4").parse()?;
    let sums = if argument(4, "") == "exact" { Sums::Exact } else { Sums::Hierarchical };
    let output = arguments.get(5).map(Sequence::new).transpose()?;

    println!(
        "frame | points | nearest | deviation | mean height | largest height | steps | points ms | aggregation ms | waves ms | µs/point"
    );
    let mut waves: Option<Waves> = None;
    for (frame, path) in Sequence::new(argument(0, "frame_####.bgeo"))?.existing()? {
        if !frames.contains(&frame) {
            continue;
        }
        let particles = read_particles(path)?;
        let waves = match &mut waves {
            Some(waves) => waves,
            None => {
                let spacing = particle_spacing(particles.positions()).ok_or("one particle")?;
                let fine = Some(2.0 * spacing / ratio);
                let coarse = Some(2.0 * spacing);
                let points = PointSettings { coarse, fine, sums, ..PointSettings::default() };
                let settings = WaveSettings { points, ..WaveSettings::default() };
                waves.insert(Waves::new(settings, duration)?)
            }
        };
        let result = waves.step(&particles, Surroundings::default(), &Unwatched)?;
        let report = &result.report;
        println!(
            "{frame} | {} | {:.3} | {:.3} | {:.5} | {:.5} | {} | {:.1} | {:.1} | {:.1} | {:.2}",
            report.points.points,
            report.points.spacing.mean,
            report.points.spacing.deviation,
            report.mean_height,
            report.largest_height,
            report.wave_steps,
            1e3 * report.points.times.total().as_secs_f64(),
            1e3 * report.aggregation.as_secs_f64(),
            1e3 * report.dynamics.as_secs_f64(),
            1e6 * report.total.as_secs_f64() / report.points.points.max(1) as f64,
        );
        if let Some(output) = &output {
            write_particles(output.path(frame), &result.particles()?)?;
        }
    }
    Ok(())
}
