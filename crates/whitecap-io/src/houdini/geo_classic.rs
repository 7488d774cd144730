//! Houdini's classic text geometry, `.geo` version 5, which begins with `PGEOMETRY`: counts,
//! definitions of attributes, and a line for each point, plain or gzip-compressed as a whole. Read
//! only: [`houdini_json`](crate::houdini_json) is written.
//!
//! # Guarantees
//! * Counts are checked against the rest of the file before anything is allocated.
//!
//! # Non-guarantees
//! Only points are read: primitives, groups and text attributes are left out.

use std::path::Path;

use whitecap_core::Particles;

use crate::attributes::point_table::{self, PointTable};
use crate::encoding::inflate;
use crate::encoding::scalar::Values;
use crate::encoding::tokens::{line_at, parse_integer, parse_real, shown};
use crate::{Error, Place};

const MAGIC: &[u8] = b"PGEOMETRY";
/// Words between the magic number and the definitions of attributes; a real file has about twenty.
const MOST_HEADER_WORDS: usize = 64;

/// Whether `bytes`, already inflated, begin like a classic text file.
pub(crate) fn is_classic(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(MAGIC)
}

/// Reads a classic `.geo` file, plain or gzip-compressed.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    if inflate::is_gzip(bytes) {
        return parse_plain(&inflate::gzip(bytes, path)?, path);
    }
    parse_plain(bytes, path)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    /// A number that stands for a text.
    Index,
}

struct Attribute {
    name: String,
    kind: Kind,
    components: usize,
    values: Values,
}

fn parse_plain(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let mut words = Words { bytes, offset: 0, path };
    let (points, attributes) = parse_counts(&mut words)?;
    let mut attributes = parse_attributes(&mut words, attributes)?;
    // A point has at least four numbers and what separates them.
    let points = words.fitting("points", points, 8)?;
    let mut positions = Vec::with_capacity(3 * points);
    for _ in 0..points {
        for _ in 0..3 {
            positions.push(words.real("a position")?);
        }
        words.real("the weight of a point")?;
        if attributes.is_empty() {
            continue;
        }
        words.expect(b"(")?;
        for Attribute { name, components, values, .. } in &mut attributes {
            for _ in 0..*components {
                match values {
                    Values::F32(reals) => reals.push(words.real(name)?),
                    Values::I32(whole) => whole.push(words.integer(name)? as i32),
                    Values::I64(whole) => whole.push(words.integer(name)?),
                }
            }
        }
        words.expect(b")")?;
    }
    let mut table = PointTable::new(Values::F32(positions).into_vectors(3));
    for Attribute { name, kind, components, values } in attributes {
        if kind != Kind::Index {
            table.push(&name, components, values);
        }
    }
    table.into_particles(path)
}

/// The numbers of points and of their attributes.
fn parse_counts(words: &mut Words) -> Result<(u64, u64), Error> {
    if words.next_word() != Some(MAGIC) {
        return Err(words.malformed("a classic .geo file begins with `PGEOMETRY`"));
    }
    words.word("the version")?;
    let (mut points, mut attributes) = (None, None);
    for _ in 0..MOST_HEADER_WORDS {
        match words.word("`NAttrib`")? {
            b"NPoints" => points = Some(words.count("the number of points")?),
            b"NPointAttrib" => attributes = Some(words.count("the number of attributes")?),
            b"NAttrib" => {
                words.count("the number of attributes of the whole")?;
                break;
            }
            _ => {}
        }
    }
    match (points, attributes) {
        (Some(points), Some(attributes)) => Ok((points, attributes)),
        _ => Err(words.malformed("the header lacks `NPoints`, `NPointAttrib` or `NAttrib`")),
    }
}

