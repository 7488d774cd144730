//! Formats that name every number on its own (PLY, CSV, XYZ): how a vector is spread over names,
//! and how names are put together again.
//!
//! | column | names |
//! |---|---|
//! | position | `x y z`, or `P_x…`, `P[x]…`, `Points:0…`, `Points_0…` |
//! | `velocity` | `vx vy vz` |
//! | `normal` | `nx ny nz` |
//! | `uv` | `u v`; also read: `s t`, `texture_u texture_v` |
//! | `color` | `red green blue [alpha]`; also read: `r g b [a]` |
//! | another vector `NAME` | `NAME_x NAME_y [NAME_z [NAME_w]]`; also read: [`SUFFIXES`] |
//!
//! `NAME_0 NAME_1…` is read as a vector only where `NAME` is known to be one: integers that belong
//! together are written under such names.
//!
//! A scalar called `x`, `y` or `z` is written as `x_value` and the like. White space, separators and quotes in a
//! name are written as `_`: they would end it early.

use std::path::Path;

use whitecap_core::Column;
use whitecap_core::glam::Vec3;

use crate::attributes::point_table::{self, PointTable};
use crate::encoding::scalar::Values;
use crate::encoding::tokens::shown;
use crate::{Error, Place, attributes::naming};

/// Groups with names of their own; the first of each column is the one written.
const GROUPS: [(&str, &[&str]); 9] = [
    ("P", &["x", "y", "z"]),
    ("velocity", &["vx", "vy", "vz"]),
    ("normal", &["nx", "ny", "nz"]),
    ("color", &["red", "green", "blue", "alpha"]),
    ("color", &["red", "green", "blue"]),
    ("color", &["r", "g", "b", "a"]),
    ("color", &["r", "g", "b"]),
    ("uv", &["u", "v"]),
    ("uv", &["s", "t"]),
];
const TEXTURE: (&str, &[&str]) = ("uv", &["texture_u", "texture_v"]);
/// The ends of a vector's names; the first are those written.
const SUFFIXES: [[&str; 4]; 8] = [
    ["_x", "_y", "_z", "_w"],
    ["_X", "_Y", "_Z", "_W"],
    [":0", ":1", ":2", ":3"],
    [".x", ".y", ".z", ".w"],
    ["[x]", "[y]", "[z]", "[w]"],
    ["[0]", "[1]", "[2]", "[3]"],
    [".0", ".1", ".2", ".3"],
    NUMBERED,
];
const NUMBERED: [&str; 4] = ["_0", "_1", "_2", "_3"];
/// More names than anybody reads in a message.
const MOST_LISTED: usize = 20;

/// The names of the components of a column, in order, each one word.
pub(crate) fn split(name: &str, column: &Column) -> Vec<String> {
    let components = column.components();
    let name = one_word(name);
    if components == 1 {
        return vec![name];
    }
    let own = GROUPS.iter().find(|(group, names)| *group == name && names.len() == components);
    match own {
        Some((_, names)) => names.iter().map(|part| part.to_string()).collect(),
        None => SUFFIXES[0][..components].iter().map(|end| format!("{name}{end}")).collect(),
    }
}

fn one_word(name: &str) -> String {
    let breaks =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';' | '"' | '#');
    match name {
        "" => "unnamed".to_string(),
        // A number of its own, not a part of the position.
        "x" | "y" | "z" => format!("{name}_value"),
        _ => name.replace(breaks, "_"),
    }
}

/// One named number per element.
pub(crate) struct NamedScalars {
    pub name: String,
    pub values: Values,
    /// Divisor of real values: 255 for a colour stored in bytes.
    pub color_scale: f32,
}

