//! How columns of the last frame's points become columns of this frame's points.
//!
//! # Guarantees
//! * A point that existed in the last frame keeps its value to the bit, wherever it is in memory now.
//! * A point made in this frame gets a convex mean of old values near it, so nothing pops. A point
//!   that was made where there was no old one gets the default value of its type.

use std::ops::{Add, Mul};

use rayon::prelude::*;

/// Marks a point made in this frame; the low bits are its row.
const MADE: u32 = 1 << 31;
/// How many old points one new point may be a mean of.
const MOST_SOURCES: usize = 8;

/// A value that can be carried: means of it can be taken.
pub trait Carried:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<f32, Output = Self>
{
}

impl<T: Copy + Default + Send + Sync + Add<Output = T> + Mul<f32, Output = T>> Carried for T {}

/// For each point of this frame, the points of the last frame it takes its values from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carry {
    /// Old index, or [`MADE`] and a row.
    origin: Vec<u32>,
    starts: Vec<u32>,
    sources: Vec<(u32, f32)>,
    old_count: usize,
}

impl Carry {
    /// `count` points that stay as they are.
    ///
    /// # Panics
    /// If there are 2³¹ points or more.
    pub fn identity(count: usize) -> Self {
        assert!(count < MADE as usize, "too many points");
        let origin = (0..count as u32).collect();
        Self { origin, starts: vec![0], sources: Vec::new(), old_count: count }
    }

    /// Number of points of this frame.
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    /// Whether this frame has no points.
    pub fn is_empty(&self) -> bool {
        self.origin.is_empty()
    }

    /// The old points whose mean a point is, with weights that sum to one; a single old point of
    /// weight one if it existed already, none if it was made where there was no old one.
    pub fn sources(&self, point: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let origin = self.origin[point];
        let kept = (origin & MADE == 0).then_some((origin as usize, 1.0));
        let row = if kept.is_some() { &[][..] } else { self.row(origin & !MADE) };
        kept.into_iter().chain(row.iter().map(|&(old, weight)| (old as usize, weight)))
    }

    /// The old index of a point that existed in the last frame.
    pub fn old_index(&self, point: usize) -> Option<usize> {
        let origin = self.origin[point];
        (origin & MADE == 0).then_some(origin as usize)
    }

    /// Carries a column from the old points to the new ones.
    ///
    /// # Panics
    /// If the column does not have one value per old point.
    pub fn apply<T: Carried>(&self, column: &mut Vec<T>) {
        assert_eq!(column.len(), self.old_count, "one value per point of the last frame");
        let old = &*column;
        let value = |&origin: &u32| {
            if origin & MADE == 0 {
                return old[origin as usize];
            }
            let row = self.row(origin & !MADE).iter();
            row.fold(T::default(), |sum, &(source, weight)| sum + old[source as usize] * weight)
        };
        *column = self.origin.par_iter().with_min_len(1024).map(value).collect();
    }

    /// Leaves only the points named by `order`, in that order.
    pub(crate) fn gather(&mut self, order: &[u32]) {
        self.origin = order.iter().map(|&i| self.origin[i as usize]).collect();
    }

    /// Appends a point that is a mean of present points; the weights need not be normalised.
    pub(crate) fn insert(&mut self, parents: impl Iterator<Item = (usize, f32)>) {
        let mut row: Vec<(u32, f32)> = Vec::with_capacity(2 * MOST_SOURCES);
        for (parent, share) in parents {
            for (source, weight) in self.sources(parent) {
                row.push((source as u32, weight * share));
            }
        }
        row.sort_unstable_by_key(|&(source, _)| source);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        row.sort_by(|a, b| b.1.total_cmp(&a.1));
        row.truncate(MOST_SOURCES);
        let total: f32 = row.iter().map(|&(_, weight)| weight).sum();
        if total > 0.0 {
            self.sources.extend(row.iter().map(|&(source, weight)| (source, weight / total)));
        }
        self.origin.push(MADE | (self.starts.len() as u32 - 1));
        self.starts.push(self.sources.len() as u32);
    }

    fn row(&self, row: u32) -> &[(u32, f32)] {
        &self.sources[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: kept points keep their bits through reordering, a point between two has their
    /// weighted mean, a child of that one the mean of the same old points, an orphan the default.
    #[test]
    fn values_are_kept_and_means_are_composed() {
        let mut carry = Carry::identity(3);
        carry.insert([(0, 3.0), (2, 1.0)].into_iter());
        carry.insert([(3, 0.5), (1, 0.5)].into_iter());
        carry.insert(std::iter::empty());
        carry.gather(&[2, 4, 3, 5]);
        let mut column = vec![1.0f32, 10.0, 5.0];
        carry.apply(&mut column);
        assert_eq!(column, [5.0, 6.0, 2.0, 0.0]);
        assert_eq!(carry.old_index(0), Some(2));
        assert_eq!(carry.old_index(1), None);
        assert_eq!(carry.sources(2).collect::<Vec<_>>(), [(0, 0.75), (2, 0.25)]);
    }
}
