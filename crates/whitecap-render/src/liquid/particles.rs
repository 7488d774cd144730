//! Liquids of particles, hit directly.

use std::cell::RefCell;

use glam::{Vec2, Vec3};
use whitecap_core::{Bounds, Particles, Unwatched, Watch, outliers};
use whitecap_surface::{FieldKind, ParticleField};

use super::beside_walls::Walls;
use super::blocks::bounds::{Bulge, sort_blocks};
use super::blocks::lists::{BlockLists, ListSource};
use super::blocks::nearby::ListBox;
use super::blocks::{BlockGrid, FIRST_SIGN, INSIDE};
use super::field::arranged::{Arranged, Sources};
use super::field::columns::{types, velocities, with_copies};
use super::field::gather::{Frame, RayGroups, Segment};
use super::field::kernel::{Form, Kernel};
use super::field::point::{Around, PointSample};
use super::march::{Crossing, Stride, first_crossing};
use super::sides::Sides;
use super::{Beside, LiquidError, LiquidField, LiquidMethod, LiquidSettings, March, Shutter};
use crate::{Hit, Ray, Shape};

thread_local! {
    pub(super) static GROUPS: RefCell<RayGroups> = RefCell::default();
}

/// A liquid of particles.
///
/// The columns `velocity`, `id`, `radius` and `type` are used if present.
pub struct ParticleLiquid {
    pub(super) kind: FieldKind,
    pub(super) background: f32,
    pub(super) radius: f32,
    support: f32,
    largest_reach: f32,
    pub(super) kernels: Vec<Kernel>,
    forms: Vec<Form>,
    pub(super) blind: Vec<bool>,
    blind_share: f32,
    pub(super) source: Vec<u32>,
    /// Number of the copy for each kernel, or a negative number; empty if there are no copies.
    pub(super) ghost_of: Vec<u32>,
    pub(super) hull: Option<f32>,
    /// How far the field can bulge between nodes half a block apart; unknown if particles move.
    pub(super) bulge: Option<Bulge>,
    ids: Option<Vec<i64>>,
    pub(super) lists: BlockLists,
    pub(super) blocks: BlockGrid,
    pub(super) shutter: Shutter,
    notes: Vec<String>,
}

impl ParticleLiquid {
    /// A liquid for rays whose time lies within the shutter.
    pub fn new(
        particles: &Particles,
        settings: &LiquidSettings,
        shutter: Shutter,
    ) -> Result<Self, LiquidError> {
        let walls = Walls { ghosts: &[], sides: None, dry: &|_, _| false };
        Self::beside_walls(particles, walls, settings, shutter, &Unwatched)
    }

    /// As [`ParticleLiquid::new`], beside walls.
    pub(crate) fn beside_walls(
        particles: &Particles,
        walls: Walls,
        settings: &LiquidSettings,
        shutter: Shutter,
        watch: &dyn Watch,
    ) -> Result<Self, LiquidError> {
        let Walls { ghosts, sides, dry } = walls;
        settings.check()?;
        let shutter = shutter.check()?;
        let (types, velocities) = (types(particles)?, velocities(particles)?);
        let field = match ghosts.is_empty() {
            true => particle_field(particles, settings)?,
            false => particle_field(&with_copies(particles, ghosts)?, settings)?,
        };
        let sources = Sources::new(particles.len(), ghosts, velocities, field.support(), shutter);
        let mut notes = field.notes().to_vec();
        notes.extend(sources.note());
        let arranged = Arranged::new(&field, &sources, types);
        let velocity = |source: u32| sources.velocity(source);
        let sorted = sort_blocks(&field, &arranged.kernels, velocity, shutter, watch);
        let (mut sorted, bulge) = sorted.map_err(|error| match error {
            LiquidError::OverBudget(refused) => outliers::blame(refused, particles).into(),
            other => other,
        })?;
        if !ghosts.is_empty() {
            sorted.dry_out(dry);
        }
        let known = sides.is_some().then(|| sorted.blocks());
        let Arranged { kernels, forms, source, ghost_of, blind, hull } = arranged;
        let list_source = ListSource {
            kernels: &kernels,
            sources: &source,
            ghost_of: &ghost_of,
            blind: &blind,
            sides,
            hull,
            shutter,
        };
        let (lists, blocks) = BlockLists::build(sorted, list_source);
        let mut made = Self {
            kind: field.kind(),
            background: field.background(),
            radius: field.radius(),
            support: field.support(),
            largest_reach: field.largest_reach(),
            kernels,
            forms,
            blind,
            blind_share: settings.blind_share,
            source,
            ghost_of,
            hull,
            bulge,
            ids: particles.ids(),
            lists,
            blocks,
            shutter,
            notes,
        };
        if let Some(known) = &known {
            made.settle(known);
        }
        Ok(made)
    }

