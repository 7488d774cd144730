//! `whitecap surface`: a closed surface around particles.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::TriMesh;
use whitecap_io::Kind;
use whitecap_surface::{MeshReport, SurfaceSettings, Surfaced, surface_particles};

use super::convert::write_level_set;
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::{self, FramePair};
use crate::memory::peak_bytes;
use crate::progress::Progress;
use crate::session::{FrameWatch, Session};
use crate::setting_flags::SettingFlags;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap surface splash.bgeo -o splash.ply
  whitecap surface splash.vtk -o splash.obj --method zhu-bridson --radius 0.01 --cell 0.008
  whitecap surface 'sim/frame.####.bgeo' -o 'out/surface.####.ply' --attributes velocity,normal
  whitecap surface splash.bgeo -o splash.ply --check --json

The mesh is closed, 2-manifold and oriented outwards. An output called .vdb gets the signed
distance to it instead. Folders of the output are made; every file is written whole or not at all.";

/// Its arguments and help.
pub fn command() -> Command {
    let input = Arg::new("input")
        .value_name("IN")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("Particles: a file, or a sequence such as sim/frame.####.bgeo");
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("OUT")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The mesh: a file, or a sequence if IN is one");
    let check = Arg::new("check")
        .long("check")
        .action(ArgAction::SetTrue)
        .help("Measure each mesh: components, open edges, volume; fail if it is not closed");
    Command::new("surface")
        .about("Puts a closed surface around particles")
        .after_help(EXAMPLES)
        .args([input, output, frames::frames_flag(), check, json_flag()])
        .args(SettingFlags::of::<SurfaceSettings>().arguments())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let (input, output) = (path("input"), path("output"));
    let settings: SurfaceSettings = SettingFlags::of::<SurfaceSettings>().read(matches)?;
    let kind = format_choice::writes_one_of(&output, &[Kind::Mesh, Kind::Volume])?;
    let job = Job { settings, kind, check: matches.get_flag("check"), session };
    let (is_sequence, pairs) = frames::pairs(matches, &input, &output)?;
    let made = job.all(&pairs)?;
    Ok(match is_sequence {
        false => single_answer(&made[0]),
        true => sequence_answer(&made, &output),
    })
}

/// What is to be done with every frame.
struct Job<'a> {
    settings: SurfaceSettings,
    kind: Kind,
    check: bool,
    session: &'a Session,
}

/// What was made of one frame.
struct Made {
    pair: FramePair,
    particles: usize,
    surfaced: Lengths,
    vertices: usize,
    triangles: usize,
    seconds: f64,
    surfacing_seconds: f64,
    report: Option<MeshReport>,
    notes: Vec<String>,
}

struct Lengths {
    radius: f32,
    cell: f32,
    support: f32,
}

impl Job<'_> {
    fn all(&self, pairs: &[FramePair]) -> Result<Vec<Made>, Failure> {
        let progress = Progress::new(self.session, pairs.len());
        let mut made: Vec<Made> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let done = made.len();
            let name = match pairs.len() {
                1 => pair.input.display().to_string(),
                _ => format!("frame {}", pair.frame),
            };
            let on_progress = |fraction: f32| progress.within(done, fraction, &name);
            match self.one(pair, &on_progress)? {
                Some(frame) => made.push(frame),
                None => return Err(cancelled(done, pairs)),
            }
            for note in made.last().into_iter().flat_map(|frame| &frame.notes) {
                // A note that every frame repeats is told once.
                if !made[..done].iter().any(|earlier| earlier.notes.contains(note)) {
                    progress.note(self.session, &format!("note: {name}: {note}"));
                }
            }
            progress.finished(made.len(), &name, None);
        }
        Ok(made)
    }

    /// Reads, surfaces and writes one frame; `None` if it was cancelled before the write.
    fn one(
        &self,
        pair: &FramePair,
        on_progress: &(dyn Fn(f32) + Sync),
    ) -> Result<Option<Made>, Failure> {
        if self.session.cancel.is_cancelled() {
            return Ok(None);
        }
        let started = Instant::now();
        let particles = whitecap_io::read_particles(&pair.input)?;
        let surfacing = Instant::now();
        let watch = FrameWatch { cancel: &self.session.cancel, on_progress };
        let surfaced = match surface_particles(&particles, &self.settings, &watch) {
            Ok(surfaced) => surfaced,
            Err(whitecap_surface::Error::Cancelled) => return Ok(None),
            Err(error) => return Err(Failure::about(&pair.input, error)),
        };
        let surfacing_seconds = surfacing.elapsed().as_secs_f64();
        let Surfaced { mesh, notes, radius, cell, support } = surfaced;
        self.write(&pair.output, &mesh, cell)?;
        let seconds = started.elapsed().as_secs_f64();
        let report = self.check.then(|| whitecap_surface::report(&mesh));
        if let Some(report) = report.as_ref().filter(|report| !report.is_closed_manifold()) {
            return Err(Failure::about(
                &pair.output,
                format!(
                    "the mesh is not closed: {} open and {} non-manifold edges; please report this",
                    report.open_edges, report.non_manifold_edges
                ),
            ));
        }
        Ok(Some(Made {
            pair: pair.clone(),
            particles: particles.len(),
            surfaced: Lengths { radius, cell, support },
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            seconds,
            surfacing_seconds,
            report,
            notes,
        }))
    }

    fn write(&self, path: &Path, mesh: &TriMesh, cell: f32) -> Result<(), Failure> {
        match self.kind {
            Kind::Volume => write_level_set(path, mesh, cell),
            _ => Ok(whitecap_io::write_mesh(path, mesh)?),
        }
    }
}

