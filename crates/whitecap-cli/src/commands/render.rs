//! What `whitecap render` adds to the command of its stage: a camera that sees everything, a floor, and
//! turntables.
//!
//! # Guarantees
//! By default the camera sees all of the liquid, in the first and the last frame.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::{Map, Value, json};
use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, GridValues};
use whitecap_io::Kind;
use whitecap_shot::KindInfo;
use whitecap_shot::stages::RenderStageSettings;

use super::stage::Files;
use crate::failure::Failure;

/// The stage that it belongs to.
pub const NAME: &str = "render";

/// Fraction of the picture's height or width that the liquid fills.
const SHARE_FILLED: f32 = 0.8;

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

/// Adds what was left out: the speed of a turntable, a camera that sees everything, and a floor.
pub fn complete(
    settings: &mut Map<String, Value>,
    files: &Files,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    if matches.get_one::<u32>("turntable").is_some() {
        let turn = 360.0 * files.fps / files.frame_count() as f64;
        settings.insert(String::from("turn"), json!(turn));
    }
    let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let needs_camera = !given("camera-position") && !given("camera-target");
    let needs_floor = !settings.contains_key("objects") && !matches.get_flag("bare");
    let (Some(first), Some(last)) = (files.inputs.first(), files.inputs.last()) else {
        return Ok(());
    };
    if !needs_camera && !needs_floor {
        return Ok(());
    }
    let mut bounds = bounds(first)?;
    if last != first {
        bounds = bounds.union(self::bounds(last)?);
    }
    // What is not finite is reported with its place when the frame is read.
    if bounds.is_empty() || !bounds.size().length_squared().is_finite() {
        return Ok(());
    }
    if needs_camera {
        fit_camera(settings, bounds)?;
    }
    if needs_floor {
        let floor = json!([{ "shape": { "floor": { "height": bounds.min.y } } }]);
        settings.insert(String::from("objects"), floor);
    }
    Ok(())
}

/// Places the camera so that a box fills the picture, seen from slightly above.
fn fit_camera(settings: &mut Map<String, Value>, bounds: Bounds) -> Result<(), Failure> {
    let known: RenderStageSettings = serde_json::from_value(Value::Object(settings.clone()))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let back = Vec3::new(0.35, 0.4, 1.0).normalize();
    let right = Vec3::Y.cross(back).normalize();
    let up = back.cross(right);
    let vertical = (0.5 * known.camera.field_of_view).to_radians().tan() * SHARE_FILLED;
    let horizontal = vertical * known.picture.width as f32 / known.picture.height as f32;
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
    let camera = settings.entry("camera").or_insert_with(|| json!({}));
    camera["position"] = json!((bounds.center() + distance * back).to_array());
    camera["target"] = json!(bounds.center().to_array());
    camera["height"] = json!(2.0 * half.length() / SHARE_FILLED);
    Ok(())
}

/// The smallest box around the liquid of a file.
fn bounds(path: &Path) -> Result<Bounds, Failure> {
    Ok(match whitecap_io::kind_of(path)? {
        Kind::Particles => Bounds::of(whitecap_io::read_particles(path)?.positions()),
        Kind::Mesh => Bounds::of(whitecap_io::read_mesh(path)?.positions()),
        Kind::Volume => {
            let volume = whitecap_io::vdb::read(path)?;
            let scalars = volume.grids.iter().filter_map(|grid| match &grid.values {
                GridValues::Scalar(values) => Some(values),
                GridValues::Vector(_) => None,
            });
            let surfaces = scalars.map(whitecap_surface::marching_cubes::extract);
            let boxes = surfaces.map(|mesh| Bounds::of(mesh.positions()));
            boxes.fold(Bounds::EMPTY, Bounds::union)
        }
    })
}
