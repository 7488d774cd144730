//! The surface in a bounded number of samples per λ_c, so that sums at that scale cost the same
//! however fine the points are. Mercier et al. 2015 name such a hierarchy as future work (§4.5).
//!
//! Space is cut into cells of λ_c / 4. The points of a cell that face the same way become one
//! sample, with their area-weighted mean position, mean normal and total area; the two sides of a
//! thin sheet stay apart. With [`Sums::Exact`] each point is its own sample.
//!
//! # Guarantees
//! * Total area and its first moment are those of the points, so a kernel that is linear over a
//!   cell is summed exactly.
//! * Samples depend on the points alone, not on the number of threads.
//!
//! # Non-guarantees
//! * On a curved surface a mean lies below the surface by about the square of half a cell over
//!   twice the radius of curvature.

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::morton::{self, MortonSort};
use whitecap_core::neighbours::NeighbourGrid;

/// Cells of samples per λ_c.
const CELLS_PER_COARSE: f32 = 4.0;
/// Points whose normals differ by less than the angle of this cosine (60°) share a sample.
pub(super) const SAME_SIDE: f32 = 0.5;

/// How sums over a neighbourhood of λ_c are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sums {
    /// Over samples of λ_c / 4: the cost per point does not grow as the points get finer.
    #[default]
    Hierarchical,
    /// Over every point, as Mercier et al. 2015 do.
    Exact,
}

/// Samples of a surface, each with a position, a unit normal and an area.
#[derive(Clone, Debug, Default)]
pub struct Aggregates {
    grid: NeighbourGrid,
    normal: Vec<Vec3>,
    area: Vec<f32>,
    /// Points of each sample, one after the other.
    members: Vec<u32>,
    starts: Vec<u32>,
}

