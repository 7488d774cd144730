//! Values on faces: reading them between faces, and what flows out of cells.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, tile_of};
use whitecap_scene::force_field::{ForceField, total_acceleration};

use super::MacLattice;

/// Velocity at a position: each component trilinear in its own faces.
pub fn sample(velocity: &SparseGrid<Vec3>, position: Vec3) -> Vec3 {
    let lattice = MacLattice { corners: velocity.lattice() };
    Vec3::from_array(std::array::from_fn(|axis| {
        let (low, t) = lattice.face_centers(axis).locate(position);
        let around = velocity.neighbourhood(tile_of(low));
        let value = |corner: usize| around.get((low & 7) + corner_step(corner))[axis];
        trilinear(std::array::from_fn(value), t)
    }))
}

/// The step to a corner of a cell: x, then y, then z.
#[inline]
pub fn corner_step(corner: usize) -> IVec3 {
    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2) as i32)
}

/// The value between eight corners.
#[inline]
pub fn trilinear(corners: [f32; 8], t: Vec3) -> f32 {
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let low = mix(mix(corners[0], corners[1], t.x), mix(corners[2], corners[3], t.x), t.y);
    let high = mix(mix(corners[4], corners[5], t.x), mix(corners[6], corners[7], t.x), t.y);
    mix(low, high, t.z)
}

/// How the value between eight corners changes along each axis, per cell.
#[inline]
pub fn trilinear_gradient(v: [f32; 8], t: Vec3) -> Vec3 {
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let bilinear =
        |a: f32, b: f32, c: f32, d: f32, s: f32, t: f32| mix(mix(a, b, s), mix(c, d, s), t);
    Vec3::new(
        bilinear(v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6], t.y, t.z),
        bilinear(v[2] - v[0], v[3] - v[1], v[6] - v[4], v[7] - v[5], t.x, t.z),
        bilinear(v[4] - v[0], v[5] - v[1], v[6] - v[2], v[7] - v[3], t.x, t.y),
    )
}

/// The acceleration of the three low faces of a cell, each by fields at its own place, in m/s².
pub fn acceleration_of_faces(
    fields: &[ForceField],
    lattice: MacLattice,
    cell: IVec3,
    velocity: Vec3,
    time: f64,
) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|axis| {
        let face = lattice.face_centers(axis).position(cell);
        total_acceleration(fields, face, velocity, time)[axis]
    }))
}

/// What flows out of a cell through its faces, each weighted by its open fraction, in m/s; the rest of each
/// face moves with the solid. `cell` is relative to the tile of the neighbourhoods.
#[inline]
pub fn outflow(
    velocity: &Neighbourhood<'_, Vec3>,
    fractions: &Neighbourhood<'_, Vec3>,
    solid: &Neighbourhood<'_, Vec3>,
    cell: IVec3,
) -> f32 {
    let mut sum = 0.0;
    for axis in 0..3 {
        let through = |face: IVec3| {
            let open = fractions.get(face)[axis];
            open * velocity.get(face)[axis] + (1.0 - open) * solid.get(face)[axis]
        };
        sum += through(cell + IVec3::AXES[axis]) - through(cell);
    }
    sum
}
