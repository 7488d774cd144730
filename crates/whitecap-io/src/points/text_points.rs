//! Particles as plain text: CSV with a header row, and XYZ.
//!
//! # Guarantees
//! * CSV: the first row names the columns ([the table](crate#attributes) says how names become
//!   vectors); separated by commas, semicolons or tabs. A column of whole numbers without a decimal
//!   point is an integer column; what is written keeps a decimal point on every real.
//! * XYZ: three or more numbers per line. Lines that begin with `#` are comments; the last one
//!   before the data names the columns if it has as many words as there are columns. The count and comment
//!   lines and the element symbols of chemistry's XYZ are accepted.
//! * Numbers are written with as many digits as they need to be read back exactly.
//!
//! # Non-guarantees
//! XYZ columns without names are called `column_4`, `column_5`, …; texts are not read.

use std::fmt::Write as _;
use std::path::Path;

use whitecap_core::{Column, Particles};

use crate::attributes::component_names::{self, NamedScalars};
use crate::encoding::scalar::Values;
use crate::encoding::tokens::{parse_integer, parse_real, shown};
use crate::{Error, Place, attributes::point_table};

/// Reads a CSV file.
pub fn parse_csv(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let mut lines = content_lines(bytes);
    let (_, header) = lines.next().ok_or_else(|| {
        Error::malformed(path, Place::File, "the file is empty; its first row must name columns")
    })?;
    let separator = *header.iter().find(|byte| b",;\t".contains(byte)).unwrap_or(&b',');
    let names: Vec<String> = header.split(|&byte| byte == separator).map(column_name).collect();
    let mut columns = TextColumns::new(names, path)?;
    for (line, row) in lines {
        columns.push_row(line, row.split(|&byte| byte == separator).map(unquoted))?;
    }
    columns.into_particles()
}

/// Reads an XYZ file.
pub fn parse_xyz(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let mut names: Option<Vec<String>> = None;
    let mut columns: Option<TextColumns> = None;
    let mut has_label = false;
    for (index, (line, row)) in content_lines(bytes).enumerate() {
        let words: Vec<&[u8]> =
            row.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
        if let Some(comment) = row.strip_prefix(b"#") {
            names = Some(
                comment
                    .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
                    .filter(|word| !word.is_empty())
                    .map(column_name)
                    .collect(),
            );
            continue;
        }
        // The count, and the free comment after it, of a chemistry file.
        let is_preamble = columns.is_none()
            && ((index == 0 && words.len() == 1 && parse_integer(words[0]).is_some())
                || (index == 1 && !is_data_row(&words)));
        if is_preamble {
            continue;
        }
        if columns.is_none() {
            has_label = words.len() > 3 && parse_real(words[0]).is_none();
            let count = words.len() - usize::from(has_label);
            let names = names.take().filter(|names| names.len() == count);
            let names = names.unwrap_or_else(|| default_names(count));
            columns = Some(TextColumns::new(names, path)?);
        }
        if let Some(columns) = &mut columns {
            columns.push_row(line, words.into_iter().skip(usize::from(has_label)))?;
        }
    }
    match columns {
        Some(columns) => columns.into_particles(),
        None => Ok(Particles::default()),
    }
}

fn is_data_row(words: &[&[u8]]) -> bool {
    let numbers = words.iter().skip(1).filter(|word| parse_real(word).is_some()).count();
    let first = words.first().is_some_and(|word| parse_real(word).is_some());
    numbers + 1 == words.len() && (words.len() > 3 || (first && words.len() == 3))
}

fn default_names(count: usize) -> Vec<String> {
    let axes = ["x", "y", "z"].map(String::from).into_iter();
    axes.chain((4..=count).map(|column| format!("column_{column}"))).take(count).collect()
}

/// The lines that are not blank, with their numbers.
fn content_lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .split(|&byte| byte == b'\n')
        .zip(1..)
        .map(|(line, number)| (number, line.trim_ascii()))
        .filter(|(_, line)| !line.is_empty())
}

fn unquoted(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(field)
}

