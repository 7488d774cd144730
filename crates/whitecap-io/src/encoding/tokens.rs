//! Words of a text file, separated by white space.

use std::path::Path;

use crate::encoding::scalar::{ScalarType, Values};
use crate::{Error, Place};

/// A position in a text that moves forward word by word.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    offset: usize,
    path: &'a Path,
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { bytes, offset: 0, path }
    }

    /// The same text from `offset` on.
    pub fn at(bytes: &'a [u8], offset: usize, path: &'a Path) -> Self {
        Self { bytes, offset, path }
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// The next word, if there is one.
    pub fn next_word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.offset..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &rest[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.offset += start + length;
        Some(&rest[..length])
    }

    /// The next word, which holds `what`.
    pub fn word(&mut self, what: &str) -> Result<&'a [u8], Error> {
        self.next_word().ok_or_else(|| {
            self.malformed(format!("the file ends where {what} should be; it is cut short"))
        })
    }

    pub fn text(&mut self, what: &str) -> Result<&'a str, Error> {
        let word = self.word(what)?;
        std::str::from_utf8(word).map_err(|_| self.unreadable(word, what))
    }

    pub fn real(&mut self, what: &str) -> Result<f32, Error> {
        let word = self.word(what)?;
        parse_real(word).ok_or_else(|| self.unreadable(word, what))
    }

    pub fn integer(&mut self, what: &str) -> Result<i64, Error> {
        let word = self.word(what)?;
        parse_integer(word).ok_or_else(|| self.unreadable(word, what))
    }

    /// An integer that must lie in the range of its type.
    pub fn integer_of(&mut self, scalar: ScalarType, what: &str) -> Result<i64, Error> {
        let value = self.integer(what)?;
        let range = match scalar {
            ScalarType::I8 => i64::from(i8::MIN)..=i64::from(i8::MAX),
            ScalarType::U8 => 0..=i64::from(u8::MAX),
            ScalarType::I16 => i64::from(i16::MIN)..=i64::from(i16::MAX),
            ScalarType::U16 => 0..=i64::from(u16::MAX),
            ScalarType::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
            ScalarType::U32 => 0..=i64::from(u32::MAX),
            ScalarType::U64 => 0..=i64::MAX,
            _ => i64::MIN..=i64::MAX,
        };
        match range.contains(&value) {
            true => Ok(value),
            false => Err(self.malformed(format!("{value} is outside the range of its type"))),
        }
    }

    /// `count` numbers of type `scalar`. The count must already be checked against the file.
    pub fn numbers(
        &mut self,
        scalar: ScalarType,
        count: usize,
        what: &str,
    ) -> Result<Values, Error> {
        Ok(match scalar {
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                Values::F32((0..count).map(|_| self.real(what)).collect::<Result<_, _>>()?)
            }
            ScalarType::U32 | ScalarType::I64 | ScalarType::U64 => {
                let integers = (0..count).map(|_| self.integer_of(scalar, what));
                Values::I64(integers.collect::<Result<_, _>>()?)
            }
            _ => Values::I32(
                (0..count)
                    .map(|_| self.integer_of(scalar, what).map(|value| value as i32))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }

    /// The line of the last word. Counted only when an error needs it.
    pub fn place(&self) -> Place {
        line_at(self.bytes, self.offset)
    }

    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.place(), message)
    }

    fn unreadable(&self, word: &[u8], what: &str) -> Error {
        self.malformed(format!("found `{}` where {what} should be", shown(word)))
    }
}

/// The line of a byte offset.
pub(crate) fn line_at(bytes: &[u8], offset: usize) -> Place {
    let lines = bytes[..offset.min(bytes.len())].iter().filter(|&&byte| byte == b'\n').count();
    Place::Line(lines as u64 + 1)
}

/// A word of a file in a message, cut if it is long.
pub(crate) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).escape_debug().to_string()
}

pub(crate) fn parse_real(word: &[u8]) -> Option<f32> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

pub(crate) fn parse_integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
