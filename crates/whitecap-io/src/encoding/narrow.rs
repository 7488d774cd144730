//! Integer columns for formats whose integers have 32 bits.

use std::borrow::Cow;
use std::path::Path;

use whitecap_core::Column;

use crate::Error;

/// The values of an integer column in 32 bits. Fails, naming the attribute and the value, if one
/// does not fit; `format` names the format that cannot hold it.
///
/// # Panics
/// If the column does not hold integers.
pub(crate) fn integers<'a>(
    name: &str,
    column: &'a Column,
    format: &str,
    path: &Path,
) -> Result<Cow<'a, [i32]>, Error> {
    match column {
        Column::I32(values) => Ok(Cow::Borrowed(values)),
        Column::I64(values) => {
            let narrowed = values.iter().enumerate().map(|(index, &value)| {
                i32::try_from(value).map_err(|_| {
                    Error::unwritable(
                        path,
                        format!(
                            "value {index} of attribute `{name}` is {value}, but {format} holds only 32-bit integers; leave the attribute out, or write .npz, .vtk or .vtu"
                        ),
                    )
                })
            });
            narrowed.collect::<Result<Vec<i32>, Error>>().map(Cow::Owned)
        }
        _ => unreachable!("only integer columns are narrowed"),
    }
}
