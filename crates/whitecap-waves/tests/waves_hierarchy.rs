//! Contract: sums over samples of the surface give the waves of exact sums. After 50 frames of a
//! pool with ripples that leave its middle, the root mean square of the difference between the
//! displacements, as a mesh sees them, is below 2 % of the largest allowed height, and below
//! a tenth of the waves themselves; below a quarter where many points share a sample.

mod points_scenes;

use points_scenes::{SPACING, counted, rippled};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_waves::points::{PointSettings, Sums};
use whitecap_waves::{Surroundings, WaveFrame, WaveSettings, Waves};

const COARSE: f32 = 2.0 * SPACING;
const FRAME: f32 = 0.02;

fn last_frame(sums: Sums, fine: f32) -> WaveFrame {
    let points =
        PointSettings { coarse: Some(COARSE), fine: Some(fine), sums, ..PointSettings::default() };
    let settings = WaveSettings { points, ..WaveSettings::default() };
    let mut waves = Waves::new(settings, FRAME.into()).unwrap();
    let frames = (0..=50).map(|frame| {
        waves
            .step(&counted(rippled(frame as f32 * FRAME)), Surroundings::default(), &Unwatched)
            .unwrap()
    });
    frames.last().unwrap()
}

/// The mean displacement at a position, from points that face the same way.
fn seen(frame: &WaveFrame, grid: &NeighbourGrid, fine: f32, place: Vec3, normal: Vec3) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    grid.for_each_within(place, 2.0 * fine, |near, squared| {
        let point = grid.order()[near] as usize;
        if frame.points.normal[point].dot(normal) > 0.0 {
            let weight = (1.0 - 0.5 * squared.sqrt() / fine) * frame.points.area[point];
            sum += weight * frame.waves.height[point];
            total += weight;
        }
    });
    assert!(total > 0.0, "there is no surface at {place}");
    sum / total
}

/// The difference between both kinds of sums, and the waves, as shares of the largest height.
fn compared(fine: f32) -> [f32; 2] {
    let runs = [Sums::Exact, Sums::Hierarchical].map(|sums| last_frame(sums, fine));
    let grids = runs.each_ref().map(|run| NeighbourGrid::build(&run.points.position, 2.0 * fine));
    let points = &runs[0].points;
    let (mut difference, mut height) = (0.0, 0.0);
    for (&place, &normal) in points.position.iter().zip(&points.normal) {
        let [exact, fast] = [0, 1].map(|run| seen(&runs[run], &grids[run], fine, place, normal));
        difference += (exact - fast).powi(2) / points.len() as f32;
        height += exact.powi(2) / points.len() as f32;
    }
    let largest = WaveSettings::default().dynamics.largest_height * COARSE;
    let found = [difference, height].map(|square: f32| square.sqrt() / largest);
    println!("difference {:.4} % of W, waves {:.4} %", 100.0 * found[0], 100.0 * found[1]);
    found
}

#[test]
fn samples_give_the_waves_of_exact_sums() {
    // Four points per coarse length, of which each has its sample, and eight, of which many share one.
    for (ratio, most_of_waves) in [(4.0, 0.1), (8.0, 0.25)] {
        let [difference, height] = compared(COARSE / ratio);
        assert!(height > 1e-3, "there are no waves to compare: {height}");
        assert!(difference < 0.02, "{difference} of the largest height at {ratio}");
        assert!(difference < most_of_waves * height, "{difference} of {height} at {ratio}");
    }
}
