//! `kind = "pipes"`: shallow liquid on a terrain, by extended virtual pipes.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration later. The stage
//! is stateful: its state is that of the liquid, to the bit.

mod fill;
mod ground;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use whitecap_core::attributes::{RADIUS, VELOCITY};
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_core::{Column, Particles};
use whitecap_pipes::{
    Drop, Grid, Meniscus, MeniscusSettings, PipeError, PipeScene, Pipes as Liquid, Source, Surface,
    TerrainMotion, Viewer,
};

use crate::stage::{
    Depends, Gives, Inputs, KindInfo, Metric, SettingProblem, ShotContext, SideResult, StageError,
    StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, FrameData, Phenomenon, Shot, Subject};
use fill::depths;
use ground::ShotTerrain;

pub use fill::PipeFill;
pub use settings::{PipeResult, PipeTerrain, PipesStageSettings};

const EXAMPLES: &str = "\
Examples:
  whitecap pipes bone.ply --cell 0.0005 --viscosity 4e-6 -o 'out/blood.####.ply' \\
      --source 0,0.05,0:0.002:1e-6
  whitecap pipes valley.png --terrain-high 0.03 --cell 0.001 -o 'out/lake.####.ply' \\
      --fill-level 0.01
  whitecap pipes --terrain-slope 0.2,0 --area 0,0,0.2,0.1 --cell 0.0005 --frames 120 \\
      --fill-sphere 0.15,0.04,0.05,0.008 -o 'out/drop.####.ply'
  whitecap pipes 'tissue.####.ply' --cell 0.0005 --frames 60 -o 'out/blood.####.ply' \\
      --fill-level 0.01
  whitecap pipes bone.ply --cell 0.0005 --give terrain --frames 1 -o 'out/bone.####.ply'

The terrain is a mesh with any number of overhangs and passages, a picture of its heights, or a
plane. The mesh of the liquid has normals and opacity.";

pub(super) struct Pipes {
    settings: PipesStageSettings,
    /// The liquid as it was filled, at rest, on its terrain at the first frame.
    scene: PipeScene,
    terrain: Arc<ShotTerrain>,
    first: i64,
}

/// A shallow liquid while it runs.
pub(super) struct RunningPipes {
    scene: PipeScene,
    /// The frame that the terrain is at.
    terrain_frame: i64,
    surface: Surface,
    meniscus: Meniscus,
    /// Whether the first frame, which takes no time, has been made.
    has_begun: bool,
}

impl Phenomenon for Pipes {
    const KIND: KindInfo = KindInfo {
        name: "pipes",
        doc: "Simulates shallow liquid on a terrain, by virtual pipes.",
        version: 3,
        gives: Gives::Chosen {
            key: "give",
            choices: &[
                ("liquid", DataKind::Mesh),
                ("terrain", DataKind::Mesh),
                ("drops", DataKind::Particles),
            ],
        },
        beside: &[SideResult {
            name: "drops",
            kind: DataKind::Particles,
            doc: "drops in the air, with `radius` and `velocity`.",
        }],
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Setting {
                name: "TERRAIN",
                doc: "The terrain: a mesh, or a picture of its heights [default: a plane]",
                keys: &[(&["png", "exr", "hdr"], "terrain.heightfield"), (&[], "terrain.mesh")],
            },
            told: &["volume", "wet columns"],
            frames: 120,
            fps: 60.0,
        }),
        ..KindInfo::PLAIN
    };
    type Settings = PipesStageSettings;
    type State = RunningPipes;

    fn check(
        settings: PipesStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        checked(settings, shot).map_err(|problem| vec![problem])
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.terrain.source(frame).into_iter().collect())
    }

    fn start(&self) -> Result<RunningPipes, StageError> {
        Ok(RunningPipes {
            scene: self.scene.clone(),
            terrain_frame: self.first,
            surface: Surface::new(),
            meniscus: Meniscus::new(),
            has_begun: false,
        })
    }

    fn step(
        &self,
        run: &mut RunningPipes,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        if context.watch.cancelled() {
            return Err(StageError::Cancelled);
        }
        let frame = context.frame;
        if run.terrain_frame != frame.index {
            run.scene.move_terrain(frame.index).map_err(StageError::failed)?;
            run.terrain_frame = frame.index;
        }
        if self.settings.give == PipeResult::Terrain {
            let mesh = run.scene.terrain.clone();
            let metrics = vec![Metric::count("triangles", mesh.triangles().len())];
            return Ok(StageOutput::new(mesh).with_metrics(metrics));
        }
        let started = Instant::now();
        let steps = match std::mem::replace(&mut run.has_begun, true) {
            true => run.scene.pipes.advance(frame.dt).map_err(StageError::failed)?,
            false => 0,
        };
        let mut metrics = metrics(&run.scene.pipes, steps);
        let mut times = vec![Metric::time("simulation", started)];
        let data = match self.settings.give {
            PipeResult::Drops => drops(run.scene.pipes.drops())?.into(),
            _ => self.liquid(run, &mut metrics, &mut times)?,
        };
        let beside = context.beside.iter();
        let beside = beside.map(|&name| Ok((name, drops(run.scene.pipes.drops())?.into())));
        let beside = beside.collect::<Result<_, StageError>>()?;
        let notes = notes(&run.scene.pipes, steps);
        Ok(StageOutput { data, beside, notes, metrics, times })
    }

    fn save(&self, run: &RunningPipes) -> Vec<u8> {
        if run.has_begun { run.scene.pipes.save() } else { Vec::new() }
    }

    fn restore(&self, saved: &[u8]) -> Result<RunningPipes, StageError> {
        let mut run = self.start()?;
        if !saved.is_empty() {
            run.scene.pipes.restore(saved).map_err(StageError::failed)?;
            run.has_begun = true;
        }
        Ok(run)
    }
}

