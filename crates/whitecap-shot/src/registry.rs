//! The kinds of stages there are, and the schemas that follow from them.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use whitecap_scene::short_numbers;

use crate::formats;
use crate::shot_file::ShotSettings;
use crate::stage::{InputPort, KindInfo, StageKind};
use crate::stages;

/// The kinds of stages that a shot file may name.
#[derive(Clone)]
pub struct Registry {
    kinds: Vec<Arc<dyn StageKind>>,
}

impl Registry {
    /// Every built-in kind.
    pub fn standard() -> Self {
        Self { kinds: stages::standard() }
    }

    /// The same kinds and one more; a kind of the same name is replaced.
    pub fn with(mut self, kind: Arc<dyn StageKind>) -> Self {
        self.kinds.retain(|known| known.info().name != kind.info().name);
        self.kinds.push(kind);
        self
    }

    /// All kinds.
    pub fn kinds(&self) -> &[Arc<dyn StageKind>] {
        &self.kinds
    }

    /// The kind called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn StageKind>> {
        self.kinds.iter().find(|kind| kind.info().name == name)
    }

    /// The JSON Schema of a shot file, for editors.
    pub fn schema(&self) -> Value {
        let schemas = Schemas::of(self);
        let mut definitions = schemas.definitions;
        let mut stages = Vec::new();
        for (kind, schema) in self.kinds.iter().zip(schemas.stages) {
            let name = format!("{}-stage", kind.info().name);
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
    /// The definitions that they refer to.
    pub definitions: Map<String, Value>,
}

impl Schemas {
    pub fn of(registry: &Registry) -> Self {
        let mut generator = SchemaGenerator::default();
        let shot = short_numbers(ShotSettings::json_schema(&mut generator).to_value());
        let kinds = registry.kinds().iter();
        let stages =
            kinds.map(|kind| short_numbers(stage_schema(kind.as_ref(), &mut generator))).collect();
        let definitions = generator.take_definitions(true).into_iter();
        let definitions = definitions.map(|(name, schema)| (name, short_numbers(schema))).collect();
        Self { shot, stages, definitions }
    }

    /// The schema of the table of a kind.
    pub fn stage(&self, registry: &Registry, kind: &str) -> Option<&Value> {
        let place = registry.kinds().iter().position(|known| known.info().name == kind)?;
        self.stages.get(place)
    }
}

/// The settings of a kind, with the keys that every stage has.
fn stage_schema(kind: &dyn StageKind, generator: &mut SchemaGenerator) -> Value {
    let settings = kind.settings_schema(generator).to_value();
    let info = kind.info();
    let mut properties = Map::new();
    properties.insert(
        String::from("kind"),
        json!({ "const": info.name, "description": info.doc, "unit": "none" }),
    );
    for port in info.inputs {
        properties.insert(port.key.to_string(), port_schema(port));
    }
    if let Some(own) = settings["properties"].as_object() {
        properties.extend(own.clone());
    }
    properties.insert(String::from("save"), save_schema(info));
    let required: Vec<&str> = std::iter::once("kind")
        .chain(info.inputs.iter().filter(|port| port.required).map(|port| port.key))
        .chain(settings["required"].as_array().into_iter().flatten().filter_map(Value::as_str))
        .collect();
    json!({
        "title": format!("{} stage", info.name),
        "description": info.doc,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn port_schema(port: &InputPort) -> Value {
    let description = format!("Name of the stage to take this input from. {}", port.doc);
    json!({ "type": "string", "description": description, "unit": "none" })
}

fn save_schema(info: &KindInfo) -> Value {
    let kinds = info.gives.kinds();
    let mut names: Vec<String> =
        kinds.iter().flat_map(|&data| formats::savable(data)).map(String::from).collect();
    names.sort_unstable();
    names.dedup();
    let mut description =
        String::from("File formats to save every frame in. Left out: nothing is saved.");
    for side in info.beside {
        let example = formats::savable(side.kind)[0];
        description.push_str(&format!(
            " With \"{}.{example}\" or a similar entry: {}",
            side.name, side.doc
        ));
        let formats = formats::savable(side.kind).into_iter();
        names.extend(formats.map(|format| format!("{}.{format}", side.name)));
    }
    json!({
        "type": "array",
        "items": { "type": "string", "enum": names },
        "default": [],
        "description": description,
        "unit": "none",
    })
}

/// Every built-in kind of stage.
pub fn stage_kinds() -> Vec<Arc<dyn StageKind>> {
    Registry::standard().kinds
}

/// The JSON Schema of a shot file with the standard kinds of stages.
pub fn shot_schema() -> Value {
    Registry::standard().schema()
}