/// Says how far it came, and how to continue.
pub fn cancelled(done: usize, pairs: &[FramePair]) -> Failure {
    let (next, last) = (pairs[done].frame, pairs[pairs.len() - 1].frame);
    Failure::Cancelled(match pairs.len() {
        1 => String::from("Cancelled: nothing was written."),
        total => format!(
            "Cancelled: {done} of {total} frames are written. To continue, add --frames {next}-{last} to the same command."
        ),
    })
}

impl Made {
    fn json(&self) -> Value {
        let Lengths { radius, cell, support } = self.surfaced;
        let mut object = json!({
            "input": self.pair.input,
            "output": self.pair.output,
            "particles": self.particles,
            "radius": short(radius),
            "cell": short(cell),
            "support": short(support),
            "vertices": self.vertices,
            "triangles": self.triangles,
            "seconds": self.seconds,
            "surfacing_seconds": self.surfacing_seconds,
            "peak_bytes": peak_bytes(),
            "notes": self.notes,
        });
        if let Some(report) = &self.report {
            super::check::add_report(&mut object, report);
        }
        object
    }

    fn sentence(&self) -> String {
        format!(
            "{} particles became {} triangles in {}; the surface is in {}.\n{}",
            self.particles,
            self.triangles,
            wording::duration(self.seconds),
            self.pair.output.display(),
            self.report.as_ref().map_or_else(String::new, super::check::describe)
        )
    }
}

/// A single-precision number with the digits a person would write.
fn short(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

fn single_answer(made: &Made) -> Answer {
    Answer::done(made.sentence(), made.json())
}

fn sequence_answer(made: &[Made], output: &Path) -> Answer {
    let sum = |number: fn(&Made) -> usize| made.iter().map(number).sum::<usize>();
    let time = |seconds: fn(&Made) -> f64| made.iter().map(seconds).sum::<f64>();
    let frames: Vec<Value> = made
        .iter()
        .map(|frame| {
            let mut object = frame.json();
            object["frame"] = json!(frame.pair.frame);
            object
        })
        .collect();
    let mut object = json!({
        "output": output,
        "particles": sum(|frame| frame.particles),
        "vertices": sum(|frame| frame.vertices),
        "triangles": sum(|frame| frame.triangles),
        "seconds": time(|frame| frame.seconds),
        "surfacing_seconds": time(|frame| frame.surfacing_seconds),
        "peak_bytes": peak_bytes(),
        "frames": frames,
    });
    if made.iter().all(|frame| frame.report.is_some()) {
        let reports = || made.iter().filter_map(|frame| frame.report.as_ref());
        object["open_edges"] = json!(reports().map(|report| report.open_edges).sum::<usize>());
        object["non_manifold_edges"] =
            json!(reports().map(|report| report.non_manifold_edges).sum::<usize>());
    }
    let text = format!(
        "{} with {} triangles in {}; the surfaces are in {}.\n",
        wording::count(made.len(), "frame"),
        sum(|frame| frame.triangles),
        wording::duration(time(|frame| frame.seconds)),
        output.display()
    );
    Answer::done(text, object)
}
