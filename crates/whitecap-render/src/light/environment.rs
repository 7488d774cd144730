//! Light from all around, infinitely far away.
//!
//! # Guarantees
//! Directions are chosen in proportion to brightness, on a grid of longitude and latitude; every
//! direction that sends light can be chosen.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::RenderError;
use crate::matter::texture::TextureImage;
use crate::sampling::frame::uniform_sphere;
use crate::scattering::bsdf::luminance;

/// Light from all around.
#[derive(Clone, Debug)]
pub enum Environment {
    /// The same radiance everywhere, in W/(m² sr). Zero for none.
    Constant(Vec3),
    /// A sky that blends from the horizon to the zenith, above a ground of one colour; radiances in
    /// W/(m² sr).
    Sky {
        /// Radiance from straight up.
        zenith: Vec3,
        /// Around.
        horizon: Vec3,
        /// Below.
        ground: Vec3,
    },
    /// An image with longitude from left to right and latitude from top to bottom. Its middle is
    /// towards -z.
    Image {
        /// Radiances in W/(m² sr).
        image: Arc<TextureImage<Vec3>>,
        /// Rotation of the image about the y axis, in degrees, counter-clockwise seen from above.
        rotation: f32,
        /// Factor by which all radiances are multiplied.
        strength: f32,
    },
}

impl Default for Environment {
    fn default() -> Self {
        Environment::Constant(Vec3::ZERO)
    }
}

impl Environment {
    /// Radiance that comes from a direction, in W/(m² sr).
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        match self {
            Environment::Constant(radiance) => *radiance,
            Environment::Sky { zenith, horizon, ground } => {
                if direction.y < 0.0 {
                    // A narrow blend, so that the horizon is not a hard line.
                    return horizon.lerp(*ground, (-direction.y * 20.0).min(1.0));
                }
                horizon.lerp(*zenith, direction.y.clamp(0.0, 1.0).sqrt())
            }
            Environment::Image { image, rotation, strength } => {
                *strength * image.at(place_of(direction, *rotation))
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let bad = |radiance: &Vec3| !radiance.is_finite() || radiance.min_element() < 0.0;
        let wrong = match self {
            Environment::Constant(radiance) => bad(radiance),
            Environment::Sky { zenith, horizon, ground } => {
                [zenith, horizon, ground].into_iter().any(bad)
            }
            Environment::Image { image, rotation, strength } => {
                let numbers = rotation.is_finite() && strength.is_finite() && *strength >= 0.0;
                !numbers || image.values().iter().any(bad)
            }
        };
        match wrong {
            false => Ok(()),
            true => {
                let what = "a radiance is negative or not a finite number; it must be zero or more";
                Err(RenderError::Environment { what })
            }
        }
    }
}

/// Texture coordinates of a direction.
fn place_of(direction: Vec3, rotation: f32) -> Vec2 {
    let longitude = direction.x.atan2(-direction.z) / TAU + 0.5 + rotation / 360.0;
    Vec2::new(longitude, direction.y.clamp(-1.0, 1.0).asin() / PI + 0.5)
}

/// The direction at texture coordinates.
fn direction_at(place: Vec2, rotation: f32) -> Vec3 {
    let longitude = TAU * (place.x - 0.5 - rotation / 360.0);
    let (y, ring) = (PI * (place.y - 0.5)).sin_cos();
    Vec3::new(ring * longitude.sin(), y, -ring * longitude.cos())
}

/// Largest grid over which directions are chosen.
const GRID: [usize; 2] = [1024, 512];

/// An environment prepared for choosing directions.
#[derive(Clone, Debug)]
pub(crate) struct PreparedEnvironment {
    environment: Environment,
    /// Over longitude and latitude; `None` if all directions are equally bright.
    grid: Option<Grid>,
    /// Mean radiance over the sphere, as brightness.
    mean: f32,
}

impl PreparedEnvironment {
    pub(crate) fn new(environment: &Environment) -> Self {
        let (size, rotation) = match environment {
            Environment::Constant(radiance) => {
                let mean = luminance(*radiance);
                return Self { environment: environment.clone(), grid: None, mean };
            }
            Environment::Sky { .. } => ([8, 64], 0.0),
            Environment::Image { image, rotation, .. } => {
                let [width, height] = image.size();
                ([width.min(GRID[0]), height.min(GRID[1])], *rotation)
            }
        };
        let grid = Grid::new(size, rotation, environment);
        let mean = grid.mean();
        Self { environment: environment.clone(), grid: Some(grid), mean }
    }

    pub(crate) fn radiance(&self, direction: Vec3) -> Vec3 {
        self.environment.radiance(direction)
    }

    /// Mean radiance over the sphere, as brightness.
    pub(crate) fn mean(&self) -> f32 {
        self.mean
    }

