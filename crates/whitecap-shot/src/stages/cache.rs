//! `kind = "cache"`: frames from files that another program, or an earlier run, has written.

use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_core::{Column, attributes};
use whitecap_io::Sequence;

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData, FrameTime, formats};

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
    pub first: Option<u32>,
    /// Radius given to every particle. Left out: the radius that the files hold, if any.
    #[serde(default)]
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: Option<f32>,
}

pub(super) struct Cache;

impl StageKind for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn doc(&self) -> &'static str {
        "Reads frames from files that another program has written."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        CacheSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Particles, DataKind::Mesh, DataKind::Volume]
    }

    fn gives(&self, settings: &Value) -> DataKind {
        match settings["content"].as_str() {
            Some("mesh") => DataKind::Mesh,
            Some("volume") => DataKind::Volume,
            _ => DataKind::Particles,
        }
    }

    fn depends(&self) -> Depends {
        Depends { on_time: false, on_seed: false }
    }

    fn check(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Value, Vec<SettingProblem>> {
        let gives = self.gives(settings);
        let (settings, completed) = complete::<CacheSettings>(settings)?;
        let mut problems = Vec::new();
        if settings.radius.is_some() && settings.content != CacheContent::Particles {
            problems.push(SettingProblem {
                key: "radius".into(),
                message: String::from("only particles have a radius, but these files hold none"),
                help: Some(String::from("remove `radius`, or write content = \"particles\"")),
            });
        }
        problems.extend(file_problem(&settings, gives, shot));
        if problems.is_empty() { Ok(completed) } else { Err(problems) }
    }

    fn sources(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
        frame: FrameTime,
    ) -> Result<Vec<PathBuf>, StageError> {
        let settings: CacheSettings = read_settings(settings)?;
        let files =
            CacheFiles::new(&settings.path, settings.first, shot).map_err(StageError::failed)?;
        Ok(vec![files.file(frame.index)])
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let gives = self.gives(settings);
        let settings: CacheSettings = read_settings(settings)?;
        let files =
            CacheFiles::new(&settings.path, settings.first, shot).map_err(StageError::failed)?;
        Ok(Box::new(RunningCache { files, gives, radius: settings.radius }))
    }
}

/// What is wrong with the files, if anything.
fn file_problem(
    settings: &CacheSettings,
    gives: DataKind,
    shot: &ShotContext<'_>,
) -> Option<SettingProblem> {
    let problem = |message: String, help: String| {
        Some(SettingProblem { key: "path".into(), message, help: Some(help) })
    };
    let readable = formats::readable(gives);
    if !formats::has_extension(Path::new(&settings.path), &readable) {
        return problem(
            format!("files with this ending cannot be read as {}", gives.in_words()),
            format!("they can end in .{}", readable.join(", .")),
        );
    }
    match CacheFiles::new(&settings.path, settings.first, shot) {
        Ok(files) => files.missing(shot),
        Err(error) => problem(error.to_string(), String::from("write it like sim/frame.####.bgeo")),
    }
}

/// Which file belongs to which frame.
#[derive(Clone, Debug)]
pub(crate) struct CacheFiles {
    sequence: Sequence,
    /// What to add to a frame's number to get its file's.
    offset: i64,
}

impl CacheFiles {
    /// The files of a path with or without a frame number, of which `first` belongs to the first
    /// frame of the shot.
    pub fn new(
        path: &str,
        first: Option<u32>,
        shot: &ShotContext<'_>,
    ) -> Result<Self, whitecap_io::Error> {
        let offset = i64::from(first.unwrap_or(shot.first)) - i64::from(shot.first);
        Ok(Self { sequence: Sequence::new(shot.folder.join(path))?, offset })
    }

    /// Whether one file serves every frame.
    pub fn is_single(&self) -> bool {
        self.sequence.is_single()
    }

    /// The file of a frame.
    pub fn file(&self, frame: u32) -> PathBuf {
        self.sequence.path(i64::from(frame) + self.offset)
    }

    /// Names the files that the shot needs and that are not there.
    pub fn missing(&self, shot: &ShotContext<'_>) -> Option<SettingProblem> {
        let first = i64::from(shot.first) + self.offset;
        let last = i64::from(shot.last) + self.offset;
        let error = self.sequence.expand(Some(first..=last)).err()?;
        let looked_for = format!("looked for {}", self.file(shot.first).display());
        let (message, help) = match error {
            whitecap_io::Error::MissingFrames { frames, .. } => {
                let all = frames.len() == shot.frames().count();
                match (all, self.other_numbers()) {
                    (true, Some(numbers)) => (
                        format!("there is no file for any frame of this shot; {numbers}"),
                        String::from(
                            "`first` says which file belongs to the first frame of the shot",
                        ),
                    ),
                    (true, None) => (String::from("there are no such files"), looked_for),
                    (false, _) => {
                        let example = self.sequence.path(frames[0]);
                        let message = match frames[..] {
                            [only] => format!("file {only} is missing"),
                            _ => format!("files {} are missing", number_ranges(&frames)),
                        };
                        (message, format!("looked for {}", example.display()))
                    }
                }
            }
            _ => (String::from("there are no such files"), looked_for),
        };
        Some(SettingProblem { key: "path".into(), message, help: Some(help) })
    }

    /// How the files that do exist are numbered.
    fn other_numbers(&self) -> Option<String> {
        let existing = self.sequence.existing().ok()?;
        let ((first, _), (last, _)) = (existing.first()?, existing.last()?);
        Some(format!("the files are numbered {first} to {last}"))
    }
}

/// Ascending numbers as ranges: 3, 7 to 9.
fn number_ranges(numbers: &[i64]) -> String {
    let runs: Vec<&[i64]> = numbers.chunk_by(|a, b| a + 1 == *b).collect();
    let words = |run: &&[i64]| match run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first} to {last}"),
        [] => String::new(),
    };
    let shown: Vec<String> = runs.iter().take(5).map(words).collect();
    let more = if runs.len() > 5 { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

struct RunningCache {
    files: CacheFiles,
    gives: DataKind,
    radius: Option<f32>,
}

impl Stage for RunningCache {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let path = self.files.file(context.frame.index);
        let mut data = formats::read(&path, self.gives).map_err(StageError::failed)?;
        if let (Some(radius), FrameData::Particles(particles)) = (self.radius, &mut data) {
            let radii = Column::F32(vec![radius; particles.len()]);
            particles.set_attribute(attributes::RADIUS, radii).map_err(StageError::failed)?;
        }
        let metrics = match &data {
            FrameData::Particles(particles) => vec![Metric::count("particles", particles.len())],
            FrameData::Mesh(mesh) => vec![
                Metric::count("vertices", mesh.positions().len()),
                Metric::count("triangles", mesh.triangles().len()),
            ],
            FrameData::Volume(volume) => vec![Metric::count("grids", volume.grids.len())],
            FrameData::Picture(_) => Vec::new(),
        };
        Ok(StageOutput { data, notes: Vec::new(), metrics })
    }
}
