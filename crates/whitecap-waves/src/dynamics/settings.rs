//! Settings of the waves: the single source for the shot-file keys, the command's flags, the JSON
//! Schema and the documentation.
//!
//! Lengths are given in coarse lengths and times in frames wherever that makes the default right at
//! every scale: a liquid of millimetres and one of kilometres with the same motion carry the same
//! waves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::shape::BoxShape;
use whitecap_scene::{SettingError, check_ranges};

use super::error::DynamicsError;
use super::gain::{GainBox, GainSphere};

/// Curvature of the edge of a thin sheet, in coarse lengths (Mercier et al. 2015, Appendix A).
pub const SHEET_CURVATURE: f32 = 0.077_141_3;
/// Curvature of a single drop, in coarse lengths (Mercier et al. 2015, Appendix A).
pub const DROP_CURVATURE: f32 = 0.15;

/// How the speed of a wave depends on its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dispersion {
    /// Not at all: every wave has the same speed, as in the paper.
    None,
    /// As on real water, but relative to the longest seeded wave, which has `wave-speed`: the artist
    /// sets the overall speed; gravity and surface tension set the ratios between wavelengths.
    #[default]
    Relative,
    /// As on real water, in metres per second; `wave-speed` is not used. For a liquid shown
    /// in real time and at real size.
    Physical,
}

/// Settings of the waves on the surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DynamicsSettings {
    /// Speed of the waves. Left out: a quarter of a coarse length per frame.
    #[schemars(extend("unit" = "m/s"), range(min = 0.0, max = 1e9))]
    pub wave_speed: Option<f32>,
    /// Length of the longest seeded wave. Left out: two coarse lengths.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub wavelength: Option<f32>,
    /// Number of octaves that are seeded, each with half the length and half the height of the one
    /// before. Left out: as many as fit with at least four fine spacings per wavelength.
    #[schemars(extend("unit" = "octaves"), range(min = 1, max = 8))]
    pub octaves: Option<u32>,
    /// Largest height of a wave: the surface never moves farther.
    #[schemars(extend("unit" = "coarse lengths"), range(min = 0.0, max = 10.0))]
    pub largest_height: f32,
    /// Largest height of the hidden oscillators that seed the waves.
    #[schemars(extend("unit" = "coarse lengths"), range(min = 0.0, max = 10.0))]
    pub seed_height: f32,
    /// Time an oscillator takes to grow to its largest height, or to fade away.
    #[schemars(extend("unit" = "frames"), range(min = 1.0, max = 1e4))]
    pub seed_rise: f32,
    /// How long the surface remembers its curvature: only new curvature seeds waves, so the edges of a
    /// pool and drops in flight do not. 0 seeds by the curvature itself, as the paper does; its
    /// limits are 0.0771413 (the edge of a thin sheet) and 0.15 (a drop).
    #[schemars(extend("unit" = "frames"), range(min = 0.0, max = 1e4))]
    pub curvature_memory: f32,
    /// Change of curvature below which oscillators fade fastest.
    #[schemars(extend("unit" = "coarse lengths"), range(min = 0.0, max = 1.0))]
    pub least_curvature: f32,
    /// Change of curvature above which oscillators grow fastest. They begin to grow at the mean
    /// of the two limits.
    #[schemars(extend("unit" = "coarse lengths"), range(min = 0.0, max = 1.0))]
    pub full_curvature: f32,
    /// Largest angular frequency of a wave: the surface never moves faster than this times the
    /// largest height. Left out: twice that of the shortest seeded wave.
    #[schemars(extend("unit" = "rad/s"), range(min = 0.0, max = 1e9))]
    pub largest_frequency: Option<f32>,
    /// Fraction of its height that a wave loses per frame.
    #[schemars(extend("unit" = "1/frame"), range(min = 0.0, max = 1.0))]
    pub damping: f32,
    /// Diffusion of the wave's velocity, in wave speeds times fine spacings: it removes waves that are
    /// too short for the points and hardly affects longer ones.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 0.2))]
    pub diffusion: f32,
    /// How strongly the surface is pulled back to that of the liquid, as the frequency of a uniform
    /// offset relative to that of the longest wave of its band: it keeps offsets from accumulating.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub restoring: f32,
    /// How the speed of a wave depends on its length.
    #[schemars(extend("unit" = "none"))]
    pub dispersion: Dispersion,
    /// Number of bands of wavelength, each with its own speed, among which the octaves are divided. One
    /// band when there is no dispersion.
    #[schemars(extend("unit" = "bands"), range(min = 1, max = 4))]
    pub bands: u32,
    /// Acceleration of gravity, for dispersion.
    #[schemars(extend("unit" = "m/s²"), range(min = 0.0, max = 1e6))]
    pub wave_gravity: f32,
    /// Surface tension per density, for dispersion: 0.000072 for water.
    #[schemars(extend("unit" = "m³/s²"), range(min = 0.0, max = 1e6))]
    pub wave_tension: f32,
    /// A body of liquid with less surface than a ball of this radius is a drop: it carries no waves.
    #[schemars(extend("unit" = "coarse lengths"), range(min = 0.0, max = 1e3))]
    pub drop_radius: f32,
    /// How strongly waves are seeded outside all regions. With 0, only the regions
    /// have waves.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 100.0))]
    pub gain: f32,
    /// Boxes with a gain of their own. Later ones override earlier ones.
    #[schemars(extend("unit" = "none"))]
    pub gain_boxes: Vec<GainBox>,
    /// Spheres with a gain of their own. They override the boxes.
    #[schemars(extend("unit" = "none"))]
    pub gain_spheres: Vec<GainSphere>,
    /// Speed of the liquid at which foam begins to form on strongly curved surface. It is
    /// complete at twice this speed. Left out: one coarse length per frame.
    #[schemars(extend("unit" = "m/s"), range(min = 0.0, max = 1e9))]
    pub foam_speed: Option<f32>,
    /// Time foam takes to fade to a half.
    #[schemars(extend("unit" = "frames"), range(min = 0.01, max = 1e6))]
    pub foam_half_life: f32,
}

