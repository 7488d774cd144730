//! Pictures survive writing and reading, and come in linear light whatever the file had.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use whitecap_io::Error;
use whitecap_io::image::animation::{self, Animation};
use whitecap_io::image::{
    self, Channel, Image, LayeredImage, Pass, PngDepth, Samples, layers_to_bytes, parse,
    parse_layers, read, read_layers, srgb_to_linear, write_layers, write_png,
};

/// A picture in which every pixel of a row has its own value.
fn ramp(width: usize, height: usize) -> Image {
    let pixels = (0..width * height).map(|i| {
        let share = i as f32 / (width * height - 1) as f32;
        [srgb_to_linear(share), srgb_to_linear(1.0 - share), srgb_to_linear(share), 1.0]
    });
    Image::from_pixels(width, height, false, pixels.collect()).unwrap()
}

/// Contract: every 8 and every 16 bit value of a PNG file is the same after reading and writing again,
/// and is the sRGB value of the light it was read as.
#[test]
fn png_values_survive() {
    let folder = tempfile::tempdir().unwrap();
    for (depth, side) in [(PngDepth::Eight, 16), (PngDepth::Sixteen, 256)] {
        let [first, second] = ["a.png", "b.png"].map(|name| folder.path().join(name));
        write_png(&first, &ramp(side, side), depth).unwrap();
        let image = read(&first).unwrap();
        assert_eq!((image.width(), image.height(), image.has_alpha()), (side, side, false));
        let places = [0, side * side / 3, side * side - 1];
        for place in places {
            let (expected, found) = (ramp(side, side).pixels()[place], image.pixels()[place]);
            assert!(expected.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}");
        }
        write_png(&second, &image, depth).unwrap();
        assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
    }
}

