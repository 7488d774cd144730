//! `whitecap check`: whether a mesh is closed, and its measurements; whether a shot file has
//! mistakes.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use whitecap_core::counted_as;
use whitecap_io::Kind;
use whitecap_surface::MeshReport;

use super::run;
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::file_notes::FileNotes;
use crate::frames::{self, InputFiles, Wanted};
use crate::progress::Progress;
use crate::session::Session;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap check splash.ply
  whitecap check meshes/
  whitecap check 'out/surface.####.ply' --json
  whitecap check splash.obj --self-intersections
  whitecap check drop.toml

Exit code 2 if a shot file has mistakes, 1 if a mesh is empty, open, non-manifold, inconsistently
oriented or inside out. Volume is in m³, area in m². Triangles that intersect each other are
counted, but do not fail the check.";

/// Its arguments and help.
pub fn command() -> Command {
    let file = frames::input_argument("file", "FILE", "A shot file, or meshes");
    let intersections = Arg::new("self-intersections")
        .long("self-intersections")
        .action(ArgAction::SetTrue)
        .help("Also count the triangles that intersect another one (slower)");
    Command::new("check")
        .about("Checks that a mesh is closed, or that a shot file has no mistakes")
        .after_help(EXAMPLES)
        .args([file, frames::frames_flag(), intersections, json_flag()])
}

/// One mesh that was checked.
struct Checked {
    frame: i64,
    path: PathBuf,
    report: MeshReport,
    self_intersections: Option<usize>,
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let inputs: Vec<&PathBuf> = matches.get_many("file").into_iter().flatten().collect();
    if let Some(input) = inputs.iter().find(|path| whitecap_io::has_extension(path, &["toml"])) {
        if inputs.len() > 1 {
            return Err(Failure::Usage(format!(
                "{} is a shot file; shot files are checked one at a time, each with a command of its own",
                input.display()
            )));
        }
        let shot = run::load(input)?;
        run::refuse_unsaved(&shot)?;
        return Ok(run::outline(&shot));
    }
    let wanted = Wanted { kinds: &[Kind::Mesh], outputs: &[] };
    let mut all = Vec::new();
    for sequence in frames::sequences_of(matches, session, "file", &wanted)? {
        let files = frames::files_of(matches, sequence)?;
        frames::note_missing(session, &files.sequence, &files.missing);
        all.push(files);
    }
    let progress = Progress::new(session, all.iter().map(|files| files.frames.len()).sum());
    let mut notes = FileNotes::default();
    let mut answers = Vec::with_capacity(all.len());
    let mut done = 0;
    for files in &all {
        match check_files(files, matches, session, &progress, &mut done, &mut notes) {
            Ok(answer) => answers.push(answer),
            Err(failure @ Failure::Work(_)) if all.len() > 1 => {
                answers.push(Answer::unreadable(&files.sequence.pattern(), &failure, session));
            }
            Err(failure) => return Err(failure),
        }
    }
    drop(progress);
    notes.tell(session);
    let mut answer = Answer::joined(answers);
    answer.json["good"] = json!(answer.good);
    answer.json["notes"] = notes.json();
    Ok(answer)
}

/// The answer about one file or sequence.
fn check_files(
    files: &InputFiles,
    matches: &ArgMatches,
    session: &Session,
    progress: &Progress,
    done: &mut usize,
    notes: &mut FileNotes,
) -> Result<Answer, Failure> {
    let mut checked = Vec::with_capacity(files.frames.len());
    for (frame, path) in &files.frames {
        if session.cancel.is_cancelled() {
            return Err(Failure::Cancelled(String::from("Cancelled: nothing was changed.")));
        }
        progress.within(*done, 0.0, &path.display().to_string());
        checked.push(check(*frame, path, matches, notes)?);
        *done += 1;
        progress.finished(*done, &path.display().to_string(), None);
    }
    Ok(match files.is_sequence() {
        false => checked[0].answer(),
        true => sequence_answer(&checked, &files.missing),
    })
}

fn check(
    frame: i64,
    path: &Path,
    matches: &ArgMatches,
    notes: &mut FileNotes,
) -> Result<Checked, Failure> {
    let mesh = notes.take(path, whitecap_io::read_mesh_noted(path)?);
    let report = whitecap_surface::report(&mesh);
    let count = || whitecap_surface::self_intersections(&mesh);
    let self_intersections = matches.get_flag("self-intersections").then(count);
    Ok(Checked { frame, path: path.to_path_buf(), report, self_intersections })
}

