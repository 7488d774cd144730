//! How far the surface must stay above the ground of each column so that no vertex of the terrain's mesh
//! sticks out of a thin film (Dagenais et al. 2018, §4.4, Eqs. 6 and 7). Computed once for a terrain.
//!
//! # Guarantees
//! Where all corners of a triangle of the surface are at or above their minimum, no terrain vertex of the
//! same layer lies above it, except the vertices counted in [`MinimumHeights::skipped`].
//!
//! The paper demands that the bilinear surface of four columns lies above the vertex. Triangles may
//! lie below it, so they are tested too, for both diagonals.

use whitecap_core::TriMesh;

use crate::liquid::columns::Columns;

/// A terrain vertex must lie this far below the surface, in cells.
const CLEARANCE: f64 = 0.01;
/// Inverse of the weight of a column whose ground is above the terrain vertex (Eq. 7).
const RELUCTANCE: f64 = 1e-10;
/// Largest difference between the heights of a terrain vertex and of the ground around it, in cells: beside a
/// wall, columns at its foot would be raised to its top and the liquid would be drawn as a curtain.
const STEEPEST: f64 = 2.0;

/// Minimum heights of the surface above the ground of each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MinimumHeights {
    above_floor: Vec<f32>,
    skipped: usize,
}

impl MinimumHeights {
    /// No local minimum: for terrain whose vertices are the centres of the columns.
    pub fn none() -> Self {
        Self::default()
    }

    /// The minimum heights over the mesh of a terrain. `least_thickness`, in cells, holds everywhere
    /// (0.05 in the paper).
    pub fn over(columns: &Columns, terrain: &TriMesh, least_thickness: f32) -> Self {
        let mut result = Self { above_floor: vec![0.0; columns.len()], skipped: 0 };
        for (vertex, normal) in terrain.positions().iter().zip(terrain.vertex_normals()) {
            if normal.y < 0.0 || !vertex.is_finite() {
                continue;
            }
            let Some(quartet) = Quartet::around(columns, *vertex) else { continue };
            let least = f64::from(least_thickness) * quartet.cell;
            match quartet.raises(least) {
                Some(raises) => result.take(&quartet, raises),
                None => result.skipped += 1,
            }
        }
        result
    }

    /// Minimum height above the ground of a column, in metres.
    pub fn above_floor(&self, column: usize) -> f32 {
        self.above_floor.get(column).copied().unwrap_or(0.0)
    }

    /// Minimum heights of a range of columns; `None` if there are none at all.
    pub(super) fn of(&self, columns: std::ops::Range<usize>) -> Option<&[f32]> {
        self.above_floor.get(columns)
    }

    /// Terrain vertices left out because the ground around them differs by more than two cells, or
    /// because they would have raised the surface by more than a cell above the highest ground:
    /// walls and edges of steep slopes.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    fn take(&mut self, quartet: &Quartet, raises: [f64; 4]) {
        for (&column, raise) in quartet.columns.iter().zip(raises) {
            let slot = &mut self.above_floor[column];
            // Rounded up, so that the vertex stays below.
            *slot = slot.max((raise as f32).next_up());
        }
    }
}

/// Four columns around a terrain vertex, counter-clockwise from the low corner.
struct Quartet {
    columns: [usize; 4],
    floors: [f64; 4],
    /// Position of the vertex between them, 0 to 1 along x and z.
    place: (f64, f64),
    height: f64,
    cell: f64,
}

impl Quartet {
    fn around(columns: &Columns, vertex: glam::Vec3) -> Option<Self> {
        let grid = columns.grid();
        let cell = f64::from(grid.cell());
        let along = |position: f32, origin: f32, count: usize| {
            let at = f64::from(position - origin) / cell - 0.5;
            let low = at.floor().clamp(0.0, count.saturating_sub(2) as f64);
            (count > 1 && (0.0..=(count - 1) as f64).contains(&at))
                .then_some((low as usize, at - low))
        };
        let (x, s) = along(vertex.x, grid.origin().x, grid.width())?;
        let (z, t) = along(vertex.z, grid.origin().y, grid.length())?;
        let mut found = [0; 4];
        for (slot, (x, z)) in found.iter_mut().zip([(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)])
        {
            let distance = |column: usize| (columns.floor()[column] - vertex.y).abs();
            *slot = columns
                .of_cell(x, z)
                .min_by(|&one, &other| distance(one).total_cmp(&distance(other)))?;
        }
        let floors = found.map(|column| f64::from(columns.floor()[column]));
        Some(Self { columns: found, floors, place: (s, t), height: f64::from(vertex.y), cell })
    }

    /// How far each column must be raised; `None` if the ground is steep or one would rise too far.
    fn raises(&self, least: f64) -> Option<[f64; 4]> {
        let highest = self.floors.into_iter().fold(f64::MIN, f64::max);
        let lowest = self.floors.into_iter().fold(f64::MAX, f64::min);
        if highest.max(self.height) - lowest.min(self.height) > STEEPEST * self.cell {
            return None;
        }
        let target = self.height + CLEARANCE * self.cell;
        let inverse_weights = inverse_weights(self.floors, self.height, self.cell);
        let solve = |shares| least_raises(shares, self.floors, inverse_weights, target, least);
        let bilinear = solve(bilinear_shares(self.place));
        let mut raises = bilinear;
        for shares in triangle_shares(self.place) {
            let surface: f64 = (0..4).map(|k| shares[k] * (self.floors[k] + bilinear[k])).sum();
            if surface < target {
                let alone = solve(shares);
                raises = std::array::from_fn(|k| raises[k].max(alone[k]));
            }
        }
        let ceiling = highest + self.cell;
        let too_far = (0..4).any(|k| raises[k] > least && self.floors[k] + raises[k] > ceiling);
        (!too_far).then_some(raises)
    }
}

