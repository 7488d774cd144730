//! Which particle has which identity, so that the particles of two frames can be matched.
//!
//! Particles that appeared or vanished between the frames have no partner. Particles without identities are
//! matched by [`crate::partners`].

use rayon::prelude::*;

/// An identity that two particles share, with their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The identity.
    pub id: i64,
    /// The two particles, ascending.
    pub particles: [usize; 2],
}

/// A map from identities to particle indices.
///
/// ```
/// use whitecap_core::Identities;
///
/// let identities = Identities::unique(&[12, 7, 9]).unwrap();
/// assert_eq!((identities.get(7), identities.get(8)), (Some(1), None));
/// assert_eq!(Identities::unique(&[12, 7, 12]).unwrap_err().particles, [0, 2]);
/// assert_eq!(Identities::first(&[12, 7, 12]).get(12), Some(0));
/// ```
#[derive(Clone, Debug)]
pub struct Identities(Map);

#[derive(Clone, Debug)]
enum Map {
    /// Index + 1, looked up by identity minus the smallest identity; zero where there is none.
    Table { smallest: i64, index: Vec<u32> },
    /// Sorted by identity.
    Sorted(Vec<(i64, u32)>),
}

impl Identities {
    /// Fails if two particles have the same identity.
    pub fn unique(ids: &[i64]) -> Result<Self, Duplicate> {
        match Self::build(ids) {
            (map, None) => Ok(Self(map)),
            (_, Some(duplicate)) => Err(duplicate),
        }
    }

    /// Of particles that have the same identity, only the first one is found.
    pub fn first(ids: &[i64]) -> Self {
        Self(Self::build(ids).0)
    }

    fn build(ids: &[i64]) -> (Map, Option<Duplicate>) {
        let (smallest, largest) = ids
            .iter()
            .fold((i64::MAX, i64::MIN), |(least, most), &id| (least.min(id), most.max(id)));
        // Solvers mostly number their particles consecutively; a table is then the fastest map.
        let span = i128::from(largest) - i128::from(smallest) + 1;
        if span <= 4 * ids.len() as i128 {
            table(ids, smallest, span.max(0) as usize)
        } else {
            sorted(ids)
        }
    }

    /// The index of the particle with an identity.
    pub fn get(&self, id: i64) -> Option<usize> {
        match &self.0 {
            Map::Table { smallest, index } => {
                let slot = usize::try_from(id.checked_sub(*smallest)?).ok()?;
                index.get(slot)?.checked_sub(1).map(|found| found as usize)
            }
            Map::Sorted(sorted) => {
                let found = sorted.binary_search_by_key(&id, |entry| entry.0).ok()?;
                Some(sorted[found].1 as usize)
            }
        }
    }
}

fn table(ids: &[i64], smallest: i64, span: usize) -> (Map, Option<Duplicate>) {
    let mut table = vec![0; span];
    let mut duplicate = None;
    for (index, &id) in ids.iter().enumerate() {
        let slot = &mut table[(id - smallest) as usize];
        if *slot == 0 {
            *slot = index as u32 + 1;
        } else {
            duplicate.get_or_insert(Duplicate { id, particles: [*slot as usize - 1, index] });
        }
    }
    (Map::Table { smallest, index: table }, duplicate)
}

fn sorted(ids: &[i64]) -> (Map, Option<Duplicate>) {
    let mut sorted: Vec<(i64, u32)> =
        ids.iter().enumerate().map(|(index, &id)| (id, index as u32)).collect();
    sorted.par_sort_unstable();
    let duplicate = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| Duplicate {
        id: pair[0].0,
        particles: [pair[0].1 as usize, pair[1].1 as usize],
    });
    sorted.dedup_by_key(|entry| entry.0);
    (Map::Sorted(sorted), duplicate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: consecutive and scattered identities are found, unknown ones are not, duplicates are
    /// reported, or the first of them is found.
    #[test]
    fn identities_are_found_or_refused() {
        for ids in [vec![5, 3, 4, 9], vec![i64::MAX, i64::MIN, 0, 7]] {
            let identities = Identities::unique(&ids).unwrap();
            for (index, &id) in ids.iter().enumerate() {
                assert_eq!(identities.get(id), Some(index));
            }
            for stranger in [-1, 2, 6, 10, i64::MAX - 1] {
                assert_eq!(identities.get(stranger), None);
            }
        }
        assert_eq!(Identities::unique(&[]).unwrap().get(0), None);
        for ids in [[1, 2, 1], [-(1 << 40), 1 << 40, -(1 << 40)]] {
            let expected = Duplicate { id: ids[0], particles: [0, 2] };
            assert_eq!(Identities::unique(&ids).unwrap_err(), expected);
            let first = Identities::first(&ids);
            assert_eq!((first.get(ids[0]), first.get(ids[1])), (Some(0), Some(1)));
        }
    }
}
