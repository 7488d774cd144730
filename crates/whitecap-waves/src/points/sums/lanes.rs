//! Samples in groups of eight, for sums over many of them. They are stored as rows of eight numbers, which
//! become groups by transposition.

use glam::Vec3;
use whitecap_core::padded_columns::NOWHERE;
use wide::f32x8;

/// A sample without effect.
const FAR_AWAY: Row = [NOWHERE, NOWHERE, NOWHERE, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Samples of `N` numbers, at most eight, of which the first three are a position. The last group is filled with
/// samples of zeros far away. Keeps its memory.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<const N: usize> {
    groups: Vec<[f32x8; N]>,
}

/// Position and weight.
pub(crate) type Weighted = Lanes<4>;
/// Position, a vector and weight.
pub(crate) type Oriented = Lanes<7>;

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Self { groups: Vec::new() }
    }
}

impl<const N: usize> Lanes<N> {
    /// Replaces the samples by the rows of `indices`, each of which is a sample and zeros.
    #[inline(always)]
    pub fn fill(&mut self, indices: &[u32], rows: &[Row]) {
        self.groups.clear();
        let (whole, rest) = indices.as_chunks::<8>();
        self.groups.reserve(whole.len() + 1);
        for chunk in whole {
            self.push(chunk.map(|index| f32x8::new(rows[index as usize])));
        }
        if !rest.is_empty() {
            let mut group = [f32x8::new(FAR_AWAY); 8];
            for (row, &index) in group.iter_mut().zip(rest) {
                *row = f32x8::new(rows[index as usize]);
            }
            self.push(group);
        }
    }

    #[inline(always)]
    fn push(&mut self, rows: [f32x8; 8]) {
        let columns = f32x8::transpose(rows);
        self.groups.push(std::array::from_fn(|column| columns[column]));
    }

    /// The groups.
    #[inline(always)]
    pub fn groups(&self) -> &[[f32x8; N]] {
        &self.groups
    }
}

/// A sample padded with zeros.
pub(crate) type Row = [f32; 8];

/// A position and a weight.
pub(crate) fn weighted(position: Vec3, weight: f32) -> Row {
    let [x, y, z] = position.to_array();
    [x, y, z, weight, 0.0, 0.0, 0.0, 0.0]
}

/// A position, a vector and a weight.
pub(crate) fn oriented(position: Vec3, vector: Vec3, weight: f32) -> Row {
    let ([x, y, z], [u, v, w]) = (position.to_array(), vector.to_array());
    [x, y, z, u, v, w, weight, 0.0]
}

/// Offsets from a point to the samples of a group.
#[inline(always)]
pub(crate) fn offsets<const N: usize>(group: &[f32x8; N], point: [f32x8; 3]) -> [f32x8; 3] {
    [group[0] - point[0], group[1] - point[1], group[2] - point[2]]
}

/// A vector in all eight lanes.
#[inline(always)]
pub(crate) fn splat(vector: Vec3) -> [f32x8; 3] {
    vector.to_array().map(f32x8::splat)
}

/// Eight dot products.
#[inline(always)]
pub(crate) fn dot(a: [f32x8; 3], b: [f32x8; 3]) -> f32x8 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// The sums over the lanes.
#[inline(always)]
pub(crate) fn sum(vector: [f32x8; 3]) -> Vec3 {
    Vec3::from_array(vector.map(|lane| lane.reduce_add()))
}
