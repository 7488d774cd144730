//! Numbers as files store them: ten scalar types in two byte orders, decoded into the three types
//! that attribute columns hold.
//!
//! Reals become `f32`. Integers of up to 32 bits become `i32`; `u32` and 64-bit integers become
//! `i64`, so that the type of a column never depends on its values.

use half::f16;
use whitecap_core::glam::Vec3;

/// Order of the bytes of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// The type of one stored number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl ScalarType {
    /// Bytes one number takes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub fn is_real(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// Where the numbers of one column lie: `components` adjacent numbers at `offset`, repeated
/// `count` times every `stride` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub offset: usize,
    pub stride: usize,
    pub components: usize,
    pub count: usize,
}

impl Layout {
    /// Numbers stored without gaps.
    pub fn packed(scalar: ScalarType, components: usize, count: usize) -> Self {
        Self { offset: 0, stride: components * scalar.size(), components, count }
    }
}

/// Decoded numbers, all components of one element next to each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    F32(Vec<f32>),
    I32(Vec<i32>),
    I64(Vec<i64>),
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::I64(values) => values.len(),
        }
    }

    pub fn into_floats(self) -> Vec<f32> {
        match self {
            Self::F32(values) => values,
            Self::I32(values) => values.into_iter().map(|v| v as f32).collect(),
            Self::I64(values) => values.into_iter().map(|v| v as f32).collect(),
        }
    }

    /// Every `components`-th triple as a vector; further components are dropped.
    pub fn into_vectors(self, components: usize) -> Vec<Vec3> {
        let floats = self.into_floats();
        floats.chunks_exact(components).map(|row| Vec3::new(row[0], row[1], row[2])).collect()
    }

    /// One component of every element.
    pub fn component(&self, component: usize, components: usize) -> Self {
        fn pick<T: Copy>(values: &[T], component: usize, components: usize) -> Vec<T> {
            values.iter().skip(component).step_by(components).copied().collect()
        }
        match self {
            Self::F32(values) => Self::F32(pick(values, component, components)),
            Self::I32(values) => Self::I32(pick(values, component, components)),
            Self::I64(values) => Self::I64(pick(values, component, components)),
        }
    }

    /// Reorders component by component to element by element.
    pub fn interleaved(&self, components: usize) -> Self {
        fn transpose<T: Copy>(values: &[T], components: usize) -> Vec<T> {
            let count = values.len() / components;
            let element = |element| (0..components).map(move |c| values[c * count + element]);
            (0..count).flat_map(element).collect()
        }
        match self {
            Self::F32(values) => Self::F32(transpose(values, components)),
            Self::I32(values) => Self::I32(transpose(values, components)),
            Self::I64(values) => Self::I64(transpose(values, components)),
        }
    }
}

