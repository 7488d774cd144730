//! The kinds of stages there are, and the schemas that follow from them.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use whitecap_scene::shorten_defaults;

use crate::formats;
use crate::shot_file::ShotSettings;
use crate::stage::{InputPort, StageKind};
use crate::stages;

/// The kinds of stages that a shot file may name.
#[derive(Clone)]
pub struct Registry {
    kinds: Vec<Arc<dyn StageKind>>,
}

impl Registry {
    /// Every kind that Whitecap brings along.
    pub fn standard() -> Self {
        Self { kinds: stages::standard() }
    }

    /// The same kinds and one more; a kind of the same name is replaced.
    pub fn with(mut self, kind: Arc<dyn StageKind>) -> Self {
        self.kinds.retain(|known| known.name() != kind.name());
        self.kinds.push(kind);
        self
    }

    /// All kinds.
    pub fn kinds(&self) -> &[Arc<dyn StageKind>] {
        &self.kinds
    }

    /// The kind called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn StageKind>> {
        self.kinds.iter().find(|kind| kind.name() == name)
    }

    /// The JSON Schema of a shot file, for editors.
    pub fn schema(&self) -> Value {
        let schemas = Schemas::of(self);
        let mut definitions = schemas.definitions;
        let mut stages = Vec::new();
        for (kind, schema) in self.kinds.iter().zip(schemas.stages) {
            let name = format!("{}-stage", kind.name());
            stages.push(json!({ "$ref": format!("#/$defs/{name}") }));
            definitions.insert(name, schema);
        }
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Whitecap shot file",
            "type": "object",
            "properties": { "shot": schemas.shot },
            "required": ["shot"],
            "additionalProperties": { "oneOf": stages },
            "$defs": definitions,
        })
    }
}

/// The schemas of all tables of a shot file.
pub(crate) struct Schemas {
    /// Schema of the `[shot]` table.
    pub shot: Value,
    /// Schema of each kind's table, in the order of [`Registry::kinds`].
    pub stages: Vec<Value>,
    /// What their references name.
    pub definitions: Map<String, Value>,
}

impl Schemas {
    pub fn of(registry: &Registry) -> Self {
        let mut generator = SchemaGenerator::default();
        let mut shot = ShotSettings::json_schema(&mut generator).to_value();
        let mut stages: Vec<Value> = registry
            .kinds()
            .iter()
            .map(|kind| stage_schema(kind.as_ref(), &mut generator))
            .collect();
        let mut definitions = generator.take_definitions(true);
        stages.iter_mut().chain([&mut shot]).for_each(shorten_defaults);
        definitions.values_mut().for_each(shorten_defaults);
        Self { shot, stages, definitions }
    }

    /// The schema of the table of a kind.
    pub fn stage(&self, registry: &Registry, kind: &str) -> Option<&Value> {
        let place = registry.kinds().iter().position(|known| known.name() == kind)?;
        self.stages.get(place)
    }
}

/// The settings of a kind, with the keys that every stage has.
fn stage_schema(kind: &dyn StageKind, generator: &mut SchemaGenerator) -> Value {
    let settings = kind.settings_schema(generator).to_value();
    let mut properties = Map::new();
    properties.insert(
        String::from("kind"),
        json!({ "const": kind.name(), "description": kind.doc(), "unit": "none" }),
    );
    for port in kind.inputs() {
        properties.insert(port.key.to_string(), port_schema(port));
    }
    if let Some(own) = settings["properties"].as_object() {
        properties.extend(own.clone());
    }
    properties.insert(String::from("save"), save_schema(kind));
    let required: Vec<&str> = std::iter::once("kind")
        .chain(kind.inputs().iter().filter(|port| port.required).map(|port| port.key))
        .chain(settings["required"].as_array().into_iter().flatten().filter_map(Value::as_str))
        .collect();
    json!({
        "title": format!("{} stage", kind.name()),
        "description": kind.doc(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn port_schema(port: &InputPort) -> Value {
    let description = format!("Name of the stage to take from. {}", port.doc);
    json!({ "type": "string", "description": description, "unit": "none" })
}

fn save_schema(kind: &dyn StageKind) -> Value {
    let mut names: Vec<&str> =
        kind.can_give().iter().flat_map(|&data| formats::savable(data)).collect();
    names.sort_unstable();
    names.dedup();
    json!({
        "type": "array",
        "items": { "type": "string", "enum": names },
        "default": [],
        "description": "File formats to save every frame in. Left out: nothing is saved.",
        "unit": "none",
    })
}

/// Every kind of stage that Whitecap brings along.
pub fn stage_kinds() -> Vec<Arc<dyn StageKind>> {
    Registry::standard().kinds
}

/// The JSON Schema of a shot file with the standard kinds of stages.
pub fn shot_schema() -> Value {
    Registry::standard().schema()
}
