//! What the vertices of the tracked mesh carry, and how new vertices inherit it.
//!
//! Numbers are interpolated with the weights of the vertices that a new one lies between; integers are
//! copied from the vertex with the largest weight. A vertex that is not touched keeps every bit.

use glam::{Vec2, Vec3, Vec4};
use whitecap_core::{Attributes, Column};

/// Columns with one value per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Carried {
    /// Signed distance from the surface of the particles at birth, in metres; infinite for a
    /// vertex that had no such surface within reach and only follows the particles.
    pub delta: Vec<f32>,
    /// Edges shorter than this are too short, in metres.
    pub shortest: Vec<f32>,
    /// Edges longer than this are too long, in metres.
    pub longest: Vec<f32>,
    /// The smallest cosine between the normals of two triangles at an edge, at birth.
    pub sharpest: Vec<f32>,
    /// By how much the mesh and φ may disagree about the side of nodes near here without a change of
    /// topology, in metres: as much as they did at birth.
    pub doubt: Vec<f32>,
    /// 0 for vertices of the first frame, 1 for later ones.
    pub born: Vec<u8>,
    /// Movement in the last frame, in metres.
    pub displacement: Vec<Vec3>,
    /// The columns of the caller, by name.
    pub attributes: Vec<(String, Column)>,
}

impl Carried {
    /// Vertices with these attributes, and everything else still unknown.
    pub fn new(count: usize, attributes: &Attributes) -> Self {
        Self {
            delta: vec![0.0; count],
            shortest: vec![0.0; count],
            longest: vec![f32::INFINITY; count],
            sharpest: vec![-1.0; count],
            doubt: vec![0.0; count],
            born: vec![0; count],
            displacement: vec![Vec3::ZERO; count],
            attributes: attributes.iter().map(|(n, c)| (n.to_owned(), c.clone())).collect(),
        }
    }

    /// Adds a vertex that is a weighted mean of others; weights add up to one. It counts as newly born.
    pub fn push_mix(&mut self, mix: &[(u32, f32)]) {
        let delta = mixed(&self.delta, mix);
        self.delta.push(delta);
        let shortest = mixed(&self.shortest, mix);
        self.shortest.push(shortest);
        let longest = mixed(&self.longest, mix);
        self.longest.push(longest);
        let sharpest = mixed(&self.sharpest, mix);
        self.sharpest.push(sharpest);
        let doubt = mixed(&self.doubt, mix);
        self.doubt.push(doubt);
        self.born.push(1);
        let displacement = sum(&self.displacement, mix, Vec3::ZERO);
        self.displacement.push(displacement);
        for (_, column) in &mut self.attributes {
            push_mix_to(column, mix);
        }
    }

    /// Keeps these vertices, in this order.
    pub fn gather(&mut self, kept: &[u32]) {
        fn pick<T: Copy>(values: &mut Vec<T>, kept: &[u32]) {
            *values = kept.iter().map(|&v| values[v as usize]).collect();
        }
        pick(&mut self.delta, kept);
        pick(&mut self.shortest, kept);
        pick(&mut self.longest, kept);
        pick(&mut self.sharpest, kept);
        pick(&mut self.doubt, kept);
        pick(&mut self.born, kept);
        pick(&mut self.displacement, kept);
        for (_, column) in &mut self.attributes {
            *column = column.gather(kept);
        }
    }

    /// Columns of the same names and types for a mesh of other vertices, each the weighted mean of some of
    /// these.
    pub fn remixed(&self, mixes: &[Vec<(u32, f32)>]) -> Self {
        let mut all = self.clone();
        let before = self.delta.len() as u32;
        for mix in mixes {
            all.push_mix(mix);
        }
        let kept: Vec<u32> = (before..before + mixes.len() as u32).collect();
        all.gather(&kept);
        all
    }
}

/// The weighted mean of lengths. Infinite (unknown) ones are ignored.
fn mixed(values: &[f32], mix: &[(u32, f32)]) -> f32 {
    let known = |&&(v, _): &&(u32, f32)| values[v as usize].is_finite();
    let weight: f32 = mix.iter().filter(known).map(|&(_, w)| w).sum();
    if weight.abs() < 1e-6 {
        return mix.first().map_or(0.0, |&(v, _)| values[v as usize]);
    }
    mix.iter().filter(known).map(|&(v, w)| values[v as usize] * w).sum::<f32>() / weight
}

fn sum<T>(values: &[T], mix: &[(u32, f32)], zero: T) -> T
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f32, Output = T>,
{
    mix.iter().fold(zero, |sum, &(v, w)| sum + values[v as usize] * w)
}

fn heaviest<T: Copy + Default>(values: &[T], mix: &[(u32, f32)]) -> T {
    let most = mix.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
    most.map_or(T::default(), |(v, _)| values[v as usize])
}

fn push_mix_to(column: &mut Column, mix: &[(u32, f32)]) {
    match column {
        Column::F32(values) => values.push(sum(values, mix, 0.0)),
        Column::Vec2(values) => values.push(sum(values, mix, Vec2::ZERO)),
        Column::Vec3(values) => values.push(sum(values, mix, Vec3::ZERO)),
        Column::Vec4(values) => values.push(sum(values, mix, Vec4::ZERO)),
        Column::I32(values) => values.push(heaviest(values, mix)),
        Column::I64(values) => values.push(heaviest(values, mix)),
    }
}
