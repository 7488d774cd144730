//! How the particles of a frame moved to the next one: which is which.
//!
//! By `id`, if the frames have enough ids in common; without ids by index, if the particles kept their
//! order; else by position.
//!
//! Ids are believed, except those that may be mere numbers of lines in a file. These, like an index, are used
//! only if particles beside each other move alike, as they do unless they are mistaken for others.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::partners::Partners;
use whitecap_core::{Identities, Particles, reduce};

use crate::error::TrackError;

/// Neighbours whose movements differ by less than this, in spacings, are no cause for doubt.
const ALIKE: f32 = 2.0;
/// Otherwise they must move more alike than particles in different places, by this factor.
const MORE_ALIKE: f32 = 0.5;
/// Share of the particles, of the frame that has fewer, whose id both frames have if ids stay the same.
const LEAST_SHARED: f32 = 0.8;

/// How the particles of two frames were matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchedBy {
    /// By their `id`.
    #[default]
    Identity,
    /// By their index.
    Index,
    /// By their position.
    Position,
}

/// The particles of a frame that also exist in the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movement {
    pub position: Vec<Vec3>,
    pub displacement: Vec<Vec3>,
    pub matched_by: MatchedBy,
}

impl Movement {
    #[cfg(test)]
    pub fn new(position: Vec<Vec3>, displacement: Vec<Vec3>) -> Self {
        Self { position, displacement, matched_by: MatchedBy::Identity }
    }

    /// The movement in `duration` seconds.
    pub fn between(
        previous: &Particles,
        next: &Particles,
        duration: f32,
        spacing: f32,
    ) -> Result<Self, TrackError> {
        let of = |pairs: &[(usize, usize)], matched_by| {
            let (from, to) = (previous.positions(), next.positions());
            let displacement = pairs.iter().map(|&(i, j)| to[j] - from[i]).collect();
            Self {
                position: pairs.iter().map(|&(i, _)| from[i]).collect(),
                displacement,
                matched_by,
            }
        };
        let (named, in_doubt) = match (previous.ids(), next.ids()) {
            (Some(first), Some(second)) => {
                let pairs = by_identity(&first, &second);
                let enough = LEAST_SHARED * first.len().min(second.len()) as f32;
                let named = (pairs.len() as f32 >= enough).then(|| of(&pairs, MatchedBy::Identity));
                (named, are_line_numbers(&first) && are_line_numbers(&second))
            }
            _ if previous.len() == next.len() => {
                let pairs: Vec<_> = (0..next.len()).map(|i| (i, i)).collect();
                (Some(of(&pairs, MatchedBy::Index)), true)
            }
            _ => (None, true),
        };
        if let Some(movement) = named
            && (!in_doubt || movement.is_coherent(spacing))
        {
            return Ok(movement);
        }
        let partners = Partners::by_position(previous.into(), next.into(), duration, spacing);
        if !partners.are_plausible(spacing) {
            return Err(TrackError::Unmatched {
                previous: previous.len(),
                next: next.len(),
                matched: 100.0 * partners.share,
                distance: partners.distance / spacing,
            });
        }
        let pair = |(i, found): (usize, &Option<u32>)| found.map(|j| (i, j as usize));
        let pairs: Vec<_> = partners.of.iter().enumerate().filter_map(pair).collect();
        Ok(of(&pairs, MatchedBy::Position))
    }

    /// The longest way of a particle, in metres.
    pub fn longest(&self) -> f32 {
        reduce::max(self.displacement.len(), |i| self.displacement[i].length()).max(0.0)
    }

