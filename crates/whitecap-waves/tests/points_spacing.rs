//! Points are even, in the band, and still on a still liquid.

mod points_scenes;

use points_scenes::{SPACING, ball, block, counted};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched};
use whitecap_waves::points::{PointSettings, SurfaceTracker};

const COARSE: f32 = 2.0 * SPACING;

fn tracker(ratio: f32) -> SurfaceTracker {
    let settings = PointSettings {
        coarse: Some(COARSE),
        fine: Some(COARSE / ratio),
        ..PointSettings::default()
    };
    SurfaceTracker::new(settings).unwrap()
}

/// A pool with a ball above it.
fn pool_and_ball() -> Particles {
    let mut positions = block(Vec3::ZERO, [16, 6, 16]);
    positions.extend(ball(Vec3::new(0.4, 0.75, 0.4), 0.15));
    counted(positions)
}

/// Contract: at every ratio of scales the nearest neighbour is one fine spacing away on average, to
/// 5 %, with a spread below 10 %, no two points are closer than half, none is lonely, and all are in
/// the band to within a tenth of it, even after the liquid has been stretched by a half.
#[test]
fn points_are_even_and_in_the_band() {
    for ratio in [2.0, 3.5, 4.0, 5.0, 8.0] {
        let mut tracker = tracker(ratio);
        let start = pool_and_ball();
        for frame in 0..6 {
            let stretch = 1.0 + 0.1 * frame as f32;
            let flow = |p: &Vec3| Vec3::new(p.x * stretch, p.y / stretch, p.z);
            let positions = start.positions().iter().map(flow).collect();
            let report = tracker.step(&counted(positions), 0.04, &Unwatched).unwrap().report;
            let spacing = report.spacing;
            assert!((spacing.mean - 1.0).abs() < 0.05, "ratio {ratio}, frame {frame}: {spacing:?}");
            assert!(spacing.deviation < 0.1, "ratio {ratio}, frame {frame}: {spacing:?}");
            assert!(spacing.least > 0.5, "ratio {ratio}, frame {frame}: {spacing:?}");
            assert_eq!(spacing.lonely, 0, "ratio {ratio}, frame {frame}");
            for level in tracker.levels() {
                assert!((-0.1..=1.1).contains(&level), "ratio {ratio}, frame {frame}: {level}");
            }
        }
    }
}

/// Contract: on a still liquid points come to rest: after ten frames they move on average below a
/// tenth of their spacing and an eightieth of a coarse length per frame, and less in every frame that
/// follows; fewer than one in a thousand comes or goes. Normals are unit vectors.
#[test]
fn still_liquid_has_still_points() {
    for ratio in [2.0, 4.0, 8.0] {
        let mut tracker = tracker(ratio);
        let particles = pool_and_ball();
        let mut last = f32::INFINITY;
        for frame in 0..14 {
            let report = tracker.step(&particles, 0.04, &Unwatched).unwrap().report;
            if frame >= 10 {
                assert!(report.correction < 0.1, "ratio {ratio}: {report:?}");
                assert!(report.correction < 0.0125 * ratio, "ratio {ratio}: {report:?}");
                assert!(report.correction < 1.02 * last, "ratio {ratio}: {report:?}");
                let changed = report.inserted + report.crowded + report.lost + report.sampled;
                assert!(1000 * changed <= report.points + 1000, "ratio {ratio}: {report:?}");
            }
            last = report.correction;
        }
        assert!(tracker.points().normal.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
    }
}

/// Contract: the number of points per area does not depend on the ratio of the scales, to 5 %, though
/// coarse ones are sampled and fine ones are inserted between others; nor on the history: a liquid that was
/// stretched by a half has as many points, to 8 %, as one that had that shape from the start.
#[test]
fn inserted_points_are_as_dense_as_sampled_ones() {
    let pool = counted(block(Vec3::ZERO, [16, 6, 16]));
    let stretched = |pool: &Particles, stretch: f32| {
        let flow = |p: &Vec3| Vec3::new(p.x * stretch, p.y / stretch, p.z);
        counted(pool.positions().iter().map(flow).collect())
    };
    let mut per_area = Vec::new();
    for ratio in [2.0, 4.0, 6.0, 8.0, 12.0] {
        let mut tracker = tracker(ratio);
        let report = tracker.step(&pool, 0.04, &Unwatched).unwrap().report;
        per_area.push(report.points as f32 / (ratio * ratio));
        if ratio > 8.0 {
            continue;
        }
        let frames = (1..=10).map(|frame| stretched(&pool, 1.0 + 0.05 * frame as f32));
        let last = frames.map(|frame| tracker.step(&frame, 0.04, &Unwatched).unwrap().report);
        let found = last.last().unwrap().points as f32;
        let mut fresh = self::tracker(ratio);
        let expected = fresh.step(&stretched(&pool, 1.5), 0.04, &Unwatched).unwrap().report;
        let share = found / expected.points as f32;
        assert!((share - 1.0).abs() < 0.08, "ratio {ratio}: {share} of the points");
    }
    let (least, most) =
        per_area.iter().fold((f32::MAX, 0.0f32), |(least, most), &n| (least.min(n), most.max(n)));
    assert!(most < 1.05 * least, "{per_area:?}");
}

/// Contract: a pool that sways and comes to rest keeps the number of its points: after the sway has died
/// down it changes by less than 0.3 % in twenty frames, and by less than 0.03 % in the ten after them.
#[test]
fn a_pool_coming_to_rest_keeps_its_count() {
    for ratio in [4.0, 8.0] {
        let mut tracker = tracker(ratio);
        let pool = block(Vec3::ZERO, [16, 6, 16]);
        let mut counts = Vec::new();
        for frame in 0..50 {
            let time = 0.04 * frame as f32;
            let sway = 0.2 * (-5.0 * time).exp() * (12.0 * time).sin();
            let place = |p: &Vec3| p + Vec3::Y * (p.y * sway * (4.0 * p.x).cos());
            let particles = counted(pool.iter().map(place).collect());
            counts.push(tracker.step(&particles, 0.04, &Unwatched).unwrap().report.points as f32);
        }
        for (from, to, most) in [(19, 39, 3e-3), (39, 49, 3e-4)] {
            let change: f32 = counts[to] / counts[from] - 1.0;
            assert!(change.abs() < most, "ratio {ratio}, {from} to {to}: {change} in {counts:?}");
        }
    }
}

/// Contract: a liquid that moves as a whole, by several spacings per frame, carries its points along:
/// they move less than a twentieth of a spacing relative to it, and none comes or goes.
#[test]
fn a_rigid_motion_takes_the_points_along() {
    let mut tracker = tracker(4.0);
    let start = pool_and_ball();
    for frame in 0..10 {
        let shift = frame as f32 * Vec3::new(0.11, 0.03, -0.06);
        let positions = start.positions().iter().map(|&p| p + shift).collect();
        let result = tracker.step(&counted(positions), 0.04, &Unwatched).unwrap();
        if frame >= 5 {
            let report = result.report;
            assert!(report.correction < 0.05, "frame {frame}: {report:?}");
            assert!(report.inserted + report.crowded + report.lost <= report.points / 500);
            let speed = Vec3::new(0.11, 0.03, -0.06) / 0.04;
            assert!(result.velocity.iter().all(|v| v.distance(speed) < 1e-2 * speed.length()));
        }
    }
}