impl Checked {
    fn json(&self) -> Value {
        let mut object = json!({ "file": wording::path(&self.path) });
        add_report(&mut object, &self.report);
        if let Some(count) = self.self_intersections {
            object["self_intersections"] = json!(count);
        }
        object
    }

    /// The answer about a single mesh, which must have a surface.
    fn answer(&self) -> Answer {
        let good = is_good(&self.report) && self.report.triangles > 0;
        let mut json = self.json();
        json["good"] = json!(good);
        Answer { good, ..Answer::report(self.text(), json) }
    }

    fn text(&self) -> String {
        let intersections = self.self_intersections.map_or_else(String::new, |count| {
            format!("  {}\n", wording::count(count, "self-intersection"))
        });
        format!("{}\n{}{intersections}", self.path.display(), describe(&self.report))
    }
}

fn sequence_answer(checked: &[Checked], missing: &[i64]) -> Answer {
    let faulty: Vec<&Checked> = checked.iter().filter(|one| !is_good(&one.report)).collect();
    let frames: Vec<Value> = checked
        .iter()
        .map(|one| {
            let mut object = one.json();
            object["frame"] = json!(one.frame);
            object
        })
        .collect();
    let has_surface = checked.iter().any(|one| one.report.triangles > 0);
    let text = match faulty.is_empty() {
        true if !has_surface => String::from("there is no triangle in any frame\n"),
        true => format!("{}: every mesh is closed.\n", wording::count(checked.len(), "frame")),
        false => faulty.iter().map(|one| one.text()).collect(),
    };
    let closed = checked.iter().all(|one| one.report.is_closed_manifold());
    let good = faulty.is_empty() && has_surface;
    let json = json!({
        "good": good, "closed_manifold": closed, "missing_frames": missing, "frames": frames,
    });
    Answer { good, ..Answer::report(text, json) }
}

/// Whether a mesh is closed and its triangles face outwards. One without triangles is: in a sequence, a liquid
/// may be gone.
fn is_good(report: &MeshReport) -> bool {
    report.is_closed_manifold() && !is_inside_out(report)
}

/// Whether a closed mesh has its outside inside.
fn is_inside_out(report: &MeshReport) -> bool {
    report.is_closed_manifold() && report.volume < 0.0
}

/// Adds every number of a report to an object, under its name in the report.
pub fn add_report(object: &mut Value, report: &MeshReport) {
    if let (Value::Object(object), Ok(Value::Object(numbers))) =
        (&mut *object, serde_json::to_value(report))
    {
        object.extend(numbers);
    }
    object["closed_manifold"] = json!(report.is_closed_manifold());
    object["inside_out"] = json!(is_inside_out(report));
}

/// A report, in a few lines.
pub fn describe(report: &MeshReport) -> String {
    let verdict = if report.triangles == 0 {
        String::from("empty: there are no triangles")
    } else if is_inside_out(report) {
        String::from(
            "closed, but inside out: its triangles face inwards; whitecap convert --flip-normals turns them over",
        )
    } else if report.is_closed_manifold() {
        String::from("closed, 2-manifold, consistently oriented")
    } else {
        faults(report)
    };
    format!(
        "  {verdict}\n  {}, {}, {}, Euler characteristic {}\n  volume {} m³, area {} m²\n",
        counted_as(report.vertices, "vertex", "vertices"),
        wording::count(report.triangles, "triangle"),
        wording::count(report.components, "component"),
        report.euler_characteristic,
        wording::number(report.volume),
        wording::number(report.area)
    )
}

/// What keeps a mesh from being a closed surface.
fn faults(report: &MeshReport) -> String {
    let counts = [
        (report.open_edges, "open edge", "open edges"),
        (report.non_manifold_edges, "non-manifold edge", "non-manifold edges"),
        (report.non_manifold_vertices, "non-manifold vertex", "non-manifold vertices"),
    ];
    let found = counts.into_iter().filter(|(count, ..)| *count > 0);
    let found: Vec<String> = found.map(|(count, one, many)| counted_as(count, one, many)).collect();
    let name = if report.open_edges > 0 { "not closed" } else { "not a 2-manifold" };
    format!("{name}: {}", found.join(", "))
}
