//! The particles near a ray, arranged so that the field along it is a sum over registers.
//!
//! Along a ray the squared distance to a particle is a parabola, u² = s (t − t_j)² + e_j, for round
//! and for stretched kernels alike. So each particle is turned into (t_j, e_j, s_j) once per block,
//! those that the ray does not come near are left out, and every step after that costs a few
//! instructions for eight particles.

use glam::{Mat3, Vec3};
use whitecap_core::eigen::largest_real_eigenvalue;
use whitecap_surface::FieldKind;
use wide::f32x8;

use super::point::radius_factor;

/// A particle as the rays see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    pub center: Vec3,
    /// 1 / reach², in 1/m².
    pub scale: f32,
    pub velocity: Vec3,
    /// Weight of the kernel, or the radius for averaged positions.
    pub weight: f32,
}

/// Quadratic form of a stretched kernel: xx, yy, zz, xy, xz, yz.
pub(super) type Form = [f32; 6];

/// M d.
#[inline]
pub(super) fn apply([xx, yy, zz, xy, xz, yz]: Form, d: Vec3) -> Vec3 {
    Vec3::new(
        xx * d.x + xy * d.y + xz * d.z,
        xy * d.x + yy * d.y + yz * d.z,
        xz * d.x + yz * d.y + zz * d.z,
    )
}

/// Eight particles.
#[derive(Clone, Copy)]
struct Group {
    along: [f32; 8],
    apart: [f32; 8],
    scale: [f32; 8],
    weight: [f32; 8],
    side: [[f32; 8]; 2],
}

impl Group {
    /// Offsets of the particles to the sides of a point that lies `aside` of the ray.
    #[inline(always)]
    fn sides<const BESIDE: bool>(&self, aside: [f32x8; 2]) -> [f32x8; 2] {
        let [a, b] = self.side.map(f32x8::from);
        if BESIDE { [a - aside[0], b - aside[1]] } else { [a, b] }
    }

    /// The part of u² that does not change along the ray.
    #[inline(always)]
    fn apart<const BESIDE: bool>(&self, aside: [f32x8; 2]) -> f32x8 {
        if !BESIDE {
            return f32x8::from(self.apart);
        }
        let [a, b] = self.sides::<BESIDE>(aside);
        a.mul_add(a, b * b) * f32x8::from(self.scale)
    }
}

/// The axes of a segment: along it and to two sides.
pub(super) struct Frame {
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

/// Nobody: beyond every support, on the ray and beside it.
const EMPTY: Group = Group {
    along: [0.0; 8],
    apart: [2.0; 8],
    scale: [1e-34; 8],
    weight: [0.0; 8],
    side: [[1e18; 8]; 2],
};

/// A piece of a ray.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub origin: Vec3,
    pub direction: Vec3,
    pub length: f32,
    pub time: f32,
}

