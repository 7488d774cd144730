//! The piecewise parabolic method along rows of cells (Colella and Woodward 1984), for eight rows at a time.
//!
//! # Guarantees
//! The mean over any part of a cell, from either end, is between the values of the cell and of its two
//! neighbours.

use wide::f32x8;

/// Cells in a row through a tile, with those before and after it that a parabola needs.
pub(super) const ROW: usize = 8 + 2 * PADDING;
/// Cells before and after a tile that a parabola needs.
pub(super) const PADDING: usize = 3;

/// What flows through the nine faces of rows, in cells times value. `held` are the values, `air` the volume of
/// each cell that holds them, and `flow` the volume that goes through each face.
#[inline]
pub(super) fn amounts_through(
    held: &[f32x8; ROW],
    air: &[f32x8; ROW],
    flow: &[f32x8; 9],
) -> [f32x8; 9] {
    let mut slope = [f32x8::ZERO; 12];
    for (cell, slope) in slope.iter_mut().enumerate() {
        *slope = limited_slope(held[cell], held[cell + 1], held[cell + 2]);
    }
    // The value on each face between two cells (Eq. 1.6): it is between the values of the two.
    let mut edge = [f32x8::ZERO; 11];
    for (face, edge) in edge.iter_mut().enumerate() {
        let (low, high) = (held[face + 1], held[face + 2]);
        *edge = 0.5 * (low + high) - (slope[face + 1] - slope[face]) * (1.0 / 6.0);
    }
    // What leaves the cells before, in and after the tile on either side.
    let mut through = [f32x8::ZERO; 9];
    for cell in 0..10 {
        let parabola = Parabola::new(edge[cell], held[cell + 2], edge[cell + 1]);
        let volume = air[cell + 2];
        if cell > 0 {
            let out = (-flow[cell - 1]).max(f32x8::ZERO);
            through[cell - 1] -= out * parabola.mean_low(out / volume);
        }
        if cell < 9 {
            let out = flow[cell].max(f32x8::ZERO);
            through[cell] += out * parabola.mean_high(out / volume);
        }
    }
    through
}

/// The slope between three values, limited so that nothing beyond them appears (Eq. 1.8).
#[inline(always)]
fn limited_slope(low: f32x8, value: f32x8, high: f32x8) -> f32x8 {
    let (before, after) = (value - low, high - value);
    let mean = 0.5 * (before + after);
    let most = 2.0 * before.abs().min(after.abs());
    let slope = mean.max(-most).min(most);
    (before * after).simd_gt(f32x8::ZERO).select(slope, f32x8::ZERO)
}

/// How a value varies over a cell.
struct Parabola {
    low: f32x8,
    high: f32x8,
    /// Difference between the ends, and curvature: Δa and a₆ of Eq. 1.5.
    rise: f32x8,
    bend: f32x8,
}

impl Parabola {
    /// From the values at the ends and the mean, made monotone (Eq. 1.10).
    #[inline(always)]
    fn new(low: f32x8, mean: f32x8, high: f32x8) -> Self {
        let is_extremum = ((high - mean) * (mean - low)).simd_le(f32x8::ZERO);
        let rise = high - low;
        let excess = rise * (mean - 0.5 * (low + high));
        let limit = rise * rise * (1.0 / 6.0);
        let new_low = excess.simd_gt(limit).select(3.0 * mean - 2.0 * high, low);
        let new_high = (-excess).simd_gt(limit).select(3.0 * mean - 2.0 * low, high);
        let low = is_extremum.select(mean, new_low);
        let high = is_extremum.select(mean, new_high);
        Self { low, high, rise: high - low, bend: 6.0 * mean - 3.0 * (low + high) }
    }

    /// Mean over this share of the cell at its high end (Eq. 1.12).
    #[inline(always)]
    fn mean_high(&self, share: f32x8) -> f32x8 {
        let inner = f32x8::ONE - share * (2.0 / 3.0);
        self.high - 0.5 * share * (self.rise - inner * self.bend)
    }

    /// Mean over this share of the cell at its low end.
    #[inline(always)]
    fn mean_low(&self, share: f32x8) -> f32x8 {
        let inner = f32x8::ONE - share * (2.0 / 3.0);
        self.low + 0.5 * share * (self.rise + inner * self.bend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::scatter::Sequence;

    /// Contract: whatever the values, what leaves a cell and what stays has a mean between the cell and its
    /// neighbours; equal values stay equal, and a straight ramp is moved exactly.
    #[test]
    fn nothing_beyond_the_neighbours_appears() {
        let mut random = Sequence::new(8);
        for _ in 0..2000 {
            let held: [f32x8; ROW] = std::array::from_fn(|_| {
                f32x8::new(std::array::from_fn(|_| random.fraction().powi(3)))
            });
            let share = 0.95 * random.fraction();
            let sign = if random.fraction() < 0.5 { -1.0 } else { 1.0 };
            let through =
                amounts_through(&held, &[f32x8::ONE; ROW], &[f32x8::splat(sign * share); 9]);
            for cell in 0..8 {
                let after = held[cell + PADDING] + through[cell] - through[cell + 1];
                for row in 0..8 {
                    let near = [2, 3, 4].map(|place| held[cell + place].to_array()[row]);
                    let low = near.iter().copied().fold(f32::INFINITY, f32::min);
                    let high = near.iter().copied().fold(0.0, f32::max);
                    let value = after.to_array()[row];
                    assert!((low - 1e-5..=high + 1e-5).contains(&value), "{near:?}: {value}");
                }
            }
        }
        let ramp: [f32x8; ROW] = std::array::from_fn(|cell| f32x8::splat(cell as f32));
        let through = amounts_through(&ramp, &[f32x8::ONE; ROW], &[f32x8::splat(0.4); 9]);
        for cell in 0..8 {
            let after = ramp[cell + PADDING] + through[cell] - through[cell + 1];
            assert!((after.to_array()[0] - ((cell + PADDING) as f32 - 0.4)).abs() < 1e-5);
        }
    }
}
