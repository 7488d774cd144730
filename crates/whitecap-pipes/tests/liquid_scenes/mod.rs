//! Terrains shared by the tests of shallow liquid.
#![allow(dead_code, reason = "each test file uses some of them")]

use glam::Vec2;
use whitecap_core::scatter::Sequence;
use whitecap_pipes::{Grid, Space, Terrain};

/// Pseudo-random numbers that are the same on every machine.
pub struct Numbers(Sequence);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Sequence::new(seed))
    }

    /// The next number from 0 to 1.
    pub fn next(&mut self) -> f64 {
        self.0.double()
    }

    /// The next number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// The next whole number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count - 1)
    }
}

/// A grid with its corner at the origin.
pub fn grid(cell: f32, width: usize, length: usize) -> Grid {
    Grid::new(Vec2::ZERO, cell, width, length).unwrap()
}

/// Smooth hills of about four cells' height.
pub fn hills(cell: f32, width: usize, length: usize, seed: u64) -> Terrain {
    let mut numbers = Numbers::new(seed);
    let waves: Vec<[f64; 4]> = (0..6)
        .map(|_| {
            [
                numbers.between(-0.6, 0.6),
                numbers.between(-0.6, 0.6),
                numbers.between(0.0, 6.3),
                numbers.between(0.2, 1.0),
            ]
        })
        .collect();
    let height = |x: usize, z: usize| {
        let wave = |w: &[f64; 4]| w[3] * (w[0] * x as f64 + w[1] * z as f64 + w[2]).sin();
        (waves.iter().map(wave).sum::<f64>() * f64::from(cell)) as f32
    };
    let grid = grid(cell, width, length);
    let heights: Vec<f32> =
        (0..grid.cells()).map(|cell| height(cell % width, cell / width)).collect();
    Terrain::heightfield(grid, &heights).unwrap()
}

/// Random spaces of a cell: up to four, some of them closed above, sometimes none.
pub fn random_spaces(numbers: &mut Numbers, cell: f32, spaces: &mut Vec<Space>) {
    let count = numbers.below(5);
    let mut floor = cell * numbers.between(-4.0, 4.0) as f32;
    for index in 0..count {
        let closed = index + 1 < count || numbers.next() < 0.3;
        let room = cell * numbers.between(0.05, 6.0) as f32;
        let ceiling = if closed { floor + room } else { f32::INFINITY };
        spaces.push(Space { floor, ceiling });
        floor = ceiling + cell * numbers.between(0.0, 2.0) as f32;
    }
}

/// Several random layers.
pub fn random_layers(cell: f32, width: usize, length: usize, seed: u64) -> Terrain {
    let mut numbers = Numbers::new(seed);
    Terrain::from_cells(grid(cell, width, length), |_, _, spaces| {
        random_spaces(&mut numbers, cell, spaces);
    })
    .unwrap()
}

/// A terrain drawn from above, one character a cell, rows along z: `#` is solid, `.` is ground at 0
/// under the open sky, `=` is ground at 0 under a ceiling of `ceiling` with ground above it at `top`.
pub fn drawn(cell: f32, picture: &[&str], ceiling: f32, top: f32) -> Terrain {
    let rows: Vec<&[u8]> = picture.iter().map(|row| row.as_bytes()).collect();
    let grid = grid(cell, rows[0].len(), rows.len());
    Terrain::from_cells(grid, |x, z, spaces| match rows[z][x] {
        b'.' => spaces.push(Space::open(0.0)),
        b'=' => spaces.extend([Space { floor: 0.0, ceiling }, Space::open(top)]),
        _ => {}
    })
    .unwrap()
}
