//! How long a step may be.
//!
//! Nearly all particles move at most `cfl` cells in a step. A few drops that fly far faster than the rest of the
//! liquid do not hold it up: they meet nothing on their way but air and solids, and may move twice as far. Solids move
//! at most `cfl` cells, too.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::reduce;
use whitecap_scene::force_field::total_acceleration;

use super::liquid::FlipLiquid;

/// The share of particles that may be faster.
const FEW: f64 = 1e-3;
/// How many times as far they may move as the rest.
pub const FARTHER: f32 = 2.0;
/// Bits of a speed that its class leaves out: classes are an eighth of an octave wide.
const CLASS_BITS: u32 = 20;
/// Number of classes of speeds: those of all positive numbers.
const CLASSES: usize = 1 << (31 - CLASS_BITS);
/// Particles of a task.
const CHUNK: usize = 1 << 16;

impl FlipLiquid {
    /// The longest step that the settings allow now in s, and the largest speed in m/s.
    pub(super) fn longest_time_step(&self) -> (f64, f32) {
        let velocities = &self.particles.velocity;
        let core = self.core_speed();
        let fastest = reduce::max(velocities.len(), |place| velocities[place].length()).max(core);
        let speed = exceeded_by_few(velocities).max(core).clamp(fastest / FARTHER, fastest);
        // From v Δt + a Δt² = cfl · cell, written so that it holds for a = 0 and v = 0.
        let distance = self.settings.cfl * self.settings.cell();
        let acceleration = self.largest_acceleration();
        let root = (speed * speed + 4.0 * acceleration * distance).sqrt();
        let longest = f64::from(2.0 * distance / (speed + root));
        (longest.min(self.longest_capillary_step()), fastest)
    }

    /// A bound on the acceleration of particles by gravity, force fields and what the caller gave, in m/s².
    pub(super) fn largest_acceleration(&self) -> f32 {
        let (fields, particles) = (&self.settings.forces, &self.particles);
        let count = if fields.is_empty() { 0 } else { particles.len() };
        let by_fields = reduce::max(count, |place| {
            let (position, velocity) = (particles.position[place], particles.velocity[place]);
            total_acceleration(fields, position, velocity, self.time).length()
        });
        Vec3::from(self.settings.gravity).length() + self.largest_given() + by_fields.max(0.0)
    }
}

/// A speed that no more than a thousandth of the particles exceed; at most an eighth above the least such speed.
fn exceeded_by_few(velocities: &[Vec3]) -> f32 {
    let count = |chunk: &[Vec3]| {
        let mut counts = vec![0u32; CLASSES];
        for velocity in chunk {
            // Positive numbers are in the order of their bits.
            counts[(velocity.length().to_bits() >> CLASS_BITS) as usize & (CLASSES - 1)] += 1;
        }
        counts
    };
    let add = |mut sums: Vec<u32>, counts: Vec<u32>| {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        sums
    };
    let counts = velocities.par_chunks(CHUNK).map(count).reduce(|| vec![0; CLASSES], add);
    let few = (FEW * velocities.len() as f64) as u32;
    let mut faster = 0;
    for class in (0..CLASSES).rev() {
        faster += counts[class];
        if faster > few {
            return f32::from_bits((class as u32 + 1) << CLASS_BITS);
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: of 10 000 particles ten may be faster than the speed that steps are made for, an eleventh may
    /// not; the speed is no more than an eighth too large.
    #[test]
    fn a_thousandth_may_be_faster() {
        let liquid = |fast: usize| {
            let speed = |place: usize| if place < fast { 50.0 } else { 3.0 };
            let velocities: Vec<Vec3> =
                (0..10_000).map(|place| Vec3::new(0.0, speed(place), 0.0)).collect();
            exceeded_by_few(&velocities)
        };
        assert!((3.0..3.0 * 1.125).contains(&liquid(10)), "{}", liquid(10));
        assert!((50.0..50.0 * 1.125).contains(&liquid(11)), "{}", liquid(11));
        assert_eq!(exceeded_by_few(&[]), 0.0);
    }
}