fn parse_attributes(words: &mut Words, count: u64) -> Result<Vec<Attribute>, Error> {
    if count == 0 {
        return Ok(Vec::new());
    }
    words.expect(b"PointAttrib")?;
    // Name, size, type and one default value.
    let count = words.fitting("attributes", count, 8)?;
    point_table::check_column_count(count, words.path)?;
    let mut attributes = Vec::with_capacity(count);
    let mut columns = 0;
    for _ in 0..count {
        let name = String::from_utf8_lossy(words.word("the name of an attribute")?).into_owned();
        let components = words.count("the size of an attribute")?;
        let components = words.fitting("components", components, 2)?;
        columns += components;
        point_table::check_column_count(columns, words.path)?;
        let kind = match words.word("the type of an attribute")? {
            b"float" | b"vector" => Kind::Real,
            b"int" => Kind::Integer,
            b"index" => Kind::Index,
            other => {
                let message = format!("attribute `{name}` has the unknown type `{}`", shown(other));
                return Err(words.malformed(message));
            }
        };
        let defaults = match kind {
            Kind::Index => words.count("the number of texts")?,
            _ => components as u64,
        };
        for _ in 0..defaults {
            words.word("a default value")?;
        }
        let values = match kind {
            Kind::Real => Values::F32(Vec::new()),
            _ => Values::I32(Vec::new()),
        };
        attributes.push(Attribute { name, kind, components, values });
    }
    Ok(attributes)
}

/// Words of the file: numbers and names, texts in quotes, and parentheses on their own.
struct Words<'a> {
    bytes: &'a [u8],
    offset: usize,
    path: &'a Path,
}

impl<'a> Words<'a> {
    fn next_word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.offset..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &rest[start..];
        let length = match rest[0] {
            b'(' | b')' => 1,
            b'"' => quoted_length(rest),
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"()".contains(byte);
                rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        self.offset += start + length;
        Some(&rest[..length])
    }

    fn word(&mut self, what: &str) -> Result<&'a [u8], Error> {
        self.next_word().ok_or_else(|| {
            self.malformed(format!("the file ends where {what} should be; it is cut short"))
        })
    }

    fn real(&mut self, what: &str) -> Result<f32, Error> {
        let word = self.word(what)?;
        parse_real(word).ok_or_else(|| self.unreadable(word, what))
    }

    /// An integer of 32 bits.
    fn integer(&mut self, what: &str) -> Result<i64, Error> {
        let word = self.word(what)?;
        let integer = parse_integer(word).filter(|&integer| i32::try_from(integer).is_ok());
        integer.ok_or_else(|| self.unreadable(word, what))
    }

    fn count(&mut self, what: &str) -> Result<u64, Error> {
        let word = self.word(what)?;
        let count = parse_integer(word).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| self.unreadable(word, what))
    }

    /// A count of things for which there is room in the rest of the file.
    fn fitting(&self, what: &str, count: u64, item_bytes: usize) -> Result<usize, Error> {
        let left = self.bytes.len() - self.offset;
        let check = |place| Error::check_count(self.path, place, what, count, item_bytes, left);
        // Finding the line takes long, so it is done only for the message.
        check(Place::File).or_else(|_| check(self.place()))
    }

    fn expect(&mut self, expected: &[u8]) -> Result<(), Error> {
        let what = format!("`{}`", shown(expected));
        let word = self.word(&what)?;
        if word == expected { Ok(()) } else { Err(self.unreadable(word, &what)) }
    }

    fn place(&self) -> Place {
        line_at(self.bytes, self.offset)
    }

    fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.place(), message)
    }

    fn unreadable(&self, word: &[u8], what: &str) -> Error {
        self.malformed(format!("found `{}` where {what} should be", shown(word)))
    }
}

/// How many bytes a text takes with its quotes; a backslash takes the next byte with it.
fn quoted_length(text: &[u8]) -> usize {
    let mut place = 1;
    while place < text.len() {
        match text[place] {
            b'\\' => place += 2,
            b'"' => return place + 1,
            _ => place += 1,
        }
    }
    text.len()
}
