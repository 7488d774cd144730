//! The sheet as it is being filled.

use std::path::Path;

use whitecap_core::budget;
use whitecap_io::image::{Image, srgb_to_linear};

use super::layout::Layout;
use super::zoom::Zoom;
use crate::failure::Failure;

/// Grey of the background, and brightness of the letters, as sRGB.
pub const BACKGROUND: f32 = 0.11;
const INK: f32 = 0.92;
/// Border of an enlarged part, as sRGB.
const BORDER: [f32; 3] = [1.0, 0.72, 0.2];

/// The sheet.
#[derive(Clone)]
pub struct Canvas {
    image: Image,
}

/// A rectangle: its top left corner, and its width and height.
#[derive(Clone, Copy)]
struct Frame {
    at: [usize; 2],
    size: [usize; 2],
}

impl Canvas {
    /// An empty sheet with its texts.
    pub fn new(layout: &Layout) -> Result<Self, Failure> {
        let [width, height] = layout.size();
        let bytes = width as f64 * height as f64 * size_of::<[f32; 4]>() as f64;
        let what = format!("a sheet of {width} × {height} pixels");
        budget::ask(bytes, &what, "use fewer or smaller pictures (--cell-width)")
            .map_err(|refused| Failure::Work(refused.to_string()))?;
        let gray = srgb_to_linear(BACKGROUND);
        let mut canvas = Self { image: Image::new(width, height, [gray, gray, gray, 1.0]) };
        for line in layout.lines() {
            let [left, top] = line.at;
            line.lettering.draw(&line.text, |column, row, coverage| {
                canvas.ink(left + column, top + row, coverage);
            });
        }
        Ok(canvas)
    }

    /// The finished sheet.
    pub fn into_image(self) -> Image {
        self.image
    }

    /// Puts a picture into its place, as large as fits, with an enlarged part in its corner.
    pub fn put(
        &mut self,
        layout: &Layout,
        place: usize,
        image: &Image,
        zoom: Option<&Zoom>,
        path: &Path,
    ) -> Result<(), Failure> {
        if image.width() == 0 || image.height() == 0 {
            return Err(Failure::about(path, "the picture has no pixels"));
        }
        let (corner, cell) = (layout.corner(place), layout.cell());
        let (width, height) = (image.width() as f64, image.height() as f64);
        let scale = (cell[0] as f64 / width).min(cell[1] as f64 / height);
        let size = [width, height].map(|side| ((side * scale).round() as usize).max(1));
        let at = [0, 1].map(|axis| corner[axis] + (cell[axis] - size[axis].min(cell[axis])) / 2);
        let whole = [0.0, 0.0, width, height];
        self.draw(image, whole, Frame { at, size });
        let Some(zoom) = zoom else { return Ok(()) };
        zoom.check(image, path)?;
        let part = [zoom.x as f64, zoom.y as f64, zoom.width as f64, zoom.height as f64];
        let on_sheet = |value: f64| (value * scale).round() as usize;
        let outline = Frame {
            at: [at[0] + on_sheet(part[0]), at[1] + on_sheet(part[1])],
            size: [on_sheet(part[2]).max(1), on_sheet(part[3]).max(1)],
        };
        let inset = self.inset(Frame { at, size }, outline, zoom.factor);
        self.draw(image, part, inset);
        self.outline(outline);
        self.outline(inset);
        Ok(())
    }

    /// Where the enlarged part goes: the corner of the picture farthest from the part itself, at
    /// most three fifths of the picture in size.
    fn inset(&self, picture: Frame, outline: Frame, factor: f32) -> Frame {
        let room = picture.size.map(|side| side as f64 * 0.6);
        let wanted = outline.size.map(|side| side as f64 * f64::from(factor));
        let shrink = (room[0] / wanted[0]).min(room[1] / wanted[1]).min(1.0);
        let size = wanted.map(|side| ((side * shrink).round() as usize).max(1));
        let margin = (picture.size[0] / 60).max(2);
        let at = [0, 1].map(|axis| {
            let middle = outline.at[axis] + outline.size[axis] / 2 - picture.at[axis];
            let far = picture.size[axis].saturating_sub(size[axis] + margin);
            picture.at[axis] + if middle * 2 < picture.size[axis] { far } else { margin.min(far) }
        });
        Frame { at, size }
    }

    /// Draws a part of a picture (left, top, width, height) into a frame: averaged where it
    /// shrinks, pixel by pixel where it grows.
    fn draw(&mut self, image: &Image, part: [f64; 4], frame: Frame) {
        for row in 0..frame.size[1] {
            let rows = covered(row, frame.size[1], part[1], part[3], image.height());
            for column in 0..frame.size[0] {
                let columns = covered(column, frame.size[0], part[0], part[2], image.width());
                let color = average(image, columns, rows.clone());
                self.blend(frame.at[0] + column, frame.at[1] + row, color);
            }
        }
    }

    /// A border of two pixels around a frame.
    fn outline(&mut self, frame: Frame) {
        let [left, top] = frame.at.map(|side| side.saturating_sub(1));
        let [width, height] = frame.size.map(|side| side + 2);
        let [red, green, blue] = BORDER.map(srgb_to_linear);
        for row in 0..height {
            for column in 0..width {
                let near = |place: usize, side: usize| place < 2 || place + 2 >= side;
                if near(row, height) || near(column, width) {
                    self.blend(left + column, top + row, [red, green, blue, 1.0]);
                }
            }
        }
    }

    /// Lays a colour, multiplied by its alpha, over a pixel. Pixels beyond the sheet are left out.
    fn blend(&mut self, column: usize, row: usize, color: [f32; 4]) {
        let width = self.image.width();
        if column >= width {
            return;
        }
        if let Some(pixel) = self.image.pixels_mut().get_mut(row * width + column) {
            for channel in 0..3 {
                pixel[channel] = color[channel] + (1.0 - color[3]) * pixel[channel];
            }
        }
    }

    fn ink(&mut self, column: usize, row: usize, coverage: f32) {
        // Letters are blended in sRGB: in linear light, bright letters would look bold.
        let light = srgb_to_linear(BACKGROUND + coverage * (INK - BACKGROUND));
        self.blend(column, row, [light, light, light, 1.0]);
    }
}

/// The pixels of a picture that a pixel of a frame covers.
fn covered(
    place: usize,
    frame: usize,
    start: f64,
    length: f64,
    limit: usize,
) -> std::ops::Range<usize> {
    let step = length / frame as f64;
    let low = start + place as f64 * step;
    if step <= 1.0 {
        let middle = ((low + 0.5 * step) as usize).min(limit - 1);
        return middle..middle + 1;
    }
    let first = (low.round() as usize).min(limit - 1);
    let last = ((low + step).round() as usize).clamp(first + 1, limit);
    first..last
}

/// Mean of pixels, clipped to white first, so that one spark does not bloom.
fn average(
    image: &Image,
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
) -> [f32; 4] {
    let count = (columns.len() * rows.len()) as f32;
    let mut sum = [0.0; 4];
    for row in rows {
        for column in columns.clone() {
            for (total, value) in sum.iter_mut().zip(image.pixel(column, row)) {
                // Written so that NaN counts as zero.
                *total += if value > 0.0 { value.min(1.0) } else { 0.0 };
            }
        }
    }
    sum.map(|total| total / count)
}
