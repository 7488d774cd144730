//! An implicit function of particles that can be evaluated at any point, as a ray tracer needs.
//!
//! The same functions as on the grid (see [`super`]), with the particles and their kernels exposed,
//! so that a caller can arrange them for its own queries.
//!
//! # Guarantees
//! * [`ParticleField::value`] is the function that [`crate::implicit_field`] evaluates on nodes, up
//!   to the order of summation.
//! * [`ParticleField::moved`] keeps volumes, radii and stretches, so that the surface of a rigid
//!   motion is the surface moved.
//!
//! # Non-guarantees
//! * [`ParticleField::value`] searches for neighbours on every call; it is the definition, not the
//!   fast way.

use glam::{Mat3, Vec3};
use whitecap_core::eigen::largest_real_eigenvalue;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Particles, SparseGrid, Watch};

use super::anisotropic::Anisotropic;
use super::averaged::{Averaged, Node, jacobian, radius_factor};
use super::blobs::{self, Blobs};
use super::density::{self, Density};
use super::{Implicit, band};
use crate::input::Input;
use crate::{Error, Method, SurfaceSettings};

/// Which function of the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Threshold − SPH density ratio.
    Density,
    /// Distance to the averaged position minus radius (Zhu & Bridson 2005).
    ZhuBridson,
    /// The same with the correction of Solenthaler et al. 2007.
    Solenthaler,
    /// Threshold − density of stretched kernels (Yu & Turk 2013).
    Anisotropic,
    /// Blobs (after Blinn 1982).
    Blobs,
}

impl From<Method> for FieldKind {
    fn from(method: Method) -> Self {
        match method {
            Method::Density => Self::Density,
            Method::ZhuBridson => Self::ZhuBridson,
            Method::Solenthaler => Self::Solenthaler,
            Method::Anisotropic => Self::Anisotropic,
        }
    }
}

/// A particle and its kernel.
#[derive(Clone, Copy, Debug)]
pub struct FieldParticle {
    /// Centre of the kernel, in m; for stretched kernels the smoothed position.
    pub center: Vec3,
    /// Distance over which it contributes, in m.
    pub reach: f32,
    /// Its radius, in m.
    pub radius: f32,
    /// Factor of (1 − u)³₊ − 4 (½ − u)³₊ (density and stretched kernels); one
    /// otherwise.
    pub weight: f32,
    /// Quadratic form with dᵀ M d = u², in 1/m².
    pub form: Mat3,
    /// Index in the caller's set.
    pub source: u32,
}

/// An implicit function of particles: negative inside the liquid.
#[derive(Debug)]
pub struct ParticleField {
    kind: FieldKind,
    threshold: f32,
    input: Input,
    /// By sorted place: weights of the density.
    weights: Vec<f32>,
    stretched: Option<Anisotropic>,
}

impl ParticleField {
    /// The function of `settings.method`, or another `kind` with the same lengths.
    pub fn new(
        particles: &Particles,
        kind: FieldKind,
        settings: &SurfaceSettings,
    ) -> Result<Self, Error> {
        let input = Input::new(particles, settings)?;
        let threshold = settings.threshold;
        let weights = match kind {
            FieldKind::Density => density::weights(&input),
            _ => Vec::new(),
        };
        let stretched = (kind == FieldKind::Anisotropic).then(|| {
            Anisotropic::new(&input, threshold, settings.stretch, settings.center_smoothing)
        });
        Ok(Self { kind, threshold, input, weights, stretched })
    }

