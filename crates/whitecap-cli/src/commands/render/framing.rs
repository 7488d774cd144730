//! A camera that a subject fills.
//!
//! # Guarantees
//! * Every point that counts is in the picture, and the outermost ones are at its margin: what is
//!   fitted is the subject as the camera sees it, not a box around it.
//! * On a turntable this holds for every angle.

use std::f32::consts::TAU;

use whitecap_core::Bounds;
use whitecap_core::glam::{Quat, Vec3};

/// Fraction of the picture's height or width that the subject fills.
const SHARE_FILLED: f32 = 0.86;
/// Angles at which a turntable is fitted.
const TURNS: usize = 24;

/// How far a subject reaches across the picture, in units that do not depend on the camera's place.
///
/// A point at x, y across and z towards the camera is in the picture of a camera at X, Y, Z if
/// |x − X| ≤ h (Z − z), with h the tangent of half the angle of view: x + h z ≤ X + h Z, and the same
/// to the left. The largest x + h z and −x + h z of all points are therefore all that counts.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    right: Vec3,
    up: Vec3,
    back: Vec3,
    /// Tangents of half the angles of view, reduced by the margin.
    spread: [f32; 2],
    /// Largest reach to the right, left, top and bottom.
    reach: [f32; 4],
    /// Nearest and farthest point, towards the camera.
    near: f32,
    far: f32,
    turns: bool,
    pivot: Vec3,
}

/// Where a camera is and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub position: Vec3,
    pub target: Vec3,
    /// Height of the picture at the target.
    pub height: f32,
}

impl Framing {
    /// A framing for a camera of a vertical angle of view (degrees) and an aspect ratio, that looks at
    /// a subject within `bounds`.
    pub fn new(bounds: Bounds, field_of_view: f32, aspect: f32, turns: bool) -> Self {
        let back = direction(bounds);
        let right = Vec3::Y.cross(back).normalize();
        let vertical = (0.5 * field_of_view).to_radians().tan() * SHARE_FILLED;
        Self {
            right,
            up: back.cross(right),
            back,
            spread: [vertical * aspect, vertical],
            reach: [f32::NEG_INFINITY; 4],
            near: f32::NEG_INFINITY,
            far: f32::INFINITY,
            turns,
            pivot: bounds.center(),
        }
    }

    /// Makes room for a ball around a point.
    pub fn include(&mut self, point: Vec3, radius: f32) {
        let offset = point - self.pivot;
        if !self.turns {
            return self.include_turned(offset, radius);
        }
        for turn in 0..TURNS {
            let angle = TAU * turn as f32 / TURNS as f32;
            self.include_turned(Quat::from_rotation_y(angle) * offset, radius);
        }
    }

    fn include_turned(&mut self, offset: Vec3, radius: f32) {
        let [x, y, z] = [self.right, self.up, self.back].map(|axis| axis.dot(offset));
        let [h, v] = self.spread;
        let beyond = [h, v].map(|spread| radius * (1.0 + spread * spread).sqrt());
        let sides = [
            x + h * z + beyond[0],
            -x + h * z + beyond[0],
            y + v * z + beyond[1],
            -y + v * z + beyond[1],
        ];
        for (most, side) in self.reach.iter_mut().zip(sides) {
            *most = most.max(side);
        }
        self.near = self.near.max(z + radius);
        self.far = self.far.min(z - radius);
    }

    /// The camera, if anything was included.
    pub fn view(&self) -> Option<View> {
        let [right, left, top, bottom] = self.reach;
        if !self.reach.iter().all(|side| side.is_finite()) {
            return None;
        }
        let [h, v] = self.spread;
        let between = |one: f32, other: f32| (0.5 * (one - other), 0.5 * (one + other));
        let (upward, tall) = between(top, bottom);
        // The axis of a turntable is in the middle of the picture, at any height.
        let (across, wide) = if self.turns { (0.0, right.max(left)) } else { between(right, left) };
        let size = (self.near - self.far).max(1e-6);
        let distance = (wide / h).max(tall / v).max(self.near + 0.05 * size);
        let front = self.pivot + across * self.right + upward * self.up;
        // The target of a turntable is on its axis, where every turn leaves it.
        let depth =
            if self.turns { self.depth_of_axis(front) } else { 0.5 * (self.near + self.far) };
        let height = 2.0 * (tall.max(wide * v / h)) / SHARE_FILLED;
        let [position, target] = [distance, depth].map(|depth| front + depth * self.back);
        Some(View { position, target, height })
    }

