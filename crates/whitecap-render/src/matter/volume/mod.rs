//! Media that scatter and absorb light: snow, mist, foam, smoke.
//!
//! A [`VolumeObject`] is a [`Medium`] and a density. As in Dagenais et al. 2016 (section 3.5), the base
//! layer of snow is a constant density inside a closed shape, snow particles are a union of spheres
//! with a soft rim, and mist is a density grid; all three scatter by the same medium, so that their
//! borders do not show.
//!
//! # Guarantees
//! * [`VolumeObject::sample_scatter`] and [`VolumeObject::transmittance`] are unbiased: the first is
//!   delta tracking (Woodcock et al. 1965), the second ratio tracking (Novák, Selle & Jarosz 2014),
//!   both with local majorants. A constant density is solved in closed form instead.
//! * A result depends only on the ray and the state of the sampler.
//! * Several volumes may overlap: the nearest of their scatters is a scatter of the sum, and the
//!   product of their transmittances is the transmittance of the sum.
//!
//! # Non-guarantees
//! The surface around a constant density must be closed and must not intersect itself. Grids are at
//! rest during the shutter; spheres move with their velocity.

mod error;
mod majorants;
mod medium;
mod phase;
mod spheres;
mod stretches;
mod tracking;

pub use error::VolumeError;
pub use medium::Medium;
pub use phase::HenyeyGreenstein;
pub use spheres::{Sphere, SphereUnion};

use std::sync::Arc;

use glam::Vec3;
use whitecap_core::{Bounds, SparseGrid};

use crate::{Ray, Sampler, Shape};
use majorants::MajorantGrid;
use stretches::{clip, inside_stretches};

/// A scattering medium in space.
pub struct VolumeObject {
    medium: Medium,
    density: Density,
}

/// Where light hit the medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    /// Distance along the ray, in m.
    pub distance: f32,
    /// The fraction of light that continues, in each colour: the factor for the path's weight.
    pub albedo: Vec3,
    /// Radiance that the medium itself sends along the ray from here: add it, times the path's weight
    /// before `albedo`. Zero for a medium that does not glow.
    pub emission: Vec3,
    /// How light continues.
    pub phase: HenyeyGreenstein,
}

enum Density {
    Uniform { region: Region, density: f32 },
    Varying { field: Field, majorants: MajorantGrid },
}

enum Region {
    Box(Bounds),
    Shape(Arc<dyn Shape>),
}

enum Field {
    Grid(Arc<SparseGrid<f32>>),
    Spheres(SphereUnion),
}

impl VolumeObject {
    /// A constant density inside a box.
    pub fn in_box(bounds: Bounds, density: f32, medium: Medium) -> Result<Self, VolumeError> {
        Self::uniform(Region::Box(bounds), density, medium)
    }

    /// A constant density inside a closed shape. The surface itself neither reflects nor refracts.
    pub fn in_shape(
        shape: Arc<dyn Shape>,
        density: f32,
        medium: Medium,
    ) -> Result<Self, VolumeError> {
        Self::uniform(Region::Shape(shape), density, medium)
    }

    fn uniform(region: Region, density: f32, medium: Medium) -> Result<Self, VolumeError> {
        medium.check()?;
        if !(density >= 0.0 && density.is_finite()) {
            return Err(VolumeError::Density { value: density });
        }
        Ok(Self { medium, density: Density::Uniform { region, density } })
    }

    /// The density of a grid, interpolated trilinearly. Negative values count as zero.
    pub fn from_grid(grid: Arc<SparseGrid<f32>>, medium: Medium) -> Result<Self, VolumeError> {
        medium.check()?;
        let majorants = MajorantGrid::of_grid(&grid)?;
        Ok(Self { medium, density: Density::Varying { field: Field::Grid(grid), majorants } })
    }

