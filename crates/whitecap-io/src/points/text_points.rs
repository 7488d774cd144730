//! Particles as plain text: CSV, and XYZ.
//!
//! # Guarantees
//! * CSV: the first row names the columns ([the table](crate#attributes) says how names become
//!   vectors); separated by commas, semicolons, tabs or spaces. A column of whole numbers without a
//!   decimal point is an integer column; what is written keeps a decimal point on every real.
//!   Lines that begin with `#` are comments. If the first row has numbers only, the last comment
//!   before it names the columns; without one they are `x y z`, then `vx vy vz` if there are six or
//!   more, and a note says so. `true` and `false` are 1 and 0. A column whose first row is a text is
//!   left out, and a note says so; one without a name is called `index`.
//! * XYZ: three or more numbers per line. Lines that begin with `#` are comments; the last one
//!   before the data names the columns if it has as many words as there are columns. The count and comment
//!   lines and the element symbols of chemistry's XYZ are accepted.
//! * Numbers are written with as many digits as they need to be read back exactly.
//!
//! # Non-guarantees
//! XYZ columns without names are called `column_4`, `column_5`, …; texts are not read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use whitecap_core::{Column, Particles};

use crate::attributes::component_names::{self, NamedScalars};
use crate::encoding::scalar::Values;
use crate::encoding::tokens::{parse_integer, parse_real, shown};
use crate::{Error, Noted, Place, attributes::point_table};

/// Reads a CSV file.
pub fn parse_csv(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let message = "this is text in UTF-16; save it as UTF-8";
        return Err(Error::unsupported(path, message));
    }
    let mut notes = Vec::new();
    let mut comment = None;
    let mut table: Option<(Separator, TextColumns)> = None;
    for (line, row) in content_lines(bytes) {
        if let Some(text) = row.strip_prefix(b"#") {
            comment = Some(text);
            continue;
        }
        if let Some((separator, columns)) = &mut table {
            columns.push_row(line, separator.fields(row))?;
            continue;
        }
        let separator = Separator::of(row);
        let first: Vec<&[u8]> = separator.fields(row).collect();
        if first.iter().any(|field| parse_real(field).is_none()) {
            let names = first.into_iter().map(column_name).collect();
            table = Some((separator, TextColumns::new(names, path)?));
            continue;
        }
        let names = comment.map(|text| Separator::of(text).fields(text).map(column_name).collect());
        let names = match names.filter(|names: &Vec<String>| names.len() == first.len()) {
            Some(names) => names,
            None => {
                notes.push(guessed(first.len(), "there is no row of names"));
                guessed_names(first.len())
            }
        };
        let mut columns = TextColumns::new(names, path)?;
        columns.push_row(line, first.into_iter())?;
        table = Some((separator, columns));
    }
    let columns = match (table, comment) {
        (Some((_, columns)), _) => columns,
        // Nothing but a comment: names without rows.
        (None, Some(text)) => {
            TextColumns::new(Separator::of(text).fields(text).map(column_name).collect(), path)?
        }
        (None, None) => {
            let message = "the file is empty; its first row must name columns";
            return Err(Error::malformed(path, Place::File, message));
        }
    };
    notes.extend(columns.left_out());
    Ok(Noted { data: columns.into_particles()?, notes })
}

/// What stands between the fields of a row.
#[derive(Clone, Copy)]
enum Separator {
    Byte(u8),
    Space,
}

impl Separator {
    /// The first separator of a row; white space if there is no other.
    fn of(row: &[u8]) -> Self {
        let found = row.iter().find(|byte| b",;\t".contains(byte));
        found.map_or(Separator::Space, |&byte| Separator::Byte(byte))
    }

    fn fields(self, row: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut is_quoted = false;
        // A space is white space in front of a field, too, and then the field before it is empty.
        let ends = move |byte: &u8| {
            is_quoted ^= *byte == b'"';
            match self {
                _ if is_quoted => false,
                Separator::Byte(separator) => *byte == separator,
                Separator::Space => byte.is_ascii_whitespace(),
            }
        };
        let keeps_empty = matches!(self, Separator::Byte(_));
        row.split(ends).map(unquoted).filter(move |field| keeps_empty || !field.is_empty())
    }
}

/// The names of columns that have none in a CSV file: positions, and velocities if there are enough.
pub(crate) fn guessed_names(count: usize) -> Vec<String> {
    let mut names = default_names(count);
    if count >= 6 {
        ["vx", "vy", "vz"].iter().zip(&mut names[3..]).for_each(|(v, name)| *name = v.to_string());
    }
    names
}

