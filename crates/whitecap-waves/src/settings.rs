//! Settings of surface turbulence: the single source for the shot-file keys, the command's flags, the
//! JSON Schema and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dynamics::DynamicsSettings;
use crate::error::WaveError;
use crate::points::PointSettings;

/// Settings of surface turbulence: those of the points and those of the waves on them, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct WaveSettings {
    /// The points that carry the waves.
    #[serde(flatten)]
    pub points: PointSettings,
    /// The waves.
    #[serde(flatten)]
    pub dynamics: DynamicsSettings,
}

impl WaveSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), WaveError> {
        self.points.check()?;
        self.dynamics.check()?;
        Ok(())
    }
}
