//! `whitecap convert`: the same data in another format, other units, or under other names.

mod flags;
mod moving;

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::{Bounds, GridClass, GridValues, SparseGrid, TriMesh, Volume};
use whitecap_io::changes::Changes;
use whitecap_io::{Format, FormatInfo, FrameRange, Kind, formats, vdb};
use whitecap_surface::{LevelSetError, distance_volume, marching_cubes};

use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice::{extensions_for, in_words};
use crate::frames::{self, EVERY_KIND, FramePair, Wanted};
use crate::progress::Progress;
use crate::session::Session;
use crate::wording;
use moving::Reading;

/// Fewer cells than this across a mesh do not show its shape.
const CELLS_ACROSS: f32 = 4.0;

const EXAMPLES: &str = "\
Examples:
  whitecap convert splash.bgeo splash.vtu
  whitecap convert 'sim/frame.####.vtk' 'out/frame.####.npz'
  whitecap convert bunny.obj bunny.vdb --cell 0.01
  whitecap convert bunny.vdb bunny.ply
  whitecap convert scan.stl scan.ply --scale mm --up z --flip-normals
  whitecap convert 'sim/*.csv' 'out/frame.####.bgeo' --rename vel=velocity --drop pressure
  whitecap convert sim/ 'out/frame.####.bgeo' --frames 1-100x5 --fps 24

Columns are renamed first, then velocities made (--fps), columns left out, and everything is
scaled, turned and moved, in this order. Particles stay particles and meshes stay meshes; a mesh
becomes a signed distance field in a .vdb file (--cell), and a level set in a .vdb file becomes a
mesh. Particles become a mesh with `whitecap surface`.";

/// Its arguments and help.
pub fn command() -> Command {
    let path = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name)
            .value_name(value_name)
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    let format = Arg::new("format")
        .long("format")
        .value_name("NAME")
        .value_parser(PossibleValuesParser::new(
            formats().iter().filter(|info| !info.writes.is_empty()).map(|info| info.name),
        ))
        .help("Write this format, regardless of the extension of OUT");
    let cell = Arg::new("cell")
        .long("cell")
        .value_name("NUMBER")
        .value_parser(parse_cell)
        .help("Distance between grid nodes, when a mesh becomes a level set [unit: m]");
    let grid = Arg::new("grid")
        .long("grid")
        .value_name("NAME")
        .help("Which grid of a .vdb file becomes a mesh [default: the first level set]");
    Command::new("convert")
        .about("Writes particles, meshes and volumes in another format")
        .after_help(EXAMPLES)
        .args([
            frames::input_argument("input", "IN", "What to convert"),
            path("output", "OUT", "The file to write, or a sequence if IN is one"),
            format,
            cell,
            grid,
            frames::frames_flag(),
            json_flag(),
        ])
        .args(flags::arguments())
}

fn parse_cell(text: &str) -> Result<f32, String> {
    let cell: Option<f32> = text.parse().ok();
    cell.filter(|cell| *cell > 0.0 && cell.is_finite())
        .ok_or_else(|| "it must be a positive length in metres".to_string())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let output = path("output");
    let named = matches.get_one::<String>("format").and_then(|name| Format::named(name));
    let format = named
        .map(Format::info)
        .or_else(|| whitecap_io::FormatInfo::of(&output))
        .ok_or_else(|| {
            let every = extensions_for(&[Kind::Particles, Kind::Mesh, Kind::Volume]);
            Failure::Usage(format!("{}: unknown format; use one of {every}", output.display()))
        })?;
    let (changes, rate) = (flags::changes(matches), matches.get_one::<f64>("fps").copied());
    let conversion = Conversion {
        format,
        cell: matches.get_one::<f32>("cell").copied(),
        grid: matches.get_one::<String>("grid").cloned(),
        changes: Changes { renamed: Vec::new(), ..changes.clone() },
        makes_velocities: rate.is_some(),
    };
    let wanted = Wanted { kinds: &EVERY_KIND, outputs: std::slice::from_ref(&output) };
    let files = frames::inputs(matches, session, "input", &wanted)?;
    let pairs = frames::pairs(&files, &output)?;
    let reading = Reading::new(&changes, rate, &files.sequence)?;
    let progress = Progress::new(session, pairs.len());
    let mut kind = Kind::Particles;
    for (done, pair) in pairs.iter().enumerate() {
        if session.cancel.is_cancelled() {
            return Err(cancelled(done, &pairs, matches.get_one("frames")));
        }
        progress.within(done, 0.0, &pair.input.display().to_string());
        kind = conversion.convert(pair, &reading, session).map_err(|failure| match failure {
            Failure::Cancelled(_) => cancelled(done, &pairs, matches.get_one("frames")),
            other => other,
        })?;
        progress.finished(done + 1, &format!("frame {}", pair.frame), None);
    }
    drop(progress);
    let notes = reading.into_notes();
    notes.tell(session);
    let written: Vec<Value> = pairs
        .iter()
        .map(|pair| json!({ "frame": pair.frame, "input": wording::path(&pair.input), "output": wording::path(&pair.output) }))
        .collect();
    let what =
        if files.is_sequence() { wording::count(pairs.len(), "frame") } else { "Written".into() };
    let text = format!("{what}: {} as {}, {}.\n", in_words(kind), format.name, output.display());
    let json = json!({
        "output": wording::path(&output), "kind": in_words(kind), "format": format.name,
        "files": written, "missing_frames": files.missing, "notes": notes.json(),
    });
    Ok(Answer::done(text, json))
}

