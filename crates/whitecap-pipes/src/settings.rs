//! Settings of shallow liquid: the single source for the shot-file keys, the command's flags, the JSON
//! Schema and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use whitecap_scene::check_ranges;

use crate::error::PipeError;

/// How the liquid is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Virtual pipes between columns (Dagenais et al. 2018).
    #[default]
    Pipes,
    /// The shallow-water equations with velocities advected by themselves (Chentanez and Müller
    /// 2010).
    ShallowWater,
}

/// Cross-section of a virtual pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PipeArea {
    /// Width of a cell times the depth upstream: a viscous film then has the speed of a real one
    /// (Nusselt 1916) and waves that of real waves. Depths whose waves would be too fast for the
    /// time step are limited to what it allows.
    #[default]
    Physical,
    /// Width of a cell squared, as in the paper.
    Square,
}

/// How liquid flows through passages that are full up to their ceiling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Passages {
    /// One pipe joins all gateways of a passage of any shape (Dagenais et al. 2018, Eqs. 8 and 9).
    #[default]
    Unified,
    /// Pipes along x and z join gateways that face each other (Dagenais et al. 2018, §3.3).
    AxisAligned,
    /// It does not flow through them.
    Off,
}

/// What happens at the edges of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edges {
    /// Walls hold the liquid back.
    #[default]
    Walls,
    /// Liquid that reaches the outermost cells is drained.
    Open,
}

/// A place where liquid is added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// Where (x, y, z). The height chooses the layer: the one whose range contains it.
    #[schemars(extend("unit" = "m"), inner(range(min = -1e6, max = 1e6)))]
    pub position: [f32; 3],
    /// All columns whose centre is within this distance are affected; the nearest one always is.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e6))]
    pub radius: f32,
    /// Volume per second.
    #[schemars(extend("unit" = "m³/s"), range(min = 0.0, max = 1e9))]
    pub rate: f64,
}

/// Settings of shallow liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipeSettings {
    /// How the liquid is moved.
    #[schemars(extend("unit" = "none"))]
    pub solver: Solver,
    /// Acceleration of gravity.
    #[schemars(extend("unit" = "m/s²"), range(min = 0.0, max = 1e4))]
    pub gravity: f32,
    /// Kinematic viscosity: 0.000001 for water, 0.000004 for blood, 0.4 for liquid that hardly
    /// flows.
    #[schemars(extend("unit" = "m²/s"), range(min = 0.0, max = 1e6))]
    pub viscosity: f32,
    /// Fraction of the flow that is left after one second without a force: the paper's ω.
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1.0))]
    pub retained: f32,
    /// Cross-section of a virtual pipe.
    #[schemars(extend("unit" = "none"))]
    pub pipe_area: PipeArea,
    /// How liquid flows through passages that are full up to their ceiling.
    #[schemars(extend("unit" = "none"))]
    pub passages: Passages,
    /// What happens at the edges of the grid.
    #[schemars(extend("unit" = "none"))]
    pub edges: Edges,
    /// Longest time step. Left out: half the time in which a body falls half a cell from rest; 3.6
    /// ms for cells of half a millimetre.
    #[schemars(extend("unit" = "s"), range(min = 1e-7, max = 10.0))]
    pub time_step: Option<f32>,
    /// Whether liquid that falls farther than `fall-height` becomes drops.
    #[schemars(extend("unit" = "none"))]
    pub falling_drops: bool,
    /// Fall height from which liquid becomes drops. Left out: two cells.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e6))]
    pub fall_height: Option<f32>,
    /// Largest number of drops in the air; liquid that falls beyond that arrives immediately.
    #[schemars(extend("unit" = "drops"), range(min = 1, max = 1_000_000))]
    pub most_drops: u32,
    /// Places where liquid is added.
    #[schemars(extend("unit" = "none"))]
    pub sources: Vec<Source>,
    /// Places where liquid is removed.
    #[schemars(extend("unit" = "none"))]
    pub drains: Vec<Source>,
}

impl Default for PipeSettings {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            gravity: 9.81,
            viscosity: 1e-6,
            retained: 0.5,
            pipe_area: PipeArea::default(),
            passages: Passages::default(),
            edges: Edges::default(),
            time_step: None,
            falling_drops: false,
            fall_height: None,
            most_drops: 10_000,
            sources: Vec::new(),
            drains: Vec::new(),
        }
    }
}

impl PipeSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), PipeError> {
        Ok(check_ranges(self)?)
    }

    /// The longest time step in seconds on cells of size `cell`.
    pub fn longest_step(&self, cell: f32) -> f64 {
        let gravity = f64::from(self.gravity).max(1e-9);
        let natural = 0.5 * (f64::from(cell) / gravity).sqrt();
        self.time_step.map_or(natural.min(10.0), f64::from)
    }
}
