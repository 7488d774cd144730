//! OpenEXR files.

use std::io::Cursor;
use std::panic::catch_unwind;
use std::path::Path;

use exr::meta::MetaData;
use exr::prelude::{
    AnyChannel, AnyChannels, AttributeValue, Encoding, FlatImage, FlatSamples, Layer,
    LayerAttributes, ReadChannels, ReadLayers, Text, WritableImage, read,
};

use super::{Channel, Image, LayeredImage, Samples, limit};
use crate::{Error, Place};

/// Blender treats a file with this attribute as multi-layer.
const MULTILAYER: (&str, &str) = ("BlenderMultiChannel", "Blender V2.55.1 and newer");

/// The bytes of a file.
pub(super) fn to_bytes(image: &LayeredImage, path: &Path) -> Result<Vec<u8>, Error> {
    check_writable(image).map_err(|message| Error::unwritable(path, message))?;
    let channel = |channel: &Channel| {
        let samples = match &channel.samples {
            Samples::Half(values) => FlatSamples::F16(values.clone()),
            Samples::Float(values) => FlatSamples::F32(values.clone()),
            Samples::Uint(values) => FlatSamples::U32(values.clone()),
        };
        let mut written = AnyChannel::new(channel.name.as_str(), samples);
        written.quantize_linearly = false;
        written
    };
    let channels = AnyChannels::sort(image.channels.iter().map(channel).collect());
    let mut attributes = LayerAttributes::default();
    if image.channels.iter().any(|channel| channel.name.contains('.')) {
        let (name, value) = (Text::from(MULTILAYER.0), Text::from(MULTILAYER.1));
        attributes.other.insert(name, AttributeValue::Text(value));
    }
    if let Some(camera) = &image.camera {
        attributes.world_to_camera = Some(camera.world_to_camera);
        attributes.world_to_normalized_device = Some(camera.world_to_picture);
        attributes.horizontal_field_of_view = camera.field_of_view.map(|angles| angles[0]);
        attributes.vertical_field_of_view = camera.field_of_view.map(|angles| angles[1]);
        attributes.screen_window_width = camera.window_width;
    }
    let size = (image.width, image.height);
    // Lines in order, so that the bytes do not depend on which thread finishes first.
    let layer = Layer::new(size, attributes, Encoding::SMALL_LOSSLESS, channels);
    let mut bytes = Cursor::new(Vec::new());
    exr::prelude::Image::from_layer(layer)
        .write()
        .to_buffered(&mut bytes)
        .map_err(|error| Error::unwritable(path, error.to_string()))?;
    Ok(bytes.into_inner())
}

fn check_writable(image: &LayeredImage) -> Result<(), String> {
    let (width, height) = (image.width, image.height);
    let largest = i32::MAX as usize / 2;
    if width == 0 || height == 0 || width > largest || height > largest {
        return Err(format!("an OpenEXR file cannot hold {width} x {height} pixels"));
    }
    if image.channels.is_empty() {
        return Err("an OpenEXR file needs at least one channel".to_string());
    }
    let mut names: Vec<&str> = image.channels.iter().map(|channel| channel.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("there are two channels called {}", pair[0]));
    }
    for Channel { name, samples } in &image.channels {
        if name.is_empty() || name.len() > 255 || !name.is_ascii() {
            return Err(format!(
                "`{name}` is not a valid channel name; use 1 to 255 ASCII characters"
            ));
        }
        if samples.len() != width * height {
            let count = samples.len();
            return Err(format!("channel {name} has {count} values for {width} x {height} pixels"));
        }
    }
    Ok(())
}

/// Every channel. A file of several parts gives the channels of those with the first part's size,
/// prefixed with the part's name.
pub(super) fn parse_layers(bytes: &[u8], path: &Path) -> Result<LayeredImage, Error> {
    let image = read_all(bytes, path)?;
    let size = image.layer_data.first().map(|layer| layer.size).unwrap_or_default();
    let mut layered = LayeredImage::new(size.0, size.1);
    for layer in image.layer_data.into_iter().filter(|layer| layer.size == size) {
        let part = layer.attributes.layer_name.map(|name| name.to_string());
        for channel in layer.channel_data.list {
            let own = channel.name.to_string();
            let name = match &part {
                Some(part) if !own.starts_with(&format!("{part}.")) => format!("{part}.{own}"),
                _ => own,
            };
            let samples = match channel.sample_data {
                FlatSamples::F16(values) => Samples::Half(values),
                FlatSamples::F32(values) => Samples::Float(values),
                FlatSamples::U32(values) => Samples::Uint(values),
            };
            if samples.len() == size.0 * size.1 {
                layered.channels.push(Channel { name, samples });
            }
        }
    }
    Ok(layered)
}