/// Says how columns without names were understood.
pub(crate) fn guessed(count: usize, why: &str) -> String {
    let (velocity, named) = if count >= 6 { (", then vx, vy, vz", 6) } else { ("", 3) };
    let rest = match count.saturating_sub(named) {
        0 => String::new(),
        1 => format!("; the last column is called column_{count}"),
        _ => format!("; the others are called column_{} to column_{count}", named + 1),
    };
    format!(
        "{why}, so the columns are taken as x, y, z{velocity}{rest}; if that is wrong, give them names"
    )
}

/// Reads an XYZ file.
pub fn parse_xyz(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
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
        Some(columns) => {
            let notes = columns.left_out().into_iter().collect();
            Ok(Noted { data: columns.into_particles()?, notes })
        }
        None => Ok(Noted::plain(Particles::default())),
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
    /// Columns of texts: their places.
    texts: BTreeSet<usize>,
    rows: usize,
}

impl<'a> TextColumns<'a> {
    fn new(names: Vec<String>, path: &'a Path) -> Result<Self, Error> {
        point_table::check_column_count(names.len(), path)?;
        let mut known = BTreeSet::new();
        if let Some(twice) = names.iter().find(|&name| !name.is_empty() && !known.insert(name)) {
            let message =
                format!("there are two columns `{}`; rename one", shown(twice.as_bytes()));
            return Err(Error::malformed(path, Place::File, message));
        }
        let columns = names.into_iter().map(|name| (name, Values::I64(Vec::new()))).collect();
        Ok(Self { path, columns, texts: BTreeSet::new(), rows: 0 })
    }

    fn push_row<'b>(
        &mut self,
        line: u64,
        fields: impl Iterator<Item = &'b [u8]>,
    ) -> Result<(), Error> {
        let malformed = |message| Error::malformed(self.path, Place::Line(line), message);
        let mut found = 0;
        for field in fields {
            let is_text = self.texts.contains(&found);
            if let Some((name, values)) = self.columns.get_mut(found).filter(|_| !is_text)
                && push_number(values, field).is_none()
            {
                let is_place = ["x", "y", "z"].contains(&name.as_str());
                let is_missing = field.is_empty() && !name.is_empty();
                if self.rows > 0 || is_place || is_missing {
                    return Err(malformed(not_a_number(name, field)));
                }
                self.texts.insert(found);
            }
            found += 1;
        }
        self.rows += 1;
        match found == self.columns.len() {
            true => Ok(()),
            false => Err(malformed(format!(
                "the row has {found} numbers where {} columns are expected",
                self.columns.len()
            ))),
        }
    }

    /// Says which columns are not read, if any.
    fn left_out(&self) -> Option<String> {
        let names: Vec<String> = (self.texts.iter().map(|&place| &self.columns[place].0))
            .filter(|name| !name.is_empty())
            .map(|name| format!("`{}`", shown(name.as_bytes())))
            .collect();
        match &names[..] {
            [] => None,
            [only] => Some(format!("the column {only} holds no numbers and is left out")),
            _ => Some(format!("the columns {} hold no numbers and are left out", names.join(", "))),
        }
    }

    fn into_particles(self) -> Result<Particles, Error> {
        let texts = self.texts;
        let has_index = self.columns.iter().any(|(name, _)| name == "index");
        let unnamed = if has_index { "unnamed" } else { "index" };
        let numbers = self.columns.into_iter().enumerate();
        let numbers = numbers.filter(|(place, _)| !texts.contains(place));
        let named = numbers.map(|(_, (name, values))| NamedScalars {
            // Tables with a column of row numbers give it no name.
            name: if name.is_empty() { String::from(unnamed) } else { name },
            values: narrowed(values),
            color_scale: 1.0,
        });
        component_names::group(named.collect(), self.path)?.into_particles(self.path)
    }
}

/// Why a field cannot be read.
fn not_a_number(name: &str, field: &[u8]) -> String {
    let has_comma = || {
        std::str::from_utf8(field).is_ok_and(|text| {
            text.contains(',') && parse_real(text.replace(',', ".").as_bytes()).is_some()
        })
    };
    match field {
        b"" => format!("column `{}` is empty in this row", shown(name.as_bytes())),
        _ => format!(
            "`{}` in column `{}` is not a number{}",
            shown(field),
            shown(name.as_bytes()),
            if has_comma() { "; decimals need a point" } else { "" }
        ),
    }
}

fn push_number(values: &mut Values, field: &[u8]) -> Option<()> {
    if let Values::I64(integers) = values {
        let truth = match field {
            b"true" | b"True" | b"TRUE" => Some(1),
            b"false" | b"False" | b"FALSE" => Some(0),
            _ => parse_integer(field),
        };
        if let Some(integer) = truth {
            integers.push(integer);
            return Some(());
        }
        parse_real(field)?;
        *values = Values::F32(integers.iter().map(|&value| value as f32).collect());
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
