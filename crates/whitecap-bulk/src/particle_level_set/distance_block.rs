//! The distances around a tile in plain memory: for many samples near one another.
//!
//! # Guarantees
//! Linear functions are sampled exactly by either interpolation, cubic ones by the cubic one, to rounding.

use whitecap_core::SparseGrid;
use whitecap_core::glam::{DVec3, IVec3, Vec3};

use crate::mac::faces::{trilinear, trilinear_gradient};

/// Cells around a tile that are copied with it: as far as a step may go, and what cubic interpolation needs.
const PADDING: usize = 4;
const EDGE: usize = 8 + 2 * PADDING;
/// From the first to the last of the eight corners around a position, and one more.
const CORNER_SPAN: usize = EDGE * EDGE + EDGE + 2;

/// The distances of a tile and of some cells around it. Positions are in cells from the middle of the tile's
/// first cell; distances in m.
pub struct DistanceBlock {
    values: Vec<f32>,
    corner: DVec3,
    cells_per_metre: f64,
    /// What is beyond the block.
    background: f32,
}

impl DistanceBlock {
    /// The distances around a tile.
    pub fn new(distances: &SparseGrid<f32>, tile: IVec3) -> Self {
        let mut values = vec![0.0; EDGE * EDGE * EDGE];
        distances.neighbourhood(tile).copy_padded(PADDING, &mut values);
        let lattice = distances.lattice();
        Self {
            values,
            corner: lattice.position(tile * 8).as_dvec3(),
            cells_per_metre: f64::from(lattice.cell).recip(),
            background: distances.background(),
        }
    }

    /// A position in cells from the middle of the tile's first cell.
    #[inline]
    pub fn local(&self, position: Vec3) -> Vec3 {
        ((position.as_dvec3() - self.corner) * self.cells_per_metre).as_vec3()
    }

    /// The value of a cell of the tile or up to four cells beside it.
    #[inline]
    pub fn at(&self, cell: IVec3) -> f32 {
        let from = cell + PADDING as i32;
        self.values[from.x as usize + EDGE * (from.y as usize + EDGE * from.z as usize)]
    }

    /// The value of the cell that holds a position; the background beyond the block.
    #[inline]
    pub fn of_cell(&self, local: Vec3) -> f32 {
        let at = local + (PADDING as f32 + 0.5);
        if !(at.min_element() >= 0.0 && at.max_element() < EDGE as f32) {
            return self.background;
        }
        self.values[place_of(at)]
    }

    /// Trilinear value; the background beyond the block.
    #[inline]
    pub fn linear(&self, local: Vec3) -> f32 {
        self.corners(local).map_or(self.background, |(values, t)| trilinear(values, t))
    }

    /// Trilinear value and its slope per cell; the background without a slope beyond the block.
    #[inline]
    pub fn linear_with_slope(&self, local: Vec3) -> (f32, Vec3) {
        self.corners(local).map_or((self.background, Vec3::ZERO), |(values, t)| {
            (trilinear(values, t), trilinear_gradient(values, t))
        })
    }

    #[inline]
    fn corners(&self, local: Vec3) -> Option<([f32; 8], Vec3)> {
        let at = local + PADDING as f32;
        let low = at.floor();
        if !(low.min_element() >= 0.0 && low.max_element() < (EDGE - 1) as f32) {
            return None;
        }
        let place = place_of(low);
        let near: &[f32; CORNER_SPAN] =
            self.values.get(place..place + CORNER_SPAN)?.try_into().ok()?;
        let corners = [
            0,
            1,
            EDGE,
            EDGE + 1,
            EDGE * EDGE,
            EDGE * EDGE + 1,
            EDGE * EDGE + EDGE,
            CORNER_SPAN - 1,
        ];
        Some((corners.map(|place| near[place]), at - low))
    }

    /// Value of the cubic Lagrange polynomial through 4³ cells; the background beyond the block.
    #[inline]
    pub fn cubic(&self, local: Vec3) -> f32 {
        let Some((place, t)) = self.cubic_place(local) else { return self.background };
        let [wx, wy, wz] = [t.x, t.y, t.z].map(lagrange);
        let mut sum = 0.0;
        for (k, wz) in wz.into_iter().enumerate() {
            for (j, wy) in wy.into_iter().enumerate() {
                let row = place + EDGE * (j + EDGE * k);
                let row = &self.values[row..row + 4];
                sum +=
                    wz * wy * (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3]);
            }
        }
        sum
    }

    #[inline]
    fn cubic_place(&self, local: Vec3) -> Option<(usize, Vec3)> {
        let at = local + PADDING as f32;
        let low = at.floor();
        if !(low.min_element() >= 1.0 && low.max_element() < (EDGE - 2) as f32) {
            return None;
        }
        Some((place_of(low - 1.0), at - low))
    }
}

/// The place of the value at or below a position that is in the block.
#[inline]
fn place_of(at: Vec3) -> usize {
    let at = at.as_ivec3();
    at.x as usize + EDGE * (at.y as usize + EDGE * at.z as usize)
}

/// Weights of the four nodes around a position t (0 to 1) between the middle two.
#[inline]
fn lagrange(t: f32) -> [f32; 4] {
    let (before, after, far) = (t + 1.0, t - 1.0, t - 2.0);
    [
        -t * after * far / 6.0,
        0.5 * before * after * far,
        -0.5 * before * t * far,
        before * t * after / 6.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacLattice;
    use whitecap_core::scatter::Sequence;
    use whitecap_core::sparse_grid::local_node;

    /// Contract: cubic interpolation is exact for a cubic function, linear interpolation at cells, up to the last
    /// cells that a step can reach.
    #[test]
    fn polynomials_are_sampled_exactly() {
        let lattice = MacLattice::at_origin(1.0).centers();
        let function = |p: Vec3| p.x * p.y * p.z / 90.0 + p.x.powi(3) / 50.0 - 0.3 * p.y + 2.0;
        let tiles: Vec<IVec3> = (0..27).map(crate::mac::step_around).collect();
        let grid = SparseGrid::filled(lattice, 0.0, tiles, |tile, values| {
            for (offset, value) in values.iter_mut().enumerate() {
                *value = function((tile * 8 + local_node(offset)).as_vec3());
            }
        });
        let block = DistanceBlock::new(&grid, IVec3::ZERO);
        let mut random = Sequence::new(3);
        for _ in 0..300 {
            let local = 12.0 * random.point() - 2.0;
            assert!((block.cubic(local) - function(local)).abs() < 1e-3, "{local}");
            let cell = local.round();
            assert_eq!(block.of_cell(local), block.at(cell.as_ivec3()), "{local}");
            assert!((block.linear(cell) - function(cell)).abs() < 1e-3, "{local}");
        }
    }
}
