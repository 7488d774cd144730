//! Lights.
//!
//! A light is found in two ways: deliberately, by choosing a point on it, and by chance, when a
//! scattered ray hits it. Both are weighted so that each counts where it is better (Veach 1997, the
//! power heuristic).
//!
//! # Guarantees
//! Every point of a light that sends light to a position can be chosen from there, with a known
//! density.
//!
//! # Non-guarantees
//! Lights do not block rays: what lies behind a light is seen through it, and lit through it. Put
//! an object behind a lamp to close it.

mod area;
mod environment;
mod selection;

use std::sync::Arc;

use glam::Vec3;

use crate::shapes::{Disc, Rectangle, Sphere};
use crate::{RenderError, TriangleMesh};

pub(crate) use area::{LightPoint, PreparedLight};
pub use environment::Environment;
pub(crate) use environment::PreparedEnvironment;
pub(crate) use selection::LightSelection;

/// A light with a position or a direction. [`Environment`] is the light from all around.
#[derive(Clone)]
pub struct Light {
    /// What it is.
    pub kind: LightKind,
    /// Whether the camera sees it directly; reflections show it in any case.
    pub visible: bool,
}

/// What a light is.
#[derive(Clone)]
pub enum LightKind {
    /// A bright disc, infinitely far away.
    Sun {
        /// Direction to it, seen from the scene.
        direction: Vec3,
        /// Its apparent diameter, in degrees; 0.53 for the real sun. A larger one makes softer
        /// shadows.
        diameter: f32,
        /// Light on a surface that faces it, in W/m².
        irradiance: Vec3,
    },
    /// A rectangle that shines on the side it faces.
    Rectangle {
        /// The rectangle.
        shape: Rectangle,
        /// In W/(m² sr).
        radiance: Vec3,
        /// Whether it shines on the other side too.
        two_sided: bool,
    },
    /// A disc that shines on the side it faces.
    Disc {
        /// The disc.
        shape: Disc,
        /// In W/(m² sr).
        radiance: Vec3,
        /// Whether it shines on the other side too.
        two_sided: bool,
    },
    /// A ball that shines outwards.
    Sphere {
        /// The ball.
        shape: Sphere,
        /// In W/(m² sr).
        radiance: Vec3,
    },
    /// A mesh that shines on its outside.
    Mesh {
        /// The mesh.
        shape: Arc<TriangleMesh>,
        /// In W/(m² sr).
        radiance: Vec3,
    },
}

impl From<LightKind> for Light {
    /// A visible light.
    fn from(kind: LightKind) -> Self {
        Self { kind, visible: true }
    }
}

impl Light {
    pub(crate) fn check(&self, light: usize) -> Result<(), RenderError> {
        let fail = |what| Err(RenderError::Light { light, what });
        let power = match &self.kind {
            LightKind::Sun { irradiance, .. } => irradiance,
            LightKind::Rectangle { radiance, .. }
            | LightKind::Disc { radiance, .. }
            | LightKind::Sphere { radiance, .. }
            | LightKind::Mesh { radiance, .. } => radiance,
        };
        if !power.is_finite() || power.min_element() < 0.0 {
            return fail(
                "its strength is negative or not a finite number; it must be zero or more",
            );
        }
        let sound = match &self.kind {
            LightKind::Sun { direction, diameter, .. } => {
                if !(*diameter > 0.0 && *diameter <= 180.0) {
                    return fail("a sun's diameter must be more than 0 and at most 180 degrees");
                }
                direction.is_finite() && *direction != Vec3::ZERO
            }
            LightKind::Rectangle { shape, .. } => {
                shape.corner.is_finite() && shape.area() > 0.0 && shape.area().is_finite()
            }
            LightKind::Disc { shape, .. } => {
                let normal = (shape.normal.length() - 1.0).abs() < 1e-3;
                shape.center.is_finite() && normal && shape.radius > 0.0
            }
            LightKind::Sphere { shape, .. } => shape.center.is_finite() && shape.radius > 0.0,
            LightKind::Mesh { .. } => true,
        };
        match sound {
            true => Ok(()),
            false => fail("its position, direction or size is zero or not a finite number"),
        }
    }
}
