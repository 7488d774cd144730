//! Command-line flags made from the JSON Schema of a settings type.
//!
//! The field of a `Settings` struct is the single source: its documentation comment becomes the
//! help, its `unit`, range and default are shown and checked, its enum becomes the possible
//! values. Nothing is declared here twice.
//!
//! # Guarantees
//! * Every property of the schema has a flag of the same name; a nested table `crop` with a key
//!   `min` becomes `--crop-min`, and a box also has one flag for both corners, `--crop`. A property
//!   of a shape that has no flag form takes JSON text.
//! * Only flags that were given reach the settings, so the type's own defaults stand.

use clap::builder::{
    BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use whitecap_scene::Range;

use crate::failure::Failure;

/// The flags of one settings type.
pub struct SettingFlags {
    flags: Vec<Flag>,
}

/// One flag: one property, or one property of a nested table.
struct Flag {
    /// Keys from the outermost table to the property.
    path: Vec<String>,
    help: String,
    unit: Option<String>,
    default: Option<String>,
    shape: Shape,
    /// Flags that must be given with it: the other required keys of an optional table.
    companions: Vec<String>,
    /// Flags that say the same in another way.
    rivals: Vec<String>,
}

/// What a value looks like on the command line.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
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
    Json,
}

impl SettingFlags {
    /// The flags for `S`.
    pub fn of<S: JsonSchema>() -> Self {
        let schema = schemars::schema_for!(S).to_value();
        let mut flags = Vec::new();
        collect(&schema, &schema, &Table::default(), &mut flags);
        Self { flags }
    }

    /// The arguments to add to a command.
    pub fn arguments(&self) -> impl Iterator<Item = Arg> + '_ {
        self.flags.iter().map(Flag::argument)
    }

    /// The settings: their defaults, changed by the flags that were given.
    pub fn read<S: DeserializeOwned>(&self, matches: &ArgMatches) -> Result<S, Failure> {
        let mut object = Map::new();
        for flag in &self.flags {
            if let Some(value) = flag.given(matches) {
                insert(&mut object, &flag.path, value);
            }
        }
        serde_json::from_value(Value::Object(object))
            .map_err(|error| Failure::Usage(format!("these settings do not fit together: {error}")))
    }
}

/// The table whose properties are walked.
#[derive(Default)]
struct Table {
    /// Keys that lead to it.
    path: Vec<String>,
    /// What it is, in words.
    help: String,
    /// The flags of its required keys.
    required: Vec<String>,
}

/// Walks the properties of a table; nested tables are walked in turn.
fn collect(root: &Value, schema: &Value, table: &Table, flags: &mut Vec<Flag>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (key, property) in properties {
        let path: Vec<String> = table.path.iter().chain([key]).cloned().collect();
        let name = path.join("-");
        let text = |value: &Value| value.as_str().map(|text| text.replace('\n', " "));
        let help = [Some(table.help.clone()), text(&property["description"])];
        let help = help.into_iter().flatten().filter(|text| !text.is_empty());
        let help = help.collect::<Vec<_>>().join(" ");
        let resolved = resolve(root, property);
        if resolved["properties"].is_object() {
            let required = resolved["required"].as_array().into_iter().flatten();
            let required: Vec<String> =
                required.filter_map(Value::as_str).map(|key| format!("{name}-{key}")).collect();
            if let Some(shape) = Shape::of_box(root, resolved) {
                flags.push(Flag {
                    path: path.clone(),
                    help: format!("{help} Both corners: the lowest, then the highest."),
                    unit: text(&property["unit"]).filter(|unit| unit != "none"),
                    default: None,
                    shape,
                    companions: Vec::new(),
                    rivals: required.clone(),
                });
            }
            let nested = Table { path, help, required };
            collect(root, resolved, &nested, flags);
            continue;
        }
        flags.push(Flag {
            help,
            unit: text(&property["unit"]).filter(|unit| unit != "none"),
            default: default_text(property),
            shape: Shape::of(root, resolved),
            companions: table.required.iter().filter(|other| **other != name).cloned().collect(),
            rivals: Vec::new(),
            path,
        });
    }
}

/// Follows a reference, and looks through `null` alternatives of an optional property.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
        return resolve(root, &root["$defs"][name]);
    }
    let alternatives = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    match alternatives {
        [one, null] | [null, one] if null["type"] == "null" => resolve(root, one),
        _ => schema,
    }
}

