//! Settings of the surfacing step: the single source for the shot-file keys, the command's
//! flags, the JSON Schema and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How particles become an implicit function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Isosurface of the SPH density (cubic spline).
    #[default]
    Density,
    /// Distance to the averaged particle position (Zhu & Bridson 2005).
    ZhuBridson,
    /// Zhu–Bridson with the concavity correction of Solenthaler et al. 2007.
    Solenthaler,
    /// Density isosurface of stretched kernels (Yu & Turk 2013).
    Anisotropic,
}

/// An axis-aligned box in metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CropBox {
    /// Lowest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub min: [f32; 3],
    /// Highest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub max: [f32; 3],
}

/// Settings of the surfacing step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SurfaceSettings {
    /// How particles become an implicit function.
    #[schemars(extend("unit" = "none"))]
    pub method: Method,
    /// Particle radius, half the particle spacing. Left out: the particles' own `radius` column,
    /// else half the spacing found in the liquid.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: Option<f32>,
    /// Edge length of the marching-cubes cells. Left out: one particle radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub cell: Option<f32>,
    /// Distance over which a particle contributes to the surface. Left out: four particle radii.
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
    /// Rounds of volume-preserving smoothing applied to the mesh.
    #[schemars(extend("unit" = "rounds"), range(max = 1000))]
    pub smooth: u32,
    /// Particle columns to carry to the vertices, such as `velocity`; `normal` asks for normals
    /// from the field.
    #[schemars(extend("unit" = "none"))]
    pub attributes: Vec<String>,
    /// Only particles inside this box are surfaced.
    #[schemars(extend("unit" = "m"))]
    pub crop: Option<CropBox>,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            radius: None,
            cell: None,
            support: None,
            threshold: 0.6,
            stretch: 4.0,
            center_smoothing: 0.9,
            smooth: 0,
            attributes: Vec::new(),
            crop: None,
        }
    }
}