    /// How far in front of a point its line of sight meets the vertical through the pivot.
    fn depth_of_axis(&self, point: Vec3) -> f32 {
        let level = Vec3::new(self.back.x, 0.0, self.back.z).normalize_or_zero();
        (self.pivot - point).dot(level) / self.back.dot(level).max(1e-6)
    }
}

/// The direction towards the camera: from the front, slightly from the side, and from above, so that the
/// floor fills the picture; by more the flatter the subject is.
fn direction(bounds: Bounds) -> Vec3 {
    let size = bounds.size();
    let flatness = 1.0 - (2.0 * size.y / size.x.max(size.z).max(1e-30)).min(1.0);
    let elevation = (21.0 + 11.0 * flatness).to_radians();
    let level = Vec3::new(0.42, 0.0, 1.0).normalize();
    elevation.cos() * level + elevation.sin() * Vec3::Y
}

#[cfg(test)]
mod tests {
    use whitecap_core::glam::Vec2;

    use super::*;

    /// Where a view shows a point, from -1 to 1 across its width and height.
    fn shown(view: &View, point: Vec3, field_of_view: f32, aspect: f32) -> Vec2 {
        let back = (view.position - view.target).normalize();
        let right = Vec3::Y.cross(back).normalize();
        let offset = point - view.position;
        let half = (0.5 * field_of_view).to_radians().tan() * -offset.dot(back);
        Vec2::new(offset.dot(right) / (half * aspect), offset.dot(back.cross(right)) / half)
    }

    fn spiral() -> Vec<Vec3> {
        let place = |i: usize| {
            let turn = i as f32 * 0.1;
            Vec3::new(3.0 + turn.sin() * turn, 40.0 + 0.1 * turn, turn.cos() * turn)
        };
        (0..200).map(place).collect()
    }

    /// Contract: the subject is in the picture and its outermost points are at the margin on two opposite
    /// sides, for any size.
    #[test]
    fn the_subject_fills_the_picture() {
        for scale in [1e-3, 1.0, 1e3] {
            let points: Vec<Vec3> = spiral().iter().map(|&point| scale * point).collect();
            let mut framing = Framing::new(Bounds::of(&points), 40.0, 1.6, false);
            points.iter().for_each(|&point| framing.include(point, 0.0));
            let view = framing.view().unwrap();
            let places = points.iter().map(|&point| shown(&view, point, 40.0, 1.6));
            let (low, high) = places
                .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), p| {
                    (low.min(p), high.max(p))
                });
            let is_at_margin = |side: f32| (side.abs() - SHARE_FILLED).abs() < 0.01;
            assert!(is_at_margin(low.x) && is_at_margin(high.x), "{low} {high}");
            assert!(low.y > -SHARE_FILLED && high.y < SHARE_FILLED, "{low} {high}");
        }
    }

    /// Contract: a turntable shows all of the subject at every angle.
    #[test]
    fn a_turntable_cuts_nothing_off() {
        let points = spiral();
        let mut framing = Framing::new(Bounds::of(&points), 40.0, 1.6, true);
        points.iter().for_each(|&point| framing.include(point, 0.0));
        let view = framing.view().unwrap();
        let mut farthest = 0.0f32;
        for turn in 0..36 {
            let turned = Quat::from_rotation_y(10f32.to_radians() * turn as f32);
            let position = view.target + turned * (view.position - view.target);
            let view = View { position, ..view };
            let places = points.iter().map(|&point| shown(&view, point, 40.0, 1.6));
            farthest = places.fold(farthest, |far, place| far.max(place.abs().max_element()));
        }
        assert!(farthest < SHARE_FILLED + 0.02, "{farthest}");
        assert!(farthest > SHARE_FILLED - 0.1, "{farthest}");
    }
}
