//! PNG files.

use std::io::Cursor;
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, SrgbRenderingIntent, Transformations};

use super::{Image, limit, linear_to_srgb, srgb_to_linear};
use crate::{Error, Place};

/// Bits of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PngDepth {
    /// 8 bits: for screens.
    #[default]
    Eight,
    /// 16 bits: for pictures that will be processed further.
    Sixteen,
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Image, Error> {
    let wrong = |error: png::DecodingError| match error {
        png::DecodingError::LimitsExceeded => Error::unsupported(
            path,
            "the text or colour profile in the file is too large to be read",
        ),
        error => Error::malformed(path, Place::File, format!("the PNG data is damaged: {error}")),
    };
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let (width, height) = decoder.read_header_info().map_err(wrong)?.size();
    let pixels = u64::from(width) * u64::from(height);
    limit::check(pixels.saturating_mul(16), bytes.len(), path)?;
    decoder.set_limits(Limits { bytes: (pixels * 16) as usize + (1 << 20) });
    let mut reader = decoder.read_info().map_err(wrong)?;
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    limit::check(size as u64, bytes.len(), path)?;
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(wrong)?;
    let data = &data[..frame.buffer_size()];
    let decode = light_of(&reader);
    let values: Vec<u16> = match frame.bit_depth {
        BitDepth::Sixteen => {
            data.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect()
        }
        // 255 · 257 is 65535: the same share of white.
        _ => data.iter().map(|&byte| u16::from(byte) * 257).collect(),
    };
    let color = |value: u16| decode[usize::from(value)];
    let gray = |gray: u16, alpha: u16| pixel([color(gray); 3], alpha);
    let pixels: Vec<[f32; 4]> = match frame.color_type {
        ColorType::Grayscale => values.iter().map(|&value| gray(value, u16::MAX)).collect(),
        ColorType::GrayscaleAlpha => values.chunks_exact(2).map(|v| gray(v[0], v[1])).collect(),
        ColorType::Rgba => values
            .chunks_exact(4)
            .map(|v| pixel([color(v[0]), color(v[1]), color(v[2])], v[3]))
            .collect(),
        _ => values
            .chunks_exact(3)
            .map(|v| pixel([color(v[0]), color(v[1]), color(v[2])], u16::MAX))
            .collect(),
    };
    let has_alpha = matches!(frame.color_type, ColorType::Rgba | ColorType::GrayscaleAlpha);
    let (width, height) = (frame.width as usize, frame.height as usize);
    Image::from_pixels(width, height, has_alpha, pixels)
        .ok_or_else(|| Error::malformed(path, Place::File, "the PNG data ends too early"))
}

/// Linear light of each 16-bit value: by the file's gamma, if it has one and does not declare sRGB.
fn light_of(reader: &png::Reader<Cursor<&[u8]>>) -> Vec<f32> {
    let info = reader.info();
    let gamma = match info.srgb {
        Some(_) => None,
        None => info.gama_chunk.map(|gamma| gamma.into_value()).filter(|gamma| *gamma > 0.01),
    };
    // The usual 0.45455 stands for sRGB.
    let gamma = gamma.filter(|gamma| (gamma - 0.454_55).abs() > 0.001);
    (0..=u16::MAX)
        .map(|value| f32::from(value) / f32::from(u16::MAX))
        .map(|value| gamma.map_or_else(|| srgb_to_linear(value), |gamma| value.powf(1.0 / gamma)))
        .collect()
}

fn pixel([red, green, blue]: [f32; 3], alpha: u16) -> [f32; 4] {
    let alpha = f32::from(alpha) / f32::from(u16::MAX);
    [red * alpha, green * alpha, blue * alpha, alpha]
}

/// The bytes of a PNG file.
pub(super) fn to_bytes(image: &Image, depth: PngDepth, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, image, path)?;
    encoder.set_depth(match depth {
        PngDepth::Eight => BitDepth::Eight,
        PngDepth::Sixteen => BitDepth::Sixteen,
    });
    let unwritable = |error: png::EncodingError| Error::unwritable(path, error.to_string());
    let mut writer = encoder.write_header().map_err(unwritable)?;
    writer.write_image_data(&encoded(image, depth)).map_err(unwritable)?;
    writer.finish().map_err(unwritable)?;
    Ok(bytes)
}

/// An encoder for sRGB pictures like this one, of 8 bits.
pub(super) fn encoder<W: std::io::Write>(
    to: W,
    image: &Image,
    path: &Path,
) -> Result<Encoder<'static, W>, Error> {
    let side = |side: usize| u32::try_from(side).ok().filter(|side| (1..=1 << 30).contains(side));
    let (Some(width), Some(height)) = (side(image.width), side(image.height)) else {
        let message = format!("a PNG file cannot hold {} x {} pixels", image.width, image.height);
        return Err(Error::unwritable(path, message));
    };
    let mut encoder = Encoder::new(to, width, height);
    encoder.set_color(if image.has_alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    Ok(encoder)
}

/// The pixels as PNG stores them: sRGB, not multiplied by alpha.
pub(super) fn encoded(image: &Image, depth: PngDepth) -> Vec<u8> {
    let channels = if image.has_alpha { 4 } else { 3 };
    let bytes = match depth {
        PngDepth::Eight => 1,
        PngDepth::Sixteen => 2,
    };
    let mut data = Vec::with_capacity(image.pixels.len() * channels * bytes);
    for [red, green, blue, alpha] in &image.pixels {
        let share = if image.has_alpha && *alpha > 0.0 { 1.0 / alpha } else { 1.0 };
        let [red, green, blue] = [red, green, blue].map(|light| linear_to_srgb(light * share));
        for value in &[red, green, blue, *alpha][..channels] {
            // NaN is written as zero.
            match depth {
                PngDepth::Eight => data.push((value.clamp(0.0, 1.0) * 255.0).round() as u8),
                PngDepth::Sixteen => {
                    let value = (value.clamp(0.0, 1.0) * 65535.0).round() as u16;
                    data.extend_from_slice(&value.to_be_bytes());
                }
            }
        }
    }
    data
}
