//! Settings of the grid liquid: the single source for the shot-file keys, the command's flags, the JSON Schema
//! and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::force_field::ForceField;
use whitecap_scene::kill::KillVolume;
use whitecap_scene::shape::{BoxShape, PlaneShape, Side};
use whitecap_scene::{SettingError, check_ranges};

use crate::surroundings::{Surroundings, WallShapes};

/// How velocities go from particles to the grid and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransferMethod {
    /// Affine particle-in-cell (Jiang et al. 2015): keeps angular momentum, without noise.
    #[default]
    Apic,
    /// Particles keep their velocity and take the change of the grid's (Zhu & Bridson 2005): liveliest, and
    /// noisy.
    Flip,
    /// Particles take the velocity of the grid: calm, as if the liquid were thicker.
    Pic,
}

/// A method and its blend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The method.
    pub method: TransferMethod,
    /// Share of the grid's velocity in what `flip` gives.
    pub pic_share: f32,
}

impl Transfer {
    /// Whether the change of the grid's velocity is needed.
    pub fn needs_change(&self) -> bool {
        self.method == TransferMethod::Flip
    }

    /// Whether particles carry how their velocity varies.
    pub fn is_affine(&self) -> bool {
        self.method == TransferMethod::Apic
    }
}

/// Settings of the grid liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlipSettings {
    /// Distance between particles at rest: the resolution. Cells are twice as wide and hold eight.
    #[schemars(extend("unit" = "m"), range(min = 1e-5, max = 1e3))]
    pub spacing: f32,
    /// Density of the liquid.
    #[schemars(extend("unit" = "kg/m³"), range(min = 1e-3, max = 1e6))]
    pub rest_density: f32,
    /// How velocities go from particles to the grid and back.
    #[schemars(extend("unit" = "none"))]
    pub transfer: TransferMethod,
    /// Share of the grid's velocity with `transfer = "flip"`: more is calmer.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub pic_share: f32,
    /// The pressure is solved to this residual, relative to what it corrects.
    #[schemars(extend("unit" = "none"), range(min = 1e-10, max = 0.1))]
    pub tolerance: f64,
    /// How far particles may move in a step, in cells. The fastest thousandth may move twice as far.
    #[schemars(extend("unit" = "cells"), range(min = 0.1, max = 5.0))]
    pub cfl: f32,
    /// How far below the surface the liquid is carried by particles; deeper it is on the grid alone, which takes
    /// far less memory in deep water. At least one more than `cfl`. Left out: particles everywhere.
    #[schemars(extend("unit" = "cells"), range(min = 3.0, max = 100.0))]
    pub narrow_band: Option<f32>,
    /// Acceleration of gravity (x, y, z).
    #[schemars(extend("unit" = "m/s²"), inner(range(min = -1e6, max = 1e6)))]
    pub gravity: [f32; 3],
    /// Further external accelerations.
    #[schemars(extend("unit" = "none"))]
    pub forces: Vec<ForceField>,
    /// Dynamic viscosity: 0.001 for water, 10 for honey. 0: none, and the liquid slips along walls. Particles
    /// may have their own.
    #[schemars(extend("unit" = "Pa·s"), range(min = 0.0, max = 1e6))]
    pub viscosity: f32,
    /// Surface tension: 0.072 for water. 0: none; it matters for drops of some centimetres and less, and takes
    /// short steps there.
    #[schemars(extend("unit" = "N/m"), range(min = 0.0, max = 1e3))]
    pub surface_tension: f32,
    /// A box that holds the liquid. Left out: the domain is open.
    #[schemars(extend("unit" = "m"))]
    pub domain: Option<BoxShape>,
    /// Sides of the domain without a wall.
    #[schemars(extend("unit" = "none"))]
    pub open_sides: Vec<Side>,
    /// Further walls.
    #[schemars(extend("unit" = "none"))]
    pub planes: Vec<PlaneShape>,
    /// Boxes that the liquid flows round.
    #[schemars(extend("unit" = "none"))]
    pub obstacles: Vec<BoxShape>,
    /// Volumes that remove particles.
    #[schemars(extend("unit" = "none"))]
    pub kill: Vec<KillVolume>,
}

impl Default for FlipSettings {
    fn default() -> Self {
        Self {
            spacing: 0.02,
            rest_density: 1000.0,
            transfer: TransferMethod::default(),
            pic_share: 0.03,
            tolerance: 1e-5,
            cfl: 3.0,
            narrow_band: None,
            gravity: [0.0, -9.81, 0.0],
            forces: Vec::new(),
            viscosity: 0.0,
            surface_tension: 0.0,
            domain: None,
            open_sides: Vec::new(),
            planes: Vec::new(),
            obstacles: Vec::new(),
            kill: Vec::new(),
        }
    }
}

impl FlipSettings {
    /// Edge of a cell, in m.
    pub fn cell(&self) -> f32 {
        2.0 * self.spacing
    }

    /// Every error in the settings, each at its own key: the first value out of range, then walls, forces and
    /// kill volumes.
    pub fn problems(&self) -> Vec<SettingError> {
        let ranges = check_ranges(self).err();
        let walls = Surroundings::new(self.walls()).err();
        let forces = self.forces.iter().enumerate().filter_map(|(place, force)| {
            force.check().err().map(|error| error.within("forces", place))
        });
        let kill = self.kill.iter().enumerate().filter_map(|(place, volume)| {
            volume.check().err().map(|error| error.within("kill", place))
        });
        let numbers = ranges.or_else(|| self.thin_band());
        numbers.into_iter().chain(walls).chain(forces).chain(kill).collect()
    }

    /// A band that the surface could leave in a step.
    fn thin_band(&self) -> Option<SettingError> {
        let (band, least) = (self.narrow_band?, self.cfl + 1.0);
        (band < least).then(|| {
            let message = format!(
                "`narrow-band` is {band} cells, but must be at least {least}: one more than `cfl`"
            );
            SettingError::new("narrow-band", message)
        })
    }

    /// The walls.
    pub fn walls(&self) -> WallShapes<'_> {
        WallShapes {
            domain: self.domain,
            open_sides: &self.open_sides,
            planes: &self.planes,
            obstacles: &self.obstacles,
        }
    }

    /// How velocities are transferred.
    pub fn transfer(&self) -> Transfer {
        Transfer { method: self.transfer, pic_share: self.pic_share }
    }
}
