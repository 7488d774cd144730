//! Emitters: liquid that enters through a disc, a rectangle or the surface of a mesh.
//!
//! Liquid leaves in layers. Layer k leaves at start + (k + ½) · spacing / speed, whatever the time
//! steps of the solver are, and a layer that left during a step is placed as far out as it has flown
//! since. Layers are therefore exactly one spacing apart and a full stream is a lattice at rest
//! density: nothing overlaps, nothing gapes.
//!
//! # Guarantees
//! * The volume that left by a time is the rate times the time, to within half a layer.
//! * What leaves depends on the emitter and the time alone, not on the steps; the state is three
//!   counters, and a restored emitter continues with the same bits.
//!
//! # Non-guarantees
//! * Layers that leave a mesh in its hollows may meet; like points that are occupied for another
//!   reason, such as a submerged emitter, those are left out and counted.
//! * A slow emitter under strong gravity is drawn apart; that is what real liquid does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use super::choice_schema::describe_choices;
use super::force_field::TimeSpan;
use super::sampling::{self, sample_surface};
use super::source_error::{SourceError, direction, finite, positive};

/// The largest number of points of one layer.
const MOST: f64 = (1u64 << 24) as f64;
/// How much more than a full stream a rate may ask for by rounding.
const ROUNDING: f32 = 1e-4;

/// An emitter of liquid.
///
/// Give the rate, the speed, or both. A rate alone fills the opening and finds the speed; a speed
/// alone fills the opening and finds the rate; with both, the stream is thinned to the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmitterSettings {
    /// Where liquid comes from.
    #[schemars(extend("unit" = "none"))]
    pub from: Opening,
    /// Volume of liquid per second. Left out: what the opening passes at the speed.
    #[schemars(extend("unit" = "m³/s"), range(min = 1e-12, max = 1e9))]
    pub rate: Option<f32>,
    /// Speed at which it leaves. Left out: what the opening needs for the rate.
    #[schemars(extend("unit" = "m/s"), range(min = 1e-6, max = 1e6))]
    pub speed: Option<f32>,
    /// When liquid leaves. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

/// The opening of an emitter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum Opening {
    /// A round opening.
    Disc(Disc),
    /// A rectangular opening.
    Rectangle(Rectangle),
    /// The surface of a mesh, along its normals.
    Mesh(MeshOpening),
}

/// A round opening.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Direction in which liquid leaves, of any length.
    #[schemars(extend("unit" = "none"))]
    pub normal: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

/// A rectangular opening.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Direction in which liquid leaves, of any length.
    #[schemars(extend("unit" = "none"))]
    pub normal: [f32; 3],
    /// Direction of the width; only its part across the normal counts.
    #[schemars(extend("unit" = "none"))]
    pub along: [f32; 3],
    /// Edge length along `along`.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub width: f32,
    /// Edge length across `along`.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub height: f32,
}

/// The surface of a mesh as an opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshOpening {
    /// File of the mesh, open or closed.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
}

/// How far an emitter has come. Saving and restoring it resumes the emitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmitterState {
    /// Layers that have left.
    pub layers: u64,
    /// Particles made.
    pub made: u64,
    /// Particles left out because their place was occupied.
    pub left_out: u64,
}

/// Particles that left an emitter during a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emitted {
    /// Where they are at the end of the step, in metres.
    pub positions: Vec<Vec3>,
    /// Their velocities in m/s.
    pub velocities: Vec<Vec3>,
    /// How long ago they left, in seconds.
    pub ages: Vec<f32>,
}

/// An emitter at work.
#[derive(Clone, Debug)]
pub struct Emitter {
    /// Points of a layer and the directions in which they leave, in the order in which a thinned
    /// stream takes them.
    points: Vec<(Vec3, Vec3)>,
    spacing: f32,
    speed: f32,
    /// Share of a full layer that leaves.
    share: f64,
    during: TimeSpan,
    state: EmitterState,
}

