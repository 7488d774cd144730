//! Liquids with menisci.

use std::cell::Cell;

use glam::Vec3;
use whitecap_core::{Bounds, Particles, Unwatched};
use whitecap_surface::LevelSet;

use super::contact::ContactGuide;
use super::field::{Correction, Wall};
use super::ghosts::ghosts;
use super::marked_blocks::{CORRECTED, CUT, SURFACE_AND_CUT, marked_blocks};
use super::profile::{Profile, REACH};
use super::{MeniscusMode, MeniscusSettings, Solid};
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN};
use crate::liquid::march::{Crossing, first_crossing_of_values};
use crate::liquid::{
    LevelSetLiquid, LiquidError, LiquidField, LiquidSettings, ParticleLiquid, Shutter,
};
use crate::{Hit, Ray, Shape};

/// A liquid whose surface meets solids at their contact angles.
pub struct MeniscusLiquid<L: LiquidField> {
    liquid: L,
    correction: Correction,
    mode: MeniscusMode,
    blocks: BlockGrid,
}

impl MeniscusLiquid<ParticleLiquid> {
    /// A liquid of particles beside solids.
    pub fn particles(
        particles: &Particles,
        liquid: &LiquidSettings,
        shutter: Shutter,
        solids: Vec<Solid>,
        settings: &MeniscusSettings,
    ) -> Result<Self, LiquidError> {
        let length = settings.length()?;
        let make = |copies: &[(u32, Vec3)]| {
            ParticleLiquid::with_ghosts(particles, copies, liquid, shutter, &Unwatched)
        };
        let mut made = make(&[])?;
        if settings.mode != MeniscusMode::None {
            let layer = settings.ghost_layer.unwrap_or(made.edge_width());
            made = make(&ghosts(particles, &solids, &[], layer))?;
            let guides = guides(&made, &solids, length);
            if guides.iter().any(ContactGuide::is_tilted) {
                // Now that the surface is known, copies can be made along it.
                made = make(&ghosts(particles, &solids, &guides, layer))?;
            }
        }
        Ok(Self::new(made, solids, settings, length, 0.0))
    }
}

impl MeniscusLiquid<LevelSetLiquid> {
    /// A liquid given as a distance field beside solids.
    pub fn level_set(
        level_set: LevelSet,
        solids: Vec<Solid>,
        settings: &MeniscusSettings,
    ) -> Result<Self, LiquidError> {
        let length = settings.length()?;
        let liquid = LevelSetLiquid::new(level_set);
        let extension = match settings.mode {
            MeniscusMode::None => 0.0,
            _ => settings.ghost_layer.unwrap_or(liquid.edge_width()),
        };
        Ok(Self::new(liquid, solids, settings, length, extension))
    }
}

fn guides(liquid: &impl LiquidField, solids: &[Solid], length: f32) -> Vec<ContactGuide> {
    solids.iter().map(|solid| ContactGuide::new(liquid, solid, length)).collect()
}

impl<L: LiquidField> MeniscusLiquid<L> {
    fn new(
        liquid: L,
        solids: Vec<Solid>,
        settings: &MeniscusSettings,
        length: f32,
        extension: f32,
    ) -> Self {
        let needed = match settings.mode {
            MeniscusMode::None => false,
            MeniscusMode::Ghost => extension > 0.0,
            MeniscusMode::Geometric | MeniscusMode::Normal => true,
        };
        let walls = solids
            .into_iter()
            .map(|solid| {
                let guide = needed.then(|| ContactGuide::new(&liquid, &solid, length));
                let guide = guide.filter(|guide| !guide.is_empty());
                let profile = Profile::new(solid.contact_angle(), settings.height);
                Wall { solid, guide, profile }
            })
            .collect();
        let overlap = settings.clip.then_some(settings.overlap);
        let correction = Correction { walls, length, extension, overlap };
        let blocks = marked_blocks(&liquid, &correction, Correction::moves(settings.mode));
        Self { liquid, correction, mode: settings.mode, blocks }
    }

    /// The liquid without menisci, ghosts included.
    pub fn liquid(&self) -> &L {
        &self.liquid
    }

    /// The corrected function at a point: negative inside the liquid.
    pub fn value(&self, point: Vec3, time: f32) -> f32 {
        self.correction.value(&self.liquid, point, time, self.moves())
    }

