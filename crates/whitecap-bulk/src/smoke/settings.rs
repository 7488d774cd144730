//! Settings of smoke: the single source for the shot-file keys, the command's flags, the JSON Schema and the
//! documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::force_field::ForceField;
use whitecap_scene::shape::{BoxShape, PlaneShape, Side};
use whitecap_scene::{SettingError, check_ranges};

use crate::surroundings::{Surroundings, WallShapes};

/// Settings of smoke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SmokeSettings {
    /// Edge of a cell: the resolution.
    #[schemars(extend("unit" = "m"), range(min = 1e-5, max = 1e3))]
    pub cell: f32,
    /// Acceleration of gravity (x, y, z). Warm smoke rises against it, heavy smoke sinks along it.
    #[schemars(extend("unit" = "m/s²"), inner(range(min = -1e6, max = 1e6)))]
    pub gravity: [f32; 3],
    /// Temperature of still air. Smoke that is warmer by as much again rises as fast as a stone falls.
    #[schemars(extend("unit" = "K"), range(min = 1.0, max = 1e6))]
    pub ambient_temperature: f32,
    /// How much heavier air becomes by a density of 1, as a share of its own weight.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1e3))]
    pub heaviness: f32,
    /// Share of the density that vanishes in a second, continuously: after 0.69 / this, half is left.
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1e3))]
    pub dissipation: f32,
    /// Share of the warmth that is lost in a second, continuously.
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1e3))]
    pub cooling: f32,
    /// Strength of vorticity confinement, which gives small eddies back what the grid takes from them.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 10.0))]
    pub confinement: f32,
    /// Tiles of 8³ cells with less density than this everywhere are given up, if no warmth is left either.
    #[schemars(extend("unit" = "none"), range(min = 1e-9, max = 1.0))]
    pub density_threshold: f32,
    /// Tiles of 8³ cells that are warmer or colder than the air around by less than this are given up, if no
    /// density is left either.
    #[schemars(extend("unit" = "K"), range(min = 1e-6, max = 1e3))]
    pub temperature_threshold: f32,
    /// Tiles of moving air around those with smoke. More lets air flow in from farther away.
    #[schemars(extend("unit" = "tiles"), range(min = 1, max = 8))]
    pub padding: u32,
    /// The pressure is solved to this residual, relative to what it corrects.
    #[schemars(extend("unit" = "none"), range(min = 1e-10, max = 0.1))]
    pub tolerance: f64,
    /// How far the fastest air may move in a step along an axis, in cells.
    #[schemars(extend("unit" = "cells"), range(min = 0.1, max = 3.0))]
    pub cfl: f32,
    /// Further external accelerations.
    #[schemars(extend("unit" = "none"))]
    pub forces: Vec<ForceField>,
    /// A box that holds the smoke. Left out: the domain has no size.
    #[schemars(extend("unit" = "m"))]
    pub domain: Option<BoxShape>,
    /// Sides of the domain without a wall: smoke leaves through them for good, air comes in.
    #[schemars(extend("unit" = "none"))]
    pub open_sides: Vec<Side>,
    /// Further walls.
    #[schemars(extend("unit" = "none"))]
    pub planes: Vec<PlaneShape>,
    /// Boxes that the smoke flows round.
    #[schemars(extend("unit" = "none"))]
    pub obstacles: Vec<BoxShape>,
}

impl Default for SmokeSettings {
    fn default() -> Self {
        Self {
            cell: 0.02,
            gravity: [0.0, -9.81, 0.0],
            ambient_temperature: 293.0,
            heaviness: 0.02,
            dissipation: 0.0,
            cooling: 0.0,
            confinement: 0.1,
            density_threshold: 1e-4,
            temperature_threshold: 0.1,
            padding: 1,
            tolerance: 1e-4,
            cfl: 3.0,
            forces: Vec::new(),
            domain: None,
            open_sides: Vec::new(),
            planes: Vec::new(),
            obstacles: Vec::new(),
        }
    }
}

impl SmokeSettings {
    /// Every error in the settings, each at its own key: the first value out of range, then walls and forces.
    pub fn problems(&self) -> Vec<SettingError> {
        let ranges = check_ranges(self).err();
        let walls = Surroundings::new(self.walls()).err();
        let domain = self.domain.and_then(|domain| domain.check().err());
        let domain = domain.map(|error| error.inside("domain"));
        let forces = self.forces.iter().enumerate().filter_map(|(place, force)| {
            force.check().err().map(|error| error.within("forces", place))
        });
        ranges.into_iter().chain(walls.or(domain)).chain(forces).collect()
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
}