    /// A direction with its density per steradian.
    pub(crate) fn sample(&self, point: [f32; 2]) -> (Vec3, f32) {
        match &self.grid {
            None => (uniform_sphere(point), 0.25 / PI),
            Some(grid) => {
                let direction = direction_at(grid.sample(point), grid.rotation);
                (direction, grid.pdf(direction))
            }
        }
    }

    /// Density per steradian with which `sample` finds a direction.
    pub(crate) fn pdf(&self, direction: Vec3) -> f32 {
        self.grid.as_ref().map_or(0.25 / PI, |grid| grid.pdf(direction))
    }
}

/// Cumulative brightness times solid angle of the cells of a grid.
#[derive(Clone, Debug)]
struct Grid {
    width: usize,
    height: usize,
    rotation: f32,
    /// Running sums along each row, `width + 1` entries a row, the first zero.
    columns: Vec<f32>,
    /// Running sums over the rows, `height + 1` entries, the first zero.
    rows: Vec<f32>,
    /// Solid angle times brightness of everything.
    total: f32,
}

impl Grid {
    fn new([width, height]: [usize; 2], rotation: f32, environment: &Environment) -> Self {
        let bright = cell_brightness([width, height], rotation, environment);
        let mut columns = Vec::with_capacity((width + 1) * height);
        let mut rows = vec![0.0];
        let mut total = 0.0f64;
        for row in 0..height {
            let mut sum = 0.0f64;
            columns.push(0.0);
            for column in 0..width {
                sum += f64::from(bright[row * width + column]);
                columns.push(sum as f32);
            }
            total += sum * f64::from(row_solid_angle(row, height));
            rows.push(total as f32);
        }
        let total = total as f32 / width as f32;
        Self { width, height, rotation, columns, rows, total }
    }

    fn mean(&self) -> f32 {
        self.total / (4.0 * PI)
    }

    fn sample(&self, [u, v]: [f32; 2]) -> Vec2 {
        let (row, down) = pick(&self.rows, v);
        let start = row * (self.width + 1);
        let (column, along) = pick(&self.columns[start..=start + self.width], u);
        // Uniform over the solid angle of the cell, not over its latitudes.
        let (top, bottom) = (sine_of(row, self.height), sine_of(row + 1, self.height));
        let latitude = (top + down * (bottom - top)).clamp(-1.0, 1.0).asin();
        Vec2::new((column as f32 + along) / self.width as f32, latitude / PI + 0.5)
    }

    fn pdf(&self, direction: Vec3) -> f32 {
        let place = place_of(direction, self.rotation);
        let column = (place.x.rem_euclid(1.0) * self.width as f32) as usize;
        let row = ((1.0 - place.y) * self.height as f32) as usize;
        let row = row.min(self.height - 1);
        let start = row * (self.width + 1) + column.min(self.width - 1);
        let bright = self.columns[start + 1] - self.columns[start];
        if self.total > 0.0 { bright / self.total } else { 0.0 }
    }
}

/// Sine of the latitude at the upper edge of a row.
fn sine_of(row: usize, height: usize) -> f32 {
    (PI * (0.5 - row as f32 / height as f32)).sin()
}

/// Solid angle of a row of cells.
fn row_solid_angle(row: usize, height: usize) -> f32 {
    TAU * (sine_of(row, height) - sine_of(row + 1, height))
}

/// The brightest of three by three points of each cell and its border: a cell that sends any light
/// is never dark, despite interpolation.
fn cell_brightness(
    [width, height]: [usize; 2],
    rotation: f32,
    environment: &Environment,
) -> Vec<f32> {
    use rayon::prelude::*;
    let brightest = |cell: usize| {
        let (row, column) = (cell / width, cell % width);
        let mut mean = 0.0f32;
        let mut most = 0.0f32;
        for step in 0..9 {
            let (across, down) = ((step % 3) as f32 * 0.5, (step / 3) as f32 * 0.5);
            let place = Vec2::new(
                (column as f32 + across) / width as f32,
                1.0 - (row as f32 + down) / height as f32,
            );
            let bright = luminance(environment.radiance(direction_at(place, rotation)));
            mean += bright / 9.0;
            most = most.max(bright);
        }
        // Mostly the mean, which is the light that comes from the cell.
        0.75 * mean + 0.25 * most
    };
    (0..width * height).into_par_iter().map(brightest).collect()
}

/// The cell of running sums in which a fraction of the total falls, and the position in the cell.
fn pick(sums: &[f32], share: f32) -> (usize, f32) {
    let total = sums[sums.len() - 1];
    let wanted = share * total;
    let cell = sums.partition_point(|&sum| sum <= wanted).clamp(1, sums.len() - 1) - 1;
    let size = sums[cell + 1] - sums[cell];
    let place = if size > 0.0 { (wanted - sums[cell]) / size } else { share };
    (cell, place.clamp(0.0, 1.0))
}
