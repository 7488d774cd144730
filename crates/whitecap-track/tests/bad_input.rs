//! Input that cannot be tracked gives an error message with the remedy.

mod scenes;

use scenes::{ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, TriMesh, Unwatched};
use whitecap_track::{TrackError, TrackSettings, Tracker, check_size, close_mesh};

fn liquid() -> Particles {
    particles(filled(0.1, Vec3::splat(0.6), |p| p.length() < 0.5))
}

fn good() -> TriMesh {
    ball(Vec3::ZERO, 0.55, 3, |_| 0.0)
}

fn refused(mesh: &TriMesh, particles: &Particles, settings: TrackSettings, words: &[&str]) {
    let error = Tracker::new(mesh, particles, settings, &Unwatched).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "\"{error}\" does not contain \"{word}\"");
    }
}

fn defaults() -> TrackSettings {
    TrackSettings { spacing: Some(0.1), ..TrackSettings::default() }
}

/// Contract: the error for a mesh with a hole counts its open edges and suggests `close`.
#[test]
fn an_open_mesh_is_named() {
    let mesh = good();
    let open = TriMesh::new(mesh.positions().to_vec(), mesh.triangles()[3..].to_vec()).unwrap();
    refused(&open, &liquid(), defaults(), &["open", "edges", "close"]);
}

/// Contract: the error for a mesh that passes through itself says how often.
#[test]
fn a_self_intersecting_mesh_is_named() {
    let both = together(&[good(), ball(Vec3::X * 0.5, 0.4, 3, |_| 0.0)]);
    refused(&both, &liquid(), defaults(), &["passes through itself", "close"]);
}

/// Contract: the error for a mesh that is inside out says so, with its volume.
#[test]
fn an_inverted_mesh_is_named() {
    refused(&good().flipped(), &liquid(), defaults(), &["inside out", "flip"]);
}

/// Contract: the error for a mesh in millimetres says by how much to scale it.
#[test]
fn a_wrong_unit_is_named() {
    let large = ball(Vec3::ZERO, 550.0, 3, |_| 0.0);
    refused(&large, &liquid(), defaults(), &["units", "--scale 0.001"]);
    let small = ball(Vec3::ZERO, 0.000_55, 3, |_| 0.0);
    refused(&small, &liquid(), defaults(), &["units", "--scale 1000"]);
}

/// Contract: the error for a mesh somewhere else says where both are.
#[test]
fn a_mesh_far_from_the_particles_is_named() {
    let far = ball(Vec3::Y * 30.0, 0.55, 3, |_| 0.0);
    refused(&far, &liquid(), defaults(), &["same frame", "30"]);
}

/// Contract: empty and non-finite meshes, bad settings, too few particles and frames that cannot be
/// matched give error messages too.
#[test]
fn other_obstacles_are_named() {
    let empty = TriMesh::default();
    refused(&empty, &liquid(), defaults(), &["no triangle"]);
    let mut broken = good();
    broken.positions_mut()[5].y = f32::NAN;
    refused(&broken, &liquid(), defaults(), &["vertex 5"]);
    let nowhere = Particles::new(vec![Vec3::NAN]);
    refused(&good(), &nowhere, defaults(), &["not a finite"]);
    let one = Particles::new(vec![Vec3::ZERO]);
    refused(&good(), &one, TrackSettings::default(), &["spacing"]);
    let bad = TrackSettings { jump: -1.0, ..defaults() };
    refused(&good(), &liquid(), bad, &["jump", "-1"]);

    let mut tracker = Tracker::new(&good(), &liquid(), defaults(), &Unwatched).unwrap();
    let saved = tracker.save();
    let bare = Particles::new(vec![Vec3::ZERO; 3]);
    let error = tracker.advance(&liquid(), &bare, 0.04, &Unwatched).unwrap_err().to_string();
    assert!(error.contains("write an `id` column"), "{error}");
    let error = tracker.advance(&liquid(), &liquid(), 0.0, &Unwatched).unwrap_err().to_string();
    assert!(error.contains("positive"), "{error}");
    assert!(tracker.save() == saved, "an error leaves the tracker as it was");
}

/// Contract: every setting has a comment and a unit in the schema.
#[test]
fn every_setting_has_a_unit_and_a_comment() {
    let schema = schemars::schema_for!(TrackSettings);
    let schema = serde_json::to_value(schema).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.len() >= 10);
    for (name, property) in properties {
        assert!(property.get("unit").is_some(), "{name} has no unit");
        assert!(property.get("description").is_some(), "{name} has no comment");
    }
}

/// Closing and tracking with cells far too small for the mesh, and a particle that flew off, need
/// more than there is: the message has the numbers and what to change.
fn is_over_budget(error: &TrackError, words: &[&str]) {
    assert!(matches!(error, TrackError::OverBudget(_)), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "\"{error}\" does not contain \"{word}\"");
    }
}

#[test]
fn a_close_cell_of_1e_6() {
    let error = close_mesh(&good(), 1e-6).unwrap_err();
    is_over_budget(&error, &["memory", "`close-cell`"]);
}

#[test]
fn a_spacing_of_1e_5() {
    let settings = TrackSettings { spacing: Some(1e-5), ..TrackSettings::default() };
    let error = Tracker::new(&good(), &liquid(), settings, &Unwatched).unwrap_err();
    is_over_budget(&error, &["memory", "`spacing`"]);
}

/// Contract: a mesh in millimetres is recognised before it is closed.
#[test]
fn a_mesh_in_millimetres_to_be_closed() {
    let large = ball(Vec3::ZERO, 550.0, 3, |_| 0.0);
    let error = check_size(&large, &liquid()).unwrap_err().to_string();
    assert!(error.contains("--scale 0.001"), "{error}");
}

/// Contract: a particle that flies so far that the cells it stretches the mesh across could still be visited,
/// but not listed, is refused too.
#[test]
fn one_particle_150_m_away() {
    let mut far = liquid();
    let last = far.len() - 1;
    far.positions_mut()[last] = Vec3::splat(150.0);
    let mut tracker = Tracker::new(&good(), &liquid(), defaults(), &Unwatched).unwrap();
    match tracker.advance(&liquid(), &far, 0.04, &Unwatched) {
        Ok(_) => assert!(tracker.mesh().positions().iter().all(|p| p.is_finite())),
        Err(error) => is_over_budget(&error, &["`spacing`"]),
    }
}

/// Contract: one particle 10 km away does not make mesh and liquid differ in size, and in a later
/// frame either the mesh follows or the message names the particle.
#[test]
fn one_particle_10_km_away() {
    let mut far = liquid();
    let last = far.len() - 1;
    far.positions_mut()[last] = Vec3::new(1e4, 1e4, 1e4);
    assert!(check_size(&good(), &far).is_ok());
    let mut tracker = Tracker::new(&good(), &liquid(), defaults(), &Unwatched).unwrap();
    match tracker.advance(&liquid(), &far, 0.04, &Unwatched) {
        Ok(_) => assert!(tracker.mesh().positions().iter().all(|p| p.is_finite())),
        Err(error) => is_over_budget(&error, &[&format!("particle {last}"), "leave it out"]),
    }
}
