//! Random numbers that depend on the pixel and the sample only, so that pictures are the same for any
//! number of threads.

/// A stream of numbers in [0, 1) (PCG-XSH-RR, O'Neill 2014).
#[derive(Clone, Debug)]
pub struct Sampler {
    state: u64,
    increment: u64,
}

impl Sampler {
    /// The stream of one sample of one pixel.
    pub fn new(seed: u64, pixel: [u32; 2], sample: u32) -> Self {
        let place = mix(u64::from(pixel[0]) << 32 | u64::from(pixel[1]));
        let stream = mix(seed ^ place ^ mix(u64::from(sample) + 1));
        let mut sampler = Self { state: stream, increment: mix(stream) | 1 };
        sampler.next_bits();
        sampler
    }

    /// The next number.
    pub fn next(&mut self) -> f32 {
        (self.next_bits() >> 8) as f32 / (1u32 << 24) as f32
    }

    /// The next two numbers.
    pub fn next_2d(&mut self) -> [f32; 2] {
        [self.next(), self.next()]
    }

    fn next_bits(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    }
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