/// Decodes the numbers at `layout`, which must lie inside `bytes`.
///
/// Fails, with a message that can follow the attribute's name, on an unsigned number above the
/// range of `i64`.
pub(crate) fn decode(
    scalar: ScalarType,
    endian: Endian,
    bytes: &[u8],
    layout: Layout,
) -> Result<Values, String> {
    use Endian::{Big, Little};
    Ok(match (scalar, endian) {
        (ScalarType::F32, Little) => Values::F32(gather(bytes, layout, f32::from_le_bytes)),
        (ScalarType::F32, Big) => Values::F32(gather(bytes, layout, f32::from_be_bytes)),
        (ScalarType::F64, Little) => {
            Values::F32(gather(bytes, layout, |b| f64::from_le_bytes(b) as f32))
        }
        (ScalarType::F64, Big) => {
            Values::F32(gather(bytes, layout, |b| f64::from_be_bytes(b) as f32))
        }
        (ScalarType::F16, Little) => {
            Values::F32(gather(bytes, layout, |b| f16::from_le_bytes(b).to_f32()))
        }
        (ScalarType::F16, Big) => {
            Values::F32(gather(bytes, layout, |b| f16::from_be_bytes(b).to_f32()))
        }
        (ScalarType::I8, _) => {
            Values::I32(gather(bytes, layout, |b| i32::from(i8::from_le_bytes(b))))
        }
        (ScalarType::U8, _) => Values::I32(gather(bytes, layout, |[b]| i32::from(b))),
        (ScalarType::I16, Little) => {
            Values::I32(gather(bytes, layout, |b| i32::from(i16::from_le_bytes(b))))
        }
        (ScalarType::I16, Big) => {
            Values::I32(gather(bytes, layout, |b| i32::from(i16::from_be_bytes(b))))
        }
        (ScalarType::U16, Little) => {
            Values::I32(gather(bytes, layout, |b| i32::from(u16::from_le_bytes(b))))
        }
        (ScalarType::U16, Big) => {
            Values::I32(gather(bytes, layout, |b| i32::from(u16::from_be_bytes(b))))
        }
        (ScalarType::I32, Little) => Values::I32(gather(bytes, layout, i32::from_le_bytes)),
        (ScalarType::I32, Big) => Values::I32(gather(bytes, layout, i32::from_be_bytes)),
        (ScalarType::U32, Little) => {
            Values::I64(gather(bytes, layout, |b| i64::from(u32::from_le_bytes(b))))
        }
        (ScalarType::U32, Big) => {
            Values::I64(gather(bytes, layout, |b| i64::from(u32::from_be_bytes(b))))
        }
        (ScalarType::I64, Little) => Values::I64(gather(bytes, layout, i64::from_le_bytes)),
        (ScalarType::I64, Big) => Values::I64(gather(bytes, layout, i64::from_be_bytes)),
        (ScalarType::U64, Little) => signed(gather(bytes, layout, u64::from_le_bytes))?,
        (ScalarType::U64, Big) => signed(gather(bytes, layout, u64::from_be_bytes))?,
    })
}

fn gather<const N: usize, T>(
    bytes: &[u8],
    layout: Layout,
    convert: impl Fn([u8; N]) -> T,
) -> Vec<T> {
    let mut values = Vec::with_capacity(layout.count * layout.components);
    for row in 0..layout.count {
        let start = layout.offset + row * layout.stride;
        let numbers = &bytes[start..start + N * layout.components];
        values.extend(numbers.as_chunks().0.iter().map(|&number| convert(number)));
    }
    values
}

fn signed(values: Vec<u64>) -> Result<Values, String> {
    let converted: Result<Vec<i64>, _> = values.into_iter().map(i64::try_from).collect();
    converted
        .map(Values::I64)
        .map_err(|_| "holds an unsigned number above the range of 64-bit integers".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a strided column is decoded from interleaved rows in either byte order.
    #[test]
    fn strided_columns_are_gathered() {
        let mut rows = Vec::new();
        for row in 0..3_i32 {
            rows.push(0xaa);
            rows.extend((row as f32).to_be_bytes());
            rows.extend((-row as f32).to_be_bytes());
            rows.extend((row as u16).to_be_bytes());
        }
        let pair = Layout { offset: 1, stride: 11, components: 2, count: 3 };
        let found = decode(ScalarType::F32, Endian::Big, &rows, pair).unwrap();
        assert_eq!(found, Values::F32(vec![0.0, 0.0, 1.0, -1.0, 2.0, -2.0]));
        let single = Layout { offset: 9, stride: 11, components: 1, count: 3 };
        let found = decode(ScalarType::U16, Endian::Big, &rows, single).unwrap();
        assert_eq!(found, Values::I32(vec![0, 1, 2]));
    }

    /// Contract: an unsigned number that no column can hold is refused, not wrapped.
    #[test]
    fn too_large_unsigned_numbers_are_refused() {
        let layout = Layout::packed(ScalarType::U64, 1, 1);
        assert!(decode(ScalarType::U64, Endian::Little, &[0xff; 8], layout).is_err());
    }
}
