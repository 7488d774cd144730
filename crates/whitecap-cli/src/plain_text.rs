//! Text on its way to a terminal.
//!
//! Names of files, attributes and grids come from files that anybody may have written, and end up
//! in answers, notes and errors. All that is printed goes through here.
//!
//! # Guarantees
//! What is printed holds no control character but line breaks and tabs, and no character that
//! changes the direction of text: a file cannot move the cursor, hide a line or rename a window.

use std::borrow::Cow;

/// A text of several lines as it may be printed.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |character| !matches!(character, '\n' | '\t'), |c| c.escape_unicode().to_string())
}

/// A name from a file within a line: a line break in it is escaped as well.
pub fn name(text: &str) -> Cow<'_, str> {
    escaped(text, |_| true, |character| character.escape_default().to_string())
}

/// A line of JSON as it may be printed. Such characters can only stand within its texts.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n', |c| format!("\\u{:04x}", u32::from(c)))
}

fn escaped(
    text: &str,
    among: impl Fn(char) -> bool,
    escape: impl Fn(char) -> String,
) -> Cow<'_, str> {
    let is_wild = |character: char| is_wild(character) && among(character);
    if !text.contains(is_wild) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match is_wild(character) {
            true => plain.push_str(&escape(character)),
            false => plain.push(character),
        }
    }
    Cow::Owned(plain)
}

/// Control characters, and marks that change the direction of text.
fn is_wild(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: escapes of both kinds and marks of direction are shown, not obeyed; line breaks
    /// stay where they are ours; JSON remains the same JSON.
    #[test]
    fn control_characters_are_shown() {
        let wild = "a\u{1b}[31m\nb\u{9b}2J\u{202e}c\r\té";
        assert_eq!(printable(wild), "a\\u{1b}[31m\nb\\u{9b}2J\\u{202e}c\\u{d}\té");
        assert_eq!(name("a\n\u{1b}"), "a\\n\\u{1b}");
        let json = serde_json::json!({ "name": wild }).to_string();
        let printed = printable_json(&json);
        assert!(!printed.contains(char::is_control) && !printed.contains('\u{202e}'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap()["name"], wild);
        assert_eq!(printable("plain é\n"), "plain é\n");
    }
}
