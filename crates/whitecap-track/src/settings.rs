//! Settings of tracking: the single source for the shot-file keys, the command's flags, the JSON
//! Schema and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::check_ranges;

use crate::error::TrackError;

/// How vertices are projected relative to the surface of the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// Each vertex keeps the distance from the surface that it had at birth (Dagenais et al. 2017).
    #[default]
    KeepDetail,
    /// Each vertex moves along its normal onto the surface (Yu et al. 2012). Detail is lost; for
    /// comparison.
    OntoSurface,
}

/// Settings of tracking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrackSettings {
    /// Distance between neighbouring particles at rest. Left out: twice the particles' own
    /// `radius`, else the spacing found in the first frame.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub spacing: Option<f32>,
    /// Distance over which a particle contributes to the coarse surface. Larger values are smoother and
    /// bridge wider gaps. Dagenais et al. 2017 use 4.
    #[schemars(extend("unit" = "particle spacings"), range(min = 1.5, max = 8.0))]
    pub support: f32,
    /// A vertex that would be moved farther than this in one frame indicates a change of topology,
    /// and the mesh around it is rebuilt.
    #[schemars(extend("unit" = "particle spacings"), range(min = 0.05, max = 4.0))]
    pub jump: f32,
    /// Deviations smaller than this are not corrected, so that small
    /// wobbles of the coarse surface do not show.
    #[schemars(extend("unit" = "particle spacings"), range(min = 0.0, max = 0.5))]
    pub steadiness: f32,
    /// How vertices are projected relative to the surface of the particles.
    #[schemars(extend("unit" = "none"))]
    pub projection: Projection,
    /// Rate at which detail relaxes to the coarse surface; 0 keeps it forever.
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1e6))]
    pub relaxation: f32,
    /// Additional relaxation of detail per unit of strain of the surface: thin liquids
    /// smooth out where they flow.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1e6))]
    pub strain_relaxation: f32,
    /// Keeps sheets of liquid thinner than half a particle spacing instead of tearing them.
    #[schemars(extend("unit" = "none"))]
    pub thin_sheets: bool,
    /// Also detects changes of topology where the numbers of parts and handles of the mesh and
    /// of the coarse surface differ, so that small holes open in time.
    #[schemars(extend("unit" = "none"))]
    pub early_detection: bool,
    /// Splits edges of the first mesh that are longer than this, so that every part of it can
    /// follow the liquid. Its shape stays as it is.
    #[schemars(extend("unit" = "particle spacings"), range(min = 0.25, max = 1e6))]
    pub longest_edge: f32,
}

impl Default for TrackSettings {
    fn default() -> Self {
        Self {
            spacing: None,
            support: 2.4,
            jump: 0.5,
            steadiness: 0.012,
            projection: Projection::default(),
            relaxation: 0.0,
            strain_relaxation: 0.0,
            thin_sheets: false,
            early_detection: true,
            longest_edge: 1.5,
        }
    }
}

impl TrackSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), TrackError> {
        Ok(check_ranges(self)?)
    }
}