/// Inverses of the weights of Eq. 7.
fn inverse_weights(floors: [f64; 4], height: f64, cell: f64) -> [f64; 4] {
    floors.map(|floor| ((height - floor) / cell).max(RELUCTANCE))
}

/// Weights of the four corners at a point in a square.
fn bilinear_shares((s, t): (f64, f64)) -> [f64; 4] {
    [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t]
}

/// Weights of the four corners at a point in a square of two triangles, for each of its diagonals.
fn triangle_shares((s, t): (f64, f64)) -> [[f64; 4]; 2] {
    let rising = if s >= t { [1.0 - s, s - t, t, 0.0] } else { [1.0 - t, 0.0, s, t - s] };
    let falling =
        if s + t <= 1.0 { [1.0 - s - t, s, 0.0, t] } else { [0.0, 1.0 - t, s + t - 1.0, 1.0 - s] };
    [rising, falling]
}

/// The smallest Σ w l² with Σ share (floor + l) ≥ target and every l ≥ least: Eq. 6 by a Lagrange multiplier
/// λ, which gives l = λ share / w. Columns for which that is below `least` keep `least`, and the others share
/// what is then missing; four rounds settle all four.
fn least_raises(
    shares: [f64; 4],
    floors: [f64; 4],
    inverse_weights: [f64; 4],
    target: f64,
    least: f64,
) -> [f64; 4] {
    let mut raises = [least; 4];
    let mut open = [true; 4];
    for _ in 0..4 {
        let reached: f64 =
            (0..4).map(|k| shares[k] * (floors[k] + if open[k] { 0.0 } else { least })).sum();
        let give: f64 =
            (0..4).filter(|&k| open[k]).map(|k| shares[k] * shares[k] * inverse_weights[k]).sum();
        let multiplier = (target - reached) / give;
        if multiplier.is_nan() || multiplier <= 0.0 || multiplier.is_infinite() {
            return [least; 4];
        }
        let mut settled = true;
        for k in 0..4 {
            let wanted = multiplier * shares[k] * inverse_weights[k];
            if open[k] && wanted < least {
                (open[k], settled) = (false, false);
            }
            raises[k] = if open[k] { wanted } else { least };
        }
        if settled {
            break;
        }
    }
    raises
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the analytic solution meets the constraint, and no feasible point of a fine random
    /// search costs less, on 300 random quartets; both bounds are met to 1e-9.
    #[test]
    fn the_analytic_solution_is_the_cheapest() {
        let mut sequence = whitecap_core::scatter::Sequence::new(1);
        let mut random = || sequence.double();
        let mut raised = 0;
        for _ in 0..300 {
            let floors: [f64; 4] = std::array::from_fn(|_| random());
            let (height, least) = (0.3 + 0.9 * random(), 0.05);
            let shares = bilinear_shares((random(), random()));
            let inverse = inverse_weights(floors, height, 1.0);
            let found = least_raises(shares, floors, inverse, height, least);
            let cost =
                |raises: [f64; 4]| (0..4).map(|k| raises[k] * raises[k] / inverse[k]).sum::<f64>();
            let surface = |raises: [f64; 4]| -> f64 {
                (0..4).map(|k| shares[k] * (floors[k] + raises[k])).sum()
            };
            assert!(found.iter().all(|&raise| raise >= least - 1e-9));
            assert!(surface(found) >= height - 1e-9);
            raised += usize::from(found.iter().any(|&raise| raise > least));
            // Random feasible points: three corners free, the fourth makes up what is missing.
            for round in 0..4000 {
                let spread = if round % 2 == 0 { 2.0 } else { 0.02 };
                let mut other: [f64; 4] =
                    std::array::from_fn(|k| (found[k] + spread * (random() - 0.5)).max(least));
                let last = round % 4;
                let missing = height - surface(other);
                other[last] = (other[last] + missing / shares[last]).max(least);
                if surface(other) >= height - 1e-12 {
                    assert!(cost(other) >= cost(found) * (1.0 - 1e-9), "{other:?} beats {found:?}");
                }
            }
        }
        assert!(raised > 100, "only {raised} cases needed a raise");
    }

    /// Contract: the weights of corners sum to one and reproduce a plane, for the bilinear surface and for
    /// both diagonals.
    #[test]
    fn shares_reproduce_a_plane() {
        for place in [(0.0, 0.0), (0.2, 0.7), (0.7, 0.2), (0.9, 0.8), (1.0, 1.0)] {
            let [rising, falling] = triangle_shares(place);
            for shares in [bilinear_shares(place), rising, falling] {
                let plane = [0.0, 2.0, 5.0, 3.0];
                let sum: f64 = shares.iter().sum();
                let height: f64 = (0..4).map(|k| shares[k] * plane[k]).sum();
                assert!((sum - 1.0).abs() < 1e-12);
                assert!((height - 2.0 * place.0 - 3.0 * place.1).abs() < 1e-12);
            }
        }
    }
}
