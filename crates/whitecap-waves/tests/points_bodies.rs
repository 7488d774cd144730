//! Drops, bodies that merge and separate, particles that come and go.

mod points_scenes;

use points_scenes::{SPACING, ball, block, counted, largest_gap, with_ids};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched};
use whitecap_waves::points::{PointFrame, PointSettings, SurfaceTracker};

const COARSE: f32 = 2.0 * SPACING;
const FINE: f32 = 0.25 * COARSE;

fn tracker() -> SurfaceTracker {
    let settings =
        PointSettings { coarse: Some(COARSE), fine: Some(FINE), ..PointSettings::default() };
    SurfaceTracker::new(settings).unwrap()
}

fn step(tracker: &mut SurfaceTracker, particles: &Particles) -> PointFrame {
    tracker.step(particles, 0.04, &Unwatched).unwrap()
}

/// Contract: a single particle is a ball evenly covered with points: all at about the same distance,
/// no hole wider than two spacings, and normals that point away from it.
#[test]
fn a_drop_is_evenly_covered() {
    let center = Vec3::new(0.3, 5.0, -2.0);
    let mut tracker = tracker();
    for _ in 0..3 {
        step(&mut tracker, &counted(vec![center]));
    }
    let points = tracker.points();
    let radii: Vec<f32> = points.position.iter().map(|p| p.distance(center)).collect();
    let mean = radii.iter().sum::<f32>() / radii.len() as f32;
    assert!((0.5 * COARSE..=1.02 * COARSE).contains(&mean), "radius {mean}");
    assert!(radii.iter().all(|radius| (radius / mean - 1.0).abs() < 0.02), "{radii:?}");
    for (position, normal) in points.position.iter().zip(&points.normal) {
        assert!(normal.dot((position - center).normalize()) > 0.99);
    }
    let sphere: Vec<Vec3> = (0..2000)
        .map(|i| {
            let y = 1.0 - (2 * i + 1) as f32 / 2000.0;
            let (sine, cosine) = (2.399_963_2 * i as f32).sin_cos();
            center + mean * Vec3::new(cosine, 0.0, sine) * (1.0 - y * y).sqrt() + mean * y * Vec3::Y
        })
        .collect();
    assert!(largest_gap(&sphere, &points.position) < FINE, "a hole");
}

/// Contract: two balls that meet become one body: no point is left in the seam, the waist has
/// points, and the surface stays even in every frame.
#[test]
fn two_bodies_merge() {
    let radius = 0.2;
    let (left, right) = (ball(Vec3::ZERO, radius), ball(Vec3::ZERO, radius));
    let mut tracker = tracker();
    let mut points_before = 0;
    for frame in 0..16 {
        let half = 0.45 - 0.02 * frame as f32;
        let mut positions: Vec<Vec3> = left.iter().map(|p| p - half * Vec3::X).collect();
        positions.extend(right.iter().map(|p| p + half * Vec3::X));
        let report = step(&mut tracker, &counted(positions)).report;
        assert!((report.spacing.mean - 1.0).abs() < 0.12, "frame {frame}: {:?}", report.spacing);
        if frame == 0 {
            points_before = report.points;
        }
    }
    let positions = &tracker.points().position;
    assert!(positions.len() < points_before, "the seam must go");
    let half = 0.15;
    let in_seam = |p: &&Vec3| p.x.abs() < 0.03 && p.y.hypot(p.z) < 0.5 * half;
    assert_eq!(positions.iter().filter(in_seam).count(), 0);
    let on_waist = |p: &&Vec3| p.x.abs() < FINE;
    assert!(positions.iter().filter(on_waist).count() > 20);
}

