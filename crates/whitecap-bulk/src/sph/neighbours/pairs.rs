//! Neighbour pairs of one step, with everything about them that does not change during the step.
//!
//! Density is the sum ρ_i = Σ_j m W_ij over all neighbours and the particle itself (Monaghan 2005). For a
//! particle i and each neighbour j the list holds j and g = m W'(r)/r, so that m ∇W_ij =
//! g (x_i − x_j): the pressure iterations need neither a square root nor the kernel. Densities and
//! the diagonal of the pressure system come out of the same pass. What walls and solids add is stored
//! only for the few particles near them.
//!
//! g is kept in 16 bits, in equal steps from zero to the steepest slope of the kernel: an error of
//! 10⁻⁵ of that slope, far below what the linear prediction of densities neglects, for a quarter
//! less memory.
//!
//! # Guarantees
//! Particles are Z-ordered; the list is cut into chunks of a fixed number of consecutive
//! particles, so that its content and every sum over it are the same for any number of threads.
//! g is the same number for (i, j) and (j, i). Memory is kept from step to step.

use std::sync::Mutex;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use wide::{f32x4, f32x8, i32x8, u16x8};

use crate::sph::boundary::BoundaryShare;
use crate::sph::boundary::{Images, Plane};
use crate::sph::neighbours::Candidates;
use crate::sph::neighbours::MassSpline;
use crate::sph::neighbours::{clear_and_shrink, reserve_with_slack};
use crate::sph::resolution::Resolution;

/// Fraction of the support beyond which pairs are left out: each would add less than 2·10⁻⁵ of the
/// density, and a lattice has a fifth of its pairs at the very end of the usual support.
const REACH: f32 = 0.98;

/// Particles per chunk.
pub(crate) const CHUNK: usize = 256;

/// The pairs of all particles.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    chunks: Vec<PairChunk>,
    /// The walls in which particles have images.
    planes: Vec<Plane>,
    /// One per thread; leftover contents have no influence.
    candidates: Vec<Mutex<Candidates>>,
}

/// The pairs of [`CHUNK`] consecutive particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairChunk {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    slopes: Vec<u16>,
    /// The value of one step of a slope.
    slope_step: f32,
    solids: Vec<SolidRow>,
    images: Images,
}

/// What solids add to the sums of one particle near them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidRow {
    /// b = Σ Ψ ∇W, and in the last lane the rate at which the motion of the boundary itself thins it
    /// out, Σ Ψ v_b·∇W: a vector field with −1 in its last lane (velocities) sees the boundary
    /// move; one with 0 (accelerations) does not.
    pub gradient: f32x4,
    /// Density in kg/m³.
    pub density: f32,
    /// Index of the particle in its chunk.
    pub local: u16,
}

/// Result of the pass over the neighbours of one particle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairSums {
    /// Density in kg/m³, the boundary included.
    pub density: f32,
    /// |Σ m∇W + b|² + Σ |m∇W|²: the diagonal of the pressure system without Δt².
    pub diagonal: f32,
}

impl PairChunk {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Sums over the neighbours of the particle at `local`: `add(sum, j, g)` returns the sum with
    /// that neighbour added. Four sums run side by side, because a single one would wait for its own result.
    #[inline(always)]
    pub fn sum(&self, local: usize, add: impl Fn(f32x4, usize, f32) -> f32x4) -> f32x4 {
        let row = self.starts[local] as usize..self.starts[local + 1] as usize;
        let (neighbours, last_neighbours) = self.neighbours[row.clone()].as_chunks::<8>();
        let (slopes, last_slopes) = self.slopes[row].as_chunks::<8>();
        let mut sums = [f32x4::ZERO; 4];
        for (j, slopes) in neighbours.iter().zip(slopes) {
            let slopes = f32x8::from_i32x8(i32x8::from_u16x8(u16x8::new(*slopes)));
            let g = (slopes * f32x8::splat(self.slope_step)).to_array();
            for k in 0..8 {
                sums[k % 4] = add(sums[k % 4], j[k] as usize, g[k]);
            }
        }
        for (k, (&j, &slope)) in last_neighbours.iter().zip(last_slopes).enumerate() {
            sums[k % 4] = add(sums[k % 4], j as usize, f32::from(slope) * self.slope_step);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Neighbours of the particle at `local`.
    #[inline(always)]
    pub fn neighbours(&self, local: usize) -> &[u32] {
        &self.neighbours[self.starts[local] as usize..self.starts[local + 1] as usize]
    }

    /// What solids add, in the order of the particles near them.
    pub fn solids(&self) -> &[SolidRow] {
        &self.solids
    }

    /// What the particles of this chunk see in plane walls.
    pub fn images(&self) -> &Images {
        &self.images
    }

    fn bytes(&self) -> usize {
        size_of::<PairChunk>()
            + 4 * (self.starts.capacity() + self.neighbours.capacity())
            + 2 * self.slopes.capacity()
            + size_of::<SolidRow>() * self.solids.capacity()
            + self.images.bytes()
    }
}

impl Pairs {
    /// The chunks, in particle order.
    pub fn chunks(&self) -> &[PairChunk] {
        &self.chunks
    }

    /// The walls in which particles have images.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(PairChunk::bytes).sum()
    }

    /// Finds all pairs closer than the support among the sorted particles of `grid`, their images in
    /// `planes` and the contribution of `solids` at each position, and calls `finish(place, place in the
    /// chunk, sums, result)` for each particle. `results` has one item per chunk.
    pub fn rebuild<R: Send>(
        &mut self,
        grid: &NeighbourGrid,
        resolution: &Resolution,
        planes: &[Plane],
        solids: impl Fn(Vec3) -> BoundaryShare + Sync,
        results: impl IndexedParallelIterator<Item = R>,
        finish: impl Fn(usize, usize, PairSums, &mut R) + Sync,
    ) {
        self.chunks.resize_with(grid.len().div_ceil(CHUNK), PairChunk::default);
        self.planes.clear();
        self.planes.extend_from_slice(planes);
        let threads = rayon::current_num_threads().max(self.candidates.len());
        self.candidates.resize_with(threads, Mutex::default);
        let candidates = &self.candidates;
        let search = Search { grid, planes, kernel: MassSpline::new(resolution) };
        self.chunks.par_iter_mut().zip(results).enumerate().for_each(
            |(number, (chunk, mut result))| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let mut candidates = candidates[thread % candidates.len()]
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let first = number * CHUNK;
                chunk.rebuild(&search, first, &mut candidates, &solids, |local, sums| {
                    finish(first + local, local, sums, &mut result);
                });
            },
        );
    }
}

