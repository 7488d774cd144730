//! Cameras: which ray belongs to which point of the picture.

use glam::{Mat4, Vec2, Vec3, Vec4};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::{Range, check_ranges};

use crate::sampling::frame::uniform_disc;
use crate::{Ray, RenderError, RenderSettings};

/// How space becomes a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// As the eye sees: distant things look small.
    #[default]
    Perspective,
    /// As in technical drawings: parallel rays.
    Orthographic,
}

/// A camera. The picture's aspect ratio is that of its pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Camera {
    /// Where the camera is (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub position: [f32; 3],
    /// A point in the middle of the picture (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub target: [f32; 3],
    /// The direction that is up in the picture.
    #[schemars(extend("unit" = "none"))]
    pub up: [f32; 3],
    /// How space becomes a picture.
    #[schemars(extend("unit" = "none"))]
    pub projection: Projection,
    /// Angle between the lower and the upper edge of the picture (perspective).
    #[schemars(extend("unit" = "degrees"), range(min = 0.01, max = 179.0))]
    pub field_of_view: f32,
    /// Height of the picture (orthographic).
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub height: f32,
    /// Radius of the lens: with 0 everything is in focus. A 50 mm lens at f/2.8 has 0.0089.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e3))]
    pub lens_radius: f32,
    /// Distance that is in focus. Left out: that of the target.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub focus_distance: Option<f32>,
    /// When the shutter opens and closes, relative to the frame's own time. Equal times mean no
    /// motion blur.
    #[schemars(extend("unit" = "s"), inner(range(min = -1e6, max = 1e6)))]
    pub shutter: [f32; 2],
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            position: [0.0, 1.0, 4.0],
            target: [0.0, 0.0, 0.0],
            up: [0.0, 1.0, 0.0],
            projection: Projection::Perspective,
            field_of_view: 40.0,
            height: 2.0,
            lens_radius: 0.0,
            focus_distance: None,
            shutter: [0.0, 0.0],
        }
    }
}

impl Camera {
    /// A perspective camera that looks from one point to another.
    pub fn looking(position: Vec3, target: Vec3, field_of_view: f32) -> Self {
        Self {
            position: position.to_array(),
            target: target.to_array(),
            field_of_view,
            ..Self::default()
        }
    }

    /// The camera as matrices, for the picture that settings describe.
    pub fn matrices(&self, settings: &RenderSettings) -> Result<CameraMatrices, RenderError> {
        let window = settings.window()?;
        let camera = self.prepared(window.full[0], window.full[1])?;
        let pair = |[x, y]: [u32; 2]| Vec2::new(x as f32, y as f32);
        Ok(camera.matrices(pair(window.corner), pair(window.size)))
    }

    /// Prepares the camera for a picture of a width and height in pixels.
    pub(crate) fn prepared(&self, width: u32, height: u32) -> Result<PreparedCamera, RenderError> {
        let [position, target, up] = [self.position, self.target, self.up].map(Vec3::from_array);
        let forward = (target - position).normalize_or_zero();
        let right = forward.cross(up).normalize_or_zero();
        if !(position.is_finite() && right.is_finite() && right != Vec3::ZERO) {
            let (position, target, up) = (self.position, self.target, self.up);
            return Err(RenderError::Camera { position, target, up });
        }
        check_ranges(self)?;
        let [opens, closes] = self.shutter;
        Range::between(opens.into(), 1e6).check("shutter", closes.into())?;
        let half_height = match self.projection {
            Projection::Perspective => (0.5 * self.field_of_view.to_radians()).tan(),
            Projection::Orthographic => 0.5 * self.height,
        };
        Ok(PreparedCamera {
            position,
            forward,
            right,
            up: right.cross(forward),
            projection: self.projection,
            pixel: 2.0 * half_height / height as f32,
            middle: 0.5 * Vec2::new(width as f32, height as f32),
            lens_radius: self.lens_radius,
            focus_distance: self.focus_distance.unwrap_or((target - position).length()),
            shutter: self.shutter,
        })
    }
}

/// A camera as matrices, for a picture or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraMatrices {
    /// From the world to the camera, which looks along -z with y up.
    pub world_to_camera: Mat4,
    /// From the world to the picture: x and y from -1 at the left and bottom edge to 1 at the right
    /// and top edge, after division by w.
    pub world_to_picture: Mat4,
    /// Width and height of the picture: at a distance of one, or anywhere if orthographic.
    pub size: Vec2,
}

