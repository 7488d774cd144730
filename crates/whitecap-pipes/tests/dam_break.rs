//! Contract: a dam that breaks on a dry bed follows Ritter (1892) with the shallow-water solver: the
//! depth between the waves is (2 √(g h₀) − x / t)² / 9 g within half a percent of the dam on average, and the
//! ground is wet to within ten percent of 2 √(g h₀) t.

mod liquid_scenes;

use liquid_scenes::grid;
use whitecap_pipes::{PipeSettings, Pipes, Solver, Terrain};

#[test]
fn a_dam_break_follows_ritter() {
    let (cell, width, depth, duration) = (0.01_f32, 1000_usize, 0.1_f64, 2.0_f64);
    let terrain = Terrain::heightfield(grid(cell, width, 1), &vec![0.0; width]).unwrap();
    let settings = PipeSettings {
        solver: Solver::ShallowWater,
        viscosity: 0.0,
        retained: 1.0,
        ..PipeSettings::default()
    };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|column| if column < width / 2 { depth } else { 0.0 });
    let step = 0.1 * f64::from(cell) / (9.81 * depth).sqrt();
    for _ in 0..(duration / step).round() as usize {
        pipes.step(step).unwrap();
    }
    let (time, speed) = (pipes.time(), (9.81 * depth).sqrt());
    let columns = pipes.columns();
    let place = |column: usize| (column as f64 + 0.5 - width as f64 / 2.0) * f64::from(cell);
    let ritter = |x: f64| match x / time {
        slow if slow <= -speed => depth,
        fast if fast >= 2.0 * speed => 0.0,
        ratio => (2.0 * speed - ratio).powi(2) / (9.0 * 9.81),
    };
    let mut mean = 0.0;
    for column in 0..width {
        mean += (columns.depth()[column] - ritter(place(column))).abs() / width as f64;
    }
    // The tip is an endless film; it counts as visible from a thousandth of the dam's height.
    let tip = (0..width).rev().find(|&c| columns.depth()[c] > 1e-3 * depth).unwrap();
    let visible = 2.0 * speed - 3.0 * (9.81 * 1e-3 * depth).sqrt();
    let front = place(tip) / (visible * time);
    let wet = place((0..width).rev().find(|&c| columns.is_wet(c)).unwrap()) / (2.0 * speed * time);
    println!(
        "mean error {:.2} % of the dam, front {front:.3} of Ritter's, wet to {wet:.3} of 2√(g h₀)",
        100.0 * mean / depth
    );
    assert!(mean < 0.005 * depth, "mean error of the profile: {mean} m");
    assert!((front - 1.0).abs() < 0.12, "front at {front} of Ritter's");
    assert!((wet - 1.0).abs() < 0.1, "wet to {wet} of Ritter's");
}
