//! Which of many things are connected: disjoint sets, joined pair by pair (Tarjan 1975).
//!
//! # Guarantees
//! A set is known by its lowest member, whatever the order in which it was joined.

/// The numbers 0, 1, 2, … grouped into sets.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    /// A lower member of the same set, or the number itself.
    parents: Vec<u32>,
}

impl DisjointSets {
    /// The numbers below `count`, each in a set of its own.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The lowest member of the set of `member`.
    pub fn lowest(&mut self, mut member: u32) -> u32 {
        while self.parents[member as usize] != member {
            let above = self.parents[self.parents[member as usize] as usize];
            self.parents[member as usize] = above;
            member = above;
        }
        member
    }

    /// Joins the sets of two members.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// For every number, the lowest member of its set.
    pub fn into_lowest(mut self) -> Vec<u32> {
        for member in 0..self.parents.len() {
            // Parents come before their children, so theirs are known.
            self.parents[member] = self.parents[self.parents[member] as usize];
        }
        self.parents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a chain becomes one set, known by its lowest member; the rest stays separate.
    #[test]
    fn chains_become_sets() {
        let mut sets = DisjointSets::new(7);
        for (a, b) in [(6, 4), (4, 1), (5, 2)] {
            sets.join(a, b);
        }
        assert_eq!((sets.lowest(6), sets.lowest(5), sets.lowest(3)), (1, 2, 3));
        assert_eq!(sets.into_lowest(), [0, 1, 2, 3, 1, 2, 1]);
    }
}
