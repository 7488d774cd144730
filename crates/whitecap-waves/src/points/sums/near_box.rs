//! Which of many positions lie near a box, eight at a time.

use std::ops::Range;

use glam::Vec3;
use whitecap_core::padded_columns::PaddedColumns;
use wide::f32x8;

use super::lanes::{dot, splat};

/// Positions in columns, with room for whole groups of eight after the last. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PositionColumns {
    columns: PaddedColumns<3>,
}

/// A box and the distance that counts as near it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearBox {
    min: [f32x8; 3],
    max: [f32x8; 3],
    reach_squared: f32x8,
}

impl NearBox {
    pub fn new([min, max]: [Vec3; 2], reach: f32) -> Self {
        Self { min: splat(min), max: splat(max), reach_squared: f32x8::splat(reach * reach) }
    }
}

impl PositionColumns {
    /// Replaces the positions.
    pub fn fill(&mut self, positions: &[Vec3]) {
        self.columns.clear();
        self.columns.extend(positions.iter().map(Vec3::to_array));
        self.columns.resize(positions.len() + 7, [0.0; 3]);
    }

    /// Appends those of a range that are near a box, ascending.
    #[inline]
    pub fn collect_near(&self, range: Range<usize>, near: &NearBox, found: &mut Vec<u32>) {
        for start in range.clone().step_by(8) {
            let values = self.columns.group(start);
            let outside: [f32x8; 3] = std::array::from_fn(|axis| {
                let value = values[axis];
                (near.min[axis] - value).fast_max(value - near.max[axis]).fast_max(f32x8::ZERO)
            });
            let mut mask = dot(outside, outside).simd_le(near.reach_squared).to_bitmask();
            let left = range.end - start;
            if left < 8 {
                mask &= (1 << left) - 1;
            }
            while mask != 0 {
                found.push(start as u32 + mask.trailing_zeros());
                mask &= mask - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: exactly the positions within the distance of the box are found, for any range.
    #[test]
    fn finds_what_is_near() {
        let place = |i: usize| Vec3::new((i % 7) as f32, (i % 11) as f32, (i % 13) as f32);
        let mut columns = PositionColumns::default();
        columns.fill(&(0..300).map(place).collect::<Vec<_>>());
        let (min, max) = (Vec3::new(1.0, 4.0, 5.0), Vec3::new(3.0, 4.0, 9.0));
        let near = NearBox::new([min, max], 2.5);
        for range in [0..300, 3..4, 17..42, 292..300, 5..5] {
            let mut found = Vec::new();
            columns.collect_near(range.clone(), &near, &mut found);
            let expected: Vec<u32> = range
                .filter(|&i| place(i).distance(place(i).clamp(min, max)) <= 2.5)
                .map(|i| i as u32)
                .collect();
            assert_eq!(found, expected);
        }
    }
}
