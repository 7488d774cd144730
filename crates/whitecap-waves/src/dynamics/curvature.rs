//! The curvature that says where a liquid is under-resolved (Mercier et al. 2015, Eq. 4.13): the
//! mean distance of the surface within λ_c below the tangent plane of a point, weighted by the
//! triangular kernel and by area. In metres; positive on a crest, negative in a trough.
//!
//! A drop of radius λ_c has 0.15 λ_c, the edge of a sheet of thickness 2 λ_c has 0.0771413 λ_c, a
//! plane has none (Appendix A).
//!
//! # Guarantees
//! * The measure is a mean of distances below λ_c, so it is never larger than λ_c.

use rayon::prelude::*;

use crate::points::{Aggregates, SurfacePoints};

/// The curvature of each point, from samples of the surface at the scale `coarse` (λ_c).
pub fn curvatures(points: &SurfacePoints, aggregates: &Aggregates, coarse: f32) -> Vec<f32> {
    let of = |point: usize| {
        let (here, normal) = (points.position[point], points.normal[point]);
        let (mut below, mut total) = (0.0, 0.0);
        aggregates.for_each_within(here, normal, coarse, |position, _, area| {
            let offset = here - position;
            let weight = (1.0 - offset.length() / coarse).max(0.0) * area;
            below += weight * normal.dot(offset);
            total += weight;
        });
        if total > 0.0 { below / total } else { 0.0 }
    };
    (0..points.len()).into_par_iter().with_min_len(256).map(of).collect()
}
