//! The tables of settings in docs/ are those of the schema.

use std::fs;
use std::path::Path;

use serde_json::Value;
use whitecap::scene::Range;
use whitecap::shot::shot_schema;

/// One row of the table: name, unit, default, range, what it does.
fn row(name: &str, setting: &Value) -> String {
    let text = |key: &str| setting[key].as_str().unwrap_or("").replace('\n', " ");
    let unit = match text("unit").as_str() {
        "none" => String::new(),
        unit => unit.to_string(),
    };
    let default = match &setting["default"] {
        Value::Null => String::new(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::String(word) => format!("`{word}`"),
        other => format!("`{other}`"),
    };
    let range = match Range::of(setting) {
        range @ Range { least: Some(_), most: Some(most) } if most < 1e9 => range.to_string(),
        _ => String::new(),
    };
    format!("| `{name}` | {unit} | {default} | {range} | {} |", text("description"))
}

/// Contract: docs/surfacing.md lists every setting of surfacing with the unit, default, range and
/// words of its definition. When it fails, the message is the table to paste.
#[test]
fn the_surfacing_page_has_every_setting() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/surfacing.md");
    let page = fs::read_to_string(page).unwrap();
    let schema = shot_schema();
    let stage = &schema["$defs"]["surface-stage"]["properties"];
    let own = stage.as_object().unwrap().iter().filter(|(name, _)| {
        // What every stage has is described in docs/shot-files.md.
        !["kind", "save", "particles"].contains(&name.as_str())
    });
    let rows: Vec<String> = own.map(|(name, setting)| row(name, setting)).collect();
    let table = rows.join("\n");
    assert!(page.contains(&table), "docs/surfacing.md should have the rows\n{table}");
}
