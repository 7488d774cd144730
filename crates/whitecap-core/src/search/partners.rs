//! Which particle of the next frame is which, when particles have no identities: by position.
//!
//! Both frames are taken to the moment halfway between them by the particles' velocities, where any constant
//! acceleration cancels. There the partner of a particle is the nearest one of the other frame, if each
//! is nearest to the other.
//!
//! # Guarantees
//! * No particle is the partner of two.
//! * The result depends on the particles only, not on their order, except for ties.
//!
//! # Non-guarantees
//! * Particles without velocities that move by more than about half a spacing are mistaken for each
//!   other. [`Partners::are_plausible`] notices that, except where they form a lattice.

use glam::Vec3;
use rayon::prelude::*;

use crate::Particles;
use crate::neighbours::NeighbourGrid;
use crate::reduce;

/// Share of the particles that have a partner in a plausible match.
const LEAST_SHARE: f32 = 0.8;
/// Mean distance of partners in a plausible match, in spacings. Between particles that have nothing to do
/// with each other it is about a half.
const LARGEST_DISTANCE: f32 = 0.3;

/// Particles of one frame.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// Where they are.
    pub positions: &'a [Vec3],
    /// How fast they are, in m/s; empty if that is not known.
    pub velocities: &'a [Vec3],
}

impl<'a> From<&'a Particles> for Moving<'a> {
    fn from(particles: &'a Particles) -> Self {
        let velocities = particles.velocities().unwrap_or_default();
        Self { positions: particles.positions(), velocities }
    }
}

impl Moving<'_> {
    /// The positions `seconds` later, or earlier if negative.
    fn after(&self, seconds: f32) -> Vec<Vec3> {
        let at = |(i, &position): (usize, &Vec3)| {
            let moved = position + self.velocities.get(i).map_or(Vec3::ZERO, |&v| v * seconds);
            if moved.is_finite() { moved } else { position }
        };
        self.positions.par_iter().enumerate().with_min_len(1024).map(at).collect()
    }
}

/// The particles of two frames, matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Partners {
    /// For each particle of the first frame, the index of its partner in the second.
    pub of: Vec<Option<u32>>,
    /// Share of particles with a partner, of the frame that has fewer.
    pub share: f32,
    /// Mean distance of partners halfway between the frames, in metres.
    pub distance: f32,
}

impl Partners {
    /// Matches two frames that are `duration` seconds apart. Partners are at most `reach` apart halfway.
    ///
    /// ```
    /// use whitecap_core::glam::Vec3;
    /// use whitecap_core::partners::{Moving, Partners};
    ///
    /// let first = Moving { positions: &[Vec3::ZERO, Vec3::X], velocities: &[] };
    /// let second = Moving { positions: &[Vec3::X * 1.2, Vec3::Y * 0.1], velocities: &[] };
    /// assert_eq!(Partners::by_position(first, second, 0.04, 0.5).of, [Some(1), Some(0)]);
    /// ```
    pub fn by_position(first: Moving<'_>, second: Moving<'_>, duration: f32, reach: f32) -> Self {
        let (leaving, arriving) = (first.after(0.5 * duration), second.after(-0.5 * duration));
        let to = NeighbourGrid::build(&arriving, reach);
        let back = NeighbourGrid::build(&leaving, reach);
        let found: Vec<Option<(u32, f32)>> = leaving
            .par_iter()
            .enumerate()
            .with_min_len(512)
            .map(|(i, &position)| {
                let (place, squared) = to.nearest(position, reach)?;
                let (other, _) = back.nearest(to.positions()[place], reach)?;
                (back.order()[other] as usize == i).then(|| (to.order()[place], squared.sqrt()))
            })
            .collect();
        let count = found.iter().flatten().count();
        let fewer = leaving.len().min(arriving.len());
        let total = reduce::sum(found.len(), |i| found[i].map_or(0.0, |(_, d)| f64::from(d)));
        Self {
            of: found.into_iter().map(|found| found.map(|(index, _)| index)).collect(),
            share: if fewer > 0 { count as f32 / fewer as f32 } else { 1.0 },
            distance: (total / count.max(1) as f64) as f32,
        }
    }

    /// Whether these are likely the same particles, with this distance between neighbours at rest.
    pub fn are_plausible(&self, spacing: f32) -> bool {
        self.share >= LEAST_SHARE && self.distance <= LARGEST_DISTANCE * spacing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scatter::fraction;

    const SPACING: f32 = 0.1;

    fn block(seed: u64) -> Vec<Vec3> {
        let wobble =
            |i: u64| Vec3::new(fraction(seed + i), fraction(seed + 2 * i), fraction(3 * i));
        let place = |i: u64| Vec3::new((i % 9) as f32, (i / 9 % 9) as f32, (i / 81) as f32);
        (0..729).map(|i| (place(i) + 0.3 * wobble(i)) * SPACING).collect()
    }

    /// Contract: a block in free fall whose order is reversed is matched exactly, however far it falls, if
    /// velocities are known; without them, if it moves little.
    #[test]
    fn particles_are_found_by_position() {
        let positions = block(1);
        let duration = 0.1;
        for (speed, known) in [(3.0, true), (0.2, false)] {
            let (v, a) =
                (Vec3::new(speed, 0.0, -speed), Vec3::Y * -9.81 * f32::from(u8::from(known)));
            let moved = v * duration + 0.5 * a * duration * duration;
            let later: Vec<Vec3> = positions.iter().rev().map(|&p| p + moved).collect();
            let before = vec![v; if known { positions.len() } else { 0 }];
            let after = vec![v + a * duration; before.len()];
            let partners = Partners::by_position(
                Moving { positions: &positions, velocities: &before },
                Moving { positions: &later, velocities: &after },
                duration,
                SPACING,
            );
            assert!(partners.are_plausible(SPACING), "{} {}", partners.share, partners.distance);
            for (i, found) in partners.of.iter().enumerate() {
                assert_eq!(*found, Some((positions.len() - 1 - i) as u32));
            }
        }
    }

    /// Contract: particles that have nothing to do with each other are not a plausible match; nor is a block
    /// that moved by several spacings without velocities. A few that vanish are.
    #[test]
    fn strangers_are_not_plausible() {
        let positions = block(1);
        let matched = |later: &[Vec3]| {
            let first = Moving { positions: &positions, velocities: &[] };
            let second = Moving { positions: later, velocities: &[] };
            Partners::by_position(first, second, 0.04, SPACING)
        };
        let shifted: Vec<Vec3> =
            block(5_000_000).into_iter().map(|p| p + Vec3::splat(0.5 * SPACING)).collect();
        assert!(!matched(&shifted).are_plausible(SPACING));
        let far: Vec<Vec3> = positions.iter().map(|&p| p + Vec3::X * 3.4 * SPACING).collect();
        assert!(!matched(&far).are_plausible(SPACING));
        assert!(matched(&positions[..600]).are_plausible(SPACING));
        assert!(matched(&[]).are_plausible(SPACING) && matched(&[]).of.iter().all(Option::is_none));
    }
}
