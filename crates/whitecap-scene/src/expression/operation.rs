//! Operations on one or two numbers. The same functions fold constants and run over blocks, so that a folded
//! constant has the bits that evaluation would give.

use super::error::Cause;

/// What is done with operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Negate,
    Absolute,
    SquareRoot,
    Exponential,
    Logarithm,
    Sine,
    Cosine,
    HyperbolicTangent,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Least,
    Largest,
    Less,
    LessOrEqual,
}

impl Operation {
    /// Whether there is one operand only.
    pub fn is_unary(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Negate
                | Absolute
                | SquareRoot
                | Exponential
                | Logarithm
                | Sine
                | Cosine
                | HyperbolicTangent
        )
    }

    /// Whether the result can be finite although an operand is not: such operands are checked.
    pub fn may_hide(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Exponential | HyperbolicTangent | Divide | Power | Least | Largest | Less | LessOrEqual
        )
    }

    /// The value for operands that are the same for all entries; `b` is ignored where there is one operand.
    pub fn of(self, a: f32, b: f32) -> f32 {
        let mut out = [0.0];
        self.run(Operand::Same(a), Operand::Same(b), &mut out);
        out[0]
    }

    /// Why finite operands gave a result that is not finite.
    pub fn cause(self, a: f32, b: f32) -> Cause {
        match self {
            Operation::Divide if b == 0.0 => Cause::DivisionByZero,
            Operation::Power if a == 0.0 => Cause::DivisionByZero,
            Operation::Power if a < 0.0 && b.fract() != 0.0 => Cause::PowerOfNegative,
            Operation::SquareRoot => Cause::RootOfNegative,
            Operation::Logarithm => Cause::LogarithmOfNone,
            _ => Cause::Overflow,
        }
    }

    /// The values for a block of entries.
    pub fn run(self, a: Operand<'_>, b: Operand<'_>, out: &mut [f32]) {
        match self {
            Operation::Negate => unary(a, out, |a| -a),
            Operation::Absolute => unary(a, out, f32::abs),
            Operation::SquareRoot => unary(a, out, f32::sqrt),
            Operation::Exponential => unary(a, out, f32::exp),
            Operation::Logarithm => unary(a, out, f32::ln),
            Operation::Sine => unary(a, out, f32::sin),
            Operation::Cosine => unary(a, out, f32::cos),
            Operation::HyperbolicTangent => unary(a, out, f32::tanh),
            Operation::Add => binary(a, b, out, |a, b| a + b),
            Operation::Subtract => binary(a, b, out, |a, b| a - b),
            Operation::Multiply => binary(a, b, out, |a, b| a * b),
            Operation::Divide => binary(a, b, out, |a, b| a / b),
            Operation::Power => binary(a, b, out, f32::powf),
            Operation::Least => binary(a, b, out, |a, b| if b < a { b } else { a }),
            Operation::Largest => binary(a, b, out, |a, b| if b > a { b } else { a }),
            Operation::Less => binary(a, b, out, |a, b| f32::from(u8::from(a < b))),
            Operation::LessOrEqual => binary(a, b, out, |a, b| f32::from(u8::from(a <= b))),
        }
    }
}

/// The values of an operand in a block of entries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'a> {
    /// The same for all entries.
    Same(f32),
    /// One for each.
    Each(&'a [f32]),
}

impl Operand<'_> {
    /// Whether all values are finite.
    pub fn is_finite(self) -> bool {
        match self {
            Operand::Same(value) => value.is_finite(),
            Operand::Each(values) => all_finite(values),
        }
    }
}

/// Whether all values are finite; without a branch for each, so that it runs over registers.
pub(super) fn all_finite(values: &[f32]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let is_bad = |value: &f32| u32::from(value.to_bits() & EXPONENT == EXPONENT);
    values.iter().map(is_bad).fold(0, |any, bad| any | bad) == 0
}

fn unary(a: Operand<'_>, out: &mut [f32], value: impl Fn(f32) -> f32) {
    match a {
        Operand::Same(a) => out.fill(value(a)),
        Operand::Each(a) => out.iter_mut().zip(a).for_each(|(out, &a)| *out = value(a)),
    }
}

// One loop for each kind of operands: numbers that are the same for all entries stay in a register.
fn binary(a: Operand<'_>, b: Operand<'_>, out: &mut [f32], value: impl Fn(f32, f32) -> f32) {
    use Operand::{Each, Same};
    match (a, b) {
        (Same(a), Same(b)) => out.fill(value(a, b)),
        (Same(a), Each(b)) => out.iter_mut().zip(b).for_each(|(out, &b)| *out = value(a, b)),
        (Each(a), Same(b)) => out.iter_mut().zip(a).for_each(|(out, &a)| *out = value(a, b)),
        (Each(a), Each(b)) => {
            let operands = a.iter().zip(b);
            out.iter_mut().zip(operands).for_each(|(out, (&a, &b))| *out = value(a, b));
        }
    }
}
