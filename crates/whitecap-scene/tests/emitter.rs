//! Contracts of emitters.

mod shapes;

use schemars::json_schema;
use serde::Deserialize;
use shapes::sphere;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_scene::SceneError;
use whitecap_scene::emitter::{Emitted, Emitter, EmitterSettings, EmitterState};
use whitecap_scene::opening::{Disc, Opening, Rectangle};
use whitecap_scene::shape::MeshFile;
use whitecap_scene::time_span::TimeSpan;

fn free(_: Vec3) -> bool {
    false
}

fn disc(rate: Option<f32>, speed: Option<f32>) -> EmitterSettings {
    let disc = Disc { center: [0.0, 1.0, 0.0], normal: [0.0, -2.0, 0.0], radius: 0.1 };
    EmitterSettings { from: Opening::Disc(disc), rate, speed, during: None }
}

/// Runs an emitter to a time in steps, moving emitted particles with their velocities.
fn run(emitter: &mut Emitter, times: impl Iterator<Item = f64>) -> Vec<Vec3> {
    let mut particles: Vec<(Vec3, Vec3)> = Vec::new();
    let mut now = 0.0;
    for time in times {
        for (position, velocity) in &mut particles {
            *position += *velocity * (time - now) as f32;
        }
        let Emitted { positions, velocities, ages } = emitter.emit(time, &free).unwrap();
        assert!(ages.iter().all(|&age| age >= 0.0 && f64::from(age) <= time - now + 1e-6));
        particles.extend(positions.into_iter().zip(velocities));
        now = time;
    }
    particles.into_iter().map(|(position, _)| position).collect()
}

fn closest_pair(points: &[Vec3], search: f32) -> f32 {
    let grid = NeighbourGrid::build(points, search);
    let mut least = f32::INFINITY;
    for (place, &point) in grid.positions().iter().enumerate() {
        grid.for_each_within(point, search, |other, squared| {
            if other != place {
                least = least.min(squared.sqrt());
            }
        });
    }
    least
}

/// Contract: a full stream is a lattice: neighbours are one spacing apart whatever the steps are,
/// long, short or uneven, and the stream has the same particles for all of them.
#[test]
fn streams_are_lattices_for_any_time_steps() {
    let (spacing, settings) = (0.02, disc(None, Some(1.5)));
    let even = (1..=100).map(|i| f64::from(i) * 0.01);
    let long = (1..=4).map(|i| f64::from(i) * 0.25);
    let uneven = (1..=500).map(|i| (f64::from(i) / 500.0).powf(1.3));
    let mut counts = Vec::new();
    for times in [even.collect::<Vec<_>>(), long.collect(), uneven.collect()] {
        let mut emitter = Emitter::new(&settings, None, spacing).unwrap();
        let particles = run(&mut emitter, times.into_iter());
        let closest = closest_pair(&particles, 0.03) / spacing;
        assert!((closest - 1.0).abs() < 1e-3, "{closest}");
        assert!(particles.iter().all(|p| p.y < 1.0 && p.y > -0.5001));
        counts.push(particles.len());
    }
    assert_eq!(counts, [counts[0]; 3]);
    let expected = std::f32::consts::PI * 0.01 * 1.5;
    let volume = counts[0] as f32 * spacing * spacing * spacing;
    assert!((volume / expected - 1.0).abs() < 0.06, "{volume} against {expected}");
}

