//! What a medium does to light.

use glam::Vec3;

use super::VolumeError;

/// How a medium of density one scatters, absorbs and emits light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Medium {
    /// Fraction of light lost per metre, to absorption and scattering together, in 1/m.
    pub extinction: f32,
    /// Fraction of the lost light that is scattered rather than absorbed, in each colour; 0 to 1.
    pub albedo: Vec3,
    /// Mean cosine of the angle by which light is deflected (Henyey & Greenstein 1941); −1 to 1, 0
    /// scatters evenly in all directions.
    pub anisotropy: f32,
    /// Radiance emitted per metre in every direction.
    pub emission: Vec3,
}

impl Medium {
    /// Densely packed snow grains: almost no absorption, slightly less in blue than in red.
    pub const SNOW: Medium = Medium {
        extinction: 1000.0,
        albedo: Vec3::new(0.9988, 0.9993, 0.9997),
        anisotropy: 0.6,
        emission: Vec3::ZERO,
    };

    /// Airborne droplets or snow dust.
    pub const MIST: Medium = Medium {
        extinction: 5.0,
        albedo: Vec3::splat(0.995),
        anisotropy: 0.7,
        emission: Vec3::ZERO,
    };

    /// Fails unless every number is meaningful.
    pub fn check(&self) -> Result<(), VolumeError> {
        let Medium { extinction, albedo, anisotropy, emission } = *self;
        if !(extinction >= 0.0 && extinction.is_finite()) {
            return Err(VolumeError::Extinction { value: extinction });
        }
        if !(albedo.cmpge(Vec3::ZERO) & albedo.cmple(Vec3::ONE)).all() {
            return Err(VolumeError::Albedo { value: albedo });
        }
        if anisotropy.is_nan() || anisotropy.abs() >= 1.0 {
            return Err(VolumeError::Anisotropy { value: anisotropy });
        }
        let dark = emission == Vec3::ZERO;
        let possible = emission.is_finite() && emission.cmpge(Vec3::ZERO).all() && extinction > 0.0;
        match dark || possible {
            true => Ok(()),
            false => Err(VolumeError::Emission { value: emission }),
        }
    }
}
