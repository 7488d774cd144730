//! Contract: every mistake in a shot file gets its own message, with the line, what is wrong and
//! what would be right. The snapshots are what a user reads; review them as text.

use std::path::Path;

use whitecap_shot::{Registry, Shot};

fn messages(source: &str) -> String {
    messages_in(Path::new(""), source)
}

fn messages_in(folder: &Path, source: &str) -> String {
    match Shot::parse(source, &folder.join("shot.toml"), &Registry::standard()) {
        Ok(_) => panic!("the mistakes were not found"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// Contract: a file full of mistakes gives a message for each of them at once.
#[test]
fn a_file_full_of_mistakes() {
    insta::assert_snapshot!(messages(include_str!("mistakes/planted.toml")));
}

/// Contract: diagnostics carry line and column as numbers, for editors.
#[test]
fn places_are_numbers() {
    let source = "[shot]\nname = \"a\"\nframes = [1, 2]\nfpss = 25\n[x]\nkind = \"example\"\n";
    let diagnostics = Shot::parse(source, Path::new("a.toml"), &Registry::standard());
    let Err(diagnostics) = diagnostics else { panic!("`fpss` was accepted") };
    let [only] = diagnostics.list() else { panic!("{diagnostics}") };
    assert_eq!((only.line, only.column, &source[only.span.clone()]), (4, 1, "fpss"));
    assert_eq!(only.help.as_deref(), Some("did you mean `fps`?"));
}

/// Contract: what is not TOML is reported where the parser stumbles, and nothing is guessed from
/// the rest.
#[test]
fn syntax_errors() {
    insta::assert_snapshot!(messages("[shot]\nname = drop\nframes = [1, 2\n"));
}

/// Contract: a stage that is defined twice is named.
#[test]
fn a_stage_defined_twice() {
    let source = "[shot]\nname = \"a\"\nframes = [1, 2]\n[water]\nkind = \"example\"\n\n[water]\nkind = \"example\"\n";
    insta::assert_snapshot!(messages(source));
}

/// Contract: a file without `[shot]`, with keys outside of tables and with a list of tables says
/// where things belong.
#[test]
fn things_in_the_wrong_place() {
    insta::assert_snapshot!(messages("fps = 24\n[[water]]\nkind = \"example\"\n"));
}

/// Contract: an empty file says how to begin.
#[test]
fn an_empty_file() {
    insta::assert_snapshot!(messages(""));
}

/// Contract: unusable numbers are refused: not finite, too large for their type, fractions where
/// whole numbers are needed.
#[test]
fn impossible_numbers() {
    let source = r#"
[shot]
name = "a"
frames = [1, 2.5]
fps = inf
seed = 99999999999

[water]
kind = "example"
spacing = nan

[skin]
kind = "surface"
particles = "water"
radius = -1
support = 1e300
"#;
    insta::assert_snapshot!(messages(source));
}

/// Contract: names that could leave the output folder, or that some systems cannot tell apart,
/// are refused.
#[test]
fn names_that_cannot_be_folders() {
    let source = r#"
[shot]
name = "../up"
frames = [1, 2]

["a/b"]
kind = "example"

[Water]
kind = "example"

[water]
kind = "example"
"#;
    insta::assert_snapshot!(messages(source));
}

/// Contract: settings that are possible one by one but not together are reported.
#[test]
fn settings_that_do_not_fit_together() {
    let source = r#"
[shot]
name = "a"
frames = [1, 2]

[water]
kind = "example"

[skin]
kind = "surface"
particles = "water"
radius = 0.1
support = 0.01
crop = { min = [0, 5, 0], max = [1, 1, 1] }

[mesh]
kind = "cache"
path = "shot.toml"
content = "mesh"
radius = 0.1
save = ["bgeo"]
"#;
    insta::assert_snapshot!(messages(source));
}

/// Contract: frames of a cache that are not there are named before anything runs.
#[test]
fn missing_cache_frames() {
    let folder = tempfile::tempdir().unwrap();
    for frame in [1, 2, 4, 8, 9] {
        std::fs::write(folder.path().join(format!("sim.{frame:04}.ply")), "").unwrap();
    }
    let source = r#"
[shot]
name = "a"
frames = [1, 9]

[water]
kind = "cache"
path = "sim.####.ply"

[elsewhere]
kind = "cache"
path = "nowhere/sim.####.ply"
"#;
    let text = messages_in(folder.path(), source);
    let text = text.replace(&format!("{}/", folder.path().display()), "");
    insta::assert_snapshot!(text);
}

/// Contract: whatever a file holds, it gives a shot or messages, never a panic.
#[test]
fn damaged_files_give_messages() {
    let source = include_str!("mistakes/planted.toml");
    let registry = Registry::standard();
    let mut random = whitecap_core::scatter::Sequence::new(1);
    let mut below = |limit: usize| random.below(limit);
    for _ in 0..2000 {
        let mut letters: Vec<char> = source.chars().collect();
        for _ in 0..1 + below(4) {
            let place = below(letters.len());
            match below(3) {
                0 => drop(letters.drain(place..(place + 1 + below(40)).min(letters.len()))),
                1 => {
                    letters[place] = ['"', '[', ']', '=', '.', '\n', 'é', '9', '{', '\0'][below(10)]
                }
                _ => letters
                    .insert(place, ['"', '[', '}', '#', '-', '\n', '𝄞', '0', ',', '\t'][below(10)]),
            }
        }
        let text: String = letters.into_iter().collect();
        if let Err(diagnostics) = Shot::parse(&text, Path::new("a.toml"), &registry) {
            assert!(diagnostics.to_string().contains("error: "));
        }
    }
}
