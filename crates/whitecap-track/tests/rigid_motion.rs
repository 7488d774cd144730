//! A liquid that only moves rigidly leaves the mesh as it was.

mod scenes;

use scenes::{assert_closed, filled, particles, torus, turned};
use whitecap_core::Column;
use whitecap_core::Unwatched;
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_track::{TrackSettings, Tracker};

/// Contract: after 100 frames in which the particles turn through three radians and travel six
/// spacings, every vertex of a knurled torus is where the rigid motion would have put it, to 0.01
/// spacings; no cell was rebuilt, no edge was touched, and uvs are the same bits.
#[test]
fn a_knurled_torus_in_rigid_motion_keeps_every_vertex() {
    let spacing = 0.1;
    let knurls = |u: f32, v: f32| 0.03 * (24.0 * u).sin() * (9.0 * v).cos();
    let mesh = torus(0.9, 0.35, 220, 90, knurls);
    let inside = |p: Vec3| {
        let ring = Vec2::new(p.x, p.z).length() - 0.9;
        Vec2::new(ring, p.y).length() < 0.35
    };
    let rest = filled(spacing, Vec3::splat(1.4), inside);
    let settings = TrackSettings { spacing: Some(spacing), ..TrackSettings::default() };
    let mut tracker = Tracker::new(&mesh, &particles(rest.clone()), settings, &Unwatched).unwrap();
    let motion = |frame: u32, p: Vec3| {
        let t = frame as f32 / 100.0;
        turned(p, 3.0 * t, Vec3::new(0.6, 0.1, -0.2) * t)
    };
    let at = |frame: u32| particles(rest.iter().map(|&p| motion(frame, p)).collect());
    let mut previous = at(0);
    for frame in 1..=100 {
        let next = at(frame);
        let report = tracker.advance(&previous, &next, 0.04, &Unwatched).unwrap();
        assert_eq!(report.remeshed_cells, 0, "frame {frame}: {report:?}");
        assert_eq!((report.splits, report.collapses, report.flips), (0, 0, 0));
        previous = next;
    }
    let moved = tracker.mesh();
    assert_closed(&moved, "after 100 frames");
    let worst = mesh
        .positions()
        .iter()
        .zip(moved.positions())
        .map(|(&p, q)| q.distance(motion(100, p)))
        .fold(0.0, f32::max);
    assert!(worst < 0.01 * spacing, "a vertex is off by {} spacings", worst / spacing);
    assert_eq!(moved.attribute("uv"), mesh.attribute("uv"));
    let Some(Column::Vec3(velocity)) = moved.attribute("velocity") else { panic!("no velocity") };
    let expected = (motion(100, mesh.positions()[7]) - motion(99, mesh.positions()[7])) / 0.04;
    assert!((velocity[7] - expected).length() < 0.05 * expected.length());
}
