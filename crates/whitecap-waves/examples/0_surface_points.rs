//! Surface points on a sequence of particles, frame by frame, with the time of each part.
//!
//! `cargo run --release -p whitecap-waves --example 0_surface_points -- sim/frame_####.bgeo 0-45`
//! prints one row per frame. Further arguments: particle spacings per coarse length, coarse length
//! per fine spacing, `exact` or `hierarchical`, and a pattern of PLY files to write.

use std::time::Instant;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_io::{Sequence, read_particles, write_particles};
use whitecap_surface::particle_spacing;
use whitecap_waves::points::{PointSettings, Sums, SurfaceTracker};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, |s| s).to_owned();
    let (first, last) = argument(1, "0-1000000")
        .split_once('-')
        .map_or(Ok::<_, std::num::ParseIntError>((0, 0)), |(first, last)| {
            Ok((first.parse::<i64>()?, last.parse::<i64>()?))
        })?;
    let spacings: f32 = argument(2, "2").parse()?;
    let ratio: f32 = argument(3, "4").parse()?;
    let sums = if argument(4, "") == "exact" { Sums::Exact } else { Sums::Hierarchical };
    let output = arguments.get(5).map(Sequence::new).transpose()?;

    let mut tracker: Option<SurfaceTracker> = None;
    println!(
        "frame | points | sampled | inserted | crowded | lost | nearest | deviation | least | lonely | levels | correction | µs/point | parts ms"
    );
    let mut total = (0.0, 0usize);
    for (frame, path) in Sequence::new(argument(0, "frame_####.bgeo"))?.existing()? {
        if frame < first || frame > last {
            continue;
        }
        let particles = read_particles(path)?;
        let tracker = match &mut tracker {
            Some(tracker) => tracker,
            None => {
                let spacing = particle_spacing(particles.positions()).ok_or("one particle")?;
                let coarse = spacings * spacing;
                let settings = PointSettings {
                    coarse: Some(coarse),
                    fine: Some(coarse / ratio),
                    sums,
                    ..PointSettings::default()
                };
                println!("coarse {coarse} m, {} particles", particles.len());
                tracker.insert(SurfaceTracker::new(settings)?)
            }
        };
        let start = Instant::now();
        let result = tracker.step(&particles, 0.02, &Unwatched)?;
        let seconds = start.elapsed().as_secs_f64();
        let report = result.report;
        let levels =
            tracker.levels().iter().fold([f32::INFINITY, f32::NEG_INFINITY], |range, &level| {
                [range[0].min(level), range[1].max(level)]
            });
        if report.sampled < report.points / 2 {
            total = (total.0 + seconds, total.1 + report.points);
        }
        let parts: Vec<String> = report
            .times
            .parts()
            .iter()
            .map(|(name, time)| format!("{name} {:.1}", 1e3 * time.as_secs_f64()))
            .collect();
        println!(
            "{frame} | {} | {} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {} | {:.2}…{:.2} | {:.4} | {:.2} | {}",
            report.points,
            report.sampled,
            report.inserted,
            report.crowded,
            report.lost,
            report.spacing.mean,
            report.spacing.deviation,
            report.spacing.least,
            report.spacing.lonely,
            levels[0],
            levels[1],
            report.correction,
            1e6 * seconds / report.points.max(1) as f64,
            parts.join(", "),
        );
        if let Some(output) = &output {
            write_points(output.path(frame), tracker)?;
        }
    }
    println!("mean {:.2} µs per point and frame", 1e6 * total.0 / total.1.max(1) as f64);
    Ok(())
}

fn write_points(
    path: std::path::PathBuf,
    tracker: &SurfaceTracker,
) -> Result<(), Box<dyn std::error::Error>> {
    let points = tracker.points();
    let mut particles = Particles::new(points.position.clone());
    let normals: Vec<Vec3> = points.normal.clone();
    particles.set_attribute("normal", Column::Vec3(normals))?;
    let ids: Vec<i64> = points.id.iter().map(|&id| id as i64).collect();
    particles.set_attribute("id", Column::I64(ids))?;
    write_particles(path, &particles)?;
    Ok(())
}
