//! `kind = "cache"`: frames from files that another program, or an earlier run, wrote.
//!
//! Particles without a radius get the same estimate in every frame, from three of the files
//! that there are, whichever frames the shot uses: estimates of single frames differ, and surfaces would
//! pulsate with them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::outliers::{LEAVE_OUT, Outlier, outliers};
use whitecap_core::{Column, Particles, attributes, counted_as};
use whitecap_io::Noted;
use whitecap_surface::SpacingEstimate;

use crate::files::frame_files::FrameFiles;
use crate::stage::{
    Gives, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError, StageOutput,
    StepContext,
};
use crate::{DataKind, FrameData, Phenomenon, files::formats};

/// What the files of a cache hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheContent {
    /// Particles.
    #[default]
    Particles,
    /// A triangle mesh.
    Mesh,
    /// Named grids.
    Volume,
}

impl CacheContent {
    fn kind(self) -> DataKind {
        match self {
            CacheContent::Particles => DataKind::Particles,
            CacheContent::Mesh => DataKind::Mesh,
            CacheContent::Volume => DataKind::Volume,
        }
    }
}

/// What happens to outliers: particles a thousand times as far from the middle of the others as
/// usual, or with a hundred times the usual radius.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outliers {
    /// They stay; a stage that cannot afford them fails and names them.
    #[default]
    Keep,
    /// They are left out, with a note.
    LeaveOut,
    /// The frame fails.
    Refuse,
}

/// Settings of a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CacheSettings {
    /// The files, relative to the shot file, with `####` or `%04d` in place of the frame number.
    /// A name without either is one file that serves every frame.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// What the files hold.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub content: CacheContent,
    /// Number of the file that belongs to the first frame of the shot. Left out: files and frames
    /// have the same numbers.
    #[serde(default)]
    #[schemars(extend("unit" = "frames"))]
    pub first: Option<i64>,
    /// Radius given to every particle. Left out: the radius that the files hold, else half the particle
    /// spacing found in three of the files.
    #[serde(default)]
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: Option<f32>,
    /// What happens to particles absurdly far from the rest, or absurdly large.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub outliers: Outliers,
}

pub(super) struct Cache {
    files: FrameFiles,
    kind: DataKind,
    radius: Option<f32>,
    /// The first frame of the shot.
    first: i64,
    /// Files that an estimate of the radius is made from.
    samples: Vec<PathBuf>,
    /// That estimate, once it was needed.
    estimate: OnceLock<Option<f32>>,
    outliers: Outliers,
}

impl Phenomenon for Cache {
    const KIND: KindInfo = KindInfo {
        name: "cache",
        doc: "Reads frames from files that another program has written.",
        version: 2,
        gives: Gives::Chosen {
            key: "content",
            choices: &[
                ("particles", DataKind::Particles),
                ("mesh", DataKind::Mesh),
                ("volume", DataKind::Volume),
            ],
        },
        ..KindInfo::PLAIN
    };
    type Settings = CacheSettings;
    type State = ();

    fn check(settings: CacheSettings, shot: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        let CacheSettings { radius, outliers, .. } = settings;
        let kind = settings.content.kind();
        let stray_radius = (radius.is_some() && kind != DataKind::Particles).then(|| {
            let message = "only particles have a radius, but these files do not hold particles";
            let help = "remove `radius`, or write content = \"particles\"";
            SettingProblem::new("radius", message).with_help(help)
        });
        match (stray_radius, checked_files(&settings, kind, shot)) {
            (None, Ok(files)) => {
                let guess = kind == DataKind::Particles && radius.is_none();
                let samples = if guess { files.samples() } else { Vec::new() };
                let (first, estimate) = (shot.first, OnceLock::new());
                Ok(Self { files, kind, radius, first, samples, estimate, outliers })
            }
            (stray, files) => Err(stray.into_iter().chain(files.err()).collect()),
        }
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        let own = self.files.file(frame);
        let others = self.samples.iter().filter(|sample| **sample != own).cloned();
        Ok(std::iter::once(own.clone()).chain(others).collect())
    }

    fn start(&self) -> Result<(), StageError> {
        Ok(())
    }

    fn step(
        &self,
        _state: &mut (),
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let path = self.files.file(context.frame.index);
        let Noted { mut data, mut notes } =
            formats::read(&path, self.kind).map_err(StageError::failed)?;
        if let FrameData::Particles(particles) = &mut data {
            self.give_radius(Arc::make_mut(particles))?;
        }
        notes.extend(self.deal_with_outliers(&mut data)?);
        let metrics = counts(&data);
        if context.frame.index == self.first {
            notes.extend(mesh_note(&path, &data));
        }
        notes.extend(self.files.understood().map(str::to_owned));
        Ok(StageOutput::new(data).with_notes(notes).with_metrics(metrics))
    }
}

