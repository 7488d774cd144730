//! Liquids of particles, hit directly.

use std::cell::RefCell;

use glam::{IVec3, Vec2, Vec3};
use whitecap_core::{Bounds, Particles, Unwatched, Watch};
use whitecap_surface::{FieldKind, ParticleField};

use super::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use super::bounds::sort_blocks;
use super::columns::{BLIND, types, velocities, with_copies};
use super::gather::{Form, Frame, Kernel, RayGroups, Segment};
use super::lists::BlockLists;
use super::march::{Crossing, Stride, first_crossing};
use super::point::{Around, PointSample};
use super::{LiquidError, LiquidField, LiquidMethod, LiquidSettings, March, Shutter};
use crate::{Hit, Ray, Shape};

/// The farthest a particle may move during the shutter, in supports; faster ones are slowed down.
const LONGEST_WAY: f32 = 128.0;

/// The most blocks whose particles are arranged at once for points beside a ray.
const MOST_BLOCKS_BESIDE: i32 = 27;

thread_local! {
    static GROUPS: RefCell<RayGroups> = RefCell::default();
    static GROUPS_BESIDE: RefCell<Vec<RayGroups>> = const { RefCell::new(Vec::new()) };
}

/// A liquid of particles.
///
/// The columns `velocity`, `id`, `radius` and `type` are used where present.
pub struct ParticleLiquid {
    kind: FieldKind,
    background: f32,
    radius: f32,
    support: f32,
    largest_reach: f32,
    kernels: Vec<Kernel>,
    forms: Vec<Form>,
    blind: Vec<bool>,
    blind_share: f32,
    source: Vec<u32>,
    ids: Option<Vec<i64>>,
    lists: BlockLists,
    blocks: BlockGrid,
    shutter: Shutter,
    notes: Vec<String>,
}

impl ParticleLiquid {
    /// A liquid for rays whose time lies within the shutter.
    pub fn new(
        particles: &Particles,
        settings: &LiquidSettings,
        shutter: Shutter,
    ) -> Result<Self, LiquidError> {
        Self::with_ghosts(particles, &[], settings, shutter, &Unwatched)
    }

    /// As [`ParticleLiquid::new`], with copies of particles at other places: (index, position).
    pub(crate) fn with_ghosts(
        particles: &Particles,
        ghosts: &[(u32, Vec3)],
        settings: &LiquidSettings,
        shutter: Shutter,
        watch: &dyn Watch,
    ) -> Result<Self, LiquidError> {
        settings.check()?;
        let shutter = shutter.check()?;
        let count = particles.len();
        let ids = particles.ids();
        let types = types(particles)?;
        let velocities = velocities(particles)?;
        let extended;
        let all = match ghosts.is_empty() {
            true => particles,
            false => {
                extended = with_copies(particles, ghosts)?;
                &extended
            }
        };
        let field = particle_field(all, settings)?;
        let own = |source: u32| match (source as usize).checked_sub(count) {
            Some(ghost) => ghosts[ghost].0,
            None => source,
        };
        let span = shutter.open.abs().max(shutter.close.abs());
        let fastest = match span > 0.0 {
            true => LONGEST_WAY * field.support() / span,
            false => f32::INFINITY,
        };
        let velocity = |source: u32| {
            let velocity = velocities.map_or(Vec3::ZERO, |v| v[own(source) as usize]);
            velocity.clamp_length_max(fastest)
        };
        let mut notes = field.notes().to_vec();
        let slowed = velocities.map_or(0, |velocities| {
            velocities.iter().filter(|velocity| velocity.length() > fastest).count()
        });
        if slowed > 0 {
            notes.push(format!(
                "{slowed} particle(s) would cross more than {LONGEST_WAY} supports while the shutter is open; they are blurred as if they moved at {fastest:.3e} m/s"
            ));
        }
        let averaged = matches!(field.kind(), FieldKind::ZhuBridson | FieldKind::Solenthaler);
        let parts: Vec<_> = (0..field.len()).map(|place| field.particle(place)).collect();
        let kernels: Vec<Kernel> = parts
            .iter()
            .map(|particle| Kernel {
                center: particle.center,
                scale: 1.0 / (particle.reach * particle.reach),
                velocity: velocity(particle.source),
                weight: if averaged { particle.radius } else { particle.weight },
            })
            .collect();
        let forms: Vec<Form> = match field.kind() {
            FieldKind::Anisotropic => parts.iter().map(|particle| six(particle.form)).collect(),
            _ => Vec::new(),
        };
        let source: Vec<u32> = parts.iter().map(|particle| own(particle.source)).collect();
        let blind = match types {
            Some(types) => source.iter().map(|&i| types[i as usize] == BLIND).collect(),
            None => Vec::new(),
        };
        let sorted = sort_blocks(&field, &kernels, velocity, shutter, watch)?;
        let hull = averaged.then(|| parts.iter().map(|p| p.radius).fold(0.0, f32::max));
        let (lists, blocks) = BlockLists::build(sorted, &kernels, &blind, hull, shutter);
        Ok(Self {
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
            ids,
            lists,
            blocks,
            shutter,
            notes,
        })
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

    fn around(&self, state: u32) -> Around<'_> {
        Around {
            kind: self.kind,
            background: self.background,
            places: self.lists.of(state),
            kernels: &self.kernels,
            forms: &self.forms,
            blind: &self.blind,
        }
    }

    fn sample(&self, point: Vec3, time: f32) -> Option<PointSample> {
        let state = self.blocks.state_at(point);
        (state < FIRST_SIGN).then(|| self.around(state).sample(point, self.moment(time)))
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
            self.cross(ray, state, range).map(|crossing| (crossing.distance, crossing))
        })
    }
}

