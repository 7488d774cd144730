//! Which columns exchange liquid: one virtual pipe for every pair of overlapping columns of cells that
//! share an edge (Dagenais et al. 2018, §3.1).
//!
//! Pipes are sorted by the column they start from; those along x come before those along z. A pipe
//! always points along +x or +z, and a positive flux flows that way, so that the flux of a pair is
//! stored once.

use crate::columns::Columns;

/// The pipes between columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Network {
    /// The column each pipe starts from.
    pub from: Vec<u32>,
    /// The column each pipe leads to.
    pub to: Vec<u32>,
    /// First pipe that starts from each column, and the number of pipes at the end.
    pub starting: Vec<u32>,
    /// First pipe along z that starts from each column.
    pub starting_z: Vec<u32>,
    /// First entry of `ending` of each column, and the number of entries at the end.
    ending_first: Vec<u32>,
    /// Pipes that lead to a column, column after column.
    ending: Vec<u32>,
}

impl Network {
    /// The pipes of some columns.
    pub fn new(columns: &Columns) -> Self {
        let grid = columns.grid();
        let mut network = Self::default();
        for z in 0..grid.length() {
            for x in 0..grid.width() {
                for column in columns.of_cell(x, z) {
                    network.starting.push(network.from.len() as u32);
                    if x + 1 < grid.width() {
                        network.connect(columns, column, columns.of_cell(x + 1, z));
                    }
                    network.starting_z.push(network.from.len() as u32);
                    if z + 1 < grid.length() {
                        network.connect(columns, column, columns.of_cell(x, z + 1));
                    }
                }
            }
        }
        network.starting.push(network.from.len() as u32);
        network.list_endings(columns.len());
        network
    }

    /// Adds the pipes from one column to those of a neighbouring cell that overlap with it.
    fn connect(&mut self, columns: &Columns, from: usize, cell: std::ops::Range<usize>) {
        let space = columns.space(from);
        for to in cell.filter(|&to| space.overlaps(&columns.space(to))) {
            self.from.push(from as u32);
            self.to.push(to as u32);
        }
    }

    fn list_endings(&mut self, columns: usize) {
        self.ending_first = vec![0; columns + 1];
        for &to in &self.to {
            self.ending_first[to as usize + 1] += 1;
        }
        for column in 0..columns {
            self.ending_first[column + 1] += self.ending_first[column];
        }
        let mut next = self.ending_first.clone();
        self.ending = vec![0; self.to.len()];
        for (pipe, &to) in self.to.iter().enumerate() {
            self.ending[next[to as usize] as usize] = pipe as u32;
            next[to as usize] += 1;
        }
    }

    /// Number of pipes.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// The pipes that start from a column.
    #[inline]
    pub fn starting(&self, column: usize) -> std::ops::Range<usize> {
        self.starting[column] as usize..self.starting[column + 1] as usize
    }

    /// The pipes that lead to a column.
    #[inline]
    pub fn ending(&self, column: usize) -> &[u32] {
        let range = self.ending_first[column] as usize..self.ending_first[column + 1] as usize;
        &self.ending[range]
    }

    /// Whether a pipe runs along z.
    #[inline]
    pub fn is_along_z(&self, pipe: usize) -> bool {
        pipe >= self.starting_z[self.from[pipe] as usize] as usize
    }

    /// The pipes that start from a column along one axis.
    pub fn starting_along(&self, column: usize, along_z: bool) -> std::ops::Range<usize> {
        let split = self.starting_z[column] as usize;
        let all = self.starting(column);
        if along_z { split..all.end } else { all.start..split }
    }

    /// The pipes that touch a column, and the column at the other end of each.
    pub fn touching(&self, column: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let starting = self.starting(column).map(|pipe| (pipe, self.to[pipe] as usize));
        let ending = self.ending(column).iter().map(|&pipe| pipe as usize);
        starting.chain(ending.map(|pipe| (pipe, self.from[pipe] as usize)))
    }

    /// The pipe from one column to another, if there is one.
    pub fn between(&self, from: usize, to: usize) -> Option<usize> {
        self.starting(from).find(|&pipe| self.to[pipe] as usize == to)
    }
}
