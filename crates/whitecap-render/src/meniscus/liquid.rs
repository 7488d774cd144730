//! Liquids with menisci.

use std::cell::Cell;

use glam::Vec3;
use whitecap_core::{Bounds, Particles, Unwatched};
use whitecap_surface::{LevelSet, spacing_of};

use super::contact::ContactGuide;
use super::field::{Correction, Wall};
use super::ghosts::ghosts;
use super::marked_blocks::{FIRST_MARK, MarkedBlock, MovedBlock, contacts_of, marked_blocks};
use super::profile::Profile;
use super::sides::WallSides;
use super::stretch::{EVENNESS, Stretch, WallsAlong, first_stretch};
use super::{MeniscusMode, MeniscusSettings, Solid};
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE};
use crate::liquid::march::{Crossing, first_crossing_of_values};
use crate::liquid::sides::Sides;
use crate::liquid::{
    Beside, LevelSetLiquid, LiquidError, LiquidField, LiquidSettings, ParticleLiquid, Shutter,
    Walls,
};
use crate::{Hit, Ray, Shape};

/// A liquid whose surface meets solids at their contact angles.
pub struct MeniscusLiquid<L: LiquidField> {
    liquid: L,
    correction: Correction,
    mode: MeniscusMode,
    blocks: BlockGrid,
    marks: Vec<MarkedBlock>,
}

/// What a ray hit.
#[derive(Clone, Copy)]
enum Met {
    /// The liquid's own surface.
    Surface,
    /// A surface in a marked block of this number, facing away from a wall.
    Marked(u32, Vec3),
    /// A wall.
    Wall,
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
        let reach = reach_of(particles, liquid);
        let positions = particles.positions();
        let layer = settings.ghost_layer.unwrap_or(reach);
        let ghosts = match settings.mode {
            MeniscusMode::None => Vec::new(),
            _ => ghosts(positions, &solids, layer),
        };
        let sides = WallSides::new(positions, &ghosts, &solids, reach, settings.overlap);
        let sides = sides.as_ref().map(|sides| sides as &dyn Sides);
        let copies: Vec<(u32, Vec3)> = ghosts.iter().map(|g| (g.particle, g.place)).collect();
        let dry = |point: Vec3, edge: f32| {
            let depth = 0.87 * edge + settings.overlap;
            settings.clip && solids.iter().any(|solid| solid.distance(point) < -depth)
        };
        let walls = Walls { ghosts: &copies, sides, dry: &dry };
        let mut made = ParticleLiquid::beside_walls(particles, walls, liquid, shutter, &Unwatched)?;
        let guides = match settings.mode {
            MeniscusMode::None => Vec::new(),
            _ => guides(&made, &solids, length),
        };
        if guides.iter().any(|guide| !guide.is_empty()) {
            // Now that the surface is known, copies can be moved along it.
            let way = |ghost: u32| {
                let ghost = &ghosts[ghost as usize];
                ghost.way(positions[ghost.particle as usize], &guides, reach)
            };
            made.move_ghosts(way, walls);
        }
        Ok(Self::new(made, solids, guides, settings, length, 0.0, sides))
    }
}

/// How far a particle reaches, in m.
fn reach_of(particles: &Particles, settings: &LiquidSettings) -> f32 {
    let largest = || particles.radii().map(|radii| radii.iter().copied().fold(0.0, f32::max));
    let estimated = || spacing_of(particles).map(|spacing| 0.5 * spacing);
    let radius = settings.radius.or_else(largest).or_else(estimated).unwrap_or(0.0);
    settings.support.unwrap_or(4.0 * radius)
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
        let guides = match settings.mode {
            MeniscusMode::None => Vec::new(),
            _ => guides(&liquid, &solids, length),
        };
        Ok(Self::new(liquid, solids, guides, settings, length, extension, None))
    }
}

fn guides(liquid: &impl LiquidField, solids: &[Solid], length: f32) -> Vec<ContactGuide> {
    solids.iter().map(|solid| ContactGuide::new(liquid, solid, length)).collect()
}

impl<L: LiquidField> MeniscusLiquid<L> {
    fn new(
        mut liquid: L,
        solids: Vec<Solid>,
        guides: Vec<ContactGuide>,
        settings: &MeniscusSettings,
        length: f32,
        extension: f32,
        sides: Option<&dyn Sides>,
    ) -> Self {
        let mut guides = guides.into_iter();
        let walls = solids
            .into_iter()
            .map(|solid| {
                let guide = guides.next().filter(|guide| !guide.is_empty());
                let profile = Profile::new(solid.contact_angle(), settings.height);
                Wall { solid, guide, profile }
            })
            .collect();
        let correction = Correction {
            walls,
            length,
            extension,
            overlap: settings.clip.then_some(settings.overlap),
            moves: Correction::moves(settings.mode),
        };
        let mut marked = marked_blocks(&liquid, &correction, sides);
        let first = liquid.lists_around(&marked.boxes, sides);
        for moved in marked.marks.iter_mut().filter_map(|mark| mark.moved.as_mut()) {
            moved.row += first;
        }
        let (blocks, marks) = (marked.blocks, marked.marks);
        Self { liquid, correction, mode: settings.mode, blocks, marks }
    }

