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
use wide::f32x8;

use crate::points::{Aggregates, Neighbourhood, SurfacePoints, dot, offsets, splat};

/// The curvature of each point, from samples of the surface at the scale `coarse` (λ_c).
pub fn curvatures(points: &SurfacePoints, aggregates: &Aggregates, coarse: f32) -> Vec<f32> {
    let inverse_radius = f32x8::splat(1.0 / coarse);
    aggregates.sums(&points.position, coarse, |point, samples| {
        let (here, normal) = (splat(points.position[point]), splat(points.normal[point]));
        let (mut below, mut total) = (f32x8::ZERO, f32x8::ZERO);
        for group in samples.groups() {
            let offset = offsets(group, here);
            let distance = dot(offset, offset).sqrt() * inverse_radius;
            let kernel = (f32x8::ONE - distance).fast_max(f32x8::ZERO);
            let faces = dot(normal, [group[3], group[4], group[5]]).simd_gt(f32x8::ZERO);
            let weight = faces.bitselect(kernel * group[6], f32x8::ZERO);
            below -= weight * dot(normal, offset);
            total += weight;
        }
        let total = total.reduce_add();
        if total > 0.0 { below.reduce_add() / total } else { 0.0 }
    })
}

/// How far the curvature of each point is from its usual value there, in metres. `usual` follows the
/// curvature with the given memory, in frames; without memory the change is the curvature itself.
///
/// The edge of a pool along a wall and a drop in flight are strongly curved too, although nothing happens
/// there. Seeding by the change leaves them alone, unlike seeding by curvature as in the paper. Points
/// drift a little along the surface, so anything that is usual among the neighbours is usual.
pub(super) fn changes(
    curvatures: &[f32],
    neighbourhood: &Neighbourhood,
    usual: &mut [f32],
    memory: f32,
) -> Vec<f32> {
    if memory <= 0.0 {
        usual.copy_from_slice(curvatures);
        return curvatures.par_iter().map(|curvature| curvature.abs()).collect();
    }
    usual.par_iter_mut().zip(curvatures).with_min_len(1024).for_each(|(usual, &curvature)| {
        if usual.is_nan() {
            *usual = curvature;
        }
    });
    let known = &*usual;
    let change = |point: usize| {
        let neighbours = neighbourhood.of(point).iter().map(|&other| known[other as usize]);
        let own = known[point];
        let (low, high) =
            neighbours.fold((own, own), |(low, high), value| (low.min(value), high.max(value)));
        (curvatures[point] - high).max(low - curvatures[point]).max(0.0)
    };
    let changes = (0..curvatures.len()).into_par_iter().with_min_len(1024).map(change).collect();
    let follow = 1.0 - (-1.0 / memory).exp();
    usual.par_iter_mut().zip(curvatures).with_min_len(1024).for_each(|(usual, &curvature)| {
        *usual += follow * (curvature - *usual);
    });
    changes
}
