//! What holds for all particles of a frame.

/// What is known of a liquid as a whole, from the program that made it or from a look at all its frames. What
/// is not known is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Particle radius in m, half the spacing of the particles at rest. A `radius` column comes before it.
    pub radius: Option<f32>,
    /// Whether the radius is an estimate.
    pub radius_is_estimated: bool,
    /// Density at rest, in kg/m³.
    pub rest_density: Option<f32>,
    /// Frames per second of the sequence.
    pub frame_rate: Option<f32>,
}

impl Facts {
    /// The numbers with their names, as files hold them. An estimate is not among them.
    pub fn named(&self) -> [(&'static str, Option<f32>); 3] {
        let radius = self.radius.filter(|_| !self.radius_is_estimated);
        [("radius", radius), ("rest_density", self.rest_density), ("frame_rate", self.frame_rate)]
    }

    /// Takes a number from a file. A name that is not known and a number that is not positive are left out.
    pub fn set(&mut self, name: &str, value: f64) {
        let value = Some(value as f32).filter(|value| *value > 0.0 && value.is_finite());
        match name {
            "radius" => self.radius = value,
            "rest_density" => self.rest_density = value,
            "frame_rate" => self.frame_rate = value,
            _ => {}
        }
    }
}
