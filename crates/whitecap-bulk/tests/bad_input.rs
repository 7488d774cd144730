//! Input that cannot be simulated is refused with a sentence; input that is merely odd is simulated.

mod sph_scenes;

use sph_scenes::{add_ball, box_of_water, dam};
use whitecap_bulk::sph::{Liquid, SphError, SphSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::shape::BoxShape;

fn coarse() -> SphSettings {
    SphSettings { spacing: 0.5 / 8.0, ..SphSettings::default() }
}

/// Contract: a liquid without particles steps and stays empty.
#[test]
fn no_particles() {
    let mut liquid = Liquid::new(coarse()).unwrap();
    let report = liquid.step_frame(0.04, &Unwatched).unwrap();
    assert_eq!((report.particles, liquid.time()), (0, 0.04));
    assert_eq!(liquid.particles().unwrap().len(), 0);
}

/// Contract: values that are not finite are refused with the column and the particle; nothing
/// is added.
#[test]
fn values_that_are_not_finite() {
    let mut liquid = Liquid::new(coarse()).unwrap();
    let (place, bad) = ([Vec3::ZERO, Vec3::ONE], Vec3::new(0.0, f32::NAN, 0.0));
    let error = liquid.add(&place, &[Vec3::ZERO, bad]).unwrap_err();
    assert_eq!(error.to_string(), "the velocity of particle 1 is not a finite number");
    let error = liquid.add(&[bad], &[Vec3::ZERO]).unwrap_err();
    assert_eq!(error.to_string(), "the position of particle 0 is not a finite number");
    assert!(liquid.is_empty());
}

/// Contract: settings outside their range are refused and named.
#[test]
fn settings_out_of_range() {
    for (settings, name) in [
        (SphSettings { spacing: 0.0, ..coarse() }, "spacing"),
        (SphSettings { spacing: f32::NAN, ..coarse() }, "spacing"),
        (SphSettings { cfl: 5.0, ..coarse() }, "cfl"),
        (SphSettings { viscosity: -1.0, ..coarse() }, "viscosity"),
        (SphSettings { time_step: Some(0.0), ..coarse() }, "time-step"),
        (SphSettings { gravity: [0.0, f32::INFINITY, 0.0], ..coarse() }, "gravity"),
    ] {
        match Liquid::new(settings) {
            Err(SphError::Setting(error)) => assert_eq!(error.key, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let turned = Some(BoxShape { min: [1.0; 3], max: [0.0; 3] });
    let error = Liquid::new(SphSettings { domain: turned, ..coarse() }).unwrap_err();
    assert!(error.to_string().contains("domain"), "{error}");
    let mut liquid = Liquid::new(coarse()).unwrap();
    assert!(matches!(liquid.step_frame(f64::NAN, &Unwatched), Err(SphError::Duration { .. })));
}

/// Contract: a fixed time step that is far too long is shortened where it fails, and the frame
/// still ends at its time with every particle in the domain.
#[test]
fn time_step_too_long() {
    let mut liquid = dam(SphSettings { time_step: Some(0.2), ..coarse() });
    let mut retries = 0;
    for _ in 0..4 {
        let report = liquid.step_frame(0.2, &Unwatched).unwrap();
        retries += report.steps.iter().map(|step| step.retries).sum::<u32>();
    }
    assert!(retries > 0);
    assert_eq!(liquid.time(), 0.8);
    for p in liquid.positions() {
        assert!(p.is_finite() && p.cmpge(Vec3::ZERO).all() && p.cmple(Vec3::splat(1.5)).all());
    }
}

/// Contract: two fills in the same place, twice the density, relax without an explosion: nothing
/// flies off faster than the liquid could fall.
#[test]
fn overlapping_fills() {
    let domain = Some(BoxShape { min: [0.0; 3], max: [1.0; 3] });
    let settings = SphSettings { domain, ..coarse() };
    let mut liquid = box_of_water(settings.clone(), Vec3::ZERO, Vec3::splat(0.5));
    add_ball(&mut liquid, settings.spacing, Vec3::splat(0.26), 0.2, Vec3::ZERO);
    for _ in 0..25 {
        let report = liquid.step_frame(0.04, &Unwatched).unwrap();
        let fastest = report.steps.iter().map(|step| step.largest_speed).fold(0.0, f32::max);
        assert!(fastest < 6.0, "{fastest} m/s at {} s", liquid.time());
    }
    let density = liquid.step_frame(0.04, &Unwatched).unwrap().steps[0].largest_density;
    assert!(density < 1.1, "{density}");
}

/// Contract: without gravity and walls, a moving ball keeps flying straight.
#[test]
fn zero_gravity_in_an_open_domain() {
    let mut liquid = Liquid::new(SphSettings { gravity: [0.0; 3], ..coarse() }).unwrap();
    add_ball(&mut liquid, 0.0625, Vec3::ZERO, 0.25, Vec3::X);
    let before: Vec3 = liquid.positions().iter().sum::<Vec3>() / liquid.len() as f32;
    liquid.step_frame(1.0, &Unwatched).unwrap();
    let after: Vec3 = liquid.positions().iter().sum::<Vec3>() / liquid.len() as f32;
    assert!((after - before - Vec3::X).length() < 1e-3, "{before} to {after}");
}
