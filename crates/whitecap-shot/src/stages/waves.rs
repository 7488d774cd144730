//! `kind = "waves"`: fine waves on the surface of a particle liquid.
//!
//! The stage is stateful: its state is that of the surface points and of the waves on them, to the
//! bit. Every frame of the particles is needed, in order.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Watch};
use whitecap_scene::shape::BoxShape;
use whitecap_scene::{AnimatedBody, BodySettings};
use whitecap_surface::{Method, SurfaceSettings, spacing_of, surface_particles};
use whitecap_waves::dynamics::{DynamicsError, Obstacles, container_walls, displaced_mesh};
use whitecap_waves::points::{Lengths, PointError};
use whitecap_waves::{Surroundings, WaveError, WaveFrame, WaveSettings, Waves as WaveState};

use crate::files::body_files::{BodyFiles, animated_body, load_each};
use crate::stage::{
    Depends, Gives, InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, SideResult,
    StageError, StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, FrameData, Phenomenon, Subject};

const EXAMPLES: &str = "\
Examples:
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply'
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply' --coarse 0.04 --fine 0.008 \\
      --domain -1.5,0,-0.5,1.5,2,0.5
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply' --points 'out/points.####.bgeo' \\
      --obstacles 'sim/ship.####.obj'
  whitecap waves 'sim/water.####.bgeo' --give points -o 'out/points.####.bgeo'

The particles should have ids that stay the same from frame to frame; without them each is matched
with the nearest one. Every frame is needed, in order.";

/// Cells of the mesh per fine spacing.
const CELL_PER_FINE: f32 = 0.75;
/// Distance along the normal within which points are searched for, in coarse lengths.
const REACH_PER_COARSE: f32 = 2.0;
/// Particle radii per coarse length, if the particles themselves do not say.
const RADIUS_PER_COARSE: f32 = 0.25;

/// What a `waves` stage gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaveResult {
    /// A mesh of the liquid, moved by the waves, with `height`, `foam`, `velocity` and `normal`.
    #[default]
    Mesh,
    /// The surface points, with `displacement` and all their other columns.
    Points,
}

/// Settings of the stage: what it gives, how its mesh is made, and the waves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct WavesStageSettings {
    /// What the stage gives: the mesh, or the points that carry the waves. A `displace` stage can
    /// move a mesh by such points.
    #[schemars(extend("unit" = "none"))]
    pub give: WaveResult,
    /// Edge length of the cells of the mesh, if no `surface` is connected. Left out: three quarters
    /// of the fine spacing.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub cell: Option<f32>,
    /// Rounds of smoothing of that mesh before it is moved: bumps from single particles would hide
    /// the waves.
    #[schemars(extend("unit" = "rounds"), range(max = 1000))]
    pub smooth: u32,
    /// A box that holds the liquid: its walls reflect waves. Left out: waves continue around the
    /// edges of the liquid.
    #[schemars(extend("unit" = "m"))]
    pub domain: Option<BoxShape>,
    /// Closed meshes that reflect waves: at rest, moved from key to key, or deforming; described like the
    /// `solids` of a stage `sph`.
    #[schemars(extend("unit" = "none"))]
    pub solids: Vec<BodySettings>,
    /// A mask painted on the liquid: a column of the particles with one number each, by which the
    /// gain around it is multiplied. Left out: nothing is painted.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub paint: Option<String>,
    /// The waves and the points that carry them.
    #[serde(flatten)]
    pub waves: WaveSettings,
}

impl Default for WavesStageSettings {
    fn default() -> Self {
        Self {
            give: WaveResult::default(),
            cell: None,
            smooth: 20,
            domain: None,
            solids: Vec::new(),
            paint: None,
            waves: WaveSettings::default(),
        }
    }
}

pub(super) struct Waves {
    settings: WavesStageSettings,
    /// Time from frame to frame, in s.
    duration: f64,
    container: Vec<TriMesh>,
    solids: Vec<(AnimatedBody, BodyFiles)>,
}

