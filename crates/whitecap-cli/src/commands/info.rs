//! `whitecap info`: what is in a file or a sequence.

mod facts;

use std::borrow::Cow;
use std::path::Path;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};
use whitecap_core::glam::Vec3;
use whitecap_core::{Attributes, Bounds, Column, GridClass, GridValues, SparseGrid, Tile};
use whitecap_io::{Kind, Noted, Sequence, vdb};

use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice::{in_words, readable_extensions};
use crate::frames::{self, EVERY_KIND, Wanted};
use crate::plain_text;
use crate::progress::Progress;
use crate::session::Session;
use crate::wording::{self, number};

const EXAMPLES: &str = "\
Examples:
  whitecap info splash.bgeo
  whitecap info 'sim/frame.####.bgeo'
  whitecap info sim/
  whitecap info smoke.vdb --json

Lengths are in metres. The spacing of particles is the edge of the cube that one of them fills.";

/// Its arguments and help.
pub fn command() -> Command {
    let file = frames::input_argument("file", "FILE", "What to look at");
    Command::new("info")
        .about("Shows what is in files and sequences")
        .after_help(format!("{EXAMPLES}\n\nFormats:\n  {}", readable_extensions()))
        .args([file, json_flag()])
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let wanted = Wanted { kinds: &EVERY_KIND, outputs: &[] };
    let sequences = frames::sequences_of(matches, session, "file", &wanted)?;
    let progress = Progress::new(session, sequences.len());
    let mut answers = Vec::with_capacity(sequences.len());
    for (done, sequence) in sequences.iter().enumerate() {
        if session.cancel.is_cancelled() {
            return Err(Failure::Cancelled(String::from("Cancelled: nothing was changed.")));
        }
        let path = sequence.pattern();
        progress.within(done, 0.0, &path.display().to_string());
        let answer = match sequence.is_single() {
            true => file(&path).map(|json| Answer::report(text(&json), json)),
            false => of_sequence(&path, sequence),
        };
        match answer {
            Err(failure) if sequences.len() == 1 => return Err(failure),
            Err(failure) => answers.push(Answer::unreadable(&path, &failure, session)),
            Ok(answer) => answers.push(answer),
        }
    }
    Ok(Answer::joined(answers))
}

fn of_sequence(pattern: &Path, sequence: &Sequence) -> Result<Answer, Failure> {
    let existing = sequence.existing()?;
    let (Some(first), Some(last)) = (existing.first(), existing.last()) else {
        return Err(Failure::about(pattern, "no file matches"));
    };
    let gaps: Vec<[i64; 2]> = existing
        .windows(2)
        .filter(|pair| pair[1].0 > pair[0].0 + 1)
        .map(|pair| [pair[0].0 + 1, pair[1].0 - 1])
        .collect();
    let (first_file, last_file) = (file(&first.1)?, file(&last.1)?);
    let missing = match gaps.is_empty() {
        true => String::from("none missing"),
        false => {
            let ranges: Vec<String> = gaps
                .iter()
                .map(|[a, b]| if a == b { a.to_string() } else { format!("{a}-{b}") })
                .collect();
            format!("missing: {}", ranges.join(", "))
        }
    };
    let text = format!(
        "{}\n  {}, {} to {}, {missing}\nFirst: {}Last: {}",
        pattern.display(),
        wording::count(existing.len(), "frame"),
        first.0,
        last.0,
        text(&first_file),
        text(&last_file)
    );
    let json = json!({
        "pattern": wording::path(pattern),
        "frame_count": existing.len(),
        "first": first.0,
        "last": last.0,
        "missing": gaps,
        "first_file": first_file,
        "last_file": last_file,
    });
    Ok(Answer::report(text, json))
}

