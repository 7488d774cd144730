//! Liquid that falls from one layer to another as drops (the future work of Dagenais et al. 2018).
//!
//! Where liquid flows over an edge and the surface it would join is farther down than the fall
//! height, it becomes a drop that flies freely and returns its volume to the column it lands in.
//!
//! # Guarantees
//! Volume is exact to rounding: a drop carries what its pipe took, until a column takes it. Drops
//! are scattered over the edge and over the time of a step, in the same way in every run.
//!
//! # Non-guarantees
//! Drops do not collide with each other, and land without a splash. When there are too many, or
//! hardly any liquid falls, the liquid arrives at once.

use glam::{Vec2, Vec3};
use whitecap_core::saved_bytes::{Reader, StateError, possible, put, vector, vector_bytes};
use whitecap_core::scatter;

use crate::flow::network::Network;
use crate::flow::rules::Rules;
use crate::liquid::columns::Columns;
use crate::liquid::place::place_volume;

/// Volumes below this fraction of a cubed cell do not become drops.
const LEAST: f64 = 1e-6;
/// Fraction of the edge of a cell over which drops are scattered; there might be walls at its ends.
const EDGE: f32 = 0.9;

/// A drop in the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drop {
    /// Where it is, in metres.
    pub position: Vec3,
    /// How it moves, in metres per second.
    pub velocity: Vec3,
    /// Its volume in cubic metres.
    pub volume: f64,
}

/// All drops in the air.
#[derive(Clone, Debug)]
pub(crate) struct Drops {
    height: f64,
    most: usize,
    falling: Vec<bool>,
    drops: Vec<Drop>,
}

impl Drops {
    /// No drop yet. Liquid becomes one when it falls farther than `height`.
    pub fn new(height: f64, most: usize) -> Self {
        Self { height, most, falling: Vec::new(), drops: Vec::with_capacity(most) }
    }

    pub fn for_pipes(mut self, pipes: usize) -> Self {
        self.falling = vec![false; pipes];
        // A clone of a vector has no spare capacity.
        self.drops = Vec::with_capacity(self.most);
        self
    }

    pub fn all(&self) -> &[Drop] {
        &self.drops
    }

    pub fn volume(&self) -> f64 {
        self.drops.iter().map(|drop| drop.volume).sum()
    }

    /// Adds drops from elsewhere, even beyond the limit.
    pub fn take_over(&mut self, drops: &[Drop]) {
        self.drops.extend_from_slice(drops);
    }

    /// Finds the pipes whose liquid falls.
    pub fn mark_falls(
        &mut self,
        network: &Network,
        columns: &Columns,
        height: &[f64],
        flux: &[f32],
    ) {
        let least = LEAST * f64::from(columns.grid().cell()).powi(3);
        let mut room = self.most.saturating_sub(self.drops.len());
        for (pipe, falls) in self.falling.iter_mut().enumerate() {
            let [from, to] = ends(network, pipe, flux[pipe]);
            let edge = f64::from(columns.floor()[from]);
            *falls =
                room > 0 && f64::from(flux[pipe].abs()) > least && edge - height[to] > self.height;
            room -= usize::from(*falls);
        }
    }

    /// Turns what went through the marked pipes into drops, and takes it back from where it
    /// arrived.
    pub fn launch(
        &mut self,
        network: &Network,
        columns: &mut Columns,
        flux: &[f32],
        rules: &Rules,
    ) {
        let falling = self.falling.iter().zip(flux).enumerate();
        for (pipe, (_, &flux)) in falling.filter(|(_, (falls, _))| **falls) {
            let amount = f64::from(flux.abs());
            let [from, to] = ends(network, pipe, flux);
            columns.depth[to] = rules.depth(columns.depth[to], -amount);
            let drop = self.drop_over_edge(columns, [from, to], amount, rules);
            self.drops.push(drop);
        }
    }

    /// The drop that has left one column for another during a step, at some point along the edge
    /// between them and at some time within the step.
    fn drop_over_edge(
        &self,
        columns: &Columns,
        [from, to]: [usize; 2],
        flux: f64,
        rules: &Rules,
    ) -> Drop {
        let toward = columns.surface_point(to) - columns.surface_point(from);
        let direction = Vec3::new(toward.x, 0.0, toward.z).normalize_or_zero();
        let speed = speed_at_edge(flux / rules.cell, columns.depth()[from], rules.gravity);
        let Vec2 { x: along, y: ago } = scatter::pair(self.draw());
        let across = Vec3::new(-direction.z, 0.0, direction.x);
        let aside = across * (EDGE * rules.cell as f32 * (along - 0.5));
        let mut drop = Drop {
            position: edge_point(columns, from, to) + aside,
            velocity: direction * speed,
            volume: flux * rules.step,
        };
        let fallen_for = ago * rules.step as f32;
        drop.velocity.y -= rules.gravity as f32 * fallen_for;
        advance(&mut drop, columns, fallen_for);
        drop
    }

