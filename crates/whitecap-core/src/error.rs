//! Errors of the core data structures and solvers.

use glam::Vec3;

/// An error of whitecap-core.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A column's length differs from the element count.
    #[error("attribute `{name}` has {found} values but there are {expected} elements")]
    ColumnLength {
        /// Column name.
        name: String,
        /// Length of the column.
        found: usize,
        /// Length it must have.
        expected: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to a vertex beyond the {vertex_count} in the mesh")]
    TriangleIndex {
        /// Which triangle.
        triangle: usize,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// A position is NaN or infinite.
    #[error("particle {index} has a position that is not a finite number: {value}")]
    NonFinitePosition {
        /// Which particle.
        index: usize,
        /// Its position.
        value: Vec3,
    },
    /// Two tiles of a sparse grid have the same coordinate.
    #[error("two tiles of a sparse grid have the same coordinate ({x}, {y}, {z})")]
    DuplicateTile {
        /// Tile coordinate.
        x: i32,
        /// Tile coordinate.
        y: i32,
        /// Tile coordinate.
        z: i32,
    },
    /// A linear solver did not reach its tolerance.
    #[error(
        "the linear solver stopped after {iterations} iterations at a relative residual of {residual:.3e} (asked for {tolerance:.1e})"
    )]
    NotConverged {
        /// Iterations done.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
        /// Relative residual asked for.
        tolerance: f64,
    },
    /// The caller asked a solver to stop.
    #[error("the linear solver was cancelled")]
    Cancelled,
}