impl Emitter {
    /// Prepares an emitter for particles of a spacing in metres. An [`Opening::Mesh`] needs its
    /// mesh.
    pub fn new(
        settings: &EmitterSettings,
        mesh: Option<&TriMesh>,
        spacing: f32,
    ) -> Result<Self, SourceError> {
        positive("the spacing", spacing)?;
        let during = settings.during.unwrap_or_default();
        during.check()?;
        let mut points = match &settings.from {
            Opening::Disc(disc) => disc.points(spacing)?,
            Opening::Rectangle(rectangle) => rectangle.points(spacing)?,
            Opening::Mesh(_) => mesh_points(mesh.ok_or(SourceError::EmptyMesh)?, spacing)?,
        };
        if points.is_empty() {
            return Err(SourceError::OpeningTooSmall { spacing });
        }
        let area = points.len() as f32 * spacing * spacing;
        let (speed, share) = speed_and_share(settings, area)?;
        if share < 1.0 {
            scatter(&mut points);
        }
        Ok(Self { points, spacing, speed, share, during, state: EmitterState::default() })
    }

    /// Speed at which liquid leaves, in m/s.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Volume that leaves per second, in m³/s.
    pub fn rate(&self) -> f64 {
        let spacing = f64::from(self.spacing);
        self.share * self.points.len() as f64 * spacing * spacing * f64::from(self.speed)
    }

    /// How far the emitter has come.
    pub fn state(&self) -> EmitterState {
        self.state
    }

    /// Continues from a saved state.
    pub fn restore(&mut self, state: EmitterState) {
        self.state = state;
    }

    /// What left since the last call and before `time` in seconds, where it is at `time`.
    /// `occupied` says whether a place is taken by a particle already. Fails, and emits nothing, if
    /// the step is so long that it would make an absurd number of particles.
    pub fn emit(
        &mut self,
        time: f64,
        occupied: &dyn Fn(Vec3) -> bool,
    ) -> Result<Emitted, SourceError> {
        let until = self.during.end.map_or(time, |end| time.min(end));
        let layers = (until - self.departure(self.state.layers)) / self.interval();
        check_count(layers * self.points.len() as f64, self.spacing)?;
        let mut emitted = Emitted::default();
        loop {
            let left = self.departure(self.state.layers);
            if left >= until {
                return Ok(emitted);
            }
            let age = (time - left) as f32;
            for (point, direction) in self.layer(self.state.layers) {
                let position = point + direction * (self.speed * age);
                if occupied(position) {
                    self.state.left_out += 1;
                } else {
                    emitted.positions.push(position);
                    emitted.velocities.push(direction * self.speed);
                    emitted.ages.push(age);
                    self.state.made += 1;
                }
            }
            self.state.layers += 1;
        }
    }

    /// When a layer leaves: when the middle of the slab that it stands for does.
    fn departure(&self, layer: u64) -> f64 {
        self.during.start + (layer as f64 + 0.5) * self.interval()
    }

    /// Time between two layers.
    fn interval(&self) -> f64 {
        f64::from(self.spacing) / f64::from(self.speed)
    }

    /// The points of a layer: in a thinned stream, the next ones in turn, as many as the rate says.
    fn layer(&self, layer: u64) -> Vec<(Vec3, Vec3)> {
        let count = self.points.len();
        let taken_by = |layer: u64| (layer as f64 * self.share * count as f64).floor() as u64;
        let turns = taken_by(layer)..taken_by(layer + 1);
        turns.map(|turn| self.points[(turn % count as u64) as usize]).collect()
    }
}

