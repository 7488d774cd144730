//! The functions that an expression may call.

use super::builder::{Builder, Value};
use super::error::{ExpressionError, Place};
use super::operation::Operation;

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// An operation of the same name, on one value or two.
    Plain(Operation),
    Clamp,
    Step,
    Mix,
    Power,
}

/// All functions by name.
pub(super) const FUNCTIONS: [(&str, Function); 13] = [
    ("sqrt", Function::Plain(Operation::SquareRoot)),
    ("exp", Function::Plain(Operation::Exponential)),
    ("log", Function::Plain(Operation::Logarithm)),
    ("sin", Function::Plain(Operation::Sine)),
    ("cos", Function::Plain(Operation::Cosine)),
    ("tanh", Function::Plain(Operation::HyperbolicTangent)),
    ("abs", Function::Plain(Operation::Absolute)),
    ("min", Function::Plain(Operation::Least)),
    ("max", Function::Plain(Operation::Largest)),
    ("clamp", Function::Clamp),
    ("step", Function::Step),
    ("mix", Function::Mix),
    ("pow", Function::Power),
];

impl Function {
    /// The function of a name.
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// How many values it takes.
    pub fn takes(self) -> usize {
        match self {
            Function::Plain(operation) if operation.is_unary() => 1,
            Function::Plain(_) | Function::Step | Function::Power => 2,
            Function::Clamp | Function::Mix => 3,
        }
    }

    /// The call as operations; `arguments` are as many as it takes.
    pub fn call(
        self,
        builder: &mut Builder,
        arguments: &[Value],
        place: Place,
    ) -> Result<Value, ExpressionError> {
        let mut apply = |operation, a, b| builder.binary(operation, a, b, place);
        match (self, arguments) {
            (Function::Plain(operation), &[a]) => builder.unary(operation, a, place),
            (Function::Plain(operation), &[a, b]) => apply(operation, a, b),
            (Function::Power, &[base, exponent]) => builder.power(base, exponent, place),
            (Function::Step, &[edge, x]) => apply(Operation::LessOrEqual, edge, x),
            (Function::Clamp, &[x, low, high]) => {
                if let (Value::Number(low), Value::Number(high)) = (low, high)
                    && low > high
                {
                    return Err(place.error(format!(
                        "the lower end {low} of `clamp` is above the upper end {high}: expected clamp(x, low, high)"
                    )));
                }
                let raised = apply(Operation::Largest, x, low)?;
                apply(Operation::Least, raised, high)
            }
            (Function::Mix, &[a, b, share]) => {
                // Exactly `a` at 0 and `b` at 1.
                let rest = apply(Operation::Subtract, Value::Number(1.0), share)?;
                let of_a = apply(Operation::Multiply, a, rest)?;
                let of_b = apply(Operation::Multiply, b, share)?;
                apply(Operation::Add, of_a, of_b)
            }
            _ => Err(place.error(format!("expected {} arguments", self.takes()))),
        }
    }
}