    fn moves(&self) -> bool {
        Correction::moves(self.mode)
    }

    fn nearest(&self, ray: &Ray) -> Option<f32> {
        let found = self.blocks.nearest(ray, |state, range| {
            let crossing = match state {
                CORRECTED => self.cross_corrected(ray, range),
                CUT => self.cross_cut(ray, range),
                SURFACE_AND_CUT => self.cross_surface_and_cut(ray, range),
                _ => self.liquid.cross(ray, state, range),
            };
            crossing.map(|crossing| (crossing.distance, ()))
        });
        found.map(|(distance, ())| distance)
    }

    /// The first crossing of the liquid's own surface between two distances in one block.
    fn cross_plain(&self, ray: &Ray, from: f32, to: f32) -> Option<Crossing> {
        let state = self.liquid.blocks_of_surface().state_at(ray.at(0.5 * (from + to)));
        let possible = state < FIRST_SIGN && from < to;
        if possible { self.liquid.cross(ray, state, (from, to)) } else { None }
    }

    /// The first crossing in a block that needs the corrected function near the wall.
    fn cross_corrected(&self, ray: &Ray, (enter, leave): (f32, f32)) -> Option<Crossing> {
        // A distance changes by no more than the way, so the ends are free of the wall's influence.
        let reach = self.influence();
        let free = |at: f32| (self.correction.nearest_wall(ray.at(at)) - reach).max(0.0);
        let (first, last) = (enter + free(enter), leave - free(leave));
        if first >= last {
            return self.cross_plain(ray, enter, leave);
        }
        self.cross_plain(ray, enter, first)
            .or_else(|| self.cross(ray, (first, last)))
            .or_else(|| self.cross_plain(ray, last, leave))
    }

    /// Distance to a wall beyond which the liquid is as it was, in m.
    fn influence(&self) -> f32 {
        let meniscus = if self.moves() { REACH * self.correction.length } else { 0.0 };
        meniscus.max(self.correction.extension)
    }

    /// The first crossing of a wall.
    fn cross_cut(&self, ray: &Ray, (enter, leave): (f32, f32)) -> Option<Crossing> {
        let spacing = self.liquid.spacing();
        let (enter, leave) = self.widened(ray, enter, leave);
        let origin = ray.at(enter);
        let value = |at: f32| {
            let cut = self.correction.cut(origin + at * ray.direction);
            cut.map_or(-1.0, |(distance, _)| -distance)
        };
        let step = |at: f32| value(at).abs().max(0.25 * self.detail()).min(spacing);
        let tolerance = 1e-5 * self.detail();
        let crossing = first_crossing_of_values(leave - enter, tolerance, step, value, |_| true)?;
        Some(Crossing { distance: enter + crossing.distance, ..crossing })
    }

    /// The first crossing of the liquid's own surface outside the solid, or of the wall inside the
    /// liquid.
    fn cross_surface_and_cut(&self, ray: &Ray, (enter, leave): (f32, f32)) -> Option<Crossing> {
        let mut from = enter;
        // A ray may pass through a thin solid and out again.
        for _ in 0..8 {
            let wall = self.cross_cut(ray, (from, leave));
            let dry = match wall {
                Some(wall) => !wall.leaving,
                None => {
                    self.correction.cut(ray.at(leave)).is_some_and(|(distance, _)| distance < 0.0)
                }
            };
            let until = wall.map_or(leave, |wall| wall.distance);
            if !dry {
                let surface = self.cross_plain(ray, from, until);
                if let Some(surface) = surface.filter(|surface| surface.distance <= until) {
                    return Some(surface);
                }
            }
            let wall = wall?;
            let in_liquid = self.liquid.value(ray.at(wall.distance), ray.time) < 0.0;
            if in_liquid {
                return Some(wall);
            }
            from = wall.distance + 1e-3 * self.detail();
        }
        None
    }

    /// Neighbouring blocks overlap a little, so that no crossing falls between them.
    fn widened(&self, ray: &Ray, enter: f32, leave: f32) -> (f32, f32) {
        let slack = 2e-3 * self.liquid.spacing() + 4.0 * f32::EPSILON * leave;
        ((enter - slack).max(0.0), (leave + slack).min(ray.far))
    }

