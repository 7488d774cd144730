//! From characters to tokens, each with its place.

use super::error::{ExpressionError, Place};

/// A piece of text that means something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f32),
    Name(String),
    /// An operator, a parenthesis or a comma.
    Sign(&'static str),
    End,
}

impl Token {
    /// The token in words, for messages.
    pub fn in_words(&self) -> String {
        match self {
            Token::Number(value) => format!("the number {value}"),
            Token::Name(name) => format!("`{name}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => String::from("the end"),
        }
    }
}

/// Signs; those of two characters come first.
const SIGNS: [&str; 12] = ["<=", ">=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

/// All tokens of a text and their places; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, ExpressionError> {
    let mut tokens = Vec::new();
    let (mut rest, mut place) = (text, Place { line: 1, column: 1 });
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let (token, length) = token(rest, first, place)?;
                tokens.push((token, place));
                length
            }
        };
        if first == '\n' {
            place = Place { line: place.line + 1, column: 1 };
        } else {
            place.column += rest[..length].chars().count();
        }
        rest = &rest[length..];
    }
    tokens.push((Token::End, place));
    Ok(tokens)
}

/// The token that a text begins with, and how many bytes it has.
fn token(rest: &str, first: char, place: Place) -> Result<(Token, usize), ExpressionError> {
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    if first.is_ascii_digit() || first == '.' {
        let length = number_length(rest);
        return Ok((Token::Number(number(&rest[..length], place)?), length));
    }
    if first.is_alphabetic() || first == '_' {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        return Ok((Token::Name(rest[..length].to_string()), length));
    }
    let sign = first.escape_debug();
    Err(place.error(format!(
        "`{sign}` has no meaning here: expected a number, a name, parentheses or one of + - * / ^ < > <= >="
    )))
}

/// How many bytes a number has: digits with a point, then an exponent if digits follow it.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text.as_bytes()[from..];
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}

fn number(text: &str, place: Place) -> Result<f32, ExpressionError> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(place.error("this number is too large: single precision ends at 3.4e38")),
        Err(_) => Err(place.error(format!("`{text}` is not a number: expected digits"))),
    }
}
