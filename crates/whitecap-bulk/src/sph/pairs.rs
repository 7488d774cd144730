//! Neighbour pairs of one step, with everything about them that does not change during the step.
//!
//! For a particle i and each neighbour j the list holds j and g = m W'(r)/r, so that m ∇W_ij =
//! g (x_i − x_j): the pressure iterations need neither a square root nor the kernel. Density and
//! gradient sums come out of the same pass.
//!
//! # Guarantees
//! Particles are Z-ordered; the list is cut into chunks of a fixed number of consecutive
//! particles, so that its content and every sum over it are the same for any number of threads.
//! g is the same number for (i, j) and (j, i). Memory is kept from step to step.

use std::sync::Mutex;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use wide::{f32x4, f32x8};

use super::images::{ImageSums, Images, Plane};
use super::resolution::Resolution;

/// Particles per chunk.
pub(crate) const CHUNK: usize = 256;

/// The pairs of all particles.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    chunks: Vec<PairChunk>,
    /// The walls in which particles have images.
    planes: Vec<Plane>,
    /// One per thread; what is left in it has no influence.
    scratch: Vec<Mutex<Scratch>>,
}

/// The pairs of [`CHUNK`] consecutive particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairChunk {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    slopes: Vec<f32>,
    images: Images,
}

impl PairChunk {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Neighbours of the particle at `local` in this chunk, each with its slope g.
    #[inline(always)]
    pub fn of(&self, local: usize) -> impl Iterator<Item = (usize, f32)> {
        let row = self.starts[local] as usize..self.starts[local + 1] as usize;
        let neighbours = &self.neighbours[row.clone()];
        neighbours.iter().zip(&self.slopes[row]).map(|(&j, &g)| (j as usize, g))
    }

    /// Sums over the neighbours of the particle at `local`: `add(sum, j, g)` returns the sum with
    /// that neighbour. Four sums run side by side, because one would wait for itself.
    #[inline(always)]
    pub fn sum(&self, local: usize, add: impl Fn(f32x4, usize, f32) -> f32x4) -> f32x4 {
        let row = self.starts[local] as usize..self.starts[local + 1] as usize;
        let (neighbours, last_neighbours) = self.neighbours[row.clone()].as_chunks::<4>();
        let (slopes, last_slopes) = self.slopes[row].as_chunks::<4>();
        let mut sums = [f32x4::ZERO; 4];
        for (j, g) in neighbours.iter().zip(slopes) {
            sums[0] = add(sums[0], j[0] as usize, g[0]);
            sums[1] = add(sums[1], j[1] as usize, g[1]);
            sums[2] = add(sums[2], j[2] as usize, g[2]);
            sums[3] = add(sums[3], j[3] as usize, g[3]);
        }
        for (&j, &g) in last_neighbours.iter().zip(last_slopes) {
            sums[0] = add(sums[0], j as usize, g);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// What the particles of this chunk see in plane walls.
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Neighbours of the particle at `local`.
    #[inline(always)]
    pub fn neighbours(&self, local: usize) -> &[u32] {
        &self.neighbours[self.starts[local] as usize..self.starts[local + 1] as usize]
    }
}

/// What the pass over the neighbours gives for one particle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairSums {
    /// Σ_j m W_ij, the particle itself included.
    pub density: f32,
    /// Σ_j m ∇W_ij.
    pub gradient: Vec3,
    /// Σ_j |m ∇W_ij|².
    pub gradient_squares: f32,
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
        let of = |c: &PairChunk| {
            size_of::<PairChunk>()
                + 4 * (c.starts.capacity() + c.neighbours.capacity() + c.slopes.capacity())
                + c.images.bytes()
        };
        self.chunks.iter().map(of).sum()
    }

