//! Smoothing kernels of particle methods, radially symmetric, with compact support.
//!
//! # Guarantees
//! * Every kernel is zero at and beyond its support radius.
//! * All but [`ZhuBridson`] integrate to one over space (unit: 1/m³); [`ZhuBridson`] is one at
//!   its centre and has no unit.
//!
//! # Which one
//! [`CubicSpline`] is the usual choice for densities and surfaces; [`WendlandC2`] avoids the
//! pairing instability at high neighbour counts; [`Poly6`] and [`Spiky`] are the pair of
//! Müller et al. 2003 (density and pressure gradient); [`ZhuBridson`] weighs averaged positions
//! (Zhu & Bridson 2005).

use std::f32::consts::PI;

/// A radially symmetric smoothing kernel.
pub trait Kernel: Copy + Send + Sync {
    /// The kernel with the given support radius in metres.
    fn new(support: f32) -> Self;

    /// Distance beyond which the kernel is zero.
    fn support(&self) -> f32;

    /// Value at a squared distance.
    fn value(&self, distance_squared: f32) -> f32;

    /// Derivative with respect to distance, at a distance. Never positive.
    fn slope(&self, distance: f32) -> f32;
}

/// (1 − q²)³ normalised: Müller et al. 2003, Eq. 20.
#[derive(Clone, Copy, Debug)]
pub struct Poly6 {
    support: f32,
    scale: f32,
}

impl Kernel for Poly6 {
    fn new(support: f32) -> Self {
        Self { support, scale: 315.0 / (64.0 * PI * support.powi(3)) }
    }

    fn support(&self) -> f32 {
        self.support
    }

    #[inline]
    fn value(&self, distance_squared: f32) -> f32 {
        let rest = (1.0 - distance_squared / (self.support * self.support)).max(0.0);
        self.scale * rest * rest * rest
    }

    #[inline]
    fn slope(&self, distance: f32) -> f32 {
        let q = distance / self.support;
        let rest = (1.0 - q * q).max(0.0);
        -6.0 * self.scale / self.support * q * rest * rest
    }
}

/// (1 − q)³ normalised: Müller et al. 2003, Eq. 21. Its slope does not vanish at the centre.
#[derive(Clone, Copy, Debug)]
pub struct Spiky {
    support: f32,
    scale: f32,
}

impl Kernel for Spiky {
    fn new(support: f32) -> Self {
        Self { support, scale: 15.0 / (PI * support.powi(3)) }
    }

    fn support(&self) -> f32 {
        self.support
    }

    #[inline]
    fn value(&self, distance_squared: f32) -> f32 {
        let rest = (1.0 - distance_squared.sqrt() / self.support).max(0.0);
        self.scale * rest * rest * rest
    }

    #[inline]
    fn slope(&self, distance: f32) -> f32 {
        let rest = (1.0 - distance / self.support).max(0.0);
        -3.0 * self.scale / self.support * rest * rest
    }
}

/// The cubic B-spline (Monaghan & Lattanzio 1985), written for its support radius.
///
/// With u = r / support: 8/π · (2 (1 − u)³₊ − 8 (½ − u)³₊) / support³.
#[derive(Clone, Copy, Debug)]
pub struct CubicSpline {
    support: f32,
    scale: f32,
}

impl CubicSpline {
    /// Value at the centre times support³: 8/π.
    pub const CENTER: f32 = 8.0 / PI;

    /// Value at u = distance/support, without the factor 8/(π support³): 1 at the centre.
    #[inline]
    pub fn shape(u: f32) -> f32 {
        let outer = (1.0 - u).max(0.0);
        let inner = (0.5 - u).max(0.0);
        2.0 * outer * outer * outer - 8.0 * inner * inner * inner
    }
}

impl Kernel for CubicSpline {
    fn new(support: f32) -> Self {
        Self { support, scale: Self::CENTER / support.powi(3) }
    }

    fn support(&self) -> f32 {
        self.support
    }

