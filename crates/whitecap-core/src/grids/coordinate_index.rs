//! A map from integer coordinates to positions in a sorted list, without a hash-map's order.
//!
//! Open addressing over a power-of-two table. Nothing ever iterates over the table, so results
//! cannot depend on where a coordinate happened to land.

use glam::IVec3;

const VACANT: u32 = u32::MAX;

/// Maps coordinates to `u32` positions.
#[derive(Clone, Debug, Default)]
pub struct CoordinateIndex {
    slots: Vec<(IVec3, u32)>,
    shift: u32,
}

impl CoordinateIndex {
    /// Maps each coordinate to its position in `coordinates`. A repeated coordinate keeps its first
    /// position.
    pub fn build(coordinates: &[IVec3]) -> Self {
        let mut index = Self::default();
        index.rebuild(coordinates);
        index
    }

    /// As [`CoordinateIndex::build`], reusing the table's memory.
    pub fn rebuild(&mut self, coordinates: &[IVec3]) {
        assert!(coordinates.len() < VACANT as usize, "more than 2^32 - 1 coordinates");
        let capacity = (coordinates.len() * 2).next_power_of_two().max(8);
        self.slots.clear();
        self.slots.resize(capacity, (IVec3::ZERO, VACANT));
        self.shift = 64 - capacity.trailing_zeros();
        for (place, &coordinate) in coordinates.iter().enumerate() {
            let mut slot = self.first_slot(coordinate);
            while self.slots[slot].1 != VACANT && self.slots[slot].0 != coordinate {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            if self.slots[slot].1 == VACANT {
                self.slots[slot] = (coordinate, place as u32);
            }
        }
    }

    /// The position of `coordinate` in the list the index was built from.
    #[inline]
    pub fn get(&self, coordinate: IVec3) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.first_slot(coordinate);
        loop {
            let (found, place) = self.slots[slot];
            if place == VACANT {
                return None;
            }
            if found == coordinate {
                return Some(place as usize);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn first_slot(&self, coordinate: IVec3) -> usize {
        // Three odd multipliers spread neighbouring coordinates over the whole table.
        let hash = (coordinate.x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (coordinate.y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ (coordinate.z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
        let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> self.shift) as usize
    }
}
