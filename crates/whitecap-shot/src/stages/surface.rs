//! `kind = "surface"`: a closed surface around particles, as a mesh or as a distance field.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::shape::BoxShape;
use whitecap_surface::{
    LevelSetError, MeshReport, SurfaceSettings, Surfaced, distance_volume, report,
    surface_particles,
};

use crate::stage::{
    Gives, InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError,
    StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, FrameData, Phenomenon, Subject};

const EXAMPLES: &str = "\
Examples:
  whitecap surface splash.bgeo -o splash.ply
  whitecap surface splash.vtk -o splash.obj --method zhu-bridson --radius 0.01 --cell 0.008
  whitecap surface 'sim/frame.####.bgeo' -o 'out/surface.####.ply' --attributes velocity,normal
  whitecap surface splash.bgeo -o splash.ply --check --json
  whitecap surface splash.bgeo -o splash.vdb

The mesh is closed, 2-manifold and oriented outwards. An output called .vdb gets the signed
distance to it instead.";

/// What a `surface` stage gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceResult {
    /// A closed mesh.
    #[default]
    Mesh,
    /// A volume with the signed distance to that mesh, the grid `surface`.
    Distance,
}

/// Settings of the stage: what it gives, and how it makes the surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SurfaceStageSettings {
    /// What the stage gives.
    #[schemars(extend("unit" = "none"))]
    pub give: SurfaceResult,
    /// Whether the run fails if a mesh is not closed.
    #[schemars(extend("unit" = "none"))]
    pub check: bool,
    /// The surface.
    #[serde(flatten)]
    pub surface: SurfaceSettings,
}

pub(super) struct Surface {
    settings: SurfaceStageSettings,
}

impl Phenomenon for Surface {
    const KIND: KindInfo = KindInfo {
        name: "surface",
        doc: "Makes a closed surface around particles.",
        version: 2,
        inputs: &[InputPort {
            key: "particles",
            accepts: &[DataKind::Particles],
            required: true,
            doc: "The particles to put a surface around.",
        }],
        gives: Gives::Chosen {
            key: "give",
            choices: &[("mesh", DataKind::Mesh), ("distance", DataKind::Volume)],
        },
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Input("particles"),
            told: &["particles", "triangles"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = SurfaceStageSettings;
    type State = ();

    fn check(
        settings: SurfaceStageSettings,
        _shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let SurfaceSettings { crop, support, radius, .. } = &settings.surface;
        let mut problems = Vec::new();
        if let Some(crop) = crop
            && let Err(problem) = (BoxShape { min: crop.min, max: crop.max }).check()
        {
            problems.push(problem.inside("crop"));
        }
        if let (Some(support), Some(radius)) = (support, radius)
            && support < radius
        {
            let message =
                format!("the support, {support} m, is smaller than a particle, {radius} m");
            let help = format!("about four radii are usual: {} m", 4.0 * radius);
            problems.push(SettingProblem::new("support", message).with_help(help));
        }
        if problems.is_empty() { Ok(Self { settings }) } else { Err(problems) }
    }

    fn start(&self) -> Result<(), StageError> {
        Ok(())
    }

    fn step(
        &self,
        _state: &mut (),
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let particles = inputs.particles("particles")?;
        let started = Instant::now();
        let surfaced = surface_particles(particles, &self.settings.surface, context.watch);
        let Surfaced { mesh, notes, radius, cell, support } =
            surfaced.map_err(|error| match error {
                whitecap_surface::Error::Cancelled => StageError::Cancelled,
                other => StageError::failed(other),
            })?;
        let times = vec![Metric::time("surfacing", started)];
        let report = report(&mesh);
        if self.settings.check && !report.is_closed_manifold() {
            return Err(StageError::failed(format!(
                "the mesh is not closed: {} open and {} non-manifold edges; please report this",
                report.open_edges, report.non_manifold_edges
            )));
        }
        let mut metrics = vec![Metric::count("particles", particles.len()).summed()];
        metrics.extend(counts(&report));
        let lengths = [("radius", radius), ("cell", cell), ("support", support)];
        metrics.extend(lengths.map(|(name, length)| Metric::new(name, "m", length.into())));
        let data: FrameData = match self.settings.give {
            SurfaceResult::Mesh => mesh.into(),
            SurfaceResult::Distance => {
                let volume = distance_volume(&mesh, cell, context.watch);
                let volume = volume.map_err(|error| match error {
                    LevelSetError::Cancelled => StageError::Cancelled,
                    other => StageError::failed(other),
                })?;
                volume.into()
            }
        };
        Ok(StageOutput { times, ..StageOutput::new(data).with_notes(notes).with_metrics(metrics) })
    }
}

fn counts(report: &MeshReport) -> [Metric; 9] {
    [
        Metric::count("vertices", report.vertices).summed(),
        Metric::count("triangles", report.triangles).summed(),
        Metric::count("components", report.components),
        Metric::new("Euler characteristic", "", report.euler_characteristic as f64),
        Metric::count("open edges", report.open_edges).summed(),
        Metric::count("non-manifold edges", report.non_manifold_edges).summed(),
        Metric::count("non-manifold vertices", report.non_manifold_vertices).summed(),
        Metric::new("volume", "m³", report.volume),
        Metric::new("area", "m²", report.area),
    ]
}
