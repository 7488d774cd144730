//! Which particle of this frame is which of the last.
//!
//! By identity where particles have one; particles that appeared or vanished have no partner. Without
//! identities by nearest position, from where the particle's velocity takes it if that is known.

use glam::Vec3;
use rayon::prelude::*;

use super::coarse::CoarseParticles;

/// An identity that two particles share, with their indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Duplicate {
    pub id: i64,
    pub particles: [usize; 2],
}

/// From identities to indices.
#[derive(Clone, Debug)]
pub(super) enum Identities {
    /// Index + 1 by identity less the smallest one; zero where there is none.
    Table { smallest: i64, index: Vec<u32> },
    /// Sorted by identity.
    Sorted(Vec<(i64, u32)>),
}

impl Identities {
    /// Fails if two particles have the same identity.
    pub fn new(ids: &[i64]) -> Result<Self, Duplicate> {
        let (smallest, largest) = ids
            .iter()
            .fold((i64::MAX, i64::MIN), |(least, most), &id| (least.min(id), most.max(id)));
        // Solvers mostly count; a table is then the fastest map.
        let span = i128::from(largest) - i128::from(smallest) + 1;
        if span <= 4 * ids.len() as i128 {
            return Self::table(ids, smallest, span.max(0) as usize);
        }
        let mut sorted: Vec<(i64, u32)> =
            ids.iter().enumerate().map(|(index, &id)| (id, index as u32)).collect();
        sorted.par_sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(Self::Sorted(sorted)),
            Some(pair) => {
                let particles = [pair[0].1 as usize, pair[1].1 as usize];
                Err(Duplicate { id: pair[0].0, particles })
            }
        }
    }

    fn table(ids: &[i64], smallest: i64, span: usize) -> Result<Self, Duplicate> {
        let mut table = vec![0; span];
        for (index, &id) in ids.iter().enumerate() {
            let slot = &mut table[(id - smallest) as usize];
            if *slot != 0 {
                return Err(Duplicate { id, particles: [*slot as usize - 1, index] });
            }
            *slot = index as u32 + 1;
        }
        Ok(Self::Table { smallest, index: table })
    }

    /// The index of the particle with an identity.
    pub fn get(&self, id: i64) -> Option<usize> {
        match self {
            Self::Table { smallest, index } => {
                let slot = usize::try_from(id.checked_sub(*smallest)?).ok()?;
                index.get(slot)?.checked_sub(1).map(|found| found as usize)
            }
            Self::Sorted(sorted) => {
                let found = sorted.binary_search_by_key(&id, |entry| entry.0).ok()?;
                Some(sorted[found].1 as usize)
            }
        }
    }
}

/// The position in this frame of the particle nearest to where one of the last frame should be, if
/// one is within half a coarse length.
pub(super) fn nearest(particles: &CoarseParticles, expected: Vec3, coarse: f32) -> Option<Vec3> {
    let mut best: Option<(f32, usize)> = None;
    particles.for_each_within(expected, 0.5 * coarse, |place, squared| {
        if best.is_none_or(|found| (squared, place) < found) {
            best = Some((squared, place));
        }
    });
    best.map(|(_, place)| particles.position(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: counted and scattered identities are found, strangers are not, duplicates are named.
    #[test]
    fn identities_are_found_or_refused() {
        for ids in [vec![5, 3, 4, 9], vec![i64::MAX, i64::MIN, 0, 7]] {
            let identities = Identities::new(&ids).unwrap();
            for (index, &id) in ids.iter().enumerate() {
                assert_eq!(identities.get(id), Some(index));
            }
            for stranger in [-1, 2, 6, 10, i64::MAX - 1] {
                assert_eq!(identities.get(stranger), None);
            }
        }
        assert_eq!(Identities::new(&[]).unwrap().get(0), None);
        for ids in [[1, 2, 1], [-(1 << 40), 1 << 40, -(1 << 40)]] {
            let expected = Duplicate { id: ids[0], particles: [0, 2] };
            assert_eq!(Identities::new(&ids).unwrap_err(), expected);
        }
    }
}
