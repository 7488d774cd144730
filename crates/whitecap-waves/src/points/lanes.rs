//! Samples in columns, eight at a time.

use glam::Vec3;
use wide::f32x8;

/// Farther than any reach, near enough to square without overflow.
const NOWHERE: f32 = 1e18;

/// Positions with a normal and a weight, padded to whole groups of eight. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    position: [Vec<f32>; 3],
    normal: [Vec<f32>; 3],
    weight: Vec<f32>,
}

impl Lanes {
    /// Replaces the samples by these, with normals.
    pub fn fill_oriented(&mut self, samples: impl Iterator<Item = (Vec3, Vec3, f32)>) {
        self.clear();
        for (position, normal, weight) in samples {
            self.push(position, weight);
            for (column, value) in self.normal.iter_mut().zip(normal.to_array()) {
                column.push(value);
            }
        }
        self.pad();
    }

    /// Replaces the samples by these; normals are zero.
    pub fn fill(&mut self, samples: impl Iterator<Item = (Vec3, f32)>) {
        self.clear();
        samples.for_each(|(position, weight)| self.push(position, weight));
        self.pad();
    }

    fn clear(&mut self) {
        self.position.iter_mut().chain(&mut self.normal).for_each(Vec::clear);
        self.weight.clear();
    }

    fn push(&mut self, position: Vec3, weight: f32) {
        for (column, value) in self.position.iter_mut().zip(position.to_array()) {
            column.push(value);
        }
        self.weight.push(weight);
    }

    fn pad(&mut self) {
        let padded = self.weight.len().next_multiple_of(8);
        self.position.iter_mut().for_each(|column| column.resize(padded, NOWHERE));
        self.normal.iter_mut().for_each(|column| column.resize(padded, 0.0));
        self.weight.resize(padded, 0.0);
    }

    /// Groups of eight.
    pub fn groups(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.weight.len()).step_by(8)
    }

    /// Offsets from a point to the eight samples of a group.
    #[inline(always)]
    pub fn offsets(&self, group: usize, point: [f32x8; 3]) -> [f32x8; 3] {
        let [x, y, z] = &self.position;
        [load(x, group) - point[0], load(y, group) - point[1], load(z, group) - point[2]]
    }

    /// Normals of a group.
    #[inline(always)]
    pub fn normals(&self, group: usize) -> [f32x8; 3] {
        let [x, y, z] = &self.normal;
        [load(x, group), load(y, group), load(z, group)]
    }

    /// Weights of a group; zero beyond the last sample.
    #[inline(always)]
    pub fn weights(&self, group: usize) -> f32x8 {
        load(&self.weight, group)
    }
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

#[inline(always)]
fn load(column: &[f32], i: usize) -> f32x8 {
    f32x8::new(column[i..i + 8].try_into().expect("padded to eight"))
}