impl Phenomenon for Waves {
    const KIND: KindInfo = KindInfo {
        name: "waves",
        doc: "Adds fine waves to the surface of a particle liquid.",
        version: 3,
        inputs: &[
            InputPort {
                key: "particles",
                accepts: &[DataKind::Particles],
                required: true,
                doc: "The liquid. Its particles should have ids that stay the same.",
            },
            InputPort {
                key: "surface",
                accepts: &[DataKind::Mesh],
                required: false,
                doc: "A mesh of the liquid to be moved by the waves. Left out: one is made.",
            },
            InputPort {
                key: "obstacles",
                accepts: &[DataKind::Mesh],
                required: false,
                doc: "Closed meshes of solids, at rest or moving, that reflect waves.",
            },
        ],
        gives: Gives::Chosen {
            key: "give",
            choices: &[("mesh", DataKind::Mesh), ("points", DataKind::Particles)],
        },
        beside: &[SideResult {
            name: "points",
            kind: DataKind::Particles,
            doc: "the points that carry the waves.",
        }],
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Input("particles"),
            told: &["points", "largest height"],
            ..CommandInfo::PLAIN
        }),
    };
    type Settings = WavesStageSettings;
    type State = WaveState;

    fn check(
        settings: WavesStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        if let Some(Err(problem)) = settings.domain.map(|domain| domain.check()) {
            return Err(vec![problem.inside("domain")]);
        }
        settings.waves.check().map_err(|error| vec![problem(error)])?;
        let container = settings
            .domain
            .map_or_else(Vec::new, |domain| container_walls(domain.min.into(), domain.max.into()));
        let mut problems = Vec::new();
        let solids = load_each("solids", &settings.solids, &mut problems, |solid| {
            let files = BodyFiles::new(solid, shot)?;
            Ok((animated_body(solid, &files, shot)?, files))
        });
        match problems.is_empty() {
            true => Ok(Self { settings, duration: 1.0 / shot.fps, container, solids }),
            false => Err(problems),
        }
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.solids.iter().flat_map(|(_, files)| files.sources(frame)).collect())
    }

    fn start(&self) -> Result<WaveState, StageError> {
        WaveState::new(self.settings.waves.clone(), self.duration).map_err(failed)
    }

    fn step(
        &self,
        waves: &mut WaveState,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let particles = inputs.particles("particles")?;
        let obstacles = inputs.optional_mesh("obstacles")?.map(AsRef::as_ref);
        let poses = self.solids.iter().map(|(body, _)| body.at(context.frame.time));
        let poses = poses.collect::<Result<Vec<_>, _>>().map_err(StageError::failed)?;
        let obstacles = Obstacles::new(self.container.iter().chain(obstacles)).with_poses(poses);
        let paint = self.settings.paint.as_deref();
        let paint = paint.map(|name| painted_gain(particles, name)).transpose()?;
        let surroundings = Surroundings {
            obstacles: Some(&obstacles),
            painted_particles: paint.as_deref(),
            ..Surroundings::default()
        };
        let mut frame = waves.step(particles, surroundings, context.watch).map_err(failed)?;
        let metrics = metrics(&frame);
        let notes = std::mem::take(&mut frame.report.points.notes);
        let points = || frame.particles().map(FrameData::from).map_err(StageError::failed);
        let data = match self.settings.give {
            WaveResult::Points => points()?,
            WaveResult::Mesh => {
                let surface = inputs.optional_mesh("surface")?.map(AsRef::as_ref);
                self.mesh(waves, &frame, particles, surface, context.watch)?.into()
            }
        };
        let beside = context.beside.iter().map(|&name| Ok((name, points()?)));
        let beside = beside.collect::<Result<_, StageError>>()?;
        Ok(StageOutput { beside, ..StageOutput::new(data).with_notes(notes).with_metrics(metrics) })
    }

    fn save(&self, waves: &WaveState) -> Vec<u8> {
        waves.save()
    }

    fn restore(&self, saved: &[u8]) -> Result<WaveState, StageError> {
        let mut waves = self.start()?;
        waves.restore(saved).map_err(StageError::failed)?;
        Ok(waves)
    }
}

