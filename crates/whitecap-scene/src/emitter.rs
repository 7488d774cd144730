//! Emitters: liquid that enters through a disc, a rectangle or the surface of a mesh.
//!
//! Liquid leaves in layers. Layer k leaves at start + (k + ½) · spacing / speed, whatever the time
//! steps of the solver are, and a layer that left during a step is placed as far out as it has travelled
//! since. Layers are therefore exactly one spacing apart and a full stream is a lattice at rest
//! density, without overlaps or gaps.
//!
//! # Guarantees
//! * The volume that left by a time is the rate times the time, to within half a layer.
//! * What leaves depends on the emitter and the time alone, not on the steps; the state is three
//!   counters, and a restored emitter continues with the same bits.
//!
//! # Non-guarantees
//! * Layers that leave the hollows of a mesh may meet; like points that are occupied for another
//!   reason, such as a submerged emitter, those are left out and counted.
//! * A slow stream under strong gravity is pulled apart, as in a real liquid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use crate::error::{SceneError, positive};
use crate::opening::{Opening, check_count};
use crate::setting::{SettingError, check_ranges};
use crate::time_span::TimeSpan;

/// How much a rate may exceed a full stream by rounding.
const ROUNDING: f32 = 1e-4;

/// An emitter of liquid.
///
/// Give the rate, the speed, or both. A rate alone fills the opening and determines the speed; a speed
/// alone fills the opening and determines the rate; with both, the stream is thinned to the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmitterSettings {
    /// Opening that the liquid comes from.
    #[schemars(extend("unit" = "none"))]
    pub from: Opening,
    /// Volume of liquid per second. Left out: what a full opening passes at the given speed.
    #[schemars(extend("unit" = "m³/s"), range(min = 1e-12, max = 1e9))]
    pub rate: Option<f32>,
    /// Speed at which it leaves. Left out: what a full opening needs for the given rate.
    #[schemars(extend("unit" = "m/s"), range(min = 1e-6, max = 1e6))]
    pub speed: Option<f32>,
    /// When liquid leaves. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

/// Progress of an emitter. Saving and restoring it resumes the emitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmitterState {
    /// Layers that have left.
    pub layers: u64,
    /// Particles made.
    pub made: u64,
    /// Particles left out because their position was occupied.
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

/// An emitter during a simulation.
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
    ) -> Result<Self, SceneError> {
        positive("the spacing", spacing)?;
        check_ranges(settings)?;
        let during = settings.during.unwrap_or_default();
        during.check().map_err(|error| error.inside("during"))?;
        let mut points = settings.from.points(mesh, spacing)?;
        if points.is_empty() {
            return Err(SceneError::OpeningTooSmall { spacing });
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

    /// The points of its opening, and the directions of unit length in which liquid leaves there.
    pub fn opening(&self) -> &[(Vec3, Vec3)] {
        &self.points
    }

    /// Whether liquid leaves at a time in seconds.
    pub fn is_open(&self, time: f64) -> bool {
        self.during.contains(time)
    }

    /// Progress of the emitter.
    pub fn state(&self) -> EmitterState {
        self.state
    }

    /// Continues from a saved state.
    pub fn restore(&mut self, state: EmitterState) {
        self.state = state;
    }

    /// The particles that left since the last call and before `time` in seconds, at their positions at
    /// `time`. `occupied` says whether a position is already taken by a particle. Fails, and emits
    /// nothing, if the step is so long that it would make an absurd number of particles.
    pub fn emit(
        &mut self,
        time: f64,
        occupied: &dyn Fn(Vec3) -> bool,
    ) -> Result<Emitted, SceneError> {
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

    /// When a layer leaves: when the middle of its slab of liquid does.
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
fn speed_and_share(settings: &EmitterSettings, area: f32) -> Result<(f32, f64), SettingError> {
    match (settings.rate, settings.speed) {
        (None, None) => Err(SettingError::new(
            "",
            "an emitter needs a `rate` in m³/s or a `speed` in m/s, and neither was given",
        )),
        (None, Some(speed)) => Ok((speed, 1.0)),
        (Some(rate), None) => Ok((rate / area, 1.0)),
        (Some(rate), Some(speed)) => {
            let most = area * speed;
            if rate > most * (1.0 + ROUNDING) {
                let needed = rate / area;
                let message = format!(
                    "an emitter of this size passes at most {most:.4e} m³/s at {speed} m/s, but {rate:.4e} m³/s were asked for"
                );
                let help = format!(
                    "use a speed of {needed:.4} m/s, a larger opening, or leave out the speed"
                );
                return Err(SettingError::new("rate", message).with_help(help));
            }
            Ok((speed, (f64::from(rate) / f64::from(most)).min(1.0)))
        }
    }
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
