//! The cubic spline times the particle mass, eight pairs at a time.

use whitecap_core::kernels::CubicSpline;
use wide::f32x8;

use crate::sph::resolution::Resolution;

/// m W and m W'/r as functions of the squared distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassSpline {
    support_squared: f32,
    inverse_support: f32,
    /// m W(0).
    center: f32,
}

impl MassSpline {
    pub fn new(resolution: &Resolution) -> Self {
        let support = resolution.support;
        Self {
            support_squared: support * support,
            inverse_support: 1.0 / support,
            center: resolution.mass * CubicSpline::CENTER / support.powi(3),
        }
    }

    /// Distance beyond which the kernel is zero.
    pub fn support(&self) -> f32 {
        1.0 / self.inverse_support
    }

    /// The square of the support.
    pub fn support_squared(&self) -> f32 {
        self.support_squared
    }

    /// m W(0).
    pub fn center(&self) -> f32 {
        self.center
    }

    /// The steepest slope m W'/r, that of two particles at the same position. Negative.
    pub fn steepest(&self) -> f32 {
        -12.0 * self.center * self.inverse_support * self.inverse_support
    }

    /// (m W, m W'/r) at squared distances; zero beyond the support.
    #[inline(always)]
    pub fn at(&self, squared: f32x8) -> (f32x8, f32x8) {
        let inverse_support = f32x8::splat(self.inverse_support);
        let center = f32x8::splat(self.center);
        let u = squared.sqrt() * inverse_support;
        let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
        let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
        let outer2 = outer * outer;
        let value = (outer2 * outer * 2.0 - inner * inner * inner * 8.0) * center;
        // W'/r in both halves of the spline, each without cancellation.
        let in_core = u.simd_lt(f32x8::HALF);
        let slope = in_core.bitselect(u * 18.0 - 12.0, outer2 * -6.0 / u);
        (value, slope * center * inverse_support * inverse_support)
    }

    /// (m W, m W'/r) at one squared distance.
    pub fn at_one(&self, squared: f32) -> (f32, f32) {
        let (value, slope) = self.at(f32x8::splat(squared));
        (value.as_array()[0], slope.as_array()[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::kernels::Kernel;

    /// Contract: value and slope are those of the scalar kernel, at and beyond every part of it.
    #[test]
    fn agrees_with_the_scalar_kernel() {
        let resolution = Resolution::new(0.02, 2.0, 1000.0);
        let spline = MassSpline::new(&resolution);
        let kernel = CubicSpline::new(resolution.support);
        for i in 1..60 {
            let r = 0.001 * i as f32;
            let (value, slope) = spline.at_one(r * r);
            let expected = resolution.mass * kernel.value(r * r);
            assert!((value - expected).abs() < 1e-4 * spline.center(), "W at {r}");
            let expected = resolution.mass * kernel.slope(r) / r;
            assert!((slope - expected).abs() < 1e-4 * spline.steepest().abs(), "W'/r at {r}");
        }
        assert!((spline.at_one(0.0).1 / spline.steepest() - 1.0).abs() < 1e-6);
    }
}
