//! Rows of numbers kept as columns in whole groups of eight, so that a loop over them is a loop over
//! registers. Clearing keeps the memory.

use wide::f32x8;

/// A coordinate beyond any reach, yet small enough to be squared without overflow: for positions
/// that only pad a group.
pub const NOWHERE: f32 = 1e18;

/// Rows of `N` numbers.
///
/// ```
/// use whitecap_core::padded_columns::{NOWHERE, PaddedColumns};
///
/// let mut columns = PaddedColumns::<2>::default();
/// columns.extend([[1.0, 2.0], [3.0, 4.0]]);
/// columns.pad([NOWHERE, 0.0]);
/// let [x, weight] = columns.group(0);
/// assert_eq!((x.to_array()[1], weight.reduce_add()), (3.0, 6.0));
/// ```
#[derive(Clone, Debug)]
pub struct PaddedColumns<const N: usize> {
    columns: [Vec<f32>; N],
}

impl<const N: usize> Default for PaddedColumns<N> {
    fn default() -> Self {
        Self { columns: std::array::from_fn(|_| Vec::new()) }
    }
}

impl<const N: usize> PaddedColumns<N> {
    /// Number of rows, padding included.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Appends rows.
    #[inline(always)]
    pub fn extend(&mut self, rows: impl IntoIterator<Item = [f32; N], IntoIter: Clone>) {
        let rows = rows.into_iter();
        for (number, column) in self.columns.iter_mut().enumerate() {
            column.extend(rows.clone().map(|row| row[number]));
        }
    }

    /// Pads the last group of eight with copies of a row.
    pub fn pad(&mut self, row: [f32; N]) {
        self.resize(self.len().next_multiple_of(8), row);
    }

    /// Cuts off rows or appends copies of `row`.
    pub fn resize(&mut self, count: usize, row: [f32; N]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.resize(count, value);
        }
    }

    /// One row.
    #[inline(always)]
    pub fn row(&self, index: usize) -> [f32; N] {
        std::array::from_fn(|number| self.columns[number][index])
    }

    /// Replaces one row.
    #[inline(always)]
    pub fn set_row(&mut self, index: usize, row: [f32; N]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column[index] = value;
        }
    }

    /// The eight rows starting at `start`, by column.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline(always)]
    pub fn group(&self, start: usize) -> [f32x8; N] {
        std::array::from_fn(|number| {
            let values = &self.columns[number][start..start + 8];
            f32x8::new(values.try_into().expect("groups are whole"))
        })
    }
}
