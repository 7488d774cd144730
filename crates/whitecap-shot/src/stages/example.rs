//! `kind = "example"`: a ready-made particle sequence, to try things with.
//!
//! A drop falls into a pool, throws up a crown and sends rings over the water. It is drawn with a
//! few formulas, not simulated: nothing here conserves volume. Every particle keeps its `id`, and
//! `velocity` is the difference between this frame and the next.

use std::f32::consts::TAU;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, attributes};

use crate::stage::{
    Depends, Gives, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError, StageOutput,
    StepContext,
};
use crate::{DataKind, Phenomenon};

/// Settings of the example sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExampleSettings {
    /// Distance between neighbouring particles. The pool is 1 m wide; at 0.02 m the sequence has
    /// about 30 thousand particles, and eight times as many at half the spacing.
    #[schemars(extend("unit" = "m"), range(min = 0.002, max = 0.1))]
    pub spacing: f32,
}

impl Default for ExampleSettings {
    fn default() -> Self {
        Self { spacing: 0.02 }
    }
}

pub(super) struct Example {
    splash: Splash,
}

impl Phenomenon for Example {
    const KIND: KindInfo = KindInfo {
        name: "example",
        doc: "Gives a ready-made particle sequence to try things with: a drop falls into a pool.",
        gives: Gives::Always(DataKind::Particles),
        depends: Depends { on_time: true, on_seed: false },
        ..KindInfo::PLAIN
    };
    type Settings = ExampleSettings;
    type State = ();

    fn check(settings: ExampleSettings, _: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        Ok(Self { splash: Splash::new(settings.spacing) })
    }

    fn start(&self) -> Result<(), StageError> {
        Ok(())
    }

    fn step(
        &self,
        _state: &mut (),
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let (time, dt) = (context.frame.time, context.frame.dt);
        let positions = self.splash.positions(time as f32);
        let next = self.splash.positions((time + dt) as f32);
        let velocities: Vec<Vec3> =
            positions.iter().zip(&next).map(|(now, next)| (next - now) / dt as f32).collect();
        let count = positions.len();
        let mut particles = Particles::new(positions);
        let columns = [
            (attributes::ID, Column::I32((0..count as i32).collect())),
            (attributes::VELOCITY, Column::Vec3(velocities)),
            (attributes::RADIUS, Column::F32(vec![self.splash.spacing / 2.0; count])),
        ];
        for (name, column) in columns {
            particles.set_attribute(name, column).map_err(StageError::failed)?;
        }
        Ok(StageOutput::new(particles).with_metrics(vec![Metric::count("particles", count)]))
    }
}

const POOL_WIDTH: f32 = 1.0;
const POOL_DEPTH: f32 = 0.2;
const DROP_RADIUS: f32 = 0.1;
const DROP_HEIGHT: f32 = 0.5;
const GRAVITY: f32 = 9.81;

/// The particles at rest: those of the pool first, then those of the drop around its centre.
struct Splash {
    spacing: f32,
    pool: Vec<Vec3>,
    drop: Vec<Vec3>,
}

impl Splash {
    fn new(spacing: f32) -> Self {
        let half = POOL_WIDTH / 2.0;
        let pool =
            lattice(spacing, Vec3::new(-half, 0.0, -half), Vec3::new(half, POOL_DEPTH, half));
        let around = Vec3::splat(DROP_RADIUS);
        let mut drop = lattice(spacing, -around, around);
        drop.retain(|offset| offset.length() < DROP_RADIUS);
        Self { spacing, pool, drop }
    }

    fn positions(&self, time: f32) -> Vec<Vec3> {
        let pool = self.pool.iter().map(|&rest| pool_particle(rest, time));
        let drop = self.drop.iter().map(|&offset| drop_particle(offset, time));
        pool.chain(drop).collect()
    }
}

/// The centres of the cubes of edge `spacing` that fill a box.
fn lattice(spacing: f32, low: Vec3, high: Vec3) -> Vec<Vec3> {
    let count = ((high - low) / spacing).round().as_ivec3();
    let mut points = Vec::with_capacity((count.x * count.y * count.z) as usize);
    for z in 0..count.z {
        for y in 0..count.y {
            for x in 0..count.x {
                let cell = Vec3::new(x as f32, y as f32, z as f32) + 0.5;
                points.push(low + spacing * cell);
            }
        }
    }
    points
}

/// When the drop's centre reaches the water.
fn impact_time() -> f32 {
    (2.0 * (DROP_HEIGHT - POOL_DEPTH) / GRAVITY).sqrt()
}

/// Pool particles ride on rings that run outwards from the impact and fade; deep ones move less.
fn pool_particle(rest: Vec3, time: f32) -> Vec3 {
    let since = time - impact_time();
    if since <= 0.0 {
        return rest;
    }
    const WAVELENGTH: f32 = 0.25;
    const SPEED: f32 = 0.6;
    let distance = rest.with_y(0.0).length();
    let behind_front = (SPEED * since - distance) / WAVELENGTH;
    if behind_front <= 0.0 {
        return rest;
    }
    let fade = (-1.5 * since - 2.0 * distance).exp() * (1.0 - (-4.0 * behind_front).exp());
    let lift = -0.06 * fade * (TAU * behind_front).sin();
    rest + Vec3::Y * (lift * rest.y / POOL_DEPTH)
}

/// Drop particles fall, then continue in a crown whose rim was the drop's widest ring, and come to
/// rest at the water's surface.
fn drop_particle(offset: Vec3, time: f32) -> Vec3 {
    let start = Vec3::Y * DROP_HEIGHT + offset;
    // Lower particles of the drop arrive earlier.
    let arrival = (2.0 * (start.y - POOL_DEPTH) / GRAVITY).sqrt();
    if time <= arrival {
        return start - Vec3::Y * (0.5 * GRAVITY * time * time);
    }
    let since = time - arrival;
    let flat = offset.with_y(0.0);
    let width = flat.length() / DROP_RADIUS;
    let outwards = flat.normalize_or_zero() * (0.25 + 0.55 * width);
    let upwards = 2.2 * width * width;
    let height = upwards * since - 0.5 * GRAVITY * since * since;
    let landed = since.min(2.0 * upwards / GRAVITY);
    let entry = start.with_y(POOL_DEPTH) + outwards * landed;
    entry + Vec3::Y * height.max(0.0)
}
