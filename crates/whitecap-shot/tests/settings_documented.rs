//! Contract: every setting of every stage has a documentation comment, a unit, and no name that
//! another key of its table already has; the schema of the whole file names every kind.

use serde_json::Value;
use whitecap_shot::{shot_schema, stage_kinds};

/// Walks a schema and collects what is missing, with its path.
fn walk(schema: &Value, definitions: &Value, path: &str, missing: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        walk(&definitions[name], definitions, path, missing);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let described = property["description"].as_str().is_some_and(|text| !text.is_empty());
        if !described {
            missing.push(format!("{path} has no documentation comment"));
        }
        if !property["unit"].is_string() {
            missing.push(format!("{path} has no unit"));
        }
        walk(property, definitions, &path, missing);
    }
    for part in ["anyOf", "oneOf", "prefixItems"] {
        for choice in schema[part].as_array().into_iter().flatten() {
            walk(choice, definitions, path, missing);
        }
    }
    if schema["items"].is_object() {
        walk(&schema["items"], definitions, path, missing);
    }
}

#[test]
fn every_setting_has_unit_and_comment() {
    let schema = shot_schema();
    let definitions = &schema["$defs"];
    let mut missing = Vec::new();
    walk(&schema["properties"]["shot"], definitions, "shot", &mut missing);
    for kind in stage_kinds() {
        let stage = &definitions[format!("{}-stage", kind.info().name)];
        assert!(stage["properties"]["kind"].is_object(), "{} has no schema", kind.info().name);
        walk(stage, definitions, kind.info().name, &mut missing);
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Contract: no setting is hidden behind an input, `kind` or `save`.
#[test]
fn keys_do_not_collide() {
    for kind in stage_kinds() {
        let mut generator = schemars::SchemaGenerator::default();
        let settings = kind.settings_schema(&mut generator).to_value();
        let inputs = kind.info().inputs.iter().map(|port| port.key);
        for key in inputs.chain(["kind", "save"]) {
            assert!(
                settings["properties"][key].is_null(),
                "{} has `{key}` twice",
                kind.info().name
            );
        }
    }
}

/// Collects every number of a schema, with its path.
fn numbers(schema: &Value, path: &str, found: &mut Vec<(String, serde_json::Number)>) {
    match schema {
        Value::Number(number) => found.push((path.to_string(), number.clone())),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| numbers(value, &format!("{path}.{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| numbers(v, &format!("{path}[{i}]"), found));
        }
        _ => {}
    }
}

/// Significant digits of a number as it is written.
fn digits(number: &serde_json::Number) -> usize {
    let text = number.to_string();
    let mantissa = text.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').len()
}

/// Contract: numbers of the schema (defaults, also in lists and nested tables, and ranges) are written
/// the way a person would write them, with six digits at most. Whole numbers may have more.
#[test]
fn numbers_are_short() {
    let mut found = Vec::new();
    numbers(&shot_schema(), "", &mut found);
    let long: Vec<String> = found
        .iter()
        .filter(|(_, number)| number.is_f64() && digits(number) > 6)
        .map(|(path, number)| format!("{path} is {number}"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
    // The walk meets scalars, lists, nested tables and ranges.
    let has = |end: &str, value: f64| {
        let same = |(path, number): &(String, serde_json::Number)| {
            path.ends_with(end) && number.as_f64() == Some(value)
        };
        assert!(found.iter().any(same), "{end} {value}: {found:?}");
    };
    has("surface-stage.properties.threshold.default", 0.6);
    has("sph-stage.properties.gravity.default[1]", -9.81);
    has("track-stage.properties.jump.minimum", 0.05);
}

/// Contract: digits are counted as they are written.
#[test]
fn digits_are_counted() {
    let count = |value: f64| digits(&serde_json::Number::from_f64(value).unwrap());
    assert_eq!([0.6, -9.81, 1e-9, 1200.0, 0.1f32.into()].map(count), [1, 3, 1, 2, 17]);
}