/// A camera with its axes computed.
#[derive(Clone, Debug)]
pub(crate) struct PreparedCamera {
    position: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    projection: Projection,
    /// Width of a pixel: at a distance of one, or anywhere if orthographic.
    pixel: f32,
    /// Middle of the picture in pixels.
    middle: Vec2,
    lens_radius: f32,
    focus_distance: f32,
    shutter: [f32; 2],
}

impl PreparedCamera {
    /// The ray for a point of the picture, in pixels from its upper left corner, for a point of the
    /// lens and a moment of the shutter between 0 and 1.
    pub(crate) fn ray(&self, raster: Vec2, lens: [f32; 2], moment: f32) -> Ray {
        let time = self.shutter[0] + moment * (self.shutter[1] - self.shutter[0]);
        self.ray_at(raster, uniform_disc(lens).map(|x| self.lens_radius * x), time)
    }

    /// The ray through the middle of the lens at the frame's own time, or the nearest time at which
    /// the shutter is open.
    pub(crate) fn center_ray(&self, raster: Vec2) -> Ray {
        self.ray_at(raster, [0.0, 0.0], 0.0f32.clamp(self.shutter[0], self.shutter[1]))
    }

    fn ray_at(&self, raster: Vec2, lens: [f32; 2], time: f32) -> Ray {
        let offset = (raster - self.middle) * self.pixel;
        let across = offset.x * self.right - offset.y * self.up;
        let (start, direction) = match self.projection {
            Projection::Perspective => (self.position, self.forward + across),
            Projection::Orthographic => (self.position + across, self.forward),
        };
        // Along `direction` the plane of focus is this far away for every pixel.
        let focus = start + self.focus_distance * direction;
        let origin = start + lens[0] * self.right + lens[1] * self.up;
        let towards = if lens == [0.0, 0.0] { direction } else { focus - origin };
        Ray { origin, direction: towards.normalize_or(self.forward), time, far: f32::INFINITY }
    }

    /// Its matrices for a part of the picture, given by its upper left corner and size in pixels.
    pub(crate) fn matrices(&self, corner: Vec2, size: Vec2) -> CameraMatrices {
        let axes = [self.right, self.up, -self.forward];
        let row = |axis: Vec3| axis.extend(-axis.dot(self.position));
        let [x, y, z] = axes.map(row);
        let world_to_camera = Mat4::from_cols(x, y, z, Vec4::W).transpose();
        let extent = size * self.pixel;
        let middle = (corner + 0.5 * size - self.middle) * self.pixel * Vec2::new(1.0, -1.0);
        let [sx, sy] = [2.0 / extent.x, 2.0 / extent.y];
        // The near plane is where it hides nothing; there is no far plane.
        let near = 1e-3 * self.focus_distance;
        let projection = match self.projection {
            Projection::Perspective => Mat4::from_cols(
                Vec4::new(sx, 0.0, 0.0, 0.0),
                Vec4::new(0.0, sy, 0.0, 0.0),
                Vec4::new(sx * middle.x, sy * middle.y, -1.0, -1.0),
                Vec4::new(0.0, 0.0, -2.0 * near, 0.0),
            ),
            Projection::Orthographic => Mat4::from_cols(
                Vec4::new(sx, 0.0, 0.0, 0.0),
                Vec4::new(0.0, sy, 0.0, 0.0),
                Vec4::new(0.0, 0.0, -1.0 / self.focus_distance, 0.0),
                Vec4::new(-sx * middle.x, -sy * middle.y, -1.0, 1.0),
            ),
        };
        let world_to_picture = projection * world_to_camera;
        CameraMatrices { world_to_camera, world_to_picture, size: extent }
    }

    /// Where a point appears in the picture, in pixels; `None` if it lies behind the camera.
    pub(crate) fn project(&self, point: Vec3) -> Option<Vec2> {
        let offset = point - self.position;
        let depth = self.depth(point);
        let scale = match self.projection {
            Projection::Perspective if depth <= 0.0 => return None,
            Projection::Perspective => depth * self.pixel,
            Projection::Orthographic => self.pixel,
        };
        Some(self.middle + Vec2::new(offset.dot(self.right), -offset.dot(self.up)) / scale)
    }

    /// Distance of a point from the camera's plane, in m.
    pub(crate) fn depth(&self, point: Vec3) -> f32 {
        (point - self.position).dot(self.forward)
    }
}