/// The setting problem for an error.
fn problem(error: WaveError) -> SettingProblem {
    match error {
        WaveError::Points(PointError::Setting(problem))
        | WaveError::Dynamics(DynamicsError::Setting(problem)) => problem,
        WaveError::Points(PointError::Lengths { .. }) => SettingProblem::new("fine", error),
        _ => SettingProblem::new("kind", error),
    }
}

fn failed(error: WaveError) -> StageError {
    match error {
        WaveError::Cancelled => StageError::Cancelled,
        other => StageError::failed(other),
    }
}

impl Waves {
    /// The mesh of a frame that was just made: `surface`, or one made around the particles, moved by
    /// the waves.
    fn mesh(
        &self,
        waves: &WaveState,
        frame: &WaveFrame,
        particles: &Particles,
        surface: Option<&TriMesh>,
        watch: &dyn Watch,
    ) -> Result<TriMesh, StageError> {
        let Some(lengths) = waves.lengths() else { return Ok(TriMesh::default()) };
        let mesh = match surface {
            Some(mesh) => mesh.clone(),
            None => self.surface(particles, lengths, watch)?,
        };
        let reach = REACH_PER_COARSE * lengths.coarse;
        displaced_mesh(mesh, &frame.points, &frame.waves, &frame.velocity, lengths, reach)
            .map_err(StageError::failed)
    }

    /// A smooth surface around the particles, fine enough for the waves.
    fn surface(
        &self,
        particles: &Particles,
        lengths: Lengths,
        watch: &dyn Watch,
    ) -> Result<TriMesh, StageError> {
        let radius = match particles.radii() {
            Some(_) => None,
            None => spacing_of(particles)
                .map(|spacing| 0.5 * spacing)
                .or(Some(RADIUS_PER_COARSE * lengths.coarse)),
        };
        let settings = SurfaceSettings {
            method: Method::Anisotropic,
            radius,
            cell: Some(self.settings.cell.unwrap_or(CELL_PER_FINE * lengths.fine)),
            smooth: self.settings.smooth,
            ..SurfaceSettings::default()
        };
        match surface_particles(particles, &settings, watch) {
            Ok(surfaced) => Ok(surfaced.mesh),
            Err(whitecap_surface::Error::Cancelled) => Err(StageError::Cancelled),
            Err(error) => Err(StageError::failed(error)),
        }
    }
}

/// The numbers in a column of the particles. A frame without particles has no columns and needs none.
fn painted_gain(particles: &Particles, name: &str) -> Result<Vec<f32>, StageError> {
    let refuse =
        |reason: String| Err(StageError::failed(format!("`paint = \"{name}\"`: {reason}")));
    match particles.attribute(name) {
        Some(Column::F32(values)) => Ok(values.clone()),
        Some(Column::I32(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        Some(Column::I64(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        Some(column) => refuse(format!(
            "this column of the particles has {} components, but a painted mask has one number per particle",
            column.components()
        )),
        None if particles.is_empty() => Ok(Vec::new()),
        None => {
            let names: Vec<&str> = particles.attributes().iter().map(|(name, _)| name).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            refuse(format!("the particles have no such column; they have: {known}"))
        }
    }
}

/// What a frame contributes to the report.
fn metrics(frame: &WaveFrame) -> Vec<Metric> {
    let report = &frame.report;
    let points = &report.points;
    let fastest = frame.velocity.iter().copied().map(Vec3::length).fold(0.0, f32::max);
    vec![
        Metric::count("points", frame.points.len()),
        Metric::count("points inserted", points.inserted + points.sampled),
        Metric::count("points deleted", points.crowded + points.lost),
        Metric::new("mean spacing", "fine spacings", points.spacing.mean.into()),
        Metric::new("spread of the spacing", "fine spacings", points.spacing.deviation.into()),
        Metric::new("mean height", "m", report.mean_height.into()),
        Metric::new("largest height", "m", report.largest_height.into()).largest(),
        Metric::new("fastest point", "m/s", fastest.into()).largest(),
        Metric::new("wave steps", "", report.wave_steps as f64).summed(),
    ]
}
