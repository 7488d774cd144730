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

mod json_help;
mod shape;
mod words;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use schemars::SchemaGenerator;
use serde_json::{Map, Value};
use whitecap_scene::short_numbers;
use whitecap_shot::StageKind;

pub use shape::numbers;
use shape::{Part, Shape, resolve};

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
        let shape = Shape::of(root, resolved);
        let keys = (shape == Shape::Json).then(|| json_help::keys(root, resolved));
        flags.push(Flag {
            name: name.clone(),
            help: help + &keys.unwrap_or_default(),
            unit: text(&property["unit"]).filter(|unit| unit != "none"),
            default: default_text(property),
            shape,
            companions: table.required.iter().filter(|other| **other != name).cloned().collect(),
            rivals: Vec::new(),
            path,
        });
    }
}

/// A flag for each choice of the items of a list that needs nothing but numbers, or one text; or one flag, if
/// there is no choice.
fn item_flags(root: &Value, list: &Value, name: &str, path: &[String]) -> Vec<Flag> {
    let items = resolve(root, &list["items"]);
    let flag = |flag_name: String, tag: Option<&str>, table: &Value, doc: &Value| {
        let table = resolve(root, table);
        let parts = parts(root, table)?;
        let words: Vec<String> = parts.iter().map(|part| part_words(table, part)).collect();
        let doc = doc.as_str().unwrap_or_default().replace('\n', " ");
        Some(Flag {
            name: flag_name,
            path: path.to_vec(),
            help: format!("{doc} Adds one to --{name}, given its {}.", words.join(", then ")),
            unit: None,
            default: None,
            shape: Shape::Item(tag.map(str::to_owned), parts),
            companions: Vec::new(),
            rivals: Vec::new(),
        })
    };
    if let (true, Some(singular)) = (items["properties"].is_object(), name.strip_suffix('s')) {
        return flag(singular.to_owned(), None, items, &items["description"]).into_iter().collect();
    }
    let variants = items["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let variant_flag = |variant: &Value| {
        let [tag] = variant["required"].as_array()?.as_slice() else { return None };
        let tag = tag.as_str()?;
        let table = &variant["properties"][tag];
        flag(format!("{name}-{tag}"), Some(tag), table, &variant["description"])
    };
    variants.filter_map(variant_flag).collect()
}

/// A value of an item, with its unit.
fn part_words(table: &Value, part: &Part) -> String {
    match table["properties"][&part.key]["unit"].as_str() {
        Some(unit) if unit != "none" => format!("{} ({unit})", part.key),
        _ => part.key.clone(),
    }
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
        if self.default.is_none() && !is_item {
            let left_out = self.help.split_once("Left out: ").map(|(_, meaning)| meaning);
            let is_nothing = |meaning: &str| {
                ["no ", "none", "nothing", "there is no "]
                    .iter()
                    .any(|word| meaning.starts_with(word))
            };
            help.push_str(match left_out {
                Some(meaning) if !is_nothing(meaning) => " [default: automatic]",
                _ => " [default: none]",
            });
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
