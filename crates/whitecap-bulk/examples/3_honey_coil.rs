//! A thread of honey that falls on a plate and coils, as a file of points for each frame, and how often it has
//! turned.
//!
//! `cargo run --release -p whitecap-bulk --example 3_honey_coil -- [folder] [frames]`

use std::f32::consts::TAU;
use std::path::Path;

use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::opening::{Disc, Opening};
use whitecap_scene::shape::PlaneShape;

const FRAMES_PER_SECOND: f64 = 24.0;
/// From the plate to the opening, in m.
const FALL: f32 = 0.08;
/// Where turns of the thread are counted, above the plate, in m.
const WATCHED: f32 = 0.02;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or("honey_coil".into());
    let frames = arguments.next().map_or(Ok(72), |text| text.parse::<u32>())?;
    std::fs::create_dir_all(&folder)?;
    let settings = FlipSettings {
        spacing: 0.0005,
        rest_density: 1400.0,
        viscosity: 28.0,
        planes: vec![PlaneShape { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }],
        ..FlipSettings::default()
    };
    let opening = Disc { center: [0.0, FALL, 0.0], normal: [0.0, -1.0, 0.0], radius: 0.003 };
    let from = Opening::Disc(opening);
    let emitter = EmitterSettings { from, rate: None, speed: Some(0.1), during: None };
    let emitter = Emitter::new(&emitter, None, settings.spacing)?;
    let mut liquid = FlipLiquid::new(settings)?;
    liquid.add_emitter(emitter);
    let (mut turns, mut before) = (0.0, 0.0);
    for frame in 1..=frames {
        let report = liquid.step_frame(FRAMES_PER_SECOND.recip(), &Unwatched)?;
        if let Some(angle) = angle_of_thread(&liquid) {
            let change: f32 = (angle - before) / TAU;
            turns += change - change.round();
            before = angle;
        }
        let (particles, steps) = (report.particles, report.steps.len());
        println!("frame {frame}: {particles} particles, {steps} steps, {turns:.2} turns");
        let path = Path::new(&folder).join(format!("{frame:04}.ply"));
        std::fs::write(path, points_as_ply(&liquid.particles().position))?;
    }
    Ok(())
}

/// The direction in which the thread is away from its axis; `None` if it is not.
fn angle_of_thread(liquid: &FlipLiquid) -> Option<f32> {
    let near = liquid.particles().position.iter().filter(|p| (p.y - WATCHED).abs() < 0.001);
    let (sum, count) = near.fold((Vec3::ZERO, 0), |(sum, count), p| (sum + *p, count + 1));
    let middle = sum / count as f32;
    (middle.x.hypot(middle.z) > 0.001).then(|| middle.z.atan2(middle.x))
}

fn points_as_ply(points: &[Vec3]) -> Vec<u8> {
    let columns = "property float x\nproperty float y\nproperty float z";
    let count = points.len();
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{columns}\nend_header\n"
    );
    let numbers = points.iter().flat_map(|point| point.to_array());
    header.into_bytes().into_iter().chain(numbers.flat_map(f32::to_le_bytes)).collect()
}
