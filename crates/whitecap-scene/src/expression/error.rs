//! What can be wrong with an expression, when it is read and when it is evaluated.

use std::fmt;

/// A place in the text of an expression: line and character, both from 1. A tab is one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// An error at this place.
    pub fn error(self, message: impl Into<String>) -> ExpressionError {
        ExpressionError { message: message.into(), line: self.line, column: self.column }
    }
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct ExpressionError {
    /// What is wrong and what would be right, a sentence without full stop.
    pub message: String,
    /// Line in the text, from 1.
    pub line: usize,
    /// Character in the line, from 1; a tab is one character.
    pub column: usize,
}

/// How a value came to be no finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Something was divided by zero.
    DivisionByZero,
    /// The square root of a negative number.
    RootOfNegative,
    /// The logarithm of zero or of a negative number.
    LogarithmOfNone,
    /// A negative number to a power that is not whole.
    PowerOfNegative,
    /// The result is too large for single precision.
    Overflow,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Cause::DivisionByZero => "division by zero",
            Cause::RootOfNegative => "square root of a negative number",
            Cause::LogarithmOfNone => "logarithm of a number that is not above zero",
            Cause::PowerOfNegative => "negative number to a power that is not whole",
            Cause::Overflow => "overflow, the result is too large for single precision",
        })
    }
}

/// Why an expression has no value. What was written to the output before is to be ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// An operation gave no finite number.
    #[error("at entry {entry}: {cause} (line {line}, column {column} of the expression)")]
    NotFinite {
        /// Which entry of the columns, from 0.
        entry: usize,
        /// Line of the operator or function in the text, from 1.
        line: usize,
        /// Character of the operator or function in its line, from 1.
        column: usize,
        /// What happened.
        cause: Cause,
    },
    /// A column holds a value that is not finite.
    #[error("at entry {entry}: `{name}` is not a finite number")]
    Input {
        /// Which entry of the column, from 0.
        entry: usize,
        /// The variable.
        name: String,
    },
    /// Not one column for each variable.
    #[error("{found} columns were given for {expected} variables")]
    ColumnCount {
        /// How many were given.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A column has another length than the output.
    #[error("the column `{name}` has {found} entries, but must have {expected} or exactly one")]
    ColumnLength {
        /// The variable.
        name: String,
        /// Its entries.
        found: usize,
        /// Entries of the output.
        expected: usize,
    },
}
