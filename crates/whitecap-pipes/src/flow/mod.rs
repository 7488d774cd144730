//! What moves liquid between columns, as the simulation sees it.
//!
//! There are two kinds of [`Flow`]. `heightfield` is for one layer under the open sky. `layered` is for any
//! terrain: a `network` of pipes, driven as virtual pipes or by `shallow_water`, with flooded `passages`
//! and their `gateways`. Both use the arithmetic of `rules`, in the loops of `rows`; `chunks` spreads loops
//! over threads.

pub(crate) mod chunks;
pub(crate) mod gateways;
pub(crate) mod heightfield;
pub(crate) mod layered;
pub(crate) mod network;
pub(crate) mod passages;
pub(crate) mod rows;
pub(crate) mod rules;
pub(crate) mod shallow_water;

use whitecap_core::saved_bytes::{Reader, StateError};

use crate::flow::rules::Rules;
use crate::liquid::columns::Columns;

/// A flux between two columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PipeFlux {
    /// The column it starts from.
    pub from: u32,
    /// The column it leads to, in the next cell along +x or +z.
    pub to: u32,
    /// Cubic metres per second, negative when the liquid flows back.
    pub flux: f64,
}

/// Moves liquid between columns.
///
/// Implementations keep the sum of all depths, plus [`Flow::carried`], to rounding.
pub(crate) trait Flow: std::fmt::Debug + Send + Sync {
    /// One time step.
    fn step(&mut self, columns: &mut Columns, rules: &Rules);

    /// Calls `visit` for every pipe: row after row of cells, those along x before those along z, sorted by
    /// the column they start from.
    fn fluxes(&self, visit: &mut dyn FnMut(PipeFlux));

    /// Sets fluxes, in any order; pipes that are not listed are at rest.
    fn set_fluxes(&mut self, fluxes: &[PipeFlux]);

    /// To be called after depths or floors were changed from outside.
    fn refresh(&mut self, columns: &Columns);

    /// Volume that is in no column, in cubic metres.
    fn carried(&self) -> f64 {
        0.0
    }

    /// Drops in the air, for display.
    fn drops(&self) -> &[crate::liquid::drops::Drop] {
        &[]
    }

    /// Adopts the volume that another flow carried.
    fn take_drops(&mut self, _drops: &[crate::liquid::drops::Drop]) {}

    /// Appends the state to bytes.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Reads the state back; the columns are already those of the state.
    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), StateError>;

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Flow>;
}
