//! What a picture shows: the liquid of a frame, as far as a camera and a floor need to know it.
//!
//! # Guarantees
//! A few points far from all others do not count: neither the camera nor the floor looks for them.

use std::path::Path;
use std::sync::Arc;

use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, GridValues, Particles, TriMesh};
use whitecap_io::Kind;
use whitecap_shot::FrameData;
use whitecap_surface::particle_spacing;

use crate::failure::Failure;

/// Fraction of the liquid on either side of an axis that may be stray.
const STRAY: f64 = 0.005;
/// Fewer points than this all count.
const FEW: usize = 50;
/// How far beyond the others, in widths of the others, a point still counts.
const NEARBY: f32 = 0.5;
/// Largest radius that counts, in those of the particle in the middle.
const LARGEST_RADIUS: f32 = 16.0;

/// The liquid of a frame.
pub struct Subject {
    /// The liquid itself.
    pub data: FrameData,
    /// Points of it and how far it reaches beyond each, without strays.
    pub balls: Vec<(Vec3, f32)>,
    /// Whether it is a sheet with an edge, open below: a height field.
    pub is_sheet: bool,
}

impl Subject {
    /// Reads the liquid of a file; `radius` is that of particles, if it was given.
    pub fn read(path: &Path, radius: Option<f32>) -> Result<Self, Failure> {
        Ok(match whitecap_io::kind_of(path)? {
            Kind::Particles => Self::of_particles(whitecap_io::read_particles(path)?, radius),
            Kind::Mesh => Self::of_mesh(whitecap_io::read_mesh(path)?),
            Kind::Volume => {
                let volume = whitecap_io::vdb::read(path)?;
                let scalars = volume.grids.iter().filter_map(|grid| match &grid.values {
                    GridValues::Scalar(values) => Some(values),
                    GridValues::Vector(_) => None,
                });
                let surfaces: Vec<TriMesh> =
                    scalars.map(whitecap_surface::marching_cubes::extract).collect();
                let found = Self::of_mesh(TriMesh::joined(&surfaces));
                Self { data: FrameData::Volume(Arc::new(volume)), is_sheet: false, ..found }
            }
        })
    }

    fn of_particles(particles: Particles, radius: Option<f32>) -> Self {
        let positions = particles.positions();
        let places = without_strays(positions, None);
        let own = particles.radii().filter(|_| radius.is_none());
        let balls = match own {
            Some(radii) => {
                let largest = LARGEST_RADIUS * median(places.iter().map(|&place| radii[place]));
                let ball = |place: usize| (positions[place], radii[place].min(largest).max(0.0));
                places.into_iter().map(ball).collect()
            }
            None => {
                let points: Vec<Vec3> = places.iter().map(|&place| positions[place]).collect();
                let guessed = || particle_spacing(&points).map(|spacing| 0.5 * spacing);
                let radius = radius.or_else(guessed).unwrap_or(0.0);
                points.into_iter().map(|point| (point, radius)).collect()
            }
        };
        Self { data: FrameData::Particles(Arc::new(particles)), balls, is_sheet: false }
    }

    fn of_mesh(mesh: TriMesh) -> Self {
        let places = without_strays(mesh.positions(), Some(&vertex_areas(&mesh)));
        let balls = places.into_iter().map(|place| (mesh.positions()[place], 0.0)).collect();
        let is_sheet = whitecap_shot::stages::is_sheet(&mesh);
        Self { data: FrameData::Mesh(Arc::new(mesh)), balls, is_sheet }
    }

    /// The box around what counts; empty if there is nothing.
    pub fn bounds(&self) -> Bounds {
        let boxes = self.balls.iter().map(|&(point, radius)| {
            Bounds::new(point - Vec3::splat(radius), point + Vec3::splat(radius))
        });
        boxes.fold(Bounds::EMPTY, Bounds::union)
    }
}

