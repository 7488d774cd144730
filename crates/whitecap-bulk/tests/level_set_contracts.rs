//! Contracts of the level set that hold for any flow: threads, saved states, spray, errors.

mod level_set_scenes;

use level_set_scenes::{Enright, ball, faces, without_particles};
use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::particle_level_set::{
    LevelSetError, LevelSetSettings, ParticleLevelSet, expansion,
};
use whitecap_core::glam::{DVec3, IVec3, Vec3};
use whitecap_core::{Bounds, SparseGrid, Unwatched, Watch};

const CELL: f32 = 1.0 / 32.0;

fn spraying() -> LevelSetSettings {
    let few = LevelSetSettings { particles_per_cell: 8, ..LevelSetSettings::default() };
    LevelSetSettings { reseed_every: 3, spray: true, ..few }
}

/// Contract: after a ball was drawn out and sprayed the whole state has the same bits with 1, 2 and 7 threads.
#[test]
fn same_bits_with_any_number_of_threads() {
    let state = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut test = Enright::new(32, spraying());
            test.stretch();
            assert!(!test.surface.removed().is_empty());
            test.surface.save()
        })
    };
    let one = state(1);
    assert!(state(2) == one && state(7) == one);
}

/// Contract: a level set that is saved, restored into a new one and continued has the same bits as one that
/// was not; a state that is cut short, damaged or of other cells is refused and changes nothing.
#[test]
fn saved_states_continue_to_the_bit() {
    let mut whole = Enright::new(32, spraying());
    whole.stretch();
    let saved = whole.surface.save();
    let mut other = Enright::new(32, spraying());
    let fresh = other.surface.save();
    for cut in [0, 7, 20, saved.len() / 2, saved.len() - 1] {
        assert!(other.surface.restore(&saved[..cut]).is_err(), "{cut}");
    }
    let mut damaged = saved.clone();
    let particle = saved.len() - 4000;
    damaged[particle..particle + 64].fill(0xff);
    assert!(other.surface.restore(&damaged).is_err(), "damaged");
    assert!(Enright::new(24, spraying()).surface.restore(&saved).is_err(), "other cells");
    assert!(other.surface.save() == fresh, "a refused state changed something");
    other.surface.restore(&saved).unwrap();
    whole.return_home();
    other.return_home();
    assert!(whole.surface.save() == other.surface.save());
}

/// Contract: the volume of spray that left is that in flight and that returned, to the last quantum, and
/// momentum balances with what gravity gave, to rounding.
#[test]
fn spray_is_accounted_for_exactly() {
    let mut test = Enright::new(32, spraying());
    let mut returned = 0;
    test.stretch();
    for _ in 0..4 {
        let report = test.surface.advance(&test.forth, 0.05, &Unwatched).unwrap();
        returned += report.returned.iter().map(|particle| particle.quanta).sum::<u64>();
        let ledger = test.surface.ledger();
        let flying = test.surface.removed();
        assert!(ledger.left > 0);
        let quanta: u64 = flying.iter().map(|particle| particle.quanta).sum();
        assert_eq!(ledger.left, ledger.returned + quanta);
        let momentum: DVec3 = flying.iter().map(|particle| particle.momentum(CELL)).sum();
        let error =
            ledger.left_momentum + ledger.gained_momentum - ledger.returned_momentum - momentum;
        let scale = ledger.left_momentum.length() + ledger.gained_momentum.length();
        assert!(error.length() < 1e-5 * scale, "{error} of {scale}");
    }
    assert!(returned <= test.surface.ledger().returned);
}

/// Contract: a drop above a pool falls as Galilei says, returns with the momentum of its fall and all of its
/// volume, and the expansion that the pressure is asked for has this volume.
#[test]
fn drops_fall_and_return() {
    let lattice = MacLattice::at_origin(CELL);
    let mut pool = ball(CELL, without_particles(), Vec3::ZERO, 0.5).unwrap();
    let still = faces(lattice, IVec3::splat(8), |_| Vec3::ZERO);
    let (height, wanted) = (1.5f32, 0.2 * f64::from(CELL).powi(3));
    let booked = pool.add_removed(Vec3::new(0.01, height, 0.01), Vec3::ZERO, wanted).unwrap();
    assert!((booked / wanted - 1.0).abs() < 1e-6);
    let (step, mut time) = (1.0 / 120.0, 0.0);
    let landed = loop {
        let report = pool.advance(&still, step, &Unwatched).unwrap();
        time += step;
        if let Some(&landed) = report.returned.first() {
            break landed;
        }
        let fallen = f64::from(height - pool.removed()[0].position.y);
        assert!((fallen - 0.5 * 9.81 * time * time).abs() < 1e-4, "{time} s: {fallen} m");
        assert!(time < 1.0, "it never lands");
    };
    assert!(landed.position.length() < 0.5 && landed.position.y > 0.3, "{}", landed.position);
    assert!((f64::from(landed.velocity.y) + 9.81 * time).abs() < 1e-3);
    assert_eq!(landed.volume(CELL), booked);
    assert!(pool.removed().is_empty() && pool.ledger().returned == pool.ledger().left);
    let divergence = expansion(lattice, &[landed], step);
    let cell = lattice.cell_of(landed.position);
    let volume = f64::from(divergence.get(cell)) * step * f64::from(CELL).powi(3);
    assert!((volume / booked - 1.0).abs() < 1e-6);
}