/// A note if the vertices of a mesh were taken for particles.
fn mesh_note(path: &Path, data: &FrameData) -> Option<String> {
    let FrameData::Particles(particles) = data else { return None };
    (whitecap_io::kind_of(path).ok()? == whitecap_io::Kind::Mesh).then(|| {
        format!(
            "{} holds a mesh; its {}",
            path.display(),
            counted_as(
                particles.len(),
                "vertex is taken as a particle",
                "vertices are taken as particles"
            )
        )
    })
}

impl Cache {
    /// Leaves outliers out or refuses them, as the settings say; returns a note about those left out.
    fn deal_with_outliers(&self, data: &mut FrameData) -> Result<Option<String>, StageError> {
        let FrameData::Particles(particles) = data else { return Ok(None) };
        if self.outliers == Outliers::Keep {
            return Ok(None);
        }
        let found = outliers(particles);
        let Some(first) = found.first() else { return Ok(None) };
        if self.outliers == Outliers::Refuse {
            return Err(StageError::failed(format!("{first}; {LEAVE_OUT}, or keep it (`keep`)")));
        }
        let all = 0..particles.len() as u32;
        let is_outlier =
            |index: u32| found.binary_search_by_key(&(index as usize), Outlier::index).is_ok();
        let kept: Vec<u32> = all.filter(|&index| !is_outlier(index)).collect();
        let (left, total) = (found.len(), particles.len());
        *data = particles.gather(&kept).into();
        Ok(Some(format!("{left} of {total} particles left out as outliers; the first: {first}")))
    }

    /// Gives particles the radius of the settings, or the estimate if they have none of their own.
    fn give_radius(&self, particles: &mut Particles) -> Result<(), StageError> {
        if let Some(radius) = self.radius {
            let radii = Column::F32(vec![radius; particles.len()]);
            particles.facts_mut().radius = Some(radius);
            return particles.set_attribute(attributes::RADIUS, radii).map_err(StageError::failed);
        }
        if particles.radii().is_none() && particles.facts().radius.is_none() {
            let facts = particles.facts_mut();
            facts.radius = *self.estimate.get_or_init(|| estimated_radius(&self.samples));
            facts.radius_is_estimated = facts.radius.is_some();
        }
        Ok(())
    }
}

/// Half the particle spacing of a sequence. A file that cannot be read is reported when its frame is made.
fn estimated_radius(samples: &[PathBuf]) -> Option<f32> {
    let of_file = |path: &PathBuf| {
        let particles = whitecap_io::read_particles(path).ok()?;
        SpacingEstimate::of(particles.positions())
    };
    let frames: Vec<SpacingEstimate> = samples.iter().filter_map(of_file).collect();
    SpacingEstimate::of_sequence(&frames).map(|estimate| estimate.radius())
}

fn counts(data: &FrameData) -> Vec<Metric> {
    match data {
        FrameData::Particles(particles) => vec![Metric::count("particles", particles.len())],
        FrameData::Mesh(mesh) => vec![
            Metric::count("vertices", mesh.positions().len()),
            Metric::count("triangles", mesh.triangles().len()),
        ],
        FrameData::Volume(volume) => vec![Metric::count("grids", volume.grids.len())],
        FrameData::Picture(_) => Vec::new(),
    }
}

/// The files, if they are there and can be read as this kind of data.
fn checked_files(
    settings: &CacheSettings,
    kind: DataKind,
    shot: &ShotContext,
) -> Result<FrameFiles, SettingProblem> {
    let readable = formats::readable(kind);
    let wanted = |path: &Path| whitecap_io::has_extension(path, &readable);
    let files = FrameFiles::new(&settings.path, settings.first, shot, wanted).map_err(|error| {
        SettingProblem::new("path", error).with_help("write it like sim/frame.####.bgeo")
    })?;
    if !wanted(&files.pattern()) {
        let message = format!("files with this ending cannot be read as {}", kind.in_words());
        let help = format!("they can end in .{}", readable.join(", ."));
        return Err(SettingProblem::new("path", message).with_help(help));
    }
    let is_left_out = |frame: i64| shot.left_out.binary_search(&frame).is_ok();
    files.missing_of(shot, &|frame| !is_left_out(frame)).map_or(Ok(files), Err)
}
