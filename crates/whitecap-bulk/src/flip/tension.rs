//! Surface tension: the pressure under a curved surface.
//!
//! Across the surface the pressure jumps by σ κ, where κ is the sum of the principal curvatures (Young and
//! Laplace). The pressure solver takes that jump where the surface is, by the ghost-fluid method (Kang, Fedkiw and
//! Liu 2000; for liquids beside air without mass, Enright, Nguyen, Gibou and Fedkiw 2003).
//!
//! κ = −∇·(∇c/|∇c|) is that of the level sets of an indicator c: how full each cell is by its distance to the
//! surface, smoothed once (Brackbill, Kothe and Zemach 1992, section III). It must see every bump of the surface
//! that the pressure sees: smoothed more, the curvature of a ball at rest is less noisy, but bumps that it hides
//! grow, until the drop boils away. As solids have no room, c goes on into them as it is beside them: the liquid
//! meets them at a right angle.
//!
//! # Guarantees
//! κ of a ball of eight to twelve cells' radius is right within 2 % in the mean; it is at most one over a cell.
//!
//! # Non-guarantees
//! * Chance bumps of the particles spread the curvature of a ball by 14 to 21 %: a drop at rest keeps moving, at
//!   some hundredths of the speed of its capillary waves.
//! * Threads and sheets thinner than three cells have no reliable curvature.
//! * There is no contact angle but the right one.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

use super::liquid::FlipLiquid;
use crate::mac::around::{PADDED, padded_place};
use crate::mac::solids::SolidFaces;

/// Less room than this, as a share, says nothing about the indicator.
const LEAST_ROOM: f32 = 1e-3;
/// Slopes of the indicator per cell that are too small to have a direction.
const LEAST_SLOPE: f32 = 1e-3;

impl FlipLiquid {
    /// p Δt / ρ at the surface near each cell, in m²/s; `None` without surface tension.
    pub(super) fn surface_pressure(
        &self,
        liquid: &SparseGrid<f32>,
        solids: &SolidFaces,
        duration: f32,
    ) -> Option<SparseGrid<f32>> {
        let tension = self.settings.surface_tension;
        if tension == 0.0 {
            return None;
        }
        let strength = tension * duration / self.settings.rest_density;
        let mut curvature = surface_curvature(liquid, solids);
        for tile in curvature.tiles_mut() {
            if let Tile::Dense(values) = tile {
                values.iter_mut().for_each(|value| *value *= strength);
            }
        }
        Some(curvature)
    }

    /// The longest step in s in which no capillary wave passes a cell: √(ρ̄ h³ / 2πσ) (Brackbill, Kothe and Zemach
    /// 1992, Eq. 61), where ρ̄ is the mean density of the liquid and the air, which has none.
    pub(super) fn longest_capillary_step(&self) -> f64 {
        let mean_density = 0.5 * f64::from(self.settings.rest_density);
        let tension = f64::from(self.settings.surface_tension);
        let cube = f64::from(self.settings.cell()).powi(3);
        (mean_density * cube / (std::f64::consts::TAU * tension)).sqrt()
    }
}

/// Curvature in 1/m of the surface nearest to each cell that is next to it, positive where the liquid is convex; 0
/// elsewhere. `liquid` is the distance to the surface at the middles of cells in m.
pub fn surface_curvature(liquid: &SparseGrid<f32>, solids: &SolidFaces) -> SparseGrid<f32> {
    let indicator = indicator(liquid, solids);
    let cell = liquid.lattice().cell;
    let normals = normals(&indicator);
    indicator.map_tiles(0.0, |tile, _| {
        let (liquid, normals) = (liquid.neighbourhood(tile), normals.neighbourhood(tile));
        let is_wet = |cell: IVec3| liquid.get(cell) < 0.0;
        let is_near = |cell: IVec3| {
            let beside = IVec3::AXES.into_iter().flat_map(|axis| [cell - axis, cell + axis]);
            beside.into_iter().any(|beside| is_wet(beside) != is_wet(cell))
        };
        let curvature = |offset: usize| {
            let here = local_node(offset);
            if !is_near(here) {
                return 0.0;
            }
            let slope = |axis: usize| {
                let step = IVec3::AXES[axis];
                0.5 * (normals.get(here + step)[axis] - normals.get(here - step)[axis])
            };
            let level = (0..3).map(slope).sum::<f32>() / cell;
            // From the level set through the middle of the cell to the surface: radii differ by the distance.
            let distance = liquid.get(here).clamp(-cell, cell);
            let at_surface = level / (1.0 - 0.5 * level * distance).max(0.5);
            at_surface.clamp(-1.0 / cell, 1.0 / cell)
        };
        let values: [f32; TILE_NODES] = std::array::from_fn(curvature);
        match values.iter().all(|&value| value == 0.0) {
            true => Tile::Constant(0.0),
            false => Tile::Dense(Box::new(values)),
        }
    })
}

