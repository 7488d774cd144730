//! Houdini's binary form of JSON: a byte stream of tokens, of either byte order, with typed arrays
//! and a table of texts that are defined once and referred to.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::value::{ArrayBuilder, Value};
use crate::Error;
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};

/// First byte of a binary file, followed by [`MAGIC`] in the byte order of the machine that wrote.
pub(super) const MAGIC_TOKEN: u8 = 0x7f;
/// Reads `NSJb` in a little-endian file.
pub(super) const MAGIC: u32 = 0x624a_534e;

/// The bytes that introduce each item of the stream.
pub(super) mod token {
    pub const NULL: u8 = 0x00;
    pub const MAP_BEGIN: u8 = 0x7b;
    pub const MAP_END: u8 = 0x7d;
    pub const ARRAY_BEGIN: u8 = 0x5b;
    pub const ARRAY_END: u8 = 0x5d;
    pub const BOOL: u8 = 0x10;
    pub const INT8: u8 = 0x11;
    pub const INT16: u8 = 0x12;
    pub const INT32: u8 = 0x13;
    pub const INT64: u8 = 0x14;
    pub const REAL16: u8 = 0x18;
    pub const REAL32: u8 = 0x19;
    pub const REAL64: u8 = 0x1a;
    pub const UINT8: u8 = 0x21;
    pub const UINT16: u8 = 0x22;
    pub const TEXT: u8 = 0x27;
    pub const FALSE: u8 = 0x30;
    pub const TRUE: u8 = 0x31;
    pub const DEFINE: u8 = 0x2b;
    pub const REFER: u8 = 0x26;
    pub const UNDEFINE: u8 = 0x2d;
    pub const UNIFORM_ARRAY: u8 = 0x40;
}

/// Nesting that no real file reaches; deeper ones could exhaust the stack.
const DEEPEST: usize = 128;

/// Reads binary JSON.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Value, Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    if reader.u8("the magic number")? != MAGIC_TOKEN {
        return Err(reader.malformed("binary JSON must begin with the byte 0x7f"));
    }
    match reader.u32("the magic number")? {
        MAGIC => {}
        swapped if swapped == MAGIC.swap_bytes() => reader.set_endian(Endian::Big),
        _ => return Err(reader.malformed("the magic number `NSJb` of binary JSON is missing")),
    }
    Parser { reader, texts: HashMap::new() }.value(0)
}