    /// Which function it is.
    pub fn kind(&self) -> FieldKind {
        self.kind
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.input.grid.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reference radius, in m.
    pub fn radius(&self) -> f32 {
        self.input.radius
    }

    /// Support of a particle of the reference radius, in m.
    pub fn support(&self) -> f32 {
        self.input.support
    }

    /// The smallest radius of any particle relative to the reference radius.
    pub fn smallest_relative_radius(&self) -> f32 {
        self.input.relative_radius.iter().flatten().copied().fold(1.0, f32::min)
    }

    /// The largest reach of any particle, in m.
    pub fn largest_reach(&self) -> f32 {
        match &self.stretched {
            Some(stretched) => stretched.largest_reach(),
            None => self.input.largest_support(),
        }
    }

    /// Value far from every particle.
    pub fn background(&self) -> f32 {
        match self.kind {
            FieldKind::Density | FieldKind::Anisotropic => self.threshold,
            FieldKind::ZhuBridson | FieldKind::Solenthaler => self.input.radius,
            FieldKind::Blobs => blobs::level(&self.input),
        }
    }

    /// Sentences about the assumptions made.
    pub fn notes(&self) -> &[String] {
        &self.input.notes
    }

    fn grid(&self) -> &NeighbourGrid {
        self.stretched.as_ref().map_or(&self.input.grid, |stretched| stretched.grid())
    }

    /// The particle at a place of the sorted order (see [`NeighbourGrid`]).
    pub fn particle(&self, place: usize) -> FieldParticle {
        if let Some(stretched) = &self.stretched {
            let kernel = stretched.kernel(place);
            let sorted = stretched.grid().order()[place] as usize;
            return FieldParticle {
                center: stretched.grid().positions()[place],
                reach: kernel.reach,
                radius: self.input.radius * self.input.relative_radius(sorted),
                weight: kernel.weight,
                form: kernel.form,
                source: self.input.source[sorted],
            };
        }
        let reach = self.input.reach(place);
        FieldParticle {
            center: self.input.grid.positions()[place],
            reach,
            radius: self.input.radius * self.input.relative_radius(place),
            weight: self.weights.get(place).copied().unwrap_or(1.0),
            form: Mat3::from_diagonal(Vec3::splat(1.0 / (reach * reach))),
            source: self.input.source[place],
        }
    }

    /// The same particles, each moved by `displacement(index in the caller's set)`.
    pub fn moved(&self, displacement: impl Fn(u32) -> Vec3) -> Self {
        let input = self.input.moved(&displacement);
        let order = input.grid.order();
        let weights = match self.weights.is_empty() {
            true => Vec::new(),
            false => order.iter().map(|&place| self.weights[place as usize]).collect(),
        };
        let stretched = self.stretched.as_ref().map(|stretched| {
            let source = |place: u32| self.input.source[place as usize];
            stretched.moved(|place| displacement(source(place)), order)
        });
        Self { kind: self.kind, threshold: self.threshold, input, weights, stretched }
    }

    /// Values at every node, `cell` apart, that any particle reaches, and a few more.
    pub fn nodes(&self, cell: f32, watch: &dyn Watch) -> Result<SparseGrid<f32>, Error> {
        match self.kind {
            FieldKind::Density => {
                let weights = self.weights.clone();
                let density = Density::with_weights(&self.input, self.threshold, weights);
                band::evaluate_everywhere(&density, cell, watch)
            }
            FieldKind::ZhuBridson => {
                band::evaluate_everywhere(&Averaged::new(&self.input, false), cell, watch)
            }
            FieldKind::Solenthaler => {
                band::evaluate_everywhere(&Averaged::new(&self.input, true), cell, watch)
            }
            FieldKind::Anisotropic => match &self.stretched {
                Some(stretched) => band::evaluate_everywhere(stretched, cell, watch),
                None => unreachable!("an anisotropic field has its stretched kernels"),
            },
            FieldKind::Blobs => band::evaluate_everywhere(&Blobs::new(&self.input), cell, watch),
        }
    }

    /// The value at a point.
    pub fn value(&self, point: Vec3) -> f32 {
        match self.kind {
            FieldKind::Density | FieldKind::Anisotropic => {
                self.background() - self.sum(point, |u_squared| half_spline(u_squared.sqrt()))
            }
            FieldKind::Blobs => {
                self.background() - self.sum(point, |u_squared| (1.0 - u_squared).powi(3))
            }
            FieldKind::ZhuBridson | FieldKind::Solenthaler => self.averaged(point),
        }
    }

    /// Σ weight · kernel(u²) over the particles with u < 1.
    fn sum(&self, point: Vec3, kernel: impl Fn(f32) -> f32) -> f32 {
        let mut sum = 0.0;
        self.grid().for_each_within(point, self.largest_reach(), |place, _| {
            let particle = self.particle(place);
            let offset = point - particle.center;
            let u_squared = offset.dot(particle.form * offset);
            if u_squared < 1.0 {
                sum += particle.weight * kernel(u_squared.max(0.0));
            }
        });
        sum
    }

    fn averaged(&self, point: Vec3) -> f32 {
        let (mut total, mut radius, mut mean) = (0.0, 0.0, Vec3::ZERO);
        let (mut slope, mut outer) = (Vec3::ZERO, [0.0; 6]);
        self.grid().for_each_within(point, self.largest_reach(), |place, squared| {
            let particle = self.particle(place);
            let scale = 1.0 / (particle.reach * particle.reach);
            let rest = (1.0 - squared * scale).max(0.0);
            let d = particle.center - point;
            total += rest.powi(3);
            radius += rest.powi(3) * particle.radius;
            mean += rest.powi(3) * d;
            let g = 6.0 * scale * rest * rest * d;
            slope += g;
            let pairs = [g.x * d.x, g.y * d.y, g.z * d.z, g.x * d.y, g.x * d.z, g.y * d.z];
            for (sum, product) in outer.iter_mut().zip(pairs) {
                *sum += product;
            }
        });
        if total <= 1e-12 {
            return self.background();
        }
        let inverse_weight = 1.0 / total;
        let node =
            Node { mean: mean * inverse_weight, radius: radius * inverse_weight, inverse_weight };
        let factor = match self.kind {
            FieldKind::Solenthaler => {
                radius_factor(largest_real_eigenvalue(jacobian(&node, slope.to_array(), outer)))
            }
            _ => 1.0,
        };
        node.mean.length() - node.radius * factor
    }
}

fn half_spline(u: f32) -> f32 {
    (1.0 - u).max(0.0).powi(3) - 4.0 * (0.5 - u).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::scatter::Sequence;
    use whitecap_core::{Tile, Unwatched};

    const KINDS: [FieldKind; 5] = [
        FieldKind::Density,
        FieldKind::ZhuBridson,
        FieldKind::Solenthaler,
        FieldKind::Anisotropic,
        FieldKind::Blobs,
    ];

    fn cloud() -> Particles {
        let mut random = Sequence::new(7);
        Particles::new((0..900).map(|_| random.point() * 0.2).collect())
    }

    fn field(kind: FieldKind) -> ParticleField {
        let settings = SurfaceSettings { radius: Some(0.01), ..SurfaceSettings::default() };
        ParticleField::new(&cloud(), kind, &settings).unwrap()
    }

    /// Contract: the value at a node's position is the value on the grid, for every function.
    #[test]
    fn values_at_points_are_those_on_nodes() {
        for kind in KINDS {
            let field = field(kind);
            let nodes = field.nodes(0.008, &Unwatched).unwrap();
            let (mut count, scale) = (0, field.background());
            for (&tile, values) in nodes.coordinates().iter().zip(nodes.tiles()) {
                let Tile::Dense(values) = values else { panic!("nothing is skipped") };
                for offset in (0..512).step_by(7) {
                    let node = tile * 8 + whitecap_core::sparse_grid::local_node(offset);
                    let exact = field.value(nodes.lattice().position(node));
                    let difference = (exact - values[offset]).abs();
                    assert!(difference < 1e-3 * scale, "{kind:?}: {exact}, {}", values[offset]);
                    count += 1;
                }
            }
            assert!(count > 1000);
        }
    }

    /// Contract: moving every particle by one vector moves the function.
    #[test]
    fn moving_all_particles_moves_the_function() {
        let shift = Vec3::new(0.3, -0.1, 0.07);
        for kind in KINDS {
            let field = field(kind);
            let moved = field.moved(|_| shift);
            for i in 0..200 {
                let t = i as f32;
                let point = 0.2 * Vec3::new((t * 0.618) % 1.0, (t * 0.414) % 1.0, (t * 0.73) % 1.0);
                let (before, after) = (field.value(point), moved.value(point + shift));
                assert!((before - after).abs() < 2e-3 * field.background(), "{kind:?}");
            }
        }
    }
}
