//! Contract: `examples/pour.c` compiles without a warning as C99, links with the static library,
//! pours what it says, and its liquid spills over the ridge. Skipped if there is no C compiler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let places = [folder, folder.parent().unwrap()];
    let found = places.iter().map(|folder| folder.join("libwhitecap_pipes_c.a"));
    found.into_iter().find(|path| path.is_file()).expect("the static library was built")
}

#[test]
fn the_example_pours() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    if !cfg!(unix) || Command::new(&compiler).arg("--version").output().is_err() {
        // Not captured, so that it is seen when the tests run.
        let sentence = format!("skipped: the C example, as there is no C compiler `{compiler}`");
        let _ = writeln!(std::io::stderr(), "{sentence}");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("pour");
    let compiled = Command::new(&compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-I"])
        .arg(root.join("include"))
        .arg(root.join("examples/pour.c"))
        .arg(library())
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("1 s: 2.0 ml, ") && lines[0].ends_with(" 0 right"), "{text}");
    assert!(lines[5].starts_with("6 s: 12.0 ml, ") && !lines[5].ends_with(" 0 right"), "{text}");
    assert!(lines[6].contains("duration of a step") && lines[6].contains("NaN"), "{text}");
}
