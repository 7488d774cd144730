//! Random numbers that depend only on the pixel and the sample, so that pictures are the same for any number
//! of threads.
//!
//! The first numbers of a sample come four at a time from Sobol' points with hash-based Owen scrambling
//! (Burley 2020, with the hash of the crate `sobol_burley`): the four, and each two and one of them, are
//! evenly distributed over the samples of a pixel, so that pictures converge faster than with independent
//! numbers. Sets of four are independent of each other (padding). Later numbers, which long random walks
//! need, are independent (PCG-XSH-RR, O'Neill 2014).

/// Number of sets of four that are evenly distributed over the samples of a pixel.
const EVEN_SETS: u32 = 24;
/// The logarithm of the number of samples that one scrambled sequence has.
const LOG_SEQUENCE_LENGTH: u32 = 16;

/// A stream of numbers in [0, 1).
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Seed of the pixel's sequence.
    seed: u32,
    /// Index of the sample in the sequence.
    index: u32,
    /// Sets that have been started.
    sets: u32,
    set: [f32; 4],
    /// Numbers of the set that have been used.
    used: usize,
    state: u64,
    increment: u64,
}

impl Sampler {
    /// The stream of one sample of one pixel.
    pub fn new(seed: u64, pixel: [u32; 2], sample: u32) -> Self {
        let place = mix(seed ^ mix(u64::from(pixel[0]) << 32 | u64::from(pixel[1])));
        let stream = mix(place ^ mix(u64::from(sample) + 1));
        let mut sampler = Self {
            seed: hash((place >> 32) as u32, sample >> LOG_SEQUENCE_LENGTH),
            index: sample & ((1 << LOG_SEQUENCE_LENGTH) - 1),
            sets: 0,
            set: [0.0; 4],
            used: 4,
            state: stream,
            increment: mix(stream) | 1,
        };
        sampler.next_bits();
        sampler
    }

    /// The next number.
    // The stream never ends, so it is not an iterator of options.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> f32 {
        let [number] = self.take();
        number
    }

    /// The next two numbers.
    pub fn next_2d(&mut self) -> [f32; 2] {
        self.take()
    }

    /// The next numbers of the set, or the first of a new one if too few are left.
    fn take<const COUNT: usize>(&mut self) -> [f32; COUNT] {
        if self.used + COUNT > self.set.len() {
            if self.sets == EVEN_SETS {
                return std::array::from_fn(|_| fraction(self.next_bits()));
            }
            self.set = sobol_burley::sample_4d(self.index, 0, hash(self.seed, self.sets));
            self.sets += 1;
            self.used = 0;
        }
        let first = self.used;
        self.used += COUNT;
        std::array::from_fn(|place| self.set[first + place])
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

fn hash(seed: u32, value: u32) -> u32 {
    mix(u64::from(seed) << 32 | u64::from(value)) as u32
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: among the 64 samples of a pixel, each number of the even sets falls once into each of 64
    /// intervals, and each pair once into each of 8 × 8 squares, whatever was drawn before; the same in the
    /// second sequence.
    #[test]
    fn samples_of_a_pixel_are_spread_evenly() {
        for first in [0, 3 << LOG_SEQUENCE_LENGTH] {
            let samplers = (first..first + 64).map(|sample| Sampler::new(5, [3, 4], sample));
            let mut samplers: Vec<Sampler> = samplers.collect();
            for round in 0..2 * EVEN_SETS / 3 {
                let mut singles = [0; 64];
                samplers.iter_mut().for_each(|s| singles[(64.0 * s.next()) as usize] += 1);
                assert_eq!(singles, [1; 64], "round {round}");
                let mut squares = [0; 64];
                for sampler in &mut samplers {
                    let [u, v] = sampler.next_2d().map(|number| (8.0 * number) as usize);
                    squares[8 * u + v] += 1;
                }
                assert_eq!(squares, [1; 64], "round {round}");
            }
        }
    }

    /// Contract: streams of different seeds, pixels and samples differ, and numbers beyond the even
    /// sets are in range, with the right mean.
    #[test]
    fn streams_differ_and_go_on() {
        let stream = |seed, pixel, sample| {
            let mut sampler = Sampler::new(seed, pixel, sample);
            std::array::from_fn::<f32, 400, _>(|_| sampler.next())
        };
        let one = stream(1, [0, 0], 0);
        for other in [stream(2, [0, 0], 0), stream(1, [1, 0], 0), stream(1, [0, 0], 1)] {
            assert!(one.iter().zip(&other).filter(|(a, b)| a == b).count() < 4);
        }
        assert!(one.iter().all(|number| (0.0..1.0).contains(number)));
        let mean = one[96..].iter().sum::<f32>() / 304.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    }
}
