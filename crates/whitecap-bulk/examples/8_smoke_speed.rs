//! How long smoke takes: a plume rises in a box of N³ cells, whose tiles it fills more and more. The larger the box, the
//! fewer cells the air passes in a frame, and the fewer steps it takes.
//!
//! `cargo run --release -p whitecap-bulk --example 8_smoke_speed -- 128 72 4` (cells along an edge, frames, metres)

use std::time::Instant;

use whitecap_bulk::smoke::{
    NoiseSettings, Smoke, SmokeSettings, SmokeSourceSettings, Source, SourceShape,
};
use whitecap_core::Unwatched;
use whitecap_core::sparse_grid::TILE_NODES;
use whitecap_scene::shape::{BallShape, BoxShape, Side};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let cells = arguments.next().transpose()?.unwrap_or(128);
    let frames = arguments.next().transpose()?.unwrap_or(72);
    let edge = arguments.next().transpose()?.unwrap_or(4) as f32;
    let settings = SmokeSettings {
        cell: edge / cells as f32,
        domain: Some(BoxShape { min: [0.0; 3], max: [edge; 3] }),
        open_sides: vec![Side::HighY],
        ..SmokeSettings::default()
    };
    let mut smoke = Smoke::new(settings)?;
    let ball = BallShape { center: [0.5 * edge, 0.12 * edge, 0.5 * edge], radius: 0.1 * edge };
    let noise = NoiseSettings { scale: 0.07 * edge, swirl: 0.3, ..NoiseSettings::default() };
    let source = SmokeSourceSettings {
        noise: Some(noise),
        ..SmokeSourceSettings::new(SourceShape::Ball(ball))
    };
    smoke.add_source(Source::new(source, None)?);
    println!("| frame | time / s | steps | cells | of the box |\n|---|---|---|---|---|");
    let mut total = 0.0;
    for frame in 1..=frames {
        let start = Instant::now();
        let report = smoke.step_frame(1.0 / 24.0, &Unwatched)?;
        let seconds = start.elapsed().as_secs_f64();
        total += seconds;
        let held = smoke.density().tile_count() * TILE_NODES;
        let share = 100.0 * held as f64 / cells.pow(3) as f64;
        if frame % 8 == 0 {
            let steps = report.steps.len();
            println!("| {frame} | {seconds:.3} | {steps} | {held} | {share:.0} % |");
        }
    }
    println!("{:.3} s a frame", total / frames as f64);
    Ok(())
}
