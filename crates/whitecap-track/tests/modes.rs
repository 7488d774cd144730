//! Liquid that comes and goes, detail that relaxes, and the projection of Yu et al. 2012.

mod scenes;

use scenes::{assert_closed, ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_track::{Projection, TrackSettings, Tracker};

const SPACING: f32 = 0.1;

fn settings() -> TrackSettings {
    TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() }
}

fn rest() -> Vec<Vec3> {
    filled(SPACING, Vec3::splat(0.6), |p| p.length() < 0.5)
}

fn bumps(d: Vec3) -> f32 {
    0.03 * (12.0 * d.x).sin() * (12.0 * d.y).sin()
}

/// Root mean square of the detail.
fn detail(tracker: &Tracker) -> f32 {
    let squares: f32 = tracker.detail().iter().map(|d| d * d).sum();
    (squares / tracker.detail().len() as f32).sqrt()
}

/// Contract: particles that appear far away get a mesh of their own, particles that vanish remove
/// theirs, and without any particles the mesh is empty; what stays keeps its topology.
#[test]
fn liquid_comes_and_goes() {
    let (first, other) = (rest(), Vec3::X * 2.0);
    let with_ids = |places: Vec<Vec3>, base: i64| {
        let ids = (base..base + places.len() as i64).collect();
        let mut particles = Particles::new(places);
        particles.set_attribute("id", Column::I64(ids)).unwrap();
        particles
    };
    let alone = with_ids(first.clone(), 0);
    let emitted = first.iter().map(|&p| p + other);
    let both = with_ids(first.iter().copied().chain(emitted.clone()).collect(), 0);
    let only_new = with_ids(emitted.collect(), first.len() as i64);
    let none = Particles::new(Vec::new());
    let mesh = ball(Vec3::ZERO, 0.5, 4, bumps);
    let mut tracker = Tracker::new(&mesh, &alone, settings(), &Unwatched).unwrap();
    let mut step = |from: &Particles, to: &Particles| {
        let report = tracker.advance(from, to, 0.04, &Unwatched).unwrap();
        assert_closed(&tracker.mesh(), "a frame");
        (report.topology.components, tracker.mesh())
    };
    assert_eq!(step(&alone, &both).0, 2, "the new ball has a mesh");
    let (parts, mesh) = step(&both, &only_new);
    assert_eq!(parts, 1, "the old ball is gone");
    assert!(mesh.positions().iter().all(|p| p.x > 1.0));
    let ids_of_none = with_ids(none.positions().to_vec(), 0);
    assert_eq!(step(&only_new, &ids_of_none).0, 0, "nothing is left");
    assert_eq!(step(&ids_of_none, &alone).0, 1, "and it starts again");
}

/// Contract: detail relaxes at the given rate, and with strain only where the liquid is
/// strained.
#[test]
fn detail_relaxes_as_asked() {
    let mesh = ball(Vec3::ZERO, 0.52, 4, bumps);
    let still = particles(rest());
    let turned = particles(rest().iter().map(|&p| scenes::turned(p, 0.3, Vec3::ZERO)).collect());
    let squeezed = particles(rest().iter().map(|&p| p * Vec3::new(1.1, 0.95, 0.96)).collect());
    let after = |settings: TrackSettings, next: &Particles| {
        let mut tracker = Tracker::new(&mesh, &still, settings, &Unwatched).unwrap();
        let before = detail(&tracker);
        tracker.advance(&still, next, 0.1, &Unwatched).unwrap();
        detail(&tracker) / before
    };
    assert_eq!(after(settings(), &turned), 1.0);
    let steady = TrackSettings { relaxation: 5.0, ..settings() };
    assert!((after(steady, &turned) - (-0.5f32).exp()).abs() < 1e-4);
    let strained = TrackSettings { strain_relaxation: 4.0, ..settings() };
    assert!(after(strained.clone(), &turned) > 0.99);
    assert!(after(strained, &squeezed) < 0.9);
}

