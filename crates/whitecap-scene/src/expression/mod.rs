//! Expressions in settings, such as the rate of a reaction: `f1*f2^2 - (feed + kill)*f2`.
//!
//! # Language
//! * Numbers (`2`, `.5`, `1e-3`), variables that the caller names, and `pi`.
//! * From weakest to strongest: `<` `>` `<=` `>=` (1 if it holds, 0 if not; not chained), `+` `-`, `*` `/`,
//!   signs, `^`. Powers are grouped from the right, and `-2^2` is −4, as in Python.
//! * `sqrt` `exp` `log` (natural) `sin` `cos` (radians) `tanh` `abs` of one value, `min` `max` `pow` of two,
//!   `clamp(x, low, high)` = min(max(x, low), high), `step(edge, x)`: 1 from the edge on, and
//!   `mix(a, b, t)` = a (1 − t) + b t.
//! * A constant whole exponent up to 16 makes multiplications (of the reciprocal, if it is negative).
//!
//! # Guarantees
//! * [`Expression::parse`] gives an expression or a sentence with line and column for any text, and neither
//!   recursion nor memory grows beyond limits: 10 000 bytes of text, 100 levels of nesting.
//! * After [`Expression::evaluate`] every value is finite, and so is every value on the way there; otherwise
//!   it fails and says where, and which operation it was.
//! * The value of an entry depends on the values of the variables there alone, to the bit: neither the number of
//!   entries nor their place matters. Constants are folded with the arithmetic of evaluation.
//!
//! # Non-guarantees
//! * Arithmetic is in single precision.
//! * A number that has become too small is 0, and no error.
//! * What does not occur in the result is not checked: `f^0` is 1 whatever `f` is.

mod builder;
mod error;
mod evaluate;
mod function;
mod names;
mod operation;
mod parser;
mod program;
mod token;

pub use error::{Cause, EvaluationError, ExpressionError};
pub use evaluate::Scratch;

use program::Program;

/// An expression, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Expression {
    names: Vec<String>,
    program: Program,
}

impl Expression {
    /// Reads a text. `names` are the variables that may appear, in the order in which their columns are given to
    /// [`Expression::evaluate`].
    pub fn parse(text: &str, names: &[&str]) -> Result<Expression, ExpressionError> {
        let (builder, value) = parser::parse(text, names)?;
        let names = names.iter().map(|name| name.to_string()).collect();
        Ok(Self { names, program: Program::new(&builder.steps, value) })
    }

    /// Whether the value depends on a variable, given by its number among the names.
    pub fn uses(&self, variable: usize) -> bool {
        self.program.uses(variable)
    }
}