/// What the search for the pairs of a chunk needs.
struct Search<'a> {
    grid: &'a NeighbourGrid,
    planes: &'a [Plane],
    kernel: MassSpline,
}

/// Sums over the particles in reach.
struct NeighbourSums {
    density: f32,
    gradient: Vec3,
    gradient_squares: f32,
}

impl PairChunk {
    fn rebuild(
        &mut self,
        search: &Search<'_>,
        first: usize,
        candidates: &mut Candidates,
        solids: impl Fn(Vec3) -> BoundaryShare,
        mut finish: impl FnMut(usize, PairSums),
    ) {
        let Search { grid, kernel, .. } = search;
        self.starts.clear();
        clear_and_shrink(&mut self.neighbours);
        clear_and_shrink(&mut self.slopes);
        clear_and_shrink(&mut self.solids);
        self.slope_step = kernel.steepest() / f32::from(u16::MAX);
        self.images.clear(self.slope_step);
        self.starts.push(0);
        let mut cell = grid.cell_containing(first);
        candidates.gather(grid, cell);
        for local in 0..CHUNK.min(grid.len() - first) {
            let place = first + local;
            if place >= grid.cell_range(cell).end {
                cell += 1;
                candidates.gather(grid, cell);
            }
            let position = grid.positions()[place];
            let own = place - grid.cell_range(cell).start;
            let near = candidates.accept(position, own, REACH * REACH * kernel.support_squared());
            let count = near.len();
            reserve_with_slack(&mut self.neighbours, count);
            self.neighbours.extend_from_slice(near);
            let sums = self.append_slopes(position, candidates, count, kernel);
            self.starts.push(self.neighbours.len() as u32);
            finish(local, self.add_boundary(search, place, local, solids(position), sums));
        }
    }

    /// Appends the slopes of the accepted neighbours of one particle, and sums over them.
    fn append_slopes(
        &mut self,
        position: Vec3,
        candidates: &Candidates,
        count: usize,
        kernel: &MassSpline,
    ) -> NeighbourSums {
        let padded = count.next_multiple_of(8);
        reserve_with_slack(&mut self.slopes, padded);
        let start = self.slopes.len();
        let steps = f32x8::splat(1.0 / self.slope_step);
        let mut density = f32x8::ZERO;
        let mut squares = f32x8::ZERO;
        let mut gradient = [f32x8::ZERO; 3];
        for i in (0..padded).step_by(8) {
            let [dx, dy, dz] = candidates.offsets(position, i);
            let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
            let (value, slope) = kernel.at(squared);
            density += value;
            squares = (slope * slope).mul_add(squared, squares);
            for (sum, offset) in gradient.iter_mut().zip([dx, dy, dz]) {
                *sum = slope.mul_add(offset, *sum);
            }
            let whole = (slope * steps).fast_round_int();
            self.slopes.extend(whole.as_array().map(|step| step as u16));
        }
        self.slopes.truncate(start + count);
        NeighbourSums {
            density: kernel.center() + density.reduce_add(),
            gradient: Vec3::from(gradient.map(|sum| sum.reduce_add())),
            gradient_squares: squares.reduce_add(),
        }
    }

    /// Adds what walls and solids contribute to a particle.
    fn add_boundary(
        &mut self,
        search: &Search<'_>,
        place: usize,
        local: usize,
        solid: BoundaryShare,
        sums: NeighbourSums,
    ) -> PairSums {
        let Search { grid, planes, kernel } = search;
        let images = self.images.find(grid, planes, kernel, place, local);
        if solid.density > 0.0 {
            let gradient = solid.gradient.extend(solid.thinning).to_array().into();
            reserve_with_slack(&mut self.solids, 1);
            self.solids.push(SolidRow { gradient, density: solid.density, local: local as u16 });
        }
        let whole = sums.gradient + images.gradient + images.own + solid.gradient;
        PairSums {
            density: sums.density + images.density + solid.density,
            diagonal: whole.length_squared() + sums.gradient_squares + images.gradient_squares,
        }
    }
}
