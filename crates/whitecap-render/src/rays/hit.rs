//! Where a ray hits a shape.

use glam::{Vec2, Vec3};

/// The nearest point where a ray hits a shape.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Distance from the ray's origin, in m.
    pub distance: f32,
    /// Outward normal of the surface itself; of length one.
    pub geometric_normal: Vec3,
    /// Outward normal to shade with; of length one.
    pub shading_normal: Vec3,
    /// Texture coordinates.
    pub uv: Vec2,
    /// Velocity of the surface, in m/s.
    pub velocity: Vec3,
    /// Index of the triangle or of the particle nearest to the hit.
    pub element: u32,
    /// Id of the particle nearest to the hit; `None` if the shape has none.
    pub particle: Option<u64>,
    /// Thickness of a film on the surface, in m; zero if there is none.
    pub film_thickness: f32,
    /// Opacity of the surface there, which multiplies that of an opaque material; 1 if the shape
    /// does not say.
    pub opacity: f32,
    /// How far the point may be from the true surface, in m. The next ray starts this far from the
    /// surface, on the side it goes to.
    pub uncertainty: f32,
}
