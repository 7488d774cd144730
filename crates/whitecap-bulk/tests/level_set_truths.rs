//! The level set against shapes and flows whose outcome is known.

mod level_set_scenes;

use level_set_scenes::{Enright, Zalesak, ball, faces, without_particles};
use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::particle_level_set::LevelSetSettings;
use whitecap_core::Unwatched;
use whitecap_core::glam::{IVec3, Vec3};

/// Contract: Zalesak's notched disc keeps its area to 1 % in a revolution.
#[test]
fn zalesak_disc_keeps_its_area() {
    let mut disc = Zalesak::new(LevelSetSettings::default());
    disc.turn(1.0);
    let change = disc.change();
    assert!(change.abs() < 0.01, "{:.2} %", 100.0 * change);
}

/// Contract: a ball that LeVeque's flow draws out to a sheet thinner than a cell and back keeps its volume to
/// 3 % on 64³ cells with 16 particles each, a quarter of the usual number, and is a ball again: no surface is
/// farther from it than 1.5 cells.
#[test]
fn enright_ball_comes_back() {
    let few = LevelSetSettings { particles_per_cell: 16, ..LevelSetSettings::default() };
    let mut test = Enright::new(64, few);
    test.stretch();
    assert!(test.change() > -0.25, "thinnest: {:.2} %", 100.0 * test.change());
    test.return_home();
    let change = test.change();
    assert!(change.abs() < 0.03, "{:.2} %", 100.0 * change);
    let (phi, middle) = (test.surface.phi(), Vec3::splat(0.35));
    for z in 0..64 {
        for x in 0..64 {
            let cells = (0..64).map(|y| IVec3::new(x, y, z));
            for cell in cells.filter(|&cell| phi.get(cell) < 0.0) {
                let beyond = phi.lattice().position(cell).distance(middle) - 0.15;
                assert!(64.0 * beyond < 1.5, "{cell} is liquid {} cells away", 64.0 * beyond);
            }
        }
    }
}

/// Contract: the volume of balls is exact to 1.5 % at six cells per radius, and the error falls with the square
/// of the cell size.
#[test]
fn volumes_are_measured_below_a_cell() {
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
    let error = |cell: f32| {
        let ball = ball(cell, without_particles(), Vec3::new(0.51, 0.47, 0.53), 0.3).unwrap();
        (ball.volume() / exact - 1.0).abs()
    };
    let (coarse, fine) = (error(0.05), error(0.0125));
    assert!(coarse < 0.015 && fine < coarse / 10.0, "{coarse} {fine}");
}

/// Contract: a ball in a uniform stream keeps its volume to 1 % and arrives where the stream carries it, to a
/// twentieth of a cell, with particles and without; its tiles follow it.
#[test]
fn uniform_streams_carry_balls() {
    let cell = 0.05;
    let stream = Vec3::new(1.0, 0.5, -0.25);
    let start = Vec3::new(0.8, 0.8, 1.6);
    let flow = faces(MacLattice::at_origin(cell), IVec3::splat(64), |_| stream);
    for settings in [without_particles(), LevelSetSettings::default()] {
        let mut ball = ball(cell, settings, start, 0.4).unwrap();
        let (volume, tiles) = (ball.volume(), ball.phi().tile_count());
        ball.advance(&flow, 1.17, &Unwatched).unwrap();
        let change = ball.volume() / volume - 1.0;
        assert!(change.abs() < 0.01, "{:.3} %", 100.0 * change);
        assert!(ball.phi().tile_count() < 2 * tiles, "tiles stay behind");
        let middle = start + 1.17 * stream;
        for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            let away = ball.phi().sample(middle + 0.4 * axis) / cell;
            assert!(away.abs() < 0.05, "{axis}: {away} cells");
        }
    }
}