/// A PNG file from raw values.
fn png_of(
    color: png::ColorType,
    depth: png::BitDepth,
    size: [u32; 2],
    data: &[u8],
    change: impl Fn(&mut png::Encoder<'_, &mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
    encoder.set_color(color);
    encoder.set_depth(depth);
    change(&mut encoder);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

/// Contract: grey, palette, one-bit, alpha and linear PNG files are read as the light they represent; alpha
/// is multiplied in on reading and divided out on writing.
#[test]
fn every_kind_of_png_is_read() {
    use png::{BitDepth, ColorType};
    let path = Path::new("memory.png");
    let pixels = |bytes: &[u8]| parse(bytes, path).unwrap().pixels().to_vec();
    let gray = pixels(&png_of(ColorType::Grayscale, BitDepth::Eight, [2, 1], &[0, 255], |_| {}));
    assert_eq!(gray, [[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]);
    let one_bit =
        pixels(&png_of(ColorType::Grayscale, BitDepth::One, [3, 1], &[0b1010_0000], |_| {}));
    assert_eq!(one_bit.iter().map(|pixel| pixel[1]).collect::<Vec<_>>(), [1.0, 0.0, 1.0]);
    let palette =
        pixels(&png_of(ColorType::Indexed, BitDepth::Eight, [2, 1], &[1, 0], |encoder| {
            encoder.set_palette(vec![255, 0, 0, 0, 255, 0]);
        }));
    assert_eq!(palette, [[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]);
    let linear =
        pixels(&png_of(ColorType::Rgb, BitDepth::Eight, [1, 1], &[51, 102, 255], |encoder| {
            encoder.set_source_gamma(png::ScaledFloat::new(1.0));
        }));
    assert!(linear[0].iter().zip([0.2, 0.4, 1.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6));
    let bytes = png_of(ColorType::Rgba, BitDepth::Eight, [1, 1], &[255, 188, 0, 51], |_| {});
    let image = parse(&bytes, path).unwrap();
    let [red, green, blue, alpha] = image.pixels()[0];
    assert_eq!((red, blue, alpha), (0.2, 0.0, 0.2));
    assert!((green - 0.2 * srgb_to_linear(188.0 / 255.0)).abs() < 1e-6);
    let folder = tempfile::tempdir().unwrap();
    write_png(folder.path().join("alpha.png"), &image, PngDepth::Eight).unwrap();
    assert_eq!(read(folder.path().join("alpha.png")).unwrap(), image);
}

/// A picture with every pass, each value its own.
fn every_pass(width: usize, height: usize) -> LayeredImage {
    let mut image = LayeredImage::new(width, height);
    for (number, pass) in Pass::ALL.into_iter().enumerate() {
        match pass {
            Pass::Object | Pass::Material | Pass::Particle => {
                let numbers = (0..width * height).map(|i| (i * 7 + number) as u32 + 4_000_000_000);
                image.add_numbers(pass, numbers.collect());
            }
            _ => {
                let count = width * height * pass.components().len();
                let value = |i: usize| (i as f32 * 0.37 + number as f32).sin() * 3.0;
                image.add_pass(pass, &(0..count).map(value).collect::<Vec<_>>());
            }
        }
    }
    image.channels.sort_by(|a, b| a.name.cmp(&b.name));
    image
}

/// Contract: every channel of an OpenEXR file survives bit for bit, with its name and type, and the
/// bytes do not depend on the number of threads.
#[test]
fn exr_layers_survive() {
    let image = every_pass(61, 47);
    let names: Vec<&str> = image.channels.iter().map(|channel| channel.name.as_str()).collect();
    for name in
        ["ViewLayer.Combined.A", "ViewLayer.Depth.Z", "ViewLayer.Normal.X", "ViewLayer.Vector.W"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frame.exr");
    write_layers(&path, &image).unwrap();
    assert_eq!(read_layers(&path).unwrap(), image);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| layers_to_bytes(&image, &path).unwrap())
    };
    assert_eq!(bytes(1), bytes(4));
    assert_eq!(bytes(1), fs::read(&path).unwrap());
}

/// Contract: as a picture, an OpenEXR file gives its own R, G, B, else its combined pass, else another
/// layer's, else its luminance; one without any says which channels it has.
#[test]
fn an_exr_file_is_a_picture() {
    let path = Path::new("memory.exr");
    let image_of = |names: &[&str]| {
        let mut layers = LayeredImage::new(1, 2);
        for (number, name) in names.iter().enumerate() {
            let samples = Samples::Float(vec![number as f32, -1.5]);
            layers.channels.push(Channel { name: (*name).to_string(), samples });
        }
        parse(&layers_to_bytes(&layers, path).unwrap(), path)
    };
    let first = |names: &[&str]| image_of(names).unwrap().pixels()[0];
    assert_eq!(first(&["R", "G", "B", "L.R", "L.G", "L.B"]), [0.0, 1.0, 2.0, 1.0]);
    assert_eq!(
        first(&["L.R", "L.G", "L.B", "V.Combined.R", "V.Combined.G", "V.Combined.B"])[0],
        3.0
    );
    assert_eq!(first(&["L.R", "L.G", "L.B", "L.A", "Z"]), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(first(&["Z", "Y"]), [1.0, 1.0, 1.0, 1.0]);
    let message = image_of(&["Z", "depth.V"]).unwrap_err().to_string();
    assert!(message.contains("only Z, depth.V"), "{message}");
    assert_eq!(image_of(&["Y"]).unwrap().pixels()[1][0], -1.5);
}

/// Contract: light beyond the range of 16 bits is the largest number, not infinity.
#[test]
fn bright_light_stays_finite() {
    let mut image = LayeredImage::new(1, 1);
    image.add_pass(Pass::Combined, &[1e9, -1e9, 3.0, 1.0]);
    let path = Path::new("memory.exr");
    let back = parse(&layers_to_bytes(&image, path).unwrap(), path).unwrap();
    assert_eq!(back.pixels()[0], [65504.0, -65504.0, 3.0, 1.0]);
}

/// Contract: what an OpenEXR or PNG file cannot hold is refused with a sentence that says why.
#[test]
fn what_does_not_fit_is_refused() {
    let path = Path::new("memory.exr");
    let refused = |image: &LayeredImage, word: &str| {
        let message = layers_to_bytes(image, path).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    };
    refused(&LayeredImage::new(0, 5), "0 x 5");
    refused(&LayeredImage::new(5, 5), "at least one channel");
    let channel = |name: &str, count: usize| Channel {
        name: name.to_string(),
        samples: Samples::Uint(vec![1; count]),
    };
    let image = |channels| LayeredImage { width: 2, height: 2, channels, camera: None };
    refused(&image(vec![channel("R", 4), channel("R", 4)]), "two channels called R");
    refused(&image(vec![channel("R", 3)]), "3 values for 2 x 2");
    refused(&image(vec![channel("größe", 4)]), "ASCII");
    let folder = tempfile::tempdir().unwrap();
    let empty = Image::new(0, 3, [0.0; 4]);
    let message = write_png(folder.path().join("a.png"), &empty, PngDepth::Eight).unwrap_err();
    assert!(message.to_string().contains("0 x 3"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A Radiance file of one row.
fn radiance(header: &str, width: usize, rows: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("#?RADIANCE\n{header}FORMAT=32-bit_rle_rgbe\n\n-Y 1 +X {width}\n").into_bytes();
    bytes.extend_from_slice(rows);
    bytes
}

/// Contract: the three ways in which a Radiance file stores a row are all read; exposures are undone.
#[test]
fn radiance_rows_are_read() {
    let path = Path::new("memory.hdr");
    let pixels = |bytes: &[u8]| parse(bytes, path).unwrap().pixels().to_vec();
    // 128 · 2^(129 − 136) is one.
    let flat = pixels(&radiance("", 3, &[128, 64, 0, 129, 9, 9, 9, 0, 255, 0, 0, 136]));
    assert_eq!(flat, [[1.0, 0.5, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [255.0, 0.0, 0.0, 1.0]]);
    let runs = pixels(&radiance("", 259, &[128, 0, 0, 129, 1, 1, 1, 2, 1, 1, 1, 1]));
    assert_eq!(runs, vec![[1.0, 0.0, 0.0, 1.0]; 259]);
    let mut coded = vec![2, 2, 0, 9];
    coded.extend_from_slice(&[128 + 9, 128]);
    coded.extend_from_slice(&[9, 0, 16, 32, 48, 64, 80, 96, 112, 128]);
    coded.extend_from_slice(&[128 + 4, 0, 5, 64, 64, 64, 64, 64]);
    coded.extend_from_slice(&[128 + 9, 129]);
    let coded = pixels(&radiance("EXPOSURE=2.0\nEXPOSURE=0.25\n", 9, &coded));
    assert_eq!(coded[0], [2.0, 0.0, 0.0, 1.0]);
    assert_eq!(coded[8], [2.0, 2.0, 1.0, 1.0]);
    let wrong = |bytes: &[u8], word: &str| {
        let message = parse(bytes, path).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    };
    wrong(&radiance("", 3, &[1, 2, 3]), "cut short");
    wrong(&radiance("", 3, &[0, 0, 0, 1, 1, 1, 1, 9]), "longer than");
    wrong(&radiance("", 9, &[2, 2, 0, 8]), "different length");
    wrong(b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n", "xyze");
    wrong(b"#?RADIANCE\n\n+X 3 -Y 2\n", "-Y height +X width");
    wrong(b"GIF89a", "does not begin like PNG");
}

/// Contract: an animation has its frames in order, its size and its rate, as animated PNG and as
/// GIF; a frame that fails or differs in size leaves no file.
#[test]
fn moving_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let frame = |index: usize| -> Result<Image, Error> {
        Ok(Image::new(8, 6, [index as f32 / 4.0, 0.0, 0.25, 1.0]))
    };
    let apng = folder.path().join("a.apng");
    animation::write(&apng, Animation::Apng, 5, 24.0, frame).unwrap();
    let decoder = png::Decoder::new(Cursor::new(fs::read(&apng).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 5);
    for index in 0..5 {
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut data).unwrap();
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (1, 24));
        let expected = (image::linear_to_srgb(index as f32 / 4.0) * 255.0).round() as u8;
        assert_eq!(data[0], expected, "frame {index}");
    }
    let gif = folder.path().join("a.gif");
    animation::write(&gif, Animation::Gif, 5, 24.0, frame).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(fs::read(&gif).unwrap())).unwrap();
    let (mut reds, mut delay) = (Vec::new(), 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        reds.push(frame.buffer[0]);
        delay += frame.delay;
    }
    assert!(reds.len() == 5 && reds.is_sorted(), "{reds:?}");
    assert_eq!(delay, 21);
    let uneven = |index: usize| -> Result<Image, Error> { Ok(Image::new(8 + index, 6, [1.0; 4])) };
    let refused = folder.path().join("b.gif");
    let message = animation::write(&refused, Animation::Gif, 2, 24.0, uneven).unwrap_err();
    assert!(message.to_string().contains("frame 2 differs in size"), "{message}");
    assert!(animation::write(&refused, Animation::Gif, 0, 24.0, frame).is_err());
    assert!(animation::write(&refused, Animation::Apng, 2, f32::NAN, frame).is_err());
    assert!(!refused.exists());
}

/// Contract: parts of one size are one picture with their channels prefixed by the parts' names.
#[test]
fn parts_become_layers() {
    use exr::prelude::*;
    let part = |name: &str, value: f32| {
        let channels = AnyChannels::sort(
            [AnyChannel::new("Z", FlatSamples::F32(vec![value; 6]))].into_iter().collect(),
        );
        Layer::new((3, 2), LayerAttributes::named(name), Encoding::UNCOMPRESSED, channels)
    };
    let mut bytes = Cursor::new(Vec::new());
    let layers = vec![part("near", 1.0), part("far", 9.0)];
    let attributes = ImageAttributes::with_size((3, 2));
    exr::prelude::Image::from_layers(attributes, layers).write().to_buffered(&mut bytes).unwrap();
    let read = parse_layers(&bytes.into_inner(), std::path::Path::new("memory")).unwrap();
    assert_eq!(read.channel("near.Z").unwrap().samples, Samples::Float(vec![1.0; 6]));
    assert_eq!(read.channel("far.Z").unwrap().samples, Samples::Float(vec![9.0; 6]));
}
