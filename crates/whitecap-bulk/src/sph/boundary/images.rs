//! Plane walls as mirrors: a particle near a wall sees the mirror images of the liquid behind it.
//!
//! The image of a particle has its mass and its pressure and moves as a mirror image does. The
//! density near a wall is then that of a liquid that continues behind the wall, the pressure acts
//! between a particle and an image as between two particles, and both are exact: a lattice that
//! ends half a spacing from the wall has the rest density up to the wall, and a liquid at rest has
//! its hydrostatic pressure there. Walls need no particles and cost nothing away from them.
//!
//! Where walls meet at right angles there are images of images. Walls that meet at other angles
//! have none; there, particles are kept out by [`super::Boundary`] alone.

use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;

use crate::sph::neighbours::MassSpline;
use crate::sph::neighbours::{clear_and_shrink, reserve_with_slack};

/// A plane: unit normal towards the liquid and offset along it.
pub(crate) type Plane = (Vec3, f32);

/// How many reflections one particle can see.
const MOST_REFLECTIONS: usize = 26;

/// Up to three mutually perpendicular planes in which space is reflected.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reflection {
    planes: [u8; 3],
    count: u8,
}

impl Reflection {
    fn with(mut self, plane: u8) -> Self {
        self.planes[usize::from(self.count)] = plane;
        self.count += 1;
        self
    }

    fn planes<'a>(&'a self, planes: &'a [Plane]) -> impl Iterator<Item = Plane> {
        self.planes[..usize::from(self.count)].iter().map(|&plane| planes[usize::from(plane)])
    }

    /// Where the image of a point is.
    pub fn point(&self, planes: &[Plane], point: Vec3) -> Vec3 {
        self.planes(planes)
            .fold(point, |p, (normal, offset)| p - normal * (2.0 * (normal.dot(p) - offset)))
    }

    /// The image of a direction.
    pub fn vector(&self, planes: &[Plane], vector: Vec3) -> Vec3 {
        self.planes(planes).fold(vector, |v, (normal, _)| v - normal * (2.0 * normal.dot(v)))
    }
}

/// The images in one reflection that one particle sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageRow {
    /// Index of the particle in its chunk.
    pub local: u16,
    reflection: Reflection,
    start: u32,
    end: u32,
    /// Density that these images contribute to the particle, in kg/m³.
    pub density: f32,
}

/// The images that the particles of one chunk see.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    rows: Vec<ImageRow>,
    particles: Vec<u32>,
    /// m W'/r in steps of `slope_step`, as in the list of pairs.
    slopes: Vec<u16>,
    slope_step: f32,
}

/// What the images add to the sums of one particle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ImageSums {
    /// Σ m W.
    pub density: f32,
    /// Σ m ∇W.
    pub gradient: Vec3,
    /// Σ |m ∇W|² without the particle's own images.
    pub gradient_squares: f32,
    /// Σ m ∇W of the particle's own images.
    pub own: Vec3,
}

impl Images {
    /// Clears all images. Slopes will be stored in steps of `slope_step`.
    pub fn clear(&mut self, slope_step: f32) {
        self.slope_step = slope_step;
        clear_and_shrink(&mut self.rows);
        clear_and_shrink(&mut self.particles);
        clear_and_shrink(&mut self.slopes);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.particles.capacity()
            + 2 * self.slopes.capacity()
            + size_of::<ImageRow>() * self.rows.capacity()
    }

    /// The rows, in the order of the particles.
    pub fn rows(&self) -> &[ImageRow] {
        &self.rows
    }

    /// Σ_j' m (f_i + f_j) ∇W(x_i − x_j') for a scalar such as the pressure; `here` is the position of
    /// the particle and its scalar, `there` gives those of others.
    #[inline]
    pub fn gradient(
        &self,
        row: &ImageRow,
        planes: &[Plane],
        here: (Vec3, f32),
        there: impl Fn(usize) -> (Vec3, f32),
    ) -> Vec3 {
        let mirrored = row.reflection.point(planes, here.0);
        let mut sum = Vec3::ZERO;
        for (j, slope) in self.of(row) {
            let (position, value) = there(j);
            sum += (mirrored - position) * (slope * (here.1 + value));
        }
        row.reflection.vector(planes, sum)
    }