/// Says how far the conversion got, and how to continue.
fn cancelled(done: usize, pairs: &[FramePair], asked: Option<&FrameRange>) -> Failure {
    let (first, last) = (pairs[done].frame, pairs[pairs.len() - 1].frame);
    let next = FrameRange { first, last, step: asked.map_or(1, |range| range.step) };
    let how = match asked {
        Some(_) => format!("write --frames {next} in"),
        None => format!("add --frames {next} to"),
    };
    Failure::Cancelled(match pairs.len() {
        1 => String::from("Cancelled: nothing was written."),
        total => format!(
            "Cancelled: {done} of {} written. To continue, {how} the same command.",
            wording::count(total, "frame")
        ),
    })
}

/// Says so if cells are too large to hold the shape of a mesh.
fn too_coarse(mesh: &TriMesh, cell: f32) -> Option<String> {
    let size = Bounds::of(mesh.positions()).size();
    let thin = size.min_element();
    (thin > 0.0 && thin < CELLS_ACROSS * cell).then(|| {
        format!(
            "cells of {cell} m are large for a mesh that is {} m thick: it may lose its shape; try --cell {}",
            wording::number(f64::from(thin)),
            wording::number(f64::from(thin / (4.0 * CELLS_ACROSS))),
        )
    })
}

struct Conversion {
    format: &'static FormatInfo,
    cell: Option<f32>,
    grid: Option<String>,
    /// All but what reading has renamed.
    changes: Changes,
    makes_velocities: bool,
}

impl Conversion {
    /// Converts one file; returns what was written.
    fn convert(
        &self,
        pair: &FramePair,
        reading: &Reading,
        session: &Session,
    ) -> Result<Kind, Failure> {
        let FramePair { input, output, .. } = pair;
        let kind = whitecap_io::kind_of(input)?;
        let writes = |kind: Kind| self.format.writes.contains(&kind);
        let told = |error| moving::about(input, error);
        if kind == Kind::Volume && self.makes_velocities {
            return Err(Failure::about(
                input,
                "--fps makes velocities of particles and meshes, but this holds a volume",
            ));
        }
        match kind {
            Kind::Particles if writes(Kind::Particles) => {
                let particles = self.changes.particles(&reading.particles(pair)?).map_err(told)?;
                whitecap_io::write_particles_as(output, self.format.format, &particles)?;
                Ok(Kind::Particles)
            }
            Kind::Mesh if writes(Kind::Mesh) => {
                let mesh = self.changes.mesh(&reading.mesh(pair)?).map_err(told)?;
                whitecap_io::write_mesh_as(output, self.format.format, &mesh)?;
                Ok(Kind::Mesh)
            }
            Kind::Mesh if writes(Kind::Volume) => {
                let cell = self.cell.ok_or_else(|| {
                    Failure::Usage(format!(
                        "{}: to turn a mesh into a level set, give the distance between grid nodes in metres with --cell",
                        input.display()
                    ))
                })?;
                let mesh = self.changes.mesh(&reading.mesh(pair)?).map_err(told)?;
                if let Some(note) = too_coarse(&mesh, cell) {
                    reading.note(input, note);
                }
                let volume = distance_volume(&mesh, cell, &session.watch());
                let volume = volume.map_err(|error| match error {
                    LevelSetError::Cancelled => Failure::Cancelled(String::new()),
                    other => Failure::about(input, other),
                })?;
                vdb::write(output, &volume)?;
                Ok(Kind::Volume)
            }
            Kind::Volume if writes(Kind::Volume) => {
                vdb::write(output, &reading.volume(input, &self.changes)?)?;
                Ok(Kind::Volume)
            }
            Kind::Volume if writes(Kind::Mesh) => {
                let changes = Changes { flipped: false, ..self.changes.clone() };
                let volume = reading.volume(input, &changes)?;
                let mesh = marching_cubes::extract(self.level_set(&volume, input)?);
                let mesh = if self.changes.flipped { mesh.flipped() } else { mesh };
                whitecap_io::write_mesh_as(output, self.format.format, &mesh)?;
                Ok(Kind::Mesh)
            }
            _ => Err(self.cannot(kind, input)),
        }
    }

    /// The grid that becomes a mesh.
    fn level_set<'a>(
        &self,
        volume: &'a Volume,
        path: &Path,
    ) -> Result<&'a SparseGrid<f32>, Failure> {
        let chosen = match &self.grid {
            Some(name) => volume.grid(name),
            None => volume.grids.iter().find(|grid| grid.class == GridClass::LevelSet),
        };
        let names: Vec<&str> = volume.grids.iter().map(|grid| grid.name.as_str()).collect();
        match chosen.map(|grid| &grid.values) {
            Some(GridValues::Scalar(grid)) if grid.background() > 0.0 => Ok(grid),
            Some(_) => Err(Failure::about(
                path,
                "this grid is not a signed distance: it must be scalar and positive outside",
            )),
            None => Err(Failure::about(
                path,
                format!("there is no such level set; the grids are {}", names.join(", ")),
            )),
        }
    }

    fn cannot(&self, kind: Kind, input: &Path) -> Failure {
        if self.format.writes.is_empty() {
            return Failure::Usage(format!(
                "{} holds {}, but .{} files are only read, not written; use one of {}",
                input.display(),
                in_words(kind),
                self.format.extensions[0],
                extensions_for(&[kind])
            ));
        }
        let advice = match kind {
            Kind::Particles if self.format.writes.contains(&Kind::Mesh) => {
                String::from("use `whitecap surface` to put a surface around them")
            }
            kind => format!("use one of {}", extensions_for(&[kind])),
        };
        Failure::Usage(format!(
            "{} holds {}, which the format {} cannot hold; {advice}",
            input.display(),
            in_words(kind),
            self.format.name
        ))
    }
}
