//! Samples in groups of eight, for sums over many of them.

use glam::Vec3;
use wide::f32x8;

/// Farther than any reach, near enough to square without overflow.
const NOWHERE: f32 = 1e18;

/// Samples of `N` numbers, of which the first three are a position. The last group is filled with
/// samples of zeros far away. Keeps its memory.
#[derive(Clone, Debug)]
pub(super) struct Lanes<const N: usize> {
    groups: Vec<[f32x8; N]>,
}

/// Position and weight.
pub(super) type Weighted = Lanes<4>;
/// Position, a vector and weight.
pub(super) type Oriented = Lanes<7>;

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Self { groups: Vec::new() }
    }
}

impl<const N: usize> Lanes<N> {
    /// Replaces the samples by those that `sample` makes of `indices`.
    #[inline(always)]
    pub fn fill<I: Copy>(&mut self, indices: &[I], sample: impl Fn(I) -> [f32; N]) {
        self.groups.clear();
        let (whole, rest) = indices.as_chunks::<8>();
        self.groups.reserve(whole.len() + 1);
        for chunk in whole {
            let mut group = [[0.0; 8]; N];
            for (lane, &index) in chunk.iter().enumerate() {
                put(&mut group, lane, sample(index));
            }
            self.groups.push(group.map(f32x8::new));
        }
        if !rest.is_empty() {
            let mut group = [[0.0; 8]; N];
            group[..3].fill([NOWHERE; 8]);
            for (lane, &index) in rest.iter().enumerate() {
                put(&mut group, lane, sample(index));
            }
            self.groups.push(group.map(f32x8::new));
        }
    }

    /// The groups.
    #[inline(always)]
    pub fn groups(&self) -> &[[f32x8; N]] {
        &self.groups
    }
}

#[inline(always)]
fn put<const N: usize>(group: &mut [[f32; 8]; N], lane: usize, sample: [f32; N]) {
    for (column, value) in group.iter_mut().zip(sample) {
        column[lane] = value;
    }
}

/// Offsets from a point to the samples of a group.
#[inline(always)]
pub(super) fn offsets<const N: usize>(group: &[f32x8; N], point: [f32x8; 3]) -> [f32x8; 3] {
    [group[0] - point[0], group[1] - point[1], group[2] - point[2]]
}

/// A vector in all eight lanes.
#[inline(always)]
pub(super) fn splat(vector: Vec3) -> [f32x8; 3] {
    vector.to_array().map(f32x8::splat)
}

/// Eight dot products.
#[inline(always)]
pub(super) fn dot(a: [f32x8; 3], b: [f32x8; 3]) -> f32x8 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// The sums over the lanes.
#[inline(always)]
pub(super) fn sum(vector: [f32x8; 3]) -> Vec3 {
    Vec3::from_array(vector.map(|lane| lane.reduce_add()))
}