    /// Σ_j' m (u_i − u_j')·∇W(x_i − x_j') for a vector such as the velocity, where u_j' is the image of
    /// that of j; `here` is the position of the particle and its vector, `there` gives those of
    /// others.
    #[inline]
    pub fn divergence(
        &self,
        row: &ImageRow,
        planes: &[Plane],
        here: (Vec3, Vec3),
        there: impl Fn(usize) -> (Vec3, Vec3),
    ) -> f32 {
        // Seen in the mirror, the particle is reflected and the others are not.
        let mirrored = row.reflection.point(planes, here.0);
        let own = row.reflection.vector(planes, here.1);
        let mut sum = 0.0;
        for (j, slope) in self.of(row) {
            let (position, vector) = there(j);
            sum += slope * (mirrored - position).dot(own - vector);
        }
        sum
    }

    fn of(&self, row: &ImageRow) -> impl Iterator<Item = (usize, f32)> {
        let range = row.start as usize..row.end as usize;
        let particles = &self.particles[range.clone()];
        let slopes = self.slopes[range].iter().map(|&slope| f32::from(slope) * self.slope_step);
        particles.iter().map(|&j| j as usize).zip(slopes)
    }

    /// Finds the images that the particle at the sorted index `place` sees.
    pub fn find(
        &mut self,
        grid: &NeighbourGrid,
        planes: &[Plane],
        kernel: &MassSpline,
        place: usize,
        local: usize,
    ) -> ImageSums {
        let position = grid.positions()[place];
        let support = kernel.support();
        if planes.iter().all(|(normal, offset)| normal.dot(position) - offset >= support) {
            return ImageSums::default();
        }
        let mut reflections = [Reflection::default(); MOST_REFLECTIONS + 1];
        let mut count = 1;
        for (number, &(normal, offset)) in planes.iter().enumerate().take(256) {
            if normal.dot(position) - offset >= support {
                continue;
            }
            let mut added = 0;
            for i in 0..count.min(MOST_REFLECTIONS + 1 - count) {
                let reflection = reflections[i];
                let square = reflection.planes(planes).all(|(n, _)| n.dot(normal).abs() < 1e-3);
                if reflection.count < 3 && square {
                    reflections[count + added] = reflection.with(number as u8);
                    added += 1;
                }
            }
            count += added;
        }
        let mut sums = ImageSums::default();
        for reflection in &reflections[1..count] {
            let start = self.particles.len() as u32;
            let mut density = 0.0;
            // |x_i − x_j'| = |x_i' − x_j|: the images near a particle are the particles near its
            // image.
            let mirrored = reflection.point(planes, position);
            grid.for_each_within(mirrored, support, |j, squared| {
                let (value, slope) = kernel.at_one(squared);
                let offset = mirrored - grid.positions()[j];
                let gradient = reflection.vector(planes, offset * slope);
                density += value;
                sums.gradient += gradient;
                if j == place {
                    sums.own += gradient;
                } else {
                    sums.gradient_squares += gradient.length_squared();
                }
                reserve_with_slack(&mut self.particles, 1);
                reserve_with_slack(&mut self.slopes, 1);
                self.particles.push(j as u32);
                self.slopes.push((slope / self.slope_step).round() as u16);
            });
            let end = self.particles.len() as u32;
            if end > start {
                let (local, reflection) = (local as u16, *reflection);
                reserve_with_slack(&mut self.rows, 1);
                self.rows.push(ImageRow { local, reflection, start, end, density });
                sums.density += density;
            }
        }
        sums
    }
}