/// Assembles vectors from the columns of a file and returns the table of points. Columns without
/// positions are an error.
pub(crate) fn group(columns: Vec<NamedScalars>, path: &Path) -> Result<PointTable, Error> {
    point_table::check_column_count(columns.len(), path)?;
    let found = listed(columns.iter().map(|column| column.name.as_str()));
    let mut columns: Vec<Option<NamedScalars>> = columns.into_iter().map(Some).collect();
    let mut positions: Option<Vec<Vec3>> = None;
    let mut table = PointTable::default();
    for place in 0..columns.len() {
        let Some((name, members)) = group_at(&columns, place) else { continue };
        let parts: Vec<NamedScalars> =
            members.iter().filter_map(|&member| columns[member].take()).collect();
        let components = parts.len();
        if positions.is_none() && components >= 3 && naming::is_position(&name) {
            positions = Some(interleave(parts).into_vectors(components));
        } else if components > 1 {
            table.push(&name, components, interleave(parts));
        } else if let Some(single) = parts.into_iter().next() {
            let values = match name.as_str() {
                // A radius written as "1" is still a length.
                "radius" | "pscale" => Values::F32(single.values.into_floats()),
                _ => single.values,
            };
            table.push(&name, 1, values);
        }
    }
    table.positions = positions.ok_or_else(|| {
        let message = format!("the position columns x, y and z are missing; {found}");
        Error::malformed(path, Place::File, message)
    })?;
    Ok(table)
}

/// `the columns are `a`, `b` and 7 more`.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let shown: Vec<String> =
        names.take(MOST_LISTED).map(|name| format!("`{}`", shown(name.as_bytes()))).collect();
    match count {
        0 => String::from("there are no columns"),
        1 => format!("the only column is {}", shown[0]),
        _ if count > MOST_LISTED => {
            format!("the columns are {} and {} more", shown.join(", "), count - MOST_LISTED)
        }
        _ => format!("the columns are {}", shown.join(", ")),
    }
}

/// The group that the column at `place` begins: its name and its members, itself first.
fn group_at(columns: &[Option<NamedScalars>], place: usize) -> Option<(String, Vec<usize>)> {
    let first = columns[place].as_ref()?.name.as_str();
    let find = |name: &str| {
        columns.iter().position(|column| column.as_ref().is_some_and(|column| column.name == name))
    };
    let find_all = |names: &[&str]| names.iter().map(|name| find(name)).collect::<Option<Vec<_>>>();
    // Any member may come first in the file; the order of the group decides.
    for (group, names) in GROUPS.iter().chain([&TEXTURE]) {
        if names.contains(&first)
            && let Some(members) = find_all(names)
        {
            return Some((group.to_string(), members));
        }
    }
    for suffixes in SUFFIXES {
        let Some(stem) = first.strip_suffix(suffixes[0]).filter(|stem| !stem.is_empty()) else {
            continue;
        };
        if suffixes == NUMBERED && !naming::is_vector(stem) {
            continue;
        }
        let members: Vec<usize> =
            suffixes.iter().map_while(|end| find(&format!("{stem}{end}"))).collect();
        if members.len() > 1 {
            return Some((stem.to_string(), members));
        }
    }
    Some((first.to_string(), vec![place]))
}

fn interleave(parts: Vec<NamedScalars>) -> Values {
    let components = parts.len();
    let mut flat = Vec::new();
    for part in parts {
        let scale = part.color_scale;
        let mut values = part.values.into_floats();
        if scale != 1.0 {
            values.iter_mut().for_each(|value| *value /= scale);
        }
        flat.append(&mut values);
    }
    Values::F32(flat).interleaved(components)
}

/// Whether a column called `name` is part of a colour.
pub(crate) fn is_color(name: &str) -> bool {
    GROUPS.iter().any(|(group, names)| *group == "color" && names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalars(name: &str, value: f32) -> NamedScalars {
        NamedScalars { name: name.into(), values: Values::F32(vec![value]), color_scale: 1.0 }
    }

    /// Contract: vectors are assembled whatever the order of their names; a lone `v` is not half a
    /// texture coordinate; unknown vectors are found by their suffixes.
    #[test]
    fn names_are_grouped_into_vectors() {
        let names = ["vz", "z", "y", "x", "vx", "vy", "v", "force_x", "force_y", "heat"];
        let columns = names.iter().zip(0u8..).map(|(n, v)| scalars(n, f32::from(v))).collect();
        let particles =
            group(columns, Path::new("p")).unwrap().into_particles(Path::new("p")).unwrap();
        assert_eq!(particles.positions(), [Vec3::new(3.0, 2.0, 1.0)]);
        assert_eq!(particles.velocities().unwrap(), [Vec3::new(4.0, 5.0, 0.0)]);
        assert_eq!(particles.attribute("v"), Some(&Column::F32(vec![6.0])));
        assert_eq!(particles.attribute("force").unwrap().components(), 2);
        assert_eq!(particles.attribute("heat"), Some(&Column::F32(vec![9.0])));
        assert_eq!(particles.attributes().len(), 4);
    }
}
