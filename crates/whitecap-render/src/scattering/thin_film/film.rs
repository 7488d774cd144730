//! Colours of films of every thickness at every angle.
//!
//! Airy's formula is a geometric series. Squared and sorted by the number of path differences in the phase,
//! it reads R = A₀ + 2 Re Σ K qᵐ e^{imδ} with q = −r₁₂ r₂₃ and K = (1 − r₁₂²)² |r₂₃|² / (1 − |q|²) − (1 −
//! r₁₂²), so that the integral over the spectrum needs only one table over the path difference (as in Belcour
//! & Barla 2017). Two or three terms are enough for oil and soap; it stays accurate towards grazing angles,
//! where a table over angle and thickness would not.

use std::sync::LazyLock;

use glam::Vec3;
use num_complex::Complex64;

use super::fringes::{FRINGES, LONGEST_PATH};
use super::stack::{Amplitudes, AtAngle};
use super::{FilmStack, Spectrum, ThinFilmError, ThinFilmSettings};

/// A term that changes no channel by more than this is the last.
const SMALLEST_TERM: f64 = 1e-6;
/// More terms than this are needed only for films so thin that summing over the spectrum is easier.
const MOST_TERMS: f64 = 440.0;

/// Wavelengths for films too thin for fringes.
static SPECTRUM: LazyLock<Spectrum> = LazyLock::new(|| Spectrum::new(2.0));

/// The reflectance of a film of any thickness at any angle.
///
/// ```
/// use whitecap_render::thin_film::{ThinFilm, ThinFilmSettings};
///
/// let oil_on_water = ThinFilm::new(&ThinFilmSettings::default())?;
/// let color = oil_on_water.reflectance(0.8, 300e-9);
/// assert!(color.max_element() < 0.1 && color.min_element() > 0.0);
/// # Ok::<(), whitecap_render::thin_film::ThinFilmError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ThinFilm {
    settings: ThinFilmSettings,
    stack: FilmStack,
}

impl ThinFilm {
    /// From settings. The first film of a process also makes the table, in a few tenths of a
    /// second.
    pub fn new(settings: &ThinFilmSettings) -> Result<Self, ThinFilmError> {
        let stack = FilmStack::new(settings)?;
        LazyLock::force(&FRINGES);
        Ok(Self { settings: *settings, stack })
    }

    /// What the film was made from.
    pub fn settings(&self) -> &ThinFilmSettings {
        &self.settings
    }

    /// Fraction of light reflected in each channel. `cos_incident` is the cosine of the angle
    /// between the light above the film and the normal, `thickness` is in m; values out of range
    /// are clamped.
    pub fn reflectance(&self, cos_incident: f32, thickness: f32) -> Vec3 {
        // Written so that NaN counts as zero.
        let cosine = if cos_incident > 0.0 { cos_incident.min(1.0) } else { 0.0 };
        let thickness = if thickness > 0.0 { f64::from(thickness.min(1.0)) } else { 0.0 };
        let stack = self.stack.at_angle(f64::from(cosine));
        let color = match stack.path_difference(thickness) {
            Some(path) if stack.terms(path) <= MOST_TERMS => stack.color_by_orders(path),
            _ => SPECTRUM.color(|w| stack.reflectance(thickness, w)).as_vec3(),
        };
        color.clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// The same for light that comes from below, out of a substrate that absorbs nothing. Beyond the
    /// angle of total reflection it is one.
    ///
    /// Without absorption a film reflects the same fraction from both sides (Stokes 1849), at the
    /// angles related by Snell's law.
    pub fn reflectance_from_below(&self, cos_below: f32, thickness: f32) -> Vec3 {
        let ratio = self.settings.substrate_index / self.settings.outside_index;
        let cosine = cos_below.clamp(0.0, 1.0);
        let sine_squared = (1.0 - cosine * cosine) * ratio * ratio;
        match sine_squared < 1.0 {
            true => self.reflectance((1.0 - sine_squared).sqrt(), thickness),
            false => Vec3::ONE,
        }
    }
}

impl AtAngle {
    /// Terms of the series that matter.
    fn terms(&self, path: f64) -> f64 {
        let with_fringes = LONGEST_PATH / path.max(f64::MIN_POSITIVE);
        let weakening = self.both.iter().map(|a| a.round_trip().norm()).fold(0.0, f64::max);
        let strong_enough = SMALLEST_TERM.ln() / weakening.min(1.0 - 1e-9).ln();
        with_fringes.min(strong_enough)
    }

    /// The series, over both polarisations.
    fn color_by_orders(&self, path: f64) -> Vec3 {
        let mut color = Vec3::splat(self.mean_reflectance() as f32);
        let mut terms = self.both.map(|amplitudes| amplitudes.first_term());
        let ratios = self.both.map(|amplitudes| amplitudes.round_trip());
        for order in 1..=MOST_TERMS as u32 {
            let order_path = f64::from(order) * path;
            // Each polarisation has half the light; each term counts twice, with its conjugate.
            let term = terms[0] + terms[1];
            let strongest = terms[0].norm().max(terms[1].norm());
            if order_path >= LONGEST_PATH || strongest < SMALLEST_TERM {
                break;
            }
            let [real, imaginary] = FRINGES.at(order_path);
            color += term.re as f32 * real - term.im as f32 * imaginary;
            terms = [terms[0] * ratios[0], terms[1] * ratios[1]];
        }
        color
    }
}

impl Amplitudes {
    /// q: what is left of a wave that was reflected at both surfaces.
    fn round_trip(&self) -> Complex64 {
        -self.reflected_above * self.reflected_below
    }

    /// K q.
    fn first_term(&self) -> Complex64 {
        let q = self.round_trip();
        let entering = 1.0 - self.reflected_above.norm_sqr();
        let rest = (1.0 - q.norm_sqr()).max(f64::MIN_POSITIVE);
        let strength = entering.powi(2) * self.reflected_below.norm_sqr() / rest - entering;
        strength * q
    }
}