fn column_name(field: &[u8]) -> String {
    let name = String::from_utf8_lossy(unquoted(field)).into_owned();
    match name.as_str() {
        "X" | "Y" | "Z" => name.to_lowercase(),
        _ => name,
    }
}

/// Columns of numbers that are integers until a real is met.
struct TextColumns<'a> {
    path: &'a Path,
    columns: Vec<(String, Values)>,
}

impl<'a> TextColumns<'a> {
    fn new(names: Vec<String>, path: &'a Path) -> Result<Self, Error> {
        point_table::check_column_count(names.len(), path)?;
        let columns = names.into_iter().map(|name| (name, Values::I64(Vec::new()))).collect();
        Ok(Self { path, columns })
    }

    fn push_row<'b>(
        &mut self,
        line: u64,
        fields: impl Iterator<Item = &'b [u8]>,
    ) -> Result<(), Error> {
        let malformed = |message| Error::malformed(self.path, Place::Line(line), message);
        let mut found = 0;
        for field in fields {
            if let Some((name, values)) = self.columns.get_mut(found) {
                push_number(values, field).ok_or_else(|| {
                    malformed(format!("`{}` in column `{name}` is not a number", shown(field)))
                })?;
            }
            found += 1;
        }
        match found == self.columns.len() {
            true => Ok(()),
            false => Err(malformed(format!(
                "the row has {found} numbers where {} columns are expected",
                self.columns.len()
            ))),
        }
    }

    fn into_particles(self) -> Result<Particles, Error> {
        let named = self.columns.into_iter().map(|(name, values)| NamedScalars {
            name,
            values: narrowed(values),
            color_scale: 1.0,
        });
        component_names::group(named.collect(), self.path)?.into_particles(self.path)
    }
}

fn push_number(values: &mut Values, field: &[u8]) -> Option<()> {
    if let Values::I64(integers) = values {
        match parse_integer(field) {
            Some(integer) => {
                integers.push(integer);
                return Some(());
            }
            None => *values = Values::F32(integers.iter().map(|&value| value as f32).collect()),
        }
    }
    if let Values::F32(reals) = values {
        reals.push(parse_real(field)?);
    }
    Some(())
}

/// Integers in 32 bits where they all fit.
fn narrowed(values: Values) -> Values {
    match values {
        Values::I64(wide) => {
            let narrow: Result<Vec<i32>, _> = wide.iter().map(|&v| i32::try_from(v)).collect();
            narrow.map_or(Values::I64(wide), Values::I32)
        }
        other => other,
    }
}

/// A CSV file that holds `particles`.
pub fn to_csv(particles: &Particles) -> Vec<u8> {
    to_text(particles, ',', "")
}

/// An XYZ file that holds `particles`, with a comment that names the columns.
pub fn to_xyz(particles: &Particles) -> Vec<u8> {
    to_text(particles, ' ', "# ")
}

fn to_text(particles: &Particles, separator: char, lead: &str) -> Vec<u8> {
    let mut text = format!("{lead}x{separator}y{separator}z");
    for (name, column) in particles.attributes().iter() {
        for part in component_names::split(name, column) {
            text.push(separator);
            text.push_str(&part);
        }
    }
    text.push('\n');
    for (index, position) in particles.positions().iter().enumerate() {
        // The debug form of a float is the shortest that reads back exactly. Writing to a String
        // cannot fail.
        let _ =
            write!(text, "{:?}{separator}{:?}{separator}{:?}", position.x, position.y, position.z);
        for (_, column) in particles.attributes().iter() {
            push_value(&mut text, separator, column, index);
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn push_value(text: &mut String, separator: char, column: &Column, index: usize) {
    let mut reals = |values: &[f32]| {
        for value in values {
            let _ = write!(text, "{separator}{value:?}");
        }
    };
    match column {
        Column::F32(values) => reals(&[values[index]]),
        Column::Vec2(values) => reals(&values[index].to_array()),
        Column::Vec3(values) => reals(&values[index].to_array()),
        Column::Vec4(values) => reals(&values[index].to_array()),
        Column::I32(values) => {
            let _ = write!(text, "{separator}{}", values[index]);
        }
        Column::I64(values) => {
            let _ = write!(text, "{separator}{}", values[index]);
        }
    }
}