/// The middle one of some numbers; 0 if there are none.
fn median(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut numbers: Vec<f32> = numbers.filter(|number| number.is_finite()).collect();
    numbers.sort_unstable_by(f32::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// Places of the points that are not far from all others along any axis. Each counts by its weight.
fn without_strays(points: &[Vec3], weights: Option<&[f32]>) -> Vec<usize> {
    let is_sound = |point: &Vec3| point.is_finite() && point.abs().max_element() < 1e18;
    let sound = (0..points.len()).filter(|&place| is_sound(&points[place]));
    let mut places: Vec<usize> = sound.collect();
    if places.len() < FEW {
        return places;
    }
    let mut limits = [[0.0f32; 2]; 3];
    for (axis, limits) in limits.iter_mut().enumerate() {
        let weight = |place: usize| weights.map_or(1.0, |weights| f64::from(weights[place]));
        let mut along: Vec<(f32, f64)> =
            places.iter().map(|&place| (points[place][axis], weight(place))).collect();
        along.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let low = beyond_share(along.iter());
        let high = beyond_share(along.iter().rev());
        let width = (high - low).max(0.0);
        *limits = [low - NEARBY * width, high + NEARBY * width];
    }
    places.retain(|&place| {
        (0..3).all(|axis| (limits[axis][0]..=limits[axis][1]).contains(&points[place][axis]))
    });
    places
}

/// The coordinate beyond which more than the stray share lies.
fn beyond_share<'a>(along: impl Iterator<Item = &'a (f32, f64)> + Clone) -> f32 {
    let total: f64 = along.clone().map(|(_, weight)| weight).sum();
    let mut passed = 0.0;
    let mut last = 0.0;
    for &(coordinate, weight) in along {
        passed += weight;
        last = coordinate;
        if passed > STRAY * total {
            break;
        }
    }
    last
}

/// A third of the area of the triangles around each vertex.
fn vertex_areas(mesh: &TriMesh) -> Vec<f32> {
    let mut areas = vec![0.0f32; mesh.positions().len()];
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|corner| mesh.positions()[corner as usize]);
        let share = (b - a).cross(c - a).length() / 6.0;
        for &corner in triangle {
            areas[corner as usize] += if share.is_finite() { share } else { 0.0 };
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Vec<Vec3> {
        (0..1000)
            .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32))
            .collect()
    }

    /// Contract: a few particles far away do not count, whatever their distance; drops near the others do.
    #[test]
    fn strays_do_not_count() {
        let near = Vec3::new(12.0, 4.0, 4.0);
        let strays = [Vec3::splat(1e30), Vec3::new(500.0, 3.0, 3.0), Vec3::new(0.0, -1e6, 0.0)];
        let positions = lattice().into_iter().chain([near]).chain(strays).collect();
        let subject = Subject::of_particles(Particles::new(positions), Some(0.5));
        assert_eq!(subject.balls.len(), 1001);
        assert_eq!(subject.bounds(), Bounds::new(Vec3::splat(-0.5), Vec3::new(12.5, 9.5, 9.5)));
    }

    /// Regression: particles whose radii are negative ended in a panic. Contract: they are points here, and
    /// refused with a sentence when the frame is rendered.
    #[test]
    fn negative_radii_are_points() {
        let mut particles = Particles::new(lattice());
        let radii = whitecap_core::Column::F32(vec![-0.1; 1000]);
        particles.set_attribute("radius", radii).unwrap();
        let subject = Subject::of_particles(particles, None);
        assert_eq!(subject.bounds(), Bounds::new(Vec3::ZERO, Vec3::splat(9.0)));
    }

    /// Contract: of few particles all count.
    #[test]
    fn few_points_all_count() {
        let positions = vec![Vec3::ZERO, Vec3::splat(1e3)];
        let subject = Subject::of_particles(Particles::new(positions), Some(0.5));
        assert_eq!(subject.balls.len(), 2);
    }
}
