//! `kind = "displace"`: a mesh moved by waves that a stage `waves` gave as points.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_core::attributes::NORMAL;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};
use whitecap_surface::particle_spacing;
use whitecap_waves::dynamics::{WaveOutput, displaced_mesh};
use whitecap_waves::points::{Lengths, SurfacePoints};
use whitecap_waves::{DISPLACEMENT, FOAM, WAVE_VELOCITY};

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData};

/// Distance along the normal at which points are looked for, in fine spacings, where nobody says.
const REACH_PER_FINE: f32 = 16.0;

/// Coarse lengths, in fine spacings, where nobody can know: as the stage `waves` has it.
const COARSE_PER_FINE: f32 = 4.0;

/// Settings of the stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DisplaceSettings {
    /// Distance between the points. Left out: it is found from them.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub fine: Option<f32>,
    /// How far from the mesh the points may lie. Left out: sixteen times their distance.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub reach: Option<f32>,
}

pub(super) struct Displace;

impl StageKind for Displace {
    fn name(&self) -> &'static str {
        "displace"
    }

    fn doc(&self) -> &'static str {
        "Moves a mesh by waves that a stage `waves` gave as points."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        DisplaceSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[
            InputPort {
                key: "surface",
                accepts: &[DataKind::Mesh],
                required: true,
                doc: "The mesh to move.",
            },
            InputPort {
                key: "points",
                accepts: &[DataKind::Particles],
                required: true,
                doc: "Points with waves, from a stage `waves` with `give = \"points\"`.",
            },
        ]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Mesh]
    }

    fn depends(&self) -> Depends {
        Depends { on_time: false, on_seed: false }
    }

    fn check(
        &self,
        settings: &Value,
        _shot: &ShotContext<'_>,
    ) -> Result<Value, Vec<SettingProblem>> {
        complete::<DisplaceSettings>(settings).map(|(_, completed)| completed)
    }

    fn start(
        &self,
        settings: &Value,
        _shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        Ok(Box::new(Displacing { settings: read_settings(settings)? }))
    }
}

struct Displacing {
    settings: DisplaceSettings,
}

impl Stage for Displacing {
    fn step(
        &mut self,
        _context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mesh = inputs.mesh("surface")?.clone();
        let points = inputs.particles("points")?;
        let (surface, waves) = waves_of(points)?;
        let fine = self.settings.fine.or_else(|| particle_spacing(points.positions()));
        let mesh = match fine {
            Some(fine) => {
                let reach = self.settings.reach.unwrap_or(REACH_PER_FINE * fine);
                let velocity = points.velocities().unwrap_or(&[]);
                let lengths = Lengths { coarse: COARSE_PER_FINE * fine, fine };
                displaced_mesh(mesh, &surface, &waves, velocity, lengths, reach)
                    .map_err(StageError::failed)?
            }
            // A single point, or none: there is no surface that could carry a wave.
            None => mesh,
        };
        let largest = waves.height.iter().fold(0.0f32, |top, height| top.max(height.abs()));
        let metrics = vec![
            Metric::count("vertices", mesh.positions().len()),
            Metric::new("largest height", "m", largest.into()),
        ];
        Ok(StageOutput { data: FrameData::Mesh(mesh), notes: Vec::new(), metrics })
    }
}

/// The waves on points, from their columns.
fn waves_of(points: &Particles) -> Result<(SurfacePoints, WaveOutput), StageError> {
    let missing = |name: &str| {
        StageError::failed(format!(
            "the points have no column `{name}`; they should come from a stage `waves` with `give = \"points\"`"
        ))
    };
    let scalars = |name: &str| match points.attribute(name) {
        Some(Column::F32(values)) => Ok(values.clone()),
        _ => Err(missing(name)),
    };
    let normal: Vec<Vec3> = match points.attribute(NORMAL) {
        Some(Column::Vec3(values)) => values.clone(),
        _ => return Err(missing(NORMAL)),
    };
    let waves = WaveOutput {
        height: scalars(DISPLACEMENT)?,
        wave_velocity: scalars(WAVE_VELOCITY)?,
        foam: scalars(FOAM)?,
        ..WaveOutput::default()
    };
    let count = points.len();
    // The points are even, so they stand for the same share of the surface.
    let surface = SurfacePoints {
        position: points.positions().to_vec(),
        normal,
        id: (0..count as u64).collect(),
        area: vec![1.0; count],
    };
    Ok((surface, waves))
}