/// The field of the settings; blobs reach three radii unless told otherwise.
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

fn six(form: glam::Mat3) -> Form {
    let [x, y, z] = form.to_cols_array_2d();
    [x[0], y[1], z[2], x[1], x[2], y[2]]
}

impl LiquidField for ParticleLiquid {
    fn value(&self, point: Vec3, time: f32) -> f32 {
        let state = self.blocks.state_at(point);
        if state >= FIRST_SIGN {
            return self.sign_value(state);
        }
        let segment =
            Segment { origin: point, direction: Vec3::X, length: 0.0, time: self.moment(time) };
        GROUPS.with_borrow_mut(|groups| {
            self.gather(groups, segment, state);
            groups.value(self.kind, self.background, 0.0).0
        })
    }

    fn gradient(&self, point: Vec3, time: f32) -> Vec3 {
        self.sample(point, time).map_or(Vec3::ZERO, |sample| sample.gradient)
    }

    fn spacing(&self) -> f32 {
        2.0 * self.radius
    }

    fn edge_width(&self) -> f32 {
        self.largest_reach.min(1.5 * self.support)
    }

    fn counts(&self, point: Vec3, time: f32) -> bool {
        let state = self.blocks.state_at(point);
        state >= FIRST_SIGN || self.block_counts(state, point, self.moment(time))
    }

    fn blocks_of_surface(&self) -> &BlockGrid {
        &self.blocks
    }

    fn cross(&self, ray: &Ray, state: u32, (enter, leave): (f32, f32)) -> Option<Crossing> {
        // Neighbouring blocks overlap a little, so that no crossing falls between them.
        let slack = 1e-3 * self.support + 4.0 * f32::EPSILON * leave;
        let enter = (enter - slack).max(0.0);
        let leave = (leave + slack).min(ray.far);
        let time = self.moment(ray.time);
        let length = leave - enter;
        let origin = ray.at(enter);
        let segment = Segment { origin, direction: ray.direction, length, time };
        let crossing = GROUPS.with_borrow_mut(|groups| {
            self.gather(groups, segment, state);
            first_crossing(
                length,
                self.stride(),
                |at| groups.value(self.kind, self.background, at),
                |at| self.block_counts(state, origin + at * ray.direction, time),
            )
        })?;
        Some(Crossing { distance: enter + crossing.distance, ..crossing })
    }

    fn ask_beside(
        &self,
        ray: &Ray,
        (enter, leave): (f32, f32),
        margin: f32,
        run: &mut March,
    ) -> Option<Crossing> {
        let origin = ray.at(enter);
        let lattice = self.blocks.states().lattice();
        let ends = [origin, ray.at(leave)];
        let low = lattice.locate(ends[0].min(ends[1]) - margin).0;
        let span = lattice.locate(ends[0].max(ends[1]) + margin).0 - low + 1;
        let few = span.max_element() <= MOST_BLOCKS_BESIDE
            && span.element_product() <= MOST_BLOCKS_BESIDE;
        if !few || self.kind == FieldKind::Anisotropic {
            return run(&mut |_, point| self.value(point, ray.time));
        }
        let time = self.moment(ray.time);
        let length = leave - enter;
        let segment = Segment { origin, direction: ray.direction, length, time };
        let frame = Frame::of(ray.direction);
        let (corner, inverse) = (lattice.position(low), 1.0 / lattice.cell);
        // The state of each block, and whether its particles are arranged already.
        let mut known = [(OUTSIDE, false); MOST_BLOCKS_BESIDE as usize];
        for place in 0..span.element_product() {
            let step =
                IVec3::new(place % span.x, place / span.x % span.y, place / (span.x * span.y));
            known[place as usize].0 = self.blocks.state(low + step);
        }
        GROUPS_BESIDE.with_borrow_mut(|groups| {
            groups.resize_with(MOST_BLOCKS_BESIDE as usize, RayGroups::default);
            run(&mut |at, point| {
                let block = ((point - corner) * inverse).as_ivec3().clamp(IVec3::ZERO, span - 1);
                let place = (block.x + span.x * (block.y + span.y * block.z)) as usize;
                let (state, arranged) = &mut known[place];
                if *state >= FIRST_SIGN {
                    return self.sign_value(*state);
                }
                if !*arranged {
                    let places = self.lists.of(*state);
                    groups[place].gather(segment, places, &self.kernels, true, margin);
                    *arranged = true;
                }
                let shift = frame.components(point - (origin + at * ray.direction));
                groups[place].value_beside(self.kind, self.background, at, shift)
            })
        })
    }

    fn describe(&self, ray: &Ray, distance: f32) -> Hit {
        let point = ray.at(distance);
        let sample = self.sample(point, ray.time);
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
    fn block_counts(&self, state: u32, point: Vec3, moment: f32) -> bool {
        self.blind.is_empty() || self.around(state).sample(point, moment).blind <= self.blind_share
    }

    fn gather(&self, groups: &mut RayGroups, segment: Segment, state: u32) {
        let places = self.lists.of(state);
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
        self.nearest(ray).map(|(distance, _)| self.describe(ray, distance))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.nearest(ray).is_some()
    }

    /// Where inner particles were left out the field is empty, so a liquid with blind particles is
    /// asked by a ray: whoever leaves first was inside.
    fn contains(&self, point: Vec3, time: f32) -> bool {
        if self.value(point, time) < 0.0 {
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
