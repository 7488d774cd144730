//! Carries a mesh through a sequence of particles and prints what happened in each frame.
//!
//! `cargo run --release -p whitecap-track --example 0_track -- sim/frame_####.bgeo toy.ply 50 out_####.ply`
//! Arguments: the particles, the mesh of their first frame, frames per second, the meshes to write (`-`
//! for none), the particle spacing (estimated if not given), and `close` with a cell size to repair the
//! mesh first.

use whitecap_core::Unwatched;
use whitecap_io::{Sequence, read_mesh, read_particles, write_mesh};
use whitecap_track::{TrackSettings, Tracker, close_mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, |s| s).to_owned();
    let duration = 1.0 / argument(2, "24").parse::<f32>()?;
    let output = match argument(3, "-").as_str() {
        "-" => None,
        pattern => Some(Sequence::new(pattern)?),
    };
    let spacing: Option<f32> = arguments.get(4).map(|s| s.parse()).transpose()?;
    let mut mesh = read_mesh(argument(1, "toy.ply"))?;
    if argument(5, "") == "close" {
        let (closed, changes) = close_mesh(&mesh, argument(6, "0.01").parse()?)?;
        println!("{changes:?}");
        mesh = closed;
    }
    let settings = TrackSettings { spacing, ..TrackSettings::default() };
    let mut tracker: Option<Tracker> = None;
    let mut previous = None;
    println!(
        "frame | triangles | parts (coarse) | Euler (coarse) | volume/coarse | volume/particles | correction, spacings | self-intersections | jumped | remeshed | rebuilt | widened | match ms | total ms"
    );
    for (frame, path) in Sequence::new(argument(0, "frame_####.bgeo"))?.existing()? {
        let next = read_particles(path)?;
        match (&mut tracker, &previous) {
            (Some(tracker), Some(previous)) => {
                let report = tracker.advance(previous, &next, duration, &Unwatched)?;
                println!(
                    "{frame} | {} | {} ({}) | {} ({}) | {:.4} | {:.4} | {:.3} | {} | {} | {} | {} | {} | {:.0} | {:.0}",
                    report.triangles,
                    report.topology.components,
                    report.coarse_topology.components,
                    report.topology.euler_characteristic,
                    report.coarse_topology.euler_characteristic,
                    report.volume / report.coarse_volume,
                    report.volume / report.particle_volume.unwrap_or(f64::NAN),
                    report.volume_offset / tracker.spacing(),
                    report.self_intersections,
                    report.jumped_vertices,
                    report.remeshed_cells,
                    report.rebuilt_components,
                    report.widened,
                    report.times.matching.as_secs_f64() * 1e3,
                    report.times.total.as_secs_f64() * 1e3,
                );
            }
            _ => tracker = Some(Tracker::new(&mesh, &next, settings.clone(), &Unwatched)?),
        }
        if let (Some(output), Some(tracker)) = (&output, &tracker) {
            write_mesh(output.path(frame), &tracker.mesh())?;
        }
        previous = Some(next);
    }
    Ok(())
}
