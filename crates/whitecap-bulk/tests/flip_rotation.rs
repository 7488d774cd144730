//! Angular momentum of the grid liquid: a free ball that turns without gravity, at default settings, 24 frames a
//! second.

mod flip_scenes;

use flip_scenes::filled;
use whitecap_bulk::flip::{FlipLiquid, FlipSettings, TransferMethod};
use whitecap_core::Unwatched;
use whitecap_core::glam::{DVec3, Vec3};
use whitecap_scene::fill::Volume;

/// How fast the ball turns, in rad/s: one radian in a hundred frames, each of which is a step.
const TURNING: f32 = 0.24;
/// Radius in cells.
const RADIUS: f32 = 8.0;

/// Angular momentum of the particles about their middle, per mass.
fn angular_momentum(liquid: &FlipLiquid) -> DVec3 {
    let particles = liquid.particles();
    let middle = particles.position.iter().map(|p| p.as_dvec3()).sum::<DVec3>();
    let middle = middle / particles.len() as f64;
    let pairs = particles.position.iter().zip(&particles.velocity);
    pairs.map(|(p, v)| (p.as_dvec3() - middle).cross(v.as_dvec3())).sum()
}

/// What is left of the angular momentum after 100 steps.
fn left(transfer: TransferMethod) -> f64 {
    let settings = FlipSettings { gravity: [0.0; 3], transfer, ..FlipSettings::default() };
    let (center, radius) = (Vec3::new(0.013, 0.004, -0.007), RADIUS * settings.cell());
    let mut liquid = filled(settings, Volume::Sphere { center, radius }, Vec3::ZERO);
    let axis = TURNING * Vec3::new(1.0, 2.0, 3.0).normalize();
    let particles = liquid.particles_mut();
    for (velocity, &position) in particles.velocity.iter_mut().zip(&particles.position) {
        *velocity = axis.cross(position - center);
    }
    // Row a of the gradient of ω × x is e_a × ω.
    let slopes = Vec3::AXES.map(|direction| direction.cross(axis));
    particles.affine.iter_mut().for_each(|affine| *affine = slopes);
    let before = angular_momentum(&liquid);
    let mut steps = 0;
    for _ in 0..100 {
        steps += liquid.step_frame(1.0 / 24.0, &Unwatched).unwrap().steps.len();
    }
    assert_eq!(steps, 100);
    angular_momentum(&liquid).dot(before) / before.length_squared()
}

/// Contract: APIC keeps the angular momentum of a ball that turns to 1 % over 100 steps, better than FLIP; PIC loses
/// half of it.
#[test]
fn apic_keeps_angular_momentum() {
    use TransferMethod::{Apic, Flip, Pic};
    println!("| transfer | angular momentum left after 100 steps |\n|---|---|");
    let [apic, flip, pic] =
        [("apic", Apic), ("flip", Flip), ("pic", Pic)].map(|(name, transfer)| {
            let left = left(transfer);
            println!("| {name} | {:.2} % |", 100.0 * left);
            left
        });
    assert!((apic - 1.0).abs() < 0.01, "{apic}");
    assert!((apic - 1.0).abs() < (flip - 1.0).abs(), "{apic}, {flip}");
    assert!(pic < 0.5, "{pic}");
}
