//! One stage's table in a shot file.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::contract::registry::Schemas;
use crate::shot_file::Save;
use crate::shot_file::diagnostic::{Mistakes, name_list, nearest};
use crate::shot_file::located::{Entry, Node};
use crate::shot_file::schema_check::SchemaCheck;
use crate::stage::{CheckedStage, InputPort, KindInfo, ShotContext, StageKind};
use crate::{DataKind, Registry, files::formats};

/// What is known about a stage while its file is checked; parts with mistakes are missing.
pub(crate) struct Draft {
    pub name: String,
    pub name_span: Range<usize>,
    pub kind: Option<Arc<dyn StageKind>>,
    pub checked: Option<Arc<dyn CheckedStage>>,
    pub inputs: Vec<DraftInput>,
    pub gives: Option<DataKind>,
    pub save: Vec<Save>,
    /// Its settings as the file has them.
    pub raw: Value,
}

/// A connection that a stage asks for.
pub(crate) struct DraftInput {
    pub port: &'static InputPort,
    pub target: String,
    pub span: Range<usize>,
}

/// What names may look like, for messages.
pub(crate) const NAME_RULE: &str = "use letters, digits, `-` and `_`: it names a folder";

/// Whether a name can safely name a folder and start file names on every system.
pub(crate) fn is_file_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 100 && name.chars().all(plain)
}

