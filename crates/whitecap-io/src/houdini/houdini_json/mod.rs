//! Houdini's current geometry format, `.geo` (text JSON) and `.bgeo` (binary JSON), plain or
//! gzip-compressed as a whole.
//!
//! # Guarantees
//! * Paged arrays with packs and constant pages are read, as are the older `tuples` and `arrays`.
//! * The point count is checked against the stored numbers before anything is allocated.
//!
//! # Non-guarantees
//! * Only points and [facts](whitecap_core::Facts) are read: primitives, groups, and text or dictionary
//!   attributes of points are left out.
//! * Text JSON has no NaN and no infinity; such a value is refused on writing.
//! * `.bgeo.sc` (Blosc-compressed) is not read.

mod binary;
mod pages;
mod value;
mod writer;

use std::path::Path;

use whitecap_core::{Facts, Particles};

use crate::attributes::facts::FoundFacts;
use crate::attributes::point_table::PointTable;
use crate::encoding::scalar::Values;
use crate::{Error, Noted, Place, attributes::naming, encoding::inflate};
use pages::PageLayout;
use value::Value;
pub use writer::{Encoding, to_bytes};

/// More components than any attribute has.
const MOST_COMPONENTS: i64 = 1024;

/// Whether `bytes`, already inflated, begin like either form.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'[' | b'{')) || bytes.first() == Some(&binary::MAGIC_TOKEN)
}

/// Reads text or binary JSON geometry, plain or gzip-compressed.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    if inflate::is_gzip(bytes) {
        return parse_plain(&inflate::gzip(bytes, path)?, path);
    }
    parse_plain(bytes, path)
}

fn parse_plain(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    let root = match bytes.first() {
        Some(&binary::MAGIC_TOKEN) => binary::parse(bytes, path)?,
        _ => value::parse_text(bytes, path)?,
    };
    let missing = |what: &str| {
        Error::malformed(path, Place::File, format!("Houdini geometry must have {what}"))
    };
    let count = root.entry("pointcount").and_then(Value::integer);
    let count = count
        .and_then(|count| usize::try_from(count).ok())
        .ok_or_else(|| missing("a `pointcount`"))?;
    let attributes = root
        .entry("attributes")
        .and_then(|attributes| attributes.entry("pointattributes"))
        .and_then(Value::array)
        .ok_or_else(|| missing("`pointattributes`"))?;

    let mut table = None;
    let mut others = Vec::new();
    for attribute in attributes {
        let Some((name, components, values)) = parse_attribute(attribute, count, path)? else {
            continue;
        };
        if table.is_none() && naming::is_position(&name) && components >= 3 {
            table = Some(PointTable::new(values.into_vectors(components)));
        } else {
            others.push((name, components, values));
        }
    }
    let mut table = table.ok_or_else(|| missing("a point attribute `P` of three components"))?;
    for (name, components, values) in others {
        table.push(&name, components, values);
    }
    let whole = root.entry("attributes").and_then(|found| found.entry("globalattributes"));
    for attribute in whole.and_then(Value::array).into_iter().flatten() {
        parse_fact(attribute, &mut table.facts, path);
    }
    table.into_noted_particles(path)
}

/// Takes an attribute of the whole, if it is a fact.
fn parse_fact(attribute: &Value, facts: &mut FoundFacts, path: &Path) {
    let Some([definition, data]) = attribute.array() else { return };
    let name = definition.entry("name").and_then(Value::text);
    let Some(name) = name.filter(|name| Facts::is_name(name)) else { return };
    if definition.entry("type").and_then(Value::text) == Some("string") {
        let lines = data.entry("strings").and_then(Value::array).unwrap_or_default();
        let lines: Vec<&str> = lines.iter().filter_map(Value::text).collect();
        return facts.take_text(name, &lines.join("\n"));
    }
    match parse_attribute(attribute, 1, path) {
        Ok(Some((_, _, values))) => facts.take_values(name, &values),
        _ => facts.unreadable(),
    }
}

/// Name, components and numbers of an attribute; `None` for one that is not numeric.
fn parse_attribute(
    attribute: &Value,
    count: usize,
    path: &Path,
) -> Result<Option<(String, usize, Values)>, Error> {
    let malformed = |message: String| Error::malformed(path, Place::File, message);
    let Some([definition, data]) = attribute.array() else {
        return Err(malformed(
            "a point attribute must consist of a definition and its data".to_string(),
        ));
    };
    let name = definition
        .entry("name")
        .and_then(Value::text)
        .ok_or_else(|| malformed("a point attribute has no name".to_string()))?;
    if definition.entry("type").and_then(Value::text) != Some("numeric") {
        return Ok(None);
    }
    let of_attribute = |message: String| malformed(format!("attribute `{name}` {message}"));
    let values = data.entry("values").ok_or_else(|| of_attribute("has no values".to_string()))?;
    let size = values.entry("size").or_else(|| data.entry("size")).map_or(Some(1), Value::integer);
    let components =
        size.filter(|size| (1..=MOST_COMPONENTS).contains(size))
            .ok_or_else(|| of_attribute("has no valid size".to_string()))? as usize;
    let numbers = parse_numbers(values, count, components).map_err(of_attribute)?;
    let storage = values.entry("storage").or_else(|| data.entry("storage")).and_then(Value::text);
    let stored = as_stored(numbers, storage.unwrap_or("fpreal32")).map_err(of_attribute)?;
    Ok(Some((name.to_string(), components, stored)))
}

