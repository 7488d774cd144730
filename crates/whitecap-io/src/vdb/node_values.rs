//! The values of a node: active ones one by one, inactive ones by rule.
//!
//! A byte before the values says what the inactive ones are, so that only active values need
//! to be stored:
//!
//! | byte | inactive values | stored |
//! |---|---|---|
//! | 0 | background | – |
//! | 1 | −background | – |
//! | 2 | one value | the value |
//! | 3 | background where a mask is set, else −background | mask |
//! | 4 | background where a mask is set, else one value | the value, mask |
//! | 5 | second value where a mask is set, else the first | both values, mask |
//! | 6 | any | every value of the node, active or not |

use super::chunk::{ACTIVE_MASK, Chunk, Packer};
use super::mask;
use super::value::{Precision, VoxelValue};
use crate::Error;
use crate::encoding::byte_reader::ByteReader;

const ALL_VALUES: u8 = 6;

/// How the values of a grid are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storage<T> {
    /// The grid's background.
    pub(super) background: T,
    /// Precision of background, tiles of the root and inactive values.
    pub(super) full: Precision,
    /// Precision of the values of nodes.
    pub(super) stored: Precision,
    /// Flags of [`super::chunk`].
    pub(super) compression: u32,
}

impl<T: VoxelValue> Storage<T> {
    /// A single value at full precision.
    pub(super) fn value(&self, reader: &mut ByteReader<'_>) -> Result<T, Error> {
        let bytes = reader.take(self.full.bytes() * T::COMPONENTS, "a voxel value")?;
        Ok(T::decode(bytes, self.full))
    }
}

/// The values of a node, still packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedValues<'a, T> {
    active: &'a [u8],
    /// Every value is stored, not only the active ones.
    complete: bool,
    inactive: [T; 2],
    selection: Option<&'a [u8]>,
    chunk: Chunk<'a>,
    precision: Precision,
}

impl<'a, T: VoxelValue> PackedValues<'a, T> {
    /// Skips the values of a node with the mask `active`; nothing is unpacked yet.
    pub(super) fn skim(
        reader: &mut ByteReader<'a>,
        active: &'a [u8],
        storage: &Storage<T>,
    ) -> Result<Self, Error> {
        let rule = reader.u8("the rule for inactive values")?;
        if rule > ALL_VALUES {
            return Err(reader.malformed(format!(
                "the rule for the inactive values of a node is {rule}, but rules go from 0 to 6"
            )));
        }
        let background = storage.background;
        let other = if rule == 0 { background } else { background.negated() };
        let mut inactive = [other, background];
        if matches!(rule, 2 | 4 | 5) {
            inactive[0] = storage.value(reader)?;
        }
        if rule == 5 {
            inactive[1] = storage.value(reader)?;
        }
        let selection = match rule {
            3..=5 => Some(reader.take(active.len(), "the mask of inactive values")?),
            _ => None,
        };
        let complete = rule == ALL_VALUES || storage.compression & ACTIVE_MASK == 0;
        let count = if complete { active.len() * 8 } else { mask::count_on(active) };
        let precision = storage.stored;
        // Nothing at all, not even a size, stands for no values in half precision.
        let chunk = match (count, precision) {
            (0, Precision::Half) => Chunk::empty(reader),
            _ => {
                let length = count * T::COMPONENTS * precision.bytes();
                Chunk::skim(reader, storage.compression, length)?
            }
        };
        Ok(Self { active, complete, inactive, selection, chunk, precision })
    }

    /// Passes every value of the node to `put`, with its slot.
    pub(super) fn unpack(&self, mut put: impl FnMut(usize, T)) -> Result<(), Error> {
        let bytes = self.chunk.unpack()?;
        let mut stored = bytes
            .chunks_exact(T::COMPONENTS * self.precision.bytes())
            .map(|value| T::decode(value, self.precision));
        for slot in 0..self.active.len() * 8 {
            let inactive =
                || self.inactive[usize::from(self.selection.is_some_and(|m| mask::is_on(m, slot)))];
            let value = if self.complete || mask::is_on(self.active, slot) {
                stored.next().unwrap_or_else(inactive)
            } else {
                inactive()
            };
            put(slot, value);
        }
        Ok(())
    }

    /// Whether no value of the node is active.
    pub(super) fn all_inactive(&self) -> bool {
        mask::count_on(self.active) == 0
    }

    /// The value of every slot, if that is known without unpacking.
    pub(super) fn uniform(&self) -> Option<T> {
        let by_rule = !self.complete && self.selection.is_none() && self.all_inactive();
        by_rule.then_some(self.inactive[0])
    }
}

/// Appends the values of a node whose active values are those in the mask `active`. Slots in
/// `children` hold no value.
pub(super) fn write<T: VoxelValue>(
    values: &[T],
    active: &[u8],
    children: Option<&[u8]>,
    background: T,
    packer: &mut Packer,
    bytes: &mut Vec<u8>,
) {
    let is_inactive = |slot: usize| {
        !mask::is_on(active, slot) && !children.is_some_and(|mask| mask::is_on(mask, slot))
    };
    // The distinct inactive values; with a third one, every value has to be stored.
    let mut distinct: Vec<T> = Vec::new();
    for (_, &value) in values.iter().enumerate().filter(|(slot, _)| is_inactive(*slot)) {
        if distinct.len() < 3 && !distinct.iter().any(|known| known.identical(value)) {
            distinct.push(value);
        }
    }
    // Rules 3 and 4 need the background second.
    if distinct.len() == 2 && distinct[0].identical(background) {
        distinct.swap(0, 1);
    }
    let is_background = |value: T| value.identical(background);
    let is_negated = |value: T| value.identical(background.negated());
    let (rule, inactive): (u8, &[T]) = match distinct[..] {
        [] => (0, &[]),
        [value] if is_background(value) => (0, &[]),
        [value] if is_negated(value) => (1, &[]),
        [_] => (2, &distinct),
        [value, second] if is_background(second) && is_negated(value) => (3, &[]),
        [_, second] if is_background(second) => (4, &distinct[..1]),
        [_, _] => (5, &distinct),
        _ => (ALL_VALUES, &[]),
    };
    bytes.push(rule);
    inactive.iter().for_each(|value| value.encode(bytes));
    if let (3..=5, [_, second]) = (rule, &distinct[..]) {
        let mut selection = vec![0; active.len()];
        for (slot, value) in values.iter().enumerate() {
            if is_inactive(slot) && value.identical(*second) {
                mask::set_on(&mut selection, slot);
            }
        }
        bytes.extend_from_slice(&selection);
    }
    let mut plain = Vec::with_capacity(values.len() * T::COMPONENTS * 4);
    for (slot, value) in values.iter().enumerate() {
        if rule == ALL_VALUES || mask::is_on(active, slot) {
            value.encode(&mut plain);
        }
    }
    packer.pack(&plain, bytes);
}
