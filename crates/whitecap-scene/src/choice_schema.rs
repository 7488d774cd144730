//! Documentation of choices between tables in a JSON Schema.
//!
//! A choice such as `{ box = { … } }` or `{ sphere = { … } }` comes from an enum: the comment on a
//! variant documents the alternative. Here the key that names the alternative gets the same
//! comment, so that a reader of the schema finds it at every key.

use schemars::Schema;

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
