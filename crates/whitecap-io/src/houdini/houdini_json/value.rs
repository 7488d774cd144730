//! A JSON value in which an array of numbers is stored as numbers, and its text form.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::encoding::scalar::Values;
use crate::{Error, Place};

/// A JSON value. An array whose elements are all numbers is always [`Value::Numbers`], except the
/// empty one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(Arc<str>),
    Numbers(Values),
    Array(Vec<Value>),
    Map(Vec<(Arc<str>, Value)>),
}

impl Value {
    /// The value called `key` in a map, or in an array of alternating keys and values, which is
    /// how Houdini writes maps whose order matters.
    pub fn entry(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(entries) => entries.iter().find(|(k, _)| **k == *key).map(|(_, v)| v),
            Value::Array(items) => items
                .chunks_exact(2)
                .find(|pair| matches!(&pair[0], Value::Text(k) if **k == *key))
                .map(|pair| &pair[1]),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Value::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    pub fn array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The numbers of an array of numbers.
    pub fn numbers(&self) -> Option<Values> {
        match self {
            Value::Numbers(values) => Some(values.clone()),
            Value::Array(items) if items.is_empty() => Some(Values::I32(Vec::new())),
            _ => None,
        }
    }

    /// The truth values of an array of truth values; binary files store them as numbers.
    pub fn flags(&self) -> Option<Vec<bool>> {
        match self {
            Value::Numbers(Values::I32(values)) => Some(values.iter().map(|&v| v != 0).collect()),
            Value::Numbers(Values::I64(values)) => Some(values.iter().map(|&v| v != 0).collect()),
            Value::Array(items) => items
                .iter()
                .map(|item| match item {
                    Value::Bool(flag) => Some(*flag),
                    Value::Integer(number) => Some(*number != 0),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

/// Reads text JSON. The depth is limited by the JSON library, so a file of brackets cannot
/// exhaust the stack.
pub(super) fn parse_text(bytes: &[u8], path: &Path) -> Result<Value, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        Error::malformed(path, place, format!("this is not valid JSON: {error}"))
    })
}

/// Collects the elements of an array, as plain numbers as long as all of them are numbers.
#[derive(Default)]
pub(super) struct ArrayBuilder {
    integers: Vec<i64>,
    reals: Vec<f32>,
    items: Vec<Value>,
}

impl ArrayBuilder {
    pub fn push(&mut self, value: Value) {
        match value {
            value if !self.items.is_empty() => self.items.push(value),
            Value::Integer(integer) if self.reals.is_empty() => self.integers.push(integer),
            Value::Integer(integer) => self.reals.push(integer as f32),
            Value::Real(real) => {
                self.reals.extend(self.integers.drain(..).map(|integer| integer as f32));
                self.reals.push(real as f32);
            }
            value => {
                self.items.extend(self.integers.drain(..).map(Value::Integer));
                self.items.extend(self.reals.drain(..).map(|real| Value::Real(f64::from(real))));
                self.items.push(value);
            }
        }
    }

    pub fn finish(self) -> Value {
        if !self.reals.is_empty() {
            Value::Numbers(Values::F32(self.reals))
        } else if !self.integers.is_empty() {
            Value::Numbers(Values::I64(self.integers))
        } else {
            Value::Array(self.items)
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, integer: i64) -> Result<Value, E> {
        Ok(Value::Integer(integer))
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Value, E> {
        Ok(i64::try_from(integer).map_or(Value::Real(integer as f64), Value::Integer))
    }

    fn visit_f64<E>(self, real: f64) -> Result<Value, E> {
        Ok(Value::Real(real))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = ArrayBuilder::default();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(array.finish())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            map.push((key.into(), value));
        }
        Ok(Value::Map(map))
    }
}
