//! Contracts of the grid liquid that hold for any scene: threads, saved states, errors.

mod flip_scenes;

use flip_scenes::box_of_water;
use whitecap_bulk::flip::{FlipError, FlipLiquid, FlipSettings, TransferMethod};
use whitecap_core::glam::Vec3;
use whitecap_core::{Unwatched, Watch};
use whitecap_scene::shape::BoxShape;

fn settings(transfer: TransferMethod) -> FlipSettings {
    FlipSettings {
        spacing: 1.0 / 32.0,
        transfer,
        domain: Some(BoxShape::new(Vec3::ZERO, Vec3::new(1.5, 1.0, 0.5))),
        obstacles: vec![BoxShape::new(Vec3::new(0.9, 0.0, 0.1), Vec3::new(1.0, 0.3, 0.3))],
        ..FlipSettings::default()
    }
}

fn dam(transfer: TransferMethod) -> FlipLiquid {
    box_of_water(settings(transfer), Vec3::ZERO, Vec3::new(0.5, 0.75, 0.5))
}

const METHODS: [TransferMethod; 3] =
    [TransferMethod::Apic, TransferMethod::Flip, TransferMethod::Pic];

/// Contract: after twelve frames of a breaking dam the whole state has the same bits with 1, 2 and 7 threads.
#[test]
fn same_bits_with_any_number_of_threads() {
    for transfer in METHODS {
        let state = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut liquid = dam(transfer);
                for _ in 0..12 {
                    liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap();
                }
                liquid.save()
            })
        };
        let one = state(1);
        assert!(state(2) == one && state(7) == one, "{transfer:?}");
    }
}

/// Contract: a liquid that is saved, restored into a new one and continued has the same bits as one that was
/// not; a state that is cut short or of other settings is refused and changes nothing.
#[test]
fn saved_states_continue_to_the_bit() {
    let mut whole = dam(TransferMethod::Apic);
    for _ in 0..6 {
        whole.step_frame(1.0 / 24.0, &Unwatched).unwrap();
    }
    let saved = whole.save();
    let mut other = dam(TransferMethod::Apic);
    for cut in [0, 7, 20, saved.len() / 2, saved.len() - 1] {
        assert!(other.restore(&saved[..cut]).is_err(), "{cut}");
    }
    assert!(dam(TransferMethod::Flip).restore(&saved).is_err(), "another transfer");
    assert!(other.save() == dam(TransferMethod::Apic).save(), "a refused state changed something");
    other.restore(&saved).unwrap();
    for _ in 0..6 {
        whole.step_frame(1.0 / 24.0, &Unwatched).unwrap();
        other.step_frame(1.0 / 24.0, &Unwatched).unwrap();
    }
    assert!(whole.save() == other.save());
}

/// Contract: no particle is ever inside a wall or an obstacle, and none is lost.
#[test]
fn particles_stay_outside_of_solids() {
    for transfer in METHODS {
        let mut liquid = dam(transfer);
        let count = liquid.particles().len();
        for frame in 0..24 {
            liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap();
            let positions = &liquid.particles().position;
            let inside = positions.iter().filter(|&&place| liquid.clearance(place) < 0.0).count();
            assert_eq!((inside, positions.len()), (0, count), "{transfer:?}, frame {frame}");
        }
    }
}

/// Contract: what cannot be simulated is told in a sentence: a frame without duration, speeds beyond all
/// measure, values that are not finite. An empty liquid does nothing.
#[test]
fn impossible_input_is_told() {
    let mut liquid = dam(TransferMethod::Apic);
    assert!(matches!(liquid.step_frame(0.0, &Unwatched), Err(FlipError::Duration { .. })));
    let refused = liquid.add(&[Vec3::NAN], &[Vec3::ZERO]).unwrap_err();
    assert_eq!(refused.to_string(), "the position of particle 0 is not a finite number");
    assert!(liquid.add(&[Vec3::ONE], &[]).is_err(), "a velocity is missing");
    liquid.add(&[Vec3::splat(0.7)], &[Vec3::new(1e9, 0.0, 0.0)]).unwrap();
    let refused = liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap_err();
    assert!(matches!(refused, FlipError::TooFast { .. }), "{refused}");
    let wrong = FlipSettings { spacing: -1.0, ..FlipSettings::default() };
    assert!(FlipLiquid::new(wrong).is_err());
    let mut empty = FlipLiquid::new(settings(TransferMethod::Apic)).unwrap();
    assert_eq!(empty.step_frame(1.0 / 24.0, &Unwatched).unwrap().particles, 0);
}

struct Never;

impl Watch for Never {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Contract: a frame that is cancelled at once ends with an error, and the liquid is as it was.
#[test]
fn a_cancelled_frame_changes_nothing() {
    let mut liquid = dam(TransferMethod::Apic);
    let before = liquid.save();
    assert!(matches!(liquid.step_frame(1.0 / 24.0, &Never), Err(FlipError::Cancelled)));
    assert!(liquid.save() == before);
}