/// Everything about one file.
fn file(path: &Path) -> Result<Value, Failure> {
    let kind = whitecap_io::kind_of(path)?;
    let mut object = json!({
        "file": wording::path(path),
        "format": whitecap_io::FormatInfo::of(path).map(|info| info.name),
        "kind": in_words(kind),
        "bytes": std::fs::metadata(path).map(|found| found.len()).ok(),
    });
    let details = match kind {
        Kind::Particles => {
            let Noted { data: particles, notes } = whitecap_io::read_particles_noted(path)?;
            let finite = finite(particles.positions());
            json!({
                "particles": particles.len(),
                "not_finite": not_finite(particles.positions()),
                "bounds_metres": bounds(&finite),
                "spacing_metres": whitecap_surface::particle_spacing(&finite).map(short),
                "facts": facts::json(particles.facts()),
                "attributes": attributes(particles.attributes()),
                "notes": notes,
            })
        }
        Kind::Mesh => {
            let Noted { data: mesh, notes } = whitecap_io::read_mesh_noted(path)?;
            json!({
                "vertices": mesh.positions().len(),
                "triangles": mesh.triangles().len(),
                "not_finite": not_finite(mesh.positions()),
                "bounds_metres": bounds(&finite(mesh.positions())),
                "attributes": attributes(mesh.attributes()),
                "notes": notes,
            })
        }
        Kind::Volume => {
            let (volume, skipped) = vdb::read_all(path)?;
            let grids: Vec<Value> = volume
                .grids
                .iter()
                .map(|grid| match &grid.values {
                    GridValues::Scalar(values) => {
                        grid_json(&grid.name, grid.class, "scalar", values, |v| [v])
                    }
                    GridValues::Vector(values) => {
                        grid_json(&grid.name, grid.class, "vector of 3", values, |v| v.to_array())
                    }
                })
                .collect();
            let skipped: Vec<Value> = skipped
                .iter()
                .map(|grid| json!({ "name": grid.name, "type": grid.kind }))
                .collect();
            json!({ "grids": grids, "skipped_grids": skipped })
        }
    };
    if let (Value::Object(object), Value::Object(details)) = (&mut object, details) {
        object.extend(details);
    }
    Ok(object)
}

/// A single-precision number with the digits a person would write; null if it is not finite.
fn short(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().ok().filter(|value| value.is_finite()))
}

/// The positions that are numbers.
fn finite(positions: &[Vec3]) -> Cow<'_, [Vec3]> {
    match positions.iter().all(|position| position.is_finite()) {
        true => Cow::Borrowed(positions),
        false => positions.iter().copied().filter(|position| position.is_finite()).collect(),
    }
}

/// How many positions are not finite, and which is the first; null if all are.
fn not_finite(positions: &[Vec3]) -> Value {
    let is_wrong = |position: &Vec3| !position.is_finite();
    positions.iter().position(is_wrong).map_or(Value::Null, |first| {
        let count = positions.iter().filter(|position| is_wrong(position)).count();
        json!({ "count": count, "first": first })
    })
}

fn bounds(positions: &[Vec3]) -> Value {
    let bounds = Bounds::of(positions);
    match bounds.is_empty() {
        true => Value::Null,
        false => json!({
            "min": bounds.min.to_array().map(short),
            "max": bounds.max.to_array().map(short),
        }),
    }
}

fn attributes(attributes: &Attributes) -> Value {
    let describe = |(name, column): (&str, &Column)| {
        let range = match column {
            Column::I32(values) => whole_range(values.iter().map(|&v| i64::from(v))),
            Column::I64(values) => whole_range(values.iter().copied()),
            Column::F32(values) => range(values.iter().map(|v| [*v])),
            Column::Vec2(values) => range(values.iter().map(|v| v.to_array())),
            Column::Vec3(values) => range(values.iter().map(|v| v.to_array())),
            Column::Vec4(values) => range(values.iter().map(|v| v.to_array())),
        };
        let mut object = json!({ "name": name, "type": column.type_name(), "range": range });
        let count = non_finite(column);
        if count > 0 {
            object["not_finite"] = json!(count);
        }
        object
    };
    attributes.iter().map(describe).collect()
}

/// How many values have a component that is not a finite number.
fn non_finite(column: &Column) -> usize {
    match column {
        Column::F32(values) => values.iter().filter(|v| !v.is_finite()).count(),
        Column::Vec2(values) => values.iter().filter(|v| !v.is_finite()).count(),
        Column::Vec3(values) => values.iter().filter(|v| !v.is_finite()).count(),
        Column::Vec4(values) => values.iter().filter(|v| !v.is_finite()).count(),
        Column::I32(_) | Column::I64(_) => 0,
    }
}

fn whole_range(values: impl Iterator<Item = i64> + Clone) -> Value {
    json!([values.clone().min(), values.max()])
}

/// Smallest and largest value of each component, of the values that are numbers.
fn range<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Value {
    let finite = values.filter(|value| value.iter().all(|number| number.is_finite()));
    let extremes = finite.fold(None, |extremes, value| {
        let (mut least, mut most) = extremes.unwrap_or((value, value));
        for place in 0..N {
            least[place] = least[place].min(value[place]);
            most[place] = most[place].max(value[place]);
        }
        Some((least, most))
    });
    let list = |values: [f32; N]| match values[..] {
        [only] => short(only),
        _ => values.into_iter().map(short).collect(),
    };
    extremes.map_or(Value::Null, |(least, most)| json!([list(least), list(most)]))
}

