//! Turned normals, and how far they may be turned for a viewer (Dagenais et al. 2018, §5.2 and
//! 5.3).

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

/// Capped normals stay this far from the silhouette, in radians, to allow for rounding.
const SILHOUETTE: f32 = 1e-4;

/// Turns a normal away from the boundary, which lies in a horizontal `direction`, by `fade` times the tilt
/// at the contact. With a viewer, the normal at the contact is at most orthogonal to the view (§5.3).
pub(super) fn tilt(
    normal: Vec3,
    direction: Vec2,
    at_contact: f32,
    fade: f32,
    view: Option<Vec3>,
) -> Vec3 {
    if direction == Vec2::ZERO {
        // The boundary is all around: no side to tilt to.
        return normal;
    }
    // Up turns away from the boundary around direction × up.
    let axis = Vec3::new(-direction.y, 0.0, direction.x);
    let at_contact = match view {
        Some(view) => cap(normal, axis, at_contact, view),
        None => at_contact,
    };
    turn(normal, axis, at_contact * fade)
}

/// Turns a vector around an axis (Rodrigues).
fn turn(vector: Vec3, axis: Vec3, angle: f32) -> Vec3 {
    let (sine, cosine) = angle.sin_cos();
    let along = axis * axis.dot(vector);
    (vector - along) * cosine + axis.cross(vector) * sine + along
}

/// The part of an angle by which a normal can turn before it faces away from the viewer.
fn cap(normal: Vec3, axis: Vec3, angle: f32, view: Vec3) -> f32 {
    // The cosine between view and turned normal is a cos θ + b sin θ + c.
    let c = axis.dot(normal) * axis.dot(view);
    let a = normal.dot(view) - c;
    let b = axis.cross(normal).dot(view);
    if a + c <= 0.0 {
        return 0.0;
    }
    let size = a.hypot(b);
    if c >= size {
        return angle;
    }
    // Mirrored, if necessary, so that the rotation is by a positive angle.
    let phase = (b * angle.signum()).atan2(a);
    let half = (-c / size).clamp(-1.0, 1.0).acos();
    let first = (phase + half).rem_euclid(TAU);
    angle.abs().min((first - SILHOUETTE).max(0.0)).copysign(angle)
}
