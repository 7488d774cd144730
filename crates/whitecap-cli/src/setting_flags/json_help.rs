//! What the JSON text of a flag may hold, in one line of help.

use serde_json::Value;

use super::shape::resolve;

/// How deep tables are described; deeper ones are only named.
const DEPTH: usize = 2;

/// The keys of a table, of the items of a list, or of each of several choices, with their units.
pub(super) fn keys(root: &Value, schema: &Value) -> String {
    match described(root, schema, DEPTH) {
        Some(text) => format!(" JSON: {text}."),
        None => String::new(),
    }
}

fn described(root: &Value, schema: &Value, depth: usize) -> Option<String> {
    let schema = resolve(root, schema);
    if schema["items"].is_object() && !schema["maxItems"].is_number() {
        return Some(format!("[{}, …]", described(root, &schema["items"], depth)?));
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let choices: Vec<String> =
            choices.iter().filter_map(|choice| described(root, choice, depth)).collect();
        return (!choices.is_empty()).then(|| choices.join(" or "));
    }
    if let Some(name) = schema["const"].as_str() {
        return Some(format!("\"{name}\""));
    }
    let properties = schema["properties"].as_object()?;
    if depth == 0 {
        return Some(String::from("{…}"));
    }
    let is_required =
        |key: &str| schema["required"].as_array().is_some_and(|keys| keys.iter().any(|k| k == key));
    let keys = properties.iter().map(|(key, property)| {
        let optional = if is_required(key) { "" } else { "?" };
        match described(root, property, depth - 1) {
            Some(nested) => format!("\"{key}\"{optional}: {nested}"),
            None => format!("\"{key}\"{optional}{}", unit(root, property)),
        }
    });
    Some(format!("{{{}}}", keys.collect::<Vec<_>>().join(", ")))
}

/// The unit of a value, and how many numbers it has.
fn unit(root: &Value, property: &Value) -> String {
    let unit = property["unit"].as_str().filter(|unit| *unit != "none");
    let count = resolve(root, property)["maxItems"].as_u64();
    let words: Vec<String> =
        [count.map(|count| format!("{count} numbers")), unit.map(String::from)]
            .into_iter()
            .flatten()
            .collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}
