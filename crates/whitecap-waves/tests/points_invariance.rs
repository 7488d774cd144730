//! Threads and units change nothing, and the kind of sums changes little.

mod points_scenes;

use points_scenes::{SPACING, ball, block, counted};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_waves::points::{PointReport, PointSettings, Sums, SurfacePoints, SurfaceTracker};

const COARSE: f32 = 2.0 * SPACING;

/// A ball falls into a pool, in a unit of length of `scale`.
fn fall(ratio: f32, scale: f32, sums: Sums, frames: usize) -> (SurfacePoints, PointReport) {
    let settings = PointSettings {
        coarse: Some(scale * COARSE),
        fine: Some(scale * COARSE / ratio),
        sums,
        ..PointSettings::default()
    };
    let mut tracker = SurfaceTracker::new(settings).unwrap();
    let pool = block(Vec3::ZERO, [14, 5, 14]);
    let drop = ball(Vec3::new(0.33, 0.75, 0.33), 0.15);
    let mut report = PointReport::default();
    for frame in 0..frames {
        let mut positions = pool.clone();
        positions.extend(drop.iter().map(|p| p - 0.04 * frame as f32 * Vec3::Y));
        let positions = positions.into_iter().map(|p| p * scale).collect();
        report = tracker.step(&counted(positions), 0.04, &Unwatched).unwrap().report;
    }
    (tracker.points().clone(), report)
}

/// Contract: every column has the same bits with 1, 2 and 7 threads.
#[test]
fn same_bits_with_any_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fall(6.0, 1.0, Sums::Hierarchical, 6).0)
    };
    let one = with_threads(1);
    assert!(one.len() > 5000);
    for threads in [2, 7] {
        assert!(with_threads(threads) == one, "{threads} threads");
    }
}

/// Contract: a power of two as the unit gives the same bits; millimetres and kilometres give the same
/// first frame up to rounding, and the same statistics afterwards.
#[test]
fn the_unit_of_length_does_not_matter() {
    let (points, report) = fall(4.0, 1.0, Sums::Hierarchical, 6);
    let (half, _) = fall(4.0, 1.0 / 1024.0, Sums::Hierarchical, 6);
    assert_eq!(half.id, points.id);
    assert!(half.position.iter().zip(&points.position).all(|(a, b)| *a * 1024.0 == *b));
    for scale in [1e-3, 1e3] {
        let (first, _) = fall(4.0, scale, Sums::Hierarchical, 1);
        let (expected, _) = fall(4.0, 1.0, Sums::Hierarchical, 1);
        let count = expected.len() as f32;
        assert!((first.len() as f32 / count - 1.0).abs() < 0.005, "scale {scale}");
        let (_, other) = fall(4.0, scale, Sums::Hierarchical, 6);
        let share = other.points as f32 / report.points as f32;
        assert!((share - 1.0).abs() < 0.01, "scale {scale}: {share}");
        assert!((other.spacing.mean - report.spacing.mean).abs() < 0.01);
        assert!((other.spacing.deviation - report.spacing.deviation).abs() < 0.01);
    }
}

/// Contract: sums over samples give the surface that sums over all points give: each point has one of
/// the other surface nearby, within 1 % of a coarse length along its normal on average, and normals
/// within two degrees on average.
#[test]
fn hierarchical_sums_give_the_exact_surface() {
    let (few, _) = fall(8.0, 1.0, Sums::Hierarchical, 4);
    let (all, _) = fall(8.0, 1.0, Sums::Exact, 4);
    assert!((few.len() as f32 / all.len() as f32 - 1.0).abs() < 0.01);
    let grid = whitecap_core::neighbours::NeighbourGrid::build(&all.position, COARSE / 4.0);
    let (mut height, mut turn) = (0.0f64, 0.0f64);
    for (position, normal) in few.position.iter().zip(&few.normal) {
        let (place, _) =
            grid.nearest(*position, COARSE / 2.0).expect("a point of the other surface");
        let other = grid.order()[place] as usize;
        height += f64::from((all.position[other] - position).dot(*normal)).powi(2);
        turn += f64::from(all.normal[other].dot(*normal).clamp(-1.0, 1.0).acos()).powi(2);
    }
    let count = few.len() as f64;
    let (height, turn) = ((height / count).sqrt() / f64::from(COARSE), (turn / count).sqrt());
    assert!(height < 0.01, "{height} coarse lengths apart");
    assert!(turn.to_degrees() < 2.0, "{} degrees apart", turn.to_degrees());
}
