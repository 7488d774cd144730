//! What a file says of all its particles at once.

use serde_json::{Map, Value, json};
use whitecap_core::{FactValue, Facts};

use super::{short, value_text};
use crate::plain_text;

/// For programs: numbers under keys that end in their unit, and lists of names.
pub fn json(facts: &Facts) -> Value {
    let entry = |(name, value): (&str, FactValue)| match value {
        FactValue::Number(number) => (key(name), short(number)),
        FactValue::Text(text) => (key(name), json!(text.lines().collect::<Vec<_>>())),
    };
    Value::Object(facts.to_named().into_iter().map(entry).collect::<Map<_, _>>())
}

/// For people: a line for each, from the object that a program gets.
pub fn lines(object: &Value) -> Vec<String> {
    let line = |name: &str| {
        let value = &object[key(name)];
        let words = name.replace('_', " ");
        match value {
            Value::Null => None,
            Value::Array(names) => {
                let names = names.iter().filter_map(Value::as_str).map(plain_text::name);
                Some(format!("  {words}: {}", names.collect::<Vec<_>>().join(", ")))
            }
            value => Some(format!("  {words} {} {}", value_text(value), Facts::unit(name))),
        }
    };
    Facts::names().filter_map(line).collect()
}

/// The name of a fact, with its unit in words.
fn key(name: &str) -> String {
    match Facts::unit(name) {
        "m" => format!("{name}_metres"),
        "kg/m³" => format!("{name}_kilograms_per_cubic_metre"),
        "frames/s" => format!("{name}_frames_per_second"),
        _ => name.to_owned(),
    }
}
