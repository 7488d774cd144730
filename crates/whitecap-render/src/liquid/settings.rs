//! Settings of particle liquids that are hit directly.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::check_ranges;
use whitecap_surface::{FieldKind, SurfaceSettings};

use super::LiquidError;

/// How particles become a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiquidMethod {
    /// Isosurface of the SPH density (cubic spline).
    #[default]
    Density,
    /// Distance to the averaged particle position (Zhu & Bridson 2005).
    ZhuBridson,
    /// Zhu–Bridson with the concavity correction of Solenthaler et al. 2007.
    Solenthaler,
    /// Density isosurface of stretched kernels (Yu & Turk 2013).
    Anisotropic,
    /// Blobs (after Blinn 1982): a lone particle is a sphere of its own radius.
    Blobs,
}

impl LiquidMethod {
    pub(crate) fn kind(self) -> FieldKind {
        match self {
            Self::Density => FieldKind::Density,
            Self::ZhuBridson => FieldKind::ZhuBridson,
            Self::Solenthaler => FieldKind::Solenthaler,
            Self::Anisotropic => FieldKind::Anisotropic,
            Self::Blobs => FieldKind::Blobs,
        }
    }
}

/// Settings of a particle liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LiquidSettings {
    /// How particles become a surface.
    #[schemars(extend("unit" = "none"))]
    pub method: LiquidMethod,
    /// Particle radius, half the particle spacing. Left out: the particles' own `radius` column,
    /// else half the spacing found in the liquid.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: Option<f32>,
    /// Distance over which a particle contributes to the surface. Left out: four particle radii,
    /// three for blobs.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub support: Option<f32>,
    /// Isovalue of the density and anisotropic methods, as a fraction of the rest density.
    #[schemars(extend("unit" = "none"), range(min = 0.01, max = 0.99))]
    pub threshold: f32,
    /// Largest ratio between the axes of a stretched kernel (anisotropic method).
    #[schemars(extend("unit" = "none"), range(min = 1.0, max = 16.0))]
    pub stretch: f32,
    /// How far particle centres move towards the mean of their neighbours before stretching
    /// (anisotropic method): 0 not at all, 1 entirely.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub center_smoothing: f32,
    /// Fraction of blind particles above which a surface does not count: it is the inner edge of
    /// the kept layer, not the surface of the liquid.
    #[schemars(extend("unit" = "none"), range(min = 0.5, max = 1.0))]
    pub blind_share: f32,
}

impl Default for LiquidSettings {
    fn default() -> Self {
        Self {
            method: LiquidMethod::default(),
            radius: None,
            support: None,
            threshold: 0.6,
            stretch: 4.0,
            center_smoothing: 0.9,
            blind_share: 0.95,
        }
    }
}

impl LiquidSettings {
    /// The same lengths for the surfacing step, so that a mesh of the same liquid can be made.
    pub fn surface_settings(&self) -> SurfaceSettings {
        SurfaceSettings {
            radius: self.radius,
            support: self.support,
            threshold: self.threshold,
            stretch: self.stretch,
            center_smoothing: self.center_smoothing,
            ..SurfaceSettings::default()
        }
    }

    pub(crate) fn check(&self) -> Result<(), LiquidError> {
        Ok(check_ranges(self)?)
    }
}

/// When the shutter is open, in seconds relative to the frame's own time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shutter {
    /// When it opens.
    pub open: f32,
    /// When it closes. Equal to `open`: no motion blur.
    pub close: f32,
}

impl Shutter {
    /// A still picture of the frame's own time.
    pub const STILL: Shutter = Shutter { open: 0.0, close: 0.0 };

    pub(crate) fn check(self) -> Result<Self, LiquidError> {
        let Self { open, close } = self;
        let usable = open.is_finite() && close.is_finite() && open <= close;
        if usable { Ok(self) } else { Err(LiquidError::Shutter { open, close }) }
    }

    pub(crate) fn moves(self) -> bool {
        self.close > self.open || self.open != 0.0
    }

    /// `count` moments from the opening to the closing.
    pub(crate) fn moments(self, count: usize) -> impl Iterator<Item = f32> {
        let last = count.saturating_sub(1).max(1) as f32;
        (0..count).map(move |i| self.open + (self.close - self.open) * i as f32 / last)
    }
}
