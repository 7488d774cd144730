//! A TOML value that knows where in the file it was.
//!
//! Tables keep the order of the file, because stages are listed in that order.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::shot_file::diagnostic::Mistakes;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub span: Range<usize>,
    pub node: Node,
}

/// What a TOML file can hold.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date,
    /// A number that could not be read; its mistake is already reported.
    Unreadable,
    List(Vec<Located>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Located,
}

impl Located {
    /// A value that does not come from a file.
    pub fn nowhere(value: &Value) -> Self {
        let node = match value {
            Value::String(text) => Node::Text(text.clone()),
            Value::Bool(truth) => Node::Boolean(*truth),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Node::Integer(whole),
                (None, Some(number)) => Node::Float(number),
                _ => Node::Unreadable,
            },
            Value::Null => Node::Unreadable,
            Value::Array(items) => Node::List(items.iter().map(Self::nowhere).collect()),
            Value::Object(fields) => Node::Table(fields.iter().map(Entry::nowhere).collect()),
        };
        Self { span: 0..0, node }
    }
}

impl Entry {
    fn nowhere((key, value): (&String, &Value)) -> Self {
        Self { key: key.clone(), key_span: 0..0, value: Located::nowhere(value) }
    }
}

impl Node {
    /// The type in words, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Node::Text(_) => "text",
            Node::Integer(_) => "a whole number",
            Node::Float(_) => "a number with a decimal point",
            Node::Boolean(_) => "true or false",
            Node::Date => "a date",
            Node::Unreadable => "an unreadable number",
            Node::List(_) => "a list",
            Node::Table(_) => "a table",
        }
    }

    /// Whether everything in it could be read.
    pub fn is_readable(&self) -> bool {
        match self {
            Node::Unreadable => false,
            Node::List(items) => items.iter().all(|item| item.node.is_readable()),
            Node::Table(entries) => entries.iter().all(|entry| entry.value.node.is_readable()),
            _ => true,
        }
    }

    /// The value as JSON. Dates and unreadable numbers, which are always reported as mistakes,
    /// become null.
    pub fn to_json(&self) -> Value {
        match self {
            Node::Text(text) => Value::from(text.as_str()),
            Node::Integer(number) => Value::from(*number),
            Node::Float(number) => Value::from(*number),
            Node::Boolean(truth) => Value::from(*truth),
            Node::Date | Node::Unreadable => Value::Null,
            Node::List(items) => items.iter().map(|item| item.node.to_json()).collect(),
            Node::Table(entries) => Value::Object(
                entries
                    .iter()
                    .map(|e| (e.key.clone(), e.value.node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Parses a whole file. Every syntax error becomes a mistake, and then there are no entries: what
/// could be guessed from the rest would only mislead.
pub(crate) fn parse(source: &str, mistakes: &mut Mistakes<'_>) -> Option<Vec<Entry>> {
    let (table, errors) = DeTable::parse_recoverable(source);
    let mut repeated_table = None;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        if error.message() == DUPLICATE {
            // A table that appears twice repeats its keys too; the table is the mistake.
            let table = source.get(..span.start).and_then(|before| before.rfind("\n["));
            if table.is_some() && table == repeated_table {
                continue;
            }
            let in_header = source.get(..span.start).is_some_and(|before| before.ends_with("\n["));
            repeated_table = if in_header { table } else { None };
        }
        let (message, help) = explain(error.message(), source.get(span.clone()).unwrap_or(""));
        mistakes.add(span, message, help);
    }
    if mistakes.is_empty() { Some(entries(table.get_ref(), mistakes)) } else { None }
}

/// What the parser says about a key that is already there.
const DUPLICATE: &str = "duplicate key";

/// The parser's message, made clearer for common mistakes in shot files.
fn explain(message: &str, marked: &str) -> (String, Option<String>) {
    match message {
        DUPLICATE => (
            format!("`{}` is defined twice", marked.trim()),
            Some(String::from("rename or remove one of the two")),
        ),
        other => (format!("this is not valid TOML: {other}"), None),
    }
}

fn entries(table: &DeTable<'_>, mistakes: &mut Mistakes<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: locate(value.span(), value.get_ref(), mistakes),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn locate(span: Range<usize>, value: &DeValue<'_>, mistakes: &mut Mistakes<'_>) -> Located {
    let node = match value {
        DeValue::String(text) => Node::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Node::Integer(number),
            Err(_) => {
                mistakes.add(span.clone(), format!("{number} is too large"), None);
                Node::Unreadable
            }
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Node::Float(number),
            _ => {
                let message = format!("{number} is not a finite number");
                let help = String::from("write an ordinary number, such as 1.5");
                mistakes.add(span.clone(), message, Some(help));
                Node::Unreadable
            }
        },
        DeValue::Boolean(truth) => Node::Boolean(*truth),
        DeValue::Datetime(_) => Node::Date,
        DeValue::Array(items) => Node::List(
            items.iter().map(|item| locate(item.span(), item.get_ref(), mistakes)).collect(),
        ),
        DeValue::Table(table) => Node::Table(entries(table, mistakes)),
    };
    Located { span, node }
}
