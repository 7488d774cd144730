//! `kind = "surface"`: a closed surface around particles.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use whitecap_scene::shape::BoxShape;
use whitecap_surface::{SurfaceSettings, surface_particles};

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData};

pub(super) struct Surface;

impl StageKind for Surface {
    fn name(&self) -> &'static str {
        "surface"
    }

    fn doc(&self) -> &'static str {
        "Makes a closed surface mesh around particles."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        SurfaceSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[InputPort {
            key: "particles",
            accepts: &[DataKind::Particles],
            required: true,
            doc: "The particles to put a surface around.",
        }]
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
        let (settings, completed) = complete::<SurfaceSettings>(settings)?;
        let mut problems = Vec::new();
        if let Some(crop) = settings.crop
            && let Err(problem) = (BoxShape { min: crop.min, max: crop.max }).check()
        {
            problems.push(problem.inside("crop"));
        }
        if let (Some(support), Some(radius)) = (settings.support, settings.radius)
            && support < radius
        {
            problems.push(SettingProblem {
                key: "support".into(),
                message: format!(
                    "the support, {support} m, is smaller than a particle, {radius} m"
                ),
                help: Some(format!("about four radii are usual: {} m", 4.0 * radius)),
            });
        }
        if problems.is_empty() { Ok(completed) } else { Err(problems) }
    }

    fn start(
        &self,
        settings: &Value,
        _shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        Ok(Box::new(RunningSurface { settings: read_settings(settings)? }))
    }
}

struct RunningSurface {
    settings: SurfaceSettings,
}

impl Stage for RunningSurface {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let particles = inputs.particles("particles")?;
        let surfaced = surface_particles(particles, &self.settings, context.watch).map_err(
            |error| match error {
                whitecap_surface::Error::Cancelled => StageError::Cancelled,
                other => StageError::failed(other),
            },
        )?;
        let report = whitecap_surface::report(&surfaced.mesh);
        let metrics = vec![
            Metric::count("vertices", report.vertices),
            Metric::count("triangles", report.triangles),
            Metric::count("components", report.components),
            Metric::count("open edges", report.open_edges),
            Metric::count("non-manifold edges", report.non_manifold_edges),
            Metric::new("volume", "m³", report.volume),
            Metric::new("area", "m²", report.area),
        ];
        Ok(StageOutput { data: FrameData::Mesh(surfaced.mesh), notes: surfaced.notes, metrics })
    }
}
