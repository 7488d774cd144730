//! The documents stay true to the tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Libraries on top of this one: entry points for people and for other languages.
const FRONT_DOORS: [&str; 2] = ["whitecap-pipes-c", "whitecap-play"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates in the tree.
fn crates() -> BTreeSet<String> {
    fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// The words between backquotes that name a crate.
fn named_crates(text: &str) -> BTreeSet<String> {
    let is_crate = |word: &&str| {
        word.strip_prefix("whitecap").is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with('-')
                    && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        })
    };
    text.split('`').skip(1).step_by(2).filter(is_crate).map(str::to_string).collect()
}

/// Contract: ARCHITECTURE.md names every crate that exists and none that does not.
#[test]
fn the_architecture_names_every_crate() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert_eq!(named_crates(&text), crates());
}

/// Contract: every library crate can be reached through this one, except for the entry points.
#[test]
fn every_library_is_re_exported() {
    let text = fs::read_to_string(root().join("crates/whitecap/src/lib.rs")).unwrap();
    for name in crates() {
        let is_library = root().join("crates").join(&name).join("src/lib.rs").is_file();
        if is_library && name != "whitecap" && !FRONT_DOORS.contains(&name.as_str()) {
            let export = format!("pub use {} as ", name.replace('-', "_"));
            assert!(text.contains(&export), "{name} is not re-exported");
        }
    }
}

/// Contract: every source file that ARCHITECTURE.md links to exists, and so does every file that
/// README.md and the pages of docs/ link to.
#[test]
fn every_link_leads_somewhere() {
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        pages.push(entry.unwrap().path());
    }
    for page in pages.iter().filter(|page| page.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or("");
            if file.is_empty() || link.contains("://") {
                continue;
            }
            let target = page.parent().unwrap().join(file);
            assert!(target.exists(), "{} links to {link}", page.display());
        }
    }
}

/// Contract: README.md gives exactly two set-up commands, and the script that checks everything
/// runs both of them literally.
#[test]
fn the_readme_commands_are_the_checked_ones() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let setup = text.split("## Set-up").nth(1).and_then(|rest| rest.split("\n## ").next());
    let block = setup.and_then(|setup| setup.split("```").nth(1)).unwrap();
    let commands: Vec<&str> = block
        .lines()
        .skip(1)
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(commands, ["cargo run --release -- demo", "cargo test --workspace"]);
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    for command in commands {
        assert!(script.contains(command), ".ci/run does not run `{command}`");
    }
}

/// Contract: docs/dependencies.md gives a reason for every crate that ours depend on.
#[test]
fn every_dependency_has_its_reason() {
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let (taken, _) = page.split_once("## Looked at and not taken").expect("what was not taken");
    let named: BTreeSet<&str> = taken
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .flat_map(|cell| cell.split(", "))
        .filter_map(|name| name.split(' ').next())
        .collect();
    for name in crates() {
        let manifest = root().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let tables = manifest.split("\n[").filter(|table| {
            let heading = table.lines().next().unwrap_or("");
            heading.ends_with("dependencies]")
        });
        let keys = tables
            .flat_map(|table| table.lines().skip(1))
            .filter_map(|line| line.split(['=', '.', ' ']).next().filter(|key| !key.is_empty()));
        for key in keys.filter(|key| !key.starts_with("whitecap")) {
            assert!(named.contains(key), "{name} depends on {key}, which the page does not name");
        }
    }
}

/// Contract: docs/formats.md has a row for every format, with its extensions and what can be done, and
/// the README names every extension.
#[test]
fn every_format_has_its_row() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for extension in whitecap::io::formats().iter().flat_map(|format| format.extensions) {
        let plain = extension.trim_end_matches(".gz");
        assert!(readme.contains(&format!("`.{plain}`")), "the README lacks .{plain}");
    }
    let page = fs::read_to_string(root().join("docs/formats.md")).unwrap();
    let yes = |able: bool| if able { "yes" } else { "no" };
    for format in whitecap::io::formats() {
        let start = format!("| `{}` |", format.name);
        let row = page.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("{} has no row", format.name));
        for extension in format.extensions {
            assert!(row.contains(&format!("`.{extension}`")), "{row} lacks .{extension}");
        }
        let able =
            format!("| {} | {} |", yes(!format.reads.is_empty()), yes(!format.writes.is_empty()));
        assert!(row.contains(&able), "{row} should say {able}");
    }
}
