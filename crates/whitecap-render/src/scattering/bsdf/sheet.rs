//! A sheet so thin that light leaves it where it entered: window panes, soap films.

use glam::Vec3;

use super::{BsdfSample, Lobe, luminance};

/// A thin sheet, seen at a certain angle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    /// Fraction reflected.
    pub(crate) reflectance: Vec3,
    /// Fraction of the rest that is transmitted.
    pub(crate) tint: Vec3,
    /// See [`super::Interface::least_reflection`].
    pub(crate) least_reflection: f32,
}

impl Sheet {
    /// A pane of glass: light bounces back and forth between its two sides until all of it leaves.
    pub(crate) fn pane_reflectance(cosine: f32, index: f32) -> f32 {
        let single = crate::fresnel::dielectric(cosine, index);
        2.0 * single / (1.0 + single)
    }

    /// What is transmitted straight through.
    pub(crate) fn transmittance(&self) -> Vec3 {
        (Vec3::ONE - self.reflectance) * self.tint
    }

    pub(super) fn sample(&self, from: Vec3, choice: f32) -> BsdfSample {
        let share = luminance(self.reflectance).clamp(0.0, 1.0);
        let share = match share {
            0.0 | 1.0 => share,
            _ => share.clamp(self.least_reflection, 1.0 - self.least_reflection),
        };
        if choice < share {
            let direction = Vec3::new(-from.x, -from.y, from.z);
            BsdfSample::only(direction, self.reflectance / share, Lobe::Reflection)
        } else {
            BsdfSample::only(-from, self.transmittance() / (1.0 - share), Lobe::Transmission)
        }
    }
}