    /// Sentences about what was assumed, such as an estimated radius.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Particle radius used, in m.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Support used, in m.
    pub fn support(&self) -> f32 {
        self.support
    }

    fn around(&self, row: u32) -> Around<'_> {
        Around {
            kind: self.kind,
            background: self.background,
            places: self.lists.of(row),
            kernels: &self.kernels,
            forms: &self.forms,
            blind: &self.blind,
        }
    }

    fn point_sample(&self, point: Vec3, time: f32, facing: Vec3) -> Result<PointSample, u32> {
        let state = self.blocks.state_at(point);
        if state >= FIRST_SIGN {
            return Err(state);
        }
        Ok(self.around(self.lists.row(state, facing)).sample(point, self.moment(time)))
    }

    fn moment(&self, time: f32) -> f32 {
        time.clamp(self.shutter.open, self.shutter.close)
    }

    fn stride(&self) -> Stride {
        Stride { step: 0.125 * self.support, tolerance: 1e-5 * self.radius }
    }

    /// How far a hit may be from the true surface.
    fn uncertainty(&self, ray: &Ray, distance: f32) -> f32 {
        let place = ray.origin.abs().max_element().max(distance);
        (1e-3 * self.radius).max(16.0 * f32::EPSILON * place)
    }

    /// The nearest crossing.
    fn nearest(&self, ray: &Ray) -> Option<(f32, Crossing)> {
        self.blocks.nearest(ray, |state, range| {
            self.cross(ray, state, Vec3::ZERO, range).map(|crossing| (crossing.distance, crossing))
        })
    }
}

/// The field of the settings; blobs reach three radii by default.
fn particle_field(
    particles: &Particles,
    settings: &LiquidSettings,
) -> Result<ParticleField, LiquidError> {
    let kind = settings.method.kind();
    let mut surface = settings.surface_settings();
    let field = ParticleField::new(particles, kind, &surface)?;
    if settings.method == LiquidMethod::Blobs && settings.support.is_none() {
        surface.support = Some(3.0 * field.radius());
        return Ok(ParticleField::new(particles, kind, &surface)?);
    }
    Ok(field)
}

impl LiquidField for ParticleLiquid {
    fn sample(&self, point: Vec3, time: f32, facing: Vec3) -> (f32, Vec3) {
        match self.point_sample(point, time, facing) {
            Ok(sample) => (sample.value, sample.gradient),
            Err(state) => (self.sign_value(state), Vec3::ZERO),
        }
    }

    fn spacing(&self) -> f32 {
        2.0 * self.radius
    }

    fn edge_width(&self) -> f32 {
        self.largest_reach.min(1.5 * self.support)
    }

    fn counts(&self, point: Vec3, time: f32, facing: Vec3) -> bool {
        let blind = |sample: PointSample| sample.blind <= self.blind_share;
        self.blind.is_empty() || self.point_sample(point, time, facing).map_or(true, blind)
    }

    fn has_sides(&self) -> bool {
        self.lists.has_two_sides()
    }

    fn blocks_of_surface(&self) -> &BlockGrid {
        &self.blocks
    }

    fn cross(
        &self,
        ray: &Ray,
        state: u32,
        facing: Vec3,
        (enter, leave): (f32, f32),
    ) -> Option<Crossing> {
        // Neighbouring blocks overlap slightly, so that no crossing falls between them.
        let slack = 1e-3 * self.support + 4.0 * f32::EPSILON * leave;
        let enter = (enter - slack).max(0.0);
        let leave = (leave + slack).min(ray.far);
        let time = self.moment(ray.time);
        let length = leave - enter;
        let origin = ray.at(enter);
        let segment = Segment { origin, direction: ray.direction, length, time };
        let row = self.lists.row(state, facing);
        let crossing = GROUPS.with_borrow_mut(|groups| {
            self.gather(groups, segment, row);
            if !groups.may_touch(self.kind, self.background, 0.0) {
                return None;
            }
            first_crossing(
                length,
                self.stride(),
                |at| groups.value(self.kind, self.background, at),
                |at| self.row_counts(row, origin + at * ray.direction, time),
            )
        })?;
        Some(Crossing { distance: enter + crossing.distance, ..crossing })
    }

    fn lists_around(&mut self, boxes: &[ListBox], sides: Option<&dyn Sides>) -> u32 {
        let source = ListSource {
            kernels: &self.kernels,
            sources: &self.source,
            ghost_of: &self.ghost_of,
            blind: &self.blind,
            sides,
            hull: self.hull,
            shutter: self.shutter,
        };
        self.lists.add(boxes, source)
    }

