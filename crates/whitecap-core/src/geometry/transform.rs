//! Placement of an object: rotation, uniform scale and translation, and its motion over time.
//!
//! # Guarantees
//! * [`Transform::inverse`] undoes a transform, and `a * b` means "first b, then a".
//! * [`KeyframedTransform::velocity`] is the exact time derivative of the motion that
//!   [`KeyframedTransform::at`] describes: between two keys the object turns about a fixed axis at
//!   constant speed, while translation and scale change linearly.
//! * The object is at rest before the first key and after the last.

use std::ops::Mul;

use glam::{Quat, Vec3};

use crate::{Column, Particles, TriMesh, attributes};

/// Scales, then rotates, then translates: `rotation · (scale · p) + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Rotation, a unit quaternion.
    pub rotation: Quat,
    /// Translation in metres.
    pub translation: Vec3,
    /// Uniform scale. A negative one also mirrors through the origin.
    pub scale: f32,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Leaves everything where it is.
    pub const IDENTITY: Transform =
        Transform { rotation: Quat::IDENTITY, translation: Vec3::ZERO, scale: 1.0 };

    /// A translation alone.
    pub fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A rotation alone.
    pub fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// The transform that undoes this one; `None` when the scale is zero or not finite, or its
    /// reciprocal is not finite.
    pub fn inverse(&self) -> Option<Transform> {
        let scale = 1.0 / self.scale;
        let rotation = self.rotation.conjugate();
        let usable = self.scale.is_finite() && scale.is_finite();
        usable.then(|| Transform {
            rotation,
            translation: -(rotation * (self.translation * scale)),
            scale,
        })
    }

    /// Where a point goes.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.rotation * (point * self.scale) + self.translation
    }

    /// What a difference of points, such as a velocity, becomes.
    pub fn vector(&self, vector: Vec3) -> Vec3 {
        self.rotation * (vector * self.scale)
    }

    /// What a unit normal becomes.
    pub fn normal(&self, normal: Vec3) -> Vec3 {
        self.rotation * (normal * self.scale.signum())
    }

    /// The mesh, moved: positions, `velocity` and `normal`. A mirrored mesh is flipped so that its
    /// triangles still wind counter-clockwise seen from outside.
    pub fn mesh(&self, mut mesh: TriMesh) -> TriMesh {
        for position in mesh.positions_mut() {
            *position = self.point(*position);
        }
        let changes: [(&str, &dyn Fn(Vec3) -> Vec3); 2] = [
            (attributes::VELOCITY, &|velocity| self.vector(velocity)),
            (attributes::NORMAL, &|normal| self.normal(normal)),
        ];
        for (name, change) in changes {
            if let Some(Column::Vec3(values)) = mesh.attribute(name) {
                let changed = values.iter().map(|&value| change(value)).collect();
                mesh.set_attribute(name, Column::Vec3(changed))
                    .expect("a column keeps its length when its values change");
            }
        }
        if self.scale < 0.0 { mesh.flipped() } else { mesh }
    }

    /// The particles, moved: positions, `velocity`, `radius` and the radius among the facts.
    pub fn particles(&self, mut particles: Particles) -> Particles {
        for position in particles.positions_mut() {
            *position = self.point(*position);
        }
        let velocity = particles.velocities().map(|values| {
            Column::Vec3(values.iter().map(|&velocity| self.vector(velocity)).collect())
        });
        let radius = particles.radii().map(|values| {
            Column::F32(values.iter().map(|&radius| radius * self.scale.abs()).collect())
        });
        let facts = particles.facts_mut();
        facts.radius = facts.radius.map(|radius| radius * self.scale.abs());
        for (name, column) in [(attributes::VELOCITY, velocity), (attributes::RADIUS, radius)] {
            if let Some(column) = column {
                particles
                    .set_attribute(name, column)
                    .expect("a column keeps its length when its values change");
            }
        }
        particles
    }
}

impl Mul for Transform {
    type Output = Transform;

    /// First `inner`, then `self`.
    fn mul(self, inner: Transform) -> Transform {
        Transform {
            rotation: (self.rotation * inner.rotation).normalize(),
            translation: self.point(inner.translation),
            scale: self.scale * inner.scale,
        }
    }
}

/// Why keys do not make a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KeyframeError {
    /// There is no key.
    #[error("a motion needs at least one key, but none was given")]
    NoKey,
    /// A key's time is not after the one before it.
    #[error("key {index} is at {time} s, which is not after the key before it at {previous} s")]
    TimeOrder {
        /// Which key, counted from 0.
        index: usize,
        /// Its time.
        time: f64,
        /// Time of the key before it.
        previous: f64,
    },
    /// A key holds a number that is not finite, a rotation that is not a unit quaternion, or a
    /// scale that is not positive.
    #[error(
        "key {index} is not a placement: its numbers must be finite, its rotation a unit quaternion and its scale positive"
    )]
    NotAPlacement {
        /// Which key, counted from 0.
        index: usize,
    },
}

