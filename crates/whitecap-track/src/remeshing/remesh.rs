//! Giving the mesh the topology it should have (Dagenais et al. 2017, §2.4–2.5): match, mark, cut,
//! fill, weld.
//!
//! # Guarantees
//! The mesh that comes back is closed and 2-manifold. Where a cut cannot be patched the marked region
//! is widened; if that does not help either, or if Γ cannot be solved for, an error is returned and the
//! caller rebuilds from φ. When the caller cancels, the mesh stays as it was.
//!
//! # Non-guarantees
//! Outside the marked cells the surface stays where it is, but triangles at the seam are cut and
//! improved.

use glam::{DVec3, IVec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{local_node, tile_of};
use whitecap_core::{CoordinateIndex, Lattice, SparseGrid, Watch};

use crate::mesh::half_edge::{HalfEdgeMesh, NONE};
use crate::projection::coarse_surface::CoarseSurface;
use crate::projection::cubic::CubicSampler;
use crate::projection::project::foot;
use crate::remeshing::cut::{Cut, Source};
use crate::remeshing::patch::{Corner, Patch, Unpatched, fill};
use crate::topology::cells::{CellSet, cells_round_edge, cells_round_node, places};
use crate::topology::crossings::Crossings;
use crate::topology::gamma::{FARTHEST, Gamma};
use crate::topology::matching;

/// How often a region is widened before it counts as beyond repair.
const MOST_ATTEMPTS: usize = 24;
/// How often pokes widen a region before they are closed off.
const MOST_POKES: usize = 12;
/// New vertices nearer than this to others are merged, in cells.
const SHORTEST: f32 = 0.2;
/// Edges of new triangles longer than this are split, in cells.
const LONGEST: f32 = 1.8;
/// Vertices deeper than this inside φ, in cells, are tested for whether its surface is theirs,
const DEEP: f32 = 1.0;
/// which it is not if the cosine between its direction and their normal is less than this.
const ASIDE: f32 = 0.5;
/// The shift of the grid relative to the mesh that resolves ties due to rounding, in cells.
const SHIFT: f64 = 1.3e-7;

/// What was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remeshed {
    /// Cells that were rebuilt.
    pub cells: CellSet,
    /// Cells in which the mesh passed through itself.
    pub interpenetrating: usize,
    /// Seconds for Γ and matching.
    pub matching: f64,
    /// How often the region was widened.
    pub widened: usize,
}

/// Why a region was not repaired in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrepaired {
    /// It cannot be.
    BeyondRepair,
    /// The caller asked to stop.
    Cancelled,
}

impl From<whitecap_core::Error> for Unrepaired {
    fn from(error: whitecap_core::Error) -> Self {
        match error {
            whitecap_core::Error::Cancelled => Self::Cancelled,
            _ => Self::BeyondRepair,
        }
    }
}

/// What to rebuild, and from what.
pub(crate) struct Task<'a> {
    pub coarse: &'a CoarseSurface,
    /// Cells where φ changed its topology.
    pub flagged: &'a CellSet,
    pub crossings: &'a Crossings,
}

/// Rebuilds the mesh where the task says and where it passes through itself.
pub(crate) fn remesh(
    mesh: &mut HalfEdgeMesh,
    task: &Task<'_>,
    watch: &dyn Watch,
) -> Result<Remeshed, Unrepaired> {
    let lattice = task.coarse.distance.lattice();
    let bad: Vec<IVec3> = task
        .crossings
        .interpenetrations()
        .into_iter()
        .flat_map(|(node, axis)| cells_round_edge(node, axis))
        .collect();
    let bad = CellSet::new(bad);
    if task.flagged.is_empty() && bad.is_empty() {
        return Ok(Remeshed::default());
    }
    let start = std::time::Instant::now();
    let (gamma, disputed) = target(mesh, task, &bad, lattice, watch)?;
    let mut done = Remeshed {
        interpenetrating: bad.len(),
        matching: start.elapsed().as_secs_f64(),
        ..Remeshed::default()
    };
    let mut marked = task.flagged.with(bad.cells()).with(&disputed);
    let mut pokes = 0;
    for attempt in 0..MOST_ATTEMPTS {
        if watch.cancelled() {
            return Err(Unrepaired::Cancelled);
        }
        let shifted = attempt as f64 * SHIFT;
        match patched(mesh, task, &marked, &gamma, shifted, pokes >= MOST_POKES) {
            Ok(result) => {
                *mesh = result;
                done.cells = marked;
                done.widened = attempt;
                return Ok(done);
            }
            Err(Failure::Pokes(cells)) => {
                pokes += 1;
                marked = marked.with(&cells);
            }
            Err(Failure::Inconsistent(cells)) => marked = marked.with(&cells),
            Err(Failure::NotClosed) => marked = marked.widened(),
        }
    }
    Err(Unrepaired::BeyondRepair)
}

