//! Mistakes in a shot file: where they are, what is wrong, what would be right.
//!
//! # Guarantees
//! * All mistakes that can be found are reported together, in the order of the file.
//! * The rendered text is plain (no colours) and depends only on the file's content and name. Control
//!   characters of a source line are shown as symbols.
//! * Carets are under the right place even if characters are two columns wide.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

/// One mistake in a shot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The shot file.
    pub path: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Character within the line, counted from 1.
    pub column: usize,
    /// The same place as a range of bytes of the file.
    pub span: Range<usize>,
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// Every mistake found in one shot file; never empty. `Display` renders them with their source
/// lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    source: String,
}

impl Diagnostics {
    /// The mistakes in the order of the file.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }
}

impl std::error::Error for Diagnostics {}

impl fmt::Display for Diagnostics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            render(out, diagnostic, &self.source)?;
            writeln!(out)?;
        }
        match self.list.len() {
            1 => write!(out, "1 mistake in {}", self.list[0].path.display()),
            count => write!(out, "{count} mistakes in {}", self.list[0].path.display()),
        }
    }
}

/// Message, place, the source line (if there is one), carets under the place, and the help.
fn render(out: &mut fmt::Formatter<'_>, diagnostic: &Diagnostic, source: &str) -> fmt::Result {
    let Diagnostic { path, line, column, span, message, help } = diagnostic;
    let path = path.display().to_string();
    let title = Level::ERROR.primary_title(message);
    let text = source.lines().nth(line - 1).unwrap_or("");
    let group = if text.is_empty() {
        title.element(Origin::path(path).line(*line).char_column(*column))
    } else {
        // Only the first line of a longer span is marked: more would bury the message.
        let start: usize = text.chars().take(column - 1).map(char::len_utf8).sum();
        let end = text.floor_char_boundary(start + span.len());
        let place = AnnotationKind::Primary.span(start..end);
        let source = Snippet::source(text).line_start(*line).path(path);
        title.element(source.annotation(place))
    };
    let help = help.as_ref().map(|help| Level::HELP.message(help));
    writeln!(out, "{}", Renderer::plain().render(&[group.elements(help)]))
}

/// Collects mistakes while a file is checked.
pub(crate) struct Mistakes<'a> {
    path: &'a Path,
    source: &'a str,
    list: Vec<Diagnostic>,
}

impl<'a> Mistakes<'a> {
    pub fn new(path: &'a Path, source: &'a str) -> Self {
        Self { path, source, list: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Adds a mistake at `span`, with what would be right if that is known.
    pub fn add(&mut self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let (line, column) = line_and_column(self.source, span.start);
        self.list.push(Diagnostic {
            path: self.path.to_path_buf(),
            line,
            column,
            span,
            message: message.into(),
            help,
        });
    }

    /// The mistakes in the order of the file, or `None` if there are none.
    pub fn into_diagnostics(mut self) -> Option<Diagnostics> {
        if self.list.is_empty() {
            return None;
        }
        self.list.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        Some(Diagnostics { list: self.list, source: self.source.to_string() })
    }
}

/// Line and character of a byte offset, both from 1.
fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = &source[..source.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The name among `candidates` that was probably meant by `found`.
pub(crate) fn nearest<'n>(
    found: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let found = plain(found);
    let allowed = |candidate: &str| {
        // Two typos in five letters.
        let letters = found.chars().count().max(candidate.chars().count());
        (2 * letters / 5).max(1)
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&found, &plain(candidate)), candidate))
        .filter(|&(distance, candidate)| distance <= allowed(candidate))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// `a`, `b` and `c`, in backquotes.
pub(crate) fn name_list<'n>(names: impl IntoIterator<Item = &'n str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::from("none"),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: lines and columns count characters, not bytes, and an offset outside the text
    /// or inside a character is still a place.
    #[test]
    fn places_count_characters() {
        let source = "a = 1\nflüssig = 2\n";
        assert_eq!(line_and_column(source, 0), (1, 1));
        assert_eq!(line_and_column(source, source.find("= 2").unwrap()), (2, 9));
        assert_eq!(line_and_column(source, source.find('ü').unwrap() + 1), (2, 3));
        assert_eq!(line_and_column(source, 1000), (3, 1));
    }

    /// Contract: the carets are under what is meant, after tabs and under characters that are two
    /// columns wide; spans over several lines, outside the text or inside a character do no harm;
    /// control characters of the file do not reach the terminal.
    #[test]
    fn carets_stand_under_the_place() {
        let rendered = |source: &str, span: Range<usize>| {
            let mut mistakes = Mistakes::new(Path::new("shot.toml"), source);
            mistakes.add(span, "this is wrong", Some(String::from("mend it")));
            mistakes.into_diagnostics().unwrap().to_string()
        };
        let under = |source: &str, part: &str| {
            let start = source.find(part).unwrap();
            let text = rendered(source, start..start + part.len());
            text.lines().nth(4).unwrap_or_default().to_string()
        };
        assert_eq!(under("a = 1\nbc = 23\n", "23"), "  |      ^^");
        assert_eq!(under("\ta = 23\n", "23"), "  |         ^^");
        assert_eq!(under("水 = \"波波\"\n", "\"波波\""), "  |      ^^^^^^");
        assert_eq!(under("a = [\n1,\n]\n", "[\n1,\n]"), "  |     ^");
        for (start, end) in [(5, 5), (4, 90), (90, 95), (1, 2), (0, 0)] {
            let text = rendered("水 = 1\n", start..end);
            assert!(text.contains("this is wrong") && text.contains("= help: mend it"), "{text}");
        }
        assert!(!under("a = \"\u{1b}[31m\"\n", "31m").contains('\u{1b}'));
        assert!(!rendered("a = \"\u{1b}[31m\"\n", 4..5).contains('\u{1b}'));
    }

    /// Contract: a typo finds the name, a different word does not.
    #[test]
    fn nearest_name_is_near() {
        let names = ["radius", "cell", "center-smoothing"];
        assert_eq!(nearest("raduis", names), Some("radius"));
        assert_eq!(nearest("center_smoothing", names), Some("center-smoothing"));
        assert_eq!(nearest("colour", names), None);
    }
}
