//! A ray against eight triangles at once, without gaps at shared edges (Woop, Benthin & Wald 2013).
//!
//! Edge functions are plain products and differences, never fused: the two triangles at an edge then
//! compute exactly opposite values, and a value of zero counts as inside for both.

use glam::Vec3;
use wide::f32x8;

/// Triangles in a packet.
pub(super) const LANES: usize = 8;

/// Up to eight triangles, `corners[corner][axis]`. Empty lanes hold a triangle of zero area.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    corners: [[f32x8; 3]; 3],
    pub(super) triangles: [u32; LANES],
}

/// Velocities of the corners of a packet.
#[derive(Clone, Debug)]
pub(super) struct PacketMotion {
    velocities: [[f32x8; 3]; 3],
}

/// Where a ray hits a triangle: weights `u` of corner 1 and `v` of corner 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) distance: f32,
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) triangle: u32,
}

fn lanes_of(triangles: &[[Vec3; 3]]) -> [[f32x8; 3]; 3] {
    std::array::from_fn(|corner| {
        std::array::from_fn(|axis| {
            let value = |lane: usize| triangles.get(lane).map_or(0.0, |t| t[corner][axis]);
            f32x8::new(std::array::from_fn(value))
        })
    })
}

impl Packet {
    pub(super) fn new(corners: &[[Vec3; 3]], indices: &[u32]) -> Self {
        let triangles = std::array::from_fn(|lane| indices.get(lane).copied().unwrap_or(0));
        Self { corners: lanes_of(corners), triangles }
    }

    /// The packet with its corners moved to a moment.
    #[inline]
    pub(super) fn moved(&self, motion: &PacketMotion, time: f32) -> Packet {
        let time = f32x8::splat(time);
        let mut moved = self.clone();
        for (corner, velocity) in moved.corners.iter_mut().zip(&motion.velocities) {
            for (position, velocity) in corner.iter_mut().zip(velocity) {
                *position += *velocity * time;
            }
        }
        moved
    }
}

impl PacketMotion {
    pub(super) fn new(velocities: &[[Vec3; 3]]) -> Self {
        Self { velocities: lanes_of(velocities) }
    }
}

/// A ray turned so that its largest direction component becomes z, and sheared into the z axis.
pub(super) struct ShearedRay {
    axes: [usize; 3],
    origin: [f32x8; 3],
    shear: [f32x8; 3],
}

/// Which lanes a ray hits, and where.
pub(super) struct Crossings {
    mask: u32,
    distances: [f32; LANES],
    u: [f32; LANES],
    v: [f32; LANES],
}

impl ShearedRay {
    pub(super) fn new(origin: Vec3, direction: Vec3) -> Self {
        let kz = direction.abs().max_position();
        let (mut kx, mut ky) = ((kz + 1) % 3, (kz + 2) % 3);
        if direction[kz] < 0.0 {
            std::mem::swap(&mut kx, &mut ky);
        }
        let shear = Vec3::new(direction[kx], direction[ky], 1.0) / direction[kz];
        let axes = [kx, ky, kz];
        Self {
            axes,
            origin: axes.map(|axis| f32x8::splat(origin[axis])),
            shear: shear.to_array().map(f32x8::splat),
        }
    }

    /// Tests the eight triangles; `None` if the ray hits none between its origin and `far`.
    #[inline]
    pub(super) fn meets(&self, packet: &Packet, far: f32) -> Option<Crossings> {
        let [kx, ky, kz] = self.axes;
        let mut x = [f32x8::ZERO; 3];
        let mut y = [f32x8::ZERO; 3];
        let mut z = [f32x8::ZERO; 3];
        for corner in 0..3 {
            let position = &packet.corners[corner];
            z[corner] = position[kz % 3] - self.origin[2];
            x[corner] = position[kx % 3] - self.origin[0] - self.shear[0] * z[corner];
            y[corner] = position[ky % 3] - self.origin[1] - self.shear[1] * z[corner];
        }
        let weight0 = x[2] * y[1] - y[2] * x[1];
        let weight1 = x[0] * y[2] - y[0] * x[2];
        let weight2 = x[1] * y[0] - y[1] * x[0];
        let least = weight0.fast_min(weight1).fast_min(weight2);
        let most = weight0.fast_max(weight1).fast_max(weight2);
        let determinant = weight0 + weight1 + weight2;
        let inside = (least.simd_ge(f32x8::ZERO) | most.simd_le(f32x8::ZERO))
            & determinant.simd_ne(f32x8::ZERO);
        if inside.to_bitmask() == 0 {
            return None;
        }
        let inverse = f32x8::ONE / determinant;
        let depth = (weight0 * z[0] + weight1 * z[1] + weight2 * z[2]) * self.shear[2];
        let distance = depth * inverse;
        let met = inside & distance.simd_gt(f32x8::ZERO) & distance.simd_le(f32x8::splat(far));
        let mask = met.to_bitmask();
        (mask != 0).then(|| Crossings {
            mask,
            distances: distance.to_array(),
            u: (weight1 * inverse).to_array(),
            v: (weight2 * inverse).to_array(),
        })
    }
}

impl Crossings {
    /// The crossings, lowest lane first.
    pub(super) fn each(&self, packet: &Packet, mut found: impl FnMut(Crossing)) {
        let mut mask = self.mask;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            found(Crossing {
                distance: self.distances[lane],
                u: self.u[lane],
                v: self.v[lane],
                triangle: packet.triangles[lane],
            });
        }
    }
}
