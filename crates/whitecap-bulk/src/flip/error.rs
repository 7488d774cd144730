//! What can go wrong in a grid liquid.

use whitecap_core::budget::OverBudget;
use whitecap_scene::{SceneError, SettingError};

/// An error of a grid liquid.
#[derive(Debug, thiserror::Error)]
pub enum FlipError {
    /// A setting that cannot be simulated.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Something around the liquid cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The pressure could not be solved.
    #[error(transparent)]
    Solver(whitecap_core::Error),
    /// The liquid needs more memory than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A frame without a duration.
    #[error("a frame must last longer than 0 s, but it lasts {duration} s")]
    Duration {
        /// The duration in s.
        duration: f64,
    },
    /// The motion has become absurd.
    #[error(
        "at {time:.4} s the liquid moves at {speed:.3e} m/s, which would need {steps} steps in a frame: forces or solids are too fast, or a setting is wrong"
    )]
    TooFast {
        /// Time in s.
        time: f64,
        /// Speed in m/s.
        speed: f32,
        /// Steps that one frame would take.
        steps: u64,
    },
    /// The number of accelerations is not the number of particles.
    #[error("{found} accelerations were given for {expected} particles")]
    AccelerationCount {
        /// How many were given.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// Accelerations for a liquid that has no particles in its core.
    #[error(
        "accelerations of particles cannot be given with `narrow-band`, as most of the liquid has no particles: leave it out"
    )]
    AccelerationsInCore,
    /// A step gave values that are not finite.
    #[error(
        "the liquid blew up at {time:.6} s: {reason}. The last good state is kept. Try a smaller `cfl`, and check forces, and solids that squeeze liquid"
    )]
    BlowUp {
        /// Time of the last good state in s.
        time: f64,
        /// What happened.
        reason: String,
    },
    /// The pressure or the viscosity did not reach its tolerance.
    #[error(
        "at {time:.6} s the step did not converge: {reason}. The last good state is kept. Try a larger `tolerance`"
    )]
    NotConverged {
        /// Time of the last good state in s.
        time: f64,
        /// What the solver says.
        reason: whitecap_core::Error,
    },
    /// A value that is not finite was given.
    #[error("the {column} of particle {index} is not a finite number")]
    NotFinite {
        /// Which column.
        column: &'static str,
        /// Which particle.
        index: usize,
    },
    /// A particle so far away that its neighbours could not be told from it.
    #[error(
        "a particle is {distance:.3e} m from the origin, where single precision cannot tell particles {spacing} m apart: move the scene to the origin, keep the liquid in a `domain`, or use a larger `spacing`"
    )]
    TooFar {
        /// Its distance on one axis in m.
        distance: f32,
        /// The spacing in m.
        spacing: f32,
    },
    /// A viscosity that no liquid has.
    #[error("the viscosity of particle {index} is {viscosity} Pa·s, but must be 0 or more")]
    Viscosity {
        /// Which particle.
        index: usize,
        /// The viscosity in Pa·s.
        viscosity: f32,
    },
    /// A saved state cannot be used.
    #[error(transparent)]
    State(#[from] whitecap_core::saved_bytes::StateError),
    /// The caller asked to stop.
    #[error("the simulation was cancelled")]
    Cancelled,
}

impl FlipError {
    /// The same, of a step from a time in s: solvers do not know the time, nor that their input blew up.
    pub(super) fn at(self, time: f64) -> Self {
        use whitecap_core::Error::NotConverged;
        match self {
            Self::Solver(NotConverged { residual, .. }) if !residual.is_finite() => {
                let reason = String::from("velocities on the grid are not finite numbers");
                Self::BlowUp { time, reason }
            }
            Self::Solver(reason @ NotConverged { .. }) => Self::NotConverged { time, reason },
            other => other,
        }
    }
}

impl From<whitecap_core::Error> for FlipError {
    fn from(error: whitecap_core::Error) -> Self {
        match error {
            whitecap_core::Error::Cancelled => Self::Cancelled,
            other => Self::Solver(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a solver that does not converge is told with the time; one whose residual is not a number has
    /// blown up.
    #[test]
    fn a_pressure_that_does_not_converge_is_told() {
        let stopped = |residual: f64| {
            let stopped =
                whitecap_core::Error::NotConverged { iterations: 200, residual, tolerance: 1e-5 };
            FlipError::from(stopped).at(0.25).to_string()
        };
        let told = stopped(0.5);
        assert!(told.starts_with("at 0.250000 s the step did not converge: the linear"), "{told}");
        assert!(stopped(f64::NAN).starts_with("the liquid blew up at 0.250000 s"));
    }
}