impl Pipes {
    /// The surface of the liquid.
    fn liquid(
        &self,
        run: &mut RunningPipes,
        metrics: &mut Vec<Metric>,
        times: &mut Vec<Metric>,
    ) -> Result<FrameData, StageError> {
        let PipeScene { pipes, minimum, surface: settings, meniscus, .. } = &run.scene;
        let started = Instant::now();
        run.surface.update(pipes.columns(), minimum, settings).map_err(StageError::failed)?;
        times.push(Metric::time("surface", started));
        if let Some(settings) = meniscus {
            let started = Instant::now();
            let viewer = self.settings.eye.map(|eye| Viewer::At(Vec3::from(eye)));
            run.meniscus
                .apply(pipes.columns(), &mut run.surface, settings, viewer)
                .map_err(StageError::failed)?;
            times.push(Metric::time("meniscus", started));
        }
        metrics.push(Metric::count("triangles", run.surface.triangles().len()));
        Ok(run.surface.to_mesh().into())
    }
}

fn metrics(pipes: &Liquid, steps: usize) -> Vec<Metric> {
    let report = pipes.report();
    let wet = (0..pipes.columns().len()).filter(|&column| pipes.columns().is_wet(column));
    vec![
        Metric::new("volume", "m³", report.volume),
        Metric::new("poured", "m³", report.poured),
        Metric::new("drained", "m³", report.drained),
        Metric::new("error of the volume", "", report.relative_error.abs()).largest(),
        Metric::new("deepest", "m", report.deepest),
        Metric::count("columns", pipes.columns().len()),
        Metric::count("wet columns", wet.count()),
        Metric::count("drops", pipes.drops().len()),
        Metric::count("steps", steps).summed(),
    ]
}

/// A note if there will never be any liquid.
fn notes(pipes: &Liquid, steps: usize) -> Vec<String> {
    let is_dry = steps == 0 && pipes.settings().sources.is_empty() && pipes.volume() == 0.0;
    let note = "there is no liquid: fill something, or add `sources`";
    is_dry.then(|| String::from(note)).into_iter().collect()
}

fn drops(drops: &[Drop]) -> Result<Particles, StageError> {
    let mut particles = Particles::new(drops.iter().map(|drop| drop.position).collect());
    let radius = |drop: &Drop| (drop.volume * 0.75 / std::f64::consts::PI).cbrt() as f32;
    let radii = Column::F32(drops.iter().map(radius).collect());
    particles.set_attribute(RADIUS, radii).map_err(StageError::failed)?;
    let velocities = Column::Vec3(drops.iter().map(|drop| drop.velocity).collect());
    particles.set_attribute(VELOCITY, velocities).map_err(StageError::failed)?;
    Ok(particles)
}