/// The target Γ, and the cells where its signs differ from the mesh's.
fn target<'a>(
    mesh: &HalfEdgeMesh,
    task: &'a Task<'_>,
    bad: &CellSet,
    lattice: Lattice,
    watch: &dyn Watch,
) -> Result<(Gamma<'a>, Vec<IVec3>), whitecap_core::Error> {
    let flagged = task.flagged.nodes();
    let domain = matching::domain(&flagged, matching::MARGIN);
    let mut tiles = domain.clone();
    tiles.extend(bad.cells().iter().flat_map(|&c| [tile_of(c), tile_of(c + 1)]));
    let mut gamma = Gamma::build(mesh, task.crossings, lattice, tiles);
    if flagged.is_empty() {
        return Ok((gamma, Vec::new()));
    }
    let flagged = governed_nodes(task.flagged, &gamma);
    let before = gamma.grid.clone();
    gamma.grid = matching::matched(&before, &task.coarse.distance, &flagged, watch)?;
    let disputed = disputed_cells(&before, &gamma.grid);
    Ok((gamma, disputed))
}

/// The nodes that flagged cells govern: their corners, and nodes beside them whose nearest point of the
/// mesh is in a flagged cell. If those kept their value, a part of the mesh that should vanish would survive
/// in them, one cell thinner.
fn governed_nodes(flagged: &CellSet, gamma: &Gamma<'_>) -> Vec<IVec3> {
    let lattice = gamma.grid.lattice();
    let corners = flagged.nodes();
    let index = CoordinateIndex::build(&corners);
    flagged
        .widened()
        .nodes()
        .into_par_iter()
        .filter(|&node| {
            let nearest = || gamma.nearby.closest(lattice.position(node), FARTHEST * lattice.cell);
            index.get(node).is_some()
                || nearest().is_some_and(|f| flagged.contains(lattice.locate(f.point).0))
        })
        .collect()
}

/// The cells round nodes whose sign changed (the deep-cell test of Wojtan et al. 2009: there the mesh
/// and its target differ in topology).
fn disputed_cells(before: &SparseGrid<f32>, after: &SparseGrid<f32>) -> Vec<IVec3> {
    before
        .coordinates()
        .par_iter()
        .zip(before.tiles().par_iter().zip(after.tiles()))
        .flat_map_iter(|(&tile, (old, new))| {
            (0..512)
                .filter(move |&offset| (old.at(offset) < 0.0) != (new.at(offset) < 0.0))
                .flat_map(move |offset| cells_round_node(tile * 8 + local_node(offset)))
        })
        .collect()
}

enum Failure {
    Pokes(Vec<IVec3>),
    Inconsistent(Vec<IVec3>),
    NotClosed,
}

fn patched(
    mesh: &HalfEdgeMesh,
    task: &Task<'_>,
    marked: &CellSet,
    gamma: &Gamma<'_>,
    shift: f64,
    cap: bool,
) -> Result<HalfEdgeMesh, Failure> {
    let lattice = task.coarse.distance.lattice();
    let at = places(&mesh.positions, lattice, shift);
    let moved;
    let crossings = if shift == 0.0 {
        task.crossings
    } else {
        moved = Crossings::find(&at, &mesh.triangles);
        &moved
    };
    let cut = Cut::make(mesh, &at, marked).map_err(|_| Failure::NotClosed)?;
    let inside = |node: IVec3| crossings.is_inside(node);
    let patch =
        fill(marked, &cut, |node| gamma.at(node), inside, cap).map_err(
            |failure| match failure {
                Unpatched::PokesInto(cells) => Failure::Pokes(cells),
                Unpatched::Inconsistent(cells) => Failure::Inconsistent(cells),
            },
        )?;
    weld(mesh, &cut, &patch, gamma, task.coarse, shift).ok_or(Failure::NotClosed)
}

