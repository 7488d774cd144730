//! Contracts of the grid liquid that hold for any scene: threads, saved states, errors.

mod flip_scenes;

use flip_scenes::box_of_water;
use whitecap_bulk::flip::{FlipError, FlipLiquid, FlipSettings, TransferMethod};
use whitecap_core::glam::Vec3;
use whitecap_core::{Transform, TriMesh, Unwatched, Watch};
use whitecap_scene::AnimatedBody;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::fill::{Filling, Volume};
use whitecap_scene::opening::{Disc, Opening};
use whitecap_scene::shape::{BoxShape, Side};

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

/// Contract: accelerations that the caller gives act during the next frame on the particles they were given for,
/// however the liquid orders them, and no longer; a wrong number of them is refused.
#[test]
fn given_accelerations_act_for_one_frame() {
    for transfer in METHODS {
        let settings =
            FlipSettings { spacing: 0.1, gravity: [0.0; 3], transfer, ..FlipSettings::default() };
        let mut liquid = FlipLiquid::new(settings).unwrap();
        // In the order of cells the last comes first.
        let places = [Vec3::new(6.0, 0.1, 0.1), Vec3::splat(0.1), Vec3::new(-6.0, 0.1, 0.1)];
        liquid.add(&places, &[Vec3::ZERO; 3]).unwrap();
        let wanted = [Vec3::X, Vec3::Y, Vec3::ZERO];
        liquid.set_accelerations(&wanted).unwrap();
        let first = liquid.step_frame(1.0, &Unwatched).unwrap();
        assert!(first.steps.len() > 1, "the order must change in the frame");
        // The first step of all is a half one: velocities are those halfway between positions.
        let acted = 1.0 - 0.5 * first.steps[0].time_step as f32;
        for frame in 0..2 {
            let output = liquid.output().unwrap();
            for (velocity, wanted) in output.velocities().unwrap().iter().zip(wanted) {
                let error = (*velocity - acted * wanted).length();
                assert!(error < 0.02, "{transfer:?}, frame {frame}: {velocity}, not {wanted}");
            }
            liquid.step_frame(1.0, &Unwatched).unwrap();
        }
        let refused = liquid.set_accelerations(&wanted[..2]).unwrap_err();
        assert_eq!(refused.to_string(), "2 accelerations were given for 3 particles");
        let refused = liquid.set_accelerations(&[Vec3::NAN; 3]).unwrap_err();
        assert_eq!(refused.to_string(), "the acceleration of particle 0 is not a finite number");
    }
}

/// Contract: the acceleration of gravity, given for each particle, moves a dam as gravity does.
#[test]
fn given_gravity_is_gravity() {
    let mut falling = dam(TransferMethod::Apic);
    let weightless = FlipSettings { gravity: [0.0; 3], ..settings(TransferMethod::Apic) };
    let mut pushed = box_of_water(weightless, Vec3::ZERO, Vec3::new(0.5, 0.75, 0.5));
    for _ in 0..6 {
        let gravity = Vec3::from(FlipSettings::default().gravity);
        pushed.set_accelerations(&vec![gravity; pushed.particles().len()]).unwrap();
        falling.step_frame(1.0 / 24.0, &Unwatched).unwrap();
        pushed.step_frame(1.0 / 24.0, &Unwatched).unwrap();
    }
    let (one, other) = (falling.output().unwrap(), pushed.output().unwrap());
    let pairs = one.positions().iter().zip(other.positions());
    let apart: f32 = pairs.map(|(a, b)| a.distance(*b)).sum::<f32>() / one.len() as f32;
    assert!(apart < 0.1 / 32.0, "{apart} m apart in the mean");
}

/// Contract: a step that gives values that are not finite ends with a sentence that names the time, and the liquid
/// is as it was after the last good step.
#[test]
fn a_blow_up_keeps_the_last_good_state() {
    let mut liquid = dam(TransferMethod::Apic);
    liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap();
    liquid.particles_mut().affine[17][1] = Vec3::splat(f32::NAN);
    let before = liquid.save();
    let refused = liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap_err();
    assert!(matches!(refused, FlipError::BlowUp { .. }), "{refused:?}");
    let told = refused.to_string();
    assert!(told.starts_with("the liquid blew up at 0.041667 s: "), "{told}");
    assert!(liquid.save() == before);
}

