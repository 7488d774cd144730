//! The field at one point, with its gradient and the particles that contribute: evaluated once per
//! hit.

use glam::{Mat3, Vec3};
use whitecap_core::eigen::largest_real_eigenvalue;
use whitecap_surface::FieldKind;

use super::kernel::{Form, Kernel, apply};
use super::sums::jacobian;

/// What the particles around a point amount to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointSample {
    pub value: f32,
    pub gradient: Vec3,
    /// Mean velocity, weighted as in the field, in m/s.
    pub velocity: Vec3,
    /// Fraction of the weight that comes from blind particles.
    pub blind: f32,
    /// Index of the nearest particle.
    pub nearest: Option<u32>,
}

/// The particles of a block.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub kind: FieldKind,
    pub background: f32,
    pub places: &'a [u32],
    pub kernels: &'a [Kernel],
    pub forms: &'a [Form],
    pub blind: &'a [bool],
}

impl Around<'_> {
    /// Everything at a point.
    pub fn sample(&self, point: Vec3, time: f32) -> PointSample {
        let (mut velocity, mut all, mut blind) = (Vec3::ZERO, 0.0, 0.0);
        let (mut nearest, mut nearest_squared) = (None, f32::INFINITY);
        let mut value_sum = ValueSum::default();
        for &place in self.places {
            let kernel = &self.kernels[place as usize];
            let offset = kernel.center + kernel.velocity * time - point;
            let squared = offset.length_squared();
            if squared < nearest_squared {
                (nearest, nearest_squared) = (Some(place), squared);
            }
            let pulled = match self.forms.get(place as usize) {
                Some(&form) => apply(form, offset),
                None => offset * kernel.scale(),
            };
            let u_squared = pulled.dot(offset);
            if u_squared >= 1.0 {
                continue;
            }
            let weight = value_sum.add(self.kind, kernel, u_squared, offset, pulled);
            velocity += weight * kernel.velocity;
            all += weight;
            if self.blind.get(place as usize) == Some(&true) {
                blind += weight;
            }
        }
        let (value, mut gradient) = value_sum.finish(self.kind, self.background);
        if self.kind == FieldKind::Solenthaler {
            gradient = self.corrected_gradient(point, time);
        }
        let share = if all > 0.0 { 1.0 / all } else { 0.0 };
        PointSample { value, gradient, velocity: velocity * share, blind: blind * share, nearest }
    }

    /// The gradient by central differences: the eigenvalue has no simple slope.
    fn corrected_gradient(&self, point: Vec3, time: f32) -> Vec3 {
        let reach = self.places.iter().map(|&place| self.kernels[place as usize].reach());
        let width = 4e-3 * reach.fold(0.0, f32::max);
        let value = |shift: Vec3| {
            let mut sum = ValueSum::default();
            for &place in self.places {
                let kernel = &self.kernels[place as usize];
                let offset = kernel.center + kernel.velocity * time - point - shift;
                let u_squared = offset.length_squared() * kernel.scale();
                if u_squared < 1.0 {
                    sum.add(self.kind, kernel, u_squared, offset, offset * kernel.scale());
                }
            }
            sum.finish(self.kind, self.background).0
        };
        let slope = |axis: Vec3| (value(width * axis) - value(-width * axis)) / (2.0 * width);
        match width > 0.0 {
            true => Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)),
            false => Vec3::ZERO,
        }
    }
}

/// Sums from which value and gradient follow.
#[derive(Default)]
struct ValueSum {
    total: f32,
    slope: Vec3,
    radius: f32,
    radius_slope: Vec3,
    mean: Vec3,
    outer: [f32; 6],
}

impl ValueSum {
    /// Adds a particle and returns its weight. `offset` is x_j − x, `pulled` M (x_j − x).
    fn add(
        &mut self,
        kind: FieldKind,
        kernel: &Kernel,
        u_squared: f32,
        offset: Vec3,
        pulled: Vec3,
    ) -> f32 {
        if matches!(kind, FieldKind::Density | FieldKind::Anisotropic) {
            let u = u_squared.max(0.0).sqrt();
            let (outer, inner) = (1.0 - u, (0.5 - u).max(0.0));
            let weight = kernel.weight * (outer.powi(3) - 4.0 * inner.powi(3));
            let pull = kernel.weight * (3.0 * outer * outer - 12.0 * inner * inner) / u.max(1e-6);
            self.total += weight;
            self.slope += pull * pulled;
            return weight;
        }
        let rest = 1.0 - u_squared;
        let weight = rest.powi(3);
        let g = 6.0 * rest * rest * pulled;
        self.total += weight;
        self.slope += g;
        if kind != FieldKind::Blobs {
            self.radius += weight * kernel.weight;
            self.radius_slope += kernel.weight * g;
            self.mean += weight * offset;
            let d = offset;
            let pairs = [g.x * d.x, g.y * d.y, g.z * d.z, g.x * d.y, g.x * d.z, g.y * d.z];
            for (sum, product) in self.outer.iter_mut().zip(pairs) {
                *sum += product;
            }
        }
        weight
    }

    /// Value and gradient; for Solenthaler's function, the gradient that ignores the changing
    /// factor.
    fn finish(&self, kind: FieldKind, background: f32) -> (f32, Vec3) {
        if matches!(kind, FieldKind::Density | FieldKind::Anisotropic | FieldKind::Blobs) {
            return (background - self.total, -self.slope);
        }
        if self.total <= 1e-12 {
            return (background, Vec3::ZERO);
        }
        // With m = x̄ − x: φ = |m| − r̄, ∇|m| = (∇x̄ − 1)ᵀ m / |m|, ∇r̄ = (Σ r g − r̄ Σ g) / Σ w.
        let mean = self.mean / self.total;
        let radius = self.radius / self.total;
        let spread: Mat3 = jacobian(mean, self.total, self.slope.to_array(), self.outer);
        let direction = mean.normalize_or_zero();
        let radius_slope = (self.radius_slope - radius * self.slope) / self.total;
        let gradient = spread.transpose() * direction - direction - radius_slope;
        let factor = match kind {
            FieldKind::Solenthaler => radius_factor(largest_real_eigenvalue(spread)),
            _ => 1.0,
        };
        (mean.length() - radius * factor, gradient)
    }
}

/// f of Solenthaler et al. 2007.
pub(crate) fn radius_factor(eigenvalue: f32) -> f32 {
    const LOW: f32 = 0.4;
    const HIGH: f32 = 3.5;
    if eigenvalue < LOW {
        return 1.0;
    }
    let gamma = ((HIGH - eigenvalue) / (HIGH - LOW)).clamp(0.0, 1.0);
    gamma * (gamma * (gamma - 3.0) + 3.0)
}