/// A motion given by placements at certain times.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyframedTransform {
    keys: Vec<(f64, Transform)>,
}

impl KeyframedTransform {
    /// A motion through `keys`, which are (seconds, placement) in ascending time.
    pub fn new(keys: Vec<(f64, Transform)>) -> Result<Self, KeyframeError> {
        if keys.is_empty() {
            return Err(KeyframeError::NoKey);
        }
        for (index, (time, key)) in keys.iter().enumerate() {
            let finite = time.is_finite() && key.translation.is_finite() && key.scale.is_finite();
            let unit = (key.rotation.length_squared() - 1.0).abs() < 1e-3;
            if !finite || !unit || key.scale <= 0.0 {
                return Err(KeyframeError::NotAPlacement { index });
            }
        }
        if let Some(index) = (1..keys.len()).find(|&i| keys[i].0 <= keys[i - 1].0) {
            let (time, previous) = (keys[index].0, keys[index - 1].0);
            return Err(KeyframeError::TimeOrder { index, time, previous });
        }
        Ok(Self { keys })
    }

    /// An object that never moves.
    pub fn at_rest(transform: Transform) -> Self {
        Self { keys: vec![(0.0, transform)] }
    }

    /// Whether it never moves.
    pub fn is_at_rest(&self) -> bool {
        self.keys.len() == 1
    }

    /// The placement at `time` in seconds.
    pub fn at(&self, time: f64) -> Transform {
        match self.segment(time) {
            Ok(segment) => segment.at(time),
            Err(resting) => resting,
        }
    }

    /// Velocity, in metres per second, of the object's material that is at the world position
    /// `point` at `time`. At a key, the motion towards the next key is used.
    pub fn velocity(&self, time: f64, point: Vec3) -> Vec3 {
        let Ok(segment) = self.segment(time) else { return Vec3::ZERO };
        let now = segment.at(time);
        let duration = segment.duration() as f32;
        let arm = point - now.translation;
        let growth = (segment.to.scale - segment.from.scale) / (duration * now.scale);
        segment.turn().cross(arm) / duration
            + (segment.to.translation - segment.from.translation) / duration
            + arm * growth
    }

    /// The segment that contains `time`, or the placement in which the object rests.
    fn segment(&self, time: f64) -> Result<Segment, Transform> {
        let after = self.keys.partition_point(|&(key_time, _)| key_time <= time);
        if after == 0 {
            return Err(self.keys[0].1);
        }
        let (start, from) = self.keys[after - 1];
        match self.keys.get(after) {
            Some(&(end, to)) => Ok(Segment { start, end, from, to }),
            None => Err(from),
        }
    }
}

/// The motion between two keys.
struct Segment {
    start: f64,
    end: f64,
    from: Transform,
    to: Transform,
}

impl Segment {
    fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Axis times angle of the shorter rotation from the first key to the second.
    fn turn(&self) -> Vec3 {
        let turn = self.to.rotation * self.from.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let sine = turn.xyz().length();
        // For small angles the ratio tends to 2; the arc tangent keeps its accuracy there.
        let angle_by_sine = if sine > 0.0 { 2.0 * sine.atan2(turn.w) / sine } else { 2.0 };
        turn.xyz() * angle_by_sine
    }

