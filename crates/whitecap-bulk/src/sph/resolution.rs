//! Spacing, support and particle mass, and quantities that follow from them alone.
//!
//! The mass is chosen so that particles on a cubic lattice have exactly the rest density: a
//! lattice fill starts without pressure, whatever the ratio of support to spacing.

use whitecap_core::glam::IVec3;
use whitecap_core::kernels::{CubicSpline, Kernel};

/// The discretisation of the liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Resolution {
    /// Distance between particles at rest, in metres.
    pub spacing: f32,
    /// Radius of the kernel, in metres.
    pub support: f32,
    /// Rest density in kg/m³.
    pub rest_density: f32,
    /// Mass of a particle in kg.
    pub mass: f32,
    /// Σ |m ∇W|² in the full lattice: the diagonal of the pressure system inside the liquid.
    pub gradient_squares: f32,
}

impl Resolution {
    /// From the spacing and the support in spacings.
    pub fn new(spacing: f32, support_in_spacings: f32, rest_density: f32) -> Self {
        let support = spacing * support_in_spacings;
        let kernel = CubicSpline::new(support);
        let reach = support_in_spacings.ceil() as i32;
        let (mut sum, mut squares) = (0.0f64, 0.0f64);
        for x in -reach..=reach {
            for y in -reach..=reach {
                for z in -reach..=reach {
                    let distance = spacing * IVec3::new(x, y, z).as_vec3().length();
                    let value = f64::from(kernel.value(distance * distance));
                    sum += value;
                    squares += f64::from(kernel.slope(distance)).powi(2);
                }
            }
        }
        let mass = (f64::from(rest_density) / sum) as f32;
        Self {
            spacing,
            support,
            rest_density,
            mass,
            gradient_squares: (squares * f64::from(mass) * f64::from(mass)) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a lattice at the spacing has the rest density, and its mass is close to the
    /// mass of the water in a cube of that edge.
    #[test]
    fn lattice_has_the_rest_density() {
        for ratio in [1.7, 2.0, 2.4, 3.0] {
            let resolution = Resolution::new(0.02, ratio, 1000.0);
            let cube = 1000.0 * 0.02f32.powi(3);
            assert!((resolution.mass / cube - 1.0).abs() < 0.07, "{ratio}: {}", resolution.mass);
        }
    }
}
