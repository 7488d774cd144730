//! From spectra to colours.
//!
//! The eye is the CIE 1931 standard observer, by the fit of Wyman, Sloan & Shirley 2013 (equation 4); the
//! light is D65 (CIE 15:2004), linear between its values. A reflectance that is the same at every wavelength
//! gives exactly that grey: the deviation of the fit from D65's white point, less than a hundredth, is
//! divided out.

use glam::{DMat3, DVec3};

/// Shortest wavelength considered, in nm.
const SHORTEST: f64 = 380.0;
/// Longest wavelength considered, in nm.
const LONGEST: f64 = 780.0;
/// D65 from the shortest to the longest wavelength, every 10 nm.
const DAYLIGHT: [f64; 41] = [
    49.9755, 54.6482, 82.7549, 91.486, 93.4318, 86.6823, 104.865, 117.008, 117.812, 114.861,
    115.923, 108.811, 109.354, 107.802, 104.79, 107.689, 104.405, 104.046, 100.0, 96.3342, 95.788,
    88.6856, 90.0062, 89.5991, 87.6987, 83.2886, 83.6992, 80.0268, 80.2146, 82.2778, 78.2842,
    69.7213, 71.6091, 74.349, 61.604, 69.8856, 75.087, 63.5927, 46.4182, 66.8054, 63.3828,
];
/// XYZ to linear Rec. 709 (IEC 61966-2-1), by columns.
const XYZ_TO_RGB: DMat3 = DMat3::from_cols(
    DVec3::new(3.2406, -0.9689, 0.0557),
    DVec3::new(-1.5372, 1.8758, -0.2040),
    DVec3::new(-0.4986, 0.0415, 1.0570),
);

/// Wavelengths with the weight that each has in the three channels.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Wavelength in m, and its weights. The weights of all wavelengths sum to (1, 1, 1).
    samples: Vec<(f64, DVec3)>,
}

impl Spectrum {
    /// Equally spaced wavelengths, about `spacing` nm apart.
    pub fn new(spacing: f64) -> Self {
        let count = ((LONGEST - SHORTEST) / spacing.clamp(0.005, 40.0)).round() as usize;
        let mut samples: Vec<(f64, DVec3)> = (0..=count)
            .map(|i| {
                let wavelength = SHORTEST + (LONGEST - SHORTEST) * i as f64 / count as f64;
                // The trapezoidal rule counts the ends half.
                let share = if i == 0 || i == count { 0.5 } else { 1.0 };
                (wavelength, share * daylight(wavelength) * observer(wavelength))
            })
            .collect();
        let white: DVec3 = samples.iter().map(|(_, xyz)| XYZ_TO_RGB * *xyz).sum();
        for (wavelength, weights) in &mut samples {
            *weights = XYZ_TO_RGB * *weights / white;
            *wavelength *= 1e-9;
        }
        Self { samples }
    }

    /// Wavelengths in m, each with its weights.
    pub(super) fn samples(&self) -> &[(f64, DVec3)] {
        &self.samples
    }

    /// The colour of a reflectance given for each wavelength in m. May be outside 0 to 1 if a
    /// display cannot show it.
    pub fn color(&self, reflectance: impl Fn(f64) -> f64) -> DVec3 {
        self.samples.iter().map(|(wavelength, weights)| reflectance(*wavelength) * *weights).sum()
    }
}

/// D65 at a wavelength in nm.
fn daylight(wavelength: f64) -> f64 {
    let place = (wavelength - SHORTEST) / 10.0;
    let before = (place.floor() as usize).min(DAYLIGHT.len() - 2);
    let t = place - before as f64;
    (1.0 - t) * DAYLIGHT[before] + t * DAYLIGHT[before + 1]
}

/// The standard observer's X, Y and Z at a wavelength in nm.
fn observer(wavelength: f64) -> DVec3 {
    let lobe = |height: f64, middle: f64, below: f64, above: f64| {
        let width = if wavelength < middle { below } else { above };
        height * (-0.5 * ((wavelength - middle) / width).powi(2)).exp()
    };
    DVec3::new(
        lobe(1.056, 599.8, 37.9, 31.0)
            + lobe(0.362, 442.0, 16.0, 26.7)
            + lobe(-0.065, 501.1, 20.4, 26.2),
        lobe(0.821, 568.8, 46.9, 40.5) + lobe(0.286, 530.9, 16.3, 31.1),
        lobe(1.217, 437.0, 11.8, 36.0) + lobe(0.681, 459.0, 26.0, 13.8),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the white point before it is divided out is that of D65 within a hundredth, and the
    /// observer's three curves have equal areas, as those of the standard do.
    #[test]
    fn light_and_observer_make_white() {
        let wavelengths = || (0..=400).map(|i| SHORTEST + f64::from(i));
        let white: DVec3 = wavelengths().map(|w| daylight(w) * observer(w)).sum();
        let white = white / (white.x + white.y + white.z);
        assert!((white - DVec3::new(0.3127, 0.3290, 0.3583)).length() < 0.005, "{white}");
        let area: DVec3 = wavelengths().map(observer).sum();
        assert!((area / 106.86 - DVec3::ONE).length() < 0.02, "{area}");
    }

    /// Contract: grey stays grey, and light of one half of the spectrum is orange or blue.
    #[test]
    fn spectra_become_their_colours() {
        let spectrum = Spectrum::new(2.0);
        assert!((spectrum.color(|_| 0.25) - 0.25).length() < 1e-12);
        let long = spectrum.color(|wavelength| f64::from(wavelength > 580e-9));
        assert!(long.x > 0.8 && long.y < 0.4 && long.z < 0.05, "{long}");
        let short = spectrum.color(|wavelength| f64::from(wavelength < 490e-9));
        assert!(short.z > 0.8 && short.x < 0.3 && short.y < 0.2, "{short}");
    }
}