impl Aggregates {
    /// Samples of the points, whose scale is `coarse` (λ_c).
    ///
    /// # Panics
    /// If the columns differ in length or `coarse` is not a positive length.
    pub fn build(
        positions: &[Vec3],
        normals: &[Vec3],
        areas: &[f32],
        coarse: f32,
        sums: Sums,
    ) -> Self {
        assert_eq!(positions.len(), normals.len(), "one normal per point");
        assert_eq!(positions.len(), areas.len(), "one area per point");
        let (members, starts) = match sums {
            Sums::Hierarchical => clusters(positions, normals, coarse / CELLS_PER_COARSE),
            Sums::Exact => {
                ((0..positions.len() as u32).collect(), (0..=positions.len() as u32).collect())
            }
        };
        let means: Vec<Mean> = (0..starts.len().saturating_sub(1))
            .into_par_iter()
            .with_min_len(256)
            .map(|sample| {
                let range = starts[sample] as usize..starts[sample + 1] as usize;
                mean(&members[range], positions, normals, areas)
            })
            .collect();
        let means_position: Vec<Vec3> = means.iter().map(|mean| mean.position).collect();
        let grid = NeighbourGrid::build(&means_position, coarse);
        let mut aggregates = Self { grid, ..Self::default() };
        aggregates.starts.push(0);
        for &sample in aggregates.grid.order() {
            let sample = sample as usize;
            aggregates.normal.push(means[sample].normal);
            aggregates.area.push(means[sample].area);
            let range = starts[sample] as usize..starts[sample + 1] as usize;
            aggregates.members.extend_from_slice(&members[range]);
            aggregates.starts.push(aggregates.members.len() as u32);
        }
        aggregates
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.area.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Calls `visit(position, normal, area)` for every sample within `radius` of `point` whose normal
    /// is less than a right angle from `normal`, in an order that depends only on the samples.
    #[inline]
    pub fn for_each_within(
        &self,
        point: Vec3,
        normal: Vec3,
        radius: f32,
        mut visit: impl FnMut(Vec3, Vec3, f32),
    ) {
        self.grid.for_each_within(point, radius, |sample, _| {
            if self.normal[sample].dot(normal) > 0.0 {
                visit(self.grid.positions()[sample], self.normal[sample], self.area[sample]);
            }
        });
    }
}

/// One sample.
pub(super) struct Mean {
    pub position: Vec3,
    pub normal: Vec3,
    pub area: f32,
}

/// The sample of some points.
pub(super) fn mean(members: &[u32], positions: &[Vec3], normals: &[Vec3], areas: &[f32]) -> Mean {
    if let &[only] = members {
        let only = only as usize;
        return Mean { position: positions[only], normal: normals[only], area: areas[only] };
    }
    // Relative to one of them, so that nothing is lost far from the origin.
    let origin = positions[members[0] as usize];
    let (mut moment, mut normal, mut area) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for &member in members {
        let member = member as usize;
        moment += areas[member] * (positions[member] - origin);
        normal += areas[member] * normals[member];
        area += areas[member];
    }
    let normal = normal.normalize_or(normals[members[0] as usize]);
    Mean { position: origin + moment / area, normal, area }
}

/// Points by cell and orientation: (members, starts).
fn clusters(positions: &[Vec3], normals: &[Vec3], cell: f32) -> (Vec<u32>, Vec<u32>) {
    let inverse = 1.0 / f64::from(cell);
    let limit = DVec3::splat(f64::from(morton::LIMIT - 1));
    let cell_of = |position: Vec3| -> IVec3 {
        (position.as_dvec3() * inverse).floor().clamp(-limit, limit).as_ivec3()
    };
    let mut sort = MortonSort::default();
    sort.sort(positions.len(), |i| morton::encode(cell_of(positions[i])));
    let sorted: Vec<(u64, u32)> = sort.sorted().collect();
    let mut members = Vec::with_capacity(positions.len());
    let mut starts = vec![0];
    let mut sides: Vec<(Vec3, Vec<u32>)> = Vec::new();
    for run in sorted.chunk_by(|a, b| a.0 == b.0) {
        sides.clear();
        for &(_, point) in run {
            let normal = normals[point as usize];
            match sides.iter_mut().find(|side| side.0.normalize_or_zero().dot(normal) > SAME_SIDE) {
                Some((sum, side)) => {
                    *sum += normal;
                    side.push(point);
                }
                None => sides.push((normal, vec![point])),
            }
        }
        for (_, side) in &sides {
            members.extend_from_slice(side);
            starts.push(members.len() as u32);
        }
    }
    (members, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(count: usize, height: f32, normal: Vec3) -> (Vec<Vec3>, Vec<Vec3>) {
        let place = |i: usize| {
            Vec3::new((i % count) as f32 / count as f32, height, (i / count) as f32 / count as f32)
        };
        ((0..count * count).map(place).collect(), vec![normal; count * count])
    }

    /// Contract: on a thin sheet, the area seen from one side is that side's alone and equals the
    /// exact sum to 1 %; there are far fewer samples than points.
    #[test]
    fn sides_stay_apart_and_areas_add_up() {
        let (mut positions, mut normals) = sheet(60, 0.001, Vec3::Y);
        let (below, down) = sheet(60, -0.001, -Vec3::Y);
        positions.extend(below);
        normals.extend(down);
        let areas = vec![1.0; positions.len()];
        let build = |sums| Aggregates::build(&positions, &normals, &areas, 0.3, sums);
        let (few, all) = (build(Sums::Hierarchical), build(Sums::Exact));
        assert_eq!(all.len(), positions.len());
        assert!(few.len() * 10 < all.len(), "{} samples", few.len());
        let sum = |aggregates: &Aggregates| {
            let middle = Vec3::new(0.51, 0.0, 0.48);
            let (mut sum, mut weights) = (0.0, 0.0);
            aggregates.for_each_within(middle, Vec3::Y, 0.3, |position, normal, area| {
                assert_eq!(normal, Vec3::Y);
                let weight = area * (1.0 - position.distance(middle) / 0.3);
                sum += weight * (position.x - middle.x);
                weights += weight;
            });
            (sum / weights, weights)
        };
        let ((offset, weight), (exact_offset, exact_weight)) = (sum(&few), sum(&all));
        assert!((weight / exact_weight - 1.0).abs() < 0.01, "{weight} against {exact_weight}");
        assert!((offset - exact_offset).abs() < 0.01 * 0.3, "{offset} against {exact_offset}");
    }
}
