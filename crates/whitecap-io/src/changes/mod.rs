//! Data from another program in other units, with another axis up, or under other names: what to
//! change so that it fits.
//!
//! # What is changed, in this order
//! 1. Columns (of a volume: grids) are renamed, then dropped.
//! 2. **Scale.** Positions are multiplied by it. So are the columns that are lengths or lengths per
//!    time by their names (`radius`, `velocity`, …); areas by its square, volumes by its cube,
//!    curvatures by its inverse. Other numbers stay as they are. Of a volume: cells, the values of
//!    level sets, and velocities.
//! 3. **Up.** If z was up, (x, y, z) becomes (x, z, −y): a turn about x, which mirrors nothing.
//!    Every column of vectors turns along, but colours; so do orientations (`orient`).
//! 4. **Translation**, in metres, of the result.
//! 5. **Flip.** Triangles are turned over and normals reversed.
//!
//! # Guarantees
//! A change that is not asked for leaves every bit as it is.
//!
//! # Non-guarantees
//! What a column means is known by its name only. Staggered grids are not turned.

mod columns;
mod grids;
pub mod motion;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Volume};

use columns::{changed_columns, named_columns};

/// Which axis points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// As everywhere here.
    #[default]
    Y,
    /// As in many modelling and engineering programs.
    Z,
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Columns to rename, from and to.
    pub renamed: Vec<(String, String)>,
    /// The only columns to keep, if not all.
    pub kept: Option<Vec<String>>,
    /// Columns to drop.
    pub dropped: Vec<String>,
    /// What every length is multiplied by.
    pub scale: f64,
    /// Which axis was up.
    pub up: Up,
    /// What is added to every position in the end.
    pub translation: Vec3,
    /// Whether triangles are turned over.
    pub flipped: bool,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            renamed: Vec::new(),
            kept: None,
            dropped: Vec::new(),
            scale: 1.0,
            up: Up::Y,
            translation: Vec3::ZERO,
            flipped: false,
        }
    }
}

/// Why data cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// There is no such column.
    #[error("there is no column `{name}`; the columns are: {found}")]
    NoColumn {
        /// The name that was asked for.
        name: String,
        /// Those that there are.
        found: String,
    },
    /// Two columns would have one name.
    #[error(
        "`{from}` cannot be called `{to}`: there is such a column already; rename or drop that one first"
    )]
    Taken {
        /// The column.
        from: String,
        /// The name.
        to: String,
    },
    /// A position does not fit into single precision.
    #[error("point {index} would be farther away than the largest number of single precision")]
    TooLarge {
        /// Which one.
        index: usize,
    },
    /// Only a mesh has triangles.
    #[error("only a mesh can be turned over")]
    NoTriangles,
    /// A staggered grid has its components in different places.
    #[error("the grid `{name}` is staggered, and such a grid cannot be turned; leave it out")]
    Staggered {
        /// The grid.
        name: String,
    },
}

impl Changes {
    /// The same columns under their new names, without those that are dropped.
    fn columns<'a>(
        &self,
        columns: impl Iterator<Item = (&'a str, &'a Column)>,
        is_empty: bool,
    ) -> Result<Vec<(String, Column)>, ChangeError> {
        let columns = columns.map(|(name, column)| (name.to_owned(), column.clone())).collect();
        let named = named_columns(self, columns, is_empty)?;
        Ok(changed_columns(self, named))
    }

    /// Where a position comes to lie.
    fn position(&self, position: Vec3) -> Vec3 {
        self.vector((self.scale * position.as_dvec3()).as_vec3()) + self.translation
    }

    /// A vector, turned.
    fn vector(&self, vector: Vec3) -> Vec3 {
        match self.up {
            Up::Y => vector,
            Up::Z => Vec3::new(vector.x, vector.z, -vector.y),
        }
    }

    /// Whether positions change.
    fn moves(&self) -> bool {
        self.scale != 1.0 || self.up != Up::Y || self.translation != Vec3::ZERO
    }

    fn positions(&self, positions: &[Vec3]) -> Result<Vec<Vec3>, ChangeError> {
        if !self.moves() {
            return Ok(positions.to_vec());
        }
        let moved: Vec<Vec3> = positions.iter().map(|&place| self.position(place)).collect();
        let overflows = |(from, to): (&Vec3, &Vec3)| from.is_finite() && !to.is_finite();
        match positions.iter().zip(&moved).position(overflows) {
            Some(index) => Err(ChangeError::TooLarge { index }),
            None => Ok(moved),
        }
    }

    /// Particles, changed.
    pub fn particles(&self, particles: &Particles) -> Result<Particles, ChangeError> {
        if self.flipped {
            return Err(ChangeError::NoTriangles);
        }
        let columns = self.columns(particles.attributes().iter(), particles.is_empty())?;
        let mut changed = Particles::new(self.positions(particles.positions())?);
        *changed.facts_mut() = particles.facts().clone();
        if self.scale != 1.0 {
            let radius = &mut changed.facts_mut().radius;
            *radius = radius.map(|radius| (self.scale * f64::from(radius)) as f32);
        }
        for (name, column) in columns {
            // As many values as before.
            let _ = changed.set_attribute(name, column);
        }
        Ok(changed)
    }

    /// A mesh, changed.
    pub fn mesh(&self, mesh: &TriMesh) -> Result<TriMesh, ChangeError> {
        let columns = self.columns(mesh.attributes().iter(), mesh.positions().is_empty())?;
        let positions = self.positions(mesh.positions())?;
        // The triangles fitted as many vertices before.
        let mut changed = TriMesh::new(positions, mesh.triangles().to_vec()).unwrap_or_default();
        if self.flipped {
            changed = changed.flipped();
        }
        for (name, column) in columns {
            let _ = changed.set_attribute(name, column);
        }
        Ok(changed)
    }

    /// A volume, changed; its grids are renamed and dropped like columns.
    pub fn volume(&self, volume: Volume) -> Result<Volume, ChangeError> {
        grids::changed(self, volume)
    }
}