/// Contract: the volume that left is the rate times the time within half a layer: with a rate alone,
/// and with a rate below what the speed would give, where the stream is thinned evenly and no two
/// particles come closer than a spacing.
#[test]
fn the_rate_is_kept() {
    let (spacing, rate) = (0.02f32, 0.004);
    for speed in [None, Some(0.7)] {
        let mut emitter = Emitter::new(&disc(Some(rate), speed), None, spacing).unwrap();
        assert!((emitter.rate() / f64::from(rate) - 1.0).abs() < 1e-4);
        let particles = run(&mut emitter, (1..=300).map(|i| f64::from(i) * 0.01));
        let excess = particles.len() as f32 - rate * 3.0 / spacing.powi(3);
        let half_layer = 0.5 * emitter.rate() as f32 / emitter.speed() / (spacing * spacing);
        assert!(excess.abs() <= half_layer + 1.0, "{excess} particles at {speed:?}");
        assert!(closest_pair(&particles, 0.03) > 0.999 * spacing);
        let mean = particles.iter().sum::<Vec3>() / particles.len() as f32;
        assert!(mean.x.abs() < 0.003 && mean.z.abs() < 0.003, "{mean}");
    }
    let refused = Emitter::new(&disc(Some(rate), Some(0.05)), None, spacing).unwrap_err();
    assert!(refused.to_string().starts_with("`rate`: an emitter of this size passes at most"));
    assert!(refused.to_string().contains("use a speed of"), "{refused}");
}

/// Contract: an emitter restored from its saved state continues with the same bits.
#[test]
fn a_restored_emitter_continues_with_the_same_bits() {
    let settings = disc(Some(0.003), Some(1.0));
    let mut whole = Emitter::new(&settings, None, 0.02).unwrap();
    let mut parts = whole.clone();
    for i in 1..=20 {
        let time = f64::from(i) * 0.013;
        let EmitterState { layers, made, left_out } = parts.state();
        let saved = json_schema!({ "layers": layers, "made": made, "left_out": left_out });
        parts = Emitter::new(&settings, None, 0.02).unwrap();
        parts.restore(EmitterState::deserialize(saved.to_value()).unwrap());
        assert_eq!(whole.emit(time, &free), parts.emit(time, &free));
    }
    assert!(whole.state().made > 50);
}

/// Contract: nothing leaves before the start or after the end; in between the rate holds.
#[test]
fn the_time_span_is_kept() {
    let during = Some(TimeSpan { start: 0.5, end: Some(1.0) });
    let settings = EmitterSettings { during, ..disc(None, Some(1.0)) };
    let mut emitter = Emitter::new(&settings, None, 0.02).unwrap();
    assert!(emitter.emit(0.5, &free).unwrap().positions.is_empty());
    let made = emitter.emit(5.0, &free).unwrap().positions.len();
    assert_eq!(made as u64, emitter.state().made);
    assert_eq!(emitter.state().layers, 25);
    assert!(emitter.emit(9.0, &free).unwrap().positions.is_empty());
}

/// Contract: a rectangle of 0.3 by 0.2 at a spacing of 0.1 has two rows of three, along its width
/// and square to its normal.
#[test]
fn rectangles_are_filled_to_the_edge() {
    let rectangle = Rectangle {
        center: [1.0, 0.0, 0.0],
        normal: [1.0, 0.0, 0.0],
        along: [1.0, 0.0, 1.0],
        width: 0.3,
        height: 0.2,
    };
    let from = Opening::Rectangle(rectangle);
    let settings = EmitterSettings { from, rate: None, speed: Some(1.0), during: None };
    let mut emitter = Emitter::new(&settings, None, 0.1).unwrap();
    let emitted = emitter.emit(0.1, &free).unwrap();
    assert_eq!(emitted.positions.len(), 6);
    for (position, velocity) in emitted.positions.iter().zip(&emitted.velocities) {
        assert!((position.x - 1.05).abs() < 1e-6 && *velocity == Vec3::X);
        assert!(position.z.abs() < 0.1001 && (position.y.abs() - 0.05).abs() < 1e-6);
    }
}

