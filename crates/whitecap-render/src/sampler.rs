//! Random numbers that depend on the pixel and the sample only, so that pictures are the same for any
//! number of threads.
//!
//! The first numbers of a sample come from Sobol' points with hash-based Owen scrambling (Burley 2020):
//! pairs from [`Sampler::next_2d`] are spread over the unit square, single numbers over the unit
//! interval, evenly among the samples of a pixel, so that pictures converge faster than with
//! independent numbers. Later numbers, which long random walks ask for, are independent (PCG-XSH-RR,
//! O'Neill 2014).

/// Dimensions that are spread evenly among the samples of a pixel.
const EVEN_DIMENSIONS: u32 = 96;

/// A stream of numbers in [0, 1).
#[derive(Clone, Debug)]
pub struct Sampler {
    pixel_seed: u32,
    sample: u32,
    dimension: u32,
    state: u64,
    increment: u64,
}

impl Sampler {
    /// The stream of one sample of one pixel.
    pub fn new(seed: u64, pixel: [u32; 2], sample: u32) -> Self {
        let place = mix(seed ^ mix(u64::from(pixel[0]) << 32 | u64::from(pixel[1])));
        let stream = mix(place ^ mix(u64::from(sample) + 1));
        let mut sampler = Self {
            pixel_seed: (place >> 32) as u32,
            sample,
            dimension: 0,
            state: stream,
            increment: mix(stream) | 1,
        };
        sampler.next_bits();
        sampler
    }

    /// The next number.
    // The stream never ends, so it is no iterator of options.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> f32 {
        if self.dimension >= EVEN_DIMENSIONS {
            return fraction(self.next_bits());
        }
        let [seed, index] = self.next_dimension();
        fraction(scramble(index.reverse_bits(), hash(seed, 1)))
    }

    /// The next two numbers.
    pub fn next_2d(&mut self) -> [f32; 2] {
        if self.dimension >= EVEN_DIMENSIONS {
            return [fraction(self.next_bits()), fraction(self.next_bits())];
        }
        let [seed, index] = self.next_dimension();
        [
            fraction(scramble(index.reverse_bits(), hash(seed, 1))),
            fraction(scramble(sobol_second(index), hash(seed, 2))),
        ]
    }

    /// The seed of the next dimension, and the place of this sample in that dimension's own order:
    /// blocks of 2ᵏ samples stay together, so that each remains evenly spread.
    fn next_dimension(&mut self) -> [u32; 2] {
        self.dimension += 1;
        let seed = hash(self.pixel_seed, self.dimension);
        [seed, scramble(self.sample, seed)]
    }

    fn next_bits(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    }
}

fn fraction(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1u32 << 24) as f32
}

/// The second dimension of Sobol's sequence.
fn sobol_second(mut index: u32) -> u32 {
    let (mut value, mut direction) = (0, 1u32 << 31);
    while index != 0 {
        if index & 1 != 0 {
            value ^= direction;
        }
        direction ^= direction >> 1;
        index >>= 1;
    }
    value
}

/// Owen scrambling of a fixed-point fraction: each bit is flipped by a hash of the bits above it. The
/// hash lets bits act only on higher ones of the reversed word (Laine & Karras 2011; constants of
/// Burley 2020).
fn scramble(value: u32, seed: u32) -> u32 {
    let mut x = value.reverse_bits();
    x = x.wrapping_add(seed);
    x ^= x.wrapping_mul(0x6c50_b47c);
    x ^= x.wrapping_mul(0xb82f_1e52);
    x ^= x.wrapping_mul(0xc7af_e638);
    x ^= x.wrapping_mul(0x8d22_f6e6);
    x.reverse_bits()
}

fn hash(seed: u32, value: u32) -> u32 {
    mix(u64::from(seed) << 32 | u64::from(value)) as u32
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
