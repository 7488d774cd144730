//! The particles as the surfacing step sees them: cropped, checked, sorted, with every length
//! resolved.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Bounds, Particles, budget, counted, outliers};

use crate::spacing::{SpacingEstimate, median_radius, precision_warning, radius_warning};
use crate::{CropBox, Error, SurfaceSettings};

/// The largest radius of a particle, in metres, as that of the setting.
pub(crate) const LARGEST_RADIUS: f32 = 1e9;
/// The smallest radius of particles, in metres: below it, densities are too large for single precision.
pub(crate) const SMALLEST_RADIUS: f32 = 1e-12;
/// The largest number of cells a support radius may span: finer cells only waste memory.
const LARGEST_SUPPORT_IN_CELLS: f32 = 64.0;

const FEWER_PAIRS: &str = "use a smaller support, or radii that differ less";

/// Checked particles in Z-order and the lengths that govern the surface.
#[derive(Debug)]
pub(crate) struct Input {
    /// Sorted positions.
    pub grid: NeighbourGrid,
    /// For each sorted place, the particle's index in the caller's set.
    pub source: Vec<u32>,
    /// For each sorted place, its radius relative to the reference radius; `None` if all equal.
    pub relative_radius: Option<Vec<f32>>,
    /// Reference radius in metres.
    pub radius: f32,
    /// Cell size in metres.
    pub cell: f32,
    /// Support of a particle with the reference radius, in metres.
    pub support: f32,
    /// Sentences about the assumptions made.
    pub notes: Vec<String>,
}

impl Input {
    pub fn new(particles: &Particles, settings: &SurfaceSettings) -> Result<Self, Error> {
        particles.check_finite()?;
        let mut notes = Vec::new();
        let kept = crop(particles, settings.crop)?;
        if kept.len() < particles.len() {
            notes.push(format!(
                "{} of {} used: the rest is outside the crop box",
                kept.len(),
                counted(particles.len(), "particle")
            ));
        }
        if particles.is_empty() {
            notes.push(String::from("there are no particles, so there is no surface"));
        }
        let positions: Vec<Vec3> =
            kept.iter().map(|&i| particles.positions()[i as usize]).collect();
        let own_radii = match settings.radius {
            Some(_) => None,
            None => own_radii(particles, &kept)?,
        };
        let radius = match (settings.radius, &own_radii) {
            (Some(radius), _) => {
                let radius = positive("radius", radius)?;
                let what = format!("the radius, {radius} m,");
                notes.extend(radius_warning(&positions, radius, &what));
                radius
            }
            (None, Some(radii)) => radius_of_column(radii, &positions, &mut notes),
            (None, None) if positions.is_empty() => 1.0,
            (None, None) => radius_of_all(particles, &positions, &mut notes)?,
        };
        if radius < SMALLEST_RADIUS {
            return Err(Error::RadiusTooSmall { radius });
        }
        notes.extend(precision_warning(&positions, radius));
        let cell = positive("cell", settings.cell.unwrap_or(radius))?;
        let support = positive("support", settings.support.unwrap_or(4.0 * radius))?;
        if !positions.is_empty() {
            check_lengths(radius, cell, support)?;
        }
        check_reach(&positions, cell)?;
        let relative: Option<Vec<f32>> =
            own_radii.map(|radii| radii.par_iter().map(|r| r / radius).collect());
        let largest = relative.as_ref().map_or(1.0, |r| r.iter().copied().fold(1.0, f32::max));
        let grid = NeighbourGrid::build(&positions, support * largest);
        budget::ask_work(grid.pair_visits(), "the search for neighbours", FEWER_PAIRS)
            .map_err(|refused| outliers::blame(refused, particles))?;
        let order = grid.order();
        let source = order.iter().map(|&i| kept[i as usize]).collect();
        let relative_radius =
            relative.map(|radii| order.iter().map(|&i| radii[i as usize]).collect());
        Ok(Self { source, relative_radius, radius, cell, support, notes, grid })
    }

    /// The same particles moved by `displacement(index in the caller's set)` and re-sorted: the
    /// order of the new grid refers to places of this one.
    pub fn moved(&self, displacement: impl Fn(u32) -> Vec3) -> Self {
        let positions: Vec<Vec3> = self
            .grid
            .positions()
            .iter()
            .zip(&self.source)
            .map(|(&position, &source)| position + displacement(source))
            .collect();
        let grid = NeighbourGrid::build(&positions, self.largest_support());
        let order = grid.order();
        let source = order.iter().map(|&place| self.source[place as usize]).collect();
        let relative_radius = self
            .relative_radius
            .as_ref()
            .map(|radii| order.iter().map(|&place| radii[place as usize]).collect());
        let Self { radius, cell, support, .. } = *self;
        Self { grid, source, relative_radius, radius, cell, support, notes: Vec::new() }
    }