/// The speed, and the share of a full stream.
fn speed_and_share(settings: &EmitterSettings, area: f32) -> Result<(f32, f64), SourceError> {
    for (what, value) in [("rate", settings.rate), ("speed", settings.speed)] {
        if let Some(value) = value
            && !(value > 0.0 && value.is_finite())
        {
            return Err(SourceError::Rate { what, value });
        }
    }
    match (settings.rate, settings.speed) {
        (None, None) => Err(SourceError::NoRate),
        (None, Some(speed)) => Ok((speed, 1.0)),
        (Some(rate), None) => Ok((rate / area, 1.0)),
        (Some(rate), Some(speed)) => {
            let most = area * speed;
            if rate > most * (1.0 + ROUNDING) {
                return Err(SourceError::RateTooHigh { rate, speed, most, needed: rate / area });
            }
            Ok((speed, (f64::from(rate) / f64::from(most)).min(1.0)))
        }
    }
}

impl Disc {
    fn points(&self, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SourceError> {
        let radius = positive("the radius of a disc", self.radius)?;
        let normal = direction("the normal of a disc", self.normal.into())?;
        let center = finite("the centre of a disc", self.center.into())?;
        let (along, across) = normal.any_orthonormal_pair();
        let each_way = radius / spacing;
        check_count(4.0 * f64::from(each_way).powi(2), spacing)?;
        let last = each_way.floor() as i32;
        let nodes = (-last..=last).flat_map(|v| (-last..=last).map(move |u| (u as f32, v as f32)));
        let inside = nodes.filter(|(u, v)| u * u + v * v <= each_way * each_way);
        Ok(inside.map(|(u, v)| (center + (along * u + across * v) * spacing, normal)).collect())
    }
}

impl Rectangle {
    fn points(&self, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SourceError> {
        let width = positive("the width of a rectangle", self.width)?;
        let height = positive("the height of a rectangle", self.height)?;
        let normal = direction("the normal of a rectangle", self.normal.into())?;
        let center = finite("the centre of a rectangle", self.center.into())?;
        let along = direction("the width of a rectangle", self.along.into())?;
        let along = direction("the width across the normal", along.reject_from_normalized(normal))?;
        let across = normal.cross(along);
        // A hair of slack, so that decimal fractions do not lose a row to rounding.
        let count = |length: f32| (length / spacing + 1e-3).floor();
        let (columns, rows) = (count(width), count(height));
        check_count(f64::from(columns.max(1.0)) * f64::from(rows.max(1.0)), spacing)?;
        let from_center = |index: i32, count: f32| (index as f32 - 0.5 * (count - 1.0)) * spacing;
        let nodes = (0..rows as i32).flat_map(|v| (0..columns as i32).map(move |u| (u, v)));
        let place =
            |(u, v)| center + along * from_center(u, columns) + across * from_center(v, rows);
        Ok(nodes.map(|node| (place(node), normal)).collect())
    }
}

fn check_count(count: f64, spacing: f32) -> Result<(), SourceError> {
    if count <= MOST {
        Ok(())
    } else {
        Err(SourceError::TooMany { what: "an emitter", count, spacing, most: MOST })
    }
}

/// Samples of a mesh at least one spacing apart, with the normals of their triangles.
fn mesh_points(mesh: &TriMesh, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SourceError> {
    let samples = sample_surface(mesh, spacing / sampling::CLOSEST)?;
    let point = |sample: &sampling::SurfaceSample| {
        let [a, b, c] = mesh.corners(sample.triangle as usize);
        let normal = (b - a).cross(c - a).as_dvec3().normalize_or_zero().as_vec3();
        (normal != Vec3::ZERO).then(|| (sample.position(mesh), normal))
    };
    Ok(samples.iter().filter_map(point).collect())
}

/// Puts the points in an order in which any run of neighbours is spread over the whole opening:
/// steps of the golden ratio.
fn scatter(points: &mut Vec<(Vec3, Vec3)>) {
    let count = points.len();
    let golden = (0..count).map(|i| (i as f64 * 0.618_033_988_749_894_9).fract());
    let mut order: Vec<(f64, usize)> = golden.zip(0..count).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    *points = order.into_iter().map(|(_, i)| points[i]).collect();
}