    #[inline]
    fn value(&self, distance_squared: f32) -> f32 {
        self.scale * Self::shape(distance_squared.sqrt() / self.support)
    }

    #[inline]
    fn slope(&self, distance: f32) -> f32 {
        let u = distance / self.support;
        let outer = (1.0 - u).max(0.0);
        let inner = (0.5 - u).max(0.0);
        -self.scale / self.support * (6.0 * outer * outer - 24.0 * inner * inner)
    }
}

/// (1 − q)⁴ (1 + 4 q) normalised (Wendland 1995).
#[derive(Clone, Copy, Debug)]
pub struct WendlandC2 {
    support: f32,
    scale: f32,
}

impl Kernel for WendlandC2 {
    fn new(support: f32) -> Self {
        Self { support, scale: 21.0 / (2.0 * PI * support.powi(3)) }
    }

    fn support(&self) -> f32 {
        self.support
    }

    #[inline]
    fn value(&self, distance_squared: f32) -> f32 {
        let q = distance_squared.sqrt() / self.support;
        let rest = (1.0 - q).max(0.0).powi(2);
        self.scale * rest * rest * (1.0 + 4.0 * q)
    }

    #[inline]
    fn slope(&self, distance: f32) -> f32 {
        let q = distance / self.support;
        let rest = (1.0 - q).max(0.0);
        -20.0 * self.scale / self.support * q * rest * rest * rest
    }
}

/// (1 − q²)³, one at the centre: the weight of Zhu & Bridson 2005.
#[derive(Clone, Copy, Debug)]
pub struct ZhuBridson {
    support: f32,
}

impl Kernel for ZhuBridson {
    fn new(support: f32) -> Self {
        Self { support }
    }

    fn support(&self) -> f32 {
        self.support
    }

    #[inline]
    fn value(&self, distance_squared: f32) -> f32 {
        let rest = (1.0 - distance_squared / (self.support * self.support)).max(0.0);
        rest * rest * rest
    }

    #[inline]
    fn slope(&self, distance: f32) -> f32 {
        let q = distance / self.support;
        let rest = (1.0 - q * q).max(0.0);
        -6.0 / self.support * q * rest * rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Kernel>(integral: Option<f64>) {
        let support = 0.37;
        let kernel = K::new(support);
        let steps = 20_000;
        let width = f64::from(support) / f64::from(steps);
        let volume: f64 = (0..steps)
            .map(|i| {
                let r = (f64::from(i) + 0.5) * width;
                let value = kernel.value((r * r) as f32);
                f64::from(value) * 4.0 * std::f64::consts::PI * r * r * width
            })
            .sum();
        if let Some(expected) = integral {
            assert!((volume - expected).abs() < 1e-4, "integral {volume}");
        }
        assert_eq!(kernel.value(support * support), 0.0);
        assert_eq!(kernel.value(4.0), 0.0);
        for i in 1..40 {
            let r = support * i as f32 / 40.0;
            let step = 1e-3 * support;
            let before = f64::from(kernel.value((r - step) * (r - step)));
            let after = f64::from(kernel.value((r + step) * (r + step)));
            let difference = (after - before) / f64::from(2.0 * step);
            let scale = f64::from(kernel.value(0.0) / support);
            assert!(
                (difference - f64::from(kernel.slope(r))).abs() < 5e-3 * scale,
                "slope at {r}: {difference} against {}",
                kernel.slope(r)
            );
        }
    }

    /// Contract: kernels integrate to one, vanish at the support, and their slope is their
    /// derivative.
    #[test]
    fn kernels_are_normalised_and_consistent() {
        check::<Poly6>(Some(1.0));
        check::<Spiky>(Some(1.0));
        check::<CubicSpline>(Some(1.0));
        check::<WendlandC2>(Some(1.0));
        check::<ZhuBridson>(None);
        assert_eq!(ZhuBridson::new(2.0).value(0.0), 1.0);
    }
}
