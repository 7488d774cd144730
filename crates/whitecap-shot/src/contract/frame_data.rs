//! What is passed between stages: one frame of particles, a mesh, a volume or a picture.

use std::sync::Arc;

use whitecap_core::glam::Vec3;
use whitecap_core::{Attributes, GridValues, Particles, Tile, TriMesh, Volume};

use crate::contract::picture::Picture;

/// The data of one frame, shared: a clone is another handle on the same data.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameData {
    /// Particles with their attributes.
    Particles(Arc<Particles>),
    /// A triangle mesh.
    Mesh(Arc<TriMesh>),
    /// Named grids.
    Volume(Arc<Volume>),
    /// A picture.
    Picture(Arc<Picture>),
}

impl From<Particles> for FrameData {
    fn from(particles: Particles) -> Self {
        FrameData::Particles(Arc::new(particles))
    }
}

impl From<TriMesh> for FrameData {
    fn from(mesh: TriMesh) -> Self {
        FrameData::Mesh(Arc::new(mesh))
    }
}

impl From<Volume> for FrameData {
    fn from(volume: Volume) -> Self {
        FrameData::Volume(Arc::new(volume))
    }
}

impl From<Picture> for FrameData {
    fn from(picture: Picture) -> Self {
        FrameData::Picture(Arc::new(picture))
    }
}

/// The kinds of [`FrameData`], which stages declare so that a wrong connection is found before
/// anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataKind {
    /// Particles.
    Particles,
    /// A triangle mesh.
    Mesh,
    /// Named grids.
    Volume,
    /// A picture.
    Picture,
}

impl DataKind {
    /// The kind in words, for messages: `particles`, `a mesh`.
    pub fn in_words(self) -> &'static str {
        match self {
            DataKind::Particles => "particles",
            DataKind::Mesh => "a mesh",
            DataKind::Volume => "a volume",
            DataKind::Picture => "a picture",
        }
    }
}

/// When a frame happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTime {
    /// Number of the frame, as in file names.
    pub index: i64,
    /// Seconds since the first frame of the shot.
    pub time: f64,
    /// Seconds from this frame to the next.
    pub dt: f64,
}

impl FrameData {
    /// Which kind of data this is.
    pub fn kind(&self) -> DataKind {
        match self {
            FrameData::Particles(_) => DataKind::Particles,
            FrameData::Mesh(_) => DataKind::Mesh,
            FrameData::Volume(_) => DataKind::Volume,
            FrameData::Picture(_) => DataKind::Picture,
        }
    }

    /// Whether both are handles on the same data. Equal data elsewhere is not.
    pub fn is_same(&self, other: &FrameData) -> bool {
        match (self, other) {
            (FrameData::Particles(a), FrameData::Particles(b)) => Arc::ptr_eq(a, b),
            (FrameData::Mesh(a), FrameData::Mesh(b)) => Arc::ptr_eq(a, b),
            (FrameData::Volume(a), FrameData::Volume(b)) => Arc::ptr_eq(a, b),
            (FrameData::Picture(a), FrameData::Picture(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Says which value is not a finite number, if there is one.
    pub fn first_non_finite(&self) -> Option<String> {
        match self {
            FrameData::Particles(particles) => {
                non_finite_element("particle", particles.positions(), particles.attributes())
            }
            FrameData::Mesh(mesh) => {
                non_finite_element("vertex", mesh.positions(), mesh.attributes())
            }
            FrameData::Volume(volume) => {
                volume.grids.iter().find(|grid| !is_finite(&grid.values)).map(|grid| {
                    format!("the grid `{}` holds a value that is not a finite number", grid.name)
                })
            }
            // Depth is infinite where there is nothing; NaN light is never recorded.
            FrameData::Picture(_) => None,
        }
    }
}

fn is_finite(values: &GridValues) -> bool {
    fn all<T>(tiles: &[Tile<T>], finite: impl Fn(&T) -> bool) -> bool {
        tiles.iter().all(|tile| match tile {
            Tile::Constant(value) => finite(value),
            Tile::Dense(values) => values.iter().all(&finite),
        })
    }
    match values {
        GridValues::Scalar(grid) => all(grid.tiles(), |value| value.is_finite()),
        GridValues::Vector(grid) => all(grid.tiles(), |value| value.is_finite()),
    }
}

fn non_finite_element(
    element: &str,
    positions: &[Vec3],
    attributes: &Attributes,
) -> Option<String> {
    if let Some(index) = positions.iter().position(|position| !position.is_finite()) {
        let value = positions[index];
        return Some(format!("{element} {index} is at {value}, which is not a finite position"));
    }
    attributes.iter().find_map(|(name, column)| {
        let index = column.first_non_finite()?;
        Some(format!("the {name} of {element} {index} is not a finite number"))
    })
}
