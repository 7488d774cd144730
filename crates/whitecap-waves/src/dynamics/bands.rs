//! The octaves that are seeded, and the bands of wavelength that carry them.
//!
//! On water a wave of length λ runs at c(λ) = √(gλ/2π + 2πσ/ρλ): long waves are driven by gravity,
//! short ones by surface tension. The wave equation has only one speed, so the octaves are divided
//! among bands, each with the speed of its middle wavelength and its own wave field; what is
//! seen is their sum.
//!
//! # Non-guarantees
//! * Within a band all waves run at the same speed.

use std::f32::consts::TAU;

use super::settings::{Dispersion, DynamicsSettings};

/// Default speed, in coarse lengths per frame.
const COARSE_LENGTHS_PER_FRAME: f32 = 0.25;
/// Default length of the longest wave, in coarse lengths.
const COARSE_LENGTHS_PER_WAVE: f32 = 2.0;
/// Fine spacings that the shortest wave spans by default.
const SPACINGS_PER_WAVE: f32 = 4.0;
/// Largest number of octaves.
const MOST_OCTAVES: u32 = 8;

/// One octave of the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Octave {
    /// Wavelength in metres.
    pub wavelength: f32,
    /// Height relative to the first octave.
    pub height: f32,
}

/// Waves that share a speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Speed in metres per second.
    pub speed: f32,
    /// Octaves of the seeds, longest first.
    pub octaves: Vec<Octave>,
}

impl Band {
    /// Value at a time of an oscillator of height one (Mercier et al. 2015, Alg. 2, lines 4–7, with
    /// the height a of the octave): Σ a cos(t c f), where f is the wave number.
    pub fn oscillation(&self, time: f64) -> f32 {
        let value = |octave: &Octave| {
            let frequency = f64::from(self.speed) * std::f64::consts::TAU;
            let phase = time * frequency / f64::from(octave.wavelength);
            f64::from(octave.height) * phase.cos()
        };
        self.octaves.iter().map(value).sum::<f64>() as f32
    }

    /// Angular frequency of the longest octave, in 1/s.
    pub fn least_frequency(&self) -> f32 {
        self.octaves.first().map_or(0.0, |octave| TAU * self.speed / octave.wavelength)
    }

    /// Angular frequency of the shortest octave, in 1/s.
    pub fn largest_frequency(&self) -> f32 {
        self.octaves.last().map_or(0.0, |octave| TAU * self.speed / octave.wavelength)
    }
}

/// The bands for points `fine` apart on a liquid of scale `coarse`, both in metres, with frames of
/// `duration` seconds.
pub fn bands(settings: &DynamicsSettings, coarse: f32, fine: f32, duration: f64) -> Vec<Band> {
    let longest = settings.wavelength.unwrap_or(COARSE_LENGTHS_PER_WAVE * coarse);
    let count = settings.octaves.unwrap_or_else(|| {
        let ratio = longest / (SPACINGS_PER_WAVE * fine);
        // The small excess makes a ratio that is a power of two up to rounding count in full.
        1 + (ratio * 1.001).max(1.0).log2().floor() as u32
    });
    let octaves: Vec<Octave> = (0..count.clamp(1, MOST_OCTAVES))
        .map(|octave| 0.5f32.powi(octave as i32))
        .map(|height| Octave { wavelength: longest * height, height })
        .collect();
    let band_count = match settings.dispersion {
        Dispersion::None => 1,
        Dispersion::Relative | Dispersion::Physical => settings.bands as usize,
    };
    let per_band = octaves.len().div_ceil(band_count.clamp(1, octaves.len()));
    let wave_speed = settings
        .wave_speed
        .unwrap_or((f64::from(COARSE_LENGTHS_PER_FRAME * coarse) / duration) as f32);
    let physical = |length: f32| {
        (settings.wave_gravity * length / TAU + settings.wave_tension * TAU / length).sqrt()
    };
    octaves
        .chunks(per_band)
        .map(|octaves| {
            let ends = octaves[0].wavelength * octaves[octaves.len() - 1].wavelength;
            let speed = match settings.dispersion {
                Dispersion::None => wave_speed,
                Dispersion::Relative => {
                    wave_speed * relative(physical(ends.sqrt()), physical(longest))
                }
                Dispersion::Physical => physical(ends.sqrt()),
            };
            Band { speed, octaves: octaves.to_vec() }
        })
        .collect()
}

/// A speed relative to another; one when there is neither gravity nor tension.
fn relative(speed: f32, reference: f32) -> f32 {
    if reference > 0.0 { speed / reference } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: seeds span from two coarse lengths down to four spacings, each octave half as long
    /// and half as high.
    #[test]
    fn octaves_fill_the_range_that_points_can_carry() {
        let settings = DynamicsSettings { dispersion: Dispersion::None, ..Default::default() };
        for (ratio, expected) in [(2.0, 1), (4.0, 2), (8.0, 3), (12.0, 3), (16.0, 4)] {
            let found = bands(&settings, 0.1, 0.1 / ratio, 0.04);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].octaves.len(), expected, "ratio {ratio}");
            assert!(found[0].octaves[0].wavelength == 0.2);
            assert!(found[0].octaves.last().unwrap().wavelength > 3.99 * 0.1 / ratio);
            assert_eq!(found[0].oscillation(0.0), 2.0 - 0.5f32.powi(expected as i32 - 1));
        }
    }

    /// Contract: physical speeds are those of water: waves of 1.7 cm are slowest, at 23 cm/s, and
    /// waves of 1 m run at 1.25 m/s.
    #[test]
    fn physical_speeds_are_those_of_water() {
        let speed = |wavelength| {
            let settings = DynamicsSettings {
                dispersion: Dispersion::Physical,
                wavelength: Some(wavelength),
                octaves: Some(1),
                ..Default::default()
            };
            bands(&settings, 1.0, 0.1, 0.04)[0].speed
        };
        assert!((speed(0.017) - 0.231).abs() < 0.002, "{}", speed(0.017));
        assert!((speed(1.0) - 1.25).abs() < 0.01, "{}", speed(1.0));
        assert!(speed(0.01) > speed(0.017) && speed(0.03) > speed(0.017));
    }

    /// Contract: relative speeds give the longest wave the chosen speed when each octave has its
    /// own band, and no more bands are made than there are octaves.
    #[test]
    fn relative_speeds_start_at_the_chosen_one() {
        let settings = DynamicsSettings {
            wave_speed: Some(3.0),
            bands: 4,
            dispersion: Dispersion::Relative,
            ..Default::default()
        };
        let found = bands(&settings, 10.0, 1.0, 0.04);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].speed, 3.0);
        let expected = 3.0 * 0.5f32.sqrt();
        assert!(
            (found[1].speed / expected - 1.0).abs() < 1e-3,
            "waves of metres feel gravity only"
        );
    }
}
