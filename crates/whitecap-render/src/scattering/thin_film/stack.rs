//! Reflectance of a film between two half-spaces, at one wavelength.
//!
//! With r₁₂, r₂₃ the amplitudes reflected at the top and the bottom and δ the phase gained on the
//! path through the film and back, all orders of reflection sum to (r₁₂ + r₂₃ e^{iδ}) / (1 + r₁₂
//! r₂₃ e^{iδ}) (Airy 1833; Born & Wolf 1999, equation 1.6.57).

use num_complex::Complex64;

use super::{Spectrum, ThinFilmError, ThinFilmSettings};

/// A film between what is above it and its substrate.
#[derive(Clone, Copy, Debug)]
pub struct FilmStack {
    outside: f64,
    film: f64,
    substrate: Complex64,
}

/// Orientation of the electric field.
#[derive(Clone, Copy)]
enum Polarisation {
    /// Perpendicular to the plane of incidence.
    S,
    /// In the plane of incidence.
    P,
}

/// What the two surfaces do at one angle, independent of wavelength and thickness.
#[derive(Clone, Copy)]
pub(super) struct Amplitudes {
    pub reflected_above: Complex64,
    pub reflected_below: Complex64,
    transmitted: Complex64,
    /// The factor from the squared transmitted amplitude to a fraction of power.
    power: f64,
}

/// A stack seen at one angle.
pub(super) struct AtAngle {
    pub both: [Amplitudes; 2],
    /// Phase gained there and back, per thickness over wavelength.
    phase: Complex64,
}

impl FilmStack {
    /// From settings.
    pub fn new(settings: &ThinFilmSettings) -> Result<Self, ThinFilmError> {
        settings.check()?;
        let (index, extinction) = (settings.substrate_index, settings.substrate_extinction);
        Ok(Self {
            outside: f64::from(settings.outside_index),
            film: f64::from(settings.film_index),
            substrate: Complex64::new(f64::from(index), f64::from(extinction)),
        })
    }

    /// Fraction of unpolarised light reflected, at one wavelength. `cos_incident` is the cosine of the angle
    /// between the light and the normal; lengths are in m.
    pub fn reflectance(&self, cos_incident: f64, thickness: f64, wavelength: f64) -> f64 {
        self.at_angle(cos_incident).reflectance(thickness, wavelength)
    }

    /// Fraction of unpolarised light that enters the substrate, at one wavelength.
    pub fn transmittance(&self, cos_incident: f64, thickness: f64, wavelength: f64) -> f64 {
        self.at_angle(cos_incident).transmittance(thickness, wavelength)
    }

    /// Colour of the reflection: the reflectance integrated over a spectrum. May be outside 0 to 1.
    pub fn color(&self, cos_incident: f64, thickness: f64, spectrum: &Spectrum) -> glam::DVec3 {
        let stack = self.at_angle(cos_incident);
        spectrum.color(|wavelength| stack.reflectance(thickness, wavelength))
    }

    /// The stack seen at one angle.
    pub(super) fn at_angle(&self, cos_incident: f64) -> AtAngle {
        // At exactly grazing incidence the formulas become 0 / 0; a hair above they do not.
        let cos_incident = cos_incident.max(1e-7);
        let sine_squared = (1.0 - cos_incident * cos_incident) * self.outside * self.outside;
        // Snell's law; beyond total reflection the cosine is imaginary, and the wave decays.
        let cosine = |index: Complex64| {
            let root = (1.0 - sine_squared / (index * index)).sqrt();
            if (index * root).im < 0.0 { -root } else { root }
        };
        let outside = (Complex64::from(self.outside), Complex64::from(cos_incident));
        let film = Complex64::from(self.film);
        let film = (film, cosine(film));
        let substrate = (self.substrate, cosine(self.substrate));
        let both = [Polarisation::S, Polarisation::P]
            .map(|polarisation| Amplitudes::new(polarisation, [outside, film, substrate]));
        AtAngle { both, phase: 4.0 * std::f64::consts::PI * film.0 * film.1 }
    }
}

impl Amplitudes {
    /// Fresnel's formulas at both surfaces; each medium is its index and the cosine of the angle in it.
    fn new(polarisation: Polarisation, media: [(Complex64, Complex64); 3]) -> Self {
        let surface = |(index_a, cos_a): (Complex64, Complex64), (index_b, cos_b)| {
            let (first, second) = match polarisation {
                Polarisation::S => (index_a * cos_a, index_b * cos_b),
                Polarisation::P => (index_b * cos_a, index_a * cos_b),
            };
            let sum: Complex64 = first + second;
            ((first - second) / sum, 2.0 * index_a * cos_a / sum)
        };
        let [outside, film, substrate] = media;
        let (reflected_above, into_film) = surface(outside, film);
        let (reflected_below, into_substrate) = surface(film, substrate);
        let flux = |(index, cosine): (Complex64, Complex64)| match polarisation {
            Polarisation::S => (index * cosine).re,
            Polarisation::P => (index * cosine.conj()).re,
        };
        Self {
            reflected_above,
            reflected_below,
            transmitted: into_film * into_substrate,
            power: flux(substrate) / flux(outside),
        }
    }
}

impl AtAngle {
    /// Fraction of unpolarised light reflected.
    pub fn reflectance(&self, thickness: f64, wavelength: f64) -> f64 {
        let turn = self.turn(thickness, wavelength);
        let share = |a: &Amplitudes| {
            let all_orders = (a.reflected_above + a.reflected_below * turn)
                / (1.0 + a.reflected_above * a.reflected_below * turn);
            all_orders.norm_sqr()
        };
        0.5 * (share(&self.both[0]) + share(&self.both[1]))
    }

    fn transmittance(&self, thickness: f64, wavelength: f64) -> f64 {
        let turn = self.turn(thickness, wavelength);
        let share = |a: &Amplitudes| {
            let all_orders = a.transmitted / (1.0 + a.reflected_above * a.reflected_below * turn);
            // One pass through the film attenuates a decaying wave by the square root of the round
            // trip.
            a.power * all_orders.norm_sqr() * turn.norm()
        };
        0.5 * (share(&self.both[0]) + share(&self.both[1]))
    }

    /// The reflectance averaged over all phases: what is left if fringes cannot be distinguished.
    pub fn mean_reflectance(&self) -> f64 {
        let share = |a: &Amplitudes| {
            let (above, below) = (a.reflected_above.norm_sqr(), a.reflected_below.norm_sqr());
            if above >= 1.0 {
                return 1.0;
            }
            // Airy's sum without interference: powers add instead of amplitudes.
            above + (1.0 - above).powi(2) * below / (1.0 - above * below)
        };
        0.5 * (share(&self.both[0]) + share(&self.both[1]))
    }

    /// How much longer the path through the film and back is than that of light reflected on top,
    /// in m; `None` if the wave in the film decays.
    pub fn path_difference(&self, thickness: f64) -> Option<f64> {
        (self.phase.im == 0.0).then(|| self.phase.re / std::f64::consts::TAU * thickness)
    }

    /// Change of amplitude and phase on the path through the film and back.
    fn turn(&self, thickness: f64, wavelength: f64) -> Complex64 {
        (Complex64::i() * self.phase * (thickness / wavelength)).exp()
    }
}
