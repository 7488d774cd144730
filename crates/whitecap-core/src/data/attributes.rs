//! Named, typed attribute columns: the part of particles and meshes that is not position.
//!
//! # Guarantees
//! * Every column of one [`Attributes`] has the same length.
//! * Columns keep the order in which they were inserted, so files written from them do not
//!   depend on a hash order.
//!
//! # Well-known names
//! | name | type | meaning |
//! |---|---|---|
//! | `velocity` | [`Column::Vec3`] | metres per second |
//! | `id` | [`Column::I32`] or [`Column::I64`] | stable identity of a particle over a sequence |
//! | `radius` | [`Column::F32`] | particle radius in metres |
//! | `normal` | [`Column::Vec3`] | unit normal of a mesh vertex |
//! | `uv` | [`Column::Vec2`] | texture coordinate |
//! | `color` | [`Column::Vec3`] or [`Column::Vec4`] | linear colour, 0 to 1 |

use glam::{Vec2, Vec3, Vec4};

use crate::Error;

/// Name of the velocity column.
pub const VELOCITY: &str = "velocity";
/// Name of the identity column.
pub const ID: &str = "id";
/// Name of the particle-radius column.
pub const RADIUS: &str = "radius";
/// Name of the vertex-normal column.
pub const NORMAL: &str = "normal";

/// One attribute, one value per element.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A scalar.
    F32(Vec<f32>),
    /// A pair, such as a texture coordinate.
    Vec2(Vec<Vec2>),
    /// A vector, such as a velocity.
    Vec3(Vec<Vec3>),
    /// Four components, such as a colour with opacity.
    Vec4(Vec<Vec4>),
    /// A 32-bit integer.
    I32(Vec<i32>),
    /// A 64-bit integer.
    I64(Vec<i64>),
}

impl Column {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Column::F32(values) => values.len(),
            Column::Vec2(values) => values.len(),
            Column::Vec3(values) => values.len(),
            Column::Vec4(values) => values.len(),
            Column::I32(values) => values.len(),
            Column::I64(values) => values.len(),
        }
    }

    /// Whether the column holds no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many components one value has.
    pub fn components(&self) -> usize {
        match self {
            Column::F32(_) | Column::I32(_) | Column::I64(_) => 1,
            Column::Vec2(_) => 2,
            Column::Vec3(_) => 3,
            Column::Vec4(_) => 4,
        }
    }

    /// The type in words, for messages: `vector of 3`, `integer`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Column::F32(_) => "scalar",
            Column::Vec2(_) => "vector of 2",
            Column::Vec3(_) => "vector of 3",
            Column::Vec4(_) => "vector of 4",
            Column::I32(_) => "integer",
            Column::I64(_) => "64-bit integer",
        }
    }

    /// Whether the values are integers, which are copied from the nearest element, never averaged.
    pub fn is_integer(&self) -> bool {
        matches!(self, Column::I32(_) | Column::I64(_))
    }

    /// The column with its values taken in the order given by `indices`.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn gather(&self, indices: &[u32]) -> Column {
        fn pick<T: Copy>(values: &[T], indices: &[u32]) -> Vec<T> {
            indices.iter().map(|&i| values[i as usize]).collect()
        }
        match self {
            Column::F32(values) => Column::F32(pick(values, indices)),
            Column::Vec2(values) => Column::Vec2(pick(values, indices)),
            Column::Vec3(values) => Column::Vec3(pick(values, indices)),
            Column::Vec4(values) => Column::Vec4(pick(values, indices)),
            Column::I32(values) => Column::I32(pick(values, indices)),
            Column::I64(values) => Column::I64(pick(values, indices)),
        }
    }

    /// Index of the first value with a component that is not a finite number.
    pub fn first_non_finite(&self) -> Option<usize> {
        match self {
            Column::F32(values) => values.iter().position(|v| !v.is_finite()),
            Column::Vec2(values) => values.iter().position(|v| !v.is_finite()),
            Column::Vec3(values) => values.iter().position(|v| !v.is_finite()),
            Column::Vec4(values) => values.iter().position(|v| !v.is_finite()),
            Column::I32(_) | Column::I64(_) => None,
        }
    }
}

/// A set of columns of one length, in insertion order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    columns: Vec<(String, Column)>,
}

impl Attributes {
    /// No columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The column called `name`.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(n, _)| n == name).map(|(_, column)| column)
    }

    /// Adds or replaces a column; its length must be `element_count`.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        column: Column,
        element_count: usize,
    ) -> Result<(), Error> {
        let name = name.into();
        if column.len() != element_count {
            return Err(Error::ColumnLength { name, found: column.len(), expected: element_count });
        }
        match self.columns.iter_mut().find(|(n, _)| *n == name) {
            Some((_, slot)) => *slot = column,
            None => self.columns.push((name, column)),
        }
        Ok(())
    }

    /// Removes a column and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Column> {
        let place = self.columns.iter().position(|(n, _)| n == name)?;
        Some(self.columns.remove(place).1)
    }

    /// Every column with its name, in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.columns.iter().map(|(name, column)| (name.as_str(), column))
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// All columns reordered by `indices` (see [`Column::gather`]).
    pub fn gather(&self, indices: &[u32]) -> Attributes {
        let columns = self
            .columns
            .iter()
            .map(|(name, column)| (name.clone(), column.gather(indices)))
            .collect();
        Attributes { columns }
    }
}
