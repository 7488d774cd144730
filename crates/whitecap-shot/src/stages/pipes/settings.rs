//! Settings of the stage `pipes`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_pipes::{MeniscusSettings, PipeSettings, SurfaceSettings};

use super::fill::PipeFill;
use crate::files::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext};

/// What a stage of shallow liquid gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PipeResult {
    /// A mesh of the liquid's surface, with `normal` and `opacity`. It is open, and reaches a little into
    /// the terrain.
    #[default]
    Liquid,
    /// A mesh of the terrain.
    Terrain,
    /// Drops in the air as particles, with `radius` and `velocity`; see `falling-drops`.
    Drops,
}

/// The ground that liquid runs over. Without a mesh and a height field it is a plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PipeTerrain {
    /// File of a mesh, with as many overhangs, holes and passages as it likes. It should be closed; an
    /// open sheet that faces up is solid below it. Relative to the shot file, with `####` or `%04d` in
    /// place of the frame number if it moves.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub mesh: Option<String>,
    /// Height of a ground beneath the mesh: everything below it is solid. Left out: where there is no
    /// mesh there is no liquid either.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub ground: Option<f32>,
    /// Picture of the heights, seen from above, x to the right and z down: black is `low`, white is
    /// `high`. Best a PNG of 16 bits. Relative to the shot file, with `####` or `%04d` in place of the
    /// frame number if it moves.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub heightfield: Option<String>,
    /// Number of the file that belongs to the first frame of the shot, for a terrain that moves. Left
    /// out: files and frames have the same numbers.
    #[schemars(extend("unit" = "frames"))]
    pub first: Option<i64>,
    /// Height of black in the height field.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub low: f32,
    /// Height of white in the height field.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub high: f32,
    /// Height of the plane above x = z = 0.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub height: f32,
    /// Rise of the plane per metre along x and along z.
    #[schemars(extend("unit" = "none"))]
    pub slope: [f32; 2],
}

impl PipeTerrain {
    /// The files it is made from, unless it is a plane, all of them there.
    pub(super) fn files(&self, shot: &ShotContext) -> Result<Option<FrameFiles>, SettingProblem> {
        let (key, path) = match (&self.mesh, &self.heightfield) {
            (Some(_), Some(_)) => {
                let message = "the terrain is a mesh and a height field at once";
                let help = "remove one of the two";
                return Err(SettingProblem::new("terrain", message).with_help(help));
            }
            (Some(path), None) => ("terrain.mesh", path),
            (None, Some(path)) => ("terrain.heightfield", path),
            (None, None) => return Ok(None),
        };
        let files = FrameFiles::new(path, self.first, shot)
            .map_err(|error| SettingProblem::new(key, error))?;
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

/// Settings of the stage: the terrain, the liquid on it at first, its surface, and how it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct PipesStageSettings {
    /// The ground that liquid runs over: a mesh, a height field or a plane.
    #[schemars(extend("unit" = "none"))]
    pub terrain: PipeTerrain,
    /// Edge length of the square cells.
    #[schemars(extend("unit" = "m"), range(min = 1e-5, max = 1e4))]
    pub cell: f32,
    /// The part of the terrain that takes part. Left out: the bounds of the mesh, or one cell for each
    /// pixel of the height field, from x = z = 0 on.
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
    /// The eye (x, y, z): normals of the meniscus are turned no farther than to its silhouette. Left out:
    /// they may face away from who looks.
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
