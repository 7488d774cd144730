//! Cells of the tracking grid, and where vertices lie among them.
//!
//! Positions are measured in cells, in double precision. A vertex that lies exactly on a grid plane
//! counts as above it, which resolves every tie consistently: cuts are in general position.

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::budget::{self, OverBudget};
use whitecap_core::sparse_grid::tile_order;
use whitecap_core::{CoordinateIndex, Lattice, reduce};

/// Memory of a crossing while crossings are being sorted.
const BYTES_PER_CROSSING: f64 = 64.0;
/// Memory of a cell that is being flagged: in lists, and its share of their index.
const BYTES_PER_FLAGGED: f64 = 40.0;

const WHAT: &str = "the grid that the mesh reaches across";
const REMEDY: &str = "use a larger `spacing`, or repair the particles that stretch the mesh";

/// Where vertices lie, in cells.
pub(crate) fn places(positions: &[Vec3], lattice: Lattice, shift: f64) -> Vec<DVec3> {
    positions.par_iter().map(|&p| lattice.to_cells(p) + shift).collect()
}

/// The cell of a position.
#[inline]
pub(crate) fn cell_of(place: DVec3) -> IVec3 {
    const LIMIT: f64 = (1 << 30) as f64;
    place.floor().clamp(DVec3::splat(-LIMIT), DVec3::splat(LIMIT)).as_ivec3()
}

/// The lowest and highest cell that three corners reach.
#[inline]
pub(crate) fn cell_span(places: &[DVec3], corners: [u32; 3]) -> (IVec3, IVec3) {
    let [a, b, c] = corners.map(|v| cell_of(places[v as usize]));
    (a.min(b).min(c), a.max(b).max(c))
}

/// Asks whether the cells that triangles span can be visited and their crossings kept: one vertex
/// that flew off makes more of them than all others together.
pub(crate) fn ask_for_cells(places: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), OverBudget> {
    let span = |triangle: usize| cells_spanned(places, triangles[triangle]);
    let visited = reduce::sum(triangles.len(), |triangle| span(triangle).element_product());
    let crossed = |span: DVec3| span.x * span.y + span.y * span.z + span.z * span.x - 3.0;
    let crossings = reduce::sum(triangles.len(), |triangle| crossed(span(triangle)));
    budget::ask_work(visited, WHAT, REMEDY)?;
    budget::ask(crossings * BYTES_PER_CROSSING, WHAT, REMEDY)
}

/// Asks whether all cells that these triangles span can be listed.
pub(crate) fn ask_for_flagged(
    places: &[DVec3],
    triangles: impl Iterator<Item = [u32; 3]>,
) -> Result<(), OverBudget> {
    let cells: f64 = triangles.map(|t| cells_spanned(places, t).element_product()).sum();
    budget::ask(cells * BYTES_PER_FLAGGED, WHAT, REMEDY)
}

/// How many cells three corners reach across, along each axis.
fn cells_spanned(places: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let (low, high) = cell_span(places, corners);
    (high - low).as_dvec3() + 1.0
}

/// Every cell from `low` to `high`, both included, x fastest.
pub(crate) fn cells_between(low: IVec3, high: IVec3) -> impl Iterator<Item = IVec3> {
    (low.z..=high.z).flat_map(move |z| {
        (low.y..=high.y).flat_map(move |y| (low.x..=high.x).map(move |x| IVec3::new(x, y, z)))
    })
}

/// The four cells round the grid edge from `node` along `axis`.
pub(crate) fn cells_round_edge(node: IVec3, axis: usize) -> [IVec3; 4] {
    let (u, v) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
    [node, node - u, node - v, node - u - v]
}

/// The eight cells round a node.
pub(crate) fn cells_round_node(node: IVec3) -> impl Iterator<Item = IVec3> {
    cells_between(node - 1, node)
}

/// Sorts by z, y, x and removes repeats.
pub(crate) fn sort_unique(cells: &mut Vec<IVec3>) {
    cells.par_sort_unstable_by_key(|c| tile_order(*c));
    cells.dedup();
}

/// A set of cells in sorted order.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellSet {
    cells: Vec<IVec3>,
    index: CoordinateIndex,
    low: IVec3,
    high: IVec3,
}

impl CellSet {
    pub fn new(mut cells: Vec<IVec3>) -> Self {
        sort_unique(&mut cells);
        let index = CoordinateIndex::build(&cells);
        let low = cells.iter().copied().reduce(IVec3::min).unwrap_or(IVec3::MAX);
        let high = cells.iter().copied().reduce(IVec3::max).unwrap_or(IVec3::MIN);
        Self { cells, index, low, high }
    }

    pub fn cells(&self) -> &[IVec3] {
        &self.cells
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    #[inline]
    pub fn contains(&self, cell: IVec3) -> bool {
        self.index.get(cell).is_some()
    }

    /// Whether any cell from `low` to `high` is in the set.
    pub fn meets(&self, low: IVec3, high: IVec3) -> bool {
        if low.cmpgt(self.high).any() || high.cmplt(self.low).any() {
            return false;
        }
        cells_between(low, high).any(|cell| self.contains(cell))
    }

    /// The set with more cells.
    pub fn with(&self, more: &[IVec3]) -> Self {
        let mut cells = self.cells.clone();
        cells.extend_from_slice(more);
        Self::new(cells)
    }

    /// The set with all cells that touch it.
    pub fn widened(&self) -> Self {
        let around = |&cell: &IVec3| cells_between(cell - 1, cell + 1);
        Self::new(self.cells.iter().flat_map(around).collect())
    }

    /// The nodes at the corners of the cells, sorted.
    pub fn nodes(&self) -> Vec<IVec3> {
        let mut nodes: Vec<IVec3> =
            self.cells.iter().flat_map(|&cell| cells_between(cell, cell + 1)).collect();
        sort_unique(&mut nodes);
        nodes
    }
}
