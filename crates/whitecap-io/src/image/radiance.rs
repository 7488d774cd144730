//! Radiance HDR files (Ward 1991): three mantissas and one exponent for a pixel.
//!
//! A mantissa m and an exponent e mean m · 2^(e − 136), as most programs read them. Of the eight
//! pixel orders only the usual one is read: rows from the top, pixels from the left.

use std::path::Path;

use super::{Image, limit};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::Endian;
use crate::{Error, Place};

/// Header lines that are longer or more numerous than this are not a header.
const LONGEST_LINE: usize = 4096;
const MOST_LINES: usize = 1000;

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Image, Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    let exposure = read_header(&mut reader, path)?;
    let (width, height) = read_size(&mut reader)?;
    let pixels = (width as u64).saturating_mul(height as u64);
    limit::check(pixels.saturating_mul(16), bytes.len(), path)?;
    let mut image = Vec::with_capacity(width * height);
    let mut row = vec![[0u8; 4]; width];
    for _ in 0..height {
        read_row(&mut reader, &mut row)?;
        image.extend(row.iter().map(|pixel| light(*pixel, exposure)));
    }
    Image::from_pixels(width, height, false, image)
        .ok_or_else(|| Error::malformed(path, Place::File, "the rows do not fit the size"))
}

fn light([red, green, blue, exponent]: [u8; 4], exposure: f32) -> [f32; 4] {
    let scale = match exponent {
        0 => 0.0,
        _ => 2.0f32.powi(i32::from(exponent) - 136) / exposure,
    };
    [f32::from(red) * scale, f32::from(green) * scale, f32::from(blue) * scale, 1.0]
}

/// Reads up to the empty line; returns the product of all exposures, by which pixels were multiplied.
fn read_header(reader: &mut ByteReader<'_>, path: &Path) -> Result<f32, Error> {
    let mut exposure = 1.0f32;
    for _ in 0..MOST_LINES {
        let line = read_line(reader)?;
        if line.is_empty() {
            let usable = exposure.is_finite() && exposure > 0.0;
            return Ok(if usable { exposure } else { 1.0 });
        }
        if let Some(format) = line.strip_prefix("FORMAT=")
            && format.trim() != "32-bit_rle_rgbe"
        {
            let message = format!(
                "pixels of the form `{}` are not read; only 32-bit_rle_rgbe is",
                format.trim()
            );
            return Err(Error::unsupported(path, message));
        }
        if let Some(value) = line.strip_prefix("EXPOSURE=") {
            exposure *= value.trim().parse::<f32>().unwrap_or(1.0);
        }
    }
    Err(reader.malformed("the header does not end with an empty line"))
}

/// `-Y height +X width`.
fn read_size(reader: &mut ByteReader<'_>) -> Result<(usize, usize), Error> {
    let line = read_line(reader)?;
    let words: Vec<&str> = line.split_whitespace().collect();
    if let ["-Y", height, "+X", width] = words[..]
        && let (Ok(width), Ok(height)) = (width.parse::<u32>(), height.parse::<u32>())
        && width > 0
        && height > 0
    {
        return Ok((width as usize, height as usize));
    }
    let shown: String = line.chars().take(60).collect();
    Err(reader.malformed(format!("`{shown}` should be a size of the form `-Y height +X width`")))
}

fn read_line(reader: &mut ByteReader<'_>) -> Result<String, Error> {
    let rest = reader.rest();
    let end = rest.iter().take(LONGEST_LINE).position(|&byte| byte == b'\n');
    let Some(end) = end else { return Err(reader.malformed("a header line has no end")) };
    let line = reader.take(end + 1, "the header")?;
    let text = String::from_utf8_lossy(&line[..end]);
    Ok(text.trim_end_matches('\r').to_string())
}

/// One row, in whichever of the three ways it is stored.
fn read_row(reader: &mut ByteReader<'_>, row: &mut [[u8; 4]]) -> Result<(), Error> {
    let width = row.len();
    if let [2, 2, high, low, ..] = *reader.rest()
        && high < 128
        && (8..32768).contains(&width)
    {
        reader.take(4, "a row")?;
        if usize::from(high) << 8 | usize::from(low) != width {
            return Err(reader.malformed("a row has a different length from the picture"));
        }
        return (0..4).try_for_each(|channel| read_channel(reader, row, channel));
    }
    read_flat_row(reader, row)
}

/// One channel of a row: runs of one value, and values one by one.
fn read_channel(
    reader: &mut ByteReader<'_>,
    row: &mut [[u8; 4]],
    channel: usize,
) -> Result<(), Error> {
    let mut column = 0;
    while column < row.len() {
        let count = usize::from(reader.u8("a row")?);
        let (count, repeated) = if count > 128 { (count - 128, true) } else { (count, false) };
        if count == 0 || column + count > row.len() {
            return Err(reader.malformed("a run of pixels is longer than what is left of its row"));
        }
        let values = reader.take(if repeated { 1 } else { count }, "a row")?;
        for (offset, pixel) in row[column..column + count].iter_mut().enumerate() {
            pixel[channel] = values[if repeated { 0 } else { offset }];
        }
        column += count;
    }
    Ok(())
}

/// Pixels one by one; (1, 1, 1, n) repeats the one before n times, and several of these in a row count
/// as the digits of one number, lowest first.
fn read_flat_row(reader: &mut ByteReader<'_>, row: &mut [[u8; 4]]) -> Result<(), Error> {
    let (mut column, mut shift) = (0, 0u32);
    let mut last = [0; 4];
    while column < row.len() {
        let taken = reader.take(4, "a row")?;
        let pixel = [taken[0], taken[1], taken[2], taken[3]];
        if pixel[..3] != [1, 1, 1] {
            (row[column], last, shift) = (pixel, pixel, 0);
            column += 1;
            continue;
        }
        let count = usize::from(pixel[3]).checked_shl(shift).unwrap_or(usize::MAX);
        let Some(run) = row.get_mut(column..).and_then(|rest| rest.get_mut(..count)) else {
            return Err(reader.malformed("a run of pixels is longer than what is left of its row"));
        };
        run.fill(last);
        column += count;
        shift += 8;
        if shift > 24 {
            return Err(reader.malformed("a run of pixels has more than four digits"));
        }
    }
    Ok(())
}
