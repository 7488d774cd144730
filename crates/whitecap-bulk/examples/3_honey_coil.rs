//! A thread of honey that falls on a plate and coils; one PLY file of points for each frame.
//!
//! `cargo run --release -p whitecap-bulk --example 3_honey_coil -- [folder] [frames]`

use std::io::Write;
use std::path::Path;

use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::opening::{Disc, Opening};
use whitecap_scene::shape::PlaneShape;

fn number(name: &str, default: f32) -> f32 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or("honey_coil".into());
    let frames = arguments.next().map_or(Ok(72), |text| text.parse::<u32>())?;
    std::fs::create_dir_all(&folder)?;
    let (height, radius, speed) = (number("H", 0.05), number("R", 0.003), number("U", 0.1));
    let settings = FlipSettings {
        spacing: number("S", 0.0005),
        rest_density: 1400.0,
        viscosity: number("MU", 28.0),
        cfl: number("CFL", 2.0),
        planes: vec![PlaneShape { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }],
        ..FlipSettings::default()
    };
    let opening = Disc { center: [0.0, height, 0.0], normal: [0.0, -1.0, 0.0], radius };
    let emitter = EmitterSettings {
        from: Opening::Disc(opening),
        rate: None,
        speed: Some(speed),
        during: None,
    };
    let emitter = Emitter::new(&emitter, None, settings.spacing)?;
    let mut liquid = FlipLiquid::new(settings)?;
    liquid.add_emitter(emitter);
    let mut turning = Turning::default();
    let parts = number("PARTS", 1.0) as u32;
    for frame in 1..=frames {
        let start = std::time::Instant::now();
        let mut steps = 0;
        let mut its = 0;
        let mut pits = 0;
        for _ in 0..parts {
            let report = liquid.step_frame(1.0 / 24.0 / parts as f64, &Unwatched)?;
            steps += report.steps.len();
            its += report.steps.iter().map(|s| s.viscosity_iterations).sum::<usize>();
            pits += report.steps.iter().map(|s| s.iterations).sum::<usize>();
            if number("HOLD", 0.0) > 0.0 {
                let particles = liquid.particles_mut();
                for (p, v) in particles.position.iter().zip(&mut particles.velocity) {
                    if p.y > height - number("HOLD", 0.0) {
                        *v = Vec3::new(0.0, -speed, 0.0);
                    }
                }
            }
            turning.watch(&liquid, number("Y", 0.3) * height);
        }
        println!(
            "frame {frame}: {} particles, {} steps, {} viscosity its, {} pressure, turned {:.2} times, radius {:.4}, speed {:.2}, {:.2?}",
            liquid.particles().len(),
            steps,
            its,
            pits,
            turning.turns,
            turning.radius,
            turning.speed,
            start.elapsed()
        );
        write_points(
            &Path::new(&folder).join(format!("{frame:04}.ply")),
            &liquid.particles().position,
        )?;
    }
    Ok(())
}

/// How often the thread has turned round its axis at a height.
#[derive(Default)]
struct Turning {
    angle: f32,
    turns: f32,
    radius: f32,
    speed: f32,
}

impl Turning {
    fn watch(&mut self, liquid: &FlipLiquid, height: f32) {
        let near = liquid
            .particles()
            .position
            .iter()
            .zip(&liquid.particles().velocity)
            .filter(|(p, _)| (p.y - height).abs() < 0.001);
        let (sum, v, count) = near.fold((Vec3::ZERO, 0.0, 0), |(sum, v, count), (p, vel)| {
            (sum + *p, v + vel.y, count + 1)
        });
        let middle = sum / count.max(1) as f32;
        let angle = middle.z.atan2(middle.x);
        let change = (angle - self.angle) / std::f32::consts::TAU;
        self.radius = middle.x.hypot(middle.z);
        self.speed = v / count.max(1) as f32;
        if self.radius > 0.0005 {
            self.turns += change - change.round();
        }
        self.angle = angle;
    }
}

fn write_points(path: &Path, points: &[Vec3]) -> std::io::Result<()> {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
        points.len()
    )
    .into_bytes();
    bytes.extend(points.iter().flat_map(|point| point.to_array()).flat_map(f32::to_le_bytes));
    std::fs::File::create(path)?.write_all(&bytes)
}
