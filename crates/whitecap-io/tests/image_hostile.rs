//! No picture file, however damaged, makes a reader panic, hang, or allocate more than it could hold.

use std::path::Path;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use whitecap_core::scatter::Sequence;
use whitecap_io::image::{
    Image, LayeredImage, Pass, PngDepth, layers_to_bytes, parse, parse_layers, write_png,
};

/// Far above what a reader needs for a file of a few hundred bytes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// Counts the bytes allocated, by all tests of this file together.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;
/// Twice what is always allowed, for the decoded and the linear pixels.
const MOST_MEGABYTES: f32 = 600.0;

fn png(depth: PngDepth, alpha: f32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let mut image = Image::new(9, 7, [0.3, 0.1, 0.2, alpha]);
    for (place, pixel) in image.pixels_mut().iter_mut().enumerate() {
        pixel[place % 3] = place as f32 / 63.0;
    }
    write_png(&path, &image, depth).unwrap();
    std::fs::read(path).unwrap()
}

fn exr() -> Vec<u8> {
    let mut image = LayeredImage::new(20, 18);
    let values: Vec<f32> = (0..20 * 18 * 4).map(|i| (i as f32 * 0.7).sin()).collect();
    image.add_pass(Pass::Combined, &values);
    image.add_pass(Pass::Depth, &values[..360]);
    image.add_numbers(Pass::Object, (0..360).collect());
    layers_to_bytes(&image, Path::new("memory")).unwrap()
}

/// Small files of every compression that exists, tiled and not.
fn compressed_exrs() -> Vec<(&'static str, Vec<u8>)> {
    use exr::prelude::*;
    let write = |compression: Compression, blocks: Blocks| {
        let values =
            |scale: f32| (0..35 * 33).map(|i| (i as f32 * scale).cos()).collect::<Vec<_>>();
        let half = values(0.3).into_iter().map(f16::from_f32).collect();
        let channels = [
            AnyChannel::new("R", FlatSamples::F32(values(0.1))),
            AnyChannel::new("G", FlatSamples::F16(half)),
            AnyChannel::new("B", FlatSamples::U32((0..35 * 33).collect())),
        ];
        let encoding = Encoding { compression, blocks, line_order: LineOrder::Increasing };
        let channels = AnyChannels::sort(channels.into_iter().collect());
        let layer = Layer::new((35, 33), LayerAttributes::default(), encoding, channels);
        let mut bytes = std::io::Cursor::new(Vec::new());
        exr::prelude::Image::from_layer(layer).write().to_buffered(&mut bytes).unwrap();
        bytes.into_inner()
    };
    vec![
        ("uncompressed", write(Compression::Uncompressed, Blocks::ScanLines)),
        ("rle", write(Compression::RLE, Blocks::Tiles(Vec2(16, 16)))),
        ("zip", write(Compression::ZIP1, Blocks::ScanLines)),
        ("piz", write(Compression::PIZ, Blocks::Tiles(Vec2(32, 16)))),
        ("pxr24", write(Compression::PXR24, Blocks::ScanLines)),
        ("b44", write(Compression::B44, Blocks::ScanLines)),
    ]
}

fn hdr() -> Vec<u8> {
    let mut bytes = b"#?RADIANCE\nEXPOSURE=1.5\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 9\n".to_vec();
    bytes
        .extend_from_slice(&[2, 2, 0, 9, 137, 128, 137, 5, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 137, 129]);
    bytes.extend_from_slice(&[7, 7, 7, 130, 1, 1, 1, 8]);
    bytes
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let mut samples = vec![
        ("png", png(PngDepth::Eight, 1.0)),
        ("png 16 alpha", png(PngDepth::Sixteen, 0.5)),
        ("exr layers", exr()),
        ("hdr", hdr()),
    ];
    samples.extend(compressed_exrs());
    samples
}

/// Reads the bytes in both ways, within time and memory; returns whether they were a picture.
fn survives(name: &str, bytes: &[u8]) -> bool {
    let start = Instant::now();
    let read = parse(bytes, Path::new("hostile")).is_ok();
    let _ = parse_layers(bytes, Path::new("hostile"));
    assert!(start.elapsed() < PATIENCE, "{name} took {:?}", start.elapsed());
    let peak = MEMORY.peak_usage_as_mb();
    assert!(peak < MOST_MEGABYTES, "{name} brought the memory to {peak} MB");
    read
}

/// Contract: whole files are read; files cut at any byte are errors, or still whole where only
/// an end mark is missing.
#[test]
fn files_cut_at_every_byte() {
    for (name, bytes) in samples() {
        assert!(survives(name, &bytes), "{name}");
        let step = (bytes.len() / 1500).max(1);
        for length in (0..bytes.len()).step_by(step) {
            let read = survives(name, &bytes[..length]);
            assert!(!read || bytes.len() - length <= 16, "{name} cut at {length} was read");
        }
    }
}

/// Contract: flipped bits and overwritten runs never cause a panic, an endless loop or an allocation that
/// the file cannot justify.
#[test]
fn files_with_damage() {
    for (name, bytes) in samples() {
        let mut random = Sequence::new(bytes.len() as u64);
        for round in 0..2500 {
            let mut damaged = bytes.clone();
            // Most of the damage goes to the beginning, where sizes and counts are.
            let limit = if round % 2 == 0 { bytes.len().min(600) } else { bytes.len() };
            for _ in 0..1 + random.below(3) {
                damaged[random.below(limit)] = random.below(256) as u8;
            }
            if round % 5 == 0 {
                let start = random.below(limit);
                let end = (start + 1 + random.below(8)).min(bytes.len());
                damaged[start..end].fill([0, 0xff, 0x7f][random.below(3)]);
            }
            survives(name, &damaged);
        }
    }
}

/// Contract: files that claim to be huge are refused with a message, before anything is allocated.
#[test]
fn absurd_sizes_are_refused() {
    let mut huge_png = png(PngDepth::Eight, 1.0);
    huge_png[16..24].copy_from_slice(&[0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff]);
    let crc = crc_of(&huge_png[12..29]);
    huge_png[29..33].copy_from_slice(&crc.to_be_bytes());
    let mut huge_exr = exr();
    let place = huge_exr.windows(10).position(|bytes| bytes == b"dataWindow").unwrap();
    let corner = place + b"dataWindow\0box2i\0".len() + 4 + 8;
    huge_exr[corner..corner + 8].copy_from_slice(&[0xff, 0xff, 0xff, 0x3f, 0xff, 0xff, 0xff, 0x3f]);
    let huge_hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4000000000 +X 4000000000\n".to_vec();
    for (name, bytes) in [("png", huge_png), ("exr", huge_exr), ("hdr", huge_hdr)] {
        let before = MEMORY.current_usage_as_mb();
        let message = parse(&bytes, Path::new("huge")).unwrap_err().to_string();
        assert!(
            message.contains("bytes of pixels") || message.contains("damaged"),
            "{name}: {message}"
        );
        assert!(MEMORY.current_usage_as_mb() < before + 300.0);
    }
}

/// The checksum of a PNG chunk (ISO 3309).
fn crc_of(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| match crc & 1 {
            1 => crc >> 1 ^ 0xedb8_8320,
            _ => crc >> 1,
        })
    })
}
