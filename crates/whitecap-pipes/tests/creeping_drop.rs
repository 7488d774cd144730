//! Contract: a thick drop of a cubic centimetre spreads on a plane as theory says (Huppert 1982),
//! with the default step: its radius is within 4 % of 0.894 (g V³ t / 3ν)^⅛ after two seconds.

mod liquid_scenes;

use liquid_scenes::grid;
use whitecap_pipes::{PipeSettings, Pipes, Terrain};

const CELLS: usize = 120;
const CELL: f32 = 0.0005;

/// Radius of the theoretical drop with the second moment of ours.
fn radius(pipes: &Pipes) -> f64 {
    let away = |i: usize| (i as f64 + 0.5 - 0.5 * CELLS as f64) * f64::from(CELL);
    let (mut moment, mut volume) = (0.0, 0.0);
    for (column, depth) in pipes.columns().depth().iter().enumerate() {
        moment += depth * (away(column % CELLS).powi(2) + away(column / CELLS).powi(2));
        volume += depth;
    }
    (7.0 / 3.0 * moment / volume).sqrt()
}

#[test]
fn a_thick_drop_spreads_as_theory_says() {
    for viscosity in [4e-4_f32, 1.6e-3, 6.4e-3] {
        let floor = vec![0.0; CELLS * CELLS];
        let terrain = Terrain::heightfield(grid(CELL, CELLS, CELLS), &floor).unwrap();
        let settings = PipeSettings { viscosity, ..PipeSettings::default() };
        let mut pipes = Pipes::new(&terrain, settings).unwrap();
        let inside = |i: usize| i.abs_diff(CELLS / 2) <= 10 && i < CELLS / 2 + 10;
        let is_full = |column: usize| inside(column % CELLS) && inside(column / CELLS);
        pipes.fill(|column| if is_full(column) { 0.01 } else { 0.0 });
        assert!((pipes.volume() - 1e-6).abs() < 1e-12);
        for _ in 0..120 {
            pipes.advance(1.0 / 60.0).unwrap();
        }
        let theory = 0.894 * (9.81 * 1e-18 * 2.0 / (3.0 * f64::from(viscosity))).powf(0.125);
        let found = radius(&pipes);
        println!("viscosity {viscosity}: {found:.5} m, theory {theory:.5} m");
        assert!((found / theory - 1.0).abs() < 0.04, "{viscosity}: {found} m, {theory} m");
    }
}