/// Contract: a domain without room is refused at its key; one that is flat but open is a floor.
#[test]
fn an_empty_domain_is_refused() {
    let with = |min: Vec3, max: Vec3, open_sides: Vec<Side>| {
        let domain = Some(BoxShape { min: min.into(), max: max.into() });
        FlipLiquid::new(FlipSettings { domain, open_sides, ..FlipSettings::default() })
    };
    for max in [Vec3::new(1.0, 0.0, 1.0), Vec3::new(1.0, -1.0, 1.0)] {
        let refused = with(Vec3::ZERO, max, Vec::new()).unwrap_err().to_string();
        assert!(refused.contains("domain") && refused.contains("is empty along y"), "{refused}");
    }
    assert!(with(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), vec![Side::HighY]).is_ok());
}

/// Contract: a solid that fills the domain leaves no particles, says so, and steps do nothing.
#[test]
fn a_solid_that_fills_the_domain_is_told() {
    let room = BoxShape::new(Vec3::ZERO, Vec3::ONE);
    let solid = BoxShape::new(Vec3::splat(-0.1), Vec3::splat(1.1));
    let settings = FlipSettings {
        domain: Some(room),
        obstacles: vec![solid],
        spacing: 0.05,
        ..FlipSettings::default()
    };
    let mut liquid = FlipLiquid::new(settings.clone()).unwrap();
    let told = "solids fill the whole domain: there is no room for liquid";
    assert_eq!(liquid.warnings(), [told]);
    let mut filling = Filling::new(0.05, &[]).unwrap();
    let volume = Volume::Box { min: Vec3::ZERO, max: Vec3::splat(0.5) };
    filling.add(volume, Vec3::ZERO, &|place| liquid.clearance(place)).unwrap();
    assert!(filling.positions().is_empty());
    assert_eq!(filling.notes().last().unwrap(), "fill 1 (box) made no particles");
    assert_eq!(liquid.step_frame(0.1, &Unwatched).unwrap().particles, 0);
    let free = FlipLiquid::new(FlipSettings { obstacles: Vec::new(), ..settings }).unwrap();
    assert!(free.warnings().is_empty());
}

/// Contract: an emitter whose mouth is inside something solid is told, and nothing leaves it.
#[test]
fn an_emitter_inside_a_solid_is_told() {
    let settings = FlipSettings {
        spacing: 0.02,
        obstacles: vec![BoxShape::new(Vec3::splat(-0.5), Vec3::new(0.5, 0.5, 0.0))],
        ..FlipSettings::default()
    };
    let emitter = |x: f32| {
        let disc = Disc { center: [x, 0.0, -0.2], normal: [1.0, 0.0, 0.0], radius: 0.1 };
        let (from, speed) = (Opening::Disc(disc), Some(1.0));
        let settings = EmitterSettings { from, rate: None, speed, during: None };
        Emitter::new(&settings, None, 0.02).unwrap()
    };
    let mut liquid = FlipLiquid::new(settings).unwrap();
    liquid.add_emitter(emitter(0.7));
    assert!(liquid.warnings().is_empty(), "{:?}", liquid.warnings());
    let mut closed = liquid.clone();
    closed.add_emitter(emitter(0.0));
    let told = "emitter 2 is inside a wall or a solid: nothing leaves it";
    assert_eq!(closed.warnings(), [told]);
    liquid.step_frame(0.1, &Unwatched).unwrap();
    closed.step_frame(0.1, &Unwatched).unwrap();
    assert!(!liquid.particles().is_empty());
    assert_eq!(closed.particles().len(), liquid.particles().len());
}

/// Contract: a solid that is smaller than a cell is told with both sizes.
#[test]
fn a_solid_thinner_than_a_cell_is_told() {
    let plate = |thickness: f32| FlipSettings {
        spacing: 0.02,
        obstacles: vec![BoxShape::new(Vec3::ZERO, Vec3::new(1.0, thickness, 1.0))],
        ..FlipSettings::default()
    };
    let told = "obstacle 1 is 3.000 mm across, less than a cell of 40.000 mm: it leaks; use a smaller `spacing`";
    assert_eq!(FlipLiquid::new(plate(0.003)).unwrap().warnings(), [told]);
    let mut liquid = FlipLiquid::new(plate(0.05)).unwrap();
    let mesh = TriMesh::cuboid(Vec3::ZERO, Vec3::new(1.0, 0.003, 1.0));
    let place = Transform::from_translation(Vec3::new(0.0, 0.5, 0.0));
    liquid.add_solid(AnimatedBody::rigid(mesh, vec![(0.0, place)]).unwrap()).unwrap();
    let told = told.replace("obstacle 1", "solid 1");
    assert_eq!(liquid.warnings(), [told], "a mesh that is placed");
    assert!(FlipLiquid::new(plate(0.05)).unwrap().warnings().is_empty());
}
