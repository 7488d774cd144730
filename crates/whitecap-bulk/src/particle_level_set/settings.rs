//! Settings of the particle level set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::{SettingError, check_ranges};

/// Settings of the particle level set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LevelSetSettings {
    /// Particles in each cell near the surface; 0 is a level set without particles.
    #[schemars(extend("unit" = "none"), range(min = 0, max = 512))]
    pub particles_per_cell: u32,
    /// How far from the surface particles are, on either side.
    #[schemars(extend("unit" = "cells"), range(min = 1.0, max = 4.0))]
    pub particle_band: f32,
    /// Radius of the smallest particles.
    #[schemars(extend("unit" = "cells"), range(min = 0.01, max = 0.5))]
    pub smallest_radius: f32,
    /// Radius of the largest particles.
    #[schemars(extend("unit" = "cells"), range(min = 0.1, max = 0.8))]
    pub largest_radius: f32,
    /// How far the flow may carry the surface in a step.
    #[schemars(extend("unit" = "cells"), range(min = 0.1, max = 2.0))]
    pub cfl: f32,
    /// Steps after which cells that lack particles near the surface get new ones, and needless ones go; 0 is
    /// never.
    #[schemars(extend("unit" = "steps"), range(min = 0, max = 1_000_000))]
    pub reseed_every: u32,
    /// Whether particles of the liquid that the grid can no longer hold leave it as spray. This is for
    /// liquids; where the flow is given and thin sheets are to come back, leave it off.
    #[schemars(extend("unit" = "none"))]
    pub spray: bool,
    /// How far beyond the surface a particle becomes spray.
    #[schemars(extend("unit" = "radii"), range(min = 1.0, max = 100.0))]
    pub spray_distance: f32,
    /// Acceleration of gravity (x, y, z), which spray follows.
    #[schemars(extend("unit" = "m/s²"), inner(range(min = -1e6, max = 1e6)))]
    pub gravity: [f32; 3],
}

impl Default for LevelSetSettings {
    fn default() -> Self {
        Self {
            particles_per_cell: 64,
            particle_band: 3.0,
            smallest_radius: 0.1,
            largest_radius: 0.5,
            cfl: 2.0,
            reseed_every: 20,
            spray: false,
            spray_distance: 1.5,
            gravity: [0.0, -9.81, 0.0],
        }
    }
}

impl LevelSetSettings {
    /// Fails if a setting is out of range or does not fit another.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self)?;
        if self.smallest_radius > self.largest_radius {
            let message = format!(
                "the smallest radius, {}, is larger than the largest, {}",
                self.smallest_radius, self.largest_radius
            );
            return Err(SettingError::new("smallest-radius", message));
        }
        Ok(())
    }
}
