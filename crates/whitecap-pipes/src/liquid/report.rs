//! The volume that was added and removed.

/// Volumes in cubic metres since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ledger {
    pub poured: f64,
    pub drained: f64,
}

/// The state of a liquid in numbers, in cubic metres and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PipeReport {
    /// Time since the beginning.
    pub time: f64,
    /// Current volume, in columns and in drops.
    pub volume: f64,
    /// Volume of drops in the air.
    pub in_the_air: f64,
    /// Volume added since the beginning, by filling, sources and brush.
    pub poured: f64,
    /// Volume removed since the beginning, by drains, brush, open edges and terrain that left no
    /// room.
    pub drained: f64,
    /// Volume that should be there but is not, relative to what was poured: rounding alone.
    pub relative_error: f64,
    /// Deepest column in metres.
    pub deepest: f64,
}
