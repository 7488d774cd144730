//! The front of a column of water that collapses on a flat floor, as in the experiments of Martin &
//! Moyce 1952: a table of T = n t √(g/a) and Z = x/a, where a is the width and n²a the height.
//!
//! `cargo run --release -p whitecap-bulk --example 2_dam_break_front -- 2 0.1` for n² = 2 and a
//! coefficient of friction of 0.1. The tip is the foremost particle; the front is the position that a
//! hundredth of the liquid has passed, because the tip is thinner than a particle.

use whitecap_bulk::sph::{Liquid, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::{Volume, lattice_points};
use whitecap_scene::shape::BoxShape;

const WIDTH: f32 = 0.05715;
const SPACINGS_PER_WIDTH: f32 = 20.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let ratio: f32 = arguments.next().as_deref().unwrap_or("2").parse()?;
    let friction = arguments.next().as_deref().unwrap_or("0.1").parse()?;
    let spacing = WIDTH / SPACINGS_PER_WIDTH;
    let size = Vec3::new(WIDTH, ratio * WIDTH, 8.0 * spacing);
    let settings = SphSettings {
        spacing,
        friction,
        domain: Some(BoxShape { min: [0.0; 3], max: [6.0 * WIDTH, 3.0 * WIDTH, size.z] }),
        ..SphSettings::default()
    };
    let positions = lattice_points(Volume::Box { min: Vec3::ZERO, max: size }, spacing)?;
    let mut liquid = Liquid::new(settings)?;
    liquid.add(&positions, &vec![Vec3::ZERO; positions.len()])?;

    println!("T,front,tip");
    let unit = (f64::from(WIDTH) / 9.81 / f64::from(ratio)).sqrt();
    for frame in 0..=33 {
        if frame > 0 {
            liquid.step_frame(0.1 * unit, &Unwatched)?;
        }
        let mut reach: Vec<f32> = liquid.positions().iter().map(|p| p.x).collect();
        reach.sort_by(|a, b| b.total_cmp(a));
        let at = |place: usize| (reach[place] + 0.5 * spacing) / WIDTH;
        println!("{:.1},{:.4},{:.4}", 0.1 * f64::from(frame), at(reach.len() / 100), at(0));
    }
    Ok(())
}
