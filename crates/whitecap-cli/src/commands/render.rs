//! `whitecap render`: pictures of a liquid, without a shot file.
//!
//! # Guarantees
//! * Every picture is written whole or not at all. While a single picture is made, its PNG already shows
//!   what there is, after every pass.
//! * Where nothing is said of it, the camera sees all of the liquid, in the first and the last frame.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, GridValues};
use whitecap_io::image::{PngDepth, write_layers, write_png};
use whitecap_io::{Kind, Sequence};
use whitecap_shot::stages::{
    FloorSettings, Made, ObjectSettings, PictureMaker, RenderStageSettings, ShapeSettings,
};
use whitecap_shot::{FrameData, FrameTime, Picture, ShotContext, StageError};

use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::frames::{self, FramePair, make_folder};
use crate::memory::peak_bytes;
use crate::progress::Progress;
use crate::session::{FrameWatch, Session};
use crate::setting_flags::SettingFlags;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap render splash.ply -o splash.png
  whitecap render splash.bgeo -o splash.png --liquid-method anisotropic --samples 256
  whitecap render 'out/surface.####.ply' -o 'pictures/splash.####.exr' --passes depth,normal,motion
  whitecap render splash.ply -o 'turn.####.png' --turntable 48 --scale 0.5
  whitecap render glass.bgeo -o glass.png --region 0.4,0.4,0.6,0.6 \\
      --objects '[{\"shape\": {\"mesh\": {\"path\": \"glass.ply\"}}, \"material\": {\"glass\": {}}}]'

Particles are hit directly: no mesh is made. A picture called .exr gets a .png beside it to look at.
Without --camera-position the camera sees all of the liquid. Objects, lamps and materials are easier to
write in a shot file; see whitecap run. To put pictures side by side: whitecap sheet.";

/// Share of the picture's height or width that the liquid fills.
const SHARE_FILLED: f32 = 0.8;

/// Its arguments and help.
pub fn command() -> Command {
    let input = Arg::new("input")
        .value_name("IN")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("A mesh, particles or a distance field: a file, or a sequence such as sim/frame.####.bgeo");
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("OUT")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The picture, .png or .exr: a file, or a sequence if IN is one");
    let turntable = Arg::new("turntable")
        .long("turntable")
        .value_name("COUNT")
        .value_parser(value_parser!(u32).range(1..=100_000))
        .conflicts_with("frames")
        .help("That many pictures of one file, from all around");
    let bare = Arg::new("bare")
        .long("bare")
        .action(ArgAction::SetTrue)
        .help("Leave out the floor that is put under the liquid when there are no objects");
    let fps = Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value("24")
        .value_parser(value_parser!(f64))
        .help("Frames per second, for motion [unit: 1/s]");
    Command::new("render")
        .about("Makes pictures of a liquid by path tracing")
        .after_help(EXAMPLES)
        .args([input, output, frames::frames_flag(), turntable, bare, fps, json_flag()])
        .args(SettingFlags::of::<RenderStageSettings>().arguments())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let (input, output) = (path("input"), path("output"));
    if !whitecap_io::has_extension(&output, &["png", "exr"]) {
        return Err(Failure::Usage(format!(
            "{}: pictures are written as .png or .exr",
            output.display()
        )));
    }
    let fps = matches.get_one::<f64>("fps").copied().unwrap_or(24.0);
    if !(1e-3..=1e6).contains(&fps) {
        return Err(Failure::Usage(format!("--fps is {fps}; it must be 0.001 to 1000000")));
    }
    let pairs = match matches.get_one::<u32>("turntable") {
        Some(&count) => turntable(&input, &output, count)?,
        None => frames::pairs(matches, &input, &output)?.1,
    };
    let mut settings: RenderStageSettings =
        SettingFlags::of::<RenderStageSettings>().read(matches)?;
    if matches.get_one::<u32>("turntable").is_some() {
        settings.turn = 360.0 * fps as f32 / pairs.len() as f32;
    }
    complete(&mut settings, &pairs, matches)?;
    let shot = ShotContext { folder: Path::new(""), first: 0, last: 0, fps, seed: 0 };
    let maker = PictureMaker::new(settings, &shot).map_err(|e| Failure::Work(e.to_string()))?;
    Job { maker, fps, session }.all(&pairs, &output)
}

/// One file seen from all around.
fn turntable(input: &Path, output: &Path, count: u32) -> Result<Vec<FramePair>, Failure> {
    let outputs = Sequence::new(output)?;
    if outputs.is_single() && count > 1 {
        return Err(Failure::Usage(format!(
            "--turntable makes {count} pictures: write #### in place of their number in {}",
            output.display()
        )));
    }
    make_folder(output)?;
    let pair =
        |frame: i64| FramePair { frame, input: input.to_owned(), output: outputs.path(frame) };
    Ok((1..=i64::from(count)).map(pair).collect())
}

/// Adds a camera that sees everything and a floor, where nothing was said of them.
fn complete(
    settings: &mut RenderStageSettings,
    pairs: &[FramePair],
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let needs_camera = !given("camera-position") && !given("camera-target");
    let needs_floor = settings.objects.is_empty() && !matches.get_flag("bare");
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return Ok(()) };
    if !needs_camera && !needs_floor {
        return Ok(());
    }
    let mut bounds = bounds(&read(&first.input)?);
    if last.input != first.input {
        bounds = bounds.union(self::bounds(&read(&last.input)?));
    }
    if bounds.is_empty() {
        return Ok(());
    }
    if needs_camera {
        fit_camera(settings, bounds);
    }
    if needs_floor {
        let floor = FloorSettings { height: bounds.min.y };
        settings.objects.push(ObjectSettings::of(ShapeSettings::Floor(floor)));
    }
    Ok(())
}

