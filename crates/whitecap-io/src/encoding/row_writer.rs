//! Interleaved binary rows, little-endian, filled in parallel.

use rayon::prelude::*;
use whitecap_core::Column;
use whitecap_core::glam::Vec3;

/// Rows a thread fills at a time.
const ROWS_AT_ONCE: usize = 8192;

/// One column to be stored in a row.
pub(crate) enum RowColumn<'a> {
    F32(&'a [f32]),
    Reals2(&'a [whitecap_core::glam::Vec2]),
    Reals3(&'a [Vec3]),
    Reals4(&'a [whitecap_core::glam::Vec4]),
    I32(std::borrow::Cow<'a, [i32]>),
}

impl<'a> RowColumn<'a> {
    /// A column of reals as it is; `None` for integers, which must be narrowed first.
    pub fn of_reals(column: &'a Column) -> Option<Self> {
        match column {
            Column::F32(values) => Some(Self::F32(values)),
            Column::Vec2(values) => Some(Self::Reals2(values)),
            Column::Vec3(values) => Some(Self::Reals3(values)),
            Column::Vec4(values) => Some(Self::Reals4(values)),
            Column::I32(_) | Column::I64(_) => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::F32(_) | Self::I32(_) => 4,
            Self::Reals2(_) => 8,
            Self::Reals3(_) => 12,
            Self::Reals4(_) => 16,
        }
    }
}

/// Appends `count` rows that hold the columns side by side.
pub(crate) fn append_rows(bytes: &mut Vec<u8>, count: usize, columns: &[RowColumn]) {
    let stride: usize = columns.iter().map(RowColumn::bytes).sum();
    let start = bytes.len();
    bytes.resize(start + count * stride, 0);
    bytes[start..].par_chunks_mut(ROWS_AT_ONCE * stride).enumerate().for_each(|(block, rows)| {
        let first = block * ROWS_AT_ONCE;
        let mut offset = 0;
        for column in columns {
            match column {
                RowColumn::F32(v) => fill(rows, stride, offset, &v[first..], |v| [v.to_le_bytes()]),
                RowColumn::I32(v) => fill(rows, stride, offset, &v[first..], |v| [v.to_le_bytes()]),
                RowColumn::Reals2(v) => {
                    fill(rows, stride, offset, &v[first..], |v| v.to_array().map(f32::to_le_bytes))
                }
                RowColumn::Reals3(v) => {
                    fill(rows, stride, offset, &v[first..], |v| v.to_array().map(f32::to_le_bytes))
                }
                RowColumn::Reals4(v) => {
                    fill(rows, stride, offset, &v[first..], |v| v.to_array().map(f32::to_le_bytes))
                }
            }
            offset += column.bytes();
        }
    });
}

fn fill<T: Copy, const N: usize>(
    rows: &mut [u8],
    stride: usize,
    offset: usize,
    values: &[T],
    convert: impl Fn(T) -> [[u8; 4]; N],
) {
    for (row, &value) in rows.chunks_exact_mut(stride).zip(values) {
        row[offset..offset + 4 * N].copy_from_slice(convert(value).as_flattened());
    }
}
