//! Animated bodies from the files that settings name.
//!
//! # Guarantees
//! * A sequence is read frame by frame, when a frame is needed; a few frames are in memory at once.
//! * Everything that can be known before the run is checked when the body is made: the keys, the first
//!   mesh, and that no file of the shot is missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use whitecap_core::TriMesh;
use whitecap_scene::{AnimatedBody, BodyFrames, BodySettings, MeshMotion, SceneError};

use crate::stage::{SettingProblem, ShotContext};
use crate::stages::cache::CacheFiles;

/// The frames of a shot, as files.
#[derive(Debug)]
struct FrameFiles {
    files: CacheFiles,
    /// First frame of the shot.
    first: u32,
    times: Vec<f64>,
}

impl FrameFiles {
    fn path(&self, frame: usize) -> PathBuf {
        self.files.file(self.first + frame as u32)
    }
}

impl BodyFrames for FrameFiles {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn mesh(&self, frame: usize) -> Result<TriMesh, String> {
        whitecap_io::read_mesh(self.path(frame)).map_err(|error| error.to_string())
    }

    fn name(&self, frame: usize) -> String {
        self.path(frame).display().to_string()
    }
}

/// The body that settings describe, which must be closed.
pub(crate) fn animated_body(
    settings: &BodySettings,
    shot: &ShotContext<'_>,
) -> Result<AnimatedBody, SettingProblem> {
    AnimatedBody::new(mesh_motion(settings, shot)?).map_err(problem)
}

/// The mesh that settings describe, open or closed, in its motion.
pub(crate) fn mesh_motion(
    settings: &BodySettings,
    shot: &ShotContext<'_>,
) -> Result<MeshMotion, SettingProblem> {
    let files = body_files(settings, shot)?;
    let keys = settings.motion()?;
    if files.is_single() {
        let mesh = read_mesh("path", &files.file(shot.first))?;
        return MeshMotion::rigid(mesh, keys).map_err(problem);
    }
    files.missing(shot).map_or(Ok(()), Err)?;
    let times = shot.frames().map(|frame| shot.time_of(frame).time).collect();
    // Told as a file, not as a frame, because nothing else of the sequence is known to be there.
    read_mesh("path", &files.file(shot.first))?;
    MeshMotion::sequence(Arc::new(FrameFiles { files, first: shot.first, times })).map_err(problem)
}

/// The files that a frame is made from, besides those of the frames before it: its own, and for a
/// sequence the next one, which says how the motion goes on.
pub(crate) fn body_sources(
    settings: &BodySettings,
    shot: &ShotContext<'_>,
    frame: u32,
) -> Result<Vec<PathBuf>, SettingProblem> {
    let files = body_files(settings, shot)?;
    let mut sources = vec![files.file(frame)];
    if !files.is_single() && frame < shot.last {
        sources.push(files.file(frame + 1));
    }
    Ok(sources)
}

fn body_files(
    settings: &BodySettings,
    shot: &ShotContext<'_>,
) -> Result<CacheFiles, SettingProblem> {
    let files = CacheFiles::new(&settings.path, settings.first, shot)
        .map_err(|error| SettingProblem::new("path", error))?;
    if !files.is_single() && !settings.keys.is_empty() {
        let message = "a mesh that deforms cannot be moved by keys as well";
        let help = "bake the motion into the files, or name one file";
        return Err(SettingProblem::new("keys", message).with_help(help));
    }
    if files.is_single() && settings.first.is_some() {
        let message = "`first` numbers the files of a deforming mesh, but this is one file";
        let help = "write #### in place of the frame number in `path`, or remove `first`";
        return Err(SettingProblem::new("first", message).with_help(help));
    }
    Ok(files)
}

/// The mesh of a file, or what is wrong with it, told at `key`.
pub(crate) fn read_mesh(key: &str, path: &Path) -> Result<TriMesh, SettingProblem> {
    if !path.is_file() {
        let message = format!("there is no mesh file {}", path.display());
        let help = "paths start from the folder of the shot file";
        return Err(SettingProblem::new(key, message).with_help(help));
    }
    whitecap_io::read_mesh(path).map_err(|error| SettingProblem::new(key, error))
}

fn problem(error: SceneError) -> SettingProblem {
    match error {
        SceneError::Setting(problem) => problem,
        SceneError::Keyframes(error) => SettingProblem::new("keys", error),
        error => SettingProblem::new("path", error),
    }
}
