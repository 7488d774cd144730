//! Colours of thin films: oil on water, soap, drying wet surfaces.
//!
//! Light reflected at the top of a film interferes with light reflected at its bottom, once, twice and
//! so on. [`FilmStack`] sums all of these exactly (Airy's formula, Born & Wolf 1999, section 1.6),
//! averaged over both polarisations, and integrates over the visible spectrum; [`ThinFilm`] gives the
//! same from a table, in a fraction of a microsecond.
//!
//! # Guarantees
//! * A film of thickness zero reflects as the bare substrate does; an interface without interference
//!   comes out grey, with the reflectance of Fresnel's formulas.
//! * Colours are linear Rec. 709, relative to daylight D65: a perfect mirror is (1, 1, 1).
//! * [`ThinFilm::reflectance`] differs from the integral by less than 1e-3 in each channel, at every
//!   angle and thickness; a test measures it.
//! * Each channel lies between 0 and 1. Colours more saturated than a display can show are clipped.
//!
//! # Non-guarantees
//! Indices do not depend on the wavelength. The film absorbs nothing; the substrate may. Films of more
//! than about 10 µm of optical thickness show no fringes: the eye could not tell them from grey.

mod error;
mod film;
mod fringes;
mod settings;
mod spectrum;
mod stack;

pub use error::ThinFilmError;
pub use film::ThinFilm;
pub use settings::ThinFilmSettings;
pub use spectrum::Spectrum;
pub use stack::FilmStack;

#[cfg(test)]
mod tests;