/// The colours: channels R, G, B of the file itself, else of a combined pass, else of any layer; a
/// picture of luminance only is grey.
pub(super) fn parse_image(bytes: &[u8], path: &Path) -> Result<Image, Error> {
    let layers = parse_layers(bytes, path)?;
    let Some(prefix) = color_prefix(&layers) else {
        let names: Vec<&str> = layers.channels.iter().map(|c| c.name.as_str()).take(20).collect();
        let message = format!("the file has no channels R, G, B or Y, only {}", names.join(", "));
        return Err(Error::unsupported(path, message));
    };
    let find = |letter: &str| layers.channel(&format!("{prefix}{letter}"));
    let luminance = find("Y");
    let colors = ["R", "G", "B"].map(|letter| find(letter).or(luminance));
    let alpha = find("A");
    let value = |channel: Option<&Channel>, place: usize, missing: f32| {
        channel.map_or(missing, |channel| channel.samples.at(place))
    };
    let pixels = (0..layers.width * layers.height)
        .map(|place| {
            let [red, green, blue] = colors.map(|color| value(color, place, 0.0));
            [red, green, blue, value(alpha, place, 1.0)]
        })
        .collect();
    Image::from_pixels(layers.width, layers.height, alpha.is_some(), pixels)
        .ok_or_else(|| Error::malformed(path, Place::File, "the channels do not fit the size"))
}

/// The prefix of R, G and B, or of Y.
fn color_prefix(layers: &LayeredImage) -> Option<String> {
    let has = |prefix: &str, letter: &str| layers.channel(&format!("{prefix}{letter}")).is_some();
    let colored = |prefix: &str| has(prefix, "R") && has(prefix, "G") && has(prefix, "B");
    let prefixes = || {
        layers.channels.iter().filter_map(|channel| {
            let (layer, letter) = channel.name.rsplit_once('.')?;
            (letter == "R").then(|| format!("{layer}."))
        })
    };
    [String::new()]
        .into_iter()
        .chain(prefixes().filter(|prefix| prefix.ends_with("Combined.")))
        .chain(prefixes())
        .find(|prefix| colored(prefix))
        .or_else(|| has("", "Y").then(String::new))
}

/// Reads everything, once its size is known to be possible.
fn read_all(bytes: &[u8], path: &Path) -> Result<FlatImage, Error> {
    let wrong = |error: exr::error::Error| match error {
        exr::error::Error::NotSupported(what) => {
            Error::unsupported(path, format!("this OpenEXR file cannot be read: {what}"))
        }
        error => {
            Error::malformed(path, Place::File, format!("the OpenEXR data is damaged: {error}"))
        }
    };
    let meta = MetaData::read_from_buffered(bytes, false).map_err(wrong)?;
    let mut pixel_bytes = 0u64;
    for header in &meta.headers {
        if header.deep {
            return Err(Error::unsupported(path, "deep OpenEXR files are not read"));
        }
        let pixels = (header.layer_size.0 as u64).saturating_mul(header.layer_size.1 as u64);
        let each = header.channels.bytes_per_pixel as u64;
        // Mip maps add a third at most; rip maps three times as much.
        pixel_bytes = pixel_bytes.saturating_add(pixels.saturating_mul(each).saturating_mul(2));
        limit::check(pixel_bytes, bytes.len(), path)?;
        limit::check(block_bytes(header), bytes.len(), path)?;
        Error::check_count(path, Place::File, "blocks", header.chunk_count as u64, 8, bytes.len())?;
    }
    let reader = read().no_deep_data().largest_resolution_level().all_channels().all_layers();
    // Some decompressors panic on damaged blocks. On a separate thread that would end the process;
    // on this one it can be caught.
    let reader = reader.all_attributes().non_parallel();
    match catch_unwind(|| reader.from_buffered(Cursor::new(bytes))) {
        Ok(image) => image.map_err(wrong),
        Err(_) => Err(Error::malformed(path, Place::File, "a compressed block is damaged")),
    }
}

/// Bytes of the largest block of a part.
fn block_bytes(header: &exr::meta::header::Header) -> u64 {
    let pixels = match header.blocks {
        exr::meta::BlockDescription::Tiles(tiles) => {
            (tiles.tile_size.0 as u64).saturating_mul(tiles.tile_size.1 as u64)
        }
        exr::meta::BlockDescription::ScanLines => {
            let lines = header.compression.scan_lines_per_block() as u64;
            lines.saturating_mul(header.layer_size.0 as u64)
        }
    };
    pixels.saturating_mul(header.channels.bytes_per_pixel as u64)
}
