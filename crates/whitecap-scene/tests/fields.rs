//! Contracts of force fields and kill volumes, and of how all sources are written.

use schemars::{Schema, json_schema};
use serde::Deserialize;
use whitecap_core::glam::Vec3;
use whitecap_scene::emitter::EmitterSettings;
use whitecap_scene::fill::Fill;
use whitecap_scene::force_field::{
    Attractor, Falloff, ForceField, Gravity, Vortex, Wind, total_acceleration,
};
use whitecap_scene::kill::{KillVolume, is_removed};
use whitecap_scene::shape::{BallShape, BoxShape, PlaneShape};
use whitecap_scene::time_span::TimeSpan;

fn vortex(falloff: Falloff) -> ForceField {
    ForceField::Vortex(Vortex {
        center: [1.0, 0.0, 0.0],
        axis: [0.0, 3.0, 0.0],
        strength: 4.0,
        radius: 2.0,
        falloff,
        during: None,
    })
}

fn attractor(falloff: Falloff) -> ForceField {
    let (center, strength, radius) = ([0.0, 1.0, 0.0], 6.0, 1.0);
    ForceField::Attractor(Attractor { center, strength, radius, falloff, during: None })
}

/// Contract: gravity is the same everywhere, wind vanishes at the velocity of the air, and fields
/// add up.
#[test]
fn gravity_and_wind() {
    let gravity = ForceField::Gravity(Gravity::default());
    let wind = ForceField::Wind(Wind { velocity: [2.0, 0.0, 0.0], drag: 0.5, during: None });
    let down = Vec3::new(0.0, -9.81, 0.0);
    assert_eq!(gravity.acceleration(Vec3::ONE, Vec3::X, 3.0), down);
    assert_eq!(wind.acceleration(Vec3::ONE, Vec3::new(2.0, 0.0, 0.0), 0.0), Vec3::ZERO);
    assert_eq!(wind.acceleration(Vec3::ONE, Vec3::Y, 0.0), Vec3::new(1.0, -0.5, 0.0));
    let total = total_acceleration(&[gravity, wind], Vec3::ZERO, Vec3::ZERO, 0.0);
    assert_eq!(total, down + Vec3::X);
}

/// Contract: a vortex pushes square to the arm and the axis, anticlockwise seen from the tip of the
/// axis, and falls off as its kind says; on the axis it is zero.
#[test]
fn vortices_turn_round_their_axis() {
    let at = |falloff, x: f32| {
        vortex(falloff).acceleration(Vec3::new(1.0 + x, 5.0, 0.0), Vec3::ZERO, 0.0)
    };
    for (falloff, share) in [
        (Falloff::Constant, 1.0),
        (Falloff::Linear, 0.5),
        (Falloff::Smooth, 0.5625),
        (Falloff::InverseSquare, 0.04),
    ] {
        let found = at(falloff, 1.0);
        assert!(found.distance(Vec3::new(0.0, 0.0, -4.0 * share)) < 1e-5, "{falloff:?}: {found}");
        assert_eq!(at(falloff, 0.0), Vec3::ZERO);
    }
    assert_eq!(at(Falloff::Smooth, 2.5), Vec3::ZERO);
}

/// Contract: an attractor pulls towards its point, is zero there, and falls off.
#[test]
fn attractors_pull() {
    let at = |falloff, y| attractor(falloff).acceleration(Vec3::new(0.0, y, 0.0), Vec3::ZERO, 0.0);
    assert!(at(Falloff::Linear, 0.5).distance(Vec3::new(0.0, 3.0, 0.0)) < 1e-5);
    assert!(at(Falloff::Constant, 9.0).distance(Vec3::new(0.0, -6.0, 0.0)) < 1e-5);
    assert!(at(Falloff::InverseSquare, 1.2).distance(Vec3::new(0.0, -1.5, 0.0)) < 1e-5);
    assert_eq!(at(Falloff::Smooth, 1.0), Vec3::ZERO);
    assert_eq!(at(Falloff::Linear, 3.0), Vec3::ZERO);
}

/// Contract: a field acts from its start on and before its end.
#[test]
fn fields_act_during_their_time() {
    let during = Some(TimeSpan { start: 1.0, end: Some(2.0) });
    let gust = ForceField::Wind(Wind { velocity: [1.0, 0.0, 0.0], drag: 1.0, during });
    let at = |time| gust.acceleration(Vec3::ZERO, Vec3::ZERO, time).x;
    assert_eq!([0.5, 1.0, 1.9, 2.0].map(at), [0.0, 1.0, 1.0, 0.0]);
}

