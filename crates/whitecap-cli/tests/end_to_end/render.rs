//! `whitecap render`.

use whitecap_io::image::{read, read_layers};

use crate::{block, outcome, run, run_json, write_sequence};

const SMALL: [&str; 6] = ["--width", "40", "--height", "30", "--samples", "2"];

/// Contract: particles become a picture in which the liquid is seen, without any camera settings;
/// an OpenEXR picture has its layers and a PNG beside it.
#[test]
fn particles_become_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    let arguments = ["render", "block.bgeo", "-o", "pictures/block.exr", "--json"];
    let passes = ["--passes", "object,depth"];
    let answer = run_json(folder, &[&arguments[..], &SMALL, &passes].concat());
    assert!(answer["rays"].as_u64() > Some(2400));
    let preview = read(folder.join("pictures/block.png")).unwrap();
    assert_eq!((preview.width(), preview.height()), (40, 30));
    let layers = read_layers(folder.join("pictures/block.exr")).unwrap();
    let objects = &layers.channel("ViewLayer.Object.X").unwrap().samples;
    let liquid = (0..objects.len()).filter(|&pixel| objects.at(pixel) == 2.0).count();
    assert!(liquid > 150, "the liquid covers {liquid} of 1200 pixels");
}

/// Contract: a sequence becomes a sequence, and a turntable shows one file from all around.
#[test]
fn sequences_and_turntables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let sequence = ["render", "frame.####.bgeo", "-o", "p.####.png", "--json"];
    let answer = run_json(folder, &[&sequence[..], &SMALL].concat());
    assert_eq!(answer["frames"].as_array().map(Vec::len), Some(3));
    let turn = ["render", "frame.0002.bgeo", "-o", "t.####.png", "--turntable", "2", "--json"];
    run_json(folder, &[&turn[..], &SMALL].concat());
    let side = |frame: usize| read(folder.join(format!("t.{frame:04}.png"))).unwrap();
    assert_ne!(side(1), side(2));
}

/// Contract: a picture in an unknown format, a turntable into one file and an impossible size are
/// refused with a message.
#[test]
fn what_makes_no_picture_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(2)).unwrap();
    let told = |arguments: &[&str]| {
        let (code, _, errors) =
            outcome(&run(folder, &[&["render", "block.bgeo"], arguments].concat()));
        assert_ne!(code, 0);
        errors
    };
    assert!(told(&["-o", "block.jpg"]).contains("use one of .exr, .png"));
    assert!(told(&["-o", "block.png", "--turntable", "4"]).contains("####"));
    assert!(told(&["-o", "block.png", "--width", "0"]).contains("width"));
    // Layers are not thrown away in silence.
    let lost = told(&["-o", "block.png", "--passes", "depth"]);
    assert!(lost.contains("--passes") && lost.contains("block.exr"), "{lost}");
    assert!(told(&["-o", "block.png", "--region", "0.5,0,0.4,1"]).contains("no pixel"));
}
