//! Liquids with menisci.

use std::cell::Cell;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};
use whitecap_core::{Bounds, Particles, Tile, Unwatched};
use whitecap_surface::LevelSet;

use super::contact::ContactGuide;
use super::field::{Correction, Wall};
use super::ghosts::ghosts;
use super::profile::{Profile, REACH};
use super::{MeniscusMode, MeniscusSettings, Solid};
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use crate::liquid::march::{Crossing, first_crossing_of_values};
use crate::liquid::{
    LevelSetLiquid, LiquidError, LiquidField, LiquidSettings, ParticleLiquid, Shutter,
};
use crate::{Hit, Ray, Shape};

/// State of a block in which the corrected function must be asked.
const CORRECTED: u32 = FIRST_SIGN - 1;
/// State of a block in which only the cut at a solid can be the surface.
const CUT: u32 = FIRST_SIGN - 2;
/// State of a block in which the liquid's own surface and the cut meet, without a meniscus.
const SURFACE_AND_CUT: u32 = FIRST_SIGN - 3;

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
        let blocks = corrected_blocks(&liquid, &correction, Correction::moves(settings.mode));
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

/// The blocks of the liquid, with those marked in which menisci or cuts change something.
fn corrected_blocks(liquid: &impl LiquidField, correction: &Correction, moved: bool) -> BlockGrid {
    let plain = liquid.blocks_of_surface();
    let tile_edge = 8.0 * plain.edge();
    let mut tiles: Vec<IVec3> = plain.states().coordinates().to_vec();
    for guide in correction.walls.iter().filter_map(|wall| wall.guide.as_ref()) {
        let lattice = guide.grid().lattice();
        tiles.par_extend(guide.grid().coordinates().par_iter().flat_map_iter(|&tile| {
            let low = (lattice.position(tile * 8) / tile_edge).floor().as_ivec3();
            let high = (lattice.position(tile * 8 + 8) / tile_edge).floor().as_ivec3();
            let span = high - low + 1;
            (0..span.x * span.y * span.z).map(move |i| {
                low + IVec3::new(i % span.x, i / span.x % span.y, i / (span.x * span.y))
            })
        }));
    }
    tiles.par_sort_unstable_by_key(|tile| tile_order(*tile));
    tiles.dedup();
    let tiles = tiles
        .into_par_iter()
        .filter_map(|tile| {
            let states = corrected_tile(liquid, correction, moved, tile)?;
            if states.iter().all(|&state| state == OUTSIDE) {
                return None;
            }
            let inside = states.iter().all(|&state| state == INSIDE);
            Some((tile, if inside { Tile::Constant(INSIDE) } else { Tile::Dense(states) }))
        })
        .collect();
    BlockGrid::new(plain.edge(), tiles)
}

fn corrected_tile(
    liquid: &impl LiquidField,
    correction: &Correction,
    moved: bool,
    tile: IVec3,
) -> Option<Box<[u32; TILE_NODES]>> {
    let plain = liquid.blocks_of_surface();
    let edge = plain.edge();
    let radius = 0.87 * edge;
    let plain_tile = plain.states().tile(tile);
    let middle = (tile * 8 + 4).as_vec3() * edge;
    let around = 8.0 * radius + correction.extension;
    let near_guide = correction.walls.iter().any(|wall| wall.guide.is_some())
        && correction.walls.iter().any(|wall| {
            let reach = REACH * correction.length + correction.extension;
            wall.solid.distance(middle) < (around + reach).min(0.999 * wall.solid.band())
                || wall.solid.band() < around + reach
        });
    let cut_far = correction
        .cut(middle)
        .is_none_or(|(distance, solid)| distance > around && solid.band() > around);
    if !near_guide && cut_far {
        return plain_tile.map(|tile| Box::new(std::array::from_fn(|offset| tile.at(offset))));
    }
    Some(Box::new(std::array::from_fn(|offset| {
        let block = tile * 8 + local_node(offset);
        let center = (block.as_vec3() + 0.5) * edge;
        let state = plain_tile.map_or(OUTSIDE, |tile| tile.at(offset));
        if correction.cut(center).is_some_and(|(distance, _)| distance < -radius) {
            return OUTSIDE;
        }
        let free = moved_state(liquid, correction, moved, block, center, state);
        let overlap = correction.overlap;
        let cut = overlap.is_some_and(|overlap| {
            free != OUTSIDE && correction.nearest_in_block(center, edge) + overlap <= 0.0
        });
        match free {
            INSIDE if cut => CUT,
            OUTSIDE | CORRECTED => free,
            _ if cut => SURFACE_AND_CUT,
            _ => free,
        }
    })))
}

/// State of a block once its points are asked elsewhere.
fn moved_state(
    liquid: &impl LiquidField,
    correction: &Correction,
    moved: bool,
    block: IVec3,
    center: Vec3,
    state: u32,
) -> u32 {
    let plain = liquid.blocks_of_surface();
    let edge = plain.edge();
    let farthest = match moved {
        true => correction.largest_displacement(center, edge),
        false => Vec3::ZERO,
    };
    let extended = correction.extension > 0.0
        && correction.walls.iter().any(|wall| {
            wall.guide.as_ref().is_some_and(|guide| guide.at(center).is_some())
                && wall.solid.distance(center) < correction.extension + 0.87 * edge
        });
    if farthest.length() < 1e-4 * edge.min(correction.length) && !extended {
        return state;
    }
    // All places its points may be asked at.
    let margin = if extended { 2.0 * correction.extension } else { 0.0 };
    let reach = Vec3::splat(0.501 * edge + margin);
    let from = center - reach - farthest.max(Vec3::ZERO);
    let to = center + reach - farthest.min(Vec3::ZERO);
    let low = (from / edge).floor().as_ivec3();
    let high = (to / edge).floor().as_ivec3();
    let first = plain.state(block);
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                let here = plain.state(IVec3::new(x, y, z));
                if here != first || here < FIRST_SIGN {
                    return CORRECTED;
                }
            }
        }
    }
    first
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
