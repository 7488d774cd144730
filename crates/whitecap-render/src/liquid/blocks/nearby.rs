//! The particles near boxes that are not blocks.

use glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;

use super::lists::ListSource;
use crate::liquid::Shutter;
use crate::liquid::field::kernel::Kernel;
use crate::liquid::sides::Side;

/// A box for whose points a list of particles is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ListBox {
    /// Its middle.
    pub center: Vec3,
    /// Half its edge, in m.
    pub half: f32,
    /// The side of a wall on which its points lie.
    pub side: Option<Side>,
}

/// Finds particles near boxes that are not blocks.
pub(crate) struct Nearby<'a> {
    kernels: &'a [Kernel],
    shutter: Shutter,
    /// Particles that hardly move, where they are in the middle of the shutter.
    slow: NeighbourGrid,
    slow_places: Vec<u32>,
    fast: Vec<u32>,
    reach: f32,
}

impl<'a> Nearby<'a> {
    pub fn new(kernels: &'a [Kernel], shutter: Shutter) -> Self {
        let reach = kernels.iter().map(|k| k.reach()).fold(0.0, f32::max);
        let (middle, half) =
            (0.5 * (shutter.open + shutter.close), 0.5 * (shutter.close - shutter.open));
        let places = 0..kernels.len() as u32;
        let way = |place: u32| kernels[place as usize].velocity.length() * half;
        let (slow_places, fast): (Vec<u32>, Vec<u32>) =
            places.partition(|&place| way(place) < 0.5 * reach);
        let at = |&place: &u32| {
            kernels[place as usize].center + kernels[place as usize].velocity * middle
        };
        let positions: Vec<Vec3> = slow_places.iter().map(at).collect();
        let slow = NeighbourGrid::build(&positions, reach.max(f32::MIN_POSITIVE));
        let farthest = slow_places.iter().map(|&place| way(place)).fold(0.0, f32::max);
        Self { kernels, shutter, slow, slow_places, fast, reach: reach + farthest }
    }

    /// The particles that reach a box, in their order.
    pub fn list(&self, around: &ListBox, source: ListSource) -> Vec<u32> {
        let (low, high) = (around.center - around.half, around.center + around.half);
        let mut found = Vec::new();
        self.slow.for_each_cell_in_box(low - self.reach, high + self.reach, |range| {
            for place in range {
                found.push(self.slow_places[self.slow.order()[place] as usize]);
            }
        });
        found.extend_from_slice(&self.fast);
        found.retain(|&place| {
            let kernel = &self.kernels[place as usize];
            let reach = kernel.reach();
            let [start, end] = [self.shutter.open, self.shutter.close]
                .map(|time| kernel.center + kernel.velocity * time);
            let (middle, way) = (0.5 * (start + end), 0.5 * start.distance(end));
            let outside = (low - middle).max(middle - high).max(Vec3::ZERO);
            outside.length_squared() < (reach + way).powi(2)
                && !source.hides(place, around.side.as_ref())
        });
        found.sort_unstable();
        found
    }
}