    /// Density one inside any of the spheres, falling off smoothly to zero over half a radius around.
    pub fn from_spheres(spheres: SphereUnion, medium: Medium) -> Result<Self, VolumeError> {
        medium.check()?;
        let majorants = MajorantGrid::of_spheres(&spheres);
        Ok(Self { medium, density: Density::Varying { field: Field::Spheres(spheres), majorants } })
    }

    /// The medium.
    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// A box outside which the density is zero during the whole shutter.
    pub fn bounds(&self) -> Bounds {
        match &self.density {
            Density::Uniform { region: Region::Box(bounds), .. } => *bounds,
            Density::Uniform { region: Region::Shape(shape), .. } => shape.bounds(),
            Density::Varying { majorants, .. } => majorants.bounds(),
        }
    }

    /// Bytes held. A shape's own are left out: it may be in the scene as well.
    pub fn bytes(&self) -> usize {
        match &self.density {
            Density::Uniform { .. } => size_of::<Self>(),
            Density::Varying { field, majorants } => majorants.bytes() + field.bytes(),
        }
    }

    /// The density at a point and a moment of the shutter.
    pub fn density(&self, point: Vec3, time: f32) -> f32 {
        match &self.density {
            Density::Uniform { region, density } => match region.contains(point, time) {
                true => *density,
                false => 0.0,
            },
            Density::Varying { field, .. } => field.density(point, time),
        }
    }

    /// The first point where light along the ray hits the medium before the ray's far end; `None`
    /// if it passes through.
    pub fn sample_scatter(&self, ray: &Ray, sampler: &mut Sampler) -> Option<Scatter> {
        let extinction = self.medium.extinction;
        let distance = match &self.density {
            Density::Uniform { region, density } => {
                tracking::sample_uniform(region.stretches(ray), extinction * density, sampler)
            }
            Density::Varying { field, majorants } => {
                let density = |distance: f32| field.density(ray.at(distance), ray.time);
                tracking::sample_varying(majorants.segments(ray), extinction, density, sampler)
            }
        }?;
        Some(Scatter {
            distance,
            albedo: self.medium.albedo,
            emission: self.medium.emission / extinction,
            phase: HenyeyGreenstein::new(self.medium.anisotropy),
        })
    }

    /// The fraction of light that gets from the ray's origin to its far end; exact on average, from
    /// 0 to 1 each time.
    pub fn transmittance(&self, ray: &Ray, sampler: &mut Sampler) -> Vec3 {
        let extinction = self.medium.extinction;
        Vec3::splat(match &self.density {
            Density::Uniform { region, density } => {
                let inside: f32 = region.stretches(ray).map(|(start, end)| end - start).sum();
                (-extinction * density * inside).exp()
            }
            Density::Varying { field, majorants } => {
                let density = |distance: f32| field.density(ray.at(distance), ray.time);
                tracking::transmittance(majorants.segments(ray), extinction, density, sampler)
            }
        })
    }
}

impl Region {
    fn contains(&self, point: Vec3, time: f32) -> bool {
        match self {
            Region::Box(bounds) => bounds.contains(point),
            Region::Shape(shape) => shape.contains(point, time),
        }
    }

    /// The parts of the ray inside, in order.
    fn stretches<'a>(&'a self, ray: &Ray) -> Box<dyn Iterator<Item = (f32, f32)> + 'a> {
        match self {
            Region::Box(bounds) => Box::new(clip(ray, bounds).into_iter()),
            Region::Shape(shape) => Box::new(inside_stretches(shape.as_ref(), ray)),
        }
    }
}

impl Field {
    fn density(&self, point: Vec3, time: f32) -> f32 {
        match self {
            Field::Grid(grid) => grid.sample(point).max(0.0),
            Field::Spheres(spheres) => spheres.density(point, time),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Field::Grid(grid) => {
                let dense = grid.tiles().iter().filter(|tile| tile.dense().is_some()).count();
                dense * whitecap_core::sparse_grid::TILE_NODES * size_of::<f32>()
            }
            Field::Spheres(spheres) => spheres.bytes(),
        }
    }
}

#[cfg(test)]
mod tests;
