//! Vertices follow the particles (Dagenais et al. 2017, §2.2): once per frame, by the
//! poly6-weighted movement of the particles within two spacings, a radius that grows until a
//! particle is found.
//!
//! The paper takes the weighted mean of the displacements. On a surface the particles lie to one side, so
//! that a rotation moves the vertex as if it were at their centre, half a spacing deeper: the mesh slips.
//! Here the mean is completed by the rotation of the particles about their centre (the rotational part of
//! their deformation, found as by Müller et al. 2016), which makes rigid motion exact, and by their
//! stretch and shear as far as these can be determined, which halves the error in a twist.
//!
//! # Guarantees
//! A rigid motion of the particles is reproduced to rounding. Every vertex moves with some particle
//! if there is one in both frames.

use glam::{DMat3, DQuat, DVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::Bounds;
use whitecap_core::neighbours::NeighbourGrid;

use crate::movement::Movement;

/// The displacement of each vertex.
pub(crate) fn displacements(positions: &[Vec3], movement: &Movement, spacing: f32) -> Vec<Vec3> {
    if movement.position.is_empty() {
        return vec![Vec3::ZERO; positions.len()];
    }
    let radius = 2.0 * spacing;
    let grid = NeighbourGrid::build(&movement.position, radius);
    let sorted: Vec<Vec3> =
        grid.order().iter().map(|&particle| movement.displacement[particle as usize]).collect();
    let bounds = Bounds::of(&movement.position);
    positions.par_iter().map(|&x| displacement(x, &grid, &sorted, bounds, radius)).collect()
}

fn displacement(
    x: Vec3,
    grid: &NeighbourGrid,
    displacements: &[Vec3],
    bounds: Bounds,
    mut radius: f32,
) -> Vec3 {
    // For a vertex far from everything, the search starts at the distance where the nearest particle can be.
    radius = radius.max(1.001 * bounds.distance_squared(x).sqrt());
    let farthest = radius + bounds.size().length();
    loop {
        if let Some(found) = weighted_movement(x, grid, displacements, radius) {
            return found;
        }
        if radius > farthest {
            return Vec3::ZERO;
        }
        radius *= 1.5;
    }
}

/// Weighted mean and rotation of the particles within `radius`; `None` if there is no particle.
fn weighted_movement(
    x: Vec3,
    grid: &NeighbourGrid,
    displacements: &[Vec3],
    radius: f32,
) -> Option<Vec3> {
    let scale = 1.0 / (radius * radius);
    // Double precision: rotations come from small differences.
    let (mut total, mut center, mut mean) = (0.0f64, DVec3::ZERO, DVec3::ZERO);
    // Σ w p pᵀ and Σ w Δp pᵀ, with p relative to the vertex.
    let mut spread = DMat3::ZERO;
    let mut turned = DMat3::ZERO;
    grid.for_each_within(x, radius, |place, distance_squared| {
        let rest = f64::from((1.0 - distance_squared * scale).max(0.0));
        let w = rest * rest * rest;
        let (p, d) = ((grid.positions()[place] - x).as_dvec3(), displacements[place].as_dvec3());
        let wp = w * p;
        total += w;
        center += wp;
        mean += w * d;
        spread += DMat3::from_cols(p * wp.x, p * wp.y, p * wp.z);
        turned += DMat3::from_cols(d * wp.x, d * wp.y, d * wp.z);
    });
    if total <= 0.0 {
        return None;
    }
    center /= total;
    mean /= total;
    let about = |v: DVec3| {
        let c = total * center;
        DMat3::from_cols(v * c.x, v * c.y, v * c.z)
    };
    // Σ w (p' − p̄') (p − p̄)ᵀ = Σ w (p + Δp − …) (p − …)ᵀ.
    let spread = spread - about(center);
    let deformation = spread + (turned - about(mean));
    let rotation = rotational_part(deformation);
    let strain = strain(DMat3::from_quat(rotation.inverse()) * deformation, spread);
    Some((mean + center - rotation * (center + strain * center)).as_vec3())
}

/// The stretch and shear of a deformation without its rotation: E with E S = A − S in the least-squares
/// sense, damped to zero where the particles are too few or too flat to determine it, and where they
/// separate.
fn strain(deformation: DMat3, spread: DMat3) -> DMat3 {
    const DOUBT: f64 = 0.01;
    const MOST: f64 = 0.3;
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let firm = spread + DMat3::from_diagonal(DVec3::splat(DOUBT * trace));
    if firm.determinant() <= 1e-12 * trace.powi(3) {
        return DMat3::ZERO;
    }
    let strain = (deformation - spread) * firm.inverse();
    let size = strain.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
    if size > MOST { strain * (MOST / size) } else { strain }
}

/// The rotation nearest to a deformation, starting from rest: it maximises tr(Rᵀ A). The gradient is
/// that of Müller et al. 2016; dividing by the curvature (Newton) converges even where particles lie
/// nearly in a line.
fn rotational_part(deformation: DMat3) -> DQuat {
    const MOST_TURNS: usize = 16;
    let size = deformation.to_cols_array().iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if size <= 0.0 || !size.is_finite() {
        return DQuat::IDENTITY;
    }
    let a = deformation * (1.0 / size);
    let mut rotation = DQuat::IDENTITY;
    for _ in 0..MOST_TURNS {
        let r = DMat3::from_quat(rotation);
        let leaving =
            r.x_axis.cross(a.x_axis) + r.y_axis.cross(a.y_axis) + r.z_axis.cross(a.z_axis);
        let product = a * r.transpose();
        let symmetric = (product + product.transpose()) * 0.5;
        let trace = symmetric.x_axis.x + symmetric.y_axis.y + symmetric.z_axis.z;
        // Rotations about a line through all particles are undetermined; they are left out.
        let curvature = DMat3::from_diagonal(DVec3::splat(trace.abs() * (1.0 + 1e-7) + 1e-12));
        let turn = (curvature - symmetric).inverse() * leaving;
        let angle = turn.length();
        if angle.is_nan() || angle < 1e-12 {
            break;
        }
        let step = DQuat::from_axis_angle(turn / angle, angle.min(0.5));
        rotation = (step * rotation).normalize();
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Vec<Vec3> {
        let place = |i: i32| Vec3::new((i % 6) as f32, (i / 6 % 6) as f32, (i / 36) as f32) * 0.1;
        (0..216).map(place).collect()
    }

    /// Contract: a rotation and a translation of the particles move every point in the same way,
    /// even points outside the particles and far from them.
    #[test]
    fn rigid_motion_is_exact() {
        let turn = glam::Quat::from_rotation_y(0.3) * glam::Quat::from_rotation_x(0.2);
        let moved = |p: Vec3| turn * p + Vec3::new(0.3, -0.1, 0.2);
        let position = block();
        let displacement = position.iter().map(|&p| moved(p) - p).collect();
        let movement = Movement::new(position, displacement);
        let points = [Vec3::splat(0.25), Vec3::new(-0.05, 0.2, 0.3), Vec3::new(0.55, 0.56, 0.1)];
        for (point, found) in points.iter().zip(displacements(&points, &movement, 0.1)) {
            let off = (*point + found).distance(moved(*point));
            assert!(off < 3e-6, "{point} is off by {off}");
        }
    }

    /// Contract: a point far away moves with the nearest particle; without particles it stays at rest.
    #[test]
    fn far_points_find_a_particle() {
        let movement = Movement::new(block(), vec![Vec3::X; block().len()]);
        let far = [Vec3::new(40.0, -3.0, 7.0)];
        let found = displacements(&far, &movement, 0.1)[0];
        assert!((found - Vec3::X).length() < 1e-5, "{found}");
        assert_eq!(displacements(&far, &Movement::default(), 0.1)[0], Vec3::ZERO);
    }
}
