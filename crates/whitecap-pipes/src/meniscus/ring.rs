//! The columns next to the boundary, and the course of the boundary as they see it.

use glam::Vec2;

use super::Reach;
use crate::liquid::columns::Columns;
use crate::surface::Surface;

/// How often directions to the boundary are averaged along it: over about two cells to each side.
const EVENING_ROUNDS: usize = 6;

/// The columns next to the boundary, which they see as a staircase, and which of them are
/// neighbours. Kept from frame to frame to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    columns: Vec<u32>,
    /// Where the neighbours of each column end.
    ends: Vec<u32>,
    /// Indices of neighbours in `columns`.
    neighbours: Vec<u32>,
    /// Directions to the boundary, and those of the round before.
    directions: [Vec<Vec2>; 2],
}

impl Ring {
    /// Finds the columns in `touched` that have a free surface. They are connected along x and z.
    pub fn find(
        &mut self,
        columns: &Columns,
        surface: &Surface,
        touched: &[u32],
        reaches: &mut [Reach],
    ) {
        self.columns.clear();
        self.ends.clear();
        self.neighbours.clear();
        for &column in touched {
            let reach = &mut reaches[column as usize];
            // Shores are at distance zero.
            if reach.squared > 0.0 {
                reach.place = self.columns.len() as u32;
                self.columns.push(column);
            }
        }
        for &column in &self.columns {
            let around = surface.around(columns, column as usize);
            let linked = (0..4).filter_map(|side| around.linked(side));
            let near = linked
                .map(|other| &reaches[other])
                .filter(|near| near.squared > 0.0 && near.squared < f32::INFINITY);
            self.neighbours.extend(near.map(|near| near.place));
            self.ends.push(self.neighbours.len() as u32);
        }
    }

    /// Averages directions to the boundary along it, so that its steps are not visible.
    pub fn even_out(&mut self, reaches: &mut [Reach]) {
        let Self { columns, ends, neighbours, directions: [now, before] } = self;
        now.clear();
        now.extend(columns.iter().map(|&column| {
            let Reach { away, toward, .. } = reaches[column as usize];
            // The boundary may lie on both sides.
            if toward == Vec2::ZERO { -away.normalize() } else { toward.normalize() }
        }));
        for _ in 0..EVENING_ROUNDS {
            std::mem::swap(now, before);
            now.clear();
            let mut start = 0;
            now.extend(before.iter().zip(&*ends).map(|(&own, &end)| {
                let near = &neighbours[std::mem::replace(&mut start, end as usize)..end as usize];
                let sum = near.iter().fold(own, |sum, &place| sum + before[place as usize]);
                sum.try_normalize().unwrap_or(own)
            }));
        }
        for (&column, &direction) in columns.iter().zip(&*now) {
            reaches[column as usize].toward = direction;
        }
    }
}
