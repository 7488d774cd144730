//! The particles near a ray, arranged so that the field along it is a sum over registers.
//!
//! Along a ray the squared distance to a particle is a parabola, u² = s (t − t_j)² + e_j, for round
//! and for stretched kernels alike. So each particle is turned into (t_j, e_j, s_j) once per block,
//! those that the ray does not come near are dropped, and after that every step costs a few
//! instructions for eight particles.

use glam::Vec3;
use whitecap_surface::FieldKind;
use wide::f32x8;

use super::kernel::{Form, Kernel, apply};

/// Eight particles.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub along: [f32; 8],
    pub apart: [f32; 8],
    pub scale: [f32; 8],
    pub weight: [f32; 8],
    pub side: [[f32; 8]; 2],
}

impl Group {
    /// Offsets of the particles to the sides of a point at `aside` from the ray.
    #[inline(always)]
    pub fn sides<const BESIDE: bool>(&self, aside: [f32x8; 2]) -> [f32x8; 2] {
        let [a, b] = self.side.map(f32x8::from);
        if BESIDE { [a - aside[0], b - aside[1]] } else { [a, b] }
    }

    /// The part of u² that does not change along the ray.
    #[inline(always)]
    pub fn apart<const BESIDE: bool>(&self, aside: [f32x8; 2]) -> f32x8 {
        if !BESIDE {
            return f32x8::from(self.apart);
        }
        let [a, b] = self.sides::<BESIDE>(aside);
        a.mul_add(a, b * b) * f32x8::from(self.scale)
    }
}

/// Quadratic forms of eight particles along the axes of a segment: xx, yy, zz, and twice xy, xz, yz.
pub(crate) type FormGroup = [[f32; 8]; 6];

/// The axes of a segment: along it and to two sides.
pub(crate) struct Frame {
    axes: [Vec3; 3],
}

impl Frame {
    pub fn of(direction: Vec3) -> Self {
        let (a, b) = direction.any_orthonormal_pair();
        Self { axes: [direction, a, b] }
    }

    /// A vector along the axes.
    pub fn components(&self, vector: Vec3) -> Vec3 {
        Vec3::from_array(self.axes.map(|axis| axis.dot(vector)))
    }
}

/// An empty lane: beyond every support, on the ray and beside it.
const EMPTY: Group = Group {
    along: [0.0; 8],
    apart: [2.0; 8],
    scale: [1e-34; 8],
    weight: [0.0; 8],
    side: [[1e18; 8]; 2],
};

/// A piece of a ray.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    pub origin: Vec3,
    pub direction: Vec3,
    pub length: f32,
    pub time: f32,
}

/// The particles near a segment. Kept between rays, so that nothing is allocated.
#[derive(Default)]
pub(crate) struct RayGroups {
    groups: Vec<Group>,
    /// For stretched kernels that are evaluated beside the segment.
    pub forms: Vec<FormGroup>,
    count: usize,
}

impl RayGroups {
    /// Arranges round kernels that come within their reach and `margin` of the segment. Sides are
    /// needed for averaged positions and for points beside the ray.
    pub fn gather(
        &mut self,
        segment: Segment,
        places: &[u32],
        kernels: &[Kernel],
        sides: bool,
        margin: f32,
    ) {
        self.start(places.len());
        let axes = segment.direction.any_orthonormal_pair();
        for &place in places {
            let kernel = &kernels[place as usize];
            let offset = kernel.center + kernel.velocity * segment.time - segment.origin;
            let along = offset.dot(segment.direction);
            let scale = kernel.scale();
            let apart = (offset.length_squared() - along * along).max(0.0) * scale;
            let beyond = along - along.clamp(0.0, segment.length);
            let limit = 1.0 + margin * kernel.inverse_reach;
            // Always written, and kept if near: no branch to mispredict.
            let (group, lane) = self.next();
            group.along[lane] = along;
            group.apart[lane] = apart;
            group.scale[lane] = scale;
            group.weight[lane] = kernel.weight;
            if sides {
                group.side[0][lane] = offset.dot(axes.0);
                group.side[1][lane] = offset.dot(axes.1);
            }
            self.keep(beyond * beyond * scale + apart < limit * limit);
        }
        self.finish();
    }

    /// Arranges stretched kernels.
    pub fn gather_stretched(
        &mut self,
        segment: Segment,
        places: &[u32],
        kernels: &[Kernel],
        forms: &[Form],
    ) {
        self.start(places.len());
        for &place in places {
            let kernel = &kernels[place as usize];
            let offset = kernel.center + kernel.velocity * segment.time - segment.origin;
            let form = forms[place as usize];
            let (ahead, aside) = (apply(form, segment.direction), apply(form, offset));
            let scale = ahead.dot(segment.direction);
            let along = ahead.dot(offset) / scale;
            let apart = (aside.dot(offset) - scale * along * along).max(0.0);
            let beyond = along - along.clamp(0.0, segment.length);
            let (group, lane) = self.next();
            group.along[lane] = along;
            group.apart[lane] = apart;
            group.scale[lane] = scale;
            group.weight[lane] = kernel.weight;
            self.keep(beyond * beyond * scale + apart < 1.0);
        }
        self.finish();
    }

