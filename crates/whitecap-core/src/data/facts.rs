//! What holds for all particles of a frame.

/// What is known of a liquid as a whole, from a look at all its frames. What is not known is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Particle radius in m, half the spacing of the particles at rest. A `radius` column comes before it.
    pub radius: Option<f32>,
    /// Whether the radius is an estimate.
    pub radius_is_estimated: bool,
}
