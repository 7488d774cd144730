//! Liquids given as a distance field, hit directly.
//!
//! The surface is the zero level of the trilinear interpolation; normals are interpolated from central
//! differences at the nodes, so they vary smoothly across cells.

use glam::{Vec2, Vec3};
use whitecap_core::{Bounds, SparseGrid, Tile};
use whitecap_surface::LevelSet;

use super::LiquidField;
use super::blocks::BlockGrid;
use super::blocks::bounds::blocks_of_nodes;
use super::march::{Crossing, Stride, first_crossing};
use crate::{Hit, Ray, Shape};

/// A liquid given as a distance field. It does not move during the shutter.
pub struct LevelSetLiquid {
    level_set: LevelSet,
    blocks: BlockGrid,
}

impl LevelSetLiquid {
    /// The liquid inside a level set.
    pub fn new(level_set: LevelSet) -> Self {
        let blocks = blocks_of_nodes(level_set.grid());
        Self { level_set, blocks }
    }

    /// The level set.
    pub fn level_set(&self) -> &LevelSet {
        &self.level_set
    }

    fn cell(&self) -> f32 {
        self.level_set.grid().lattice().cell
    }

    fn nearest(&self, ray: &Ray) -> Option<f32> {
        let found = self.blocks.nearest(ray, |state, range| {
            self.cross(ray, state, Vec3::ZERO, range).map(|crossing| (crossing.distance, ()))
        });
        found.map(|(distance, ())| distance)
    }
}

/// Gradient of a grid, trilinear between central differences at the nodes.
pub(crate) fn smooth_gradient(grid: &SparseGrid<f32>, point: Vec3) -> Vec3 {
    let cell = grid.lattice().cell;
    let slope = |axis: Vec3| {
        let (before, after) = (grid.sample(point - cell * axis), grid.sample(point + cell * axis));
        (after - before) / (2.0 * cell)
    };
    Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
}

impl LiquidField for LevelSetLiquid {
    fn sample(&self, point: Vec3, _: f32, _: Vec3) -> (f32, Vec3) {
        (self.level_set.distance(point), smooth_gradient(self.level_set.grid(), point))
    }

    fn value(&self, point: Vec3, _: f32, _: Vec3) -> f32 {
        self.level_set.distance(point)
    }

    fn spacing(&self) -> f32 {
        2.0 * self.cell()
    }

    fn edge_width(&self) -> f32 {
        2.0 * self.cell()
    }

    fn blocks_of_surface(&self) -> &BlockGrid {
        &self.blocks
    }

    fn cross(&self, ray: &Ray, _: u32, _: Vec3, (enter, leave): (f32, f32)) -> Option<Crossing> {
        let slack = 1e-3 * self.cell() + 4.0 * f32::EPSILON * leave;
        let enter = (enter - slack).max(0.0);
        let leave = (leave + slack).min(ray.far);
        let stride = Stride { step: 0.35 * self.cell(), tolerance: 1e-5 * self.cell() };
        let grid = self.level_set.grid();
        let origin = ray.at(enter);
        let function = |at: f32| {
            let (value, gradient) = grid.sample_with_gradient(origin + at * ray.direction);
            (value, gradient.dot(ray.direction))
        };
        let crossing = first_crossing(leave - enter, stride, function, |_| true)?;
        Some(Crossing { distance: enter + crossing.distance, ..crossing })
    }

    fn describe(&self, ray: &Ray, distance: f32, _: Vec3) -> Hit {
        let normal = smooth_gradient(self.level_set.grid(), ray.at(distance)).try_normalize();
        let normal = normal.unwrap_or(-ray.direction);
        let place = ray.origin.abs().max_element().max(distance);
        Hit {
            distance,
            geometric_normal: normal,
            shading_normal: normal,
            uv: Vec2::ZERO,
            velocity: Vec3::ZERO,
            element: 0,
            particle: None,
            film_thickness: 0.0,
            opacity: 1.0,
            uncertainty: (1e-3 * self.cell()).max(16.0 * f32::EPSILON * place),
        }
    }
}

impl Shape for LevelSetLiquid {
    fn bounds(&self) -> Bounds {
        self.blocks.bounds()
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        self.nearest(ray).map(|distance| self.describe(ray, distance, Vec3::ZERO))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.nearest(ray).is_some()
    }

    fn contains(&self, point: Vec3, _: f32) -> bool {
        self.level_set.distance(point) < 0.0
    }

    fn bytes(&self) -> usize {
        let tile = |tile: &Tile<f32>| size_of::<Tile<f32>>() + tile.dense().map_or(0, size_of_val);
        self.level_set.grid().tiles().iter().map(tile).sum::<usize>() + self.blocks.bytes()
    }
}