/// Contract: what cannot be is told in a sentence: cells without size, shapes and flows that are not finite or
/// endless, speeds beyond all measure, other cells, steps without a duration. An empty level set does nothing.
#[test]
fn impossible_input_is_told() {
    let usual = LevelSetSettings::default();
    let lattice = MacLattice::at_origin(CELL);
    assert!(ParticleLevelSet::new(MacLattice::at_origin(0.0), usual.clone()).is_err());
    let wrong = LevelSetSettings { smallest_radius: 0.4, largest_radius: 0.3, ..usual.clone() };
    assert!(ParticleLevelSet::new(lattice, wrong).is_err());
    let cube = Bounds { min: Vec3::ZERO, max: Vec3::ONE };
    let make = |bounds, value: f32| {
        ParticleLevelSet::from_distance(lattice, usual.clone(), bounds, |_| value)
    };
    assert!(matches!(make(cube, f32::NAN), Err(LevelSetError::NotFinite { .. })));
    let endless = Bounds { min: Vec3::ZERO, max: Vec3::splat(f32::INFINITY) };
    assert!(matches!(make(endless, 1.0), Err(LevelSetError::Bounds { .. })));
    let vast = Bounds { min: Vec3::ZERO, max: Vec3::splat(1e9) };
    assert!(matches!(make(vast, 1.0), Err(LevelSetError::OverBudget(_))));

    let mut set = ball(CELL, usual.clone(), Vec3::splat(0.5), 0.3).unwrap();
    let before = set.save();
    let stream = |speed: f32| faces(lattice, IVec3::splat(32), move |_| Vec3::splat(speed));
    let mut refused =
        |flow: &SparseGrid<Vec3>, time: f64| set.advance(flow, time, &Unwatched).unwrap_err();
    let one_bad = faces(lattice, IVec3::splat(32), |place| {
        let is_bad = place.distance(Vec3::new(0.5, 0.8, 0.5)) < 0.6 * CELL;
        if is_bad { Vec3::NAN } else { Vec3::ONE }
    });
    assert!(matches!(refused(&one_bad, 0.1), LevelSetError::NotFinite { .. }), "a few bad faces");
    assert!(matches!(refused(&stream(1.0), 0.0), LevelSetError::Duration { .. }));
    assert!(matches!(refused(&stream(1.0), f64::NAN), LevelSetError::Duration { .. }));
    assert!(matches!(refused(&stream(f32::NAN), 0.1), LevelSetError::NotFinite { .. }));
    assert!(matches!(refused(&stream(f32::INFINITY), 0.1), LevelSetError::NotFinite { .. }));
    assert!(matches!(refused(&stream(1e9), 0.1), LevelSetError::TooFast { .. }));
    let others = faces(MacLattice::at_origin(2.0 * CELL), IVec3::splat(8), |_| Vec3::X);
    assert!(matches!(refused(&others, 0.1), LevelSetError::OtherCells { .. }));
    assert!(set.add_removed(Vec3::NAN, Vec3::ZERO, 0.0).is_err());
    assert!(set.add_removed(Vec3::ZERO, Vec3::ZERO, f64::INFINITY).is_err());
    assert!(matches!(set.advance(&stream(1.0), 0.1, &Never), Err(LevelSetError::Cancelled)));
    assert!(set.save() == before, "a refused step changed something");
    let mut empty = ParticleLevelSet::new(lattice, usual).unwrap();
    empty.advance(&stream(1.0), 0.1, &Unwatched).unwrap();
    assert_eq!((empty.volume(), empty.particle_count()), (0.0, 0));
}

struct Never;

impl Watch for Never {
    fn cancelled(&self) -> bool {
        true
    }
}
