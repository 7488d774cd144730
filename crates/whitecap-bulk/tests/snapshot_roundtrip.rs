//! A liquid that is saved and restored continues as if nothing had happened.

mod sph_scenes;

use proptest::prelude::*;
use sph_scenes::dam;
use whitecap_bulk::sph::{Liquid, SphError, SphSettings, StateError};
use whitecap_core::glam::{Quat, Vec3};
use whitecap_core::{Transform, TriMesh, Unwatched};
use whitecap_scene::AnimatedBody;

/// Duration of a frame in s.
const DURATION: f64 = 1.0 / 24.0;

fn settings() -> SphSettings {
    SphSettings { spacing: 0.5 / 8.0, viscosity: 0.05, ..SphSettings::default() }
}

fn run(liquid: &mut Liquid, frames: usize) {
    for _ in 0..frames {
        liquid.step_frame(DURATION, &Unwatched).unwrap();
    }
}

/// Contract: saving, restoring into a fresh liquid and continuing gives the same bytes and the same
/// particles as an uninterrupted run.
#[test]
fn restored_liquid_continues_with_the_same_bytes() {
    let mut whole = dam(settings());
    run(&mut whole, 6);
    let saved = whole.save();
    run(&mut whole, 6);

    let mut restored = dam(settings());
    restored.restore(&saved).unwrap();
    assert_eq!(restored.save(), saved);
    run(&mut restored, 6);
    assert!(restored.save() == whole.save());
    assert_eq!(restored.particles().unwrap(), whole.particles().unwrap());
}

/// Contract: the same holds with solids that turn and stop at keys on frame times, and with solids that
/// deform: their velocity right after a frame, which friction and the time step follow, is the same.
#[test]
fn moving_solids_continue_with_the_same_bytes() {
    let settings = || SphSettings { friction: 0.3, ..settings() };
    let block = TriMesh::cuboid(Vec3::splat(-0.1), Vec3::splat(0.1));
    let frames = |i: i32| {
        let turned = Quat::from_rotation_y(0.4 * i as f32).mul_vec3(Vec3::X * 0.05 * i as f32);
        let place = |p: &Vec3| *p + turned + Vec3::new(-0.8, 0.1, 0.0);
        let moved = block.positions().iter().map(place).collect();
        (DURATION * f64::from(i), TriMesh::new(moved, block.triangles().to_vec()).unwrap())
    };
    // A stirrer in the liquid that turns back at every frame.
    let key = |i: i32| {
        let translation = Vec3::new(0.1, 0.1, 0.1) + Vec3::Y * 0.1 * (i % 2) as f32;
        (DURATION * f64::from(i), Transform { translation, ..Transform::IDENTITY })
    };
    let keys: Vec<(f64, Transform)> = (0..14).map(key).collect();
    let liquid = || {
        let mut liquid = dam(settings());
        liquid.add_solid(AnimatedBody::rigid(block.clone(), keys.clone()).unwrap()).unwrap();
        let deforming = AnimatedBody::in_memory((0..13).map(frames).collect()).unwrap();
        liquid.add_solid(deforming).unwrap();
        liquid
    };
    let mut whole = liquid();
    for saved_after in 1..12 {
        run(&mut whole, 1);
        let mut restored = liquid();
        restored.restore(&whole.save()).unwrap();
        run(&mut restored, 1);
        let mut direct = liquid();
        run(&mut direct, saved_after + 1);
        assert!(restored.save() == direct.save(), "saved after frame {saved_after}");
    }
}

/// Contract: bytes of another resolution or version, or cut short, are each refused with their own
/// error, and the liquid keeps its state.
#[test]
fn unusable_bytes_are_refused() {
    let mut liquid = dam(settings());
    run(&mut liquid, 1);
    let saved = liquid.save();
    let other = dam(SphSettings { spacing: 0.1, ..settings() }).save();
    let refused = |liquid: &mut Liquid, bytes: &[u8]| match liquid.restore(bytes) {
        Err(SphError::Snapshot(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(&mut liquid, &other), StateError::Scale { .. }));
    assert!(matches!(refused(&mut liquid, b"hello, I am not"), StateError::NotAState { .. }));
    assert!(matches!(refused(&mut liquid, &saved[..saved.len() - 1]), StateError::Length { .. }));
    assert!(matches!(refused(&mut liquid, &saved[..20]), StateError::Length { .. }));
    let mut newer = saved.clone();
    newer[6] = 99;
    assert!(matches!(refused(&mut liquid, &newer), StateError::Version { found: 99, .. }));
    let mut huge = saved.clone();
    huge[60..68].fill(0xFF);
    assert!(matches!(refused(&mut liquid, &huge), StateError::Length { .. }));
    let mut doubled = saved.clone();
    let ids = 68 + 24 * liquid.len();
    doubled.copy_within(ids..ids + 8, ids + 8);
    assert!(matches!(refused(&mut liquid, &doubled), StateError::Value { what: "identity" }));
    assert!(liquid.save() == saved);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Contract: a state with any byte changed is refused or restored, never a panic, and what was
    /// restored can be stepped.
    #[test]
    fn damaged_bytes_never_panic(place in 0usize..600, value: u8) {
        let mut liquid = dam(SphSettings { spacing: 0.125, ..settings() });
        let mut bytes = liquid.save();
        let place = place % bytes.len();
        bytes[place] = value;
        if liquid.restore(&bytes).is_ok() {
            let _ = liquid.step_frame(0.005, &Unwatched);
        }
    }
}
