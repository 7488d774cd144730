//! A single NumPy array in a file, `.npy`: a row for each particle. Read only.
//!
//! # Guarantees
//! * An array of shape (n, 3) holds positions; one of shape (n, 6) positions and velocities, and a note
//!   says so. Further columns are called `column_7`, `column_8`…
//! * An array of records is read like a table whose columns have the names of its fields: `position`,
//!   or `x`, `y` and `z`, and anything else beside. Texts are left out.
//! * Both byte orders, both array orders and reals of 16 to 64 bits are read; the shape is checked
//!   against the file before anything is allocated.
//!
//! # Non-guarantees
//! Arrays of objects (pickles) are refused: to read them would mean to run them.

use std::path::Path;

use whitecap_core::Particles;

use super::npy::{self, Array, Content, Field};
use crate::attributes::component_names::{self, NamedScalars};
use crate::text_points;
use crate::{Error, Noted, Place};

const NAME: &str = "the array";
/// More numbers than a particle has in an array without names.
const MOST_COLUMNS: usize = 16;

/// Reads a `.npy` file.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    let wrong = |message: String| {
        let message = format!(
            "{message}; particles need the shape (n, 3), or (n, 6) with velocities, or records with \
             the fields x, y and z or position"
        );
        Error::malformed(path, Place::File, message)
    };
    let (columns, notes) = match npy::parse(bytes, NAME, path)? {
        Content::Records(fields) => (fields.into_iter().flat_map(components).collect(), vec![]),
        Content::Plain(array) if array.components >= 3 => columns(array, path)?,
        Content::Plain(Array { rows, components, has_rows, .. }) => {
            let shape = match (has_rows, components) {
                (false, _) => String::from("()"),
                (true, 1) => format!("({rows},)"),
                (true, _) => format!("({rows}, {components})"),
            };
            return Err(wrong(format!("{NAME} has the shape {shape}")));
        }
        Content::Text(_) => return Err(wrong(format!("{NAME} is a text"))),
        Content::Other(what) => return Err(wrong(format!("{NAME} {what}"))),
    };
    let data = component_names::group(columns, path)?.into_particles(path)?;
    Ok(Noted { data, notes })
}

/// Whether an array has coordinates for rows: three of them, with more numbers than a particle has.
fn is_on_its_side(array: &Array) -> bool {
    array.rows == 3 && array.components > MOST_COLUMNS
}

/// The columns of a plain array, and a note if it was not clear what they are.
pub(super) fn columns(
    array: Array,
    path: &Path,
) -> Result<(Vec<NamedScalars>, Vec<String>), Error> {
    if is_on_its_side(&array) {
        let message = format!(
            "{NAME} has the shape (3, {}), but every particle needs a row; save its transpose, `array.T`",
            array.components
        );
        return Err(Error::malformed(path, Place::File, message));
    }
    let Array { components, values, .. } = array;
    let names = text_points::guessed_names(components);
    let columns = names.into_iter().enumerate().map(|(place, name)| NamedScalars {
        name,
        values: values.component(place, components),
        color_scale: 1.0,
    });
    let note = (components > 3).then(|| text_points::guessed(components, "the array has no names"));
    Ok((columns.collect(), note.into_iter().collect()))
}

/// The columns of a field: the parts of a vector have names that are put together again.
fn components(field: Field) -> Vec<NamedScalars> {
    let Field { name, components, values } = field;
    let of = |part: usize| match components {
        1 => name.clone(),
        2..=4 => format!("{name}_{}", ["x", "y", "z", "w"][part]),
        _ => format!("{name}_{part}"),
    };
    let column = |part| NamedScalars {
        name: of(part),
        values: values.component(part, components),
        color_scale: 1.0,
    };
    (0..components).map(column).collect()
}