/// Checks and reads a stage's table. `shot` is missing if the `[shot]` table has mistakes.
pub(crate) fn read(
    entry: &Entry,
    registry: &Registry,
    schemas: &Schemas,
    shot: Option<&ShotContext>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Draft> {
    let table = as_table(entry, mistakes)?;
    if !is_file_name(&entry.key) {
        let message = format!("`{}` cannot name a stage", entry.key);
        mistakes.add(entry.key_span.clone(), message, Some(NAME_RULE.to_string()));
    }
    let mut draft = Draft {
        name: entry.key.clone(),
        name_span: entry.key_span.clone(),
        kind: None,
        checked: None,
        inputs: Vec::new(),
        gives: None,
        save: Vec::new(),
        raw: Value::Null,
    };
    let Some(kind) = kind_of(entry, table, registry, mistakes) else { return Some(draft) };
    let info = *kind.info();
    let schema = schemas.stage(registry, info.name)?;
    let before = mistakes.count();
    let owner = format!("the {} stage `{}`", info.name, entry.key);
    let check = SchemaCheck { definitions: &schemas.definitions };
    check.table(schema, table, &owner, &entry.key_span, mistakes);

    let raw = raw_settings(table, &info);
    let gives = info.gives.with(&raw);
    draft.inputs = inputs(table, &info);
    draft.gives = Some(gives);
    draft.raw = raw.clone();
    if mistakes.count() == before && entry.value.node.is_readable() {
        draft.save = save(table, &info, gives, &entry.key, mistakes);
        draft.checked = checked(entry, table, kind.as_ref(), raw, &draft.save, shot, mistakes);
    }
    draft.kind = Some(kind);
    Some(draft)
}

fn as_table<'e>(entry: &'e Entry, mistakes: &mut Mistakes<'_>) -> Option<&'e [Entry]> {
    match &entry.value.node {
        Node::Table(table) => Some(table),
        Node::List(items) if items.iter().any(|item| matches!(item.node, Node::Table(_))) => {
            let message = format!("`{}` is a list of tables", entry.key);
            let help = format!("write [{}] with single brackets", entry.key);
            mistakes.add(entry.key_span.clone(), message, Some(help));
            None
        }
        _ => {
            let message = format!("`{}` is outside any table", entry.key);
            let help = String::from("move it below [shot] or below the stage it belongs to");
            mistakes.add(entry.key_span.clone(), message, Some(help));
            None
        }
    }
}

/// The kind that the table names.
fn kind_of(
    entry: &Entry,
    table: &[Entry],
    registry: &Registry,
    mistakes: &mut Mistakes<'_>,
) -> Option<Arc<dyn StageKind>> {
    let names = || registry.kinds().iter().map(|kind| kind.info().name);
    let all = format!("the kinds are {}", name_list(names(), "and"));
    let Some(found) = table.iter().find(|e| e.key == "kind") else {
        mistakes.add(entry.key_span.clone(), format!("`{}` has no `kind`", entry.key), Some(all));
        return None;
    };
    let Node::Text(name) = &found.value.node else {
        let message = format!(
            "`kind` should be text in quotes, but this is {}",
            found.value.node.type_name()
        );
        mistakes.add(found.value.span.clone(), message, Some(all));
        return None;
    };
    let kind = registry.get(name);
    if kind.is_none() {
        let help = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`? Otherwise {all}"),
            None => all,
        };
        let message = format!("there is no kind of stage called \"{name}\"");
        mistakes.add(found.value.span.clone(), message, Some(help));
    }
    kind.cloned()
}

/// The keys that are settings of the kind itself.
fn raw_settings(table: &[Entry], info: &KindInfo) -> Value {
    let of_every_stage = |key: &str| {
        key == "kind" || key == "save" || info.inputs.iter().any(|port| port.key == key)
    };
    let settings: Map<String, Value> = table
        .iter()
        .filter(|entry| !of_every_stage(&entry.key))
        .map(|entry| (entry.key.clone(), entry.value.node.to_json()))
        .collect();
    Value::Object(settings)
}

fn inputs(table: &[Entry], info: &KindInfo) -> Vec<DraftInput> {
    let connected = |port: &'static InputPort| {
        let entry = table.iter().find(|entry| entry.key == port.key)?;
        let Node::Text(target) = &entry.value.node else { return None };
        Some(DraftInput { port, target: target.clone(), span: entry.value.span.clone() })
    };
    info.inputs.iter().filter_map(connected).collect()
}

/// The formats to save, each once.
fn save(
    table: &[Entry],
    info: &KindInfo,
    gives: DataKind,
    stage: &str,
    mistakes: &mut Mistakes<'_>,
) -> Vec<Save> {
    let Some(Node::List(items)) =
        table.iter().find(|entry| entry.key == "save").map(|entry| &entry.value.node)
    else {
        return Vec::new();
    };
    let mut save: Vec<Save> = Vec::new();
    for item in items {
        let Node::Text(format) = &item.node else { continue };
        let wanted = Save::named(format, info);
        let fits = wanted.result.is_some() || formats::savable(gives).contains(&format.as_str());
        if !fits {
            let message =
                format!("`{stage}` gives {}, which cannot be saved as {format}", gives.in_words());
            let help = name_list(formats::savable(gives), "or");
            mistakes.add(item.span.clone(), message, Some(format!("it can be saved as {help}")));
        } else if !save.contains(&wanted) {
            save.push(wanted);
        }
    }
    save
}

/// The checked stage, if the kind finds nothing wrong with the settings and the formats to save.
fn checked(
    entry: &Entry,
    table: &[Entry],
    kind: &dyn StageKind,
    raw: Value,
    save: &[Save],
    shot: Option<&ShotContext>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Arc<dyn CheckedStage>> {
    let own = save.iter().filter(|save| save.result.is_none());
    let formats: Vec<&str> = own.map(|save| save.format.as_str()).collect();
    let outcome = kind.check(raw, shot?).and_then(|checked| {
        checked.check_formats(&formats).map_err(|problem| vec![problem])?;
        Ok(checked)
    });
    match outcome {
        Ok(checked) => Some(checked),
        Err(problems) => {
            for problem in problems {
                let span = place_of(&problem.key, table).unwrap_or(&entry.key_span);
                mistakes.add(span.clone(), problem.message, problem.help);
            }
            None
        }
    }
}

/// Where the value of a key such as `solids.1.path` is, or the innermost table or list on the way
/// to it that exists.
fn place_of<'e>(key: &str, table: &'e [Entry]) -> Option<&'e Range<usize>> {
    let mut steps = key.split('.');
    let first = steps.next()?;
    let mut found = &table.iter().find(|entry| entry.key == first)?.value;
    for step in steps {
        let next = match &found.node {
            Node::Table(entries) => entries.iter().find(|e| e.key == step).map(|e| &e.value),
            Node::List(items) => step.parse().ok().and_then(|place: usize| items.get(place)),
            _ => None,
        };
        match next {
            Some(next) => found = next,
            None => break,
        }
    }
    Some(&found.span)
}
