//! Pseudo-random numbers that depend only on a counter, so that a resumed run draws the same
//! ones; and sequences of such numbers, for tests and examples.

use glam::{Vec2, Vec3};

/// A pseudo-random number that depends only on its argument: the number at this position of
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

/// A number from 0 to 1.
pub fn fraction(counter: u64) -> f32 {
    unit(mix(counter) >> 40)
}

/// The lowest 24 bits as a number from 0 to 1.
fn unit(bits: u64) -> f32 {
    (bits & 0xff_ffff) as f32 / (1 << 24) as f32
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
    Vec2::new(unit(bits), unit(bits >> 32))
}

/// A sequence of numbers, the same for the same seed: a linear congruential generator with the constants
/// of Knuth's MMIX. Good enough for made-up data; pictures and simulations use the counter-based numbers
/// above.
///
/// ```
/// use whitecap_core::scatter::Sequence;
///
/// let [mut one, mut other] = [Sequence::new(7), Sequence::new(7)];
/// assert_eq!(one.fraction(), other.fraction());
/// assert!(one.below(3) < 3);
/// ```
#[derive(Clone, Debug)]
pub struct Sequence(u64);

impl Sequence {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// The next number from 0 to 1.
    pub fn fraction(&mut self) -> f32 {
        unit(self.next() >> 40)
    }

    /// The next number from 0 to 1, in double precision.
    pub fn double(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next point of the unit cube.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.fraction(), self.fraction(), self.fraction())
    }

    /// The next whole number below `limit`.
    ///
    /// # Panics
    /// If `limit` is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}