struct Parser<'a> {
    reader: ByteReader<'a>,
    texts: HashMap<u64, Arc<str>>,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        let kind = self.next_token()?;
        self.value_of(kind, depth)
    }

    /// The next token that is not a definition.
    fn next_token(&mut self) -> Result<u8, Error> {
        loop {
            match self.reader.u8("a token")? {
                token::DEFINE => {
                    let id = self.encoded_integer()?;
                    let text = self.text()?;
                    self.texts.insert(id, text);
                }
                token::UNDEFINE => {
                    let id = self.encoded_integer()?;
                    self.texts.remove(&id);
                }
                kind => return Ok(kind),
            }
        }
    }

    fn value_of(&mut self, kind: u8, depth: usize) -> Result<Value, Error> {
        if depth > DEEPEST {
            return Err(self.reader.malformed(format!("nested deeper than {DEEPEST} levels")));
        }
        if let Some(scalar) = scalar_type(kind) {
            return self.scalar(scalar);
        }
        Ok(match kind {
            token::NULL => Value::Null,
            token::FALSE => Value::Bool(false),
            token::TRUE => Value::Bool(true),
            token::BOOL => Value::Bool(self.reader.u8("a truth value")? != 0),
            token::TEXT => Value::Text(self.text()?),
            token::REFER => Value::Text(self.referred_text()?),
            token::ARRAY_BEGIN => self.array(depth)?,
            token::MAP_BEGIN => self.map(depth)?,
            token::UNIFORM_ARRAY => self.uniform_array()?,
            _ => return Err(self.reader.malformed(format!("0x{kind:02x} is not a token"))),
        })
    }

    fn scalar(&mut self, scalar: ScalarType) -> Result<Value, Error> {
        // A 64-bit real keeps its precision only here, where it may be a time or a count.
        if scalar == ScalarType::F64 {
            return Ok(Value::Real(f64::from_bits(self.reader.u64("a number")?)));
        }
        let bytes = self.reader.take(scalar.size(), "a number")?;
        let values = decode(scalar, self.reader.endian(), bytes, Layout::packed(scalar, 1, 1))
            .map_err(|message| self.reader.malformed(message))?;
        Ok(match values {
            Values::F32(values) => Value::Real(f64::from(values[0])),
            Values::I32(values) => Value::Integer(i64::from(values[0])),
            Values::I64(values) => Value::Integer(values[0]),
        })
    }

    fn array(&mut self, depth: usize) -> Result<Value, Error> {
        let mut array = ArrayBuilder::default();
        loop {
            match self.next_token()? {
                token::ARRAY_END => return Ok(array.finish()),
                kind => array.push(self.value_of(kind, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Error> {
        let mut entries = Vec::new();
        loop {
            let key = match self.next_token()? {
                token::MAP_END => return Ok(Value::Map(entries)),
                token::TEXT => self.text()?,
                token::REFER => self.referred_text()?,
                kind => {
                    let message =
                        format!("a map key must be a text, but this is token 0x{kind:02x}");
                    return Err(self.reader.malformed(message));
                }
            };
            entries.push((key, self.value(depth + 1)?));
        }
    }

    fn uniform_array(&mut self) -> Result<Value, Error> {
        let kind = self.reader.u8("the type of an array")?;
        let length = self.encoded_integer()?;
        if let Some(scalar) = scalar_type(kind) {
            let count = self.reader.check_count(length, scalar.size(), "array elements")?;
            let bytes = self.reader.take(count * scalar.size(), "an array")?;
            let layout = Layout::packed(scalar, 1, count);
            return decode(scalar, self.reader.endian(), bytes, layout)
                .map(Value::Numbers)
                .map_err(|message| self.reader.malformed(message));
        }
        match kind {
            token::BOOL => self.bit_array(length),
            token::TEXT | token::REFER => {
                let count = self.reader.check_count(length, 1, "texts")?;
                let text = |parser: &mut Self| match kind {
                    token::TEXT => parser.text(),
                    _ => parser.referred_text(),
                };
                (0..count)
                    .map(|_| text(self).map(Value::Text))
                    .collect::<Result<_, _>>()
                    .map(Value::Array)
            }
            _ => Err(self.reader.malformed(format!("0x{kind:02x} is not a type of array"))),
        }
    }

    /// Truth values, 32 to a word.
    fn bit_array(&mut self, length: u64) -> Result<Value, Error> {
        let words = self.reader.check_count(length.div_ceil(32), 4, "words of truth values")?;
        let mut flags = Vec::with_capacity(words * 32);
        for _ in 0..words {
            let word = self.reader.u32("truth values")?;
            flags.extend((0..32).map(|bit| (word >> bit & 1) as i32));
        }
        flags.truncate(length as usize);
        Ok(Value::Numbers(Values::I32(flags)))
    }

    /// A length or identity: one byte, or a marker and two, four or eight.
    fn encoded_integer(&mut self) -> Result<u64, Error> {
        let what = "a length";
        match self.reader.u8(what)? {
            small @ 0..=0xf0 => Ok(u64::from(small)),
            0xf2 => self.reader.u16(what).map(u64::from),
            0xf4 => self.reader.u32(what).map(u64::from),
            0xf8 => self.reader.u64(what),
            other => Err(self.reader.malformed(format!("0x{other:02x} does not begin a length"))),
        }
    }

    fn text(&mut self) -> Result<Arc<str>, Error> {
        let length = self.encoded_integer()?;
        let length = self.reader.check_count(length, 1, "bytes of text")?;
        Ok(String::from_utf8_lossy(self.reader.take(length, "a text")?).into())
    }

    fn referred_text(&mut self) -> Result<Arc<str>, Error> {
        let id = self.encoded_integer()?;
        let text = self.texts.get(&id).cloned();
        text.ok_or_else(|| self.reader.malformed(format!("text {id} was never defined")))
    }
}

fn scalar_type(kind: u8) -> Option<ScalarType> {
    Some(match kind {
        token::INT8 => ScalarType::I8,
        token::INT16 => ScalarType::I16,
        token::INT32 => ScalarType::I32,
        token::INT64 => ScalarType::I64,
        token::REAL16 => ScalarType::F16,
        token::REAL32 => ScalarType::F32,
        token::REAL64 => ScalarType::F64,
        token::UINT8 => ScalarType::U8,
        token::UINT16 => ScalarType::U16,
        _ => return None,
    })
}
