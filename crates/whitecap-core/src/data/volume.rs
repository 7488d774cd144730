//! Named grids: what a `.vdb` file holds.

use glam::Vec3;

use crate::SparseGrid;

/// The meaning of a grid's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridClass {
    /// Signed distance in metres, negative inside.
    LevelSet,
    /// A density: zero outside, positive inside.
    Fog,
    /// Velocity components on cell faces.
    Staggered,
    /// Anything else.
    Unknown,
}

/// Scalar or vector values.
#[derive(Clone, Debug, PartialEq)]
pub enum GridValues {
    /// One number per node.
    Scalar(SparseGrid<f32>),
    /// Three numbers per node.
    Vector(SparseGrid<Vec3>),
}

/// A named grid.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeGrid {
    /// Name, such as `surface` or `density`.
    pub name: String,
    /// Meaning of the values.
    pub class: GridClass,
    /// The values.
    pub values: GridValues,
}

/// Several named grids of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    /// The grids, in file order.
    pub grids: Vec<VolumeGrid>,
}

impl Volume {
    /// The grid called `name`.
    pub fn grid(&self, name: &str) -> Option<&VolumeGrid> {
        self.grids.iter().find(|grid| grid.name == name)
    }
}
