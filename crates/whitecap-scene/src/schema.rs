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

/// Writes single-precision numbers of defaults with the digits a person would write: 0.6, not
/// 0.6000000238418579. Numbers that have no shorter form in single precision stay as they are.
pub fn shorten_defaults(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, field) in fields {
                if key == "default" { shorten(field) } else { shorten_defaults(field) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_defaults),
        _ => {}
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let single = number.as_f64().map(|number| (number, number as f32));
            if let Some((number, single)) = single
                && f64::from(single) == number
                && let Ok(short) = single.to_string().parse::<f64>()
            {
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

    /// Contract: defaults are short in fields, lists and tables, double precision keeps its digits, and
    /// nothing but defaults is changed.
    #[test]
    fn defaults_are_short() {
        let long = f64::from(0.6f32);
        let mut schema = json!({ "properties": {
            "share": { "default": long, "minimum": long },
            "gravity": { "default": [0.0, f64::from(-9.81f32), 3] },
            "table": { "default": { "share": long, "third": 1.0 / 3.0 } },
            "default": { "default": "none" },
        } });
        shorten_defaults(&mut schema);
        assert_eq!(
            schema,
            json!({ "properties": {
            "share": { "default": 0.6, "minimum": long },
            "gravity": { "default": [0.0, -9.81, 3] },
            "table": { "default": { "share": 0.6, "third": 1.0 / 3.0 } },
            "default": { "default": "none" },
        } })
        );
    }
}
