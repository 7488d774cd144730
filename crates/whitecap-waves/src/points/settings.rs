//! Settings of the surface points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::check_ranges;

use super::Sums;
use super::error::PointError;

/// Default coarse length in particle spacings: a cell of a liquid with eight particles
/// per cell.
pub(super) const COARSE_PER_SPACING: f32 = 2.0;
/// Default number of fine spacings per coarse length.
const FINE_PER_COARSE: f32 = 4.0;
/// The smallest and largest ratio of the coarse length to the fine spacing.
const RATIOS: [f32; 2] = [1.5, 64.0];

/// Settings of the surface points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PointSettings {
    /// Coarse length: the scale of the particles. The surface is smooth over this length and lies
    /// about this far from the particles. Left out: twice the particle spacing.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub coarse: Option<f32>,
    /// Fine spacing: the distance between surface points. Left out: a quarter of the coarse length.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub fine: Option<f32>,
    /// Rounds of regularisation per frame. More rounds make the points more even in violent motion.
    #[schemars(extend("unit" = "rounds"), range(min = 1, max = 100))]
    pub rounds: u32,
    /// Rounds of regularisation in the first frame.
    #[schemars(extend("unit" = "rounds"), range(min = 1, max = 1000))]
    pub first_rounds: u32,
    /// How sums over a coarse length are computed.
    #[schemars(extend("unit" = "none"))]
    pub sums: Sums,
}

impl Default for PointSettings {
    fn default() -> Self {
        Self { coarse: None, fine: None, rounds: 6, first_rounds: 30, sums: Sums::default() }
    }
}

impl PointSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), PointError> {
        check_ranges(self)?;
        self.coarse.map_or(Ok(()), |coarse| self.fine_for(coarse).map(|_| ()))
    }

    /// The fine spacing that belongs to a coarse length.
    pub(super) fn fine_for(&self, coarse: f32) -> Result<f32, PointError> {
        let fine = self.fine.unwrap_or(coarse / FINE_PER_COARSE);
        let [least, most] = RATIOS;
        if coarse / fine >= least && coarse / fine <= most {
            Ok(fine)
        } else {
            Err(PointError::Lengths {
                coarse,
                fine,
                largest: coarse / least,
                smallest: coarse / most,
            })
        }
    }
}