    /// Whether particles beside each other move alike.
    fn is_coherent(&self, spacing: f32) -> bool {
        let count = self.position.len();
        if self.longest() <= ALIKE * spacing {
            return true;
        }
        let grid = NeighbourGrid::build(&self.position, 2.0 * spacing);
        let apart = |i: usize, j: usize| self.displacement[i].distance(self.displacement[j]);
        let beside: Vec<f32> = (0..count)
            .into_par_iter()
            .with_min_len(512)
            .filter_map(|i| {
                let mut nearest: Option<(f32, usize)> = None;
                grid.for_each_within(self.position[i], 2.0 * spacing, |place, squared| {
                    let other = (squared, grid.order()[place] as usize);
                    if other.1 != i && nearest.is_none_or(|nearest| other < nearest) {
                        nearest = Some(other);
                    }
                });
                nearest.map(|(_, j)| apart(i, j))
            })
            .collect();
        let near = median(beside);
        near <= ALIKE * spacing
            || near
                < MORE_ALIKE
                    * median((0..count).map(|i| apart(i, (i + count / 2) % count)).collect())
    }
}

fn by_identity(first: &[i64], second: &[i64]) -> Vec<(usize, usize)> {
    if first == second {
        return (0..first.len()).map(|i| (i, i)).collect();
    }
    let places = Identities::first(second);
    let found = |(i, &id): (usize, &i64)| places.get(id).map(|place| (i, place));
    first.iter().enumerate().filter_map(found).collect()
}

/// Whether ids are consecutive in the order of the file, as they are if they only number its lines.
fn are_line_numbers(ids: &[i64]) -> bool {
    ids.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == 1)
}