    /// The liquid without menisci, ghosts included.
    pub fn liquid(&self) -> &L {
        &self.liquid
    }

    /// The corrected function at a point: negative inside the liquid.
    pub fn value(&self, point: Vec3, time: f32) -> f32 {
        self.correction.value(&self.liquid, point, time)
    }

    fn nearest(&self, ray: &Ray) -> Option<(f32, Met)> {
        self.blocks.nearest(ray, |state, range| {
            if state < FIRST_MARK {
                let crossing = self.liquid.cross(ray, state, Vec3::ZERO, range);
                return crossing.map(|crossing| (crossing.distance, Met::Surface));
            }
            self.cross_marked(ray, state - FIRST_MARK, range)
        })
    }

    /// The first crossing in a marked block: on the pieces of the ray outside the solids, one by one.
    fn cross_marked(
        &self,
        ray: &Ray,
        number: u32,
        (enter, leave): (f32, f32),
    ) -> Option<(f32, Met)> {
        let block = &self.marks[number as usize];
        // Neighbouring blocks overlap slightly, so that no crossing falls between them.
        let slack = 2e-3 * self.liquid.spacing() + 4.0 * f32::EPSILON * leave;
        let (mut enter, leave) = ((enter - slack).max(0.0), (leave + slack).min(ray.far));
        if !block.cut {
            let stretch = Stretch { from: enter, to: leave, from_wall: false, to_wall: false };
            return self.cross_stretch(ray, number, &stretch);
        }
        // A ray may pass through a thin solid and out again.
        for _ in 0..8 {
            let stretch =
                first_stretch(&self.correction, &block.walls, ray, (enter, leave), self.detail())?;
            let found = self.cross_stretch(ray, number, &stretch);
            if found.is_some() || !stretch.to_wall {
                return found;
            }
            enter = stretch.to + 1e-3 * self.detail();
            if enter >= leave {
                return None;
            }
        }
        None
    }

    /// The first crossing on a piece of a ray outside the solids.
    fn cross_stretch(&self, ray: &Ray, number: u32, stretch: &Stretch) -> Option<(f32, Met)> {
        let block = &self.marks[number as usize];
        let middle = ray.at(0.5 * (stretch.from + stretch.to));
        let sided = self.liquid.has_sides();
        let facing = if sided { self.correction.facing(middle) } else { Vec3::ZERO };
        // The far side of a thin wall plays no part in the contact.
        let moved = block.moved.as_ref().filter(|_| {
            let places = [middle, ray.at(stretch.from), ray.at(stretch.to)];
            !sided || places.iter().any(|&place| block.has_contact(place, facing))
        });
        let found = match moved {
            Some(moved) => self.cross_moved(ray, block, moved, stretch, facing),
            None => self.cross_still(ray, block.state, stretch, facing),
        };
        let surface = Met::Marked(number, facing);
        found.map(|(distance, at_wall)| (distance, if at_wall { Met::Wall } else { surface }))
    }

    /// Where nothing is moved: the distance, and whether a wall is there.
    fn cross_still(
        &self,
        ray: &Ray,
        state: u32,
        stretch: &Stretch,
        facing: Vec3,
    ) -> Option<(f32, bool)> {
        let wet = |at: f32| {
            state == INSIDE
                || (state < FIRST_SIGN && self.liquid.value(ray.at(at), ray.time, facing) < 0.0)
        };
        if stretch.from_wall && wet(stretch.from) {
            return Some((stretch.from, true));
        }
        if state < FIRST_SIGN {
            let crossing = self.liquid.cross(ray, state, facing, (stretch.from, stretch.to));
            let before = |crossing: &Crossing| {
                (!stretch.from_wall || crossing.distance >= stretch.from)
                    && (!stretch.to_wall || crossing.distance <= stretch.to)
            };
            if let Some(crossing) = crossing.filter(before) {
                return Some((crossing.distance, false));
            }
        }
        (stretch.to_wall && wet(stretch.to)).then_some((stretch.to, true))
    }

