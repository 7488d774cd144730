//! Settings of the SPH liquid: the single source for the shot-file keys, the command's flags, the
//! JSON Schema and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sph::error::SphError;
use crate::sph::pressure::Stop;
use whitecap_scene::force_field::ForceField;
use whitecap_scene::kill::KillVolume;
use whitecap_scene::shape::{BoxShape, PlaneShape, Side};
use whitecap_scene::walls::Walls;
use whitecap_scene::{SettingError, check_ranges};

/// How the liquid is kept incompressible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PressureMethod {
    /// Divergence-free SPH (Bender & Koschier 2017) with accelerated iterations: the faster one.
    #[default]
    Dfsph,
    /// Predictive–corrective incompressible SPH (Solenthaler & Pajarola 2009).
    Pcisph,
}

/// How viscosity is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViscosityMethod {
    /// Implicit if the explicit form would need a shorter time step, explicit otherwise.
    #[default]
    Automatic,
    /// Explicit: the time step is shortened until it is stable. Good for thin liquids.
    Explicit,
    /// Implicit (after Weiler et al. 2018): stable for honey at any time step.
    Implicit,
}

/// Settings of the SPH liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SphSettings {
    /// Distance between particles at rest: the resolution. Twice the particle radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-5, max = 1e3))]
    pub spacing: f32,
    /// Radius of the smoothing kernel, in spacings.
    #[schemars(extend("unit" = "spacings"), range(min = 1.5, max = 3.0))]
    pub support: f32,
    /// Density of the liquid at rest.
    #[schemars(extend("unit" = "kg/m³"), range(min = 1e-3, max = 1e6))]
    pub rest_density: f32,
    /// How the liquid is kept incompressible.
    #[schemars(extend("unit" = "none"))]
    pub pressure: PressureMethod,
    /// Iterations continue until the mean density error is below this share of the rest density. Left
    /// out: 0.0001 with `dfsph`, 0.0002 with `pcisph`. Larger values let deep liquid sag and rebound.
    #[schemars(extend("unit" = "none"), range(min = 1e-7, max = 0.1))]
    pub mean_compression: Option<f32>,
    /// No particle is compressed by more than this share of the rest density at the end of a step.
    /// Left out: 0.02 with `dfsph`, 0.01 with `pcisph`.
    #[schemars(extend("unit" = "none"), range(min = 1e-6, max = 1.0))]
    pub largest_compression: Option<f32>,
    /// Smallest number of pressure iterations per step. Left out: 2 with `dfsph`, 3 with `pcisph`.
    #[schemars(extend("unit" = "iterations"), range(min = 1, max = 1000))]
    pub least_iterations: Option<u32>,
    /// Largest number of pressure iterations per step.
    #[schemars(extend("unit" = "iterations"), range(min = 1, max = 10000))]
    pub most_iterations: u32,
    /// Whether `dfsph` also makes the velocity divergence-free before the forces act.
    #[schemars(extend("unit" = "none"))]
    pub divergence_free: bool,
    /// Fixed time step. Left out: as long as `cfl` and `largest-time-step` allow. Steps are
    /// shortened to end exactly at frames.
    #[schemars(extend("unit" = "s"), range(min = 1e-7, max = 1.0))]
    pub time_step: Option<f32>,
    /// How far the fastest particle may move in an adaptive step, in spacings.
    #[schemars(extend("unit" = "spacings"), range(min = 0.01, max = 1.0))]
    pub cfl: f32,
    /// The longest adaptive time step.
    #[schemars(extend("unit" = "s"), range(min = 1e-7, max = 1.0))]
    pub largest_time_step: f32,
    /// Acceleration of gravity (x, y, z).
    #[schemars(extend("unit" = "m/s²"), inner(range(min = -1e6, max = 1e6)))]
    pub gravity: [f32; 3],
    /// Further external accelerations.
    #[schemars(extend("unit" = "none"))]
    pub forces: Vec<ForceField>,
    /// Dynamic viscosity: 0.001 for water, 10 for honey.
    #[schemars(extend("unit" = "Pa·s"), range(min = 0.0, max = 1e6))]
    pub viscosity: f32,
    /// How viscosity is integrated.
    #[schemars(extend("unit" = "none"))]
    pub viscosity_method: ViscosityMethod,
    /// Surface tension: 0.072 for water.
    #[schemars(extend("unit" = "N/m"), range(min = 0.0, max = 1e3))]
    pub surface_tension: f32,
    /// Coulomb friction at walls and solids: tangential force per normal force. 0: the liquid slips
    /// freely.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1e3))]
    pub friction: f32,
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