/// The particles near a segment. Kept between rays, so that nothing is allocated.
#[derive(Default)]
pub(super) struct RayGroups {
    groups: Vec<Group>,
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
        self.clear();
        let axes = segment.direction.any_orthonormal_pair();
        for &place in places {
            let kernel = &kernels[place as usize];
            let offset = kernel.center + kernel.velocity * segment.time - segment.origin;
            let along = offset.dot(segment.direction);
            let apart = (offset.length_squared() - along * along).max(0.0) * kernel.scale;
            let beyond = along - along.clamp(0.0, segment.length);
            let limit = if margin > 0.0 { 1.0 + margin * kernel.scale.sqrt() } else { 1.0 };
            if beyond * beyond * kernel.scale + apart < limit * limit {
                let (group, lane) = self.next();
                group.along[lane] = along;
                group.apart[lane] = apart;
                group.scale[lane] = kernel.scale;
                group.weight[lane] = kernel.weight;
                if sides {
                    group.side[0][lane] = offset.dot(axes.0);
                    group.side[1][lane] = offset.dot(axes.1);
                }
            }
        }
    }

    /// Arranges stretched kernels.
    pub fn gather_stretched(
        &mut self,
        segment: Segment,
        places: &[u32],
        kernels: &[Kernel],
        forms: &[Form],
    ) {
        self.clear();
        for &place in places {
            let kernel = &kernels[place as usize];
            let offset = kernel.center + kernel.velocity * segment.time - segment.origin;
            let form = forms[place as usize];
            let (ahead, aside) = (apply(form, segment.direction), apply(form, offset));
            let scale = ahead.dot(segment.direction);
            let along = ahead.dot(offset) / scale;
            let apart = (aside.dot(offset) - scale * along * along).max(0.0);
            let beyond = along - along.clamp(0.0, segment.length);
            if beyond * beyond * scale + apart < 1.0 {
                let (group, lane) = self.next();
                group.along[lane] = along;
                group.apart[lane] = apart;
                group.scale[lane] = scale;
                group.weight[lane] = kernel.weight;
            }
        }
    }

    fn clear(&mut self) {
        self.groups.clear();
        self.count = 0;
    }

    #[inline]
    fn next(&mut self) -> (&mut Group, usize) {
        let lane = self.count & 7;
        if lane == 0 {
            self.groups.push(EMPTY);
        }
        self.count += 1;
        let last = self.groups.len() - 1;
        (&mut self.groups[last], lane)
    }

    /// Value of the field at a point `shift` away from a distance along the segment (in the frame of
    /// [`Frame`]); for round kernels gathered with their sides.
    #[inline]
    pub fn value_beside(&self, kind: FieldKind, background: f32, at: f32, shift: Vec3) -> f32 {
        let aside = [f32x8::splat(shift.y), f32x8::splat(shift.z)];
        let at = at + shift.x;
        match kind {
            FieldKind::Density | FieldKind::Anisotropic => {
                self.density::<true>(background, at, aside).0
            }
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
                let scale = self.groups.first().map_or(1.0, |group| group.scale[0]);
                let width = 2e-3 / scale.max(f32::MIN_POSITIVE).sqrt();
                let here = self.corrected::<false>(background, at, on);
                (here, (self.corrected::<false>(background, at + width, on) - here) / width)
            }
        }
    }

    /// threshold − Σ w ((1 − u)³₊ − 4 (½ − u)³₊).
    fn density<const BESIDE: bool>(
        &self,
        threshold: f32,
        at: f32,
        aside: [f32x8; 2],
    ) -> (f32, f32) {
        let at = f32x8::splat(at);
        let (mut sum, mut slope) = (f32x8::ZERO, f32x8::ZERO);
        for group in &self.groups {
            let ahead = at - f32x8::from(group.along);
            let scaled = ahead * f32x8::from(group.scale);
            let u = scaled.mul_add(ahead, group.apart::<BESIDE>(aside)).sqrt();
            let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
            let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
            let (outer_squared, inner_squared) = (outer * outer, inner * inner);
            let weight = f32x8::from(group.weight);
            let shape = outer_squared * outer - inner_squared * inner * f32x8::splat(4.0);
            sum = weight.mul_add(shape, sum);
            // du/dt = s (t − t_j) / u.
            let shape_slope =
                inner_squared * f32x8::splat(12.0) - outer_squared * f32x8::splat(3.0);
            let u_slope = scaled / u.fast_max(f32x8::splat(1e-6));
            slope = (weight * shape_slope).mul_add(u_slope, slope);
        }
        (threshold - sum.reduce_add(), -slope.reduce_add())
    }

    /// iso − Σ (1 − u²)³₊.
    fn blobs<const BESIDE: bool>(&self, level: f32, at: f32, aside: [f32x8; 2]) -> (f32, f32) {
        let at = f32x8::splat(at);
        let (mut sum, mut slope) = (f32x8::ZERO, f32x8::ZERO);
        for group in &self.groups {
            let ahead = at - f32x8::from(group.along);
            let scaled = ahead * f32x8::from(group.scale);
            let squared = scaled.mul_add(ahead, group.apart::<BESIDE>(aside));
            let rest = (f32x8::ONE - squared).fast_max(f32x8::ZERO);
            let rest_squared = rest * rest;
            sum = rest_squared.mul_add(rest, sum);
            slope = (rest_squared * scaled).mul_add(f32x8::splat(-6.0), slope);
        }
        (level - sum.reduce_add(), -slope.reduce_add())
    }

    /// |x − x̄| − r̄, all in the frame of the ray: N = Σ w (x_j − x), S = Σ w, R = Σ w r.
    fn averaged<const BESIDE: bool>(
        &self,
        background: f32,
        at: f32,
        aside: [f32x8; 2],
    ) -> (f32, f32) {
        let at = f32x8::splat(at);
        let mut sums = [f32x8::ZERO; 5];
        let mut slopes = [f32x8::ZERO; 5];
        for group in &self.groups {
            let ahead = at - f32x8::from(group.along);
            let scaled = ahead * f32x8::from(group.scale);
            let squared = scaled.mul_add(ahead, group.apart::<BESIDE>(aside));
            let rest = (f32x8::ONE - squared).fast_max(f32x8::ZERO);
            let rest_squared = rest * rest;
            let weight = rest_squared * rest;
            let weight_slope = rest_squared * scaled * f32x8::splat(-6.0);
            let [a, b] = group.sides::<BESIDE>(aside);
            let parts = [f32x8::ONE, f32x8::from(group.weight), -ahead, a, b];
            for ((sum, slope), part) in sums.iter_mut().zip(&mut slopes).zip(parts) {
                *sum = weight.mul_add(part, *sum);
                *slope = weight_slope.mul_add(part, *slope);
            }
        }
        let [total, radius, along, a, b] = sums.map(|sum| sum.reduce_add());
        if total <= 1e-12 {
            return (background, 0.0);
        }
        let [total_slope, radius_slope, along_slope, a_slope, b_slope] =
            slopes.map(|slope| slope.reduce_add());
        let mean = Vec3::new(along, a, b);
        let mean_slope = Vec3::new(along_slope - total, a_slope, b_slope);
        let length = mean.length();
        let value = (length - radius) / total;
        let length_slope = mean.dot(mean_slope) / length.max(f32::MIN_POSITIVE);
        (value, (length_slope - radius_slope - value * total_slope) / total)
    }

    /// |x − x̄| − r̄ f(E) of Solenthaler et al. 2007; E is the same in the frame of the ray.
    fn corrected<const BESIDE: bool>(&self, background: f32, at: f32, aside: [f32x8; 2]) -> f32 {
        let at = f32x8::splat(at);
        let mut sums = [f32x8::ZERO; 5];
        let mut slope = [f32x8::ZERO; 3];
        let mut outer = [f32x8::ZERO; 6];
        for group in &self.groups {
            let ahead = f32x8::from(group.along) - at;
            let scale = f32x8::from(group.scale);
            let squared = (ahead * scale).mul_add(ahead, group.apart::<BESIDE>(aside));
            let rest = (f32x8::ONE - squared).fast_max(f32x8::ZERO);
            let rest_squared = rest * rest;
            let weight = rest_squared * rest;
            let [a, b] = group.sides::<BESIDE>(aside);
            let parts = [f32x8::ONE, f32x8::from(group.weight), ahead, a, b];
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum = weight.mul_add(part, *sum);
            }
            let pull = rest_squared * scale * f32x8::splat(6.0);
            let g = [pull * ahead, pull * a, pull * b];
            for (sum, part) in slope.iter_mut().zip(g) {
                *sum += part;
            }
            let [x, y, z] = [ahead, a, b];
            let pairs = [(g[0], x), (g[1], y), (g[2], z), (g[0], y), (g[0], z), (g[1], z)];
            for (sum, (first, second)) in outer.iter_mut().zip(pairs) {
                *sum = first.mul_add(second, *sum);
            }
        }
        let [total, radius, along, a, b] = sums.map(|sum| sum.reduce_add());
        if total <= 1e-12 {
            return background;
        }
        let mean = Vec3::new(along, a, b) / total;
        let jacobian =
            jacobian(mean, total, slope.map(|s| s.reduce_add()), outer.map(|s| s.reduce_add()));
        mean.length() - radius / total * radius_factor(largest_real_eigenvalue(jacobian))
    }
}

/// ∇x̄ = (Σ g d dᵀ − (x̄ − x) (Σ g d)ᵀ) / Σ w.
pub(super) fn jacobian(mean: Vec3, total: f32, slope: [f32; 3], outer: [f32; 6]) -> Mat3 {
    let [xx, yy, zz, xy, xz, yz] = outer;
    let symmetric =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let [x, y, z] = slope;
    (symmetric - Mat3::from_cols(mean * x, mean * y, mean * z)) * (1.0 / total)
}