/// Contract: fields and volumes with meaningless numbers are refused with a sentence.
#[test]
fn bad_fields_and_volumes_are_refused() {
    let ForceField::Vortex(good) = vortex(Falloff::Smooth) else { unreachable!() };
    let sentence = |vortex| ForceField::Vortex(vortex).check().unwrap_err().to_string();
    assert_eq!(ForceField::Vortex(good).check(), Ok(()));
    assert!(sentence(Vortex { axis: [0.0; 3], ..good }).contains("the axis of a vortex"));
    assert!(
        sentence(Vortex { radius: -1.0, ..good }).starts_with("`vortex.radius` is -1, but must")
    );
    assert!(
        sentence(Vortex { strength: f32::NAN, ..good })
            .starts_with("`vortex.strength` is NaN, but must")
    );
    assert!(
        sentence(Vortex { center: [f32::INFINITY; 3], ..good })
            .starts_with("a value of `vortex.center` is inf, but must")
    );
    let during = Some(TimeSpan { start: 3.0, end: Some(1.0) });
    assert!(sentence(Vortex { during, ..good }).contains("ends at 1 s"));
    let wind = Wind { velocity: [f32::NAN; 3], drag: 1.0, during: None };
    assert!(ForceField::Wind(wind).check().is_err());
    let crossed = BoxShape { min: [0.0, 0.0, 1.0], max: [1.0, 1.0, 0.0] };
    assert!(KillVolume::Box(crossed).check().unwrap_err().to_string().contains("along z"));
    let point = BallShape { center: [0.0; 3], radius: 0.0 };
    assert!(KillVolume::Sphere(point).check().is_err());
}

/// Contract: kill volumes remove what is in them, or outside for the outside of a box, and never a
/// position that is not finite.
#[test]
fn kill_volumes_remove_what_is_in_them() {
    let unit = BoxShape { min: [0.0; 3], max: [1.0; 3] };
    let ball = KillVolume::Sphere(BallShape { center: [5.0, 0.0, 0.0], radius: 1.0 });
    let (inside, outside) = (Vec3::splat(0.5), Vec3::new(0.5, 1.5, 0.5));
    assert!(KillVolume::Box(unit).removes(inside) && !KillVolume::Box(unit).removes(outside));
    assert!(!KillVolume::OutsideBox(unit).removes(inside));
    assert!(KillVolume::OutsideBox(unit).removes(outside));
    assert!(ball.removes(Vec3::new(5.5, 0.5, 0.0)) && !ball.removes(Vec3::new(5.9, 0.9, 0.0)));
    assert!(is_removed(&[KillVolume::Box(unit), ball], inside) && !is_removed(&[], inside));
    for volume in [KillVolume::Box(unit), KillVolume::OutsideBox(unit), ball] {
        assert!(!volume.removes(Vec3::new(f32::NAN, 0.5, 0.5)));
    }
}

/// Contract: every kind of field and volume can be written by name, and short forms have defaults.
#[test]
fn fields_are_written_by_name() {
    let read = |written: Schema| ForceField::deserialize(written.to_value());
    let gravity = read(json_schema!({ "gravity": {} })).unwrap();
    assert_eq!(gravity, ForceField::Gravity(Gravity::default()));
    let short = json_schema!({ "vortex": { "center": [1, 0, 0], "strength": 4, "radius": 2 } });
    let ForceField::Vortex(found) = read(short).unwrap() else { panic!("not a vortex") };
    assert_eq!((found.axis, found.falloff), ([0.0, 1.0, 0.0], Falloff::Smooth));
    let gust = json_schema!({ "wind": { "velocity": [1, 0, 0], "during": { "start": 1 } } });
    assert!(read(gust).is_ok());
    let pull = json_schema!({
        "attractor": { "center": [0, 0, 0], "strength": 1, "radius": 1, "falloff": "inverse-square" }
    });
    assert!(read(pull).is_ok());
    assert!(read(json_schema!({ "wind": { "velocity": [1, 0, 0], "gusts": 1 } })).is_err());
    let kill = json_schema!({ "outside-box": { "min": [0, 0, 0], "max": [1, 1, 1] } });
    let kill = KillVolume::deserialize(kill.to_value());
    assert!(matches!(kill, Ok(KillVolume::OutsideBox(_))));
    let emitter = json_schema!({
        "from": { "disc": { "center": [0, 1, 0], "normal": [0, -1, 0], "radius": 0.1 } },
        "speed": 2
    });
    assert!(EmitterSettings::deserialize(emitter.to_value()).is_ok());
}

/// Contract: every key of every source, down to the last, has a documentation comment and a unit.
#[test]
fn every_key_has_a_comment_and_a_unit() {
    let schemas = [
        schemars::schema_for!(Fill),
        schemars::schema_for!(EmitterSettings),
        schemars::schema_for!(ForceField),
        schemars::schema_for!(KillVolume),
        schemars::schema_for!(PlaneShape),
    ];
    let mut waiting: Vec<_> = schemas.into_iter().map(Schema::to_value).collect();
    let (mut missing, mut seen) = (Vec::new(), 0);
    while let Some(schema) = waiting.pop() {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            seen += 1;
            if property["description"].as_str().is_none_or(str::is_empty) {
                missing.push(format!("{name} has no comment"));
            }
            if !property["unit"].is_string() {
                missing.push(format!("{name} has no unit"));
            }
        }
        waiting.extend(schema["$defs"].as_object().into_iter().flat_map(|d| d.values().cloned()));
        waiting.extend(schema["oneOf"].as_array().into_iter().flatten().cloned());
    }
    assert!(missing.is_empty() && seen > 50, "{seen} keys, {}", missing.join("\n"));
}
