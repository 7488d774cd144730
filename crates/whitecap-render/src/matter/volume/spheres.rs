//! A union of spheres with a soft rim (Dagenais et al. 2016, section 3.5).
//!
//! The density is one inside any sphere and falls off smoothly to zero over half a radius around it;
//! where rims overlap, the largest counts. It is continuous everywhere.
//!
//! Spheres are sorted into grids by size: the spheres of a grid reach at most half a cell, so that
//! eight cells hold everything that can matter at a point.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::tile_order;
use whitecap_core::{Bounds, CoordinateIndex, Lattice, Particles};

use super::VolumeError;

/// Width of the rim, in radii.
const RIM: f32 = 0.5;

/// One sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre at the frame's own time, in m.
    pub center: Vec3,
    /// Radius in m, without the rim.
    pub radius: f32,
    /// Velocity in m/s.
    pub velocity: Vec3,
}

/// Many spheres, prepared for evaluating their density.
pub struct SphereUnion {
    levels: Vec<Level>,
    shutter: [f32; 2],
    bounds: Bounds,
    mean_extent: f32,
}

/// The spheres of about one size, sorted by cell.
struct Level {
    lattice: Lattice,
    cells: CoordinateIndex,
    starts: Vec<u32>,
    spheres: Vec<Sphere>,
}

/// Where a sphere may be during the shutter.
pub(super) struct SweptSphere {
    pub bounds: Bounds,
    sphere: Sphere,
    moves: bool,
}

impl SphereUnion {
    /// Sorts spheres. `shutter` is the first and the last time that will be evaluated, in s
    /// relative to the frame's own time. Spheres of radius zero are left out.
    pub fn new(spheres: &[Sphere], shutter: [f32; 2]) -> Result<Self, VolumeError> {
        let wrong = |s: &Sphere| {
            !(s.center.is_finite()
                && s.velocity.is_finite()
                && s.radius.is_finite()
                && s.radius >= 0.0)
        };
        if let Some(index) = spheres.iter().position(wrong) {
            let Sphere { center, radius, velocity } = spheres[index];
            return Err(VolumeError::Sphere { index, center, radius, velocity });
        }
        let shutter = [shutter[0].min(shutter[1]), shutter[0].max(shutter[1])];
        let mut placed: Vec<(i32, IVec3, Sphere)> = spheres
            .par_iter()
            .filter(|sphere| sphere.radius > 0.0)
            .map(|sphere| {
                let level = sphere.extent(shutter).log2().ceil() as i32;
                (level, lattice(level).locate(sphere.middle(shutter)).0, *sphere)
            })
            .collect();
        placed.par_sort_by_key(|(level, cell, _)| (*level, tile_order(*cell)));
        let kept = || placed.iter().map(|(_, _, sphere)| sphere);
        let bounds =
            kept().fold(Bounds::EMPTY, |bounds, sphere| bounds.union(sphere.swept(shutter).bounds));
        let total: f64 = kept().map(|sphere| f64::from(sphere.extent(shutter))).sum();
        let mean_extent = (total / placed.len().max(1) as f64) as f32;
        let levels = placed.chunk_by(|a, b| a.0 == b.0).map(Level::new).collect();
        Ok(Self { levels, shutter, bounds, mean_extent })
    }

    /// The spheres of particles: their `radius` column, or one radius in m for all; their `velocity`
    /// column, or no movement.
    pub fn of_particles(
        particles: &Particles,
        radius: f32,
        shutter: [f32; 2],
    ) -> Result<Self, VolumeError> {
        let radii = match particles.attribute("radius") {
            Some(whitecap_core::Column::F32(radii)) => Some(radii),
            _ => None,
        };
        let velocities = particles.velocities();
        let spheres: Vec<Sphere> = particles
            .positions()
            .iter()
            .enumerate()
            .map(|(index, &center)| Sphere {
                center,
                radius: radii.map_or(radius, |radii| radii[index]),
                velocity: velocities.map_or(Vec3::ZERO, |velocities| velocities[index]),
            })
            .collect();
        Self::new(&spheres, shutter)
    }

    /// The density at a point and a moment of the shutter, from 0 to 1.
    pub fn density(&self, point: Vec3, time: f32) -> f32 {
        let time = time.clamp(self.shutter[0], self.shutter[1]);
        let mut largest = 0.0f32;
        for level in &self.levels {
            for sphere in level.near(point) {
                largest = largest.max(sphere.density(point, time));
                if largest >= 1.0 {
                    return 1.0;
                }
            }
        }
        largest
    }

