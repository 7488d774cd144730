//! Evaluation of a program over blocks of entries.
//!
//! What is the same for all entries, such as a sum of two constant columns, is computed once. A block is so short
//! that all registers stay in the nearest cache, and so long that choosing an operation costs nothing.

use super::Expression;
use super::error::EvaluationError;
use super::operation::{Operand, all_finite};
use super::program::{Instruction, Source};

/// Entries of a block.
const BLOCK: usize = 256;

/// Memory that evaluation needs; kept from call to call, it is not allocated again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    registers: Vec<Vec<f32>>,
    /// The result of each instruction that is the same for all entries.
    same: Vec<Option<f32>>,
}

/// The entries of a block.
#[derive(Clone, Copy)]
struct Block<'a> {
    columns: &'a [&'a [f32]],
    start: usize,
    len: usize,
}

impl Expression {
    /// Sets `out[i]` to the value at entry i. There is one column for each name, which has as many entries as `out`,
    /// or exactly one that stands for all.
    pub fn evaluate(
        &self,
        columns: &[&[f32]],
        scratch: &mut Scratch,
        out: &mut [f32],
    ) -> Result<(), EvaluationError> {
        self.check_columns(columns, out.len())?;
        let count = out.len();
        if count == 0 {
            return Ok(());
        }
        scratch
            .registers
            .resize_with(self.program.registers.max(scratch.registers.len()), || vec![0.0; BLOCK]);
        self.find_same(columns, scratch);
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let block = Block { columns, start: block * BLOCK, len: out.len() };
            if !self.run(block, scratch, out) {
                return Err(self.first_failure(block, scratch));
            }
        }
        Ok(())
    }

    fn check_columns(&self, columns: &[&[f32]], expected: usize) -> Result<(), EvaluationError> {
        if columns.len() != self.names.len() {
            let (found, expected) = (columns.len(), self.names.len());
            return Err(EvaluationError::ColumnCount { found, expected });
        }
        let is_wrong = |column: &&[f32]| column.len() != expected && column.len() != 1;
        match columns.iter().position(is_wrong) {
            None => Ok(()),
            Some(place) => {
                let (name, found) = (self.names[place].clone(), columns[place].len());
                Err(EvaluationError::ColumnLength { name, found, expected })
            }
        }
    }

    /// Computes what is the same for all entries.
    fn find_same(&self, columns: &[&[f32]], scratch: &mut Scratch) {
        let same = &mut scratch.same;
        same.clear();
        for instruction in &self.program.instructions {
            let value = |source: Source| match source {
                Source::Number(number) => Some(number),
                Source::Variable(variable) => match *columns[variable] {
                    [value] => Some(value),
                    _ => None,
                },
                Source::Result(result) => same[result],
            };
            let [a, b] = instruction.sources.map(value);
            // A value that is not finite is left to the blocks, which say where it came from.
            let found = a.zip(b).map(|(a, b)| instruction.operation.of(a, b));
            same.push(found.filter(|value| value.is_finite()));
        }
    }

    /// Evaluates a block; says whether all values were finite.
    fn run(&self, block: Block<'_>, scratch: &mut Scratch, out: &mut [f32]) -> bool {
        let instructions = &self.program.instructions;
        for (place, instruction) in instructions.iter().enumerate() {
            if scratch.same[place].is_some() {
                continue;
            }
            let is_last = self.program.result == Source::Result(place);
            let mut register = std::mem::take(&mut scratch.registers[instruction.register]);
            let [a, b] = self.operands(instruction, block, scratch);
            let is_usable = !instruction.operation.may_hide() || (a.is_finite() && b.is_finite());
            let target = if is_last { &mut *out } else { &mut register[..block.len] };
            instruction.operation.run(a, b, target);
            scratch.registers[instruction.register] = register;
            if !is_usable {
                return false;
            }
        }
        match self.operand(self.program.result, block, scratch) {
            Operand::Same(value) => out.fill(value),
            Operand::Each(values) if instructions.is_empty() => out.copy_from_slice(values),
            Operand::Each(_) => {}
        }
        all_finite(out)
    }

    fn operand<'a>(&self, source: Source, block: Block<'a>, scratch: &'a Scratch) -> Operand<'a> {
        match source {
            Source::Number(number) => Operand::Same(number),
            Source::Variable(variable) => match *block.columns[variable] {
                [value] => Operand::Same(value),
                ref column => Operand::Each(&column[block.start..block.start + block.len]),
            },
            Source::Result(result) => match scratch.same[result] {
                Some(value) => Operand::Same(value),
                None => {
                    let register = self.program.instructions[result].register;
                    Operand::Each(&scratch.registers[register][..block.len])
                }
            },
        }
    }

    fn operands<'a>(
        &self,
        instruction: &Instruction,
        block: Block<'a>,
        scratch: &'a Scratch,
    ) -> [Operand<'a>; 2] {
        instruction.sources.map(|source| self.operand(source, block, scratch))
    }

    /// The first entry of a block that has no finite value, and why.
    fn first_failure(&self, block: Block<'_>, scratch: &mut Scratch) -> EvaluationError {
        let entries = block.start..block.start + block.len;
        let failures = entries.filter_map(|entry| self.failure(block.columns, entry));
        scratch.same.clear();
        failures.into_iter().next().unwrap_or(EvaluationError::Input {
            entry: block.start,
            name: String::from("the expression"),
        })
    }

    /// Why an entry has no finite value: the first thing on the way there that is not finite.
    fn failure(&self, columns: &[&[f32]], entry: usize) -> Option<EvaluationError> {
        let variable = |variable: usize| match *columns[variable] {
            [value] => value,
            ref column => column[entry],
        };
        let is_bad = |&place: &usize| self.uses(place) && !variable(place).is_finite();
        if let Some(place) = (0..columns.len()).find(is_bad) {
            return Some(EvaluationError::Input { entry, name: self.names[place].clone() });
        }
        let mut results: Vec<f32> = Vec::new();
        for Instruction { operation, sources, place, .. } in &self.program.instructions {
            let [a, b] = sources.map(|source| match source {
                Source::Number(number) => number,
                Source::Variable(place) => variable(place),
                Source::Result(result) => results[result],
            });
            let value = operation.of(a, b);
            if !value.is_finite() {
                let (line, column, cause) = (place.line, place.column, operation.cause(a, b));
                return Some(EvaluationError::NotFinite { entry, line, column, cause });
            }
            results.push(value);
        }
        None
    }
}