/// The scene of some settings at the first frame of a shot.
fn checked(settings: PipesStageSettings, shot: &ShotContext) -> Result<Pipes, SettingProblem> {
    let meniscus = settings
        .contact_angle
        .map(|contact_angle| MeniscusSettings { contact_angle, length: settings.meniscus_length });
    settings.liquid.check().map_err(problem)?;
    settings.surface.check().map_err(problem)?;
    if let Some(Err(error)) = meniscus.map(|meniscus| meniscus.check()) {
        let problem = problem(error);
        let key = if problem.key == "length" { "meniscus-length" } else { &problem.key };
        return Err(SettingProblem { key: String::from(key), ..problem });
    }
    if let Some((place, problem)) = first_problem(&settings.fill, PipeFill::problem) {
        return Err(problem.within("fill", place));
    }
    let terrain = ShotTerrain::new(&settings, shot)?;
    let drawn = terrain.ground(shot.first)?.drawn(&settings.surface);
    let mut pipes = Liquid::new(&drawn.terrain, settings.liquid.clone()).map_err(problem)?;
    for (key, places) in
        [("sources", &settings.liquid.sources), ("drains", &settings.liquid.drains)]
    {
        let outside = |source: &Source| outside(source, pipes.columns().grid());
        if let Some((place, problem)) = first_problem(places, outside) {
            return Err(problem.within(key, place));
        }
    }
    let depths = depths(pipes.columns(), &settings.fill);
    pipes.fill(|column| depths[column]);
    let terrain = Arc::new(terrain.on(*pipes.columns().grid()));
    let motion = terrain.moves().then(|| Arc::clone(&terrain) as Arc<dyn TerrainMotion>);
    let scene = PipeScene {
        name: String::from(Pipes::KIND.name),
        pipes,
        terrain: drawn.mesh,
        minimum: drawn.minimum,
        surface: settings.surface,
        meniscus,
        motion,
    };
    Ok(Pipes { settings, scene, terrain, first: shot.first })
}

/// The first item of a list that has a problem, and its place.
fn first_problem<T>(
    items: &[T],
    problem: impl Fn(&T) -> Option<SettingProblem>,
) -> Option<(usize, SettingProblem)> {
    items.iter().enumerate().find_map(|(place, item)| Some((place, problem(item)?)))
}

/// Says so if a source or a drain can never reach a column.
fn outside(source: &Source, grid: &Grid) -> Option<SettingProblem> {
    let [x, _, z] = source.position;
    let low = grid.origin();
    let high = low + Vec2::new(grid.width() as f32, grid.length() as f32) * grid.cell();
    let place = Vec2::new(x, z);
    (place.distance(place.clamp(low, high)) > source.radius).then(|| {
        let message = format!(
            "x = {x}, z = {z} is outside the simulated area, which spans x = {} to {} and z = {} to {}",
            low.x, high.x, low.y, high.y
        );
        SettingProblem::new("position", message)
    })
}

fn problem(error: PipeError) -> SettingProblem {
    match error {
        PipeError::Setting(problem) => problem,
        error => SettingProblem::new("kind", error),
    }
}

/// The liquid of a `pipes` stage of a shot, before its first frame: the stage called `name`, or the
/// first of this kind that gives a liquid.
pub fn live_pipes(shot: &Shot, name: Option<&str>) -> Result<PipeScene, StageError> {
    let mut stages = shot.stages.iter().filter_map(|stage| {
        let pipes = stage.checked.phenomenon().downcast_ref::<Pipes>()?;
        let is_wanted = match name {
            Some(name) => stage.name == name,
            None => pipes.settings.give != PipeResult::Terrain,
        };
        is_wanted.then_some(pipes)
    });
    let pipes = stages.next().ok_or_else(|| {
        let wanted = name.map_or(String::from("stage"), |name| format!("stage `{name}`"));
        StageError::failed(format!("the shot has no {wanted} of the kind \"{}\"", Pipes::KIND.name))
    })?;
    Ok(PipeScene { name: shot.settings.name.clone(), ..pipes.scene.clone() })
}
