use super::*;

fn folder_with(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    names.iter().for_each(|name| fs::write(folder.path().join(name), b"").unwrap());
    folder
}

fn frames(found: &[(i64, PathBuf)]) -> Vec<i64> {
    found.iter().map(|(frame, _)| *frame).collect()
}

/// Contract: both notations find the same frames in ascending order, across a change in the number of
/// digits, and take no file the pattern would not write.
#[test]
fn frames_are_found_in_order() {
    let names = [
        "f.0999.ply",
        "f.1000.ply",
        "f.10000.ply",
        "f.7.ply",
        "f.-001.ply",
        "g.0001.ply",
        "f..ply",
    ];
    let folder = folder_with(&names);
    for pattern in ["f.####.ply", "f.%04d.ply"] {
        let sequence = Sequence::new(folder.path().join(pattern)).unwrap();
        assert_eq!(frames(&sequence.existing().unwrap()), [-1, 999, 1000, 10000]);
        assert_eq!(sequence.path(7).file_name().unwrap(), "f.0007.ply");
    }
    let plain = Sequence::new(folder.path().join("f.%d.ply")).unwrap();
    assert_eq!(frames(&plain.existing().unwrap()), [7, 1000, 10000]);
}

/// Contract: names and patterns need not be UTF-8.
#[cfg(unix)]
#[test]
fn file_names_need_not_be_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let name = |bytes: &[u8]| folder.path().join(path_text::from_bytes(bytes.to_vec()));
    for frame in [b"caf\xe9.0001.ply", b"caf\xe9.0002.ply"] {
        fs::write(name(frame), b"").unwrap();
    }
    for pattern in [&b"caf\xe9.####.ply"[..], b"caf\xe9.%04d.ply"] {
        let sequence = Sequence::new(name(pattern)).unwrap();
        assert_eq!(frames(&sequence.expand(None).unwrap()), [1, 2]);
        assert_eq!(sequence.path(7), name(b"caf\xe9.0007.ply"));
    }
    let single = Sequence::new(name(b"caf\xe9.0001.ply")).unwrap();
    assert_eq!(single.expand(None).unwrap(), [(1, name(b"caf\xe9.0001.ply"))]);
}

/// Contract: gaps are errors that name every missing frame; a complete range is returned.
#[test]
fn missing_frames_are_named() {
    let names: Vec<String> =
        [1, 2, 4, 8, 9].iter().map(|frame| format!("w_{frame:03}.obj")).collect();
    let folder = folder_with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let sequence = Sequence::new(folder.path().join("w_###.obj")).unwrap();
    let message = sequence.expand(None).unwrap_err().to_string();
    assert!(message.ends_with("frames 3, 5-7 are missing"), "{message}");
    assert_eq!(frames(&sequence.expand(Some(8..=9)).unwrap()), [8, 9]);
    let message = sequence.expand(Some(9..=10)).unwrap_err().to_string();
    assert!(message.ends_with("frame 10 is missing"), "{message}");
    assert!(sequence.expand(Some(0..=i64::MAX)).is_err());
}

/// Contract: a plain file is a sequence of one; a folder gives an error with a suggestion; two
/// numbers in a name and an empty match are errors.
#[test]
fn plain_files_folders_and_mistakes() {
    let folder = folder_with(&["frame_0001.bgeo", "frame_0002.bgeo", "notes.txt"]);
    let single = Sequence::new(folder.path().join("notes.txt")).unwrap();
    assert_eq!(single.expand(None).unwrap(), [(1, folder.path().join("notes.txt"))]);
    let message = Sequence::new(folder.path()).unwrap_err().to_string();
    assert!(message.contains("did you mean") && message.contains("frame_####.bgeo"), "{message}");
    assert!(Sequence::new(folder.path().join("a.##.b.##.ply")).is_err());
    let nothing = Sequence::new(folder.path().join("other_####.bgeo")).unwrap();
    assert!(nothing.expand(None).unwrap_err().to_string().ends_with("no file matches"));
}

/// Contract: a sequence with gaps gives what exists and names what is missing, also with a step.
#[test]
fn a_sequence_with_gaps_gives_what_exists() {
    let folder = folder_with(&["f.-001.ply", "f.0001.ply", "f.0003.ply", "f.0007.ply"]);
    let sequence = Sequence::new(folder.path().join("f.####.ply")).unwrap();
    let present = sequence.present(None).unwrap();
    assert_eq!(
        (frames(&present.frames), present.missing),
        (vec![-1, 1, 3, 7], vec![0, 2, 4, 5, 6])
    );
    let every_third = sequence.present(Some("1-10x3".parse().unwrap())).unwrap();
    assert_eq!((frames(&every_third.frames), every_third.missing), (vec![1, 7], vec![4, 10]));
    assert!(sequence.present(Some(FrameRange::every(i64::MIN, i64::MAX))).is_err());
}

