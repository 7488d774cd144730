//! What `whitecap render` adds to the command of its stage: a camera that sees everything, a floor, a
//! look, and turntables.
//!
//! # Guarantees
//! * By default the camera sees all of the liquid but a few stray particles, in the first, the middle
//!   and the last frame.
//! * The floor is at the lowest point of the liquid's surface, for particles as for meshes.
//! * Camera, floor, colour and exposure are found once and hold for the whole sequence, whichever of its frames
//!   are asked for.

mod framing;
mod subject;

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::{Map, Value, json};
use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, Watch};
use whitecap_shot::stages::{RenderStageSettings, look};
use whitecap_shot::{KindInfo, ShotContext};

use super::stage::Files;
use crate::failure::Failure;
use crate::session::Session;
use framing::Framing;
use subject::Subject;

/// The stage that it belongs to.
pub const NAME: &str = "render";

/// How deep the liquid reaches into its floor, as a fraction of its size: what rests on the floor wets
/// it, without a gap of air.
const INTO_FLOOR: f32 = 2e-3;
/// How far the floor lies below a sheet, as a fraction of the sheet's width.
const BELOW_SHEET: f32 = 0.04;
/// How many squares of the floor the subject is wide.
const SQUARES: f32 = 6.0;
/// Colours of the floor's squares.
const FLOOR_COLORS: [[f32; 3]; 2] = [[0.5, 0.485, 0.46], [0.4, 0.385, 0.365]];

/// Its own arguments.
pub fn arguments() -> [Arg; 2] {
    let turntable = Arg::new("turntable")
        .long("turntable")
        .value_name("COUNT")
        .value_parser(value_parser!(u32).range(1..=100_000))
        .conflicts_with("frames")
        .help("Make this many pictures of one file, from all around");
    let bare = Arg::new("bare")
        .long("bare")
        .action(ArgAction::SetTrue)
        .help("Leave out the floor that is put under the liquid when there are no objects");
    [turntable, bare]
}

/// How many pictures of one file are wanted, if it is a turntable.
pub fn turntable(info: &KindInfo, matches: &ArgMatches) -> Option<i64> {
    let count = (info.name == NAME).then(|| matches.get_one::<u32>("turntable"))?;
    count.map(|&count| i64::from(count))
}

/// Adds what was left out: the speed of a turntable, a camera that sees everything, a floor and a look.
pub fn complete(
    settings: &mut Map<String, Value>,
    files: &Files,
    matches: &ArgMatches,
    session: &Session,
) -> Result<(), Failure> {
    refuse_lost_passes(settings, files)?;
    let turns = matches.get_one::<u32>("turntable").is_some();
    if turns {
        let turn = 360.0 * files.fps / files.frame_count() as f64;
        settings.insert(String::from("turn"), json!(turn));
    }
    let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let needs_camera = !given("camera-position") && !given("camera-target");
    let has_ground = settings.contains_key("objects") || given("terrain");
    let needs_floor = !has_ground && !matches.get_flag("bare");
    let known: RenderStageSettings = serde_json::from_value(Value::Object(settings.clone()))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let mut scout = Scout { bounds: Bounds::EMPTY, is_sheet: false, middle: None };
    let mut subjects = Vec::new();
    for (frame, path) in scouted(files) {
        let subject = Subject::read(&path, known.liquid.radius)?;
        scout.bounds = scout.bounds.union(subject.bounds());
        scout.is_sheet |= subject.is_sheet;
        scout.middle = Some((frame, subject.data));
        subjects.push(subject.balls);
    }
    // What is not finite is reported with its place when the frame is read.
    if scout.bounds.is_empty() || !scout.bounds.size().length_squared().is_finite() {
        return Ok(());
    }
    if needs_camera {
        // The block below a sheet is seen too.
        if needs_floor && scout.is_sheet {
            let height = scout.floor_height();
            for balls in &mut subjects {
                let below = |&(point, _): &(Vec3, f32)| (Vec3::new(point.x, height, point.z), 0.0);
                balls.extend(balls.iter().map(below).collect::<Vec<_>>());
            }
        }
        fit_camera(settings, &known, scout.bounds, &subjects, turns);
    }
    if needs_floor && scout.is_sheet {
        session.note(
            "note: the surface is an open sheet, so it is closed down to a floor; --terrain shows the ground below it instead",
        );
    }
    if needs_floor {
        settings.insert(String::from("objects"), json!([scout.floor()]));
    }
    scout.choose_look(settings, files, &session.watch());
    Ok(())
}

/// Fails if layers are asked for that the output cannot hold.
fn refuse_lost_passes(settings: &Map<String, Value>, files: &Files) -> Result<(), Failure> {
    let passes = settings.get("passes").and_then(Value::as_array).map_or(0, Vec::len);
    if passes == 0 || !whitecap_io::has_extension(&files.output, &["png"]) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--passes: {} can hold nothing but the finished picture; name it {}, and a .png is written beside it",
        files.output.display(),
        files.output.with_extension("exr").display(),
    )))
}

/// The frames that are looked at before the first picture is made, of all that there are: the first, the
/// last, and the middle one, which comes last.
fn scouted(files: &Files) -> Vec<(i64, PathBuf)> {
    let liquid = files.ports.iter().find(|file| file.port.key == "surface");
    let all = liquid.and_then(|file| file.sequence.existing().ok()).unwrap_or_default();
    let Some(last) = all.len().checked_sub(1) else { return Vec::new() };
    let mut places = vec![0, last, all.len() / 2];
    // Each is looked at once.
    places.dedup();
    places.into_iter().map(|place| all[place].clone()).collect()
}

