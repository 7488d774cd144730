//! The meniscus as shading: near the border the normals of the surface tilt as if the liquid curved up
//! or down to meet the solid at its contact angle (Dagenais et al. 2018, §5).
//!
//! The distance to the nearest boundary column spreads from the shore over linked columns, each adopting the
//! boundary column of its neighbour (dead reckoning, Grevera 2004). The tilt at the contact is ψ = β − α with
//! the slope β of the solid and the contact angle α; it fades linearly with the distance.
//!
//! # Guarantees
//! * At the shore of flat liquid the normal makes the contact angle with the solid's normal, as long as
//!   ψ lies within a right angle; beyond that it stops there, because the surface does not fold over.
//! * At `length` from the boundary and beyond nothing changes.
//! * With a viewer, no normal that faced the viewer faces away from it afterwards.
//! * The time depends on the number of columns within reach of a shore, not on the size of the
//!   grid.
//!
//! # Where this differs from the paper
//! Candidates are compared by their true distance, not by the length of the path, which is more
//! exact and costs the same. The slope β is that at the contact, for all columns that share it.
//! Directions to the boundary, which is known only to within a cell, are averaged over neighbours.

mod ring;
mod tilt;

use std::f32::consts::FRAC_PI_2;

use glam::{Vec2, Vec3, Vec3Swizzles};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use whitecap_scene::check_ranges;

use crate::error::PipeError;
use crate::liquid::columns::Columns;
use crate::surface::{STEPS, Surface, VertexKind, places};
use ring::Ring;
use tilt::tilt;

/// Normals are turned in parallel from this many on.
const SHORTEST: usize = 1024;
/// Distance in cells at which the direction of the nearest boundary column says as much about the
/// direction to the boundary as the boundary's course does; closer in it says less, because the
/// boundary is a staircase of columns.
const FAR: f32 = 16.0;

/// Settings of the meniscus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeniscusSettings {
    /// Angle between the solid and the surface of the liquid, measured through the liquid: below 90 the
    /// liquid climbs a wall, above 90 it bends down.
    #[schemars(extend("unit" = "degrees"), range(min = 0.0, max = 180.0))]
    pub contact_angle: f32,
    /// How far the meniscus reaches: 2.8 mm for water in air.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e6))]
    pub length: f32,
}

impl Default for MeniscusSettings {
    fn default() -> Self {
        Self { contact_angle: 30.0, length: 0.0028 }
    }
}

impl MeniscusSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), PipeError> {
        Ok(check_ranges(self)?)
    }

    /// Tilt at the contact with a solid of slope β, in radians; positive where the liquid climbs.
    fn tilt_at_contact(&self, slope: f32) -> f32 {
        (slope - self.contact_angle.to_radians()).clamp(-FRAC_PI_2, FRAC_PI_2)
    }
}

/// The viewer of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewer {
    /// A viewer far away, in this direction from the surface.
    Toward(Vec3),
    /// A viewer at this position.
    At(Vec3),
}

impl Viewer {
    fn direction_from(&self, position: Vec3) -> Vec3 {
        match *self {
            Viewer::Toward(direction) => direction,
            Viewer::At(eye) => eye - position,
        }
        .normalize_or_zero()
    }
}

/// What a column knows about the nearest boundary.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// Squared distance from the nearest boundary column, in cells.
    squared: f32,
    /// Vector from there to here, in cells.
    away: Vec2,
    /// Direction to the boundary, smoothed along it.
    toward: Vec2,
    /// Rise over run of the solid there.
    steepness: f32,
    /// Index in the ring next to the boundary, for the columns in it.
    place: u32,
}

impl Reach {
    /// Direction to the boundary, of any length.
    fn direction(&self) -> Vec2 {
        self.toward - self.away / FAR
    }
}

const OUT_OF_REACH: Reach = Reach {
    squared: f32::INFINITY,
    away: Vec2::ZERO,
    toward: Vec2::ZERO,
    steepness: 0.0,
    place: u32::MAX,
};