fn is_data(path: &Path) -> bool {
    crate::FormatInfo::of(path).is_some()
}

/// Contract: a folder, a glob and a list of files are the sequence that they hold, and say so;
/// hidden files and those that cannot be read do not matter.
#[test]
fn folders_and_globs_are_sequences() {
    let names = ["f.0001.bgeo", "f.0002.bgeo", "f.0010.bgeo", "box.ply", "x.txt", ".f.0003.bgeo"];
    let folder = folder_with(&names);
    let root = folder.path();
    let found = Sequence::find(root, is_data).unwrap();
    assert_eq!(frames(&found.existing().unwrap()), [1, 2, 10]);
    assert_eq!(found.pattern(), root.join("f.####.bgeo"));
    let said = format!(
        "{}: 3 files, frames 1-2, 10: {}; 1 other file is not used",
        root.display(),
        root.join("f.####.bgeo").display()
    );
    assert_eq!(found.understood(), Some(said.as_str()));
    let few = Sequence::find(root.join("f.000*.bgeo"), is_data).unwrap();
    let present = few.present(None).unwrap();
    assert_eq!((frames(&present.frames), present.missing), (vec![1, 2], vec![]));
    let listed = Sequence::of_files(&[root.join(names[2]), root.join(names[0])]).unwrap();
    let present = listed.present(None).unwrap();
    // Frame 2 exists and was not asked for; 3 to 9 do not exist.
    assert_eq!((frames(&present.frames), present.missing), (vec![1, 10], (3..=9).collect()));
    let single = Sequence::find(root.join("*.ply"), is_data).unwrap();
    assert!(single.is_single() && single.path(1) == root.join("box.ply"));
    assert!(Sequence::find(root.join("f.####.bgeo"), is_data).unwrap().understood().is_none());
}

/// Contract: several sequences in one folder are an error that lists them.
#[test]
fn mixed_sequences_are_listed() {
    let folder = folder_with(&["a.01.bgeo", "a.02.bgeo", "b.01.bgeo", "b.02.bgeo", "b.03.bgeo"]);
    let root = folder.path();
    for input in [root.to_path_buf(), root.join("*.bgeo")] {
        let message = Sequence::find(&input, is_data).unwrap_err().to_string();
        for pattern in ["a.##.bgeo (2 files)", "b.##.bgeo (3 files)"] {
            assert!(message.contains(pattern), "{message}");
        }
    }
    let files = [root.join("a.01.bgeo"), root.join("b.01.bgeo"), root.join("b.02.bgeo")];
    let message = Sequence::of_files(&files).unwrap_err().to_string();
    assert!(message.contains("a.##.bgeo (1 file)"), "{message}");
    assert!(Sequence::find(root.join("*.ply"), is_data).is_err());
}

/// Contract: a name with `####` or `%04d` is a pattern, even if it has characters of a glob.
#[test]
fn patterns_are_no_globs() {
    let folder =
        folder_with(&["shot[v2].0001.exr", "shotv.0001.exr", "a?.0003.ply", "ab.0004.ply"]);
    for (pattern, frame) in [("shot[v2].####.exr", 1), ("a?.%04d.ply", 3)] {
        let sequence = Sequence::find(folder.path().join(pattern), |_| true).unwrap();
        assert_eq!(frames(&sequence.existing().unwrap()), [frame], "{pattern}");
        assert!(sequence.understood().is_none(), "{pattern}");
    }
    assert!(Sequence::find(folder.path().join("a?.##.b.##.ply"), |_| true).is_err());
}

/// Contract: what does not belong to the sequence of a folder is counted; a numbered file among others is
/// no sequence; all of them can be asked for.
#[test]
fn other_files_of_a_folder_are_told() {
    let folder = folder_with(&["f.1.ply", "f.2.ply", "a.ply", "b.7.ply"]);
    let is_data = |_: &Path| true;
    let found = Sequence::find(folder.path(), is_data).unwrap();
    assert!(found.understood().unwrap().ends_with("; 2 other files are not used"));
    let all = Sequence::find_all(folder.path(), is_data).unwrap();
    let names: Vec<PathBuf> = all.iter().map(Sequence::pattern).collect();
    let expected = ["b.#.ply", "f.#.ply", "a.ply"].map(|name| folder.path().join(name));
    assert_eq!(names, expected);
    let folder = folder_with(&["a.ply", "b.7.ply"]);
    let unclear = Sequence::find(folder.path(), is_data).unwrap_err().to_string();
    assert!(unclear.contains("there are several sequences; give one of"), "{unclear}");
    let empty = folder_with(&[]);
    assert!(Sequence::find_all(empty.path(), is_data).is_err());
}
