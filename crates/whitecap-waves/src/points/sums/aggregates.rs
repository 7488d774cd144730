//! The surface as a bounded number of samples per λ_c, so that sums at that scale cost the same
//! however fine the points are. Mercier et al. 2015 name such a hierarchy as future work (§4.5).
//!
//! Space is cut into cells of λ_c / 4. The points of a cell that face the same way become one
//! sample, with their area-weighted mean position, mean normal and total area; the two sides of a
//! thin sheet stay separate. With [`Sums::Exact`] each point is its own sample.
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

use super::lanes::{Oriented, Row, oriented};
use super::near_box::{NearBox, PositionColumns};

/// Cells of samples per λ_c.
const CELLS_PER_COARSE: f32 = 4.0;
/// Points whose normals differ by less than the angle of this cosine (60°) share a sample.
pub(crate) const SAME_SIDE: f32 = 0.5;

/// How sums over a neighbourhood of λ_c are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sums {
    /// Over samples of λ_c / 4: the cost per point does not grow as the points get finer.
    #[default]
    Hierarchical,
    /// Over every point, as Mercier et al. 2015 do.
    Exact,
}

/// Points that share a search.
const MOST_SHARING: usize = 32;
/// Points per task.
const POINTS_PER_TASK: usize = 1024;

/// Samples of a surface, each with a position, a unit normal and an area.
#[derive(Clone, Debug, Default)]
pub struct Aggregates {
    grid: NeighbourGrid,
    columns: PositionColumns,
    /// In the order of the grid.
    rows: Vec<Row>,
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
        let mut columns = PositionColumns::default();
        columns.fill(grid.positions());
        let row = |&sample: &u32| {
            let mean = &means[sample as usize];
            oriented(mean.position, mean.normal, mean.area)
        };
        let rows = grid.order().par_iter().with_min_len(1024).map(row).collect();
        Self { grid, columns, rows }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The result of `sum` for each of `positions`: it gets the index, and all samples within `radius` of
    /// the position (and some others). Consecutive positions that are close share a search.
    pub(crate) fn sums<T: Send>(
        &self,
        positions: &[Vec3],
        radius: f32,
        sum: impl Fn(usize, &Oriented) -> T + Sync,
    ) -> Vec<T> {
        let tasks = positions.len().div_ceil(POINTS_PER_TASK);
        let parts: Vec<Vec<T>> = (0..tasks)
            .into_par_iter()
            .map(|task| {
                let end = ((task + 1) * POINTS_PER_TASK).min(positions.len());
                let mut values = Vec::with_capacity(POINTS_PER_TASK);
                let (mut lanes, mut near) = (Oriented::default(), Vec::new());
                let mut first = task * POINTS_PER_TASK;
                while first < end {
                    let (bounds, count) = close_ones(&positions[first..end], 0.5 * radius);
                    self.collect_near(bounds, radius, &mut near, &mut lanes);
                    values.extend((first..first + count).map(|index| sum(index, &lanes)));
                    first += count;
                }
                values
            })
            .collect();
        parts.into_iter().flatten().collect()
    }

    fn collect_near(
        &self,
        [min, max]: [Vec3; 2],
        radius: f32,
        near: &mut Vec<u32>,
        lanes: &mut Oriented,
    ) {
        near.clear();
        let near_box = NearBox::new([min, max], radius);
        self.grid.for_each_cell_in_box(min - radius, max + radius, |range| {
            self.columns.collect_near(range, &near_box, near);
        });
        lanes.fill(near, &self.rows);
    }
}

/// How many of the first positions lie in a box that is not wider than `width`, and that box.
fn close_ones(positions: &[Vec3], width: f32) -> ([Vec3; 2], usize) {
    let mut bounds = [positions[0]; 2];
    for (count, &position) in positions.iter().enumerate().take(MOST_SHARING) {
        let grown = [bounds[0].min(position), bounds[1].max(position)];
        if (grown[1] - grown[0]).max_element() > width {
            return (bounds, count);
        }
        bounds = grown;
    }
    (bounds, positions.len().min(MOST_SHARING))
}

/// One sample.
pub(crate) struct Mean {
    pub position: Vec3,
    pub normal: Vec3,
    pub area: f32,
}

/// The sample of some points.
pub(crate) fn mean(members: &[u32], positions: &[Vec3], normals: &[Vec3], areas: &[f32]) -> Mean {
    if let &[only] = members {
        let only = only as usize;
        return Mean { position: positions[only], normal: normals[only], area: areas[only] };
    }
    // Relative to one of them, so that no digits are lost far from the origin.
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
    use wide::f32x8;

    use super::*;

    fn sheet(count: usize, height: f32, normal: Vec3) -> (Vec<Vec3>, Vec<Vec3>) {
        let place = |i: usize| {
            Vec3::new((i % count) as f32 / count as f32, height, (i / count) as f32 / count as f32)
        };
        ((0..count * count).map(place).collect(), vec![normal; count * count])
    }

    /// Contract: on a thin sheet, the area seen from one side is that side's only and equals the
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
            let samples = aggregates.sums(&[middle], 0.3, |_, lanes| lanes.clone());
            for group in samples[0].groups() {
                let [x, y, z, _, up, _, areas] = group.map(f32x8::to_array);
                for lane in 0..8 {
                    let distance = middle.distance(Vec3::new(x[lane], y[lane], z[lane]));
                    if distance < 0.3 && up[lane] > 0.0 {
                        assert_eq!(up[lane], 1.0);
                        let weight = areas[lane] * (1.0 - distance / 0.3);
                        sum += weight * (x[lane] - middle.x);
                        weights += weight;
                    }
                }
            }
            (sum / weights, weights)
        };
        let ((offset, weight), (exact_offset, exact_weight)) = (sum(&few), sum(&all));
        assert!((weight / exact_weight - 1.0).abs() < 0.01, "{weight} against {exact_weight}");
        assert!((offset - exact_offset).abs() < 0.01 * 0.3, "{offset} against {exact_offset}");
    }
}