    fn ask_beside(&self, ray: &Ray, beside: &Beside, run: &mut March) -> Option<Crossing> {
        let (enter, leave) = beside.range;
        let segment = Segment {
            origin: ray.at(enter) - beside.shift,
            direction: ray.direction,
            length: leave - enter,
            time: self.moment(ray.time),
        };
        let frame = Frame::of(ray.direction);
        GROUPS.with_borrow_mut(|groups| {
            self.gather_beside(groups, segment, beside.row, beside.margin);
            if !groups.may_touch(self.kind, self.background, beside.margin) {
                return None;
            }
            run(&mut |at, point| {
                let aside = frame.components(point - (segment.origin + at * ray.direction));
                groups.value_beside(self.kind, self.background, at, aside)
            })
        })
    }

    fn describe(&self, ray: &Ray, distance: f32, facing: Vec3) -> Hit {
        let point = ray.at(distance);
        let sample = self.point_sample(point, ray.time, facing).ok();
        let place = sample.and_then(|sample| sample.nearest);
        let element = place.map_or(0, |place| self.source[place as usize]);
        let normal =
            sample.and_then(|sample| sample.gradient.try_normalize()).unwrap_or(-ray.direction);
        Hit {
            distance,
            geometric_normal: normal,
            shading_normal: normal,
            uv: Vec2::ZERO,
            velocity: sample.map_or(Vec3::ZERO, |sample| sample.velocity),
            element,
            particle: self
                .ids
                .as_ref()
                .and_then(|ids| ids.get(element as usize))
                .map(|&id| id as u64),
            film_thickness: 0.0,
            opacity: 1.0,
            uncertainty: self.uncertainty(ray, distance),
        }
    }
}

impl ParticleLiquid {
    /// The value where only the sign is known.
    fn sign_value(&self, state: u32) -> f32 {
        if state == INSIDE { -self.background } else { self.background }
    }

    /// Whether a crossing is not made by blind particles alone.
    fn row_counts(&self, row: u32, point: Vec3, moment: f32) -> bool {
        self.blind.is_empty() || self.around(row).sample(point, moment).blind <= self.blind_share
    }

    /// Arranges the particles of a row for points within `margin` of a segment.
    pub(super) fn gather_beside(
        &self,
        groups: &mut RayGroups,
        segment: Segment,
        row: u32,
        margin: f32,
    ) {
        let (places, kernels) = (self.lists.of(row), &self.kernels);
        match self.kind {
            FieldKind::Anisotropic => {
                groups.gather_stretched_beside(segment, places, kernels, &self.forms, margin);
            }
            _ => groups.gather(segment, places, kernels, true, margin),
        }
    }

    fn gather(&self, groups: &mut RayGroups, segment: Segment, row: u32) {
        let places = self.lists.of(row);
        match self.kind {
            FieldKind::Anisotropic => {
                groups.gather_stretched(segment, places, &self.kernels, &self.forms);
            }
            FieldKind::Density | FieldKind::Blobs => {
                groups.gather(segment, places, &self.kernels, false, 0.0);
            }
            FieldKind::ZhuBridson | FieldKind::Solenthaler => {
                groups.gather(segment, places, &self.kernels, true, 0.0);
            }
        }
    }
}

impl Shape for ParticleLiquid {
    fn bounds(&self) -> Bounds {
        self.blocks.bounds()
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        self.nearest(ray).map(|(distance, _)| self.describe(ray, distance, Vec3::ZERO))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.nearest(ray).is_some()
    }

    /// Where inner particles were left out the field is empty, so a liquid with blind particles is
    /// tested by a ray: if its first crossing leaves the liquid, the point is inside.
    fn contains(&self, point: Vec3, time: f32) -> bool {
        if self.value(point, time, Vec3::ZERO) < 0.0 {
            return true;
        }
        let direction = Vec3::new(0.267, 0.802, 0.535).normalize();
        !self.blind.is_empty()
            && self
                .nearest(&Ray { origin: point, direction, time, far: f32::INFINITY })
                .is_some_and(|(_, crossing)| crossing.leaving)
    }

    fn bytes(&self) -> usize {
        self.kernels.capacity() * size_of::<Kernel>()
            + self.forms.capacity() * size_of::<Form>()
            + self.blind.capacity()
            + self.source.capacity() * size_of::<u32>()
            + self.ids.as_ref().map_or(0, |ids| ids.capacity() * size_of::<i64>())
            + self.lists.bytes()
            + self.blocks.bytes()
    }
}
