//! Values that vary over a surface.

use std::ops::{Add, Mul};
use std::sync::Arc;

use glam::{Vec2, Vec3};

/// How a point of a surface is mapped to a pattern or an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mapping {
    /// The shape's own texture coordinates times a factor.
    Uv {
        /// Repeats of the image, or squares of the pattern, per unit of the coordinates.
        scale: f32,
    },
    /// Seen from above: x and z in m times a factor. For shapes without texture coordinates.
    Above {
        /// Repeats of the image, or squares of the pattern, per metre.
        scale: f32,
    },
}

impl Mapping {
    fn place(&self, uv: Vec2, point: Vec3) -> Vec2 {
        match *self {
            Mapping::Uv { scale } => scale * uv,
            Mapping::Above { scale } => scale * Vec2::new(point.x, point.z),
        }
    }
}

/// An image of values, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureImage<T> {
    width: usize,
    height: usize,
    values: Vec<T>,
}

/// What a texture can hold: colours and numbers.
pub trait TextureValue: Copy + Send + Sync + Add<Output = Self> + Mul<f32, Output = Self> {}

impl TextureValue for f32 {}
impl TextureValue for Vec3 {}

impl<T: TextureValue> TextureImage<T> {
    /// An image; `None` unless there are `width` times `height` values and at least one.
    pub fn new(width: usize, height: usize, values: Vec<T>) -> Option<Self> {
        let matches = width.checked_mul(height) == Some(values.len()) && !values.is_empty();
        matches.then_some(Self { width, height, values })
    }

    /// The value at texture coordinates, blended between the four nearest pixels. The image repeats;
    /// (0, 0) is its lower left corner.
    pub fn at(&self, uv: Vec2) -> T {
        let uv = if uv.is_finite() { uv.rem_euclid(Vec2::ONE) } else { Vec2::ZERO };
        let x = uv.x * self.width as f32 - 0.5;
        let y = (1.0 - uv.y) * self.height as f32 - 0.5;
        let (left, top) = (x.floor(), y.floor());
        let wrap = |place: f32, size: usize| (place as i64).rem_euclid(size as i64) as usize;
        let pixel = |column: f32, row: f32| {
            self.values[wrap(row, self.height) * self.width + wrap(column, self.width)]
        };
        let (right_share, bottom_share) = (x - left, y - top);
        let row = |row: f32| {
            pixel(left, row) * (1.0 - right_share) + pixel(left + 1.0, row) * right_share
        };
        row(top) * (1.0 - bottom_share) + row(top + 1.0) * bottom_share
    }

    /// All values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }
}

/// A value that may vary over a surface.
#[derive(Clone, Debug)]
pub enum Texture<T> {
    /// The same everywhere.
    Constant(T),
    /// Two values in the squares of a chessboard.
    Checker {
        /// One of the values.
        first: T,
        /// The other.
        second: T,
        /// Squares per unit.
        mapping: Mapping,
    },
    /// An image.
    Image {
        /// The image.
        image: Arc<TextureImage<T>>,
        /// Repeats per unit.
        mapping: Mapping,
    },
}

impl<T: TextureValue> Texture<T> {
    /// The value at a point of a surface.
    pub fn at(&self, uv: Vec2, point: Vec3) -> T {
        match self {
            Texture::Constant(value) => *value,
            Texture::Checker { first, second, mapping } => {
                let square = mapping.place(uv, point).floor();
                let odd = (square.x + square.y).rem_euclid(2.0) >= 1.0;
                if odd { *second } else { *first }
            }
            Texture::Image { image, mapping } => image.at(mapping.place(uv, point)),
        }
    }

    /// All values that the texture interpolates.
    pub(crate) fn extremes(&self) -> Vec<T> {
        match self {
            Texture::Constant(value) => vec![*value],
            Texture::Checker { first, second, .. } => vec![*first, *second],
            Texture::Image { image, .. } => image.values.clone(),
        }
    }
}

impl<T> From<T> for Texture<T> {
    fn from(value: T) -> Self {
        Texture::Constant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image has the values of its pixels at their middles, blends between them, repeats beyond its
    /// edges, and starts at its lower left corner.
    #[test]
    fn images_are_blended_and_repeat() {
        let image = TextureImage::new(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let at = |x: f32, y: f32| image.at(Vec2::new(x, y));
        for offset in [-1.0, 0.0, 2.0] {
            assert_eq!(at(0.25 + offset, 0.75), 1.0);
            assert_eq!(at(0.75, 0.75 + offset), 2.0);
            assert_eq!(at(0.25, 0.25 + offset), 3.0);
        }
        assert_eq!(at(0.5, 0.5), 2.5);
        assert_eq!(at(0.0, 0.75), 1.5);
        assert_eq!(at(f32::NAN, 0.0), at(0.0, 0.0));
        assert!(TextureImage::new(2, 2, vec![1.0]).is_none());
        assert!(TextureImage::<f32>::new(0, 2, Vec::new()).is_none());
    }

    /// Squares of a chessboard alternate, also on the negative side.
    #[test]
    fn chessboard() {
        let mapping = Mapping::Above { scale: 2.0 };
        let board = Texture::Checker { first: 0.0, second: 1.0, mapping };
        let row: Vec<f32> = (-4..4)
            .map(|square| board.at(Vec2::ZERO, Vec3::new(0.5 * square as f32 + 0.25, 9.0, 0.1)))
            .collect();
        assert_eq!(row, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    }
}
