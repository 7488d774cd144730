//! Columns under their new names, in their new units and directions.

use whitecap_core::Column;
use whitecap_core::attributes::NORMAL;
use whitecap_core::glam::{Quat, Vec3, Vec4};

use super::{ChangeError, Changes, Up};

/// Which power of a length a column is, by its name; 0 for what has no length in it.
pub(super) fn length_power(name: &str) -> i32 {
    match name {
        "velocity" | "vel" | "v" | "wave-velocity" | "wave_velocity" | "acceleration" | "accel"
        | "speed" => 1,
        "radius" | "pscale" | "spacing" | "height" | "depth" | "width" | "thickness"
        | "displacement" | "displaced-position" | "displaced_position" | "seed-amplitude"
        | "seed_amplitude" | "distance" | "rest" => 1,
        "area" => 2,
        "volume" => 3,
        "curvature" => -1,
        _ => 0,
    }
}

/// Whether a column of three numbers is a position, which is moved along.
fn is_position(name: &str) -> bool {
    matches!(name, "displaced-position" | "displaced_position" | "rest")
}

/// Whether a column of three numbers has no direction.
fn has_no_direction(name: &str) -> bool {
    let name = name.to_lowercase();
    ["color", "colour", "albedo", "uv"].iter().any(|word| name.contains(word)) || name == "cd"
}

/// Renames, then drops. An empty frame may lack columns that others have.
pub(super) fn named_columns<T>(
    changes: &Changes,
    mut columns: Vec<(String, T)>,
    is_empty: bool,
) -> Result<Vec<(String, T)>, ChangeError> {
    let unknown = |name: &str, columns: &[(String, T)]| {
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let found = if names.is_empty() { String::from("none") } else { names.join(", ") };
        ChangeError::NoColumn { name: name.to_owned(), found }
    };
    for (from, to) in &changes.renamed {
        let place = columns.iter().position(|(name, _)| name == from);
        let is_taken = columns.iter().any(|(name, _)| name == to);
        match place {
            Some(_) if is_taken && from != to => {
                return Err(ChangeError::Taken { from: from.clone(), to: to.clone() });
            }
            Some(place) => columns[place].0.clone_from(to),
            None if is_empty => {}
            None => return Err(unknown(from, &columns)),
        }
    }
    for name in changes.dropped.iter().chain(changes.kept.iter().flatten()) {
        if !is_empty && !columns.iter().any(|(found, _)| found == name) {
            return Err(unknown(name, &columns));
        }
    }
    columns.retain(|(name, _)| {
        changes.kept.as_ref().is_none_or(|kept| kept.contains(name))
            && !changes.dropped.contains(name)
    });
    Ok(columns)
}

/// Scales, turns and reverses.
pub(super) fn changed_columns(
    changes: &Changes,
    columns: Vec<(String, Column)>,
) -> Vec<(String, Column)> {
    let change = |(name, column): (String, Column)| {
        let column = changed(changes, &name, column);
        (name, column)
    };
    columns.into_iter().map(change).collect()
}

fn changed(changes: &Changes, name: &str, mut column: Column) -> Column {
    let factor = changes.scale.powi(length_power(name));
    if factor != 1.0 {
        match &mut column {
            Column::F32(values) => {
                values.iter_mut().for_each(|value| *value = (f64::from(*value) * factor) as f32);
            }
            Column::Vec3(values) => {
                let scaled = |value: &Vec3| (value.as_dvec3() * factor).as_vec3();
                values.iter_mut().for_each(|value| *value = scaled(value));
            }
            _ => {}
        }
    }
    match &mut column {
        Column::Vec3(values) if changes.up == Up::Z && !has_no_direction(name) => {
            values.iter_mut().for_each(|value| *value = changes.vector(*value));
        }
        Column::Vec4(values) if changes.up == Up::Z && name == "orient" => {
            values.iter_mut().for_each(|value| *value = turned(*value));
        }
        _ => {}
    }
    if let Column::Vec3(values) = &mut column {
        if is_position(name) && changes.translation != Vec3::ZERO {
            values.iter_mut().for_each(|value| *value += changes.translation);
        }
        if name == NORMAL && changes.flipped {
            values.iter_mut().for_each(|value| *value = -*value);
        }
    }
    column
}

/// An orientation (x, y, z, w), followed by the turn that brings z up.
fn turned(orientation: Vec4) -> Vec4 {
    let turn = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    Vec4::from(turn * Quat::from_vec4(orientation))
}
