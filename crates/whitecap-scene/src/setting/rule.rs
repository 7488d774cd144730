//! The ranges of a settings type, read once from its JSON Schema.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use schemars::JsonSchema;
use serde_json::Value;

use super::Range;

/// How deep tables may be nested; deeper ones are not checked.
const DEEPEST: usize = 32;

/// What is allowed at one place of the settings.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Any finite number.
    Free,
    Number(Range),
    /// Rules of the first items, then that of all others.
    List(Vec<Rule>, Box<Rule>),
    /// By key; a choice between tables is a table with one of its keys present.
    Table(BTreeMap<String, Rule>),
}

/// The rule of a type, made on first use.
pub(super) fn rule_of<S: JsonSchema + 'static>() -> Arc<Rule> {
    static RULES: RwLock<BTreeMap<TypeId, Arc<Rule>>> = RwLock::new(BTreeMap::new());
    let id = TypeId::of::<S>();
    // Rules are inserted whole, so those left by a thread that panicked are valid.
    if let Some(rule) = RULES.read().unwrap_or_else(|held| held.into_inner()).get(&id) {
        return rule.clone();
    }
    let schema = schemars::schema_for!(S).to_value();
    let rule = Arc::new(Rule::read(&schema, &schema, DEEPEST));
    let mut rules = RULES.write().unwrap_or_else(|held| held.into_inner());
    rules.entry(id).or_insert(rule).clone()
}

impl Rule {
    fn read(root: &Value, schema: &Value, deepest: usize) -> Self {
        let Some(deepest) = deepest.checked_sub(1) else { return Rule::Free };
        let read = |schema: &Value| Rule::read(root, schema, deepest);
        if let Some(name) = schema["$ref"].as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
            return read(&root["$defs"][name]);
        }
        let alternatives = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
        let alternatives: Vec<&Value> = alternatives.into_iter().flatten().collect();
        if let [one] =
            alternatives.iter().filter(|one| one["type"] != "null").collect::<Vec<_>>()[..]
        {
            return read(one);
        }
        let mut keys = BTreeMap::new();
        for table in alternatives.into_iter().chain([schema]) {
            let properties = table["properties"].as_object().into_iter().flatten();
            // A choice with its name in a field would mix up the ranges of its tables.
            let properties = properties.filter(|_| !names_itself(table));
            keys.extend(properties.map(|(key, property)| (key.clone(), read(property))));
        }
        if !keys.is_empty() {
            return Rule::Table(keys);
        }
        if schema["items"].is_object() || schema["prefixItems"].is_array() {
            let first = schema["prefixItems"].as_array().into_iter().flatten();
            return Rule::List(first.map(read).collect(), Box::new(read(&schema["items"])));
        }
        match Range::of(schema) {
            range if range.is_unlimited() => Rule::Free,
            range => Rule::Number(range),
        }
    }

    /// The rule of the value at a key.
    pub fn at_key(&self, key: &str) -> &Rule {
        match self {
            Rule::Table(keys) => keys.get(key).unwrap_or(&Rule::Free),
            _ => &Rule::Free,
        }
    }

    /// The rule of an item of a list.
    pub fn at_place(&self, place: usize) -> &Rule {
        match self {
            Rule::List(first, others) => first.get(place).unwrap_or(others),
            _ => &Rule::Free,
        }
    }

    /// The range of a number.
    pub fn range(&self) -> Range {
        match self {
            Rule::Number(range) => *range,
            _ => Range::default(),
        }
    }
}

/// Whether a table of a choice is identified by a constant.
fn names_itself(table: &Value) -> bool {
    let properties = table["properties"].as_object();
    properties.into_iter().flatten().any(|(_, property)| property["const"].is_string())
}
