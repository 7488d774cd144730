//! What can be wrong with a film.

/// A film that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ThinFilmError {
    /// An index of refraction is out of range.
    #[error("the {which} has an index of refraction of {value}; it must lie between 0.1 and 10")]
    Index {
        /// `outside`, `film` or `substrate`.
        which: &'static str,
        /// What was given.
        value: f32,
    },
    /// The extinction coefficient is out of range.
    #[error("the substrate has an extinction coefficient of {value}; it must lie between 0 and 20")]
    Extinction {
        /// What was given.
        value: f32,
    },
}