    /// Finds all pairs closer than the support among the sorted particles of `grid`, and their
    /// images in `planes` (normal, offset), and calls `finish(place, place in the chunk, sums, image
    /// sums, result)` for each particle. `results` has one item per chunk.
    pub fn rebuild<R: Send>(
        &mut self,
        grid: &NeighbourGrid,
        resolution: &Resolution,
        planes: &[Plane],
        results: impl IndexedParallelIterator<Item = R>,
        finish: impl Fn(usize, usize, PairSums, ImageSums, &mut R) + Sync,
    ) {
        self.chunks.resize_with(grid.len().div_ceil(CHUNK), PairChunk::default);
        self.planes.clear();
        self.planes.extend_from_slice(planes);
        let threads = rayon::current_num_threads().max(self.scratch.len());
        self.scratch.resize_with(threads, Mutex::default);
        let scratch = &self.scratch;
        let kernel = SplineSlopes::new(resolution);
        self.chunks.par_iter_mut().zip(results).enumerate().for_each(
            |(number, (chunk, mut result))| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let mut scratch = scratch[thread % scratch.len()]
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let first = number * CHUNK;
                chunk.rebuild(grid, first, kernel, planes, &mut scratch, |place, sums, images| {
                    finish(place, place - first, sums, images, &mut result);
                });
            },
        );
    }
}

/// Candidates around one search cell, and the accepted neighbours of one particle.
#[derive(Clone, Debug, Default)]
struct Scratch {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    place: Vec<u32>,
    /// Where the search cell's own particles begin among the candidates.
    own: usize,
    /// Accepted neighbours, as long as the candidates.
    near_x: Vec<f32>,
    near_y: Vec<f32>,
    near_z: Vec<f32>,
    near_place: Vec<u32>,
}

/// Far enough to be nobody's neighbour, near enough to square without overflow.
const NOWHERE: f32 = 1e18;

impl Scratch {
    fn gather(&mut self, grid: &NeighbourGrid, cell: usize) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.place.clear();
        let own_start = grid.cell_range(cell).start;
        grid.for_each_cell_around(cell, |range| {
            if range.start == own_start {
                self.own = self.x.len();
            }
            let positions = &grid.positions()[range.clone()];
            self.x.extend(positions.iter().map(|p| p.x));
            self.y.extend(positions.iter().map(|p| p.y));
            self.z.extend(positions.iter().map(|p| p.z));
            self.place.extend(range.map(|place| place as u32));
        });
        let padded = self.x.len().next_multiple_of(8);
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.resize(padded, NOWHERE);
        }
        self.place.resize(padded, 0);
        // Room for whole groups of eight after the last neighbour.
        for column in [&mut self.near_x, &mut self.near_y, &mut self.near_z] {
            column.resize(column.len().max(padded + 8), 0.0);
        }
        self.near_place.resize(self.near_place.len().max(padded + 8), 0);
    }

    /// Copies the neighbours of one particle to the front of the accepted ones; returns how many.
    fn accept(&mut self, position: Vec3, itself: usize, support_squared: f32) -> usize {
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let limit = f32x8::splat(support_squared);
        let mut count = 0;
        // One mask of 64 candidates at a time: its bits are walked with one mispredicted branch.
        for block in (0..self.x.len()).step_by(64) {
            let end = (block + 64).min(self.x.len());
            let mut mask = 0u64;
            for (group, i) in (block..end).step_by(8).enumerate() {
                let dx = px - load(&self.x, i);
                let dy = py - load(&self.y, i);
                let dz = pz - load(&self.z, i);
                let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
                mask |= u64::from(squared.simd_lt(limit).to_bitmask() as u8) << (8 * group);
            }
            if (block..end).contains(&itself) {
                mask &= !(1 << (itself - block));
            }
            while mask != 0 {
                let candidate = block + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                self.near_x[count] = self.x[candidate];
                self.near_y[count] = self.y[candidate];
                self.near_z[count] = self.z[candidate];
                self.near_place[count] = self.place[candidate];
                count += 1;
            }
        }
        count
    }
}

#[inline(always)]
fn load(column: &[f32], i: usize) -> f32x8 {
    f32x8::new(column[i..i + 8].try_into().expect("padded to eight"))
}

impl PairChunk {
    fn rebuild(
        &mut self,
        grid: &NeighbourGrid,
        first: usize,
        kernel: SplineSlopes,
        planes: &[Plane],
        scratch: &mut Scratch,
        mut finish: impl FnMut(usize, PairSums, ImageSums),
    ) {
        let support = kernel.support();
        self.images.clear();
        self.starts.clear();
        self.neighbours.clear();
        self.slopes.clear();
        self.starts.push(0);
        let mut cell = grid.cell_containing(first);
        scratch.gather(grid, cell);
        for place in first..(first + CHUNK).min(grid.len()) {
            if place >= grid.cell_range(cell).end {
                cell += 1;
                scratch.gather(grid, cell);
            }
            let position = grid.positions()[place];
            let itself = scratch.own + (place - grid.cell_range(cell).start);
            let count = scratch.accept(position, itself, kernel.support_squared);
            let sums = self.append(position, scratch, count, kernel);
            self.starts.push(self.neighbours.len() as u32);
            let mut image_sums = ImageSums::default();
            if planes.iter().any(|(normal, offset)| normal.dot(position) - offset < support) {
                image_sums = self.images.find(grid, planes, &kernel, place, place - first);
            }
            finish(place, sums, image_sums);
        }
    }

