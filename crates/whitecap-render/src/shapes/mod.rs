//! Shapes with a closed form: for sets, lights and tests.
//!
//! | shape | inside |
//! |---|---|
//! | [`Sphere`] | the ball |
//! | [`Cuboid`] | the box |
//! | [`Plane`] | everything below it, against its normal |
//! | [`Rectangle`], [`Disc`] | none: they are open |
//!
//! [`Moving`] gives any shape a velocity, [`Together`] makes one body of two.

mod cuboid;
mod flat;
mod moving;
mod sphere;
mod together;

pub use cuboid::Cuboid;
pub use flat::{Disc, Plane, Rectangle};
pub use moving::Moving;
pub use sphere::Sphere;
pub use together::Together;

use glam::{Vec2, Vec3};

use crate::{Hit, Ray};

/// A hit on a surface without particles, film or motion.
fn plain_hit(ray: &Ray, distance: f32, normal: Vec3, uv: Vec2, size: f32) -> Hit {
    let scale = ray.at(distance).abs().max_element() + distance + size;
    Hit {
        distance,
        geometric_normal: normal,
        shading_normal: normal,
        uv,
        velocity: Vec3::ZERO,
        element: 0,
        particle: None,
        film_thickness: 0.0,
        opacity: 1.0,
        uncertainty: 8.0 * f32::EPSILON * scale,
    }
}