fn grid_json<T: Copy + Send + Sync, const N: usize>(
    name: &str,
    class: GridClass,
    type_name: &str,
    grid: &SparseGrid<T>,
    components: impl Fn(T) -> [f32; N],
) -> Value {
    let stored = grid.tiles().iter().flat_map(|tile| match tile {
        Tile::Constant(value) => std::slice::from_ref(value),
        Tile::Dense(values) => &values[..],
    });
    let values = std::iter::once(grid.background()).chain(stored.copied());
    let dense = grid.tiles().iter().filter(|tile| tile.dense().is_some()).count();
    let lattice = grid.lattice();
    let class = match class {
        GridClass::LevelSet => "level set",
        GridClass::Fog => "fog",
        GridClass::Staggered => "staggered",
        GridClass::Unknown => "unknown",
    };
    json!({
        "name": name,
        "type": type_name,
        "class": class,
        "cell_metres": short(lattice.cell),
        "origin_metres": lattice.origin.to_array().map(short),
        "tiles": grid.tiles().len(),
        "dense_tiles": dense,
        "range": range(values.map(components)),
    })
}

/// What a person reads, from the same object that a program gets.
fn text(object: &Value) -> String {
    let word = |key: &str| plain_text::name(object[key].as_str().unwrap_or("?"));
    let mut lines = vec![format!("{}: {} ({})", word("file"), word("kind"), word("format"))];
    if let Some(bytes) = object["bytes"].as_u64() {
        lines.push(format!("  {}", wording::bytes(bytes)));
    }
    for key in ["particles", "vertices", "triangles"] {
        if let Some(count) = object[key].as_u64() {
            lines.push(format!("  {}", wording::of_plural(count as f64, key)));
        }
    }
    if let Some(count) = object["not_finite"]["count"].as_u64() {
        let what = if object["particles"].is_u64() { "particle" } else { "vertex" };
        let first = &object["not_finite"]["first"];
        lines.push(match count {
            1 => format!("  the position of {what} {first} is not finite; it is left out below"),
            _ => format!(
                "  {count} positions are not finite, the first that of {what} {first}; they are left out below"
            ),
        });
    }
    if object["bounds_metres"].is_object() {
        let corner = |key: &str| value_text(&object["bounds_metres"][key]);
        lines.push(format!("  bounds {} to {} m", corner("min"), corner("max")));
    }
    if let Some(spacing) = object["spacing_metres"].as_f64() {
        let radius = number(spacing / 2.0);
        lines.push(format!("  spacing about {} m (radius {radius} m)", number(spacing)));
    }
    lines.extend(facts::lines(&object["facts"]));
    for attribute in object["attributes"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", named_range(attribute)));
    }
    for grid in object["grids"].as_array().into_iter().flatten() {
        lines.push(format!(
            "  {}, {}, cell {} m, {} ({} dense)",
            named_range(grid),
            grid["class"].as_str().unwrap_or("?"),
            value_text(&grid["cell_metres"]),
            wording::of_plural(grid["tiles"].as_f64().unwrap_or(0.0), "tiles"),
            grid["dense_tiles"]
        ));
    }
    for grid in object["skipped_grids"].as_array().into_iter().flatten() {
        let word = |key: &str| plain_text::name(grid[key].as_str().unwrap_or("?"));
        lines.push(format!("  {}: {}, not read", word("name"), word("type")));
    }
    for note in object["notes"].as_array().into_iter().flatten() {
        lines.push(format!("  note: {}", plain_text::name(note.as_str().unwrap_or("?"))));
    }
    lines.join("\n") + "\n"
}

/// `velocity: vector of 3, (0, -4, 0) to (0, 0, 0)`.
fn named_range(object: &Value) -> String {
    let word = |key: &str| plain_text::name(object[key].as_str().unwrap_or("?"));
    let not_finite = match object["not_finite"].as_u64() {
        Some(count) => format!("; {count} not finite"),
        None => String::new(),
    };
    let range = match &object["range"] {
        Value::Array(range) => format!(", {} to {}", value_text(&range[0]), value_text(&range[1])),
        _ => String::new(),
    };
    format!("{}: {}{range}{not_finite}", word("name"), word("type"))
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(value_text).collect();
            format!("({})", parts.join(", "))
        }
        Value::Number(whole) if whole.is_i64() => whole.to_string(),
        other => other.as_f64().map_or_else(|| String::from("not finite"), number),
    }
}
