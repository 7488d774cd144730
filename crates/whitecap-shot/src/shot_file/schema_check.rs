//! Checks the tables of a shot file against the JSON Schema of the settings they set.
//!
//! The schema is the one derived from a `Settings` struct, so every stage gets line-accurate
//! messages from its documentation comments, units and ranges without code of its own.
//!
//! # Guarantees
//! All mistakes of a table are reported, not just the first. A table that passes deserialises,
//! except for conditions that a schema cannot express.
//!
//! # Non-guarantees
//! Only the part of JSON Schema that Rust types produce is understood: types, ranges, lists,
//! tables, choices by name (`oneOf` of constants) and choices by key or tag (`oneOf` of tables).

use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};
use whitecap_scene::setting::plain_number;

use crate::shot_file::diagnostic::{Diagnostic, Mistakes, name_list, nearest};
use crate::shot_file::located::{Entry, Located, Node};
use crate::stage::SettingProblem;

/// A schema together with the definitions that its references name.
#[derive(Clone, Copy)]
pub(crate) struct SchemaCheck<'a> {
    pub definitions: &'a Map<String, Value>,
}

/// What is being checked, for messages.
struct Subject {
    /// `radius`, in backquotes; or: a value of `frames`.
    name: String,
    help: Option<String>,
}

/// The mistakes of settings that do not come from a file.
pub(crate) fn problems(
    schema: &Value,
    definitions: &Map<String, Value>,
    settings: &Value,
) -> Vec<SettingProblem> {
    let mut mistakes = Mistakes::new(Path::new(""), "");
    let Node::Table(entries) = Located::nowhere(settings).node else { return Vec::new() };
    SchemaCheck { definitions }.table(schema, &entries, "this stage", &(0..0), &mut mistakes);
    let list = mistakes.into_diagnostics().map(|diagnostics| diagnostics.list().to_vec());
    let problem = |mistake: Diagnostic| SettingProblem {
        key: String::from("kind"),
        message: mistake.message,
        help: mistake.help,
    };
    list.into_iter().flatten().map(problem).collect()
}

impl<'a> SchemaCheck<'a> {
    /// Checks the keys of a table. `owner` names the table in messages, `place` is where a missing
    /// key is reported.
    pub fn table(
        self,
        schema: &'a Value,
        entries: &[Entry],
        owner: &str,
        place: &Range<usize>,
        mistakes: &mut Mistakes<'_>,
    ) {
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        for entry in entries {
            match properties.get(&entry.key) {
                Some(property) => self.value(property, &entry.value, &entry.key, mistakes),
                None => unknown_key(entry, properties, owner, mistakes),
            }
        }
        for key in texts(&schema["required"]) {
            if !entries.iter().any(|entry| entry.key == key) {
                let help = self.describe(key, properties.get(key).unwrap_or(&Value::Null));
                mistakes.add(place.clone(), format!("{owner} needs `{key}`"), help);
            }
        }
    }

    /// Checks one value.
    fn value(self, schema: &'a Value, found: &Located, name: &str, mistakes: &mut Mistakes<'_>) {
        let subject = Subject { name: format!("`{name}`"), help: self.describe(name, schema) };
        self.check(schema, found, &subject, mistakes);
    }

    fn check(
        self,
        schema: &'a Value,
        found: &Located,
        subject: &Subject,
        mistakes: &mut Mistakes<'_>,
    ) {
        if let Some(target) = self.resolve(schema) {
            return self.check(target, found, subject, mistakes);
        }
        if matches!(found.node, Node::Unreadable) {
            return;
        }
        let names = names_of(schema);
        if !names.is_empty() {
            return name(&names, found, subject, mistakes);
        }
        let choices = choices(schema);
        if !choices.is_empty() {
            return self.one_of(&choices, found, subject, mistakes);
        }
        let types = texts_or_text(&schema["type"]);
        match &found.node {
            Node::Integer(number) if accepts(&types, &["integer", "number"]) => {
                range(schema, *number as f64, found, subject, mistakes);
            }
            Node::Float(number) if accepts(&types, &["number"]) => {
                range(schema, *number, found, subject, mistakes);
            }
            Node::Text(_) if accepts(&types, &["string"]) => {}
            Node::Boolean(_) if accepts(&types, &["boolean"]) => {}
            Node::List(items) if accepts(&types, &["array"]) => {
                self.list(schema, items, found, subject, mistakes);
            }
            Node::Table(entries) if accepts(&types, &["object"]) => {
                self.table(schema, entries, &subject.name, &found.span, mistakes);
            }
            _ => wrong_type(&types, found, subject, mistakes),
        }
    }