/// The middle value; zero of none.
fn median(mut values: Vec<f32>) -> f32 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::Column;
    use whitecap_core::scatter::fraction;

    const SPACING: f32 = 0.1;

    fn with(positions: Vec<Vec3>, ids: Vec<i32>) -> Particles {
        let mut particles = Particles::new(positions);
        particles.set_attribute("id", Column::I32(ids)).unwrap();
        particles
    }

    /// 12³ particles that fall and turn fast, `frames` frames of a 24th of a second after the start.
    fn places(frames: f32) -> Vec<Vec3> {
        let time = frames / 24.0;
        let turn = glam::Quat::from_rotation_y(9.0 * time);
        let at = |i: u64| {
            let wobble = Vec3::new(fraction(i), fraction(2 * i + 1), fraction(3 * i + 2));
            let place = Vec3::new((i % 12) as f32, (i / 12 % 12) as f32, (i / 144) as f32);
            turn * ((place + 0.2 * wobble - 5.5) * SPACING) + Vec3::Y * -3.0 * time
        };
        (0..1728).map(at).collect()
    }

    /// A permutation without pattern.
    fn shuffled<T: Copy>(values: &[T], seed: u64) -> Vec<T> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| {
            fraction(seed + a as u64).total_cmp(&fraction(seed + b as u64)).then(a.cmp(&b))
        });
        order.into_iter().map(|i| values[i]).collect()
    }

    fn between(previous: &Particles, next: &Particles) -> Result<Movement, TrackError> {
        Movement::between(previous, next, 1.0 / 24.0, SPACING)
    }

    /// Contract: particles are matched by identity, whatever their order, and by index if they have none
    /// but keep their order, however far they move.
    #[test]
    fn particles_are_matched_by_identity_or_index() {
        let before = with(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![7, 8, 9]);
        let after = with(vec![Vec3::Y * 3.0, Vec3::Z], vec![9, 7]);
        let movement = between(&before, &after).unwrap();
        assert_eq!(movement.position, [Vec3::ZERO, Vec3::Y]);
        assert_eq!(movement.displacement, [Vec3::Z, Vec3::Y * 2.0]);
        let movement = between(&Particles::new(places(0.0)), &Particles::new(places(1.0))).unwrap();
        assert_eq!(movement.matched_by, MatchedBy::Index);
        assert!(movement.longest() > 3.0 * SPACING);
    }

    /// Contract: particles without ids whose order changes in every frame are matched by position; so are
    /// those whose ids are only numbers of lines. Velocities let them move far.
    #[test]
    fn particles_that_change_order_are_matched_by_position() {
        let velocity = |frame: u32| -> Vec<Vec3> {
            let (low, high) = (places(frame as f32 - 0.01), places(frame as f32 + 0.01));
            low.iter().zip(&high).map(|(&a, &b)| (b - a) * (24.0 / 0.02)).collect()
        };
        let frame = |frame: u32, numbered: bool| {
            let mut particles =
                Particles::new(shuffled(&places(frame as f32), u64::from(frame) * 10_000));
            let velocities = shuffled(&velocity(frame), u64::from(frame) * 10_000);
            particles.set_attribute("velocity", Column::Vec3(velocities)).unwrap();
            if numbered {
                particles.set_attribute("id", Column::I32((0..1728).collect())).unwrap();
            }
            particles
        };
        for numbered in [false, true] {
            let movement = between(&frame(0, numbered), &frame(1, numbered)).unwrap();
            assert_eq!(movement.matched_by, MatchedBy::Position);
            assert!(movement.position.len() > 1700, "{} matched", movement.position.len());
            let (low, high) = (places(0.0), places(1.0));
            for (position, displacement) in movement.position.iter().zip(&movement.displacement) {
                let i = low.iter().position(|p| p == position).unwrap();
                assert!(displacement.distance(high[i] - low[i]) < 1e-6, "particle {i}");
            }
        }
    }

    /// Contract: ids are believed however wildly particles move, even where neighbours part and positions would
    /// tell nothing.
    #[test]
    fn ids_are_believed_in_violent_flow() {
        let wild = |i: i32| Vec3::from_array([1, 2, 3].map(|k| fraction(9 * i as u64 + k) - 0.5));
        let ids: Vec<i32> = (0..1728).collect();
        let ways: Vec<Vec3> = ids.iter().map(|&i| wild(i) * 20.0 * SPACING).collect();
        let later: Vec<Vec3> = places(0.0).iter().zip(&ways).map(|(&p, &way)| p + way).collect();
        let before = with(shuffled(&places(0.0), 3), shuffled(&ids, 3));
        let after = with(shuffled(&later, 5), shuffled(&ids, 5));
        let movement = between(&before, &after).unwrap();
        assert_eq!(movement.matched_by, MatchedBy::Identity);
        assert!(!movement.is_coherent(SPACING), "the flow must be violent");
        for (found, way) in movement.displacement.iter().zip(shuffled(&ways, 3)) {
            assert!(found.distance(way) < 1e-5, "{found} is not {way}");
        }
    }

    /// Contract: frames that have too few ids in common, because ids are given anew in every frame, are
    /// matched by position; if that is impossible too, they are refused.
    #[test]
    fn ids_that_change_from_frame_to_frame_are_not_used() {
        let numbered = |positions: Vec<Vec3>, first: i32| {
            let ids = (first..first + positions.len() as i32).collect();
            with(positions, ids)
        };
        let nudged: Vec<Vec3> = places(0.0).iter().map(|&p| p + Vec3::X * 0.02).collect();
        for first in [1728, 1000] {
            let after = numbered(nudged.clone(), first);
            let movement = between(&numbered(places(0.0), 0), &after).unwrap();
            assert_eq!(movement.matched_by, MatchedBy::Position);
            assert_eq!(movement.position.len(), 1728);
            assert!(between(&numbered(places(0.0), 0), &numbered(places(5.0), first)).is_err());
        }
        let empty = with(Vec::new(), Vec::new());
        assert!(between(&numbered(places(0.0), 0), &empty).unwrap().position.is_empty());
    }

    /// Contract: what cannot be matched is refused with a sentence that says how to write ids.
    #[test]
    fn strangers_are_refused() {
        let next = Particles::new(shuffled(&places(1.0), 7));
        let error = between(&Particles::new(places(0.0)), &next).unwrap_err().to_string();
        assert!(error.contains("`id`") && error.contains("same integer"), "{error}");
        let fewer = Particles::new(shuffled(&places(1.0)[..1000], 7));
        assert!(between(&Particles::new(places(0.0)), &fewer).is_err());
    }
}
