//! What a setting looks like on the command line, and how its text is read.

use clap::builder::{
    BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use serde_json::{Map, Value};
use whitecap_scene::Range;

/// What a value looks like on the command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Number(Range),
    Integer(Range),
    Boolean,
    Text,
    Choice(Vec<(String, String)>),
    TextList,
    ChoiceList(Vec<(String, String)>),
    Vector(usize),
    /// The lowest and the highest corner of a box.
    Corners(usize),
    /// An item of a list: its choice, if there are several, and the values it needs.
    Item(Option<String>, Vec<Part>),
    Json,
}

/// A value that an item of a list needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub key: String,
    /// How many numbers it has, and whether they are a list; none for text.
    pub numbers: Option<(usize, bool)>,
}

/// Follows a reference, and looks through `null` alternatives of an optional property.
pub(super) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
        return resolve(root, &root["$defs"][name]);
    }
    let alternatives = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    match alternatives {
        [one, null] | [null, one] if null["type"] == "null" => resolve(root, one),
        _ => schema,
    }
}

impl Shape {
    pub fn of(root: &Value, schema: &Value) -> Self {
        let is = |name: &str| match &schema["type"] {
            Value::String(only) => only == name,
            Value::Array(several) => several.iter().any(|one| one == name),
            _ => false,
        };
        let range = Range::of(schema);
        if let Some(choices) = choices(schema) {
            return Shape::Choice(choices);
        }
        if is("integer") {
            return Shape::Integer(range);
        }
        if is("number") {
            return Shape::Number(range);
        }
        if is("boolean") {
            return Shape::Boolean;
        }
        if is("string") {
            return Shape::Text;
        }
        let item = Shape::of_item(root, schema);
        match (item, schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
            (Some(Shape::Text), None, None) => Shape::TextList,
            (Some(Shape::Choice(choices)), None, None) => Shape::ChoiceList(choices),
            (Some(Shape::Number(_)), Some(least), Some(most)) if least == most => {
                Shape::Vector(least as usize)
            }
            _ => Shape::Json,
        }
    }

    fn of_item(root: &Value, schema: &Value) -> Option<Self> {
        schema["items"].is_object().then(|| Shape::of(root, resolve(root, &schema["items"])))
    }

    /// The shape of a table that has the two corners of a box and nothing else.
    pub fn of_box(root: &Value, schema: &Value) -> Option<Self> {
        let properties = schema["properties"].as_object().filter(|keys| keys.len() == 2)?;
        let corner = |key: &str| Some(Shape::of(root, resolve(root, properties.get(key)?)));
        match (corner("min")?, corner("max")?) {
            (Shape::Vector(low), Shape::Vector(high)) if low == high => Some(Shape::Corners(low)),
            _ => None,
        }
    }

    pub fn value_name(&self) -> &'static str {
        match self {
            Shape::Number(_) => "NUMBER",
            Shape::Integer(_) => "COUNT",
            Shape::Boolean => "true|false",
            Shape::Text => "TEXT",
            Shape::Choice(_) => "NAME",
            Shape::TextList | Shape::ChoiceList(_) => "NAME,…",
            Shape::Vector(_) | Shape::Corners(_) => "NUMBER,…",
            Shape::Item(_, parts) if parts[0].numbers.is_none() => "FILE",
            Shape::Item(..) => "NUMBER,…",
            Shape::Json => "JSON",
        }
    }

    pub fn parser(&self) -> ValueParser {
        match self.clone() {
            Shape::Number(range) => ValueParser::from(move |text: &str| number(text, range)),
            Shape::Integer(range) => ValueParser::from(move |text: &str| integer(text, range)),
            Shape::Boolean => BoolValueParser::new().map(Value::from).into(),
            Shape::Text | Shape::TextList => {
                ValueParser::from(|text: &str| Ok::<_, String>(Value::from(text)))
            }
            Shape::Choice(choices) | Shape::ChoiceList(choices) => {
                let values = choices
                    .into_iter()
                    .map(|(name, description)| PossibleValue::new(name).help(description));
                PossibleValuesParser::new(values).map(Value::from).into()
            }
            Shape::Vector(length) => ValueParser::from(move |text: &str| vector(text, length)),
            Shape::Corners(length) => ValueParser::from(move |text: &str| corners(text, length)),
            Shape::Item(tag, parts) => {
                ValueParser::from(move |text: &str| item(text, tag.as_deref(), &parts))
            }
            Shape::Json => ValueParser::from(|text: &str| {
                serde_json::from_str::<Value>(text).map_err(|error| format!("not JSON: {error}"))
            }),
        }
    }
}

/// The names of an enum with their documentation.
fn choices(schema: &Value) -> Option<Vec<(String, String)>> {
    let text = |value: &Value| Some(value.as_str()?.to_string());
    if let Some(variants) = schema["oneOf"].as_array() {
        let choice = |variant: &Value| {
            Some((text(&variant["const"])?, text(&variant["description"]).unwrap_or_default()))
        };
        return variants.iter().map(choice).collect();
    }
    let names = schema["enum"].as_array()?;
    names.iter().map(|name| Some((text(name)?, String::new()))).collect()
}

fn in_range(range: Range, value: f64) -> Result<(), String> {
    if range.contains(value) { Ok(()) } else { Err(format!("it must be {range}")) }
}

fn number(text: &str, range: Range) -> Result<Value, String> {
    let value = finite(text)?;
    in_range(range, value)?;
    Ok(Value::from(value))
}

fn integer(text: &str, range: Range) -> Result<Value, String> {
    let value: i64 = text.parse().map_err(|_| "this is not a whole number".to_string())?;
    in_range(range, value as f64)?;
    Ok(Value::from(value))
}

fn vector(text: &str, length: usize) -> Result<Value, String> {
    Ok(Value::from(numbers(text, length)?))
}

fn corners(text: &str, length: usize) -> Result<Value, String> {
    let values = numbers(text, 2 * length)?;
    let (min, max) = values.split_at(length);
    Ok(serde_json::json!({ "min": min, "max": max }))
}

fn item(text: &str, tag: Option<&str>, parts: &[Part]) -> Result<Value, String> {
    let mut table = Map::new();
    let count = parts.iter().filter_map(|part| part.numbers).map(|(length, _)| length).sum();
    let mut values = match count {
        0 => Vec::new(),
        _ => numbers(text, count)?,
    }
    .into_iter();
    for Part { key, numbers } in parts {
        let value = match numbers {
            None => Value::from(text),
            Some((length, true)) => values.by_ref().take(*length).collect::<Vec<_>>().into(),
            Some((_, false)) => values.next().into(),
        };
        table.insert(key.clone(), value);
    }
    Ok(match tag {
        Some(tag) => serde_json::json!({ tag: table }),
        None => Value::Object(table),
    })
}

/// This many numbers, separated by commas; colons may stand between the values of an item.
pub fn numbers(text: &str, length: usize) -> Result<Vec<f64>, String> {
    let values: Vec<f64> =
        text.split([',', ':']).map(|part| finite(part.trim())).collect::<Result<_, _>>()?;
    match values.len() == length {
        true => Ok(values),
        false if length == 1 => Err(String::from("it must be one number")),
        false => Err(format!("it must be {length} numbers, separated by commas")),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| value.is_finite()).ok_or_else(|| "this is not a number".to_string())
}