    /// Appends the accepted neighbours of one particle with their slopes, and sums over them.
    fn append(
        &mut self,
        position: Vec3,
        scratch: &mut Scratch,
        count: usize,
        kernel: SplineSlopes,
    ) -> PairSums {
        let padded = count.next_multiple_of(8);
        for column in [&mut scratch.near_x, &mut scratch.near_y, &mut scratch.near_z] {
            column[count..padded].fill(NOWHERE);
        }
        reserve_with_slack(&mut self.neighbours, count);
        reserve_with_slack(&mut self.slopes, padded);
        self.neighbours.extend_from_slice(&scratch.near_place[..count]);
        let start = self.slopes.len();
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let mut density = f32x8::ZERO;
        let mut squares = f32x8::ZERO;
        let mut gradient = [f32x8::ZERO; 3];
        for i in (0..padded).step_by(8) {
            let dx = px - load(&scratch.near_x, i);
            let dy = py - load(&scratch.near_y, i);
            let dz = pz - load(&scratch.near_z, i);
            let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
            let (value, slope) = kernel.at(squared);
            density += value;
            squares = (slope * slope).mul_add(squared, squares);
            for (sum, offset) in gradient.iter_mut().zip([dx, dy, dz]) {
                *sum = slope.mul_add(offset, *sum);
            }
            self.slopes.extend_from_slice(slope.as_array());
        }
        self.slopes.truncate(start + count);
        PairSums {
            density: kernel.center + density.reduce_add(),
            gradient: Vec3::from(gradient.map(|sum| sum.reduce_add())),
            gradient_squares: squares.reduce_add(),
        }
    }
}

/// Makes room for `more` values, growing by an eighth instead of doubling: lists are the largest
/// part of the memory and change little from step to step.
fn reserve_with_slack<T>(list: &mut Vec<T>, more: usize) {
    let needed = list.len() + more;
    if needed > list.capacity() {
        list.reserve_exact((needed + needed / 8 + 64) - list.len());
    }
}

/// The cubic spline times the particle mass, eight pairs at a time.
#[derive(Clone, Copy)]
pub(crate) struct SplineSlopes {
    support_squared: f32,
    inverse_support: f32,
    /// m W(0).
    center: f32,
}

impl SplineSlopes {
    pub fn new(resolution: &Resolution) -> Self {
        let support = resolution.support;
        let shape = whitecap_core::kernels::CubicSpline::CENTER / support.powi(3);
        Self {
            support_squared: support * support,
            inverse_support: 1.0 / support,
            center: resolution.mass * shape,
        }
    }

    /// (m W, m W'/r) at squared distances; zero beyond the support.
    #[inline(always)]
    fn at(&self, squared: f32x8) -> (f32x8, f32x8) {
        let inverse_support = f32x8::splat(self.inverse_support);
        let center = f32x8::splat(self.center);
        let u = squared.sqrt() * inverse_support;
        let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
        let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
        let outer2 = outer * outer;
        let value = (outer2 * outer * 2.0 - inner * inner * inner * 8.0) * center;
        // W'/r in both halves of the spline, each without cancellation.
        let in_core = u.simd_lt(f32x8::HALF);
        let slope = in_core.bitselect(u * 18.0 - 12.0, outer2 * -6.0 / u);
        (value, slope * center * inverse_support * inverse_support)
    }

    /// Distance beyond which there is nothing.
    pub fn support(&self) -> f32 {
        1.0 / self.inverse_support
    }

    /// (m W, m W'/r) at one squared distance.
    pub fn at_one(&self, squared: f32) -> (f32, f32) {
        let (value, slope) = self.at(f32x8::splat(squared));
        (value.as_array()[0], slope.as_array()[0])
    }
}