/// Places the camera so that a box fills the picture, seen from slightly above.
fn fit_camera(settings: &mut RenderStageSettings, bounds: Bounds) {
    let back = Vec3::new(0.35, 0.4, 1.0).normalize();
    let right = Vec3::Y.cross(back).normalize();
    let up = back.cross(right);
    let vertical = (0.5 * settings.camera.field_of_view).to_radians().tan() * SHARE_FILLED;
    let horizontal = vertical * settings.picture.width as f32 / settings.picture.height as f32;
    let half = 0.5 * (bounds.max - bounds.min);
    let corners = (0..8u32).map(|i| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * Vec3::new(side(0), side(1), side(2))
    });
    let needed = corners.map(|corner| {
        let across = (corner.dot(right).abs() / horizontal).max(corner.dot(up).abs() / vertical);
        corner.dot(back) + across
    });
    let distance = needed.fold(half.length().max(1e-6), f32::max);
    settings.camera.position = (bounds.center() + distance * back).to_array();
    settings.camera.target = bounds.center().to_array();
    settings.camera.height = 2.0 * half.length() / SHARE_FILLED;
}

/// The liquid of a file.
fn read(path: &Path) -> Result<FrameData, Failure> {
    Ok(match whitecap_io::kind_of(path)? {
        Kind::Particles => FrameData::Particles(whitecap_io::read_particles(path)?),
        Kind::Mesh => FrameData::Mesh(whitecap_io::read_mesh(path)?),
        Kind::Volume => FrameData::Volume(whitecap_io::vdb::read(path)?),
    })
}

fn bounds(data: &FrameData) -> Bounds {
    match data {
        FrameData::Particles(particles) => Bounds::of(particles.positions()),
        FrameData::Mesh(mesh) => Bounds::of(mesh.positions()),
        FrameData::Volume(volume) => {
            let scalars = volume.grids.iter().filter_map(|grid| match &grid.values {
                GridValues::Scalar(values) => Some(values),
                GridValues::Vector(_) => None,
            });
            let surfaces = scalars.map(whitecap_surface::marching_cubes::extract);
            let boxes = surfaces.map(|mesh| Bounds::of(mesh.positions()));
            boxes.fold(Bounds::EMPTY, Bounds::union)
        }
        FrameData::Picture(_) => Bounds::EMPTY,
    }
}

/// What is to be done with every frame.
struct Job<'a> {
    maker: PictureMaker,
    fps: f64,
    session: &'a Session,
}

impl Job<'_> {
    fn all(&self, pairs: &[FramePair], output: &Path) -> Result<Answer, Failure> {
        let started = Instant::now();
        let progress = Progress::new(self.session, pairs.len());
        let mut frames: Vec<Value> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        let mut rays = 0;
        for pair in pairs {
            let name = match pairs.len() {
                1 => pair.input.display().to_string(),
                _ => format!("frame {}", pair.frame),
            };
            let frame_started = Instant::now();
            let on_progress = |fraction: f32| progress.within(frames.len(), fraction, &name);
            let Some(made) = self.one(pair, pairs.len() == 1, on_progress)? else {
                return Err(super::surface::cancelled(frames.len(), pairs));
            };
            for note in &made.notes {
                if !told.contains(note) {
                    progress.note(self.session, &format!("note: {name}: {note}"));
                    told.push(note.clone());
                }
            }
            rays += made.rays;
            frames.push(json!({
                "frame": pair.frame,
                "input": pair.input,
                "output": pair.output,
                "rays": made.rays,
                "scene_bytes": made.bytes,
                "seconds": frame_started.elapsed().as_secs_f64(),
                "notes": made.notes,
            }));
            progress.finished(frames.len(), &name, None);
        }
        drop(progress);
        let seconds = started.elapsed().as_secs_f64();
        let text = format!(
            "{} with {:.1} million rays in {}; look at {}.\n",
            wording::count(pairs.len(), "picture"),
            rays as f64 * 1e-6,
            wording::duration(seconds),
            output.display()
        );
        let json = json!({
            "output": output,
            "rays": rays,
            "seconds": seconds,
            "peak_bytes": peak_bytes(),
            "frames": frames,
        });
        Ok(Answer::done(text, json))
    }

    /// Makes one picture; `None` if it was cancelled.
    fn one(
        &self,
        pair: &FramePair,
        shows_passes: bool,
        on_progress: impl Fn(f32) + Sync,
    ) -> Result<Option<Made>, Failure> {
        if self.session.cancel.is_cancelled() {
            return Ok(None);
        }
        let data = read(&pair.input)?;
        let index = u32::try_from(pair.frame).unwrap_or(0);
        let frame = FrameTime { index, time: f64::from(index) / self.fps, dt: 1.0 / self.fps };
        let watch = FrameWatch { cancel: &self.session.cancel, on_progress };
        let preview = pair.output.with_extension("png");
        let mut failed = None;
        let mut show = |picture: &Picture, _| {
            if shows_passes {
                failed = write_png(&preview, &picture.preview, PngDepth::Eight).err();
            }
        };
        let made = self.maker.picture(frame, 0, (Some(&data), None), &watch, &mut show);
        let made = match made {
            Ok(made) => made,
            Err(StageError::Cancelled) => return Ok(None),
            Err(error) => return Err(Failure::about(&pair.input, error)),
        };
        if let Some(error) = failed {
            return Err(error.into());
        }
        if whitecap_io::has_extension(&pair.output, &["exr"]) {
            write_layers(&pair.output, &made.picture.layers)?;
        }
        write_png(&preview, &made.picture.preview, PngDepth::Eight)?;
        Ok(Some(made))
    }
}
