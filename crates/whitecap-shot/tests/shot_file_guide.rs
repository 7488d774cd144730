//! Contract: the tables of settings in `docs/shot-files.md` are those of the code.
//!
//! To bring the page up to date, run this test with `WHITECAP_UPDATE_DOCS=1`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use whitecap_scene::Range;
use whitecap_shot::{shot_schema, stage_kinds};

const BEGIN: &str = "<!-- settings: made from the code -->\n";
const END: &str = "<!-- end of settings -->\n";

#[test]
fn the_guide_lists_every_setting() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shot-files.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (listed, after) = rest.split_once(END).unwrap();
    let wanted = settings();
    if std::env::var_os("WHITECAP_UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
    } else {
        assert_eq!(listed, wanted, "run this test with WHITECAP_UPDATE_DOCS=1");
    }
}

fn settings() -> String {
    let schema = shot_schema();
    let definitions = &schema["$defs"];
    let mut text = String::from("\n### `[shot]`\n\n");
    table(&schema["properties"]["shot"], definitions, &mut text);
    for kind in stage_kinds() {
        let _ = write!(text, "### `kind = \"{}\"`\n\n{}\n\n", kind.info().name, kind.info().doc);
        table(&definitions[format!("{}-stage", kind.info().name)], definitions, &mut text);
    }
    text
}

fn table(schema: &Value, definitions: &Value, text: &mut String) {
    text.push_str("| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties: BTreeMap<_, _> = schema["properties"].as_object().unwrap().iter().collect();
    for (key, property) in properties {
        if key == "kind" {
            continue;
        }
        let default = match &property["default"] {
            _ if required.contains(&Value::from(key.as_str())) => String::from("required"),
            Value::Null => String::from("–"),
            default => format!("`{default}`"),
        };
        let unit = property["unit"].as_str().filter(|unit| *unit != "none").unwrap_or("");
        let meaning = property["description"].as_str().unwrap_or("").replace('\n', " ");
        let value = value(property, definitions);
        let _ = writeln!(text, "| `{key}` | {value} | {default} | {unit} | {meaning} |");
    }
    text.push('\n');
}

/// What may be written for a setting, in words.
fn value(schema: &Value, definitions: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return value(&definitions[name.trim_start_matches("#/$defs/")], definitions);
    }
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if let Some(choices) = choices {
        let words: Vec<String> = choices
            .iter()
            .filter(|choice| choice["type"] != "null")
            .map(|choice| value(choice, definitions))
            .collect();
        return words.join(", ");
    }
    if let Some(name) = schema["const"].as_str() {
        return format!("`\"{name}\"`");
    }
    if let Some(names) = schema["enum"].as_array() {
        return names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    }
    let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap_or("");
    match kind {
        "array" => {
            let item = value(&schema["items"], definitions);
            match schema["maxItems"].as_u64() {
                Some(count) => format!("list of {count}: {item}"),
                None => format!("list of: {item}"),
            }
        }
        "object" => {
            let fields: BTreeMap<_, _> = schema["properties"].as_object().unwrap().iter().collect();
            let words: Vec<String> = fields
                .into_iter()
                .map(|(name, field)| format!("{name} = {}", value(field, definitions)))
                .collect();
            format!("table: {}", words.join("; "))
        }
        "string" => String::from("text"),
        "boolean" => String::from("true or false"),
        "integer" => format!("whole number{}", range(schema)),
        _ => format!("number{}", range(schema)),
    }
}

fn range(schema: &Value) -> String {
    let range = Range::of(schema);
    match (range.least, range.most) {
        // A limit that is only there to keep out nonsense is not worth reading.
        (Some(0.0), None) | (None, None) => String::new(),
        (Some(0.0), Some(most)) if most >= 1e6 => String::new(),
        (Some(least), Some(most)) if least <= -1e6 && most >= 1e6 => String::new(),
        (least, Some(most)) if most >= 1e6 => format!(", {}", Range { least, most: None }),
        _ => format!(", {range}"),
    }
}