    /// Number of spheres.
    pub fn len(&self) -> usize {
        self.levels.iter().map(|level| level.spheres.len()).sum()
    }

    /// Whether there is no sphere.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// A box around everything during the shutter, rims included.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        // An index has two to four slots of sixteen bytes per cell.
        self.levels
            .iter()
            .map(|level| level.spheres.len() * size_of::<Sphere>() + level.starts.len() * 52)
            .sum()
    }

    /// How far a sphere reaches from its middle during the shutter, on average.
    pub(super) fn mean_extent(&self) -> f32 {
        self.mean_extent
    }

    fn spheres(&self) -> impl Iterator<Item = &Sphere> {
        self.levels.iter().flat_map(|level| &level.spheres)
    }

    pub(super) fn extents(&self) -> impl Iterator<Item = f32> {
        self.spheres().map(|sphere| sphere.extent(self.shutter))
    }

    pub(super) fn for_each_swept(&self, act: impl FnMut(SweptSphere)) {
        self.spheres().map(|sphere| sphere.swept(self.shutter)).for_each(act);
    }
}

/// The grid for spheres that reach at most 2^`level` metres.
fn lattice(level: i32) -> Lattice {
    Lattice::at_origin(2.0f32.powi(level.clamp(-120, 120) + 1))
}

impl Level {
    fn new(placed: &[(i32, IVec3, Sphere)]) -> Self {
        let lattice = lattice(placed[0].0);
        let runs = placed.chunk_by(|a, b| a.1 == b.1);
        let cells: Vec<IVec3> = runs.clone().map(|run| run[0].1).collect();
        let mut starts = vec![0u32];
        starts.extend(runs.scan(0u32, |end, run| {
            *end += run.len() as u32;
            Some(*end)
        }));
        let spheres = placed.iter().map(|(_, _, sphere)| *sphere).collect();
        Self { lattice, cells: CoordinateIndex::build(&cells), starts, spheres }
    }

    /// The spheres of the eight cells nearest to a point.
    fn near(&self, point: Vec3) -> impl Iterator<Item = &Sphere> {
        let (low, _) = self.lattice.locate(point - 0.5 * self.lattice.cell);
        (0..8).flat_map(move |corner: i32| {
            let cell = low + IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let range = self
                .cells
                .get(cell)
                .map_or(0..0, |place| self.starts[place] as usize..self.starts[place + 1] as usize);
            &self.spheres[range]
        })
    }
}

impl Sphere {
    /// Where it is in the middle of the shutter.
    fn middle(&self, shutter: [f32; 2]) -> Vec3 {
        self.center + 0.5 * (shutter[0] + shutter[1]) * self.velocity
    }

    /// How far it reaches from there during the shutter, rim included.
    fn extent(&self, shutter: [f32; 2]) -> f32 {
        let travel = 0.5 * (shutter[1] - shutter[0]) * self.velocity.length();
        // Slightly more, for the rounding of positions.
        (1.0 + RIM) * self.radius * 1.0001 + travel
    }

    fn density(&self, point: Vec3, time: f32) -> f32 {
        rim(point.distance(self.center + time * self.velocity) / self.radius)
    }

    fn swept(&self, shutter: [f32; 2]) -> SweptSphere {
        let ends = shutter.map(|time| self.center + time * self.velocity);
        let bounds = Bounds::new(ends[0].min(ends[1]), ends[0].max(ends[1]))
            .grown((1.0 + RIM) * self.radius);
        let moves = self.velocity != Vec3::ZERO && shutter != [0.0; 2];
        SweptSphere { bounds, sphere: *self, moves }
    }
}

impl SweptSphere {
    /// An upper bound of the density of the sphere in a box.
    pub fn largest_density(&self, bounds: &Bounds) -> f32 {
        match self.moves {
            true => 1.0,
            // Slightly nearer, for the rounding of positions.
            false => {
                let distance = bounds.distance_squared(self.sphere.center).sqrt();
                rim(distance / self.sphere.radius - 1e-3)
            }
        }
    }
}

/// Density at a distance in radii: one inside, then smoothly down to zero.
fn rim(distance: f32) -> f32 {
    let out = ((distance - 1.0) / RIM).clamp(0.0, 1.0);
    1.0 - out * out * (3.0 - 2.0 * out)
}
