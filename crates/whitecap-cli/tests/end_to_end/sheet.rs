//! `whitecap sheet`.

use std::fs;
use std::path::Path;

use whitecap_io::image::{Image, PngDepth, read, write_png};

use crate::{outcome, run, run_json};

const SIZE: [usize; 2] = [96, 64];

/// A picture of one colour with a white dot at (10, 20).
fn picture(folder: &Path, name: &str, color: [f32; 4], size: [usize; 2]) {
    let mut image = Image::new(size[0], size[1], color);
    image.pixels_mut()[20 * size[0] + 10] = [1.0; 4];
    write_png(folder.join(name), &image, PngDepth::Eight).unwrap();
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

fn write_frames(folder: &Path, name: &str, count: usize) {
    for frame in 1..=count {
        let color = [0.0, frame as f32 / count as f32, 0.0, 1.0];
        picture(folder, &format!("{name}.{frame:04}.png"), color, SIZE);
    }
}

/// Pixels of a colour in a picture.
fn count_of(path: &Path, color: [f32; 4]) -> usize {
    read(path).unwrap().pixels().iter().filter(|pixel| **pixel == color).count()
}

/// Contract: two pictures stand side by side, whole and unchanged, with captions and a title in
/// space of their own.
#[test]
fn pictures_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "a.png", RED, SIZE);
    picture(folder, "b.png", BLUE, SIZE);
    let plain = run_json(folder, &["sheet", "a.png", "b.png", "-o", "plain.png", "--json"]);
    let arguments = ["sheet", "a.png", "b.png", "--captions", "before,after", "--title", "Film"];
    let titled =
        run_json(folder, &[&arguments[..], &["-o", "sheets/sheet.png", "--json"]].concat());
    assert_eq!((&titled["columns"], &titled["pictures"]), (&2.into(), &2.into()));
    assert!(titled["height_pixels"].as_u64() > plain["height_pixels"].as_u64());
    assert!(plain["height_pixels"].as_u64() > Some(64), "file names are captions");
    let sheet = folder.join("sheets/sheet.png");
    for color in [RED, BLUE] {
        assert_eq!(count_of(&sheet, color), SIZE[0] * SIZE[1] - 1);
    }
    let column = ["sheet", "a.png", "b.png", "--columns", "1", "-o", "column.png", "--json"];
    assert!(run_json(folder, &column)["height_pixels"].as_u64() > titled["height_pixels"].as_u64());
}

/// Contract: `--every` and `--frames` choose frames of a sequence, `--cell-width` scales them.
#[test]
fn sequences_are_thinned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(folder, "render", 9);
    let sheet = |more: &[&str]| {
        run_json(folder, &[&["sheet", "render.####.png", "-o", "s.png", "--json"], more].concat())
    };
    assert_eq!(sheet(&[])["pictures"], 9);
    assert_eq!(sheet(&["--every", "4"])["pictures"], 3);
    assert_eq!(sheet(&["--frames", "2-7", "--every", "3"])["pictures"], 2);
    let small = sheet(&["--cell-width", "24", "--columns", "9"]);
    assert!(small["width_pixels"].as_u64() < Some(9 * 24 + 10 * 8), "{small}");
}

/// Contract: a part is shown enlarged inside its own picture, pixel by pixel.
#[test]
fn a_part_is_enlarged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "a.png", RED, SIZE);
    let white = [1.0; 4];
    run_json(folder, &["sheet", "a.png", "-o", "s.png", "--zoom", "8,18,6,6,5", "--json"]);
    // The dot, and its copy of five times five pixels.
    assert_eq!(count_of(&folder.join("s.png"), white), 1 + 25);
    let (code, _, stderr) =
        outcome(&run(folder, &["sheet", "a.png", "-o", "t.png", "--zoom", "90,18,20,6,5"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("96 x 64 pixels of a.png"), "{stderr}");
    assert!(!folder.join("t.png").exists());
}

/// Contract: a picture of another size is fitted in with its aspect ratio kept, and a note says so.
#[test]
fn other_sizes_are_fitted_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "a.png", RED, SIZE);
    picture(folder, "tall.png", BLUE, [32, 128]);
    let (code, _, stderr) = outcome(&run(folder, &["sheet", "a.png", "tall.png", "-o", "s.png"]));
    assert_eq!(code, 0);
    assert!(stderr.contains("tall.png is 32 x 128"), "{stderr}");
    let blue = count_of(&folder.join("s.png"), BLUE);
    assert!((900..=1024).contains(&blue), "16 x 64 pixels, not {blue}");
}

/// Contract: a moving preview has one frame per frame, with several sequences side by side and
/// single pictures repeated.
#[test]
fn previews_move() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(folder, "render", 5);
    write_frames(folder, "other", 5);
    picture(folder, "still.png", RED, SIZE);
    let animate = ["--animate", "--fps", "12", "--json"];
    let one = ["sheet", "render.####.png", "-o", "p.apng"];
    let one = run_json(folder, &[&one[..], &animate].concat());
    assert_eq!((&one["frames"], &one["pictures"]), (&5.into(), &1.into()));
    let bytes = fs::read(folder.join("p.apng")).unwrap();
    assert_eq!(bytes.windows(4).filter(|chunk| chunk == b"fcTL").count(), 5);
    let three = ["sheet", "render.####.png", "other.####.png", "still.png", "-o", "p.gif"];
    let three = run_json(folder, &[&three[..], &animate].concat());
    assert_eq!((&three["frames"], &three["columns"]), (&5.into(), &3.into()));
    assert!(fs::read(folder.join("p.gif")).unwrap().starts_with(b"GIF89a"));
}

/// Contract: wrong usage is exit code 2, files that are missing or broken exit code 1, with a sentence
/// that says what would be right, and no file is left behind.
#[test]
fn mistakes_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    picture(folder, "a.png", RED, SIZE);
    write_frames(folder, "render", 3);
    write_frames(folder, "short", 2);
    fs::write(folder.join("broken.png"), b"\x89PNG\r\n\x1a\nnothing").unwrap();
    fs::write(folder.join("text.png"), b"hello").unwrap();
    let cases: [(i32, &[&str], &str); 12] = [
        (2, &["a.png"], "--output"),
        (2, &["a.png", "-o", "s.jpg"], ".png"),
        (2, &["a.png", "-o", "s.gif"], "at least two frames"),
        (2, &["a.png", "-o", "a.png"], "another name"),
        (2, &["a.png", "-o", "s.png", "--captions", "x,y"], "2 captions for 1 picture"),
        (2, &["a.png", "-o", "s.png", "--zoom", "1,2"], "X,Y,WIDTH"),
        (2, &["a.png", "-o", "s.apng", "--animate"], "at least two frames"),
        (2, &["render.####.png", "short.####.png", "-o", "s.apng", "--animate"], "3 frames"),
        (1, &["none.png", "-o", "s.png"], "there is no such file"),
        (1, &["none.####.png", "-o", "s.png"], "no file matches"),
        (1, &["broken.png", "-o", "s.png"], "broken.png"),
        (1, &["a.png", "text.png", "-o", "s.png"], "does not begin like PNG"),
    ];
    for (expected, arguments, word) in cases {
        let (code, _, stderr) = outcome(&run(folder, &[&["sheet"], arguments].concat()));
        assert_eq!(code, expected, "{arguments:?}: {stderr}");
        assert!(stderr.contains(word), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    for name in ["s.png", "s.gif", "s.apng", "s.jpg"] {
        assert!(!folder.join(name).exists(), "{name}");
    }
}
