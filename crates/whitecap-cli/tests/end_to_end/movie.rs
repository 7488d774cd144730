//! Movies through an `ffmpeg`: a script that stands in for it, so that every machine can test this.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use whitecap_io::image::{Image, PngDepth, write_png};

use crate::{outcome, whitecap};

/// Pictures of odd size, and an `ffmpeg` in `bin`.
fn prepare(folder: &Path, script: &str) {
    for frame in 1..=4 {
        let image = Image::new(15, 9, [0.2 * frame as f32, 0.5, 0.5, 1.0]);
        write_png(folder.join(format!("r.{frame:04}.png")), &image, PngDepth::Eight).unwrap();
    }
    fs::create_dir(folder.join("bin")).unwrap();
    if !script.is_empty() {
        let path = folder.join("bin/ffmpeg");
        fs::write(&path, format!("#!/bin/sh\nfor last; do :; done\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn sheet(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = whitecap(folder);
    let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
    command.arg("sheet").args(arguments).env("PATH", path);
    command
}

fn make(folder: &Path, arguments: &[&str]) -> Output {
    sheet(folder, arguments).output().unwrap()
}

/// Files that begin with a dot: what should not be left behind.
fn hidden(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with('.')).count()
}

/// Contract: every frame reaches `ffmpeg` in order as a PNG, with the frame rate and the flags that make
/// a movie which plays everywhere, and its result gets the name that was asked for.
#[test]
fn a_movie_is_made_by_ffmpeg() {
    for (name, rate, words) in [
        (
            "movie.mp4",
            None,
            &["-framerate 24 ", "libx264", "yuv420p", "pad=ceil(iw/2)*2", "-f mp4"][..],
        ),
        ("movie.webm", Some("--fps=30"), &["-framerate 30 ", "libvpx-vp9", "-f webm"][..]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        prepare(folder, "echo \"$@\" > said.txt\ncat > \"$last\"");
        let arguments: Vec<&str> = ["r.####.png", "-o", name].into_iter().chain(rate).collect();
        let (code, stdout, stderr) = outcome(&make(folder, &arguments));
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("4 frames at"), "{stdout}");
        let said = fs::read_to_string(folder.join("said.txt")).unwrap();
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
        let bytes = fs::read(folder.join(name)).unwrap();
        assert_eq!(bytes.windows(8).filter(|part| part == b"\x89PNG\r\n\x1a\n").count(), 4);
        assert_eq!(hidden(folder), 0);
    }
}

/// Contract: a shell's `*.png` is a movie in the order of the frames.
#[test]
fn a_movie_of_expanded_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "cat > \"$last\"");
    let files = ["r.0001.png", "r.0002.png", "r.0003.png", "r.0004.png"];
    for input in [&files[..], &["r.*.png"], &["."]] {
        let (code, _, stderr) = outcome(&make(folder, &[input, &["-o", "movie.mp4"]].concat()));
        assert_eq!(code, 0, "{stderr}");
        let bytes = fs::read(folder.join("movie.mp4")).unwrap();
        assert_eq!(bytes.windows(8).filter(|part| part == b"\x89PNG\r\n\x1a\n").count(), 4);
    }
}

/// Contract: without `ffmpeg`, a sentence says so and offers what works without it.
#[test]
fn without_ffmpeg_there_is_advice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "");
    let mut command = sheet(folder, &["r.####.png", "-o", "movie.mp4"]);
    let output = command.env("PATH", folder.join("bin")).output().unwrap();
    let (code, _, stderr) = outcome(&output);
    assert_eq!(code, 2);
    assert!(stderr.contains("needs ffmpeg") && stderr.contains("movie.apng"), "{stderr}");
    let mut command = sheet(folder, &["r.####.png", "-o", "movie.apng"]);
    assert_eq!(command.env("PATH", folder.join("bin")).output().unwrap().status.code(), Some(0));
}

/// Contract: what `ffmpeg` says when it fails is passed on without terminal escapes, an earlier movie
/// stays, and nothing else is left.
#[test]
fn a_failing_ffmpeg_is_summarised() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "printf '\\033[31mUnknown encoder libx264\\n' >&2\nexit 1");
    fs::write(folder.join("movie.mp4"), "old").unwrap();
    let (code, _, stderr) = outcome(&make(folder, &["r.####.png", "-o", "movie.mp4"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("movie.mp4") && stderr.contains("Unknown encoder libx264"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr}");
    assert_eq!(fs::read(folder.join("movie.mp4")).unwrap(), b"old");
    assert_eq!(hidden(folder), 0);
}

/// Contract: Ctrl-C ends a movie at once, even one that `ffmpeg` hangs in, and `ffmpeg` with it.
#[test]
fn ctrl_c_ends_ffmpeg() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "echo $$ > pid\nexec sleep 600");
    let mut command = sheet(folder, &["r.####.png", "-o", "movie.mp4"]);
    let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let pid = loop {
        let text = fs::read_to_string(folder.join("pid")).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    };
    let interrupt = |signal: &str, pid: &str| {
        Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(interrupt("-INT", &child.id().to_string()));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(!interrupt("-0", &pid), "ffmpeg still runs");
    assert_eq!(hidden(folder), 0);
    assert!(!folder.join("movie.mp4").exists());
}

/// Contract: an `ffmpeg` in the current folder is not run, though the PATH has empty and relative entries.
#[test]
fn ffmpeg_of_the_current_folder_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "touch ran\ncat > \"$last\"");
    fs::copy(folder.join("bin/ffmpeg"), folder.join("ffmpeg")).unwrap();
    let mut command = sheet(folder, &["r.####.png", "-o", "movie.mp4"]);
    let (code, _, stderr) = outcome(&command.env("PATH", ":.:bin:").output().unwrap());
    assert!(code == 2 && stderr.contains("needs ffmpeg"), "{stderr}");
    assert!(!folder.join("ran").exists());
}