/// The mesh with the cut part replaced by what was kept of it and the patch.
fn weld(
    mesh: &HalfEdgeMesh,
    cut: &Cut,
    patch: &Patch,
    gamma: &Gamma<'_>,
    coarse: &CoarseSurface,
    shift: f64,
) -> Option<HalfEdgeMesh> {
    let lattice = coarse.distance.lattice();
    let mut result = mesh.clone();
    let first_born = result.positions.len();
    let vertices = add_cut_points(&mut result, cut, patch, lattice, shift);
    let first_new = result.positions.len() as u32;
    add_patch_vertices(&mut result, patch, gamma, lattice, shift);
    let mut added: Vec<[u32; 3]> =
        cut.kept.iter().map(|t| t.map(|point| vertices[point as usize])).collect();
    added.extend(patch.triangles.iter().map(|t| {
        t.map(|corner| match corner {
            Corner::Point(point) => vertices[point as usize],
            Corner::New(number) => first_new + number,
        })
    }));
    result.replace(&cut.removed, &added).ok()?;
    result.part_fans();
    take_birth_distances(&mut result, first_born, coarse);

    (result.is_sound() && result.edges_are_single()).then_some(result)
}

fn position(place: DVec3, lattice: Lattice, shift: f64) -> glam::Vec3 {
    (lattice.origin.as_dvec3() + (place - shift) * f64::from(lattice.cell)).as_vec3()
}

/// Adds the points of the cut that are used; returns the vertex of each point.
fn add_cut_points(
    mesh: &mut HalfEdgeMesh,
    cut: &Cut,
    patch: &Patch,
    lattice: Lattice,
    shift: f64,
) -> Vec<u32> {
    let mut needed = vec![false; cut.points.len()];
    for &point in cut.kept.iter().flatten() {
        needed[point as usize] = true;
    }
    for corner in patch.triangles.iter().flatten() {
        if let Corner::Point(point) = corner {
            needed[*point as usize] = true;
        }
    }
    // A point is interpolated from earlier ones, so those are needed too.
    for point in (0..cut.points.len()).rev() {
        if let (true, Source::Between(a, b, _)) = (needed[point], cut.sources[point]) {
            needed[a as usize] = true;
            needed[b as usize] = true;
        }
    }
    let mut vertices = vec![NONE; cut.points.len()];
    for (point, source) in cut.sources.iter().enumerate() {
        vertices[point] = match *source {
            Source::Vertex(vertex) => vertex,
            Source::Between(..) if !needed[point] => continue,
            Source::Between(a, b, share) => {
                let ends = [(vertices[a as usize], 1.0 - share), (vertices[b as usize], share)];
                let place = position(cut.points[point].place, lattice, shift);
                let vertex = mesh.push_vertex(place, &ends);
                let carried = &mut mesh.carried;
                let fine = 1.2 * carried.shortest[vertex as usize];
                carried.shortest[vertex as usize] = fine.min(SHORTEST * lattice.cell);
                carried.sharpest[vertex as usize] = 1.0;
                vertex
            }
        };
    }
    vertices
}

fn add_patch_vertices(
    mesh: &mut HalfEdgeMesh,
    patch: &Patch,
    gamma: &Gamma<'_>,
    lattice: Lattice,
    shift: f64,
) {
    let positions: Vec<glam::Vec3> =
        patch.places.iter().map(|&place| position(place, lattice, shift)).collect();
    let mixes: Vec<Vec<(u32, f32)>> =
        positions.par_iter().map(|&p| gamma.nearby.mix_at(p)).collect();
    for (position, mix) in positions.into_iter().zip(mixes) {
        let vertex = mesh.push_vertex(position, &mix) as usize;
        mesh.carried.shortest[vertex] = SHORTEST * lattice.cell;
        mesh.carried.longest[vertex] = LONGEST * lattice.cell;
        mesh.carried.sharpest[vertex] = 1.0;
        mesh.carried.doubt[vertex] = 0.0;
    }
}

/// New vertices take the distance from φ that they have at birth. Those whose only path to φ = 0 leads
/// sideways take none (−∞) and follow the particles: φ bridges a narrow gap there, and its surface is not
/// theirs.
pub(crate) fn take_birth_distances(mesh: &mut HalfEdgeMesh, from: usize, coarse: &CoarseSurface) {
    let cell = coarse.distance.lattice().cell;
    let found: Vec<Option<f32>> = (from..mesh.positions.len())
        .into_par_iter()
        .map_init(
            || CubicSampler::new(&coarse.distance),
            |sampler, vertex| {
                let foot = foot(sampler, cell, coarse.band, mesh.positions[vertex])?;
                let deep = foot.distance < -DEEP * cell;
                let aside = || foot.normal.dot(mesh.normal(vertex as u32)) < ASIDE;
                Some(if deep && aside() { f32::NEG_INFINITY } else { foot.distance })
            },
        )
        .collect();
    for (delta, found) in mesh.carried.delta[from..].iter_mut().zip(found) {
        if let Some(found) = found {
            *delta = found;
        }
    }
}
