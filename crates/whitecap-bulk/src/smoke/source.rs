//! Sources of smoke: how much of each cell they cover, and what they put there.
//!
//! # Guarantees
//! * What a source releases depends on the time and the noise alone; no state is needed to resume it.
//! * Cells whose middle is inside a solid or outside of the domain get nothing; a source without any other is
//!   told.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, local_node, tile_order};
use whitecap_core::tile_cover::{TileCost, tiles_of_boxes};
use whitecap_core::{Bounds, budget};
use whitecap_scene::body::{AnimatedBody, BodyPose};

use super::error::SmokeError;
use super::source_settings::{SmokeSourceSettings, SourceShape};
use crate::mac::MacLattice;

/// Bytes of a tile of a source.
const TILE_BYTES: f64 = 16.0 * TILE_NODES as f64;

/// A source.
#[derive(Clone, Debug)]
pub struct Source {
    pub(super) settings: SmokeSourceSettings,
    region: Region,
}

/// Where smoke comes from.
#[derive(Clone, Debug)]
enum Region {
    Box(Bounds),
    Ball { center: Vec3, radius: f32 },
    Body(Box<AnimatedBody>),
    Particles { positions: Vec<Vec3>, velocities: Vec<Vec3>, radius: f32 },
    Volume(SparseGrid<f32>),
}

/// How much of a cell a source covers, and the velocity of what it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cover {
    pub(super) share: f32,
    pub(super) velocity: Option<Vec3>,
}

impl Source {
    /// A source; one of [`SourceShape::Mesh`] needs its body.
    pub fn new(
        settings: SmokeSourceSettings,
        body: Option<AnimatedBody>,
    ) -> Result<Self, SmokeError> {
        settings.check()?;
        let region = match (&settings.from, body) {
            (SourceShape::Box(shape), _) => Region::Box(shape.bounds()),
            (SourceShape::Ball(shape), _) => {
                Region::Ball { center: shape.center.into(), radius: shape.radius }
            }
            (SourceShape::Mesh(_), Some(body)) => Region::Body(Box::new(body)),
            (SourceShape::Mesh(_), None) => {
                return Err(whitecap_scene::SceneError::EmptyMesh.into());
            }
            (SourceShape::Particles(shape), _) => Region::Particles {
                positions: Vec::new(),
                velocities: Vec::new(),
                radius: shape.radius,
            },
            (SourceShape::Volume(_), _) => {
                Region::Volume(SparseGrid::new(whitecap_core::Lattice::at_origin(1.0), 0.0))
            }
        };
        Ok(Self { settings, region })
    }

    /// Its settings.
    pub fn settings(&self) -> &SmokeSourceSettings {
        &self.settings
    }

    /// Gives a source of particles those of a frame; one of another shape ignores them. Velocities may be
    /// left out.
    pub fn set_particles(&mut self, at: &[Vec3], moving: &[Vec3]) -> Result<(), SmokeError> {
        if let Region::Particles { positions, velocities, .. } = &mut self.region {
            for (what, values) in [("position", at), ("velocity", moving)] {
                if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                    return Err(SmokeError::BadSource { what, index });
                }
            }
            *positions = at.to_vec();
            *velocities = if moving.len() == at.len() { moving.to_vec() } else { Vec::new() };
        }
        Ok(())
    }

    /// Gives a source of a volume that of a frame; one of another shape ignores it.
    pub fn set_volume(&mut self, grid: &SparseGrid<f32>) {
        if let Region::Volume(volume) = &mut self.region {
            *volume = grid.clone();
        }
    }

    /// The cells that it covers at a time; `None` if it releases nothing then.
    pub(super) fn cover(
        &self,
        lattice: MacLattice,
        time: f64,
    ) -> Result<Option<SparseGrid<Cover>>, SmokeError> {
        if !self.settings.during.unwrap_or_default().contains(time) {
            return Ok(None);
        }
        let distance_cover = |distance: f32| Cover {
            share: (0.5 - distance / lattice.cell()).clamp(0.0, 1.0),
            velocity: None,
        };
        let cover = match &self.region {
            Region::Box(bounds) => {
                shape_cover(lattice, *bounds, |point| distance_cover(box_distance(bounds, point)))?
            }
            &Region::Ball { center, radius } => {
                let bounds = Bounds::new(center - radius, center + radius);
                shape_cover(lattice, bounds, |point| {
                    distance_cover(point.distance(center) - radius)
                })?
            }
            Region::Body(body) => {
                let pose: BodyPose = body.at(time)?;
                shape_cover(lattice, pose.bounds(), |point| {
                    pose.nearest(point, f32::INFINITY).map_or(Cover::default(), |nearest| Cover {
                        velocity: Some(nearest.velocity),
                        ..distance_cover(nearest.distance)
                    })
                })?
            }
            Region::Particles { positions, velocities, radius } => {
                particle_cover(lattice, positions, velocities, *radius)?
            }
            Region::Volume(volume) => {
                let places = volume.coordinates();
                let corner = |node: IVec3| volume.lattice().position(node);
                let bounds = places.iter().fold(Bounds::EMPTY, |bounds, &tile| {
                    bounds.with(corner(tile * 8 - 1)).with(corner(tile * 8 + 8))
                });
                shape_cover(lattice, bounds, |point| Cover {
                    share: volume.sample(point).max(0.0),
                    velocity: None,
                })?
            }
        };
        Ok(Some(cover))
    }
}

