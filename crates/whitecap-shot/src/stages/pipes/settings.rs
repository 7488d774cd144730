//! Settings of the stage `pipes`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_pipes::{MeniscusSettings, PipeSettings, SurfaceSettings};
use whitecap_scene::{BodySettings, PoseKey};

use super::fill::PipeFill;
use crate::files::body_files::is_mesh;
use crate::files::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext};

/// What a `pipes` stage gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PipeResult {
    /// A mesh of the liquid's surface, with `normal` and `opacity`. It is open, and extends
    /// slightly into the terrain.
    #[default]
    Liquid,
    /// A mesh of the terrain.
    Terrain,
    /// Drops in the air as particles, with `radius` and `velocity`; see `falling-drops`.
    Drops,
}

/// The ground that the liquid flows over. Without a mesh or a height field it is a plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipeTerrain {
    /// File of a mesh, with any number of overhangs, holes and passages. It should be closed; an
    /// open sheet that faces up is solid below. Relative to the shot file, with `####` or `%04d` in
    /// place of the frame number if it moves.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub mesh: Option<String>,
    /// Placements of the mesh over time, between which it moves evenly. Left out: it rests where the file
    /// has it.
    #[schemars(extend("unit" = "none"))]
    pub keys: Vec<PoseKey>,
    /// Height of a ground beneath the mesh: everything below it is solid. Left out: there is no
    /// liquid where there is no mesh.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub ground: Option<f32>,
    /// Picture of the heights, seen from above, x to the right and z down: black is `low`, white is
    /// `high`. A 16-bit PNG is best. Relative to the shot file, with `####` or `%04d` in place of
    /// the frame number if it moves.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub heightfield: Option<String>,
    /// Number of the file that belongs to the first frame of the shot, for a terrain that moves. Left
    /// out: files and frames have the same numbers.
    #[schemars(extend("unit" = "frames"))]
    pub first: Option<i64>,
    /// Height of black in the height field.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub low: f32,
    /// Height of white in the height field. A PNG needs it. Left out for OpenEXR and Radiance: one metre above
    /// `low`, so that the values are metres.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub high: Option<f32>,
    /// Height of the plane above x = z = 0.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub height: f32,
    /// Rise of the plane per metre along x and along z.
    #[schemars(extend("unit" = "none"))]
    pub slope: [f32; 2],
}

impl PipeTerrain {
    /// The mesh as a body that moves from key to key.
    pub(super) fn body(&self) -> Option<BodySettings> {
        let path = self.mesh.clone().filter(|_| !self.keys.is_empty())?;
        Some(BodySettings { path, first: None, keys: self.keys.clone() })
    }

    /// The files it is made from, unless it is a plane; all of them exist.
    pub(super) fn files(&self, shot: &ShotContext) -> Result<Option<FrameFiles>, SettingProblem> {
        let (key, path) = match (&self.mesh, &self.heightfield) {
            (Some(_), Some(_)) => {
                let message = "the terrain is both a mesh and a height field";
                let help = "remove one of the two";
                return Err(SettingProblem::new("terrain", message).with_help(help));
            }
            (Some(path), None) => ("terrain.mesh", path),
            (None, Some(path)) => ("terrain.heightfield", path),
            (None, None) => return self.refuse_keys(None).map(|()| None),
        };
        let is_picture = |path: &Path| whitecap_io::has_extension(path, &["png", "exr", "hdr"]);
        let wanted =
            |path: &Path| if self.mesh.is_some() { is_mesh(path) } else { is_picture(path) };
        let files = FrameFiles::new(path, self.first, shot, wanted)
            .map_err(|error| SettingProblem::new(key, error))?;
        self.refuse_keys(Some(&files))?;
        if files.is_single() && self.first.is_some() {
            let message = "`first` numbers the files of a terrain that moves, but this is one file";
            let help = "write #### in place of the frame number, or remove `first`";
            return Err(SettingProblem::new("terrain.first", message).with_help(help));
        }
        match files.missing(shot).filter(|_| !files.is_single()) {
            Some(problem) => Err(SettingProblem { key: String::from(key), ..problem }),
            None => Ok(Some(files)),
        }
    }

    /// Fails if keys would move anything but one mesh.
    fn refuse_keys(&self, files: Option<&FrameFiles>) -> Result<(), SettingProblem> {
        let is_one_mesh = self.mesh.is_some() && files.is_some_and(FrameFiles::is_single);
        if self.keys.is_empty() || is_one_mesh {
            return Ok(());
        }
        let message = "only a terrain that is one mesh can be moved by keys";
        let help = "name one file with `mesh`, or remove `keys`";
        Err(SettingProblem::new("terrain.keys", message).with_help(help))
    }
}

/// A rectangle seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Lowest corner (x, z).
    #[schemars(extend("unit" = "m"))]
    pub min: [f32; 2],
    /// Highest corner (x, z).
    #[schemars(extend("unit" = "m"))]
    pub max: [f32; 2],
}

/// Settings of the stage: the terrain, the initial liquid, its surface, and how it flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct PipesStageSettings {
    /// The ground that the liquid flows over: a mesh, a height field or a plane.
    #[schemars(extend("unit" = "none"))]
    pub terrain: PipeTerrain,
    /// Edge length of the square cells.
    #[schemars(extend("unit" = "m"), range(min = 1e-5, max = 1e4))]
    pub cell: f32,
    /// The part of the terrain that is simulated. Left out: the bounds of the mesh, or one cell for
    /// each pixel of the height field, starting at x = z = 0.
    #[schemars(extend("unit" = "m"))]
    pub area: Option<Area>,
    /// Where the liquid is at the first frame: boxes, balls and levels.
    #[schemars(extend("unit" = "none"))]
    pub fill: Vec<PipeFill>,
    /// What the stage gives.
    #[schemars(extend("unit" = "none"))]
    pub give: PipeResult,
    /// Angle between the solid and the surface of the liquid, measured through the liquid: below 90 the
    /// liquid climbs a wall, above 90 it bends down. It changes normals, not positions. Left out: no
    /// meniscus.
    #[schemars(extend("unit" = "degrees"), range(min = 0.0, max = 180.0))]
    pub contact_angle: Option<f32>,
    /// How far the meniscus reaches: 2.8 mm for water in air.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e6))]
    pub meniscus_length: f32,
    /// Position of the viewer (x, y, z): normals of the meniscus are never turned beyond the
    /// silhouette. Left out: they may face away from the viewer.
    #[schemars(extend("unit" = "m"))]
    pub eye: Option<[f32; 3]>,
    /// The surface.
    #[serde(flatten)]
    pub surface: SurfaceSettings,
    /// The liquid itself.
    #[serde(flatten)]
    pub liquid: PipeSettings,
}

impl Default for PipesStageSettings {
    fn default() -> Self {
        Self {
            terrain: PipeTerrain::default(),
            cell: 0.001,
            area: None,
            fill: Vec::new(),
            give: PipeResult::default(),
            contact_angle: None,
            meniscus_length: MeniscusSettings::default().length,
            eye: None,
            surface: SurfaceSettings::default(),
            liquid: PipeSettings::default(),
        }
    }
}
