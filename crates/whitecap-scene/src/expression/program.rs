//! An expression as a flat list of instructions over registers.
//!
//! Steps that the result does not need are left out, and registers are used again as soon as nobody needs
//! them: a program of any length fits the cache.

use super::builder::{Step, Value};
use super::error::Place;
use super::operation::Operation;

/// Where an instruction finds a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Number(f32),
    Variable(usize),
    /// The result of an instruction.
    Result(usize),
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub operation: Operation,
    pub sources: [Source; 2],
    /// Register of the result; never that of an operand.
    pub register: usize,
    pub place: Place,
}

/// All instructions; operands come before their operations.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub instructions: Vec<Instruction>,
    pub result: Source,
    pub registers: usize,
}

impl Program {
    /// The steps that a value needs.
    pub fn new(steps: &[Step], value: Value) -> Self {
        let is_needed = needed(steps, value);
        let mut numbers = vec![0; steps.len()];
        let source = |value: Value, numbers: &[usize]| match value {
            Value::Number(number) => Source::Number(number),
            Value::Variable(variable) => Source::Variable(variable),
            Value::Step(step) => Source::Result(numbers[step]),
        };
        let mut instructions = Vec::new();
        for (place, step) in steps.iter().enumerate().filter(|(place, _)| is_needed[*place]) {
            numbers[place] = instructions.len();
            instructions.push(Instruction {
                operation: step.operation,
                sources: step.operands.map(|operand| source(operand, &numbers)),
                register: 0,
                place: step.place,
            });
        }
        let registers = give_registers(&mut instructions);
        Self { instructions, result: source(value, &numbers), registers }
    }

    /// Whether a variable occurs.
    pub fn uses(&self, variable: usize) -> bool {
        let sources = self.instructions.iter().flat_map(|instruction| instruction.sources);
        sources.chain([self.result]).any(|source| source == Source::Variable(variable))
    }
}

/// Which steps a value needs: those it is made from, found from the last to the first.
fn needed(steps: &[Step], value: Value) -> Vec<bool> {
    let mut is_needed = vec![false; steps.len()];
    if let Value::Step(step) = value {
        is_needed[step] = true;
    }
    for place in (0..steps.len()).rev() {
        if is_needed[place] {
            for operand in steps[place].operands {
                if let Value::Step(step) = operand {
                    is_needed[step] = true;
                }
            }
        }
    }
    is_needed
}

/// Gives each result a register that no value which is still needed has; returns how many there are.
fn give_registers(instructions: &mut [Instruction]) -> usize {
    let mut last_use: Vec<usize> = (0..instructions.len()).collect();
    for (place, instruction) in instructions.iter().enumerate() {
        for source in instruction.sources {
            if let Source::Result(result) = source {
                last_use[result] = place;
            }
        }
    }
    let (mut free, mut count) = (Vec::new(), 0);
    for place in 0..instructions.len() {
        instructions[place].register = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        // Operands are let go after the result has its register, so that it is never one of theirs.
        let [a, b] = instructions[place].sources;
        for source in [Some(a), (a != b).then_some(b)].into_iter().flatten() {
            if let Source::Result(result) = source
                && last_use[result] == place
            {
                free.push(instructions[result].register);
            }
        }
    }
    count
}