    /// Where a meniscus moves the surface: the distance, and whether a wall is there.
    fn cross_moved(
        &self,
        ray: &Ray,
        block: &MarkedBlock,
        moved: &MovedBlock,
        stretch: &Stretch,
        facing: Vec3,
    ) -> Option<(f32, bool)> {
        let (origin, length) = (ray.at(stretch.from), stretch.to - stretch.from);
        // The meniscus has detail only near the wall, and only perpendicular to it.
        let (detail, spacing) = (self.detail(), self.liquid.spacing());
        let allowed = Cell::new(0.0f32);
        let beside = Beside {
            row: moved.row + u32::from(moved.first_side.is_some_and(|n| n.dot(facing) < 0.0)),
            range: (stretch.from, stretch.to),
            shift: moved.shift,
            margin: moved.margin,
        };
        let mut at_wall = false;
        let crossing = self.liquid.ask_beside(ray, &beside, &mut |ask| {
            let walls = WallsAlong::new(
                &self.correction,
                &block.walls,
                facing,
                (origin, ray.direction, length),
            );
            let accept = |at: f32| {
                let place = walls.at(at, origin + at * ray.direction).2;
                self.liquid.counts(place, ray.time, facing)
            };
            let mut value = |at: f32| {
                let (to_wall, speed, place) = walls.at(at, origin + at * ray.direction);
                let step = 0.5 * to_wall.max(detail) / speed.max(0.05);
                allowed.set(step.min(0.25 * spacing));
                ask(at, place)
            };
            if stretch.from_wall && value(0.0) < 0.0 {
                at_wall = true;
                return Some(Crossing { distance: 0.0, leaving: false });
            }
            let step = |_: f32| allowed.get();
            let tolerance = 1e-5 * detail;
            let found = first_crossing_of_values(length, tolerance, step, &mut value, accept);
            if found.is_none() && stretch.to_wall && value(length) < 0.0 {
                at_wall = true;
                return Some(Crossing { distance: length, leaving: true });
            }
            found
        });
        crossing.map(|crossing| (stretch.from + crossing.distance, at_wall))
    }

    /// Size of the finest detail near a wall, in m.
    fn detail(&self) -> f32 {
        let spacing = self.liquid.spacing();
        if self.correction.moves { spacing.min(self.correction.length) } else { spacing }
    }

    /// The hit at a crossing.
    fn describe(&self, ray: &Ray, distance: f32, met: Met) -> Hit {
        let correction = &self.correction;
        let point = ray.at(distance);
        let (block, facing) = match met {
            Met::Surface => return self.describe_surface(ray, distance),
            Met::Marked(number, facing) => (&self.marks[number as usize], facing),
            Met::Wall => {
                let mut hit = self.liquid.describe(ray, distance, Vec3::ZERO);
                let normal = -correction.facing(point);
                (hit.geometric_normal, hit.shading_normal) = (normal, normal);
                return hit;
            }
        };
        let contact = contacts_of(&block.walls, facing);
        let place = correction.place(point, correction.moves, &contact);
        let from = Ray { origin: ray.origin + (place - point), ..*ray };
        let mut hit = self.liquid.describe(&from, distance, facing);
        if block.moved.is_some() {
            hit.uncertainty = hit.uncertainty.max(1.5 * EVENNESS * correction.length);
        }
        let here = hit.geometric_normal;
        let bent = correction.moved_gradient(point, here, correction.moves, &contact);
        hit.geometric_normal = bent.try_normalize().unwrap_or(here);
        hit.shading_normal = match self.mode {
            MeniscusMode::Normal => self.mapped_normal(point, ray.time, facing),
            _ => None,
        }
        .unwrap_or(hit.geometric_normal);
        hit
    }

    /// The hit on a surface that nothing moves.
    fn describe_surface(&self, ray: &Ray, distance: f32) -> Hit {
        let mut hit = self.liquid.describe(ray, distance, Vec3::ZERO);
        if self.mode == MeniscusMode::Normal {
            let mapped = self.mapped_normal(ray.at(distance), ray.time, Vec3::ZERO);
            hit.shading_normal = mapped.unwrap_or(hit.geometric_normal);
        }
        hit
    }

    /// The normal of the meniscus above or below a point of the surface without it.
    fn mapped_normal(&self, point: Vec3, time: f32, facing: Vec3) -> Option<Vec3> {
        let (correction, contact) = (&self.correction, &self.correction.guided(facing));
        let moved = point + correction.displacement(point, contact);
        let gradient = self.liquid.sample(correction.place(moved, true, contact), time, facing).1;
        correction.moved_gradient(moved, gradient, true, contact).try_normalize()
    }
}

impl<L: LiquidField> Shape for MeniscusLiquid<L> {
    fn bounds(&self) -> Bounds {
        self.blocks.bounds()
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        self.nearest(ray).map(|(distance, met)| self.describe(ray, distance, met))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.nearest(ray).is_some()
    }

    fn contains(&self, point: Vec3, time: f32) -> bool {
        let outside = self.correction.cut(point).is_some_and(|(distance, _)| distance < 0.0);
        if outside {
            return false;
        }
        let contact = self.correction.guided(Vec3::ZERO);
        let place = self.correction.place(point, self.correction.moves, &contact);
        self.value(point, time) < 0.0
            || (!self.liquid.has_sides() && self.liquid.contains(place, time))
    }

    fn bytes(&self) -> usize {
        let wall = |wall: &Wall| {
            let guide = wall.guide.as_ref().map_or(0, ContactGuide::bytes);
            wall.solid.bytes() + wall.profile.bytes() + guide
        };
        let mark = |mark: &MarkedBlock| size_of_val(mark) + size_of_val(mark.walls.as_slice());
        self.liquid.bytes()
            + self.blocks.bytes()
            + self.marks.iter().map(mark).sum::<usize>()
            + self.correction.walls.iter().map(wall).sum::<usize>()
    }
}
