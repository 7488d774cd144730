//! Finishing touches to the JSON Schema of settings.
//!
//! A choice such as `{ box = { … } }` or `{ sphere = { … } }` comes from an enum: the comment on a
//! variant documents the alternative. Here the key that names the alternative gets the same
//! comment, so that a reader of the schema finds it at every key.

use schemars::Schema;
use serde_json::{Value, json};

/// Copies the description of each alternative to the key that chooses it.
pub fn describe_choices(schema: &mut Schema) {
    let Some(choices) = schema.get_mut("oneOf").and_then(|choices| choices.as_array_mut()) else {
        return;
    };
    for choice in choices {
        let description = choice["description"].clone();
        let Some(properties) = choice["properties"].as_object_mut() else { continue };
        for property in properties.values_mut().filter_map(|value| value.as_object_mut()) {
            property.entry("description").or_insert(description.clone());
            property.entry("unit").or_insert("none".into());
        }
    }
}

/// The same value with the digits a person would write: 0.6, not 0.6000000238418579. Numbers that are not
/// exactly representable in single precision stay as they are.
pub fn short_numbers(mut value: Value) -> Value {
    shorten(&mut value);
    value
}

fn shorten(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let single = number.as_f64().filter(|&number| f64::from(number as f32) == number);
            if let Some(short) = single.and_then(|n| (n as f32).to_string().parse::<f64>().ok()) {
                *value = json!(short);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: numbers of single precision are short in fields, lists and tables; double precision
    /// keeps its digits.
    #[test]
    fn numbers_are_short() {
        let long = f64::from(0.6f32);
        let value = json!({
            "share": { "default": long, "minimum": 1e-9 },
            "gravity": [0.0, f64::from(-9.81f32), 3],
            "table": { "share": long, "third": 1.0 / 3.0 },
            "word": "none",
        });
        let short = json!({
            "share": { "default": 0.6, "minimum": 1e-9 },
            "gravity": [0.0, -9.81, 3],
            "table": { "share": 0.6, "third": 1.0 / 3.0 },
            "word": "none",
        });
        assert_eq!(short_numbers(value), short);
    }
}