    /// Radius of the particle at a sorted place, relative to the reference radius.
    #[inline]
    pub fn relative_radius(&self, place: usize) -> f32 {
        self.relative_radius.as_ref().map_or(1.0, |radii| radii[place])
    }

    /// Support of the particle at a sorted place, in metres.
    #[inline]
    pub fn reach(&self, place: usize) -> f32 {
        self.support * self.relative_radius(place)
    }

    /// The largest support of any particle.
    pub fn largest_support(&self) -> f32 {
        let largest = self.relative_radius.iter().flatten().copied().fold(1.0, f32::max);
        self.support * largest
    }
}

/// The median of the particles' own radii.
fn radius_of_column(radii: &[f32], positions: &[Vec3], notes: &mut Vec<String>) -> f32 {
    let radius = median_radius(radii);
    // Particles of different sizes have no one spacing.
    if radii.iter().all(|&own| own == radii[0]) {
        let what = format!("the particles' own radius, {radius} m,");
        notes.extend(radius_warning(positions, radius, &what));
    }
    radius
}

/// The radius of particles that have none of their own: what is known of all of them, or an estimate.
fn radius_of_all(
    particles: &Particles,
    positions: &[Vec3],
    notes: &mut Vec<String>,
) -> Result<f32, Error> {
    let facts = particles.facts();
    if let Some(radius) = facts.radius {
        if facts.radius_is_estimated {
            notes.push(format!(
                "no radius was given: {radius} m, half the particle spacing of the sequence, is used for every frame"
            ));
        } else {
            let what = format!("the radius that the file gives for all particles, {radius} m,");
            notes.extend(radius_warning(positions, radius, &what));
        }
        return positive("radius", radius);
    }
    let estimate =
        SpacingEstimate::of(positions).ok_or(Error::RadiusUnknown { count: positions.len() })?;
    let radius = estimate.radius();
    notes.push(format!("no radius was given: {radius} m, half the particle spacing, is used"));
    Ok(radius)
}

fn positive(name: &'static str, value: f32) -> Result<f32, Error> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(Error::Length { name, value }) }
}

fn check_lengths(radius: f32, cell: f32, support: f32) -> Result<(), Error> {
    if support < radius {
        return Err(Error::SupportTooSmall { support, what: "particle radius", limit: radius });
    }
    if support < cell {
        return Err(Error::SupportTooSmall { support, what: "cell", limit: cell });
    }
    let smallest = support / LARGEST_SUPPORT_IN_CELLS;
    if cell < smallest {
        let nodes = 4.2 * f64::from(support / cell).powi(3);
        return Err(Error::CellTooSmall { cell, support, nodes, smallest });
    }
    Ok(())
}

fn check_reach(positions: &[Vec3], cell: f32) -> Result<(), Error> {
    let reach = cell * (1 << 29) as f32;
    match positions.par_iter().position_first(|p| p.abs().max_element() > reach) {
        Some(index) => {
            let distance = positions[index].as_dvec3().length();
            Err(Error::TooFar { index, distance, cell })
        }
        None => Ok(()),
    }
}

fn crop(particles: &Particles, crop: Option<CropBox>) -> Result<Vec<u32>, Error> {
    let all = 0..particles.len() as u32;
    let Some(CropBox { min, max }) = crop else { return Ok(all.collect()) };
    if let Some(axis) = (0..3).find(|&axis| min[axis] > max[axis]) {
        return Err(Error::EmptyCrop { axis: ['x', 'y', 'z'][axis] });
    }
    let bounds = Bounds::new(min.into(), max.into());
    Ok(all.filter(|&i| bounds.contains(particles.positions()[i as usize])).collect())
}

fn own_radii(particles: &Particles, kept: &[u32]) -> Result<Option<Vec<f32>>, Error> {
    let Some(column) = particles.radii() else { return Ok(None) };
    if kept.is_empty() {
        return Ok(None);
    }
    let radii: Vec<f32> = kept.iter().map(|&i| column[i as usize]).collect();
    let problem = radii.iter().zip(kept).find_map(|(&value, &index)| {
        let index = index as usize;
        match value > 0.0 && value.is_finite() {
            false => Some(Error::ParticleRadius { index, value }),
            true => (value > LARGEST_RADIUS).then_some(Error::AbsurdRadius { index, value }),
        }
    });
    problem.map_or(Ok(Some(radii)), Err)
}
