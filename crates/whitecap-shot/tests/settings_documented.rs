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

/// Contract: defaults are written the way a person would write them.
#[test]
fn defaults_are_short() {
    let schema = shot_schema();
    let threshold = &schema["$defs"]["surface-stage"]["properties"]["threshold"]["default"];
    assert_eq!(threshold, &serde_json::json!(0.6));
}