impl Default for DynamicsSettings {
    fn default() -> Self {
        Self {
            wave_speed: None,
            wavelength: None,
            octaves: None,
            largest_height: 0.3,
            seed_height: 0.2,
            seed_rise: 4.0,
            curvature_memory: 12.0,
            least_curvature: 0.02,
            full_curvature: 0.06,
            largest_frequency: None,
            damping: 0.02,
            diffusion: 0.005,
            restoring: 0.2,
            dispersion: Dispersion::default(),
            bands: 2,
            wave_gravity: 9.81,
            wave_tension: 7.2e-5,
            drop_radius: 2.0,
            gain: 1.0,
            gain_boxes: Vec::new(),
            gain_spheres: Vec::new(),
            foam_speed: None,
            foam_half_life: 8.0,
        }
    }
}

impl DynamicsSettings {
    /// The method as it was published (Mercier et al. 2015): seeds by curvature between that of a thin
    /// sheet and that of a drop, drops included; one speed; no pull back to the surface.
    pub fn published() -> Self {
        Self {
            curvature_memory: 0.0,
            least_curvature: SHEET_CURVATURE,
            full_curvature: DROP_CURVATURE,
            restoring: 0.0,
            dispersion: Dispersion::None,
            drop_radius: 0.0,
            ..Self::default()
        }
    }

    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), DynamicsError> {
        check_ranges(self)?;
        let (least, full) = (self.least_curvature, self.full_curvature);
        if least >= full {
            let message = format!(
                "`least-curvature` is {least}, which is not below `full-curvature`, {full}"
            );
            let error = SettingError::new("least-curvature", message);
            return Err(error.with_help("raise the second or lower the first").into());
        }
        for (place, area) in self.gain_boxes.iter().enumerate() {
            let shape = BoxShape { min: area.min, max: area.max };
            shape.check_or_flat().map_err(|error| error.within("gain-boxes", place))?;
        }
        Ok(())
    }
}
