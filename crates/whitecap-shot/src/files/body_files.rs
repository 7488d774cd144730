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

use crate::DataKind;
use crate::files::formats;
use crate::files::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext};

/// Where relative paths start.
pub(crate) const PATH_HELP: &str =
    "paths start from the folder of the shot file, or from the current folder if there is none";

/// The files of a body over a shot.
#[derive(Clone, Debug)]
pub(crate) struct BodyFiles {
    files: FrameFiles,
    /// First and last frame of the shot.
    first: i64,
    last: i64,
}

impl BodyFiles {
    /// The files that settings name.
    pub fn new(settings: &BodySettings, shot: &ShotContext) -> Result<Self, SettingProblem> {
        let files = FrameFiles::new(&settings.path, settings.first, shot, is_mesh)
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
        if let Some(problem) = files.missing(shot).filter(|_| !files.is_single()) {
            return Err(problem);
        }
        Ok(Self { files, first: shot.first, last: shot.last })
    }

    /// Whether there is a file for every frame.
    pub fn is_sequence(&self) -> bool {
        !self.files.is_single()
    }

    /// The file of a frame.
    pub fn file(&self, frame: i64) -> PathBuf {
        self.files.file(frame)
    }

    /// The files that the motion up to a frame is made from, besides those of the frames before it: its
    /// own, and for a sequence the next two, which say how the motion goes on.
    pub fn sources(&self, frame: i64) -> Vec<PathBuf> {
        let last = if self.is_sequence() { (frame + 2).min(self.last) } else { frame };
        (frame..=last.max(frame)).map(|frame| self.files.file(frame)).collect()
    }
}

/// Whether a file in a folder can be a mesh.
pub(crate) fn is_mesh(path: &Path) -> bool {
    whitecap_io::has_extension(path, &formats::readable(DataKind::Mesh))
}

/// The frames of a body, read when they are needed.
#[derive(Debug)]
struct FramesOnDisk {
    files: BodyFiles,
    times: Vec<f64>,
}

impl FramesOnDisk {
    fn path(&self, frame: usize) -> PathBuf {
        self.files.file(self.files.first + frame as i64)
    }
}

impl BodyFrames for FramesOnDisk {
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
    files: &BodyFiles,
    shot: &ShotContext,
) -> Result<AnimatedBody, SettingProblem> {
    AnimatedBody::new(mesh_motion(settings, files, shot)?).map_err(problem)
}

/// The mesh that settings describe, open or closed, in its motion.
pub(crate) fn mesh_motion(
    settings: &BodySettings,
    files: &BodyFiles,
    shot: &ShotContext,
) -> Result<MeshMotion, SettingProblem> {
    let mesh = read_mesh("path", &files.file(shot.first))?;
    if !files.is_sequence() {
        return MeshMotion::rigid(mesh, settings.motion()?).map_err(problem);
    }
    let times = shot.frames().map(|frame| shot.time_of(frame).time).collect();
    let frames = FramesOnDisk { files: files.clone(), times };
    MeshMotion::sequence(Arc::new(frames)).map_err(problem)
}

/// The mesh of a file, or what is wrong with it, reported at `key`.
pub(crate) fn read_mesh(key: &str, path: &Path) -> Result<TriMesh, SettingProblem> {
    if !path.is_file() {
        let message = format!("there is no mesh file {}", path.display());
        let help = PATH_HELP;
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

/// Loads every item of a list; what is wrong is told with its place.
pub(crate) fn load_each<S, T>(
    list: &str,
    items: &[S],
    problems: &mut Vec<SettingProblem>,
    load: impl Fn(&S) -> Result<T, SettingProblem>,
) -> Vec<T> {
    let mut loaded = Vec::new();
    for (place, item) in items.iter().enumerate() {
        match load(item) {
            Ok(item) => loaded.push(item),
            Err(problem) => problems.push(problem.within(list, place)),
        }
    }
    loaded
}