/// How full of liquid it is around each cell: 1 inside, 0 outside, with a smooth step at the surface.
fn indicator(liquid: &SparseGrid<f32>, solids: &SolidFaces) -> SparseGrid<f32> {
    let cell = liquid.lattice().cell;
    let full = liquid.map_tiles(0.0, |tile, liquid| {
        let Some(liquid) = liquid.center() else { return Tile::Constant(0.0) };
        let room = solids.volumes.tile(tile);
        combined(Some(liquid), room, |distance, room| {
            room * (0.5 - distance / cell).clamp(0.0, 1.0)
        })
    });
    let (full, room) = (smoothed(&full), smoothed(&solids.volumes));
    full.map_tiles(0.0, |tile, full| {
        let share = |full: f32, room: f32| if room < LEAST_ROOM { 0.0 } else { full / room };
        combined(full.center(), room.tile(tile), share)
    })
}

/// A tile from two others, which are 0 and 1 where there is none.
fn combined(
    one: Option<&Tile<f32>>,
    other: Option<&Tile<f32>>,
    value: impl Fn(f32, f32) -> f32,
) -> Tile<f32> {
    let at = |offset: usize| {
        value(one.map_or(0.0, |tile| tile.at(offset)), other.map_or(1.0, |tile| tile.at(offset)))
    };
    match [one, other].into_iter().flatten().any(|tile| tile.dense().is_some()) {
        true => Tile::Dense(Box::new(std::array::from_fn(at))),
        false => Tile::Constant(at(0)),
    }
}

/// Each value as the mean of itself and its neighbours, by the weights 1, 2, 1 on each axis.
fn smoothed(grid: &SparseGrid<f32>) -> SparseGrid<f32> {
    grid.map_tiles(grid.background(), |_, around| {
        let mut values = [0.0; PADDED];
        around.copy_padded(1, &mut values);
        if values.iter().all(|&value| value == values[0]) {
            return Tile::Constant(values[0]);
        }
        for step in [1, 10, 100] {
            let before = values;
            for place in step..PADDED - step {
                values[place] =
                    0.25 * (before[place - step] + before[place + step]) + 0.5 * before[place];
            }
        }
        let value = |offset: usize| values[padded_place(local_node(offset))];
        Tile::Dense(Box::new(std::array::from_fn(value)))
    })
}

/// The direction out of the liquid, −∇c/|∇c|, by central differences; zero where c is flat.
fn normals(indicator: &SparseGrid<f32>) -> SparseGrid<Vec3> {
    indicator.map_tiles(Vec3::ZERO, |_, around| {
        let mut values = [0.0; PADDED];
        around.copy_padded(1, &mut values);
        if values.iter().all(|&value| value == values[0]) {
            return Tile::Constant(Vec3::ZERO);
        }
        let normal = |offset: usize| {
            let place = padded_place(local_node(offset));
            let slope =
                [1, 10, 100].map(|step| 0.5 * (values[place - step] - values[place + step]));
            let slope = Vec3::from(slope);
            if slope.length() < LEAST_SLOPE { Vec3::ZERO } else { slope.normalize() }
        };
        Tile::Dense(Box::new(std::array::from_fn(normal)))
    })
}