    fn list(
        self,
        schema: &'a Value,
        items: &[Located],
        found: &Located,
        subject: &Subject,
        mistakes: &mut Mistakes<'_>,
    ) {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        let count = items.len() as u64;
        if count < least || count > most {
            let wanted = match (least, most) {
                (least, u64::MAX) => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            let message = format!("{} should hold {wanted} values, not {count}", subject.name);
            mistakes.add(found.span.clone(), message, subject.help.clone());
        }
        let item_subject =
            Subject { name: format!("a value of {}", subject.name), help: subject.help.clone() };
        for (index, item) in items.iter().enumerate() {
            let item_schema = match schema["prefixItems"].get(index) {
                Some(own) => own,
                None => &schema["items"],
            };
            if !item_schema.is_null() {
                self.check(item_schema, item, &item_subject, mistakes);
            }
        }
    }

    /// A value that must match one of several schemas: names, or tables distinguished by a key.
    fn one_of(
        self,
        choices: &[&'a Value],
        found: &Located,
        subject: &Subject,
        mistakes: &mut Mistakes<'_>,
    ) {
        let choices: Vec<&Value> =
            choices.iter().map(|&choice| self.resolve(choice).unwrap_or(choice)).collect();
        if let [only] = choices[..] {
            return self.check(only, found, subject, mistakes);
        }
        let names: Vec<&str> = choices.iter().flat_map(|choice| names_of(choice)).collect();
        if matches!(found.node, Node::Text(_)) && !names.is_empty() {
            return name(&names, found, subject, mistakes);
        }
        if let Node::Table(entries) = &found.node {
            let keys: Vec<&str> =
                choices.iter().flat_map(|choice| texts(&choice["required"])).collect();
            return match choices.iter().find(|choice| selects(choice, entries)) {
                Some(choice) => self.check(choice, found, subject, mistakes),
                None => {
                    let message = format!("{} should name {}", subject.name, name_list(keys, "or"));
                    mistakes.add(found.span.clone(), message, subject.help.clone());
                }
            };
        }
        let types: Vec<&str> =
            choices.iter().flat_map(|choice| texts_or_text(&choice["type"])).collect();
        match choices
            .iter()
            .find(|choice| accepts(&texts_or_text(&choice["type"]), json_types(&found.node)))
        {
            Some(choice) => self.check(choice, found, subject, mistakes),
            None => wrong_type(&types, found, subject, mistakes),
        }
    }

    /// The schema that a reference names.
    fn resolve(self, schema: &Value) -> Option<&'a Value> {
        let name = schema["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        self.definitions.get(name)
    }

    /// `radius` in m: the first sentence of its documentation.
    fn describe(self, name: &str, schema: &Value) -> Option<String> {
        let documentation = schema["description"].as_str()?;
        let unit = match schema["unit"].as_str() {
            None | Some("none") => String::new(),
            Some(unit) => format!(" ({unit})"),
        };
        Some(format!("`{name}`{unit}: {}", first_sentence(documentation)))
    }
}

fn first_sentence(documentation: &str) -> String {
    let line = documentation.replace('\n', " ");
    match line.find(". ") {
        Some(end) => line[..=end].to_string(),
        None => line,
    }
}

fn unknown_key(
    entry: &Entry,
    properties: &Map<String, Value>,
    owner: &str,
    mistakes: &mut Mistakes<'_>,
) {
    let known = properties.keys().map(String::as_str);
    let help = match nearest(&entry.key, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its keys are {}", name_list(known, "and")),
    };
    mistakes.add(entry.key_span.clone(), format!("{owner} has no key `{}`", entry.key), Some(help));
}

fn wrong_type(types: &[&str], found: &Located, subject: &Subject, mistakes: &mut Mistakes<'_>) {
    let mut wanted: Vec<&str> = types
        .iter()
        .filter_map(|name| match *name {
            "integer" => Some("a whole number"),
            "number" => Some("a number"),
            "string" => Some("text in quotes"),
            "boolean" => Some("true or false"),
            "array" => Some("a list in [brackets]"),
            "object" => Some("a table in {braces}"),
            _ => None,
        })
        .collect();
    wanted.dedup();
    let message = format!(
        "{} should be {}, but this is {}",
        subject.name,
        wanted.join(" or "),
        found.node.type_name()
    );
    mistakes.add(found.span.clone(), message, subject.help.clone());
}

/// A text that must be one of `names`.
fn name(names: &[&str], found: &Located, subject: &Subject, mistakes: &mut Mistakes<'_>) {
    let Node::Text(text) = &found.node else {
        return wrong_type(&["string"], found, subject, mistakes);
    };
    if names.contains(&text.as_str()) {
        return;
    }
    let all = name_list(names.iter().copied(), "or");
    let help = match nearest(text, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? It can be {all}"),
        None => format!("it can be {all}"),
    };
    let message = format!("{} cannot be \"{text}\"", subject.name);
    mistakes.add(found.span.clone(), message, Some(help));
}

/// Checks the numeric range, and that the type of the setting can hold the number.
fn range(
    schema: &Value,
    number: f64,
    found: &Located,
    subject: &Subject,
    mistakes: &mut Mistakes<'_>,
) {
    let wanted = whitecap_scene::Range::of(schema);
    let message = if !wanted.contains(number) {
        wanted.told(&subject.name, plain_number(number))
    } else if number.abs() > largest(&schema["format"]) {
        format!("{} is {}, which is too large", subject.name, plain_number(number))
    } else {
        return;
    };
    mistakes.add(found.span.clone(), message, subject.help.clone());
}

/// The largest number that a type holds, if it is narrower than what a file can express.
fn largest(format: &Value) -> f64 {
    match format.as_str() {
        Some("float") => f64::from(f32::MAX),
        Some("uint8") => f64::from(u8::MAX),
        Some("uint16") => f64::from(u16::MAX),
        Some("uint32") => f64::from(u32::MAX),
        Some("int32") => f64::from(i32::MAX),
        _ => f64::MAX,
    }
}

fn accepts(types: &[&str], wanted: &[&str]) -> bool {
    types.is_empty() || types.iter().any(|name| wanted.contains(name))
}

fn json_types(node: &Node) -> &'static [&'static str] {
    match node {
        Node::Text(_) => &["string"],
        Node::Integer(_) => &["integer", "number"],
        Node::Float(_) => &["number"],
        Node::Boolean(_) => &["boolean"],
        Node::List(_) => &["array"],
        Node::Table(_) => &["object"],
        Node::Date | Node::Unreadable => &[],
    }
}

/// The alternatives of a schema, without "nothing", which TOML cannot write.
fn choices(schema: &Value) -> Vec<&Value> {
    let alternatives = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    match alternatives {
        Some(list) => list.iter().filter(|choice| choice["type"] != "null").collect(),
        None => Vec::new(),
    }
}

/// The constant texts that a schema allows.
fn names_of(schema: &Value) -> Vec<&str> {
    match schema["const"].as_str() {
        Some(name) => vec![name],
        None => texts(&schema["enum"]),
    }
}

/// Whether a table chooses this alternative: it has the required keys, and constants match.
fn selects(choice: &Value, entries: &[Entry]) -> bool {
    let mut required = texts(&choice["required"]).into_iter().peekable();
    let constants = |key: &str| choice["properties"][key]["const"].as_str();
    if let Some(tag) = required.clone().find(|key| constants(key).is_some()) {
        return entries.iter().any(|entry| {
            let chosen = match &entry.value.node {
                Node::Text(text) => Some(text.as_str()),
                _ => None,
            };
            entry.key == tag && chosen == constants(tag)
        });
    }
    required.peek().is_some() && required.all(|key| entries.iter().any(|entry| entry.key == key))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().map_or(Vec::new(), |list| list.iter().filter_map(Value::as_str).collect())
}

fn texts_or_text(value: &Value) -> Vec<&str> {
    match value.as_str() {
        Some(one) => vec![one],
        None => texts(value),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::{JsonSchema, SchemaGenerator};

    use super::*;
    use crate::shot_file::located;

    /// A shape to fill.
    #[derive(JsonSchema)]
    #[schemars(rename_all = "kebab-case")]
    #[allow(dead_code)]
    enum Shape {
        /// A ball.
        Sphere {
            /// Its radius.
            #[schemars(extend("unit" = "m"), range(min = 0.0))]
            radius: f32,
        },
        /// A block.
        Box {
            /// Its edge lengths.
            #[schemars(extend("unit" = "m"))]
            size: [f32; 3],
        },
    }

    /// How to stop.
    #[derive(JsonSchema)]
    #[schemars(tag = "when", rename_all = "kebab-case")]
    #[allow(dead_code)]
    enum Stop {
        /// After a time.
        Later {
            /// How long.
            #[schemars(extend("unit" = "s"))]
            seconds: u32,
        },
        /// Never.
        Never {},
    }

    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Settings {
        /// What to fill.
        #[schemars(extend("unit" = "none"))]
        fill: Vec<Shape>,
        /// When to stop.
        #[schemars(extend("unit" = "none"))]
        stop: Option<Stop>,
        /// Whether to be fast.
        #[schemars(extend("unit" = "none"))]
        fast: Option<bool>,
    }

    fn messages(source: &str) -> Vec<String> {
        let mut generator = SchemaGenerator::default();
        let schema = Settings::json_schema(&mut generator).to_value();
        let definitions = generator.take_definitions(true);
        let mut mistakes = Mistakes::new(Path::new("a.toml"), source);
        let entries = located::parse(source, &mut mistakes).unwrap();
        let check = SchemaCheck { definitions: &definitions };
        check.table(&schema, &entries, "it", &(0..0), &mut mistakes);
        let found = mistakes.into_diagnostics();
        let list = found.as_ref().map_or(&[][..], |found| found.list());
        list.iter().map(|d| format!("{}: {}", d.column, d.message)).collect()
    }

    /// Contract: choices between tables are distinguished by their key or their tag, and then
    /// checked in depth.
    #[test]
    fn choices_between_tables() {
        let good = "fill = [{ sphere = { radius = 1 } }, { box = { size = [1, 2, 3.5] } }]\n\
                    stop = { when = \"later\", seconds = 3 }\nfast = true";
        assert_eq!(messages(good), [""; 0]);
        assert_eq!(
            messages("fill = [{ sphere = { radius = -1 } }]"),
            ["31: `radius` is -1, but must be at least 0"]
        );
        assert_eq!(
            messages("fill = [{ sphere = {} }, { ball = 1 }]"),
            ["20: `sphere` needs `radius`", "26: a value of `fill` should name `sphere` or `box`"]
        );
        assert_eq!(
            messages("fill = []\nstop = { when = \"later\", seconds = \"3\" }"),
            ["36: `seconds` should be a whole number, but this is text"]
        );
    }

    /// Contract: every type that a file can hold is refused where another one belongs.
    #[test]
    fn types_are_told_apart() {
        let wrong = |value: &str| messages(&format!("fill = []\nfast = {value}")).remove(0);
        for (value, name) in [
            ("1", "a whole number"),
            ("1.5", "a number with a decimal point"),
            ("\"yes\"", "text"),
            ("[]", "a list"),
            ("{}", "a table"),
            ("2020-01-01", "a date"),
        ] {
            let wanted = format!("8: `fast` should be true or false, but this is {name}");
            assert_eq!(wrong(value), wanted);
        }
    }
}