fn box_distance(bounds: &Bounds, point: Vec3) -> f32 {
    let beyond = (bounds.min - point).max(point - bounds.max);
    beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
}

const COST: TileCost<'static> = TileCost {
    bytes: TILE_BYTES,
    what: "a source of smoke",
    remedy: "use a larger `cell` or a smaller source",
};

/// The cover of a shape within bounds.
fn shape_cover(
    lattice: MacLattice,
    bounds: Bounds,
    cover: impl Fn(Vec3) -> Cover + Sync,
) -> Result<SparseGrid<Cover>, budget::OverBudget> {
    let centers = lattice.centers();
    let grown = if bounds.is_empty() { bounds } else { bounds.grown(lattice.cell()) };
    let tiles = tiles_of_boxes(centers, 1, |_| grown, COST)?;
    Ok(SparseGrid::filled(centers, Cover::default(), tiles, |tile, covers| {
        for (offset, value) in covers.iter_mut().enumerate() {
            *value = cover(centers.position(tile * 8 + local_node(offset)));
        }
    }))
}

/// The cover of balls around particles: that of the ball that covers most, and the mean velocity.
fn particle_cover(
    lattice: MacLattice,
    positions: &[Vec3],
    velocities: &[Vec3],
    radius: f32,
) -> Result<SparseGrid<Cover>, budget::OverBudget> {
    let (centers, cell) = (lattice.centers(), lattice.cell());
    let reach = radius + 0.5 * cell;
    let bounds = |place: usize| Bounds::new(positions[place] - reach, positions[place] + reach);
    let tiles = tiles_of_boxes(centers, positions.len(), bounds, COST)?;
    // Which particles reach which tile, tile by tile and in order.
    let mut reached: Vec<(IVec3, u32)> = (0..positions.len())
        .into_par_iter()
        .flat_map_iter(|place| {
            let Bounds { min, max } = bounds(place);
            let (low, high): (IVec3, IVec3) =
                (centers.locate(min).0 >> 3, (centers.locate(max).0 + 1) >> 3);
            let along = move |z| (low.y..=high.y).map(move |y| (y, z));
            (low.z..=high.z).flat_map(along).flat_map(move |(y, z)| {
                (low.x..=high.x).map(move |x| (IVec3::new(x, y, z), place as u32))
            })
        })
        .collect();
    reached.par_sort_unstable_by_key(|&(tile, place)| (tile_order(tile), place));
    Ok(SparseGrid::filled(centers, Cover::default(), tiles, |tile, covers| {
        let start = reached.partition_point(|(other, _)| tile_order(*other) < tile_order(tile));
        let mine = reached[start..].iter().take_while(|(other, _)| *other == tile);
        let mut shares = [0.0; TILE_NODES];
        for &(_, place) in mine {
            for (offset, cover) in covers.iter_mut().enumerate() {
                let middle = centers.position(tile * 8 + local_node(offset));
                let distance = middle.distance(positions[place as usize]) - radius;
                let share = (0.5 - distance / cell).clamp(0.0, 1.0);
                if share > 0.0 {
                    cover.share = cover.share.max(share);
                    shares[offset] += share;
                    if let Some(&velocity) = velocities.get(place as usize) {
                        let sum = cover.velocity.unwrap_or(Vec3::ZERO) + share * velocity;
                        cover.velocity = Some(sum);
                    }
                }
            }
        }
        for (cover, sum) in covers.iter_mut().zip(shares) {
            cover.velocity = cover.velocity.map(|velocity| velocity / sum);
        }
    }))
}
