//! Settings of a solid: its file and its motion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::Transform;
use whitecap_core::glam::{Quat, Vec3};

use crate::error::unit_vector;
use crate::setting::{SettingError, check_ranges};
use crate::shape::no_direction;

/// The largest turn between two placements, in degrees: well below half a turn, beyond which the
/// opposite direction would be shorter.
const LARGEST_STEP: f32 = 90.0;

/// A mesh from a file: at rest, moved from key to key, or deforming.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySettings {
    /// File of the closed mesh. With `####` or `%04d` in place of the frame number, it deforms: one
    /// file per frame, all with the same triangles.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// File number of a deforming mesh at the first frame. Left out: files and
    /// frames have the same numbers.
    #[serde(default)]
    #[schemars(extend("unit" = "frames"))]
    pub first: Option<i64>,
    /// Placements over time; the solid moves at constant speed between them. Before the first and after the
    /// last it is at rest. Left out: it stays where the file has it.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub keys: Vec<PoseKey>,
}

/// Where a solid is at a time: the mesh is scaled and turned about its own origin, then moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PoseKey {
    /// Time of this placement, after the first frame.
    #[schemars(extend("unit" = "s"))]
    pub time: f64,
    /// Position of the mesh's origin at that time (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub position: [f32; 3],
    /// Axis of rotation, of any length.
    #[schemars(extend("unit" = "none"))]
    pub axis: [f32; 3],
    /// Angle of rotation, anticlockwise seen from the tip of the axis. Between keys with the same
    /// axis the whole angle is turned, even beyond 360; between others the shortest rotation is taken.
    #[schemars(extend("unit" = "degrees"), range(min = -1e6, max = 1e6))]
    pub angle: f32,
    /// Scale relative to the file.
    #[schemars(extend("unit" = "none"), range(min = 1e-6, max = 1e6))]
    pub scale: f32,
}

impl Default for PoseKey {
    fn default() -> Self {
        Self { time: 0.0, position: [0.0; 3], axis: [0.0, 1.0, 0.0], angle: 0.0, scale: 1.0 }
    }
}

impl PoseKey {
    fn placement(&self) -> Result<Transform, SettingError> {
        let axis = unit_vector(self.axis.into())
            .ok_or_else(|| no_direction("axis", "the axis of a key"))?;
        // The remainder first: the sine of many turns would lose its digits.
        let rotation = Quat::from_axis_angle(axis, (self.angle % 360.0).to_radians());
        Ok(Transform { rotation, translation: self.position.into(), scale: self.scale })
    }

    /// The key a fraction of the way to the next one with the same axis.
    fn towards(&self, next: &Self, fraction: f32) -> Self {
        let position = Vec3::from(self.position).lerp(next.position.into(), fraction).to_array();
        let mix = |from: f32, to: f32| from + fraction * (to - from);
        Self {
            time: self.time + f64::from(fraction) * (next.time - self.time),
            position,
            axis: self.axis,
            angle: mix(self.angle, next.angle),
            scale: mix(self.scale, next.scale),
        }
    }
}

impl BodySettings {
    /// The placements to move through, for [`super::AnimatedBody::rigid`]: the keys, with further ones
    /// between them where a turn is too large for one step.
    pub fn motion(&self) -> Result<Vec<(f64, Transform)>, SettingError> {
        let Some(last) = self.keys.last() else { return Ok(vec![(0.0, Transform::IDENTITY)]) };
        check_ranges(self)?;
        for (place, key) in self.keys.iter().enumerate() {
            key.placement().map_err(|error| error.within("keys", place))?;
        }
        let mut placements = Vec::new();
        for pair in self.keys.windows(2) {
            let turn = (pair[1].angle - pair[0].angle).abs();
            let parts =
                if pair[0].axis == pair[1].axis { (turn / LARGEST_STEP).ceil() } else { 1.0 };
            for part in 0..parts.max(1.0) as u32 {
                let key = pair[0].towards(&pair[1], part as f32 / parts.max(1.0));
                placements.push((key.time, key.placement()?));
            }
        }
        placements.push((last.time, last.placement()?));
        Ok(placements)
    }
}

#[cfg(test)]
mod tests {
    use whitecap_core::KeyframedTransform;

    use super::*;

    fn body(keys: Vec<PoseKey>) -> BodySettings {
        BodySettings { path: String::from("blade.ply"), first: None, keys }
    }

    /// Contract: between keys with the same axis the whole angle is turned at constant speed, several
    /// full turns if the angle says so.
    #[test]
    fn several_turns_are_turned() {
        let end =
            PoseKey { time: 2.0, angle: -720.0, position: [0.0, 1.0, 0.0], ..PoseKey::default() };
        let motion = body(vec![PoseKey::default(), end]).motion().unwrap();
        let path = KeyframedTransform::new(motion).unwrap();
        for time in [0.125, 0.5, 0.8, 1.7] {
            let angle = (-360.0 * time as f32).to_radians();
            let expected = Quat::from_rotation_y(angle) * Vec3::X + 0.5 * time as f32 * Vec3::Y;
            let point = path.at(time).point(Vec3::X);
            assert!(point.distance(expected) < 1e-5, "{point} at {time} s");
            let speed = path.velocity(time, point).with_y(0.0).length();
            assert!((speed - std::f32::consts::TAU).abs() < 1e-3, "{speed} m/s at {time} s");
        }
    }

    /// Contract: a solid without keys is at rest; keys that are not placements or run backwards are
    /// refused with a message.
    #[test]
    fn keys_that_make_no_motion_are_refused() {
        assert_eq!(body(Vec::new()).motion().unwrap(), [(0.0, Transform::IDENTITY)]);
        let message = |key: PoseKey| body(vec![key]).motion().unwrap_err().to_string();
        assert!(message(PoseKey { axis: [0.0; 3], ..PoseKey::default() }).contains("axis"));
        assert!(message(PoseKey { angle: f32::NAN, ..PoseKey::default() }).contains("angle"));
        let backwards = PoseKey { time: -1.0, ..PoseKey::default() };
        let motion = body(vec![PoseKey::default(), backwards]).motion().unwrap();
        assert!(KeyframedTransform::new(motion).unwrap_err().to_string().contains("not after"));
    }
}
