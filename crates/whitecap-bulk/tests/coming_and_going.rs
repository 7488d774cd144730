//! Particles that enter and leave while the liquid runs.

mod sph_scenes;

use sph_scenes::dam;
use whitecap_bulk::sph::{Liquid, Selection, SphError, SphSettings};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Unwatched};
use whitecap_scene::kill::KillVolume;
use whitecap_scene::shape::BoxShape;
use whitecap_scene::{
    emitter::{Emitter, EmitterSettings},
    opening::{Disc, Opening},
};

fn pouring() -> Liquid {
    let settings = SphSettings {
        spacing: 0.02,
        domain: Some(BoxShape { min: [0.0; 3], max: [0.4, 0.6, 0.4] }),
        kill: vec![KillVolume::Box(BoxShape { min: [0.3, 0.0, 0.0], max: [0.4, 0.1, 0.4] })],
        ..SphSettings::default()
    };
    let disc = Disc { center: [0.1, 0.5, 0.2], normal: [0.0, -1.0, 0.0], radius: 0.05 };
    let emitter =
        EmitterSettings { from: Opening::Disc(disc), rate: None, speed: Some(1.0), during: None };
    let emitter = Emitter::new(&emitter, None, settings.spacing).unwrap();
    let mut liquid = Liquid::new(settings).unwrap();
    liquid.add_emitter(emitter);
    liquid
}

/// Contract: an emitter makes the volume it should, a kill volume removes particles, identities
/// are never used twice, and ages grow from the moment a particle left the emitter.
#[test]
fn emitter_and_kill_volume() {
    let mut liquid = pouring();
    let mut seen = std::collections::BTreeSet::new();
    let mut before = Vec::new();
    let mut largest = -1;
    for frame in 1..=30 {
        liquid.step_frame(0.04, &Unwatched).unwrap();
        let particles = liquid.particles().unwrap();
        let ids = particles.ids().unwrap();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        for id in ids.iter().filter(|id| before.binary_search(*id).is_err()) {
            assert!(*id > largest && seen.insert(*id), "id {id} is used again in frame {frame}");
        }
        largest = ids.last().copied().unwrap_or(-1).max(largest);
        before = ids.to_vec();
        let Some(Column::F32(ages)) = particles.attribute("age") else { panic!("no age") };
        assert!(ages.iter().all(|&age| age >= 0.0 && f64::from(age) <= liquid.time() + 1e-3));
        if frame == 5 {
            let volume = liquid.len() as f32 * 0.02f32.powi(3);
            let expected = 0.2 * std::f32::consts::PI * 0.05f32.powi(2);
            assert!((volume / expected - 1.0).abs() < 0.15, "{volume} m³, expected {expected}");
        }
        for p in particles.positions() {
            assert!(p.x < 0.3 || p.y > 0.1, "{p} should be gone");
        }
    }
    assert!(seen.len() > liquid.len(), "nothing was removed");
}

/// Contract: a state saved while an emitter runs continues with the same bytes.
#[test]
fn emitter_continues_after_restoring() {
    let mut whole = pouring();
    whole.step_frame(0.21, &Unwatched).unwrap();
    let saved = whole.save();
    whole.step_frame(0.2, &Unwatched).unwrap();
    let mut restored = pouring();
    restored.restore(&saved).unwrap();
    restored.step_frame(0.2, &Unwatched).unwrap();
    assert!(restored.save() == whole.save());
}

/// Contract: accelerations that the caller supplies act during the next frame on the particles they
/// were given for, and no longer.
#[test]
fn supplied_accelerations_act_for_one_frame() {
    let settings =
        SphSettings { spacing: 0.1, gravity: [0.0; 3], viscosity: 0.0, ..SphSettings::default() };
    let mut liquid = Liquid::new(settings).unwrap();
    let places = [Vec3::new(3.0, 0.0, 0.0), Vec3::ZERO, Vec3::new(-3.0, 0.0, 0.0)];
    liquid.add(&places, &[Vec3::ZERO; 3]).unwrap();
    let wanted = [Vec3::X, Vec3::Y, Vec3::ZERO];
    liquid.set_accelerations(&wanted).unwrap();
    for _ in 0..2 {
        liquid.step_frame(0.5, &Unwatched).unwrap();
        let particles = liquid.particles().unwrap();
        for (velocity, wanted) in particles.velocities().unwrap().iter().zip(wanted) {
            assert!((*velocity - 0.5 * wanted).length() < 1e-4, "{velocity}");
        }
    }
    let error = liquid.set_accelerations(&wanted[..2]).unwrap_err();
    assert_eq!(error, SphError::AccelerationCount { found: 2, expected: 3 });
    assert!(liquid.set_accelerations(&[Vec3::NAN; 3]).is_err());
}

/// Contract: the visible particles are those that are not interior, with all their columns.
#[test]
fn visible_particles_are_fewer() {
    let liquid = dam(SphSettings { spacing: 0.5 / 16.0, ..SphSettings::default() });
    let all = liquid.particles().unwrap();
    let visible = liquid.selected_particles(Selection::Visible).unwrap();
    assert!(visible.len() < all.len() && !visible.is_empty());
    let Some(Column::I32(types)) = visible.attribute("type") else { panic!("no type") };
    assert!(types.iter().all(|&tag| tag != 0));
    assert_eq!(visible.attributes().len(), all.attributes().len());
}
