//! Particles and their copies inside walls as kernels, in the order of their field.

use glam::Vec3;
use whitecap_core::counted;
use whitecap_scene::tags::BLIND;
use whitecap_surface::{FieldKind, ParticleField};

use super::kernel::{Form, Kernel};
use crate::liquid::Shutter;

/// The farthest a particle may move during the shutter, in supports; faster ones are slowed down.
const LONGEST_WAY: f32 = 128.0;

/// Particles, then copies of some of them at other positions.
pub(crate) struct Sources<'a> {
    /// Number of particles.
    pub count: usize,
    /// (particle, position) of each copy.
    pub ghosts: &'a [(u32, Vec3)],
    velocities: Option<&'a [Vec3]>,
    /// In m/s.
    fastest: f32,
}

impl<'a> Sources<'a> {
    /// Particles and copies whose velocities are limited to what the shutter allows.
    pub fn new(
        count: usize,
        ghosts: &'a [(u32, Vec3)],
        velocities: Option<&'a [Vec3]>,
        support: f32,
        shutter: Shutter,
    ) -> Self {
        let span = shutter.open.abs().max(shutter.close.abs());
        let fastest = if span > 0.0 { LONGEST_WAY * support / span } else { f32::INFINITY };
        Self { count, ghosts, velocities, fastest }
    }

    /// The particle itself, or the one that it is a copy of.
    fn original(&self, source: u32) -> u32 {
        match (source as usize).checked_sub(self.count) {
            Some(ghost) => self.ghosts[ghost].0,
            None => source,
        }
    }

    /// In m/s.
    pub fn velocity(&self, source: u32) -> Vec3 {
        let original = self.original(source) as usize;
        let velocity = self.velocities.map_or(Vec3::ZERO, |velocities| velocities[original]);
        velocity.clamp_length_max(self.fastest)
    }

    /// A sentence about particles that were slowed down, if there are any.
    pub fn note(&self) -> Option<String> {
        let Self { fastest, .. } = self;
        let is_faster = |velocity: &&Vec3| velocity.length() > *fastest;
        let slowed = self.velocities.map_or(0, |all| all.iter().filter(is_faster).count());
        (slowed > 0).then(|| format!(
            "{} would cross more than {LONGEST_WAY} supports while the shutter is open; blurred as if at {fastest:.3e} m/s",
            counted(slowed, "particle"),
        ))
    }
}

/// The kernels of a field and the data of each.
pub(crate) struct Arranged {
    pub kernels: Vec<Kernel>,
    /// Only for stretched kernels.
    pub forms: Vec<Form>,
    /// Particle of each kernel, even if it is a copy.
    pub source: Vec<u32>,
    /// Number of the copy for each kernel, or a negative number; empty if there are no copies.
    pub ghost_of: Vec<u32>,
    /// Whether it is blind, that is, invisible to rays; empty if particles have no types.
    pub blind: Vec<bool>,
    /// The largest radius, if the field uses averaged positions.
    pub hull: Option<f32>,
}

impl Arranged {
    pub fn new(field: &ParticleField, sources: &Sources, types: Option<&[i32]>) -> Self {
        let averaged = matches!(field.kind(), FieldKind::ZhuBridson | FieldKind::Solenthaler);
        let parts: Vec<_> = (0..field.len()).map(|place| field.particle(place)).collect();
        let kernels = parts
            .iter()
            .map(|particle| Kernel {
                center: particle.center,
                inverse_reach: 1.0 / particle.reach,
                velocity: sources.velocity(particle.source),
                weight: if averaged { particle.radius } else { particle.weight },
            })
            .collect();
        let forms = match field.kind() {
            FieldKind::Anisotropic => parts.iter().map(|particle| six(particle.form)).collect(),
            _ => Vec::new(),
        };
        let source: Vec<u32> = parts.iter().map(|part| sources.original(part.source)).collect();
        let ghost_of = match sources.ghosts.is_empty() {
            true => Vec::new(),
            false => {
                let first = sources.count as u32;
                parts.iter().map(|part| part.source.wrapping_sub(first)).collect()
            }
        };
        let blind = match types {
            Some(types) => source.iter().map(|&i| types[i as usize] == BLIND).collect(),
            None => Vec::new(),
        };
        let hull = averaged.then(|| parts.iter().map(|part| part.radius).fold(0.0, f32::max));
        Self { kernels, forms, source, ghost_of, blind, hull }
    }
}

fn six(form: glam::Mat3) -> Form {
    let [x, y, z] = form.to_cols_array_2d();
    [x[0], y[1], z[2], x[1], x[2], y[2]]
}
