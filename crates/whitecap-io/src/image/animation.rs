//! Animations that browsers and chat programs show: animated PNG and GIF.
//!
//! Frames come one after the other, so that memory does not grow with their number.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::Image;
use super::png_file::{self, PngDepth};
use crate::{Error, atomic, has_extension};

/// The format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Animation {
    /// Animated PNG: every colour, exactly.
    Apng,
    /// GIF: 256 colours in each frame, at most 50 frames a second.
    Gif,
}

impl Animation {
    /// The format that a file name asks for: `.apng`, `.png` or `.gif`.
    pub fn of(path: &Path) -> Option<Self> {
        let is_png = has_extension(path, &["apng", "png"]).then_some(Animation::Apng);
        is_png.or(has_extension(path, &["gif"]).then_some(Animation::Gif))
    }
}

/// Writes `count` frames, made in order by `frame` and all of one size, to be shown in an endless loop at
/// `rate` frames per second.
pub fn write<E: From<Error>>(
    path: &Path,
    animation: Animation,
    count: usize,
    rate: f32,
    mut frame: impl FnMut(usize) -> Result<Image, E>,
) -> Result<(), E> {
    let frames = u32::try_from(count).ok().filter(|count| *count > 0);
    let Some(frames) = frames.filter(|_| rate > 0.0 && rate <= 1000.0) else {
        let message =
            format!("{count} frames at {rate} frames per second do not make an animation");
        return Err(Error::unwritable(path, message).into());
    };
    // The error of a frame is kept separately: the writer below knows only file errors.
    let mut failed = None;
    let written = atomic::write_with(path, |file| {
        let mut next = |index: usize| {
            frame(index).map_err(|error| {
                failed = Some(error);
                Error::unwritable(path, "a frame could not be made")
            })
        };
        match animation {
            Animation::Apng => write_apng(file, path, frames, rate, &mut next),
            Animation::Gif => write_gif(file, path, count, rate, &mut next),
        }
    });
    match failed {
        Some(error) => Err(error),
        None => written.map_err(E::from),
    }
}

fn write_apng(
    file: &mut File,
    path: &Path,
    frames: u32,
    rate: f32,
    next: &mut dyn FnMut(usize) -> Result<Image, Error>,
) -> Result<(), Error> {
    let unwritable = |error: png::EncodingError| Error::unwritable(path, error.to_string());
    let first = next(0)?;
    let mut encoder = png_file::encoder(BufWriter::new(file), &first, path)?;
    encoder.set_animated(frames, 0).map_err(unwritable)?;
    // A rate such as 23.976 needs a fraction.
    let (delay, unit) = match rate.fract() == 0.0 {
        true => (1, rate as u16),
        false => (1000, (rate * 1000.0).round().min(65535.0) as u16),
    };
    encoder.set_frame_delay(delay, unit).map_err(unwritable)?;
    let mut writer = encoder.write_header().map_err(unwritable)?;
    for index in 0..frames as usize {
        let image = if index == 0 { first.clone() } else { next(index)? };
        check_size(&image, &first, index, path)?;
        writer.write_image_data(&png_file::encoded(&image, PngDepth::Eight)).map_err(unwritable)?;
    }
    writer.finish().map_err(unwritable)
}

fn write_gif(
    file: &mut File,
    path: &Path,
    count: usize,
    rate: f32,
    next: &mut dyn FnMut(usize) -> Result<Image, Error>,
) -> Result<(), Error> {
    let unwritable = |error: gif::EncodingError| Error::unwritable(path, error.to_string());
    let first = next(0)?;
    let side = |side: usize| u16::try_from(side).ok().filter(|side| *side > 0);
    let (Some(width), Some(height)) = (side(first.width()), side(first.height())) else {
        let message =
            format!("a GIF file cannot hold {} x {} pixels", first.width(), first.height());
        return Err(Error::unwritable(path, message));
    };
    let mut buffered = BufWriter::new(file);
    let mut encoder = gif::Encoder::new(&mut buffered, width, height, &[]).map_err(unwritable)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(unwritable)?;
    for index in 0..count {
        let image = if index == 0 { first.clone() } else { next(index)? };
        check_size(&image, &first, index, path)?;
        let opaque = over_black(image);
        let data = png_file::encoded(&opaque, PngDepth::Eight);
        // Quality 10 of 1 (best) to 30 (fastest): what the encoder's authors recommend.
        let mut frame = gif::Frame::from_rgb_speed(width, height, &data, 10);
        // Hundredths of a second, rounded so that the total length is kept.
        let ends = |frame: usize| (100.0 * frame as f64 / f64::from(rate)).round() as u64;
        frame.delay = (ends(index + 1) - ends(index)).clamp(2, 65535) as u16;
        encoder.write_frame(&frame).map_err(unwritable)?;
    }
    drop(encoder);
    buffered.flush().map_err(Error::writing(path))
}

/// The picture without alpha: colours are already multiplied by it.
fn over_black(mut image: Image) -> Image {
    image.has_alpha = false;
    image
}

fn check_size(image: &Image, first: &Image, index: usize, path: &Path) -> Result<(), Error> {
    let size = |image: &Image| (image.width(), image.height(), image.has_alpha());
    match size(image) == size(first) {
        true => Ok(()),
        false => {
            let message = format!("frame {} differs in size from the first", index + 1);
            Err(Error::unwritable(path, message))
        }
    }
}