/// Contract: when a block is torn in two, the new surfaces are covered within a few frames.
#[test]
fn a_body_that_is_torn_closes() {
    let particles = block(Vec3::ZERO, [12, 8, 8]);
    let middle = 5.5 * SPACING;
    let mut tracker = tracker();
    for frame in 0..14 {
        let gap = 0.05 * frame as f32;
        let apart = |p: &Vec3| if p.x > middle { *p + gap * Vec3::X } else { *p };
        step(&mut tracker, &counted(particles.iter().map(apart).collect()));
    }
    // Both faces of the tear, away from their rims: no hole wider than two spacings.
    let positions = &tracker.points().position;
    for (x, outward) in [(middle, 1.0), (middle + 0.65, -1.0)] {
        let face: Vec<Vec3> = positions
            .iter()
            .zip(&tracker.points().normal)
            .filter(|(p, n)| (p.x - x).abs() < COARSE && n.x * outward > 0.5)
            .map(|(p, _)| Vec3::new(0.0, p.y, p.z))
            .collect();
        let places: Vec<Vec3> = (0..400)
            .map(|i| Vec3::new(0.0, 0.1 + 0.0075 * (i % 20) as f32, 0.1 + 0.0075 * (i / 20) as f32))
            .collect();
        let gap = largest_gap(&places, &face);
        assert!(gap < 1.2 * FINE, "a hole of {gap} in {} points at {x}", face.len());
    }
}

/// Contract: particles that vanish take their points with them, others that appear far away get
/// points, and the points elsewhere are not disturbed.
#[test]
fn particles_come_and_go() {
    let pool = block(Vec3::ZERO, [12, 5, 12]);
    let drop = ball(Vec3::new(0.3, 1.0, 0.3), 0.1);
    let other = ball(Vec3::new(2.0, 0.5, 0.3), 0.1);
    let ids_from = |start: i32, count: usize| start..start + count as i32;
    let scene = |extra: &[Vec3], start: i32| {
        let mut positions = pool.clone();
        positions.extend(extra);
        let ids = ids_from(0, pool.len()).chain(ids_from(start, extra.len())).collect();
        with_ids(positions, ids)
    };
    let mut tracker = tracker();
    for _ in 0..6 {
        step(&mut tracker, &scene(&drop, 100_000));
    }
    let is_on_pool = |p: &Vec3| p.y < 0.6 && p.x < 1.2;
    let count = |tracker: &SurfaceTracker, choose: &dyn Fn(&Vec3) -> bool| {
        tracker.points().position.iter().filter(|p| choose(p)).count()
    };
    let on_pool = count(&tracker, &is_on_pool);
    assert!(count(&tracker, &|p| p.y > 0.6) > 50);
    let frame = step(&mut tracker, &scene(&other, 200_000));
    assert!(frame.report.lost > 50 && frame.report.sampled > 50, "{:?}", frame.report);
    assert!(frame.report.vanished_particles > 0);
    assert_eq!(count(&tracker, &|p| p.y > 0.8), 0);
    assert!(count(&tracker, &|p| p.x > 1.5) > 50);
    assert!(count(&tracker, &is_on_pool).abs_diff(on_pool) <= on_pool / 200);
}

/// Contract: without ids particles are matched by position, which the report mentions; with velocities a
/// liquid that moves by half a particle spacing per frame is still followed.
#[test]
fn particles_without_ids_are_matched_by_position() {
    let start = block(Vec3::ZERO, [10, 6, 8]);
    let velocity = Vec3::new(0.6, 0.0, 0.2);
    let mut tracker = tracker();
    for frame in 0..6 {
        let shift = velocity * 0.04 * frame as f32;
        let mut particles = Particles::new(start.iter().map(|p| p + shift).collect());
        let column = whitecap_core::Column::Vec3(vec![velocity; start.len()]);
        particles.set_attribute("velocity", column).unwrap();
        let report = step(&mut tracker, &particles).report;
        if frame > 0 {
            assert!(report.notes.iter().any(|note| note.contains("no ids")), "{report:?}");
            assert!(report.correction < 0.1, "frame {frame}: {report:?}");
            assert_eq!(report.vanished_particles, 0);
        }
    }
}

/// Contract: a frame without particles has no points; liquid that comes afterwards has.
#[test]
fn an_empty_frame_is_no_end() {
    let particles = counted(ball(Vec3::ZERO, 0.15));
    let mut tracker = tracker();
    step(&mut tracker, &particles);
    let first = tracker.points().len();
    assert!(first > 200);
    let empty = step(&mut tracker, &counted(Vec::new()));
    assert_eq!(empty.report.points, 0);
    assert!(tracker.points().is_empty() && tracker.neighbourhood().is_empty());
    step(&mut tracker, &particles);
    assert_eq!(tracker.points().len(), first);
    let ids = &tracker.points().id;
    assert!(ids.iter().all(|&id| id >= first as u64), "ids are not used twice");
}