    fn at(&self, time: f64) -> Transform {
        let fraction = ((time - self.start) / self.duration()) as f32;
        Transform {
            rotation: (Quat::from_scaled_axis(self.turn() * fraction) * self.from.rotation)
                .normalize(),
            translation: self.from.translation.lerp(self.to.translation, fraction),
            scale: self.from.scale + (self.to.scale - self.from.scale) * fraction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(range: f32) -> impl Strategy<Value = Vec3> {
        (-range..range, -range..range, -range..range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    fn transform() -> impl Strategy<Value = Transform> {
        (vector(3.0), vector(2.0), 0.2f32..3.0).prop_map(|(axis, translation, scale)| Transform {
            rotation: Quat::from_scaled_axis(axis),
            translation,
            scale,
        })
    }

    proptest! {
        /// Contract: a transform followed by its inverse, and its inverse followed by it, leave a
        /// point where it was.
        #[test]
        fn the_inverse_undoes(transform in transform(), point in vector(2.0)) {
            let inverse = transform.inverse().unwrap();
            prop_assert!(inverse.point(transform.point(point)).distance(point) < 1e-4);
            prop_assert!((transform * inverse).point(point).distance(point) < 1e-4);
        }

        /// Contract: the product acts like its factors, right one first, on points and vectors.
        #[test]
        fn the_product_is_right_factor_first(a in transform(), b in transform(), p in vector(2.0)) {
            prop_assert!((a * b).point(p).distance(a.point(b.point(p))) < 1e-4);
            prop_assert!((a * b).vector(p).distance(a.vector(b.vector(p))) < 1e-4);
        }

        /// Contract: the velocity of a material point is the finite difference of its path, and
        /// the motion passes through its keys.
        #[test]
        fn velocity_is_the_derivative_of_the_path(
            a in transform(), b in transform(), local in vector(1.0), fraction in 0.1f64..0.9,
        ) {
            let motion = KeyframedTransform::new(vec![(1.0, a), (3.0, b)]).unwrap();
            prop_assert!(motion.at(1.0).point(local).distance(a.point(local)) < 1e-4);
            prop_assert!(motion.at(3.0).point(local).distance(b.point(local)) < 1e-4);
            let time = 1.0 + 2.0 * fraction;
            let step = 1e-2;
            let [before, now, after] =
                [time - step, time, time + step].map(|t| motion.at(t).point(local));
            let difference = (after - before) / (2.0 * step as f32);
            let velocity = motion.velocity(time, now);
            prop_assert!(velocity.distance(difference) < 3e-3, "{velocity} against {difference}");
        }
    }

    /// Contract: an object is at rest outside its keys.
    #[test]
    fn the_motion_starts_and_ends_at_rest() {
        let there = Transform::from_translation(Vec3::X);
        let motion =
            KeyframedTransform::new(vec![(0.0, Transform::IDENTITY), (1.0, there)]).unwrap();
        assert_eq!(motion.at(-5.0), Transform::IDENTITY);
        assert_eq!(motion.at(7.0), there);
        assert_eq!(motion.velocity(-0.1, Vec3::ZERO), Vec3::ZERO);
        assert_eq!(motion.velocity(0.5, Vec3::ZERO), Vec3::X);
        assert_eq!(motion.velocity(1.0, Vec3::ZERO), Vec3::ZERO);
    }

    /// Contract: keys that are missing, out of order, or not placements are refused with the error that
    /// names the problem.
    #[test]
    fn bad_keys_are_refused() {
        let still = Transform::IDENTITY;
        assert_eq!(KeyframedTransform::new(vec![]), Err(KeyframeError::NoKey));
        assert_eq!(
            KeyframedTransform::new(vec![(0.0, still), (2.0, still), (2.0, still)]),
            Err(KeyframeError::TimeOrder { index: 2, time: 2.0, previous: 2.0 })
        );
        for broken in [
            Transform { scale: 0.0, ..still },
            Transform { translation: Vec3::NAN, ..still },
            Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..still },
        ] {
            let keys = vec![(0.0, still), (1.0, broken)];
            let refused = KeyframedTransform::new(keys);
            assert_eq!(refused, Err(KeyframeError::NotAPlacement { index: 1 }));
        }
        assert_eq!(Transform { scale: 0.0, ..still }.inverse(), None);
    }

    /// Contract: meshes and particles move with their velocities, normals and radii, and a
    /// mirrored mesh still faces outward.
    #[test]
    fn attributes_move_along() {
        let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let turn = Transform { rotation: quarter, translation: Vec3::Y, scale: -2.0 };
        let mut particles = Particles::new(vec![Vec3::X]);
        particles.set_attribute(attributes::VELOCITY, Column::Vec3(vec![Vec3::Z])).unwrap();
        particles.set_attribute(attributes::RADIUS, Column::F32(vec![0.5])).unwrap();
        let moved = turn.particles(particles);
        assert!(moved.positions()[0].distance(Vec3::new(0.0, 1.0, 2.0)) < 1e-6);
        assert!(moved.velocities().unwrap()[0].distance(Vec3::new(-2.0, 0.0, 0.0)) < 1e-6);
        assert_eq!(moved.radii().unwrap(), [1.0]);

        let corners = vec![Vec3::X, Vec3::Y, Vec3::Z];
        let mut mesh = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
        mesh.set_attribute(attributes::NORMAL, Column::Vec3(mesh.vertex_normals())).unwrap();
        let moved = turn.mesh(mesh);
        let Some(Column::Vec3(normals)) = moved.attribute(attributes::NORMAL) else {
            panic!("the normals are gone");
        };
        for (normal, expected) in normals.iter().zip(moved.vertex_normals()) {
            assert!(normal.distance(expected) < 1e-6);
        }
    }
}
