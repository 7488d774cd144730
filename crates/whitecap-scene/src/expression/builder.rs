//! Steps of an expression while it is read: each is appended after its operands, so that nothing here is
//! recursive. Constants are folded as they appear.

use super::error::{Cause, ExpressionError, Place};
use super::operation::Operation;

/// Powers up to this one are multiplications.
const LARGEST_WHOLE_POWER: f32 = 16.0;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Number(f32),
    Variable(usize),
    /// The result of a step.
    Step(usize),
}

/// One operation of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub operation: Operation,
    pub operands: [Value; 2],
    pub place: Place,
}

/// The steps so far.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub steps: Vec<Step>,
}

impl Builder {
    /// An operation on one value.
    pub fn unary(
        &mut self,
        operation: Operation,
        a: Value,
        place: Place,
    ) -> Result<Value, ExpressionError> {
        self.binary(operation, a, a, place)
    }

    /// An operation on two values; numbers are folded.
    pub fn binary(
        &mut self,
        operation: Operation,
        a: Value,
        b: Value,
        place: Place,
    ) -> Result<Value, ExpressionError> {
        let told = |cause: Cause| Err(place.error(format!("this is always a {cause}")));
        if operation == Operation::Divide && b == Value::Number(0.0) {
            return told(Cause::DivisionByZero);
        }
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            let value = operation.of(a, b);
            return match value.is_finite() {
                true => Ok(Value::Number(value)),
                false => {
                    match operation.cause(a, b) {
                        Cause::Overflow => Err(place
                            .error("this number is too large: single precision ends at 3.4e38")),
                        cause => told(cause),
                    }
                }
            };
        }
        self.steps.push(Step { operation, operands: [a, b], place });
        Ok(Value::Step(self.steps.len() - 1))
    }

    /// A power: multiplications if the exponent is a small whole number.
    pub fn power(
        &mut self,
        base: Value,
        exponent: Value,
        place: Place,
    ) -> Result<Value, ExpressionError> {
        // Numbers too, so that folding gives the bits of evaluation.
        if let Value::Number(n) = exponent
            && n.fract() == 0.0
            && n.abs() <= LARGEST_WHOLE_POWER
        {
            return self.whole_power(base, n as i32, place);
        }
        self.binary(Operation::Power, base, exponent, place)
    }

    /// Squares, and products of them. A negative power is one of the reciprocal.
    fn whole_power(
        &mut self,
        base: Value,
        exponent: i32,
        place: Place,
    ) -> Result<Value, ExpressionError> {
        let mut square = match exponent < 0 {
            true => self.binary(Operation::Divide, Value::Number(1.0), base, place)?,
            false => base,
        };
        let (mut left, mut product) = (exponent.unsigned_abs(), None);
        while left > 0 {
            if left & 1 == 1 {
                product = Some(match product {
                    None => square,
                    Some(product) => self.binary(Operation::Multiply, product, square, place)?,
                });
            }
            left >>= 1;
            if left > 0 {
                square = self.binary(Operation::Multiply, square, square, place)?;
            }
        }
        Ok(product.unwrap_or(Value::Number(1.0)))
    }
}
