//! Command-line flags made from the JSON Schema of a settings type.
//!
//! The field of a `Settings` struct is the single source: its documentation comment becomes the
//! help, its `unit`, range and default are shown and checked, its enum becomes the possible values.
//! Nothing is declared twice.
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
use schemars::SchemaGenerator;
use serde_json::{Map, Value};
use whitecap_scene::{Range, short_numbers};
use whitecap_shot::StageKind;

/// The flags of one settings type.
pub struct SettingFlags {
    flags: Vec<Flag>,
}

/// One flag: one property, one property of a nested table, or one choice of the items of a list.
struct Flag {
    name: String,
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
    /// An item of a list: its choice, and the values it needs.
    Item(String, Vec<Part>),
    Json,
}

/// A value that an item of a list needs.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    key: String,
    /// How many numbers it has, and whether they are a list; none for text.
    numbers: Option<(usize, bool)>,
}

impl SettingFlags {
    /// The flags for a kind of stage.
    pub fn of(kind: &dyn StageKind) -> Self {
        let mut generator = SchemaGenerator::default();
        let mut schema = kind.settings_schema(&mut generator).to_value();
        schema["$defs"] = Value::Object(generator.take_definitions(true));
        Self::of_schema(&short_numbers(schema))
    }

    /// The flags for a schema.
    fn of_schema(schema: &Value) -> Self {
        let mut flags = Vec::new();
        collect(schema, schema, &Table::default(), &mut flags);
        Self { flags }
    }

    /// The arguments to add to a command.
    pub fn arguments(&self) -> impl Iterator<Item = Arg> + '_ {
        self.flags.iter().map(Flag::argument)
    }

    /// The settings that flags give; what no flag gives is left out.
    pub fn read(&self, matches: &ArgMatches) -> Map<String, Value> {
        let mut settings = Map::new();
        for flag in &self.flags {
            if let Some(value) = flag.given(matches) {
                insert(&mut settings, &flag.path, value);
            }
        }
        settings
    }

    /// The flag that sets a key such as `terrain.mesh`, or the list or table that it is in.
    pub fn nearest(&self, key: &str) -> String {
        let mut name = key.replace('.', "-");
        while !self.flags.iter().any(|flag| flag.name == name) {
            match name.rfind('-') {
                Some(place) => name.truncate(place),
                None => return key.to_owned(),
            }
        }
        name
    }

    /// The flags that add items to a list, such as `--fill-box` to `fill`.
    pub fn items_of(&self, key: &str) -> Vec<String> {
        let items = self
            .flags
            .iter()
            .filter(|flag| flag.path.join(".") == key && matches!(flag.shape, Shape::Item(..)));
        items.map(|flag| format!("--{}", flag.name)).collect()
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
                    name: name.clone(),
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
        flags.extend(item_flags(root, resolved, &name, &path));
        flags.push(Flag {
            name: name.clone(),
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

/// A flag for each choice of the items of a list that needs nothing but numbers, or one text.
fn item_flags(root: &Value, list: &Value, name: &str, path: &[String]) -> Vec<Flag> {
    let variants = resolve(root, &list["items"])["oneOf"].as_array();
    let variants = variants.map(Vec::as_slice).unwrap_or_default().iter();
    let flag = |variant: &Value| {
        let [tag] = variant["required"].as_array()?.as_slice() else { return None };
        let tag = tag.as_str()?;
        let parts = parts(root, resolve(root, &variant["properties"][tag]))?;
        let words: Vec<&str> = parts.iter().map(|part| part.key.as_str()).collect();
        let doc = variant["description"].as_str().unwrap_or_default().replace('\n', " ");
        Some(Flag {
            name: format!("{name}-{tag}"),
            path: path.to_vec(),
            help: format!("{doc} Adds one to `{name}`, given its {}.", words.join(", then ")),
            unit: None,
            default: None,
            shape: Shape::Item(tag.to_owned(), parts),
            companions: Vec::new(),
            rivals: Vec::new(),
        })
    };
    variants.filter_map(flag).collect()
}

/// The values that a table cannot do without, if they can be written as one list of numbers or as one text.
fn parts(root: &Value, table: &Value) -> Option<Vec<Part>> {
    let required = table["required"].as_array()?;
    let part = |key: &Value| {
        let key = key.as_str()?;
        let numbers = match Shape::of(root, resolve(root, &table["properties"][key])) {
            Shape::Number(_) => Some((1, false)),
            Shape::Vector(length) => Some((length, true)),
            Shape::Text if required.len() == 1 => None,
            _ => return None,
        };
        Some(Part { key: key.to_owned(), numbers })
    };
    required.iter().map(part).collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty())
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

/// The default as a person would write it; `None` if leaving the setting out means something that
/// no value can express.
fn default_text(property: &Value) -> Option<String> {
    match &property["default"] {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) if items.iter().all(Value::is_number) => {
            let items: Vec<String> =
                items.iter().filter_map(Value::as_number).map(number_text).collect();
            Some(items.join(","))
        }
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number_text(number)),
        other => Some(other.to_string()),
    }
}

/// A number, without a decimal point if it needs none.
fn number_text(number: &serde_json::Number) -> String {
    number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
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

    /// The shape of a table that has the two corners of a box and nothing else.
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
            Shape::Item(_, parts) if parts[0].numbers.is_none() => "FILE",
            Shape::Item(..) => "NUMBER,…",
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
            Shape::Item(tag, parts) => {
                ValueParser::from(move |text: &str| item(text, &tag, &parts))
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

fn item(text: &str, tag: &str, parts: &[Part]) -> Result<Value, String> {
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
    Ok(serde_json::json!({ tag: table }))
}

/// This many numbers, separated by commas.
pub fn numbers(text: &str, length: usize) -> Result<Vec<f64>, String> {
    let values: Vec<f64> =
        text.split(',').map(|part| finite(part.trim())).collect::<Result<_, _>>()?;
    match values.len() == length {
        true => Ok(values),
        false => Err(format!("it must be {length} numbers, separated by commas")),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| value.is_finite()).ok_or_else(|| "this is not a number".to_string())
}

impl Flag {
    fn argument(&self) -> Arg {
        let mut argument = Arg::new(self.name.clone())
            .long(self.name.clone())
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
            Shape::Item(..) => argument.action(ArgAction::Append).allow_hyphen_values(true),
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
        let is_item = matches!(self.shape, Shape::Item(..));
        if self.default.is_none() && !is_item && !self.help.contains("Left out") {
            help.push_str(" [default: none]");
        }
        help
    }

    fn given(&self, matches: &ArgMatches) -> Option<Value> {
        let name = &self.name;
        if matches.value_source(name) != Some(ValueSource::CommandLine) {
            return None;
        }
        let mut values = matches.get_many::<Value>(name)?.cloned();
        match self.shape {
            Shape::TextList | Shape::ChoiceList(_) | Shape::Item(..) => {
                Some(Value::Array(values.collect()))
            }
            _ => values.next(),
        }
    }
}

/// Puts a value at the end of a path of keys. A list is added to one that is there already.
pub fn insert(object: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => match (object.get_mut(key), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
            (_, value) => {
                object.insert(key.clone(), value);
            }
        },
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
