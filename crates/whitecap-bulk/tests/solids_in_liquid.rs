//! Solids keep liquid out, at rest, moving and deforming.

#[path = "../../whitecap-scene/tests/shapes/mod.rs"]
mod shapes;
mod sph_scenes;

use std::sync::Arc;

use shapes::{block, sphere};
use sph_scenes::dam;
use whitecap_bulk::sph::{Liquid, PressureMethod, SphSettings, Strays};
use whitecap_core::glam::{Quat, Vec3};
use whitecap_core::{Column, Transform, TriMesh, Unwatched};
use whitecap_scene::fill::Volume;
use whitecap_scene::{
    AnimatedBody, BodyFrames,
    shape::{BoxShape, Side},
};

const DOMAIN: [f32; 3] = [1.5, 1.0, 0.5];

fn settings() -> SphSettings {
    SphSettings { spacing: 0.5 / 12.0, ..SphSettings::default() }
}

/// Fails if a particle is inside the solid or outside the domain at the liquid's time.
fn check_outside(liquid: &Liquid, solid: &AnimatedBody, count: usize) {
    let pose = solid.at(liquid.time()).unwrap();
    assert_eq!(liquid.len(), count, "particles were lost");
    for &p in liquid.positions() {
        assert!(!pose.contains(p), "{p} is inside the solid at {} s", liquid.time());
        assert!(p.cmpge(Vec3::ZERO).all() && p.cmple(DOMAIN.into()).all(), "{p} left the domain");
    }
    assert_eq!(liquid.strays(), Strays::default(), "at {} s", liquid.time());
}

fn run(liquid: &mut Liquid, solid: &AnimatedBody, frames: usize) {
    let count = liquid.len();
    for _ in 0..frames {
        let report = liquid.step_frame(0.04, &Unwatched).unwrap();
        let fastest = report.steps.iter().map(|step| step.largest_speed).fold(0.0, f32::max);
        assert!(fastest < 12.0, "{fastest} m/s at {} s", liquid.time());
        check_outside(liquid, solid, count);
    }
}

/// Contract: a dam that breaks over a ball never enters it, with both solvers.
#[test]
fn liquid_flows_round_a_ball_at_rest() {
    for pressure in [PressureMethod::Dfsph, PressureMethod::Pcisph] {
        let mut liquid = dam(SphSettings { pressure, ..settings() });
        let ball = AnimatedBody::at_rest(sphere(Vec3::new(0.9, 0.15, 0.25), 0.15, 3)).unwrap();
        liquid.add_solid(ball.clone()).unwrap();
        run(&mut liquid, &ball, 25);
    }
}

/// Contract: boxes given in the settings are obstacles too, and no particle ends inside one.
#[test]
fn liquid_flows_round_a_box() {
    let obstacle = BoxShape { min: [0.8, 0.0, 0.1], max: [0.95, 0.3, 0.4] };
    let mut liquid = dam(SphSettings { obstacles: vec![obstacle], ..settings() });
    let solid = AnimatedBody::at_rest(block(obstacle.min.into(), obstacle.max.into())).unwrap();
    run(&mut liquid, &solid, 25);
}

/// Contract: a thin blade that turns in a tank carries the liquid along, and nothing passes through
/// it or is lost.
#[test]
fn blade_stirs_a_tank() {
    let domain = Some(BoxShape { min: [0.0; 3], max: [0.5; 3] });
    let mut liquid = Liquid::new(SphSettings { domain, friction: 0.5, ..settings() }).unwrap();
    let blade = block(Vec3::new(-0.18, -0.15, -0.01), Vec3::new(0.18, 0.15, 0.01));
    let keys = (0..=16).map(|quarter| {
        let rotation = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2 * quarter as f32);
        let translation = Vec3::new(0.25, 0.16, 0.25);
        (0.2 * f64::from(quarter), Transform { rotation, translation, scale: 1.0 })
    });
    let blade = AnimatedBody::rigid(blade, keys.collect()).unwrap();
    liquid.add_solid(blade.clone()).unwrap();
    let volume = Volume::Box { min: Vec3::ZERO, max: Vec3::new(0.5, 0.35, 0.5) };
    liquid.fill(volume, Vec3::ZERO).unwrap();
    run(&mut liquid, &blade, 40);
    let particles = liquid.particles().unwrap();
    let middle = Vec3::new(0.25, 0.0, 0.25);
    let velocities = particles.velocities().unwrap().iter();
    let turning = particles
        .positions()
        .iter()
        .zip(velocities)
        .map(|(&p, &v)| f64::from((p - middle).cross(v).y));
    assert!(turning.sum::<f64>() / particles.len() as f64 > 0.05, "the liquid does not turn");
}

/// Contract: a solid that swells in the liquid pushes it aside.
#[test]
fn deforming_solid_pushes_liquid_aside() {
    let mut liquid = dam(settings());
    let small = sphere(Vec3::new(0.75, 0.2, 0.25), 0.1, 2);
    let scaled = |scale: f32| {
        let mut mesh: TriMesh = small.clone();
        for p in mesh.positions_mut() {
            *p = Vec3::new(0.75, 0.2, 0.25) + (*p - Vec3::new(0.75, 0.2, 0.25)) * scale;
        }
        mesh
    };
    let frames = (0..=10).map(|i| (0.08 * f64::from(i), scaled(1.0 + 0.08 * i as f32))).collect();
    let solid = AnimatedBody::in_memory(frames).unwrap();
    liquid.add_solid(solid.clone()).unwrap();
    run(&mut liquid, &solid, 20);
}

