//! Walks through settings and checks them against the ranges of their type.
//!
//! Settings are walked by serialising them to nowhere: serde names every key and passes every number as
//! it is, including NaN and infinity, which text formats would lose.

use schemars::JsonSchema;
use serde::ser::{self, Serialize, Serializer};

use super::rule::{Rule, rule_of};
use super::{Range, SettingError};

/// Fails at the first number of the settings that is not finite or not within the range at its field.
pub fn check_ranges<S: Serialize + JsonSchema + 'static>(settings: &S) -> Result<(), SettingError> {
    let walk = Walk { rule: &rule_of::<S>(), path: &Path { outer: None, step: Step::Start } };
    settings.serialize(walk).map_err(|Refused(error)| error)
}

/// The keys that led to a value.
#[derive(Clone, Copy)]
struct Path<'a> {
    outer: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Start,
    Key(&'a str),
    Place(usize),
}

impl<'a> Path<'a> {
    fn then(&'a self, step: Step<'a>) -> Path<'a> {
        Path { outer: Some(self), step }
    }

    /// With dots: `solids.1.path`.
    fn key(&self) -> String {
        let outer = self.outer.map(Path::key).unwrap_or_default();
        let own = match self.step {
            Step::Start => return outer,
            Step::Key(key) => key.to_string(),
            Step::Place(place) => place.to_string(),
        };
        if outer.is_empty() { own } else { format!("{outer}.{own}") }
    }

    /// The error for a number here. For an item of a list of numbers, it names the list.
    fn refused(&self, range: Range, value: String) -> Refused {
        let (place, prefix) = match (self.step, self.outer) {
            (Step::Place(_), Some(list)) => (list, "a value of "),
            _ => (self, ""),
        };
        let key = place.key();
        let subject =
            if key.is_empty() { String::from("a value") } else { format!("{prefix}`{key}`") };
        Refused(SettingError::new(key, range.told(&subject, value)))
    }
}

/// What stops the walk.
#[derive(Debug)]
struct Refused(SettingError);

impl std::fmt::Display for Refused {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Refused(SettingError::new("", message))
    }
}

type Outcome = Result<(), Refused>;

/// A place in the settings.
#[derive(Clone, Copy)]
struct Walk<'a> {
    rule: &'a Rule,
    path: &'a Path<'a>,
}

impl<'a> Walk<'a> {
    fn number(self, value: f64) -> Outcome {
        let range = self.rule.range();
        let refused = || self.path.refused(range, super::plain_number(value));
        if range.contains(value) { Ok(()) } else { Err(refused()) }
    }

    fn key<T: Serialize + ?Sized>(self, key: &str, value: &T) -> Outcome {
        let path = self.path.then(Step::Key(key));
        value.serialize(Walk { rule: self.rule.at_key(key), path: &path })
    }

    fn place<T: Serialize + ?Sized>(self, place: usize, value: &T) -> Outcome {
        let path = self.path.then(Step::Place(place));
        value.serialize(Walk { rule: self.rule.at_place(place), path: &path })
    }

    fn parts(self, variant: Option<&'static str>) -> Parts<'a> {
        Parts { walk: self, variant, place: 0, key: String::new() }
    }
}

/// The parts of a table or a list, one after the other.
struct Parts<'a> {
    walk: Walk<'a>,
    /// The choice that the parts belong to.
    variant: Option<&'static str>,
    place: usize,
    /// The key of the next value of a map.
    key: String,
}

impl Parts<'_> {
    fn with(&self, visit: impl FnOnce(Walk<'_>) -> Outcome) -> Outcome {
        let Some(variant) = self.variant else { return visit(self.walk) };
        let path = self.walk.path.then(Step::Key(variant));
        visit(Walk { rule: self.walk.rule.at_key(variant), path: &path })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.place += 1;
        self.with(|walk| walk.place(self.place - 1, value))
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Outcome {
        self.with(|walk| walk.key(key, value))
    }
}

macro_rules! whole_numbers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Outcome { self.number(value as f64) })*
    };
}

impl<'a> Serializer for Walk<'a> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    whole_numbers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_i128: i128, serialize_u128: u128
    );

    fn serialize_f32(self, value: f32) -> Outcome {
        let range = self.rule.range();
        let refused = || self.path.refused(range, value.to_string());
        if range.contains_single(value) { Ok(()) } else { Err(refused()) }
    }

    fn serialize_f64(self, value: f64) -> Outcome {
        self.number(value)
    }

    fn serialize_bool(self, _value: bool) -> Outcome {
        Ok(())
    }

    fn serialize_char(self, _value: char) -> Outcome {
        Ok(())
    }

    fn serialize_str(self, _value: &str) -> Outcome {
        Ok(())
    }

    fn serialize_bytes(self, _value: &[u8]) -> Outcome {
        Ok(())
    }

    fn serialize_none(self) -> Outcome {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Outcome {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Outcome {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Outcome {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Outcome {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Outcome {
        self.key(variant, value)
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(None))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(None))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(Some(variant)))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(None))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>, Refused> {
        Ok(self.parts(Some(variant)))
    }
}

macro_rules! lists {
    ($($kind:ident: $method:ident),*) => {
        $(impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
                self.item(value)
            }

            fn end(self) -> Outcome {
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! tables {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = Refused;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Outcome {
                self.field(key, value)
            }

            fn end(self) -> Outcome {
                Ok(())
            }
        })*
    };
}

tables!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Outcome {
        // JSON has a string for every key that a map may have.
        let text = serde_json::to_string(key).map_err(ser::Error::custom)?;
        self.key = text.trim_matches('"').to_string();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.with(|walk| walk.key(&self.key, value))
    }

    fn end(self) -> Outcome {
        Ok(())
    }
}
