//! Which columns exchange liquid: one virtual pipe for every pair of overlapping columns of cells that
//! share an edge (Dagenais et al. 2018, §3.1).
//!
//! Pipes are stored row after row: first those along x between the cells of a row, then those along
//! z to the next row, both sorted by the column they start from. A pipe always points along +x or
//! +z, and a positive flux flows that way, so that the flux of a pair is stored once.
//!
//! Where the terrain has the same layers from cell to cell, successive pipes join successive
//! columns: such a [`Run`] is processed without any lookup.

use std::ops::Range;

use crate::liquid::columns::Columns;

/// Pipes `pipe`, `pipe + 1`, … from columns `from`, `from + 1`, … to columns `to`, `to + 1`, ….
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pipe: u32,
    from: u32,
    to: u32,
    count: u32,
}

impl Run {
    pub fn pipes(&self) -> Range<usize> {
        self.pipe as usize..(self.pipe + self.count) as usize
    }

    pub fn from(&self) -> Range<usize> {
        self.from as usize..(self.from + self.count) as usize
    }

    pub fn to(&self) -> Range<usize> {
        self.to as usize..(self.to + self.count) as usize
    }
}

/// The pipes between columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Network {
    /// The column each pipe starts from.
    pub from: Vec<u32>,
    /// The column each pipe leads to.
    pub to: Vec<u32>,
    /// First column of each row of cells, and the number of columns at the end.
    pub row_columns: Vec<u32>,
    /// First pipe of each row of cells, and the number of pipes at the end.
    pub row_pipes: Vec<u32>,
    /// Runs, row after row, those along x before those along z.
    runs: Vec<Run>,
    /// First run along x, and along z, of each row; the number of runs at the end.
    row_runs: Vec<[u32; 2]>,
    /// Pipes along x, and along z, that start from each column.
    starting: [Vec<[u32; 2]>; 2],
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
            network.row_columns.push(columns.first()[grid.index(0, z)]);
            network.row_pipes.push(network.from.len() as u32);
            let first_along_x = network.runs.len() as u32;
            for x in 0..grid.width() {
                let next = if x + 1 < grid.width() { columns.of_cell(x + 1, z) } else { 0..0 };
                network.connect(columns, columns.of_cell(x, z), next, 0, first_along_x);
            }
            let first_along_z = network.runs.len() as u32;
            for x in 0..grid.width() {
                let next = if z + 1 < grid.length() { columns.of_cell(x, z + 1) } else { 0..0 };
                network.connect(columns, columns.of_cell(x, z), next, 1, first_along_z);
            }
            network.row_runs.push([first_along_x, first_along_z]);
        }
        network.row_columns.push(columns.len() as u32);
        network.row_pipes.push(network.from.len() as u32);
        network.row_runs.push([network.runs.len() as u32; 2]);
        network.list_endings(columns.len());
        network
    }

    /// Adds the pipes from the columns of a cell to those of a neighbour that overlap with them.
    fn connect(
        &mut self,
        columns: &Columns,
        here: Range<usize>,
        there: Range<usize>,
        axis: usize,
        first_run: u32,
    ) {
        let (floor, ceiling) = (columns.floor(), columns.ceiling());
        // Both cells are sorted from bottom to top, so what lies below one column also lies below
        // the next.
        let mut lowest = there.start;
        for from in here {
            let first = self.from.len() as u32;
            while lowest < there.end && ceiling[lowest] <= floor[from] {
                lowest += 1;
            }
            for to in (lowest..there.end).take_while(|&to| floor[to] < ceiling[from]) {
                self.add(from as u32, to as u32, first_run);
            }
            self.starting[axis].push([first, self.from.len() as u32]);
        }
    }

    /// Adds a pipe, to the last run if possible.
    fn add(&mut self, from: u32, to: u32, first_run: u32) {
        let pipe = self.from.len() as u32;
        self.from.push(from);
        self.to.push(to);
        match self.runs.get_mut(first_run as usize..).and_then(<[Run]>::last_mut) {
            Some(run) if run.from + run.count == from && run.to + run.count == to => {
                run.count += 1;
            }
            _ => self.runs.push(Run { pipe, from, to, count: 1 }),
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

    /// The columns of a row of cells.
    pub fn columns_of(&self, row: usize) -> Range<usize> {
        self.row_columns[row] as usize..self.row_columns[row + 1] as usize
    }

    /// The runs along x of a row of cells.
    pub fn runs_along_x(&self, row: usize) -> &[Run] {
        let [along_x, along_z] = self.row_runs[row];
        &self.runs[along_x as usize..along_z as usize]
    }

    /// The runs along z from a row of cells to the next.
    pub fn runs_along_z(&self, row: usize) -> &[Run] {
        let ([_, first], [end, _]) = (self.row_runs[row], self.row_runs[row + 1]);
        &self.runs[first as usize..end as usize]
    }

    /// The runs along z from the row before to a row of cells.
    pub fn runs_before(&self, row: usize) -> &[Run] {
        if row == 0 { &[] } else { self.runs_along_z(row - 1) }
    }

    /// The runs along x and z of a row of cells.
    pub fn runs_of(&self, row: usize) -> &[Run] {
        &self.runs[self.row_runs[row][0] as usize..self.row_runs[row + 1][0] as usize]
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
        let [first, end] = self.starting[1][self.from[pipe] as usize];
        (first..end).contains(&(pipe as u32))
    }

    /// The pipes that start from a column along one axis.
    pub fn starting_along(&self, column: usize, along_z: bool) -> Range<usize> {
        let [first, end] = self.starting[usize::from(along_z)][column];
        first as usize..end as usize
    }

    /// The pipes that start from a column.
    pub fn starting(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.starting_along(column, false).chain(self.starting_along(column, true))
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