/// Contract: a solid added where there is liquid displaces it and reports how many particles were
/// removed, and the rest flows on without an explosion.
#[test]
fn solid_that_starts_inside_liquid() {
    let mut liquid = dam(settings());
    let before = liquid.len();
    let solid = AnimatedBody::at_rest(sphere(Vec3::new(0.25, 0.2, 0.25), 0.12, 3)).unwrap();
    let removed = liquid.add_solid(solid.clone()).unwrap();
    assert!(removed > 50 && liquid.len() + removed == before, "{removed} removed");
    run(&mut liquid, &solid, 10);
}

/// Contract: particles inside a box, inside a mesh and behind a wall are counted; an open side has
/// no outside.
#[test]
fn strays_are_counted() {
    let domain = Some(BoxShape { min: [0.0; 3], max: [1.0; 3] });
    let obstacles = vec![BoxShape { min: [0.1; 3], max: [0.3; 3] }];
    let open_sides = vec![Side::HighY];
    let settings = SphSettings { domain, obstacles, open_sides, ..settings() };
    // A liquid without walls passes its particles to one with walls, through a saved state.
    let mut open =
        Liquid::new(SphSettings { spacing: settings.spacing, ..SphSettings::default() }).unwrap();
    let inside_box = Vec3::splat(0.2);
    let (inside_mesh, behind, above) =
        (Vec3::splat(0.7), Vec3::new(0.5, -0.1, 0.5), Vec3::new(0.5, 2.0, 0.5));
    open.add(&[inside_box, inside_mesh, behind, above], &[Vec3::ZERO; 4]).unwrap();
    let mut walled = Liquid::new(settings).unwrap();
    walled.add_solid(AnimatedBody::at_rest(sphere(Vec3::splat(0.7), 0.1, 2)).unwrap()).unwrap();
    walled.restore(&open.save()).unwrap();
    assert_eq!(walled.strays(), Strays { inside_solids: 2, outside_domain: 1 });
}

/// Frames that are made when they are requested.
#[derive(Debug)]
struct Shrinking {
    times: Vec<f64>,
}

impl BodyFrames for Shrinking {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn mesh(&self, frame: usize) -> Result<TriMesh, String> {
        Ok(sphere(Vec3::new(0.75, 0.2, 0.25), 0.16 - 0.01 * frame as f32, 2))
    }
}

/// Contract: a deforming solid that loads its meshes one by one moves the liquid as one that had
/// them all from the start, to the bit, and so does one in a liquid that was saved and restored
/// in between.
#[test]
fn meshes_one_by_one() {
    let times: Vec<f64> = (0..6).map(|i| 0.04 * f64::from(i)).collect();
    let lazy = Arc::new(Shrinking { times: times.clone() });
    let frames = times.iter().enumerate().map(|(i, &time)| (time, lazy.mesh(i).unwrap()));
    let mut at_once = dam(settings());
    at_once.add_solid(AnimatedBody::in_memory(frames.collect()).unwrap()).unwrap();
    let one_by_one = || {
        let mut liquid = dam(settings());
        liquid.add_solid(AnimatedBody::sequence(lazy.clone()).unwrap()).unwrap();
        liquid
    };
    let mut liquid = one_by_one();
    for _ in 0..5 {
        let mut restored = one_by_one();
        restored.restore(&liquid.save()).unwrap();
        liquid = restored;
        liquid.step_frame(0.04, &Unwatched).unwrap();
        at_once.step_frame(0.04, &Unwatched).unwrap();
    }
    assert!(liquid.save() == at_once.save(), "other bits");
}

/// Contract: water that falls on a solid and comes to rest there is not pressed into its surface: it
/// keeps its density and its height, on a thick mesh and on one thinner than a particle, in a tank
/// and in a cup, where a time step is long for a particle.
#[test]
fn water_rests_on_a_solid() {
    for (edge, thickness) in [(0.5, 0.4), (0.5, 0.1), (0.5, 0.02), (0.04, 0.4), (0.04, 0.02)] {
        let spacing = edge / 12.0;
        let domain = Some(BoxShape { min: [0.0, -edge, 0.0], max: [edge, 2.0 * edge, edge] });
        let open_sides = vec![Side::LowY];
        let settings = SphSettings { spacing, domain, open_sides, ..SphSettings::default() };
        let mut liquid = Liquid::new(settings).unwrap();
        let (low, high) = (Vec3::new(-0.5, -thickness, -0.5), Vec3::new(1.5, 0.0, 1.5));
        let floor = AnimatedBody::at_rest(block(edge * low, edge * high)).unwrap();
        liquid.add_solid(floor).unwrap();
        let volume = Volume::Box { min: Vec3::ZERO, max: edge * Vec3::new(1.0, 0.8, 1.0) };
        liquid.fill(volume, Vec3::new(0.0, -2.0 * edge, 0.0)).unwrap();
        let count = liquid.len();
        for _ in 0..36 {
            liquid.step_frame(0.04, &Unwatched).unwrap();
            assert_eq!((liquid.len(), liquid.strays()), (count, Strays::default()));
        }
        let particles = liquid.particles().unwrap();
        let Some(Column::F32(density)) = particles.attribute("density") else { panic!() };
        let density = density.iter().copied().fold(0.0, f32::max) / 1000.0;
        let height = liquid.positions().iter().map(|p| p.y).fold(0.0, f32::max) / edge;
        let summary =
            format!("edge {edge} m, thickness {thickness}: density {density}, height {height}");
        println!("{summary}");
        assert!(density < 1.05, "{summary}");
        assert!((0.68..0.9).contains(&height), "{summary}");
    }
}
