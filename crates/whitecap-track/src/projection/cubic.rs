//! Cubic interpolation of a sparse grid with its gradient, for points that move little.
//!
//! Catmull–Rom over 4³ nodes: exact for quadratic fields, once continuously differentiable. The
//! nodes are fetched when the point enters another cell.

use glam::{IVec3, Vec3};
use whitecap_core::SparseGrid;
use whitecap_core::sparse_grid::{offset_in_tile, tile_of};

/// Samples one grid at successive positions.
pub(crate) struct CubicSampler<'a> {
    grid: &'a SparseGrid<f32>,
    cell: Option<IVec3>,
    nodes: [f32; 64],
}

impl<'a> CubicSampler<'a> {
    pub fn new(grid: &'a SparseGrid<f32>) -> Self {
        Self { grid, cell: None, nodes: [0.0; 64] }
    }

    /// Value and gradient (per metre) at a position.
    pub fn at(&mut self, position: Vec3) -> (f32, Vec3) {
        let lattice = self.grid.lattice();
        let (cell, t) = lattice.locate(position);
        if self.cell != Some(cell) {
            self.fetch(cell);
        }
        let [wx, wy, wz] = [t.x, t.y, t.z].map(weights);
        let [sx, sy, sz] = [t.x, t.y, t.z].map(slopes);
        let (mut value, mut gradient) = (0.0, Vec3::ZERO);
        for k in 0..4 {
            let (mut plane, mut along_x, mut along_y) = (0.0, 0.0, 0.0);
            for j in 0..4 {
                let row = &self.nodes[16 * k + 4 * j..16 * k + 4 * j + 4];
                let line = row[0] * wx[0] + row[1] * wx[1] + row[2] * wx[2] + row[3] * wx[3];
                let slope = row[0] * sx[0] + row[1] * sx[1] + row[2] * sx[2] + row[3] * sx[3];
                plane += wy[j] * line;
                along_x += wy[j] * slope;
                along_y += sy[j] * line;
            }
            value += wz[k] * plane;
            gradient += Vec3::new(wz[k] * along_x, wz[k] * along_y, sz[k] * plane);
        }
        (value, gradient / lattice.cell)
    }

    fn fetch(&mut self, cell: IVec3) {
        self.cell = Some(cell);
        let low = cell - 1;
        let (first, last) = (tile_of(low), tile_of(low + 3));
        let background = self.grid.background();
        // Four nodes along an axis lie in at most two tiles.
        let tiles: [Option<_>; 8] = std::array::from_fn(|c| {
            let step = IVec3::new((c & 1) as i32, (c >> 1 & 1) as i32, (c >> 2) as i32);
            let wanted = first + step;
            if wanted.cmpgt(last).any() { None } else { self.grid.tile(wanted) }
        });
        for (place, value) in self.nodes.iter_mut().enumerate() {
            let node =
                low + IVec3::new((place & 3) as i32, (place >> 2 & 3) as i32, (place >> 4) as i32);
            let step = tile_of(node) - first;
            let tile = tiles[(step.x | step.y << 1 | step.z << 2) as usize];
            *value = tile.map_or(background, |tile| tile.at(offset_in_tile(node)));
        }
    }
}

fn weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (2.0 * t2 - t - t3),
        0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
        0.5 * (t + 4.0 * t2 - 3.0 * t3),
        0.5 * (t3 - t2),
    ]
}

fn slopes(t: f32) -> [f32; 4] {
    let t2 = t * t;
    [
        0.5 * (4.0 * t - 1.0 - 3.0 * t2),
        0.5 * (9.0 * t2 - 10.0 * t),
        0.5 * (1.0 + 8.0 * t - 9.0 * t2),
        0.5 * (3.0 * t2 - 2.0 * t),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::Lattice;
    use whitecap_core::sparse_grid::local_node;

    /// Contract: a quadratic field and its gradient are reproduced, across tile borders too.
    #[test]
    fn quadratics_are_exact() {
        let lattice = Lattice::at_origin(0.25);
        let field = |p: Vec3| p.x * p.x - 2.0 * p.y * p.z + 0.5 * p.z + 1.0;
        let tiles = (0..27).map(|s| IVec3::new(s % 3, s / 3 % 3, s / 9) - 1).collect();
        let grid = SparseGrid::filled(lattice, 0.0, tiles, |tile, values| {
            for (offset, value) in values.iter_mut().enumerate() {
                *value = field(lattice.position(tile * 8 + local_node(offset)));
            }
        });
        let mut sampler = CubicSampler::new(&grid);
        for step in 0..300 {
            let t = step as f32 * 0.618_034;
            let p = Vec3::new(t % 3.0 - 1.2, (t * 1.7) % 3.0 - 1.3, (t * 2.3) % 3.0 - 1.1);
            let (value, gradient) = sampler.at(p);
            assert!((value - field(p)).abs() < 1e-4, "{p}");
            let expected = Vec3::new(2.0 * p.x, -2.0 * p.z, 0.5 - 2.0 * p.y);
            assert!((gradient - expected).length() < 1e-3, "{p}: {gradient} {expected}");
        }
    }
}
