//! Settings of the surface of shallow liquid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use whitecap_scene::check_ranges;

use crate::error::PipeError;

/// Settings of the surface of shallow liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SurfaceSettings {
    /// However shallow the liquid, its surface lies at least this far above the ground, so that the
    /// two do not flicker through each other. Films thinner than a ten-thousandth of a cell sink into
    /// the ground, so that edges lie between the cells.
    #[schemars(extend("unit" = "cells"), range(min = 0.0, max = 1.0))]
    pub least_thickness: f32,
    /// Depth from which the liquid is opaque.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e6))]
    pub opaque_depth: f32,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self { least_thickness: 0.05, opaque_depth: 0.002 }
    }
}

impl SurfaceSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), PipeError> {
        Ok(check_ranges(self)?)
    }
}
