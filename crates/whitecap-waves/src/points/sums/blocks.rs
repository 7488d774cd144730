//! Points in Z-order, and blocks of them that share their searches at the scale of λ_c.
//!
//! Cells of fine neighbours are λ_c / 2^k wide, so that they nest in the cells of samples and of
//! coarse particles.

use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;

/// Blocks per task.
const BLOCKS_PER_TASK: usize = 16;
/// How much wider the cells of a [`NeighbourGrid`] are than requested.
const CELL_MARGIN: f64 = 1.0 + 1e-9;

/// λ_c / λ_f up to which points are so far apart that a sample cell would hold hardly more than one of them,
/// and each point is its own sample.
pub(crate) const OWN_SAMPLE_RATIO: f32 = 4.5;

/// How space is cut, for one pair of lengths λ_c and λ_f.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Cells of fine neighbours halve λ_c this often; they are at least 2 λ_f wide.
    pub fine_halvings: i32,
    /// Blocks are 2 to the power of this many fine cells wide.
    pub block_doublings: i32,
    coarse: f32,
}

impl Cut {
    pub fn new(coarse: f32, fine: f32) -> Self {
        let fine_halvings = (0.5 * coarse / fine).log2().floor().max(0.0) as i32;
        // Wide enough for a dozen points, which share the cost of a search.
        let block_halvings = if coarse < OWN_SAMPLE_RATIO * fine { 0 } else { 1 };
        Self { fine_halvings, block_doublings: fine_halvings - block_halvings, coarse }
    }

    /// Width of the cells of fine neighbours.
    pub fn fine_cell(&self) -> f32 {
        self.coarse / (1 << self.fine_halvings) as f32
    }

    /// The cell of one coarse length that holds a block.
    pub fn coarse_cell(&self, block: IVec3) -> IVec3 {
        block >> (self.fine_halvings - self.block_doublings)
    }

    /// Lower and upper corner of a block.
    pub fn block_box(&self, block: IVec3) -> [Vec3; 2] {
        let halvings = self.fine_halvings - self.block_doublings;
        let width = f64::from(self.coarse / (1 << halvings) as f32) * CELL_MARGIN;
        let corner = |cell: IVec3| (cell.as_dvec3() * width).as_vec3();
        [corner(block), corner(block + 1)]
    }
}

/// One block: its number, its coordinate and the indices of its points.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub number: usize,
    pub coordinate: IVec3,
    pub points: Range<usize>,
}

impl Block {
    /// The bounding box of its points.
    pub fn bounds(&self, positions: &[Vec3]) -> [Vec3; 2] {
        box_of(positions[self.points.clone()].iter().copied())
    }
}

/// The bounding box of some points.
pub(crate) fn box_of(points: impl IntoIterator<Item = Vec3>) -> [Vec3; 2] {
    let empty = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    points.into_iter().fold(empty, |[min, max], point| [min.min(point), max.max(point)])
}

/// The blocks of points that are in the order of `grid`.
pub(crate) fn blocks_of(grid: &NeighbourGrid, cut: &Cut) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for cell in 0..grid.cell_count() {
        let coordinate = grid.cell(cell) >> cut.block_doublings;
        let points = grid.cell_range(cell);
        match blocks.last_mut() {
            Some(last) if last.coordinate == coordinate => last.points.end = points.end,
            _ => blocks.push(Block { number: blocks.len(), coordinate, points }),
        }
    }
    blocks
}

/// Fills `column` with one value per point: `work` gets a block, the slice of its values, and memory
/// for its own use.
pub(crate) fn per_block<T: Copy + Send, S: Default>(
    blocks: &[Block],
    column: &mut [T],
    work: impl Fn(&mut S, &Block, &mut [T]) + Sync,
) {
    let mut tasks = Vec::with_capacity(blocks.len() / BLOCKS_PER_TASK + 1);
    let mut rest = column;
    for chunk in blocks.chunks(BLOCKS_PER_TASK) {
        let length = chunk[chunk.len() - 1].points.end - chunk[0].points.start;
        let (mine, tail) = rest.split_at_mut(length);
        tasks.push((chunk, mine));
        rest = tail;
    }
    tasks.into_par_iter().for_each_init(S::default, |memory, (chunk, mine)| {
        let start = chunk[0].points.start;
        for block in chunk {
            let range = block.points.start - start..block.points.end - start;
            work(memory, block, &mut mine[range]);
        }
    });
}