/// Contract: Yu's projection loses the bumps that ours keeps: distance to the turned original, root
/// mean square, in spacings.
#[test]
fn detail_is_kept_where_yu_loses_it() {
    let mesh = ball(Vec3::ZERO, 0.52, 4, bumps);
    let frame = |number: usize| {
        let angle = 0.1 * number as f32;
        particles(rest().iter().map(|&p| scenes::turned(p, angle, Vec3::ZERO)).collect())
    };
    let off = |projection: Projection| {
        let settings = TrackSettings { projection, ..settings() };
        let mut tracker = Tracker::new(&mesh, &frame(0), settings, &Unwatched).unwrap();
        for number in 0..5 {
            let (from, to) = (frame(number), frame(number + 1));
            tracker.advance(&from, &to, 0.04, &Unwatched).unwrap();
        }
        let found = tracker.mesh();
        assert_closed(&found, "after five frames");
        let turn = |p: Vec3| scenes::turned(p, 0.5, Vec3::ZERO);
        let original = whitecap_core::TriMesh::new(
            mesh.positions().iter().map(|&p| turn(p)).collect(),
            mesh.triangles().to_vec(),
        );
        let bvh = whitecap_core::triangle_bvh::TriangleBvh::build(&original.unwrap());
        let squares: f32 = found
            .positions()
            .iter()
            .map(|&p| bvh.closest_point(p, f32::INFINITY).unwrap().distance_squared)
            .sum();
        (squares / found.positions().len() as f32).sqrt() / SPACING
    };
    let (ours, yu) = (off(Projection::KeepDetail), off(Projection::OntoSurface));
    assert!(ours < 0.01, "ours {ours}");
    assert!(yu > 10.0 * ours, "Yu {yu}, ours {ours}");
}

/// Contract: two bodies that never touch stay two parts, each with its own colour.
#[test]
fn bodies_stay_apart() {
    let away = Vec3::Y * 0.8;
    let liquid = |turn: f32| {
        let one = rest();
        let places = one.iter().map(|&p| p - away);
        let other = one.iter().map(|&p| scenes::turned(p, turn, Vec3::ZERO) + away);
        particles(places.chain(other).collect())
    };
    let mut mesh = together(&[ball(-away, 0.52, 3, bumps), ball(away, 0.52, 3, bumps)]);
    let body = mesh.positions().iter().map(|p| i32::from(p.y > 0.0)).collect();
    mesh.set_attribute("body", Column::I32(body)).unwrap();
    let mut tracker = Tracker::new(&mesh, &liquid(0.0), settings(), &Unwatched).unwrap();
    for number in 0..4 {
        let (from, to) = (liquid(0.2 * number as f32), liquid(0.2 * (number + 1) as f32));
        let report = tracker.advance(&from, &to, 0.04, &Unwatched).unwrap();
        assert_eq!((report.topology.components, report.remeshed_cells), (2, 0));
    }
    let after = tracker.mesh();
    let Some(Column::I32(body)) = after.attribute("body") else { panic!("no bodies") };
    assert!(after.positions().iter().zip(body).all(|(p, &body)| (p.y > 0.0) == (body == 1)));
}

/// Contract: a sheet of one layer of particles that grows thinner than the grid tears by default and
/// is kept when asked.
#[test]
fn thin_sheets_are_kept_when_asked() {
    let sheet = filled(SPACING, Vec3::new(0.8, 0.3, 0.8), |p| p.y.abs() < 0.15);
    let frame = |number: usize| {
        let thin = 1.0 - 0.09 * number as f32;
        particles(
            sheet
                .iter()
                .map(|&p| p * Vec3::new(1.0 / thin.sqrt(), thin, 1.0 / thin.sqrt()))
                .collect(),
        )
    };
    let mesh = scenes::surfaced(&frame(0), SPACING, settings().support);
    let torn = |thin_sheets: bool| {
        let settings = TrackSettings { thin_sheets, ..settings() };
        let mut tracker = Tracker::new(&mesh, &frame(0), settings, &Unwatched).unwrap();
        let mut cells = 0;
        for number in 0..9 {
            let report =
                tracker.advance(&frame(number), &frame(number + 1), 0.04, &Unwatched).unwrap();
            assert_closed(&tracker.mesh(), "a sheet");
            cells += report.flagged_cells;
        }
        cells
    };
    let (with, without) = (torn(true), torn(false));
    assert!(with < without, "{with} cells torn with thin sheets kept, {without} otherwise");
}
