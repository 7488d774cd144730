//! Viscosity in the grid liquid, at its default settings.

mod flip_scenes;

use flip_scenes::box_of_water;
use whitecap_bulk::flip::{FlipError, FlipLiquid, FlipSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::opening::{Disc, Opening};
use whitecap_scene::shape::PlaneShape;

const FRAME: f64 = 1.0 / 24.0;

fn on_a_plate(viscosity: f32) -> FlipSettings {
    FlipSettings {
        spacing: 0.005,
        viscosity,
        planes: vec![PlaneShape { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }],
        ..FlipSettings::default()
    }
}

fn column(settings: FlipSettings) -> FlipLiquid {
    box_of_water(settings, Vec3::new(-0.05, 0.0, -0.05), Vec3::new(0.05, 0.2, 0.05))
}

fn mean_height(liquid: &FlipLiquid) -> f64 {
    let positions = &liquid.particles().position;
    positions.iter().map(|p| f64::from(p.y)).sum::<f64>() / positions.len() as f64
}

/// Mean height of a column on a plate after a quarter of a second.
fn slumped(viscosity: f32) -> f64 {
    let mut liquid = column(on_a_plate(viscosity));
    for _ in 0..6 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
    mean_height(&liquid)
}

/// Contract: the more viscous a column is, the slower it slumps, from water, which has collapsed, to pitch,
/// which stands.
#[test]
fn viscous_columns_slump_slower() {
    let heights = [0.0, 1.0, 10.0, 100.0, 1e5].map(slumped);
    println!("mean heights after 0.25 s: {heights:.4?} m");
    assert!(heights.is_sorted(), "{heights:?}");
    assert!(heights[0] < 0.045 && heights[4] > 0.099, "{heights:?}");
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 0.001), "{heights:?}");
}

/// Contract: particles with a viscosity of their own: where half of the column is thin it runs away from the
/// half that is thick.
#[test]
fn particles_have_their_own_viscosity() {
    let mut liquid = column(on_a_plate(0.0));
    let particles = liquid.particles_mut();
    let is_thick = |position: &Vec3| position.x < 0.0;
    particles.viscosity =
        particles.position.iter().map(|p| if is_thick(p) { 1000.0 } else { 0.1 }).collect();
    for _ in 0..6 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
    let mean = |is_wanted: &dyn Fn(f32) -> bool| {
        let particles = liquid.particles();
        let both = particles.position.iter().zip(&particles.viscosity);
        let heights: Vec<f32> =
            both.filter(|(_, viscosity)| is_wanted(**viscosity)).map(|(p, _)| p.y).collect();
        heights.iter().sum::<f32>() / heights.len() as f32
    };
    let (thick, thin) = (mean(&|v| v > 1.0), mean(&|v| v < 1.0));
    println!("mean heights: {thick:.4} m and {thin:.4} m");
    assert!(thick > 0.08 && thin < 0.02, "{thick} {thin}");
}

/// Contract: a viscosity that no liquid has is an error that names its particle, and so is a column of another
/// length.
#[test]
fn impossible_viscosities_are_errors() {
    let mut liquid = column(on_a_plate(1.0));
    for wrong in [-1.0, f32::NAN, f32::INFINITY] {
        let mut viscosities = vec![1.0; liquid.particles().len()];
        viscosities[7] = wrong;
        liquid.particles_mut().viscosity = viscosities;
        let error = liquid.step_frame(FRAME, &Unwatched).unwrap_err();
        assert!(matches!(error, FlipError::Viscosity { index: 7, .. }), "{error}");
    }
    liquid.particles_mut().viscosity = vec![1.0; 3];
    let error = liquid.step_frame(FRAME, &Unwatched).unwrap_err();
    assert!(error.to_string().contains("`viscosity` has 3 values"), "{error}");
}

/// Contract: a liquid with viscosities by particle continues from its saved state with the same bits, and the
/// number of threads changes nothing.
#[test]
fn viscous_states_have_the_same_bits() {
    let settings = FlipSettings { spacing: 0.01, ..on_a_plate(5.0) };
    let run = |threads: usize, interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut liquid = column(settings.clone());
            let count = liquid.particles().len();
            liquid.particles_mut().viscosity = (0..count).map(|i| (i % 7) as f32).collect();
            for _ in 0..2 {
                liquid.step_frame(FRAME, &Unwatched).unwrap();
            }
            if interrupted {
                let saved = liquid.save();
                liquid = FlipLiquid::new(settings.clone()).unwrap();
                liquid.restore(&saved).unwrap();
            }
            liquid.step_frame(FRAME, &Unwatched).unwrap();
            liquid.save()
        })
    };
    let one = run(1, false);
    for (threads, interrupted) in [(2, true), (7, false)] {
        assert!(run(threads, interrupted) == one, "{threads} threads");
    }
}

/// Contract: a thread of honey that falls on a plate coils: within a second it has turned round its axis more
/// than once, in rings wider than itself, and has not torn off.
#[test]
fn honey_threads_coil() {
    let settings =
        FlipSettings { spacing: 0.0005, rest_density: 1400.0, viscosity: 28.0, ..on_a_plate(0.0) };
    let opening = Disc { center: [0.0, 0.08, 0.0], normal: [0.0, -1.0, 0.0], radius: 0.003 };
    let from = Opening::Disc(opening);
    let emitter = EmitterSettings { from, rate: None, speed: Some(0.1), during: None };
    let emitter = Emitter::new(&emitter, None, settings.spacing).unwrap();
    let mut liquid = FlipLiquid::new(settings).unwrap();
    liquid.add_emitter(emitter);
    let (mut turns, mut before, mut widest) = (0.0f32, 0.0, 0.0f32);
    for _ in 0..25 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
        let positions = liquid.particles().position.iter();
        let slice: Vec<Vec3> = positions.filter(|p| (p.y - 0.02).abs() < 0.001).copied().collect();
        let middle = slice.iter().sum::<Vec3>() / slice.len() as f32;
        let radius = middle.x.hypot(middle.z);
        if radius > 0.001 {
            let angle = middle.z.atan2(middle.x);
            let change = (angle - before) / std::f32::consts::TAU;
            turns += change - change.round();
            before = angle;
        }
        widest = widest.max(radius);
    }
    let is_empty = |y: f32| !liquid.particles().position.iter().any(|p| (p.y - y).abs() < 0.0005);
    let torn = (20..80).map(|y| 0.001 * y as f32).find(|&y| is_empty(y));
    assert_eq!(torn, None, "torn off at a height of so many metres");
    println!("{:.2} turns, up to {widest:.4} m from the axis", turns.abs());
    assert!(turns.abs() > 1.5 && widest > 0.002, "{turns} turns, {widest} m");
}