    /// A number that differs for each drop: it is derived from the position of the one before.
    fn draw(&self) -> u64 {
        self.drops.last().map_or(0, |drop| {
            let [x, y, z] = drop.position.to_array().map(|at| u64::from(at.to_bits()));
            (x ^ z.rotate_left(16)) << 32 | y
        })
    }

    /// Moves the drops by a step, and lets them land.
    pub fn fall(&mut self, columns: &mut Columns, rules: &Rules) {
        let step = rules.step as f32;
        let mut kept = 0;
        for index in 0..self.drops.len() {
            let mut drop = self.drops[index];
            drop.velocity.y -= rules.gravity as f32 * step;
            let landed = advance(&mut drop, columns, step)
                .is_some_and(|(x, z)| land(&mut drop, columns, x, z));
            if !landed {
                self.drops[kept] = drop;
                kept += 1;
            }
        }
        self.drops.truncate(kept);
    }

    pub fn save(&self, bytes: &mut Vec<u8>) {
        let column = |read: fn(&Drop) -> Vec3| self.drops.iter().map(read).collect::<Vec<_>>();
        put(bytes, &column(|drop| drop.position), vector_bytes);
        put(bytes, &column(|drop| drop.velocity), vector_bytes);
        let volumes: Vec<f64> = self.drops.iter().map(|drop| drop.volume).collect();
        put(bytes, &volumes, f64::to_le_bytes);
    }

    pub fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), StateError> {
        let positions = reader.values(vector)?;
        let velocities = reader.values(vector)?;
        let volumes = reader.values(f64::from_le_bytes)?;
        possible("number of drops", velocities.len() == positions.len())?;
        possible("number of drops", volumes.len() == positions.len())?;
        let finite = |vectors: &[Vec3]| vectors.iter().all(|vector| vector.is_finite());
        possible("drop", finite(&positions) && finite(&velocities))?;
        possible("drop", volumes.iter().all(|volume| volume.is_finite() && *volume >= 0.0))?;
        self.drops.clear();
        self.drops.extend(
            positions
                .into_iter()
                .zip(velocities)
                .zip(volumes)
                .map(|((position, velocity), volume)| Drop { position, velocity, volume }),
        );
        Ok(())
    }
}

/// The columns of a pipe, upstream first.
fn ends(network: &Network, pipe: usize, flux: f32) -> [usize; 2] {
    let ends = [network.from[pipe] as usize, network.to[pipe] as usize];
    if flux > 0.0 { ends } else { [ends[1], ends[0]] }
}

/// Speed at which liquid of some depth flows over an edge, with `flow` over each metre of it: no
/// faster than at the critical depth of an open channel, (flow²/g)^⅓, because the pipe may have
/// emptied the column.
fn speed_at_edge(flow: f64, depth: f64, gravity: f64) -> f32 {
    (flow / depth.max(f64::MIN_POSITIVE)).min((gravity * flow).cbrt()) as f32
}

/// A point just beyond the edge over which liquid leaves a column.
fn edge_point(columns: &Columns, from: usize, to: usize) -> Vec3 {
    let (start, target) = (columns.surface_point(from), columns.surface_point(to));
    let beyond = start.lerp(target, 0.55);
    Vec3::new(beyond.x, start.y, beyond.z)
}

/// Moves a drop; it stays in its cell when a wall or the grid's edge is in the way. Returns the
/// cell where it has reached a surface.
fn advance(drop: &mut Drop, columns: &Columns, step: f32) -> Option<(usize, usize)> {
    let grid = columns.grid();
    let flat = |point: Vec3| Vec2::new(point.x, point.z);
    let next = drop.position + drop.velocity * step;
    let column_at = |point: Vec3, y: f32| {
        let (x, z) = grid.locate(flat(point))?;
        Some((x, z, columns.containing(x, z, y)?))
    };
    let free = column_at(next, drop.position.y)
        .filter(|&(_, _, column)| columns.floor()[column] <= drop.position.y);
    let (x, z, column) = match free {
        Some(found) => {
            drop.position = next;
            found
        }
        None => {
            drop.velocity = Vec3::new(0.0, drop.velocity.y, 0.0);
            drop.position.y = next.y;
            column_at(drop.position, drop.position.y)?
        }
    };
    (f64::from(drop.position.y) <= columns.height(column)).then_some((x, z))
}

/// Returns a drop's volume to a column. True if all of it found room; the rest stays in the drop.
fn land(drop: &mut Drop, columns: &mut Columns, x: usize, z: usize) -> bool {
    let y = drop.position.y;
    drop.volume = place_volume(columns, x, z, y, drop.volume);
    if drop.volume > 0.0 {
        drop.velocity = Vec3::ZERO;
    }
    drop.volume <= 0.0
}