/// Contract: a mesh emits along its normals, with particles at least a spacing apart and the rate
/// that was requested.
#[test]
fn meshes_emit_along_their_normals() {
    let mesh = sphere(Vec3::ZERO, 0.2, 4);
    let from = Opening::Mesh(MeshFile { path: "ball.obj".into() });
    let settings = EmitterSettings { from, rate: Some(0.05), speed: None, during: None };
    let mut emitter = Emitter::new(&settings, Some(&mesh), 0.02).unwrap();
    let particles = run(&mut emitter, (1..=100).map(|i| f64::from(i) * 0.01));
    let volume = particles.len() as f32 * 0.02f32.powi(3);
    assert!((volume / 0.05 - 1.0).abs() < 0.08, "{volume}");
    assert!(closest_pair(&particles, 0.03) > 0.019);
    assert!(particles.iter().all(|p| p.length() > 0.19));
    assert!(matches!(Emitter::new(&settings, None, 0.02), Err(SceneError::EmptyMesh)));
}

/// Contract: points whose place is occupied are left out and counted.
#[test]
fn occupied_places_are_left_out() {
    let mut emitter = Emitter::new(&disc(None, Some(1.0)), None, 0.02).unwrap();
    let emitted = emitter.emit(0.2, &|place| place.x > 0.001).unwrap();
    assert!(emitted.positions.iter().all(|p| p.x <= 0.001));
    let state = emitter.state();
    assert_eq!(state.made, emitted.positions.len() as u64);
    assert!(state.left_out > state.made / 2 && state.left_out < state.made);
}

/// Contract: missing or impossible rates, directions, sizes and time spans are refused, and so is
/// a step so long that no machine could hold what leaves.
#[test]
fn bad_emitters_are_refused() {
    let refused = |settings: &EmitterSettings| Emitter::new(settings, None, 0.02).unwrap_err();
    let problem = |settings: &EmitterSettings| match refused(settings) {
        SceneError::Setting(error) => (error.key, error.message),
        other => panic!("{other}"),
    };
    let (key, message) = problem(&disc(None, None));
    assert!(key.is_empty() && message.contains("`rate`") && message.contains("`speed`"));
    let (key, message) = problem(&disc(Some(-1.0), None));
    assert_eq!(
        (key.as_str(), message.as_str()),
        ("rate", "`rate` is -1, but must lie between 1e-12 and 1e9")
    );
    let (key, message) = problem(&disc(None, Some(f32::NAN)));
    assert_eq!(
        (key.as_str(), message.as_str()),
        ("speed", "`speed` is NaN, but must lie between 1e-6 and 1e6")
    );
    let during = Some(TimeSpan { start: 2.0, end: Some(1.0) });
    let backward = EmitterSettings { during, ..disc(None, Some(1.0)) };
    let (key, message) = problem(&backward);
    assert_eq!(key, "during");
    assert_eq!(message, "the time span ends at 1 s, before it starts at 2 s");
    let with_disc = |normal, radius| {
        let disc = Disc { center: [0.0; 3], normal, radius };
        EmitterSettings { from: Opening::Disc(disc), rate: None, speed: Some(1.0), during: None }
    };
    let (key, message) = problem(&with_disc([0.0; 3], 0.1));
    assert_eq!(key, "from.disc.normal");
    assert!(message.starts_with("the normal of a disc has no direction"), "{message}");
    assert_eq!(problem(&with_disc([0.0, 1.0, 0.0], 0.0)).0, "from.disc.radius");
    assert!(matches!(refused(&with_disc([0.0, 1.0, 0.0], 1e6)), SceneError::TooMany { .. }));
    assert!(Emitter::new(&disc(None, Some(1.0)), None, 0.0).is_err());
    let mut emitter = Emitter::new(&disc(None, Some(1.0)), None, 0.02).unwrap();
    for time in [1e30, f64::INFINITY, f64::NAN] {
        assert!(matches!(emitter.emit(time, &free), Err(SceneError::TooMany { .. })));
    }
    let thin = Rectangle {
        center: [0.0; 3],
        normal: [0.0, 1.0, 0.0],
        along: [1.0, 0.0, 0.0],
        width: 1.0,
        height: 0.01,
    };
    let from = Opening::Rectangle(thin);
    let slit = EmitterSettings { from, rate: None, speed: Some(1.0), during: None };
    assert_eq!(refused(&slit), SceneError::OpeningTooSmall { spacing: 0.02 });
}
