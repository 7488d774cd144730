//! φ, the coarse surface of the particles as a signed distance (Dagenais et al. 2017, §2.3.1):
//! averaged positions with the correction of Solenthaler et al. 2007, on cells of half a particle
//! spacing that stay where they are from frame to frame, made a distance in a band.

use rayon::prelude::*;
use whitecap_core::{Particles, SparseGrid, Tile, TriMesh, Watch};
use whitecap_surface::{Method, SurfaceSettings, implicit_field, marching_cubes};

use crate::error::TrackError;
use crate::projection::coarse_distance::distance_to;

/// Distance of the averaged position from a point on a flat surface of evenly spread particles, as a
/// fraction of the support: with this radius, φ = 0 lies on the surface of the liquid, half a spacing
/// outside the outermost particles, for any support. (∫ s³ k ds / 2 ∫ s² k ds with k = (1 − s²)³.)
const FLAT_OFFSET: f32 = 0.246;

/// The coarse surface of one frame.
#[derive(Clone, Debug)]
pub(crate) struct CoarseSurface {
    /// φ in metres, negative inside; ± the band beyond it.
    pub distance: SparseGrid<f32>,
    /// Half width of the band.
    pub band: f32,
    /// φ = 0.
    pub mesh: TriMesh,
}

impl CoarseSurface {
    /// The surface of the particles, moved outwards by `offset` metres.
    pub fn build(
        particles: &Particles,
        spacing: f32,
        support: f32,
        (band, offset): (f32, f32),
        watch: &dyn Watch,
    ) -> Result<Self, TrackError> {
        let settings = SurfaceSettings {
            method: Method::Solenthaler,
            radius: Some(FLAT_OFFSET * support * spacing),
            cell: Some(0.5 * spacing),
            support: Some(support * spacing),
            ..SurfaceSettings::default()
        };
        let field = implicit_field(particles, &settings, watch)?;
        let distance = distance_to(&field, &marching_cubes::extract(&field), band)?;
        let mut coarse = Self { distance, band, mesh: TriMesh::default() };
        coarse.grow(offset);
        Ok(coarse)
    }

    /// Moves the surface outwards, if at all.
    pub fn grow_if_moved(&mut self, by: f32) {
        if by != 0.0 {
            self.grow(by);
        }
    }

    /// Moves the surface outwards by some metres, which are few compared with the band.
    pub fn grow(&mut self, by: f32) {
        let band = self.band;
        if by != 0.0 {
            self.distance.tiles_mut().par_iter_mut().for_each(|tile| {
                if let Tile::Dense(values) = tile {
                    for value in values.iter_mut().filter(|value| value.abs() < band) {
                        *value = (*value - by).clamp(-band, band);
                    }
                }
            });
        }
        // The slope of the field varies, which shifts its facets; those of a distance are
        // closer to the surface.
        self.mesh = marching_cubes::extract(&self.distance);
    }
}