impl Default for SphSettings {
    fn default() -> Self {
        Self {
            spacing: 0.02,
            support: 2.0,
            rest_density: 1000.0,
            pressure: PressureMethod::default(),
            mean_compression: None,
            largest_compression: None,
            least_iterations: None,
            most_iterations: 200,
            divergence_free: true,
            time_step: None,
            cfl: 0.4,
            largest_time_step: 0.005,
            gravity: [0.0, -9.81, 0.0],
            forces: Vec::new(),
            viscosity: 0.001,
            viscosity_method: ViscosityMethod::default(),
            surface_tension: 0.0,
            friction: 0.0,
            domain: None,
            open_sides: Vec::new(),
            planes: Vec::new(),
            obstacles: Vec::new(),
            kill: Vec::new(),
        }
    }
}

/// Share of the largest compression that may be left in the prediction; the rest is for what it
/// misses.
const PREDICTED_SHARE: f32 = 0.6;

impl SphSettings {
    /// The largest compression at the end of a step, as a share of the rest density.
    pub(crate) fn largest_compression(&self) -> f32 {
        self.largest_compression.unwrap_or(match self.pressure {
            PressureMethod::Dfsph => 0.02,
            PressureMethod::Pcisph => 0.01,
        })
    }

    /// When pressure iterations stop.
    pub(crate) fn stop(&self) -> Stop {
        let (mean_error, least) = match self.pressure {
            PressureMethod::Dfsph => (1e-4, 2),
            PressureMethod::Pcisph => (2e-4, 3),
        };
        let least_iterations = self.least_iterations.unwrap_or(least);
        Stop {
            mean_error: self.mean_compression.unwrap_or(mean_error),
            largest_error: PREDICTED_SHARE * self.largest_compression(),
            least_iterations,
            most_iterations: self.most_iterations.max(least_iterations),
        }
    }

    /// Fails at the first value that cannot be simulated.
    pub fn check(&self) -> Result<(), SphError> {
        self.problems().into_iter().next().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Every error in the settings, each at its own key: the first value out of range, then
    /// walls, forces and kill volumes.
    pub fn problems(&self) -> Vec<SettingError> {
        let walls = Walls::new;
        let domain = self.domain.map(|domain| walls().with_domain(domain, &self.open_sides));
        let domain = domain.and_then(Result::err).map(|error| error.inside("domain"));
        let planes = self.planes.iter().map(|&plane| walls().with_plane(plane).err());
        let obstacles = self.obstacles.iter().map(|&shape| walls().with_obstacle(shape).err());
        let forces = self.forces.iter().map(|force| force.check().err());
        let kill = self.kill.iter().map(|volume| volume.check().err());
        let mut problems: Vec<SettingError> = check_ranges(self).err().into_iter().collect();
        let relations = domain
            .into_iter()
            .chain(in_list("planes", planes))
            .chain(in_list("obstacles", obstacles))
            .chain(in_list("forces", forces))
            .chain(in_list("kill", kill));
        for problem in relations {
            // A number that is out of range can violate a relation as well.
            if problems.iter().all(|known| known.key != problem.key) {
                problems.push(problem);
            }
        }
        problems
    }
}

/// The errors in the items of a list, at their indices.
fn in_list<'a>(
    list: &'a str,
    items: impl Iterator<Item = Option<SettingError>> + 'a,
) -> impl Iterator<Item = SettingError> + 'a {
    items.enumerate().filter_map(move |(place, problem)| Some(problem?.within(list, place)))
}