/// What is known of a sequence before it is rendered.
struct Scout {
    bounds: Bounds,
    is_sheet: bool,
    /// The frame in the middle, and its number.
    middle: Option<(i64, whitecap_shot::FrameData)>,
}

impl Scout {
    /// The lowest point of the liquid; some way below a sheet.
    fn floor_height(&self) -> f32 {
        let size = self.bounds.size();
        match self.is_sheet {
            true => self.bounds.min.y - (BELOW_SHEET * size.max_element()).max(0.25 * size.y),
            false => self.bounds.min.y + INTO_FLOOR * size.y,
        }
    }

    /// A floor of squares whose size is a round number.
    fn floor(&self) -> Value {
        let wide = self.bounds.size().max_element();
        let height = self.floor_height();
        let [color, checker] = FLOOR_COLORS;
        let square = round_length(wide / SQUARES);
        json!({
            "shape": { "floor": { "height": height } },
            "material": {
                "matt": { "color": color, "checker": checker, "checker-size": square },
            },
        })
    }

    /// Colours the liquid and measures the light, where neither was given. Whatever is wrong with the
    /// settings or the frame is reported when the frame is rendered.
    fn choose_look(&self, settings: &mut Map<String, Value>, files: &Files, watch: &dyn Watch) {
        let colours = !settings.contains_key("material");
        let exposes = !settings.contains_key("exposure");
        let (Some((middle, liquid)), true) = (&self.middle, colours || exposes) else { return };
        let (first, last) = (files.first(), files.last());
        let (folder, left_out) = (PathBuf::new(), files.left_out());
        let context = ShotContext { folder, first, last, left_out, fps: files.fps, seed: 0 };
        let frame = context.time_of(*middle);
        let all = Value::Object(settings.clone());
        let input = |key: &str| (key == "surface").then_some(liquid);
        let Ok(look) = look(all, &context, frame, &input, colours, watch) else { return };
        if let (true, Ok(material)) = (colours, serde_json::to_value(&look.material)) {
            settings.insert(String::from("material"), material);
        }
        if exposes {
            settings.insert(String::from("exposure"), json!(look.exposure));
        }
    }
}

/// Places the camera so that the liquid fills the picture, seen from above.
fn fit_camera(
    settings: &mut Map<String, Value>,
    known: &RenderStageSettings,
    bounds: Bounds,
    subjects: &[Vec<(Vec3, f32)>],
    turns: bool,
) {
    let aspect = known.picture.width as f32 / known.picture.height as f32;
    let mut framing = Framing::new(bounds, known.camera.field_of_view, aspect, turns);
    for &(point, radius) in subjects.iter().flatten() {
        framing.include(point, radius);
    }
    if let Some(view) = framing.view() {
        let camera = settings.entry("camera").or_insert_with(|| json!({}));
        camera["position"] = json!(view.position.to_array());
        camera["target"] = json!(view.target.to_array());
        camera["height"] = json!(view.height.clamp(1e-6, 1e6));
    }
}

/// The nearest of 1, 2, 5, 10 and so on.
fn round_length(length: f32) -> f32 {
    let digit = 10f32.powf(length.max(1e-6).log10().floor());
    let near = |one: &f32, other: &f32| {
        let ratio = |step: f32| (length / (step * digit)).ln().abs();
        ratio(*one).total_cmp(&ratio(*other))
    };
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(near).unwrap_or(1.0);
    (step * digit).clamp(1e-6, 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::Particles;

    /// Contract: a liquid stands on the same floor whether it comes as particles or as the mesh around them,
    /// to a tenth of the particle spacing.
    #[test]
    fn particles_and_their_mesh_stand_on_one_floor() {
        let folder = tempfile::tempdir().unwrap();
        let cells =
            (0..1000).map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32));
        let particles = Particles::new(cells.map(|cell| 0.1 * cell + 7.0 * Vec3::Y).collect());
        let settings = whitecap_surface::SurfaceSettings::default();
        let mesh =
            whitecap_surface::surface_particles(&particles, &settings, &whitecap_core::Unwatched);
        let paths = [folder.path().join("block.bgeo"), folder.path().join("block.ply")];
        whitecap_io::write_particles(&paths[0], &particles).unwrap();
        whitecap_io::write_mesh(&paths[1], &mesh.unwrap().mesh).unwrap();
        let heights = paths.map(|path| {
            let bounds = Subject::read(&path, None).unwrap().bounds();
            let scout = Scout { bounds, is_sheet: false, middle: None };
            scout.floor()["shape"]["floor"]["height"].as_f64().unwrap()
        });
        assert!((heights[0] - heights[1]).abs() < 0.01, "{heights:?}");
        assert!((heights[0] - 6.95).abs() < 0.01, "{heights:?}");
    }

    /// Contract: squares of the floor are 1, 2 or 5 times a power of ten wide.
    #[test]
    fn squares_are_round() {
        for (length, expected) in
            [(0.0013, 0.001), (0.7, 0.5), (0.9, 1.0), (1.6, 2.0), (420.0, 500.0)]
        {
            assert!((round_length(length) / expected - 1.0).abs() < 1e-5, "{length}");
        }
    }
}
