//! The spectrum's answer to a fringe: what remains, in each channel, of light whose amplitude turns with
//! the path difference over the wavelength.
//!
//! With w(λ) the weights of a [`Spectrum`], it is F(L) = ∫ w(λ) exp(2πi L/λ) dλ: one for no path
//! difference, coloured for a wavelength or two, zero for long ones.

use std::sync::LazyLock;

use glam::{DVec3, Vec3};
use num_complex::Complex64;

use super::Spectrum;

/// Step between path differences in the table, in m.
const STEP: f64 = 5e-9;
/// Steps of the table.
const STEPS: usize = 22_000;
/// The last steps, over which the remaining ten-thousandth fades to zero.
const FADING_STEPS: usize = 2000;
/// Step between wavelengths in nm; six for the finest fringe.
const WAVELENGTH_STEP: f64 = 0.25;

/// F(L) for every path difference that shows colours.
pub(super) struct Fringes {
    /// Real and imaginary part from one step before zero to one step after the end.
    values: Vec<[Vec3; 2]>,
}

/// The path difference, in m, beyond which there are no fringes.
pub(super) const LONGEST_PATH: f64 = STEP * STEPS as f64;

/// The table. It depends only on the observer and the light.
pub(super) static FRINGES: LazyLock<Fringes> = LazyLock::new(Fringes::new);

impl Fringes {
    /// On one thread: a table that is made on first use must not wait for a thread that waits for it.
    fn new() -> Self {
        let spectrum = Spectrum::new(WAVELENGTH_STEP);
        let turn = |wavelength: f64, steps: f64| {
            Complex64::from_polar(1.0, std::f64::consts::TAU * steps * STEP / wavelength)
        };
        // From one step to the next, the light of each wavelength turns by the same angle.
        let mut light: Vec<(Complex64, Complex64, DVec3)> = spectrum
            .samples()
            .iter()
            .map(|&(wavelength, weights)| (turn(wavelength, -1.0), turn(wavelength, 1.0), weights))
            .collect();
        let values = (0..STEPS + 3).map(|place| {
            let mut sums = [DVec3::ZERO; 2];
            for (phase, turn, weights) in &mut light {
                sums[0] += phase.re * *weights;
                sums[1] += phase.im * *weights;
                *phase *= *turn;
            }
            let left = (STEPS + 1 - place.min(STEPS + 1)) as f64 / FADING_STEPS as f64;
            let left = left.min(1.0);
            sums.map(|part| (left * left * (3.0 - 2.0 * left) * part).as_vec3())
        });
        Self { values: values.collect() }
    }

    /// Real and imaginary part at a path difference in m, by Catmull & Rom 1974; zero beyond the end.
    pub fn at(&self, path: f64) -> [Vec3; 2] {
        let place = path / STEP;
        if !(0.0..STEPS as f64).contains(&place) {
            return [Vec3::ZERO; 2];
        }
        let before = place as usize;
        let t = (place - before as f64) as f32;
        let (t2, t3) = (t * t, t * t * t);
        let weights = [
            0.5 * (2.0 * t2 - t - t3),
            0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
            0.5 * (t + 4.0 * t2 - 3.0 * t3),
            0.5 * (t3 - t2),
        ];
        let near = &self.values[before..before + 4];
        let part = |part: usize| near.iter().zip(weights).map(|(value, w)| w * value[part]).sum();
        [part(0), part(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: interpolated values agree with the integral, the first is one, and the part that
    /// is faded out is already small.
    #[test]
    fn the_table_agrees_with_the_integral() {
        let spectrum = Spectrum::new(0.1);
        for i in 0..2000 {
            let path =
                (f64::from(i) * 0.618_033_989).fract() * (STEPS - FADING_STEPS) as f64 * STEP;
            let turns = |wavelength: f64| std::f64::consts::TAU * path / wavelength;
            let exact = [
                spectrum.color(|wavelength| turns(wavelength).cos()).as_vec3(),
                spectrum.color(|wavelength| turns(wavelength).sin()).as_vec3(),
            ];
            let found = FRINGES.at(path);
            for (found, exact) in found.iter().zip(exact) {
                assert!((found - exact).abs().max_element() < 3e-5, "{path}: {found} {exact}");
            }
        }
        assert!((FRINGES.at(0.0)[0] - 1.0).length() < 1e-6);
        let faded = FRINGES.at((STEPS - FADING_STEPS) as f64 * STEP);
        assert!(faded[0].length() + faded[1].length() < 4e-4, "{faded:?}");
        assert_eq!(FRINGES.at(1.0), [Vec3::ZERO; 2]);
    }
}
