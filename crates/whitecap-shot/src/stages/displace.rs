//! `kind = "displace"`: a mesh moved by waves that a `waves` stage gave as points.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::attributes::NORMAL;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};
use whitecap_surface::surface_spacing;
use whitecap_waves::dynamics::{WaveOutput, displaced_mesh};
use whitecap_waves::points::{Lengths, SurfacePoints};
use whitecap_waves::{DISPLACEMENT, FOAM, WAVE_VELOCITY};

use crate::stage::{
    InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError, StageOutput,
    StepContext,
};
use crate::{CommandInfo, DataKind, FrameData, Phenomenon, Subject};

const EXAMPLES: &str = "\
Examples:
  whitecap waves 'sim/water.####.bgeo' --give points -o 'out/points.####.bgeo'
  whitecap displace 'out/surface.####.ply' --points 'out/points.####.bgeo' -o 'out/waves.####.ply'

Any mesh of the liquid will do, such as one from another program.";

/// Distance along the normal within which points are searched for by default, in fine spacings.
const REACH_PER_FINE: f32 = 16.0;

/// Coarse length by default, in fine spacings: as in the `waves` stage.
const COARSE_PER_FINE: f32 = 4.0;

/// Settings of the stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DisplaceSettings {
    /// Distance between the points. Left out: it is estimated from the points.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub fine: Option<f32>,
    /// How far from the mesh the points may be. Left out: sixteen times the distance between the
    /// points.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub reach: Option<f32>,
}

pub(super) struct Displace {
    settings: DisplaceSettings,
}

impl Phenomenon for Displace {
    const KIND: KindInfo = KindInfo {
        name: "displace",
        doc: "Moves a mesh by waves that a `waves` stage gave as points.",
        inputs: &[
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
                doc: "Points with waves, from a `waves` stage with `give = \"points\"`.",
            },
        ],
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Input("surface"),
            told: &["vertices", "largest height"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = DisplaceSettings;
    type State = ();

    fn check(settings: DisplaceSettings, _: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        Ok(Self { settings })
    }

    fn start(&self) -> Result<(), StageError> {
        Ok(())
    }

    fn step(
        &self,
        _state: &mut (),
        _context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let (mesh, points) = (inputs.mesh("surface")?, inputs.particles("points")?);
        let (surface, waves) = waves_of(points)?;
        let fine = self.settings.fine.or_else(|| surface_spacing(points.positions()));
        let mesh = match fine {
            Some(fine) => {
                let reach = self.settings.reach.unwrap_or(REACH_PER_FINE * fine);
                let velocity = points.velocities().unwrap_or(&[]);
                let lengths = Lengths { coarse: COARSE_PER_FINE * fine, fine };
                let mesh = TriMesh::clone(mesh);
                displaced_mesh(mesh, &surface, &waves, velocity, lengths, reach)
                    .map_err(StageError::failed)?
                    .into()
            }
            // With one point or none, there is no surface that could carry a wave.
            None => Arc::clone(mesh),
        };
        let largest = waves.height.iter().fold(0.0f32, |top, height| top.max(height.abs()));
        let metrics = vec![
            Metric::count("vertices", mesh.positions().len()),
            Metric::new("largest height", "m", largest.into()).largest(),
        ];
        Ok(StageOutput::new(FrameData::Mesh(mesh)).with_metrics(metrics))
    }
}

/// The waves on points, from their columns.
fn waves_of(points: &Particles) -> Result<(SurfacePoints, WaveOutput), StageError> {
    let missing = |name: &str| {
        StageError::failed(format!(
            "the points have no column `{name}`; they should come from a `waves` stage with `give = \"points\"`"
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
    // The points are evenly spaced, so each represents the same area.
    let surface = SurfacePoints {
        position: points.positions().to_vec(),
        normal,
        id: (0..count as u64).collect(),
        area: vec![1.0; count],
    };
    Ok((surface, waves))
}
