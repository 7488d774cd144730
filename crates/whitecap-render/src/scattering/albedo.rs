//! How much light a rough interface returns after one bounce, as tables.
//!
//! A microfacet model follows only one bounce; light that bounces between facets is lost and rough
//! surfaces are too dark. Dividing by the fraction that is kept restores it (Turquin 2019). The
//! same tables say how much light a glossy coat leaves to what lies below it.
//!
//! # Guarantees
//! Between its nodes a table is within 0.1 % of the integral for the models of this crate; tests
//! hold whole materials to 0.5 %.

use std::sync::OnceLock;

use glam::Vec3;
use rayon::prelude::*;

use crate::fresnel;
use crate::scattering::microfacet::{Ggx, mirrored, refracted};

/// Nodes over the cosine; close together near zero, where the albedo bends most.
const COSINES: usize = 48;
/// Nodes over the roughness, if it varies.
const ROUGHNESSES: usize = 25;
/// Points of the quadrature over facet normals. Refraction needs more, because total reflection and the
/// horizon cut it off along curves.
const REFLECTION_POINTS: usize = 4096;
const REFRACTION_POINTS: usize = 8192;

/// Albedo over the cosine of the direction and the roughness.
#[derive(Clone, Debug)]
pub(crate) struct AlbedoTable {
    /// Roughness of the first and the last row.
    roughness: [f32; 2],
    rows: Vec<[f32; COSINES]>,
    /// Mean of each row over a diffuse illumination: 2 ∫ E(μ) μ dμ.
    means: Vec<f32>,
}

impl AlbedoTable {
    /// Tabulates `albedo` (cosine, roughness); one row if the roughness does not vary.
    fn new(roughness: [f32; 2], albedo: impl Fn(f32, f32) -> f32 + Sync) -> Self {
        let count = if roughness[0] == roughness[1] { 1 } else { ROUGHNESSES };
        let cell = |cell: usize| {
            let (row, node) = (cell / COSINES, cell % COSINES);
            let t = if count == 1 { 0.0 } else { row as f32 / (count - 1) as f32 };
            albedo(cosine_of(node as f32), roughness[0] + t * (roughness[1] - roughness[0]))
        };
        let cells: Vec<f32> = (0..count * COSINES).into_par_iter().map(cell).collect();
        let rows: Vec<[f32; COSINES]> = cells.as_chunks().0.to_vec();
        let means = rows.iter().map(mean_of).collect();
        Self { roughness, rows, means }
    }

    /// Fraction of light kept by a rough mirror.
    pub(crate) fn of_mirror() -> &'static Self {
        static TABLE: OnceLock<AlbedoTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            Self::new([Ggx::SMOOTH, 1.0], |cosine, roughness| {
                average(cosine, roughness, REFLECTION_POINTS, reflected)
            })
        })
    }

    /// Fraction of light that a rough coat of relative `index` reflects.
    pub(crate) fn of_coat(roughness: [f32; 2], index: f32) -> Self {
        Self::new(roughness, |cosine, roughness| {
            if roughness < Ggx::SMOOTH {
                return fresnel::dielectric(cosine, index);
            }
            average(cosine, roughness, REFLECTION_POINTS, |ggx, from, normal| {
                reflected(ggx, from, normal) * fresnel::dielectric(from.dot(normal), index)
            })
        })
    }

    /// Fraction of light kept by a rough interface between transparent media, reflected and refracted
    /// together.
    pub(crate) fn of_interface(roughness: [f32; 2], index: f32) -> Self {
        Self::new(roughness, |cosine, roughness| {
            if roughness < Ggx::SMOOTH {
                return 1.0;
            }
            average(cosine, roughness, REFRACTION_POINTS, |ggx, from, normal| {
                let share = fresnel::dielectric(from.dot(normal), index);
                let through = refracted(from, normal, index).filter(|to| to.z < 0.0);
                let through =
                    through.map_or(0.0, |to| ggx.visible_from_both(from, to) / ggx.visible(from));
                share * reflected(ggx, from, normal) + (1.0 - share) * through
            })
        })
    }

    /// The albedo seen from a direction.
    pub(crate) fn at(&self, cosine: f32, roughness: f32) -> f32 {
        let (row, blend) = self.row(roughness);
        let along = |row: &[f32; COSINES]| {
            let place = node_of(cosine);
            let node = (place as usize).min(COSINES - 2);
            row[node] + (place - node as f32) * (row[node + 1] - row[node])
        };
        let first = along(&self.rows[row]);
        if blend == 0.0 { first } else { first + blend * (along(&self.rows[row + 1]) - first) }
    }

    /// The albedo under diffuse illumination.
    pub(crate) fn mean(&self, roughness: f32) -> f32 {
        let (row, blend) = self.row(roughness);
        let first = self.means[row];
        if blend == 0.0 { first } else { first + blend * (self.means[row + 1] - first) }
    }

    fn row(&self, roughness: f32) -> (usize, f32) {
        if self.rows.len() == 1 {
            return (0, 0.0);
        }
        let place = (roughness - self.roughness[0]) / (self.roughness[1] - self.roughness[0]);
        let last = (self.rows.len() - 1) as f32;
        let place = (place * last).clamp(0.0, last);
        let row = (place as usize).min(self.rows.len() - 2);
        (row, place - row as f32)
    }
}

/// Cosine at a position between nodes.
fn cosine_of(place: f32) -> f32 {
    let t = place / (COSINES - 1) as f32;
    (t * t).max(1e-4)
}

/// Position between nodes of a cosine.
fn node_of(cosine: f32) -> f32 {
    cosine.clamp(0.0, 1.0).sqrt() * (COSINES - 1) as f32
}

/// The mean of what [`AlbedoTable::at`] interpolates, so that coats keep energy exactly.
fn mean_of(row: &[f32; COSINES]) -> f32 {
    const STEPS: usize = 16;
    let count = (COSINES - 1) * STEPS;
    let mut sum = 0.0;
    for step in 0..count {
        let place = (step as f32 + 0.5) / STEPS as f32;
        let t = place / (COSINES - 1) as f32;
        let node = place as usize;
        let value = row[node] + (place - node as f32) * (row[node + 1] - row[node]);
        // μ = t², dμ = 2 t dt.
        sum += f64::from(value) * f64::from(2.0 * t * t * 2.0 * t);
    }
    (sum / count as f64) as f32
}

/// Fraction of light that a facet reflects out of the surface.
fn reflected(ggx: &Ggx, from: Vec3, normal: Vec3) -> f32 {
    let to = mirrored(from, normal);
    if to.z <= 0.0 { 0.0 } else { ggx.visible_from_both(from, to) / ggx.visible(from) }
}

/// Mean over the facets seen from a direction, at points spread evenly (Roberts 2018).
fn average(
    cosine: f32,
    roughness: f32,
    count: usize,
    value: impl Fn(&Ggx, Vec3, Vec3) -> f32,
) -> f32 {
    const STEPS: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let ggx = Ggx::from_roughness(roughness);
    let from = Vec3::new((1.0 - cosine * cosine).max(0.0).sqrt(), 0.0, cosine);
    let mut sum = 0.0f64;
    for index in 1..=count {
        let [around, outwards] = STEPS.map(|step| (0.5 + step * index as f64).fract() as f32);
        // Half of the circle is enough: the other half is its mirror image. GGX has a long tail,
        // where facets reflect light down into the surface; points are dense there.
        let left = 1.0 - outwards;
        let point = [0.5 * around, 1.0 - left * left * left];
        sum += f64::from(3.0 * left * left * value(&ggx, from, ggx.sample(from, point)));
    }
    (sum / count as f64) as f32
}
