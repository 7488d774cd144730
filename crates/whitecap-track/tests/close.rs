//! Scans are closed, and the changes are reported.

mod scenes;

use scenes::{assert_closed, ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{TriMesh, Unwatched};
use whitecap_surface::self_intersections;
use whitecap_track::{TrackSettings, Tracker, close_mesh};

/// Contract: a bumpy ball with holes and a second ball stuck into it becomes one closed mesh that
/// does not pass through itself, lies within half a cell of the scan except in the holes, carries its
/// uv, reports what was filled, and can be tracked.
#[test]
fn an_open_overlapping_scan_becomes_one_closed_mesh() {
    let bumps = |d: Vec3| 0.02 * (9.0 * d.x).sin() * (8.0 * d.z).sin();
    let scan = together(&[ball(Vec3::ZERO, 0.5, 4, bumps), ball(Vec3::X * 0.45, 0.2, 3, |_| 0.0)]);
    let away = |t: &[u32; 3]| scan.positions()[t[0] as usize].y < 0.49;
    let mut open = TriMesh::new(
        scan.positions().to_vec(),
        scan.triangles().iter().copied().filter(away).collect(),
    )
    .unwrap();
    open.set_attribute("uv", scan.attribute("uv").unwrap().clone()).unwrap();
    let cell = 0.03;
    let (closed, changes) = close_mesh(&open, cell).unwrap();
    let found = assert_closed(&closed, "the closed scan");
    assert_eq!((found.components, found.euler_characteristic), (1, 2));
    assert_eq!(self_intersections(&closed), 0);
    assert!(changes.before.open_edges > 0 && changes.crossing_pairs > 0);
    assert_eq!(changes.after, found);
    assert!(changes.filled < closed.positions().len() / 10, "{changes:?}");
    assert!(changes.largest_distance < 4.0 * cell, "{changes:?}");
    assert!(closed.attribute("uv").is_some());

    let inside = |p: Vec3| p.length() < 0.48 || (p - Vec3::X * 0.45).length() < 0.18;
    let liquid = particles(filled(0.05, Vec3::splat(0.8), inside));
    let settings = TrackSettings { spacing: Some(0.05), ..TrackSettings::default() };
    let mut tracker = Tracker::new(&closed, &liquid, settings, &Unwatched).unwrap();
    let report = tracker.advance(&liquid, &liquid, 0.04, &Unwatched).unwrap();
    assert_eq!(report.remeshed_cells, 0);
}

/// Contract: meshes without triangles and cells without size are refused.
#[test]
fn nothing_cannot_be_closed() {
    assert!(close_mesh(&TriMesh::default(), 0.1).is_err());
    assert!(close_mesh(&ball(Vec3::ZERO, 1.0, 1, |_| 0.0), 0.0).is_err());
}