    /// Arranges stretched kernels that come within `margin` of the segment, for points beside it.
    pub fn gather_stretched_beside(
        &mut self,
        segment: Segment,
        places: &[u32],
        kernels: &[Kernel],
        forms: &[Form],
        margin: f32,
    ) {
        self.start(places.len());
        let Frame { axes } = Frame::of(segment.direction);
        for &place in places {
            let kernel = &kernels[place as usize];
            let offset = kernel.center + kernel.velocity * segment.time - segment.origin;
            let form = forms[place as usize];
            let turned = axes.map(|axis| apply(form, axis));
            let scale = turned[0].dot(axes[0]);
            let along = turned[0].dot(offset) / scale;
            let apart = (apply(form, offset).dot(offset) - scale * along * along).max(0.0);
            let beyond = along - along.clamp(0.0, segment.length);
            // No eigenvalue is larger than the trace.
            let limit = 1.0 + margin * (form[0] + form[1] + form[2]).sqrt();
            if beyond * beyond * scale + apart >= limit * limit {
                continue;
            }
            let (group, lane) = self.next();
            group.along[lane] = axes[0].dot(offset);
            group.side[0][lane] = axes[1].dot(offset);
            group.side[1][lane] = axes[2].dot(offset);
            group.weight[lane] = kernel.weight;
            let [x, y, z] = turned;
            let entries = [
                scale,
                y.dot(axes[1]),
                z.dot(axes[2]),
                2.0 * x.dot(axes[1]),
                2.0 * x.dot(axes[2]),
                2.0 * y.dot(axes[2]),
            ];
            if lane == 0 {
                self.forms.push([[0.0; 8]; 6]);
            }
            let last = self.forms.len() - 1;
            for (row, entry) in self.forms[last].iter_mut().zip(entries) {
                row[lane] = entry;
            }
            self.keep(true);
        }
        self.finish();
    }

    /// Makes room for `most` particles and one more.
    fn start(&mut self, most: usize) {
        self.forms.clear();
        self.count = 0;
        if self.groups.len() <= most / 8 {
            self.groups.resize(most / 8 + 1, EMPTY);
        }
    }

    /// Where the next particle goes.
    #[inline]
    fn next(&mut self) -> (&mut Group, usize) {
        (&mut self.groups[self.count >> 3], self.count & 7)
    }

    /// Keeps the particle that was written, or lets the next one overwrite it.
    #[inline]
    fn keep(&mut self, keep: bool) {
        self.count += usize::from(keep);
    }

    /// Clears the rest of the last group.
    fn finish(&mut self) {
        while self.count & 7 != 0 {
            let (group, lane) = self.next();
            group.along[lane] = EMPTY.along[0];
            group.apart[lane] = EMPTY.apart[0];
            group.scale[lane] = EMPTY.scale[0];
            group.weight[lane] = EMPTY.weight[0];
            group.side[0][lane] = EMPTY.side[0][0];
            group.side[1][lane] = EMPTY.side[1][0];
            self.count += 1;
        }
    }

    /// The groups in use.
    #[inline]
    pub fn groups(&self) -> &[Group] {
        &self.groups[..self.count >> 3]
    }

    /// Whether the segment, and points within `margin` of it, may touch the liquid at all, from the
    /// largest contribution that each particle can have anywhere. Averaged positions are not
    /// tested.
    pub fn may_touch(&self, kind: FieldKind, background: f32, margin: f32) -> bool {
        let margin = f32x8::splat(margin);
        let mut sum = f32x8::ZERO;
        match kind {
            FieldKind::ZhuBridson | FieldKind::Solenthaler => return true,
            FieldKind::Anisotropic if !self.forms.is_empty() => return true,
            FieldKind::Density | FieldKind::Anisotropic => {
                for group in self.groups() {
                    let beside = margin * f32x8::from(group.scale).sqrt();
                    let u = (f32x8::from(group.apart).sqrt() - beside).fast_max(f32x8::ZERO);
                    let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
                    let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
                    let shape = outer * outer * outer - inner * inner * inner * f32x8::splat(4.0);
                    sum = f32x8::from(group.weight).mul_add(shape, sum);
                }
            }
            FieldKind::Blobs => {
                for group in self.groups() {
                    let beside = margin * f32x8::from(group.scale).sqrt();
                    let u = (f32x8::from(group.apart).sqrt() - beside).fast_max(f32x8::ZERO);
                    let rest = (f32x8::ONE - u * u).fast_max(f32x8::ZERO);
                    sum += rest * rest * rest;
                }
            }
        }
        sum.reduce_add() > background
    }

    /// Value of the field at a point `shift` away from a distance along the segment (in the frame of
    /// [`Frame`]); for kernels gathered with their sides.
    #[inline]
    pub fn value_beside(&self, kind: FieldKind, background: f32, at: f32, shift: Vec3) -> f32 {
        let aside = [f32x8::splat(shift.y), f32x8::splat(shift.z)];
        let at = at + shift.x;
        match kind {
            FieldKind::Density => self.density::<true>(background, at, aside).0,
            FieldKind::Anisotropic => self.stretched(background, at, aside),
            FieldKind::Blobs => self.blobs::<true>(background, at, aside).0,
            FieldKind::ZhuBridson => self.averaged::<true>(background, at, aside).0,
            FieldKind::Solenthaler => self.corrected::<true>(background, at, aside),
        }
    }

    /// Value and slope of the field at a distance along the segment.
    #[inline]
    pub fn value(&self, kind: FieldKind, background: f32, at: f32) -> (f32, f32) {
        let on = [f32x8::ZERO; 2];
        match kind {
            FieldKind::Density | FieldKind::Anisotropic => {
                self.density::<false>(background, at, on)
            }
            FieldKind::Blobs => self.blobs::<false>(background, at, on),
            FieldKind::ZhuBridson => self.averaged::<false>(background, at, on),
            FieldKind::Solenthaler => {
                // No closed form for the slope of an eigenvalue: a difference, a thousandth of the
                // support wide, is enough to aim with.
                let scale = self.groups().first().map_or(1.0, |group| group.scale[0]);
                let width = 2e-3 / scale.max(f32::MIN_POSITIVE).sqrt();
                let here = self.corrected::<false>(background, at, on);
                (here, (self.corrected::<false>(background, at + width, on) - here) / width)
            }
        }
    }
}