    /// The first crossing of the corrected function.
    fn cross(&self, ray: &Ray, (enter, leave): (f32, f32)) -> Option<Crossing> {
        let (enter, leave) = self.widened(ray, enter, leave);
        let (origin, length) = (ray.at(enter), leave - enter);
        let piece = self.correction.on_piece(origin, ray.direction, length);
        let place = |at: f32| origin + at * ray.direction;
        let accept = |at: f32| self.liquid.counts(place(at) - self.shift(place(at)), ray.time);
        // The meniscus has detail near the wall only: the last value asked for tells how near that is.
        let last_to_wall = Cell::new(0.0f32);
        let step = |_: f32| {
            let from_wall = (0.5 * last_to_wall.get()).max(0.5 * self.detail());
            from_wall.min(0.25 * self.liquid.spacing())
        };
        let tolerance = 1e-5 * self.detail();
        let margin = piece.margin + 2.0 * self.correction.extension;
        let crossing = if margin.is_finite() {
            self.liquid.ask_beside(ray, (enter, leave), margin, &mut |ask| {
                let value = |at: f32| {
                    let point = place(at);
                    let (to_wall, shift) = piece.at(at, point, self.moves());
                    last_to_wall.set(to_wall);
                    let cut = self.correction.overlap.map_or(f32::NEG_INFINITY, |o| -to_wall - o);
                    if cut > 0.0 {
                        return cut;
                    }
                    ask(at, self.correction.extended(point - shift).0).max(cut)
                };
                first_crossing_of_values(length, tolerance, step, value, accept)
            })
        } else {
            let value = |at: f32| self.value(place(at), ray.time);
            first_crossing_of_values(length, tolerance, step, value, accept)
        }?;
        Some(Crossing { distance: enter + crossing.distance, ..crossing })
    }

    /// Size of the finest detail near a wall, in m.
    fn detail(&self) -> f32 {
        let spacing = self.liquid.spacing();
        if self.moves() { spacing.min(self.correction.length) } else { spacing }
    }

    fn shift(&self, point: Vec3) -> Vec3 {
        if self.moves() { self.correction.displacement(point) } else { Vec3::ZERO }
    }

    /// The hit at a crossing: on the free surface, or on the cut at a solid.
    fn describe(&self, ray: &Ray, distance: f32) -> Hit {
        let point = ray.at(distance);
        let shift = self.shift(point);
        let from = Ray { origin: ray.origin - shift, ..*ray };
        let mut hit = self.liquid.describe(&from, distance);
        let gradient =
            |at: Vec3, moved| self.correction.free_gradient(&self.liquid, at, ray.time, moved);
        let here = gradient(point, self.moves());
        let depth = -self.correction.free_value(&self.liquid, point, ray.time, self.moves());
        // The surface is the cut where the free surface is farther away than the wall.
        let rounding = 8.0 * f32::EPSILON * point.abs().max_element().max(distance);
        if let Some((to_wall, solid)) = self.correction.cut(point)
            && to_wall.abs() < rounding.max(4e-5 * self.detail())
            && depth > to_wall.abs() * here.length()
        {
            let normal = -solid.normal(point);
            hit.geometric_normal = normal;
            hit.shading_normal = normal;
            return hit;
        }
        let normal = here.try_normalize().unwrap_or(hit.geometric_normal);
        hit.geometric_normal = normal;
        hit.shading_normal = match self.mode {
            MeniscusMode::Normal => {
                let moved = point + self.correction.displacement(point);
                gradient(moved, true).try_normalize().unwrap_or(normal)
            }
            _ => normal,
        };
        hit
    }
}

impl<L: LiquidField> Shape for MeniscusLiquid<L> {
    fn bounds(&self) -> Bounds {
        self.blocks.bounds()
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        self.nearest(ray).map(|distance| self.describe(ray, distance))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.nearest(ray).is_some()
    }

    fn contains(&self, point: Vec3, time: f32) -> bool {
        let outside = self.correction.cut(point).is_some_and(|(distance, _)| distance < 0.0);
        !outside
            && (self.value(point, time) < 0.0
                || self.liquid.contains(point - self.shift(point), time))
    }

    fn bytes(&self) -> usize {
        let wall = |wall: &Wall| {
            let guide = wall.guide.as_ref().map_or(0, ContactGuide::bytes);
            wall.solid.bytes() + wall.profile.bytes() + guide
        };
        self.liquid.bytes()
            + self.blocks.bytes()
            + self.correction.walls.iter().map(wall).sum::<usize>()
    }
}