/// The meniscus: distances to the boundary, kept from frame to frame to reuse their memory.
#[derive(Clone, Debug, Default)]
pub struct Meniscus {
    cell: f32,
    reaches: Vec<Reach>,
    touched: Vec<u32>,
    queue: Vec<u32>,
    ring: Ring,
    tilted: Vec<Vec3>,
}

impl Meniscus {
    /// No meniscus yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tilts the normals of a surface that was just updated from `columns`. To be called once after
    /// [`Surface::update`].
    ///
    /// # Panics
    /// If `surface` is not the surface of `columns`.
    pub fn apply(
        &mut self,
        columns: &Columns,
        surface: &mut Surface,
        settings: &MeniscusSettings,
        viewer: Option<Viewer>,
    ) -> Result<(), PipeError> {
        settings.check()?;
        self.find_distances(columns, surface, settings.length);
        self.tilt_columns(columns, surface, settings, viewer);
        tilt_walls(columns, surface, settings, viewer);
        Ok(())
    }

    /// Horizontal distance from a column to its nearest boundary column: zero at the shore,
    /// infinite beyond the reach of the meniscus.
    pub fn distance(&self, column: usize) -> f32 {
        self.reaches.get(column).map_or(f32::INFINITY, |reach| reach.squared.sqrt() * self.cell)
    }

