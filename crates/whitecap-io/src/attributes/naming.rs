//! Attribute names at the boundary: other programs' names become ours on reading, and ours become
//! Houdini's on writing its formats.
//!
//! | here | Houdini | also read as |
//! |---|---|---|
//! | `velocity` | `v` | `vel`, `Velocity`, `velocities` |
//! | `radius` | `pscale` | `radii`, `Radius`, `radiusPP` |
//! | `color` | `Cd` | `colors`, `Color`, `rgbPP` |
//! | `normal` | `N` | `Normals`, `normals`, `Normal` |
//! | `uv` | `uv` | `TCoords`, `TextureCoord`, a Houdini `uv` of three components |
//! | `id` | `id` | `ids`, `ID`, `Id`, `particleId` |
//!
//! A name is changed only if the column has a type that fits, and only if no column already has
//! the name it would get.

use whitecap_core::Column;
use whitecap_core::glam::{Vec2, Vec3};

const FOREIGN: [(&str, &str); 24] = [
    ("v", "velocity"),
    ("vel", "velocity"),
    ("Velocity", "velocity"),
    ("velocities", "velocity"),
    ("pscale", "radius"),
    ("radii", "radius"),
    ("Cd", "color"),
    ("colors", "color"),
    ("N", "normal"),
    ("Normals", "normal"),
    ("normals", "normal"),
    ("uv", "uv"),
    ("TCoords", "uv"),
    ("id", "id"),
    ("ids", "id"),
    ("ID", "id"),
    ("Id", "id"),
    ("Radius", "radius"),
    ("radiusPP", "radius"),
    ("Color", "color"),
    ("rgbPP", "color"),
    ("Normal", "normal"),
    ("TextureCoord", "uv"),
    ("particleId", "id"),
];

/// Names under which particle positions are found in formats that name them.
pub(crate) fn is_position(name: &str) -> bool {
    matches!(
        name,
        "P" | "position" | "Position" | "positions" | "pos" | "Pos" | "points" | "Points"
    )
}

/// Whether a column of this name is known to hold vectors.
pub(crate) fn is_vector(name: &str) -> bool {
    let is_scalar = |ours: &str| matches!(ours, "radius" | "id");
    is_position(name)
        || matches!(name, "velocity" | "normal" | "color")
        || FOREIGN.iter().any(|(foreign, ours)| *foreign == name && !is_scalar(ours))
}

/// The name of our column in a Houdini file.
pub(crate) fn to_houdini(name: &str) -> &str {
    match name {
        "velocity" => "v",
        "radius" => "pscale",
        "color" => "Cd",
        "normal" => "N",
        other => other,
    }
}

/// Gives columns read from a file their well-known names.
pub(crate) fn adopt(columns: &mut [(String, Column)]) {
    for place in 0..columns.len() {
        let (name, column) = &columns[place];
        let Some((_, ours)) = FOREIGN.iter().find(|(foreign, _)| foreign == name) else {
            continue;
        };
        let taken = columns.iter().any(|(other, _)| other == ours) && name != ours;
        if taken || !fits(ours, column) {
            continue;
        }
        let (name, column) = &mut columns[place];
        *name = (*ours).to_string();
        if *ours == "uv"
            && let Column::Vec3(values) = column
        {
            *column = Column::Vec2(values.iter().map(|v: &Vec3| Vec2::new(v.x, v.y)).collect());
        }
    }
}

fn fits(name: &str, column: &Column) -> bool {
    match name {
        "velocity" | "normal" => matches!(column, Column::Vec3(_)),
        "color" => matches!(column, Column::Vec3(_) | Column::Vec4(_)),
        "uv" => matches!(column, Column::Vec2(_) | Column::Vec3(_)),
        "radius" => matches!(column, Column::F32(_)),
        _ => column.is_integer(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a Houdini name becomes ours, unless the type does not fit or the name is taken.
    #[test]
    fn houdini_names_become_ours() {
        let vector = || Column::Vec3(vec![Vec3::ONE]);
        let scalar = || Column::F32(vec![1.0]);
        let mut columns = vec![
            ("v".to_string(), vector()),
            ("pscale".to_string(), scalar()),
            ("N".to_string(), scalar()),
            ("Cd".to_string(), vector()),
            ("color".to_string(), vector()),
            ("uv".to_string(), vector()),
        ];
        adopt(&mut columns);
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["velocity", "radius", "N", "Cd", "color", "uv"]);
        assert_eq!(columns[5].1, Column::Vec2(vec![Vec2::ONE]));
    }
}