/// The default as a person would write it; `None` where leaving the setting out means something
/// that no value can say.
fn default_text(property: &Value) -> Option<String> {
    match &property["default"] {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) if items.iter().all(Value::is_number) => {
            let is_single = property["items"]["format"] == "float";
            let items: Vec<String> =
                items.iter().map(|item| number_text(item, is_single)).collect();
            Some(items.join(","))
        }
        Value::String(text) => Some(text.clone()),
        number @ Value::Number(_) => Some(number_text(number, property["format"] == "float")),
        other => Some(other.to_string()),
    }
}

/// A number with the digits a person would write.
fn number_text(number: &Value, is_single: bool) -> String {
    match number.as_f64() {
        Some(number) if is_single => (number as f32).to_string(),
        _ => number.to_string(),
    }
}

impl Shape {
    fn of(root: &Value, schema: &Value) -> Self {
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

    /// The form of a table that has the two corners of a box and nothing else.
    fn of_box(root: &Value, schema: &Value) -> Option<Self> {
        let properties = schema["properties"].as_object().filter(|keys| keys.len() == 2)?;
        let corner = |key: &str| Some(Shape::of(root, resolve(root, properties.get(key)?)));
        match (corner("min")?, corner("max")?) {
            (Shape::Vector(low), Shape::Vector(high)) if low == high => Some(Shape::Corners(low)),
            _ => None,
        }
    }

    fn value_name(&self) -> &'static str {
        match self {
            Shape::Number(_) => "NUMBER",
            Shape::Integer(_) => "COUNT",
            Shape::Boolean => "true|false",
            Shape::Text => "TEXT",
            Shape::Choice(_) => "NAME",
            Shape::TextList | Shape::ChoiceList(_) => "NAME,…",
            Shape::Vector(_) | Shape::Corners(_) => "NUMBER,…",
            Shape::Json => "JSON",
        }
    }

    fn parser(&self) -> ValueParser {
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

/// So many numbers with commas between them.
pub fn numbers(text: &str, length: usize) -> Result<Vec<f64>, String> {
    let values: Vec<f64> =
        text.split(',').map(|part| finite(part.trim())).collect::<Result<_, _>>()?;
    match values.len() == length {
        true => Ok(values),
        false => Err(format!("{length} numbers with commas between them are needed")),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| value.is_finite()).ok_or_else(|| "this is not a number".to_string())
}

impl Flag {
    fn name(&self) -> String {
        self.path.join("-")
    }

    fn argument(&self) -> Arg {
        let name = self.name();
        let mut argument = Arg::new(name.clone())
            .long(name)
            .help(self.full_help())
            .help_heading("Settings")
            .value_name(self.shape.value_name())
            .value_parser(self.shape.parser());
        for companion in &self.companions {
            argument = argument.requires(companion.clone());
        }
        for rival in &self.rivals {
            argument = argument.conflicts_with(rival.clone());
        }
        if let Some(default) = &self.default {
            argument = argument.default_value(default.clone());
        }
        match self.shape {
            Shape::TextList => argument.action(ArgAction::Append).value_delimiter(','),
            Shape::ChoiceList(_) => {
                argument.action(ArgAction::Append).value_delimiter(',').allow_hyphen_values(true)
            }
            Shape::Boolean => {
                argument.num_args(0..=1).require_equals(true).default_missing_value("true")
            }
            Shape::Number(_) | Shape::Integer(_) => argument.allow_negative_numbers(true),
            Shape::Vector(_) | Shape::Corners(_) => argument.allow_hyphen_values(true),
            _ => argument,
        }
    }

    /// The documentation, then the unit, the range, and what leaving it out means.
    fn full_help(&self) -> String {
        let mut help = self.help.clone();
        if let Some(unit) = &self.unit {
            help.push_str(&format!(" [unit: {unit}]"));
        }
        match self.shape {
            Shape::Number(range) | Shape::Integer(range) if !range.is_unlimited() => {
                help.push_str(&format!(" [range: {range}]"));
            }
            _ => {}
        }
        if self.default.is_none() && !self.help.contains("Left out") {
            help.push_str(" [default: none]");
        }
        help
    }

    fn given(&self, matches: &ArgMatches) -> Option<Value> {
        let name = self.name();
        if matches.value_source(&name) != Some(ValueSource::CommandLine) {
            return None;
        }
        let mut values = matches.get_many::<Value>(&name)?.cloned();
        match self.shape {
            Shape::TextList | Shape::ChoiceList(_) => Some(Value::Array(values.collect())),
            _ => values.next(),
        }
    }
}

fn insert(object: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            object.insert(key.clone(), value);
        }
        [key, rest @ ..] => {
            let nested = object.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(nested) = nested {
                insert(nested, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
