//! Two drops of particles that merge while the shutter is open, blurred in three ways.

use std::sync::Arc;

use whitecap_core::{Column, Particles, Unwatched};
use whitecap_render::glam::Vec3;
use whitecap_render::liquid::{LiquidMethod, LiquidSettings, Shutter};
use whitecap_render::{
    Camera, Environment, Light, LightKind, Material, MeshOptions, ParticleLiquid, RenderSettings,
    Scene, Shape, TriangleMesh, render,
};
use whitecap_surface::{SurfaceSettings, surface_particles};

/// When the shutter opens and closes, in seconds relative to the frame's time.
const SHUTTER: [f32; 2] = [-0.5, 0.5];
const SPACING: f32 = 0.2;
/// Radius of a drop in metres.
const RADIUS: f32 = 1.0;
/// Half the distance between the centres at the frame's time, when a neck joins the drops.
const APART: f32 = 1.0;
/// Speed of each drop in m/s, towards the other.
const SPEED: f32 = 1.2;

/// The drops at the frame's time.
pub struct Drops {
    particles: Particles,
    settings: LiquidSettings,
}

impl Drops {
    /// Two balls, one left and one right, of which the left one is nearer.
    pub fn new() -> Self {
        let reach = (RADIUS / SPACING).ceil() as i32;
        let range = || -reach..=reach;
        let ball: Vec<Vec3> = range()
            .flat_map(|x| {
                range().flat_map(move |y| {
                    range().map(move |z| Vec3::new(x as f32, y as f32, z as f32))
                })
            })
            .map(|cell| cell * SPACING)
            .filter(|p| p.length() <= RADIUS)
            .collect();
        let at =
            |side: f32| ball.iter().map(move |p| *p + Vec3::new(side * APART, 0.1 * side, 0.0));
        let mut particles = Particles::new(at(-1.0).chain(at(1.0)).collect());
        let velocities = [SPEED, -SPEED].map(|speed| vec![Vec3::new(speed, 0.0, 0.0); ball.len()]);
        particles.set_attribute("velocity", Column::Vec3(velocities.concat())).unwrap();
        let settings = LiquidSettings {
            method: LiquidMethod::Density,
            radius: Some(0.5 * SPACING),
            support: Some(4.0 * SPACING),
            ..LiquidSettings::default()
        };
        Self { particles, settings }
    }

    /// Particles that move while the shutter is open.
    pub fn direct(&self, settings: &RenderSettings) -> Vec<Vec3> {
        let [open, close] = SHUTTER;
        let shutter = Shutter { open, close };
        let liquid = ParticleLiquid::new(&self.particles, &self.settings, shutter).unwrap();
        picture(Arc::new(liquid), SHUTTER, settings)
    }

    /// The mesh of the frame, whose vertices move.
    pub fn meshed(&self, settings: &RenderSettings) -> Vec<Vec3> {
        let surface = SurfaceSettings {
            cell: Some(0.2 * SPACING),
            attributes: vec!["velocity".to_owned()],
            ..self.settings.surface_settings()
        };
        let mesh = surface_particles(&self.particles, &surface, &Unwatched).unwrap().mesh;
        let options = MeshOptions { shutter: SHUTTER, ..MeshOptions::default() };
        picture(Arc::new(TriangleMesh::new(mesh, options).unwrap()), SHUTTER, settings)
    }

    /// The mean of still pictures at `moments` moments.
    pub fn mean_of_stills(&self, moments: u32, settings: &RenderSettings) -> Vec<Vec3> {
        let velocities = self.particles.velocities().unwrap();
        let mut mean: Vec<Vec3> = Vec::new();
        for moment in 0..moments {
            let share = (moment as f32 + 0.5) / moments as f32;
            let time = SHUTTER[0] + share * (SHUTTER[1] - SHUTTER[0]);
            let moved =
                self.particles.positions().iter().zip(velocities).map(|(p, v)| p + time * v);
            let still = Particles::new(moved.collect());
            let liquid = ParticleLiquid::new(&still, &self.settings, Shutter::STILL).unwrap();
            let settings = RenderSettings { seed: u64::from(moment), ..settings.clone() };
            let pixels = picture(Arc::new(liquid), [0.0, 0.0], &settings);
            mean.resize(pixels.len(), Vec3::ZERO);
            for (sum, pixel) in mean.iter_mut().zip(pixels) {
                *sum += pixel / moments as f32;
            }
        }
        mean
    }
}

fn picture(liquid: Arc<dyn Shape>, shutter: [f32; 2], settings: &RenderSettings) -> Vec<Vec3> {
    let mut scene = Scene::default();
    let red = scene.add_material(Material::plastic(Vec3::new(0.75, 0.08, 0.05), 0.2));
    scene.add("drops", liquid, red);
    scene.lights.push(Light::from(LightKind::Sun {
        direction: Vec3::new(-0.4, 1.0, 0.6).normalize(),
        diameter: 10.0,
        irradiance: Vec3::splat(2.5),
    }));
    scene.environment = Environment::Constant(Vec3::splat(0.5));
    scene.camera =
        Camera { shutter, ..Camera::looking(Vec3::new(0.0, 1.2, 8.0), Vec3::ZERO, 26.0) };
    render(&scene, settings, &Unwatched).unwrap().rgb("beauty").unwrap()
}
