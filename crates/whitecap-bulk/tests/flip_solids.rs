//! Solids made of triangles in a grid liquid: at rest, fast, turning and deforming, at default settings and 24 frames a
//! second.

mod flip_scenes;

use flip_scenes::box_of_water;
use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::glam::{Quat, Vec3};
use whitecap_core::{Transform, TriMesh, Unwatched};
use whitecap_scene::AnimatedBody;
use whitecap_scene::fill::{Filling, Volume};
use whitecap_scene::force_field::{Attractor, Falloff, ForceField};
use whitecap_scene::shape::BoxShape;

const FRAME: f64 = 1.0 / 24.0;
const ROOM: Vec3 = Vec3::new(2.0, 1.0, 0.5);

fn settings() -> FlipSettings {
    let domain = Some(BoxShape::new(Vec3::ZERO, ROOM));
    FlipSettings { spacing: 0.02, domain, ..FlipSettings::default() }
}

/// Water of a depth in m around a body.
fn water_around(body: AnimatedBody, depth: f32) -> FlipLiquid {
    let settings = settings();
    let mut filling = Filling::new(settings.spacing, &[]).unwrap();
    let mut liquid = FlipLiquid::new(settings).unwrap();
    liquid.add_solid(body).unwrap();
    let volume = Volume::Box { min: Vec3::ZERO, max: Vec3::new(ROOM.x, depth, ROOM.z) };
    filling.add(volume, Vec3::ZERO, &|place| liquid.clearance(place)).unwrap();
    liquid.add(filling.positions(), filling.velocities()).unwrap();
    liquid
}

/// Steps and checks that no particle is inside anything, and none is lost.
fn stays_outside(mut liquid: FlipLiquid, frames: usize, name: &str) -> FlipLiquid {
    let count = liquid.particles().len();
    for frame in 0..frames {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
        let positions = &liquid.particles().position;
        let inside = positions.iter().filter(|&&place| liquid.clearance(place) < 0.0).count();
        assert_eq!((inside, positions.len()), (0, count), "{name}, frame {frame}");
    }
    liquid
}

/// Contract: no particle is inside a mesh at rest that a flood hits, inside one that turns, or inside one that
/// changes its shape.
#[test]
fn particles_stay_outside_of_meshes() {
    let pillar = TriMesh::cuboid(Vec3::new(1.2, -0.1, 0.15), Vec3::new(1.4, 0.9, 0.35));
    let mut dam = box_of_water(settings(), Vec3::ZERO, Vec3::new(0.6, 0.8, ROOM.z));
    dam.add_solid(AnimatedBody::at_rest(pillar).unwrap()).unwrap();
    stays_outside(dam, 24, "pillar");

    let paddle = TriMesh::cuboid(Vec3::new(-0.3, -0.2, -0.06), Vec3::new(0.3, 0.2, 0.06));
    let turned = |share: f32| Transform {
        rotation: Quat::from_rotation_y(share * 1.2),
        ..Transform::from_translation(Vec3::new(1.0, 0.25, 0.25))
    };
    let keys = (0..=4).map(|key| (0.1 * f64::from(key), turned(key as f32 / 4.0 - 0.5)));
    let paddle = AnimatedBody::rigid(paddle, keys.collect()).unwrap();
    stays_outside(water_around(paddle, 0.5), 12, "paddle");

    let grown = |width: f32| {
        TriMesh::cuboid(Vec3::new(1.0 - width, 0.1, 0.15), Vec3::new(1.0 + width, 0.4, 0.35))
    };
    let frames = (0..=6).map(|frame| (f64::from(frame) * 0.1, grown(0.1 + 0.03 * frame as f32)));
    let growing = AnimatedBody::in_memory(frames.collect()).unwrap();
    stays_outside(water_around(growing, 0.5), 12, "growing");
}

/// Contract: a blade of three cells that moves 20 cells in a single frame takes the water before it along: hardly
/// anything gets behind it.
#[test]
fn a_fast_blade_passes_through_nothing() {
    let blade = TriMesh::cuboid(Vec3::new(-0.06, -0.2, -0.1), Vec3::new(0.06, 0.9, 0.6));
    let place = |x: f32| Transform::from_translation(Vec3::new(x, 0.0, 0.0));
    let keys = vec![(0.0, place(0.3)), (FRAME, place(1.1)), (1.0, place(1.1))];
    let liquid = water_around(AnimatedBody::rigid(blade, keys).unwrap(), 0.2);
    let behind = |liquid: &FlipLiquid| {
        liquid.particles().position.iter().filter(|place| place.x < 0.24).count()
    };
    let before = behind(&liquid);
    let liquid = stays_outside(liquid, 1, "blade");
    let passed = liquid.particles().position.iter().filter(|place| place.x < 1.0).count();
    println!(
        "{passed} of {} particles behind the blade, {before} before",
        liquid.particles().len()
    );
    assert!(passed < before + before / 5, "{passed} are behind the blade, {before} were");
}

/// Contract: a cube of three cells that moves 30 cells in a single frame stirs the water all along its way, not only
/// where it starts and ends.
#[test]
fn a_fast_cube_stirs_all_along_its_way() {
    let cube = TriMesh::cuboid(Vec3::splat(-0.06), Vec3::splat(0.06));
    let place = |x: f32| Transform::from_translation(Vec3::new(x, 0.25, 0.25));
    let keys = vec![(0.0, place(0.3)), (FRAME, place(1.5)), (1.0, place(1.5))];
    let liquid = water_around(AnimatedBody::rigid(cube, keys).unwrap(), 0.5);
    let liquid = stays_outside(liquid, 1, "cube");
    let particles = liquid.particles();
    let halfway = Vec3::new(0.9, 0.25, 0.25);
    let pairs = particles.position.iter().zip(&particles.velocity);
    let near = pairs.filter(|(place, _)| place.distance(halfway) < 0.1);
    let speeds: Vec<f32> = near.map(|(_, velocity)| velocity.length()).collect();
    let mean = speeds.iter().sum::<f32>() / speeds.len() as f32;
    println!("{mean} m/s halfway");
    assert!(mean > 1.0, "{mean} m/s");
}

/// Contract: a pull towards the middle of a ball leaves the middle where it is, wherever it lies between cells.
#[test]
fn an_attractor_pulls_towards_its_center() {
    let center = Vec3::new(0.113, 0.207, -0.094);
    let (center_of_pull, falloff) = (center.into(), Falloff::default());
    let pull =
        Attractor { center: center_of_pull, strength: 4.0, radius: 1.0, falloff, during: None };
    let settings = FlipSettings {
        domain: None,
        gravity: [0.0; 3],
        forces: vec![ForceField::Attractor(pull)],
        ..settings()
    };
    let ball = Volume::Sphere { center, radius: 0.2 };
    let mut liquid = flip_scenes::filled(settings.clone(), ball, Vec3::ZERO);
    let middle = |liquid: &FlipLiquid| {
        let positions = &liquid.particles().position;
        positions.iter().sum::<Vec3>() / positions.len() as f32
    };
    let before = middle(&liquid);
    for _ in 0..12 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
    let moved = middle(&liquid) - before;
    println!("moved by {} cells", moved.length() / settings.cell());
    assert!(moved.length() < 0.1 * settings.cell(), "{moved}");
}