    fn find_distances(&mut self, columns: &Columns, surface: &Surface, length: f32) {
        self.forget(columns.len());
        self.cell = columns.grid().cell();
        let farthest = (length / self.cell).powi(2);
        self.seed(columns, surface, farthest);
        self.ring.find(columns, surface, &self.touched, &mut self.reaches);
        self.ring.even_out(&mut self.reaches);
        let mut next = 0;
        while let Some(&column) = self.queue.get(next) {
            next += 1;
            let column = column as usize;
            let around = surface.around(columns, column);
            let Reach { away, toward, steepness, .. } = self.reaches[column];
            for direction in 0..8 {
                // It can be the nearest for others only away from the boundary.
                let step = step(direction);
                if step.dot(away) <= 0.0 || (away + step).length_squared() >= farthest {
                    continue;
                }
                match around.linked(direction) {
                    Some(other) if surface.kinds()[other] == VertexKind::Free => {
                        self.offer(other, away + step, toward, steepness, farthest);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Clears what is known from the frame before.
    fn forget(&mut self, count: usize) {
        for &column in &self.touched {
            if let Some(reach) = self.reaches.get_mut(column as usize) {
                *reach = OUT_OF_REACH;
            }
        }
        self.reaches.resize(count, OUT_OF_REACH);
        self.touched.clear();
        self.queue.clear();
    }

    /// The first ring: columns with a free surface beside a shore or a wall.
    fn seed(&mut self, columns: &Columns, surface: &Surface, farthest: f32) {
        let kinds = surface.kinds();
        for shore in places(&kinds[..columns.len()], |kind| kind == VertexKind::Shore) {
            let (around, mut steepest) = (surface.around(columns, shore), f32::NEG_INFINITY);
            let mut toward = Vec2::ZERO;
            for direction in 0..8 {
                let Some(other) = around.linked(direction) else { continue };
                let step = step(direction);
                let rise = columns.floor()[shore] - columns.floor()[other];
                let steepness = rise / (step.length() * self.cell);
                steepest = steepest.max(steepness);
                toward -= step / step.length_squared();
                self.offer_first(other, step, steepness, farthest);
            }
            let (away, steepness) = (Vec2::ZERO, steepest);
            let toward = toward.normalize_or_zero();
            self.reaches[shore] = Reach { squared: 0.0, away, toward, steepness, ..OUT_OF_REACH };
            self.touched.push(shore as u32);
        }
        for wall in (columns.len()..kinds.len()).filter(|&v| kinds[v] == VertexKind::Wall) {
            let column = surface.vertex_columns()[wall] as usize;
            let way = (surface.positions()[column] - surface.positions()[wall]).xz();
            self.offer_first(column, (way / self.cell).round(), f32::INFINITY, farthest);
        }
    }

    /// Gives a column of the first ring a boundary column. All boundary columns beside it together
    /// say where the boundary is.
    fn offer_first(&mut self, column: usize, away: Vec2, steepness: f32, farthest: f32) {
        if away.length_squared() >= farthest {
            return;
        }
        let toward = self.reaches[column].toward - away / away.length_squared();
        self.offer(column, away, toward, steepness, farthest);
        self.reaches[column].toward = toward;
    }

    /// Gives a column a boundary column, if that is nearer than the one it has.
    fn offer(&mut self, column: usize, away: Vec2, toward: Vec2, steepness: f32, farthest: f32) {
        let squared = away.length_squared();
        let reach = &mut self.reaches[column];
        if squared < reach.squared && squared < farthest {
            if reach.squared == f32::INFINITY {
                self.touched.push(column as u32);
            }
            *reach = Reach { squared, away, toward, steepness, ..*reach };
            self.queue.push(column as u32);
        }
    }

    fn tilt_columns(
        &mut self,
        columns: &Columns,
        surface: &mut Surface,
        settings: &MeniscusSettings,
        viewer: Option<Viewer>,
    ) {
        let (reaches, reach_in_cells) = (&self.reaches, settings.length / self.cell);
        let shared = &*surface;
        self.tilted.resize(self.touched.len(), Vec3::Y);
        let turn = |(&column, tilted): (&u32, &mut Vec3)| {
            let column = column as usize;
            let reach = reaches[column];
            let at_contact = settings.tilt_at_contact(reach.steepness.atan());
            let fade = 1.0 - reach.squared.sqrt() / reach_in_cells;
            let direction = mean_direction(reaches, columns, shared, column);
            let position = shared.positions()[column];
            let view = viewer.map(|viewer| viewer.direction_from(position));
            *tilted = tilt(shared.normals()[column], direction, at_contact, fade, view);
        };
        let pairs = self.touched.par_iter().zip(&mut self.tilted).with_min_len(SHORTEST);
        pairs.for_each(turn);
        for (&column, &normal) in self.touched.iter().zip(&self.tilted) {
            surface.normals_mut()[column as usize] = normal;
        }
    }
}

/// Mean direction to the boundary of a column and those linked with it along x and z.
fn mean_direction(reaches: &[Reach], columns: &Columns, surface: &Surface, column: usize) -> Vec2 {
    let around = surface.around(columns, column);
    let beside = (0..4).filter_map(|side| around.linked(side));
    let near = beside.filter(|&other| reaches[other].squared.is_finite());
    let sum: Vec2 = near.map(|other| reaches[other].direction()).sum();
    (reaches[column].direction() + sum).normalize_or_zero()
}

/// A step to a neighbour, in cells.
fn step(direction: usize) -> Vec2 {
    let (x, z) = STEPS[direction];
    Vec2::new(x as f32, z as f32)
}

/// Tilts the normals inside walls, where the distance is zero and the solid vertical.
fn tilt_walls(
    columns: &Columns,
    surface: &mut Surface,
    settings: &MeniscusSettings,
    viewer: Option<Viewer>,
) {
    let at_contact = settings.tilt_at_contact(FRAC_PI_2);
    for wall in columns.len()..surface.kinds().len() {
        if surface.kinds()[wall] != VertexKind::Wall {
            continue;
        }
        let position = surface.positions()[wall];
        let column = surface.vertex_columns()[wall] as usize;
        let direction = (position - surface.positions()[column]).xz().normalize_or_zero();
        let view = viewer.map(|viewer| viewer.direction_from(position));
        let normal = tilt(surface.normals()[wall], direction, at_contact, 1.0, view);
        surface.normals_mut()[wall] = normal;
    }
}
