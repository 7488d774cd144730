//! Numbers that look random but depend on nothing but a counter, so that a run that continues draws the same
//! ones.

use glam::Vec2;

/// A number that looks random but depends on nothing but its argument: the number at this place of
/// SplitMix64 (Steele, Lea and Flood 2014).
pub fn mix(counter: u64) -> u64 {
    finalise(counter.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The finaliser of SplitMix64: every bit of the argument may change every bit of the result. Zero stays
/// zero.
pub fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Two numbers from 0 to 1.
///
/// ```
/// let pair = whitecap_core::scatter::pair(7);
/// assert!(pair.cmpge(glam::Vec2::ZERO).all() && pair.cmplt(glam::Vec2::ONE).all());
/// assert_ne!(pair, whitecap_core::scatter::pair(8));
/// ```
pub fn pair(counter: u64) -> Vec2 {
    let bits = mix(counter);
    let unit = |bits: u64| (bits & 0xff_ffff) as f32 / (1 << 24) as f32;
    Vec2::new(unit(bits), unit(bits >> 32))
}
