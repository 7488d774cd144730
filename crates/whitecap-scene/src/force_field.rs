//! Accelerations that act on the liquid from outside: gravity, wind, vortices, attractors.
//!
//! They are the a_host of a_total = a_SPH + a_host (Morgenroth 2021, Eq. 3.1).
//!
//! # Guarantees
//! * A checked field ([`ForceField::check`]) gives a finite acceleration at every finite position
//!   and velocity, even on the axis of a vortex and at the centre of an attractor.
//!
//! # Non-guarantees
//! * Wind is an explicit drag: it is stable while drag · Δt stays below one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;

use crate::error::unit_vector;
use crate::schema::describe_choices;
use crate::setting::{SettingError, check_ranges};
use crate::shape::no_direction;
use crate::time_span::TimeSpan;

/// Fraction of the radius within which a vortex or attractor fades to nothing at its centre.
const CORE: f32 = 0.1;

/// An acceleration field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum ForceField {
    /// The same acceleration everywhere.
    Gravity(Gravity),
    /// Drag towards the velocity of the air.
    Wind(Wind),
    /// A push round an axis.
    Vortex(Vortex),
    /// A pull towards a point.
    Attractor(Attractor),
}

/// The same acceleration everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gravity {
    /// The acceleration (x, y, z).
    #[schemars(extend("unit" = "m/s²"))]
    pub acceleration: [f32; 3],
}

impl Default for Gravity {
    fn default() -> Self {
        Self { acceleration: [0.0, -9.81, 0.0] }
    }
}

/// Drag towards the velocity of the air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air (x, y, z).
    #[schemars(extend("unit" = "m/s"))]
    pub velocity: [f32; 3],
    /// How fast the liquid takes on that velocity: the acceleration per difference of velocity.
    #[serde(default = "one")]
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1e4))]
    pub drag: f32,
    /// When it blows. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

/// A push round an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vortex {
    /// A point on the axis (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Direction of the axis, of any length. Seen from its tip the liquid turns anticlockwise.
    #[serde(default = "upward")]
    #[schemars(extend("unit" = "none"))]
    pub axis: [f32; 3],
    /// Largest acceleration; negative turns the other way.
    #[schemars(extend("unit" = "m/s²"))]
    pub strength: f32,
    /// Distance from the axis at which the falloff is complete.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
    /// How the strength decreases with distance.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub falloff: Falloff,
    /// When it acts. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

/// A pull towards a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attractor {
    /// The point (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Largest acceleration; negative pushes away.
    #[schemars(extend("unit" = "m/s²"))]
    pub strength: f32,
    /// Distance from the point at which the falloff is complete.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
    /// How the strength decreases with distance.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub falloff: Falloff,
    /// When it acts. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

/// How a field weakens with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Falloff {
    /// Not at all: the same everywhere.
    Constant,
    /// Linearly to zero at the radius.
    Linear,
    /// Smoothly to zero at the radius: (1 − (distance / radius)²)².
    #[default]
    Smooth,
    /// With the square of the distance, without limit; full strength within a tenth of the radius.
    InverseSquare,
}

impl Falloff {
    /// Fraction of the strength at a distance in radii.
    fn at(self, distance: f32) -> f32 {
        match self {
            Falloff::Constant => 1.0,
            Falloff::Linear => (1.0 - distance).max(0.0),
            Falloff::Smooth => (1.0 - distance * distance).max(0.0).powi(2),
            Falloff::InverseSquare => (CORE / distance.max(CORE)).powi(2),
        }
    }
}

fn one() -> f32 {
    1.0
}

fn upward() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

impl ForceField {
    /// Whether the numbers describe a field.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self)?;
        if let ForceField::Vortex(vortex) = self
            && unit_vector(vortex.axis.into()).is_none()
        {
            return Err(no_direction("vortex.axis", "the axis of a vortex"));
        }
        let (name, during) = match self {
            ForceField::Gravity(_) => return Ok(()),
            ForceField::Wind(wind) => ("wind", wind.during),
            ForceField::Vortex(vortex) => ("vortex", vortex.during),
            ForceField::Attractor(attractor) => ("attractor", attractor.during),
        };
        during.unwrap_or_default().check().map_err(|error| error.inside("during").inside(name))
    }

    /// Acceleration in m/s² of liquid at a position (m) with a velocity (m/s) at a time (s).
    #[inline]
    pub fn acceleration(&self, position: Vec3, velocity: Vec3, time: f64) -> Vec3 {
        let acts = |during: &Option<TimeSpan>| during.is_none_or(|span| span.contains(time));
        match self {
            ForceField::Gravity(gravity) => gravity.acceleration.into(),
            ForceField::Wind(wind) if acts(&wind.during) => {
                (Vec3::from(wind.velocity) - velocity) * wind.drag
            }
            ForceField::Vortex(vortex) if acts(&vortex.during) => vortex.at(position),
            ForceField::Attractor(attractor) if acts(&attractor.during) => attractor.at(position),
            _ => Vec3::ZERO,
        }
    }
}

/// The sum of several fields, in m/s².
#[inline]
pub fn total_acceleration(
    fields: &[ForceField],
    position: Vec3,
    velocity: Vec3,
    time: f64,
) -> Vec3 {
    fields.iter().map(|field| field.acceleration(position, velocity, time)).sum()
}

impl Vortex {
    fn at(&self, position: Vec3) -> Vec3 {
        let axis = Vec3::from(self.axis).normalize_or_zero();
        let arm = (position - Vec3::from(self.center)).reject_from_normalized(axis) / self.radius;
        let distance = arm.length();
        // The arm grows from nothing to a unit vector within the core.
        let turning = axis.cross(arm) / distance.max(CORE);
        turning * (self.strength * self.falloff.at(distance))
    }
}

impl Attractor {
    fn at(&self, position: Vec3) -> Vec3 {
        let arm = (Vec3::from(self.center) - position) / self.radius;
        let distance = arm.length();
        arm / distance.max(CORE) * (self.strength * self.falloff.at(distance))
    }
}
