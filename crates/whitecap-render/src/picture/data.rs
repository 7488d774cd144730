//! Layers of data: what the middle of a pixel sees.

use glam::{Vec2, Vec3, Vec4};

use super::Picture;
use super::tile::Tile;
use crate::{Hit, Pass, Ray};

/// Number of surfaces that a ray may pass before one that counts.
const MOST_SURFACES: u32 = 64;

/// What the middle of a pixel sees.
#[derive(Clone, Debug)]
pub(super) struct Data {
    depth: f32,
    position: Vec3,
    normal: Vec3,
    velocity: Vec3,
    motion: Vec4,
    object: u32,
    material: u32,
    particle: u32,
    film_thickness: f32,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            depth: f32::INFINITY,
            position: Vec3::ZERO,
            normal: Vec3::ZERO,
            velocity: Vec3::ZERO,
            motion: Vec4::ZERO,
            object: 0,
            material: 0,
            particle: 0,
            film_thickness: 0.0,
        }
    }
}

impl Data {
    pub(super) fn number(&self, pass: Pass, channel: usize) -> f32 {
        match pass {
            Pass::Depth => self.depth,
            Pass::Position => self.position[channel],
            Pass::Normal => self.normal[channel],
            Pass::Velocity => self.velocity[channel],
            Pass::Motion => self.motion[channel],
            Pass::FilmThickness => self.film_thickness,
            _ => 0.0,
        }
    }

    pub(super) fn id(&self, pass: Pass) -> u32 {
        match pass {
            Pass::Object => self.object,
            Pass::Material => self.material,
            Pass::Particle => self.particle,
            _ => 0,
        }
    }
}

/// Name and channels of a layer.
pub(super) fn channels_of(pass: Pass) -> (&'static str, &'static [&'static str]) {
    match pass {
        Pass::Beauty => ("beauty", &["R", "G", "B"]),
        Pass::Alpha => ("alpha", &["A"]),
        Pass::Diffuse => ("diffuse", &["R", "G", "B"]),
        Pass::Reflection => ("reflection", &["R", "G", "B"]),
        Pass::Refraction => ("refraction", &["R", "G", "B"]),
        Pass::Volume => ("volume", &["R", "G", "B"]),
        Pass::Emission => ("emission", &["R", "G", "B"]),
        Pass::Depth => ("depth", &["Z"]),
        Pass::Position => ("position", &["X", "Y", "Z"]),
        Pass::Normal => ("normal", &["X", "Y", "Z"]),
        Pass::Velocity => ("velocity", &["X", "Y", "Z"]),
        Pass::Motion => ("motion", &["X", "Y", "Z", "W"]),
        Pass::Object => ("object", &["V"]),
        Pass::Material => ("material", &["V"]),
        Pass::Particle => ("particle", &["V"]),
        Pass::FilmThickness => ("film-thickness", &["V"]),
    }
}

impl Pass {
    /// Whether the layer shows what the middle of a pixel sees.
    pub(super) fn is_data(self) -> bool {
        self >= Pass::Depth
    }

    /// Whether the layer holds whole numbers.
    pub(super) fn holds_ids(self) -> bool {
        matches!(self, Pass::Object | Pass::Material | Pass::Particle)
    }
}

impl Picture<'_> {
    /// Fills a tile's layers of data.
    pub(super) fn take_data(&self, tile: &mut Tile) {
        for place in 0..tile.data.len() {
            let [x, y] = tile.pixel_at(place);
            let corner = self.window.corner;
            let middle = Vec2::new((x + corner[0]) as f32 + 0.5, (y + corner[1]) as f32 + 0.5);
            let ray = self.camera.center_ray(middle);
            if let Some((object, start, hit)) = self.first_that_counts(ray) {
                tile.data[place] = self.data_at(object, &start, &hit);
            }
        }
    }

    /// The first surface that is more opaque than not.
    fn first_that_counts(&self, mut ray: Ray) -> Option<(u32, Ray, Hit)> {
        let mut media = self.scene.media_at(ray.origin, ray.time);
        for _ in 0..MOST_SURFACES {
            let (object, hit) = self.scene.intersect(&ray)?;
            let opacity = self.scene.material(object).opacity_at(&hit, ray.at(hit.distance));
            let (behind, crossing) = self.scene.across(object, ray.direction, &hit, &media);
            let hidden = matches!(crossing, Some(crate::matter::medium::Crossing::Hidden));
            if opacity >= 0.5 && !hidden {
                return Some((object, ray, hit));
            }
            media = behind;
            ray = crate::scene::passed(&ray, &hit);
        }
        None
    }

    fn data_at(&self, object: u32, ray: &Ray, hit: &Hit) -> Data {
        let position = ray.at(hit.distance);
        let facing = ray.direction.dot(hit.shading_normal) <= 0.0;
        Data {
            depth: self.camera.depth(position),
            position,
            normal: if facing { hit.shading_normal } else { -hit.shading_normal },
            velocity: hit.velocity,
            motion: self.motion(position, hit.velocity),
            object: object + 1,
            material: self.scene.object(object).material as u32 + 1,
            particle: hit.particle.map_or(0, |id| (id as u32).wrapping_add(1)),
            film_thickness: hit.film_thickness,
        }
    }

    /// The motion of a point as Blender's vector pass has it: x and y from here to where it was in the
    /// previous frame, z and w from where it will be in the next frame to here; in pixels right and up.
    fn motion(&self, position: Vec3, velocity: Vec3) -> Vec4 {
        let step = self.settings.frame_duration * velocity;
        let [before, after] = &self.cameras_around;
        let seen = [before.project(position - step), after.project(position + step)];
        let Some(here) = self.camera.project(position) else { return Vec4::ZERO };
        let [before, after] = seen.map(|there| there.unwrap_or(here));
        let up = |offset: Vec2| Vec2::new(offset.x, -offset.y);
        (up(before - here), up(here - after)).into()
    }
}