fn parse_numbers(values: &Value, count: usize, components: usize) -> Result<Values, String> {
    let wrong_length =
        |found: usize| format!("has {found} values but there are {count} points in the file");
    if let Some(raw) = values.entry("rawpagedata") {
        let raw = raw.numbers().ok_or("has page data that are not numbers")?;
        return page_layout(values, count, components)?.unpack(&raw);
    }
    if let Some(tuples) = values.entry("tuples").and_then(Value::array) {
        let flat = tuples
            .iter()
            .map(|tuple| tuple.numbers().filter(|tuple| tuple.len() == components))
            .collect::<Option<Vec<Values>>>()
            .ok_or_else(|| format!("has a tuple that is not {components} numbers"))?;
        return match flat.len() == count {
            true => Ok(concatenate(flat)),
            false => Err(wrong_length(flat.len())),
        };
    }
    let arrays = values.entry("arrays").and_then(Value::array).ok_or("has no data")?;
    let arrays: Vec<Values> =
        arrays.iter().map(Value::numbers).collect::<Option<_>>().ok_or("is not numeric")?;
    if let Some(wrong) = arrays.iter().find(|array| array.len() != count) {
        return Err(wrong_length(wrong.len()));
    }
    if arrays.len() != components {
        return Err(format!("has {} arrays for {components} components", arrays.len()));
    }
    Ok(concatenate(arrays).interleaved(components))
}

fn page_layout(values: &Value, count: usize, components: usize) -> Result<PageLayout, String> {
    let page_size = values.entry("pagesize").and_then(Value::integer);
    let page_size = page_size
        .and_then(|size| usize::try_from(size).ok())
        .ok_or("has page data but no `pagesize`")?;
    let packing = match values.entry("packing") {
        None => vec![components],
        Some(packing) => {
            let packs = packing.numbers().ok_or("has a `packing` that is not numbers")?;
            packs.into_floats().into_iter().map(|pack| pack as usize).collect()
        }
    };
    if packing.iter().any(|&pack| pack > components) || packing.iter().sum::<usize>() != components
    {
        return Err(format!("has a `packing` that does not add up to {components}"));
    }
    let constant = match values.entry("constantpageflags") {
        None => Vec::new(),
        Some(flags) => flags
            .array()
            .and_then(|flags| flags.iter().map(Value::flags).collect::<Option<_>>())
            .ok_or("has `constantpageflags` that are not truth values")?,
    };
    Ok(PageLayout { count, page_size, packing, constant })
}

/// The numbers of all parts in order, as reals if any part has reals.
fn concatenate(parts: Vec<Values>) -> Values {
    if parts.iter().any(|part| matches!(part, Values::F32(_))) {
        return Values::F32(parts.into_iter().flat_map(Values::into_floats).collect());
    }
    let widen = |part: Values| match part {
        Values::I64(values) => values,
        Values::I32(values) => values.into_iter().map(i64::from).collect(),
        Values::F32(_) => Vec::new(),
    };
    Values::I64(parts.into_iter().flat_map(widen).collect())
}

/// The numbers in the type the file declares: text JSON does not distinguish 1 from 1.0.
fn as_stored(values: Values, storage: &str) -> Result<Values, String> {
    match (values, storage) {
        (values, real) if real.starts_with("fpreal") => Ok(Values::F32(values.into_floats())),
        (Values::F32(_), _) => Err(format!("is stored as {storage} but has reals")),
        (Values::I32(values), "int64") => {
            Ok(Values::I64(values.into_iter().map(i64::from).collect()))
        }
        (Values::I64(values), "int8" | "uint8" | "int16" | "int32") => values
            .into_iter()
            .map(i32::try_from)
            .collect::<Result<_, _>>()
            .map(Values::I32)
            .map_err(|_| format!("is stored as {storage} but has larger values")),
        (values, "int8" | "uint8" | "int16" | "int32" | "int64") => Ok(values),
        _ => Err(format!("has the unknown storage `{storage}`")),
    }
}
