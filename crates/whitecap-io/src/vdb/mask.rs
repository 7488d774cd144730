//! Bit masks of nodes, as stored in the file: bit `i` is bit `i % 8` of byte `i / 8`.

/// Whether bit `slot` is set.
pub(super) fn is_on(mask: &[u8], slot: usize) -> bool {
    mask[slot >> 3] >> (slot & 7) & 1 == 1
}

/// Sets bit `slot`.
pub(super) fn set_on(mask: &mut [u8], slot: usize) {
    mask[slot >> 3] |= 1 << (slot & 7);
}

/// How many bits are set.
pub(super) fn count_on(mask: &[u8]) -> usize {
    mask.iter().map(|byte| byte.count_ones() as usize).sum()
}
