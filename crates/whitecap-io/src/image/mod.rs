//! Pictures: PNG, OpenEXR and Radiance HDR to linear colours, and back to PNG and OpenEXR.
//!
//! # Guarantees
//! * An [`Image`] is linear Rec. 709 with its colours multiplied by alpha, whatever the file had. PNG
//!   values are decoded from sRGB, or by the file's own gamma, and divided by alpha again on writing; 8
//!   and 16 bit values survive reading and writing exactly where alpha is one.
//! * A reader gives an error, never a panic, and allocates no more than a fixed multiple of the file's
//!   size, or 128 MiB if that is more.
//! * Files are written whole or not at all ([`crate::atomic`]), with the same bytes for any number of
//!   threads.
//!
//! # Non-guarantees
//! Colour profiles and primaries other than Rec. 709 are not converted. The data window of an
//! OpenEXR file is read, not the display window; deep and chroma-subsampled data are not read.

pub mod animation;
mod exr_file;
mod layers;
mod limit;
mod png_file;
mod radiance;
mod transfer;

pub use layers::{CameraView, Channel, LayeredImage, Pass, Samples, VIEW_LAYER};
pub use png_file::PngDepth;
pub use transfer::{linear_to_srgb, srgb_to_linear};

use std::path::Path;

use crate::{Error, Place, atomic, plain};

/// A picture in linear light, from the top row down.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    width: usize,
    height: usize,
    has_alpha: bool,
    pixels: Vec<[f32; 4]>,
}

impl Image {
    /// A picture of one colour: red, green, blue, alpha.
    pub fn new(width: usize, height: usize, color: [f32; 4]) -> Self {
        let has_alpha = color[3] != 1.0;
        Self { width, height, has_alpha, pixels: vec![color; width * height] }
    }

    /// A picture from its pixels, row by row. `None` if their number does not fit.
    pub fn from_pixels(
        width: usize,
        height: usize,
        has_alpha: bool,
        pixels: Vec<[f32; 4]>,
    ) -> Option<Self> {
        let fits = width.checked_mul(height) == Some(pixels.len());
        fits.then_some(Self { width, height, has_alpha, pixels })
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Whether the picture has an alpha channel. Where it has none, alpha is one.
    pub fn has_alpha(&self) -> bool {
        self.has_alpha
    }

    /// The pixels, row by row.
    pub fn pixels(&self) -> &[[f32; 4]] {
        &self.pixels
    }

    /// The pixels, to be changed in place.
    pub fn pixels_mut(&mut self) -> &mut [[f32; 4]] {
        &mut self.pixels
    }

    /// The pixel at a column and a row, both counted from zero.
    ///
    /// # Panics
    /// If the picture has no such pixel.
    pub fn pixel(&self, column: usize, row: usize) -> [f32; 4] {
        assert!(column < self.width, "column {column} of {}", self.width);
        self.pixels[row * self.width + column]
    }
}

/// Reads a picture. Its first bytes decide the format, not its name.
pub fn read(path: impl AsRef<Path>) -> Result<Image, Error> {
    let path = path.as_ref();
    parse(&plain::read_named(path).map_err(Error::reading(path))?, path)
}

/// A picture from the bytes of a file. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Image, Error> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => png_file::parse(bytes, path),
        [0x76, 0x2f, 0x31, 0x01, ..] => exr_file::parse_image(bytes, path),
        [b'#', b'?', ..] => radiance::parse(bytes, path),
        _ => {
            let message = "this is not a picture that can be read: it does not begin like PNG, OpenEXR or Radiance HDR";
            Err(Error::malformed(path, Place::Offset(0), message))
        }
    }
}

/// Writes a PNG file, encoded as sRGB.
pub fn write_png(path: impl AsRef<Path>, image: &Image, depth: PngDepth) -> Result<(), Error> {
    let path = path.as_ref();
    atomic::write(path, &png_bytes(image, depth, path)?)
}

/// The bytes of a PNG file, encoded as sRGB. `path` is for messages.
pub fn png_bytes(image: &Image, depth: PngDepth, path: &Path) -> Result<Vec<u8>, Error> {
    png_file::to_bytes(image, depth, path)
}

/// Reads every channel of an OpenEXR file.
pub fn read_layers(path: impl AsRef<Path>) -> Result<LayeredImage, Error> {
    let path = path.as_ref();
    parse_layers(&plain::read_named(path).map_err(Error::reading(path))?, path)
}

/// Every channel of an OpenEXR file from its bytes. `path` is for messages.
pub fn parse_layers(bytes: &[u8], path: &Path) -> Result<LayeredImage, Error> {
    exr_file::parse_layers(bytes, path)
}

/// Writes an OpenEXR file with named channels.
pub fn write_layers(path: impl AsRef<Path>, image: &LayeredImage) -> Result<(), Error> {
    let path = path.as_ref();
    atomic::write(path, &layers_to_bytes(image, path)?)
}

/// The bytes of an OpenEXR file with named channels. `path` is for messages.
pub fn layers_to_bytes(image: &LayeredImage, path: &Path) -> Result<Vec<u8>, Error> {
    exr_file::to_bytes(image, path)
}
