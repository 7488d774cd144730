//! A liquid that is saved and restored continues as if nothing had happened.

mod sph_scenes;

use proptest::prelude::*;
use sph_scenes::dam;
use whitecap_bulk::sph::{Liquid, SphError, SphSettings, StateError};
use whitecap_core::Unwatched;

fn settings() -> SphSettings {
    SphSettings { spacing: 0.5 / 8.0, viscosity: 0.05, ..SphSettings::default() }
}

fn run(liquid: &mut Liquid, frames: usize) {
    for _ in 0..frames {
        liquid.step_frame(0.04, &Unwatched).unwrap();
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
    huge[52..60].fill(0xFF);
    assert!(matches!(refused(&mut liquid, &huge), StateError::Length { .. }));
    let mut doubled = saved.clone();
    let ids = 60 + 24 * liquid.len();
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
