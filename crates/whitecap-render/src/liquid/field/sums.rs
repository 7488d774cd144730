//! The fields of the particles near a segment, as sums over eight of them at a time.

use glam::{Mat3, Vec3};
use whitecap_core::eigen::largest_real_eigenvalue;
use wide::f32x8;

use super::gather::RayGroups;
use super::point::radius_factor;

impl RayGroups {
    /// threshold − Σ w ((1 − u)³₊ − 4 (½ − u)³₊).
    pub fn density<const BESIDE: bool>(
        &self,
        threshold: f32,
        at: f32,
        aside: [f32x8; 2],
    ) -> (f32, f32) {
        let at = f32x8::splat(at);
        let (mut sum, mut slope) = (f32x8::ZERO, f32x8::ZERO);
        for group in self.groups() {
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

    /// The same for stretched kernels at a point beside the segment.
    pub fn stretched(&self, threshold: f32, at: f32, aside: [f32x8; 2]) -> f32 {
        let at = f32x8::splat(at);
        let mut sum = f32x8::ZERO;
        for (group, form) in self.groups().iter().zip(&self.forms) {
            let x = f32x8::from(group.along) - at;
            let [y, z] = group.sides::<true>(aside);
            let [xx, yy, zz, xy, xz, yz] = form.map(f32x8::from);
            let row_x = xx.mul_add(x, xy.mul_add(y, xz * z));
            let row_y = yy.mul_add(y, yz * z);
            let squared = row_x.mul_add(x, row_y.mul_add(y, zz * z * z));
            let u = squared.fast_max(f32x8::ZERO).sqrt();
            let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
            let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
            let shape = outer * outer * outer - inner * inner * inner * f32x8::splat(4.0);
            sum = f32x8::from(group.weight).mul_add(shape, sum);
        }
        threshold - sum.reduce_add()
    }

    /// iso − Σ (1 − u²)³₊.
    pub fn blobs<const BESIDE: bool>(&self, level: f32, at: f32, aside: [f32x8; 2]) -> (f32, f32) {
        let at = f32x8::splat(at);
        let (mut sum, mut slope) = (f32x8::ZERO, f32x8::ZERO);
        for group in self.groups() {
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
    pub fn averaged<const BESIDE: bool>(
        &self,
        background: f32,
        at: f32,
        aside: [f32x8; 2],
    ) -> (f32, f32) {
        let at = f32x8::splat(at);
        let mut sums = [f32x8::ZERO; 5];
        let mut slopes = [f32x8::ZERO; 5];
        for group in self.groups() {
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
    pub fn corrected<const BESIDE: bool>(
        &self,
        background: f32,
        at: f32,
        aside: [f32x8; 2],
    ) -> f32 {
        let at = f32x8::splat(at);
        let mut sums = [f32x8::ZERO; 5];
        let mut slope = [f32x8::ZERO; 3];
        let mut outer = [f32x8::ZERO; 6];
        for group in self.groups() {
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
pub(crate) fn jacobian(mean: Vec3, total: f32, slope: [f32; 3], outer: [f32; 6]) -> Mat3 {
    let [xx, yy, zz, xy, xz, yz] = outer;
    let symmetric =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let [x, y, z] = slope;
    (symmetric - Mat3::from_cols(mean * x, mean * y, mean * z)) * (1.0 / total)
}
