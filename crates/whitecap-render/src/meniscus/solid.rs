//! Solids as distance fields.

use glam::Vec3;
use whitecap_core::{Tile, TriMesh};
use whitecap_surface::LevelSet;

use crate::liquid::{LiquidError, smooth_gradient};

/// A solid that the liquid touches: a distance field, positive outside the solid, and a contact angle.
#[derive(Clone, Debug)]
pub struct Solid {
    name: String,
    level_set: LevelSet,
    /// −1 for a container, whose outside is solid.
    sign: f32,
    contact_angle: f32,
}

impl Solid {
    /// A solid from a closed mesh. Distances are kept on cells of `cell` within `band` of the surface,
    /// both in metres; menisci end where the band ends, so it should be ten capillary lengths wide.
    /// The contact angle is in degrees, through the liquid.
    pub fn from_mesh(
        name: &str,
        mesh: &TriMesh,
        cell: f32,
        band: f32,
        contact_angle: f32,
    ) -> Result<Self, LiquidError> {
        let level_set = LevelSet::from_mesh(mesh, cell, band)
            .map_err(|error| LiquidError::Solid { name: name.to_owned(), error })?;
        Self::from_level_set(name, level_set, contact_angle)
    }

    /// A solid from a level set that is negative inside it.
    pub fn from_level_set(
        name: &str,
        level_set: LevelSet,
        contact_angle: f32,
    ) -> Result<Self, LiquidError> {
        if !(0.0..=180.0).contains(&contact_angle) {
            return Err(LiquidError::Range {
                name: "the contact angle of a solid",
                value: contact_angle,
                low: 0.0,
                high: 180.0,
                unit: "degrees",
            });
        }
        Ok(Self { name: name.to_owned(), level_set, sign: 1.0, contact_angle })
    }

    /// The same surface with solid and free space exchanged: a tank whose mesh encloses the liquid.
    pub fn container(mut self) -> Self {
        self.sign = -self.sign;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Contact angle in radians.
    pub fn contact_angle(&self) -> f32 {
        self.contact_angle.to_radians()
    }

    /// Distance of a point, positive outside the solid, in m; ± the band where it is farther.
    #[inline]
    pub fn distance(&self, point: Vec3) -> f32 {
        self.sign * self.level_set.distance(point)
    }

    /// Unit vector away from the solid; zero beyond the band.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        (self.sign * smooth_gradient(self.level_set.grid(), point)).normalize_or_zero()
    }

    /// Whether the surface near a point is flat enough to have a normal: not in an edge or a corner.
    pub(super) fn is_smooth(&self, point: Vec3) -> bool {
        smooth_gradient(self.level_set.grid(), point).length() > 0.93
    }

    /// Distance beyond which distances are not known, in m.
    pub fn band(&self) -> f32 {
        self.level_set.band()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let tile = |tile: &Tile<f32>| size_of::<Tile<f32>>() + tile.dense().map_or(0, size_of_val);
        self.level_set.grid().tiles().iter().map(tile).sum()
    }
}
