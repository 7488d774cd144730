//! Solids as distance functions.

use std::sync::Arc;

use glam::Vec3;
use whitecap_core::{Tile, TriMesh};
use whitecap_scene::Range;
use whitecap_surface::LevelSet;

use crate::liquid::{LiquidError, smooth_gradient};

/// A solid that the liquid touches: a distance, positive outside the solid, and a contact angle. A clone
/// shares its distances.
#[derive(Clone, Debug)]
pub struct Solid {
    name: String,
    geometry: Geometry,
    /// −1 for a container, whose outside is solid.
    sign: f32,
    contact_angle: f32,
}

/// Where the distance comes from; negative inside.
#[derive(Clone, Debug)]
enum Geometry {
    Field(Arc<LevelSet>),
    Cuboid { center: Vec3, half: Vec3 },
    Ball { center: Vec3, radius: f32 },
    HalfSpace { normal: Vec3, offset: f32 },
}

impl Solid {
    /// A solid from a closed mesh. Distances are stored on cells of size `cell` within `band` of the surface,
    /// both in metres; menisci end where the band ends, so it should be ten capillary lengths wide. The
    /// contact angle is in degrees, through the liquid.
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
        Self::new(name, Geometry::Field(Arc::new(level_set)), contact_angle)
    }

    /// A box along the axes.
    pub fn cuboid(
        name: &str,
        min: Vec3,
        max: Vec3,
        contact_angle: f32,
    ) -> Result<Self, LiquidError> {
        let geometry = Geometry::Cuboid { center: 0.5 * (min + max), half: 0.5 * (max - min) };
        Self::new(name, geometry, contact_angle)
    }

    /// A ball.
    pub fn ball(
        name: &str,
        center: Vec3,
        radius: f32,
        contact_angle: f32,
    ) -> Result<Self, LiquidError> {
        Self::new(name, Geometry::Ball { center, radius }, contact_angle)
    }

    /// Everything below a height.
    pub fn floor(name: &str, height: f32, contact_angle: f32) -> Result<Self, LiquidError> {
        Self::new(name, Geometry::HalfSpace { normal: Vec3::Y, offset: -height }, contact_angle)
    }

    fn new(name: &str, geometry: Geometry, contact_angle: f32) -> Result<Self, LiquidError> {
        Range::between(0.0, 180.0).check("contact-angle", contact_angle.into())?;
        Ok(Self { name: name.to_owned(), geometry, sign: 1.0, contact_angle })
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
        self.sign
            * match &self.geometry {
                Geometry::Field(level_set) => level_set.distance(point),
                Geometry::Cuboid { center, half } => {
                    let beyond = (point - center).abs() - half;
                    beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
                }
                Geometry::Ball { center, radius } => point.distance(*center) - radius,
                Geometry::HalfSpace { normal, offset } => point.dot(*normal) + offset,
            }
    }

    /// Unit vector away from the solid; zero beyond the band.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        self.sign
            * match &self.geometry {
                Geometry::Field(level_set) => {
                    smooth_gradient(level_set.grid(), point).normalize_or_zero()
                }
                Geometry::Cuboid { center, half } => {
                    let from = point - center;
                    let beyond = from.abs() - half;
                    let outside = beyond.max(Vec3::ZERO).normalize_or_zero();
                    let nearest = match beyond.max_position() {
                        0 => Vec3::X,
                        1 => Vec3::Y,
                        _ => Vec3::Z,
                    };
                    from.signum() * if outside == Vec3::ZERO { nearest } else { outside }
                }
                Geometry::Ball { center, .. } => (point - center).normalize_or_zero(),
                Geometry::HalfSpace { normal, .. } => *normal,
            }
    }

    /// Whether the surface near a point is flat enough to have a normal: not in an edge or a corner, as far
    /// as differences over `width` show (over a cell, if distances are stored on cells).
    pub(super) fn is_smooth(&self, point: Vec3, width: f32) -> bool {
        let gradient = match &self.geometry {
            Geometry::Field(level_set) => smooth_gradient(level_set.grid(), point),
            _ => {
                let slope = |axis: Vec3| {
                    let step = 0.5 * width * axis;
                    (self.distance(point + step) - self.distance(point - step)) / width
                };
                Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
            }
        };
        gradient.length() > 0.93
    }

    /// Whether the solid may be thinner than this somewhere.
    pub(super) fn may_be_thinner(&self, thickness: f32) -> bool {
        match self.geometry {
            Geometry::HalfSpace { .. } => false,
            Geometry::Field(_) => true,
            Geometry::Cuboid { half, .. } => {
                self.sign > 0.0 && 2.0 * half.min_element() < thickness
            }
            Geometry::Ball { radius, .. } => self.sign > 0.0 && 2.0 * radius < thickness,
        }
    }

    /// Distance beyond which distances are not known, in m.
    pub fn band(&self) -> f32 {
        match &self.geometry {
            Geometry::Field(level_set) => level_set.band(),
            _ => f32::INFINITY,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let tile = |tile: &Tile<f32>| size_of::<Tile<f32>>() + tile.dense().map_or(0, size_of_val);
        match &self.geometry {
            Geometry::Field(level_set) => level_set.grid().tiles().iter().map(tile).sum(),
            _ => 0,
        }
    }
}
