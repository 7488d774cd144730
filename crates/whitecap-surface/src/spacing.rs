//! The particle spacing of a liquid, estimated when it is not given.
//!
//! The spacing is the edge of the cube that one particle fills: n^(-1/3), with n the number of particles per
//! volume inside the liquid. For particles filled on a lattice that is its edge, and twice the radius that
//! solvers write; for a FLIP liquid with eight particles in a cell, half a cell.
//!
//! # Guarantees
//! * Within 3 % for lattices with any jitter and for particles at random places; within 5 % where particles
//!   come in close pairs, or among spray and thin sheets. Distances to nearest neighbours are not: in violent
//!   flow they fall to less than half of the spacing.
//! * Spray, thin sheets and single particles far away do not count.
//! * The same positions in the same order give the same bits, for any number of threads.
//!
//! # Non-guarantees
//! Where there is no inside (a sheet, a filament, a few drops) only distances between neighbours are left,
//! which may be off by a fifth.

use glam::{Mat3, Vec3};
use rayon::prelude::*;
use whitecap_core::eigen::symmetric_eigen;
use whitecap_core::kernels::{CubicSpline, Kernel};
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Bounds, Particles};

/// Number of particles sampled.
const SAMPLES: usize = 4096;
/// Size of a neighbourhood, in spacings: wide enough that disorder averages out.
const SUPPORT_PER_SPACING: f32 = 3.5;
/// How far the middle of a full neighbourhood may be from its particle, in supports.
const LARGEST_OFFSET: f32 = 0.06;
/// Extent of a full neighbourhood along its shortest axis, squared, relative to its longest.
const SMALLEST_ROUNDNESS: f32 = 0.6;
/// Fewest full neighbourhoods that make a liquid with an inside: a number, and a share of the samples.
const FEWEST_FULL: (usize, f32) = (8, 0.004);
/// The largest ratio of spacing to nearest distance.
const LARGEST_DISORDER: f32 = 4.0;
/// How far from the spacing a radius may be without a warning, as a factor.
const LARGEST_MISFIT: f32 = 1.5;

/// A particle spacing that was estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpacingEstimate {
    /// Edge of the cube that one particle of liquid fills, in m.
    pub spacing: f32,
    /// Whether it was measured inside the liquid, which is more exact than distances between neighbours.
    pub from_inside: bool,
}

impl SpacingEstimate {
    /// The estimate for a set of particles; `None` if no two of them are at different positions, or a
    /// position is not finite.
    pub fn of(positions: &[Vec3]) -> Option<Self> {
        if !positions.iter().all(|position| position.is_finite()) {
            return None;
        }
        let positions = without_outliers(positions);
        let (median, upper) = nearest_distances(&positions)?;
        let without_inside = Self { spacing: upper, from_inside: false };
        Some(spacing_inside(&positions, median).unwrap_or(without_inside))
    }

    /// Half the spacing, rounded to three digits: what is said is what is used.
    pub fn radius(&self) -> f32 {
        format!("{:.2e}", 0.5 * self.spacing).parse().unwrap_or(0.5 * self.spacing)
    }

    /// One estimate for a sequence of frames: the median of those measured inside the liquid, or of all
    /// where there are none.
    pub fn of_sequence(frames: &[Self]) -> Option<Self> {
        let from_inside = frames.iter().any(|frame| frame.from_inside);
        let counted = frames.iter().filter(|frame| frame.from_inside == from_inside);
        let mut spacings: Vec<f32> = counted.map(|frame| frame.spacing).collect();
        spacings.sort_unstable_by(f32::total_cmp);
        let spacing = *spacings.get(spacings.len() / 2)?;
        Some(Self { spacing, from_inside })
    }
}

/// The spacing of a liquid, from the best that is known: twice the median of the `radius` column, twice the radius
/// among the facts, else estimated. `None` if there is no way to know.
pub fn spacing_of(particles: &Particles) -> Option<f32> {
    let known = radius_of(particles).or(particles.facts().radius).filter(|radius| *radius > 0.0);
    known
        .or_else(|| SpacingEstimate::of(particles.positions()).map(|found| found.radius()))
        .map(|radius| 2.0 * radius)
}

/// The median of the `radius` column, if all its values can be radii.
fn radius_of(particles: &Particles) -> Option<f32> {
    let radii = particles.radii().filter(|radii| !radii.is_empty())?;
    let usable = radii.iter().all(|radius| *radius > 0.0 && radius.is_finite());
    usable.then(|| median_radius(radii))
}

/// The median, which a few wild values do not move.
///
/// # Panics
/// If there is no value.
pub(crate) fn median_radius(radii: &[f32]) -> f32 {
    let mut radii = radii.to_vec();
    let middle = radii.len() / 2;
    *radii.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// Says so if a radius is far from half the spacing of particles: they would be drops, or one lump.
///
/// `what` names the radius, such as "the radius, 0.01 m,".
pub fn radius_warning(positions: &[Vec3], radius: f32, what: &str) -> Option<String> {
    if fits(positions, radius) {
        return None;
    }
    let estimate = SpacingEstimate::of(positions)?;
    let ratio = radius / estimate.radius();
    // Close pairs shrink an estimate that is not from the inside.
    let tolerance = if estimate.from_inside { LARGEST_MISFIT } else { LARGEST_MISFIT.powi(2) };
    if ratio < tolerance && ratio > tolerance.recip() {
        return None;
    }
    let right = estimate.radius();
    Some(match ratio < 1.0 {
        true => format!(
            "{what} is far smaller than half the particle spacing, {right} m: particles may become single drops"
        ),
        false => format!(
            "{what} is far larger than half the particle spacing, {right} m: detail is lost"
        ),
    })
}

/// Says so if positions are so far from the origin that single precision does not tell particles of this
/// radius apart well.
pub(crate) fn precision_warning(positions: &[Vec3], radius: f32) -> Option<String> {
    /// The coarsest positions that do not show, in radii.
    const COARSEST: f32 = 0.1;
    let far = positions.iter().fold(0.0f32, |far, p| far.max(p.abs().max_element()));
    let step = far * f32::EPSILON;
    (step > COARSEST * radius).then(|| {
        format!(
            "positions {far:.1e} m from the origin are exact to {step:.1e} m only, too coarse for a particle radius of {radius:.1e} m: move the scene to the origin in the program that saves it"
        )
    })
}

/// Whether full neighbourhoods of the size that goes with a radius confirm it: a quick look that spares the
/// estimate.
fn fits(positions: &[Vec3], radius: f32) -> bool {
    // A neighbourhood has 180 particles, a cell of its size 43.
    const MOST_IN_CELL: usize = 400;
    let support = SUPPORT_PER_SPACING * 2.0 * radius;
    let usable = support > 0.0 && support.is_finite();
    if !usable || positions.iter().any(|position| !position.is_finite()) {
        return false;
    }
    let grid = NeighbourGrid::build(positions, support);
    let crowded = grid.len() > MOST_IN_CELL * grid.cell_count();
    let found = if crowded { None } else { spacing_at_support(&grid, support) };
    let ratio = found.map_or(f32::INFINITY, |spacing| 2.0 * radius / spacing);
    ratio < LARGEST_MISFIT && ratio > LARGEST_MISFIT.recip()
}

/// Edge of the cube that one particle of liquid fills; `None` if no two particles are at different positions,
/// or a position is not finite.
pub fn particle_spacing(positions: &[Vec3]) -> Option<f32> {
    SpacingEstimate::of(positions).map(|estimate| estimate.spacing)
}

/// The particles without those very far from nearly all others, which would only cost time.
fn without_outliers(positions: &[Vec3]) -> Vec<Vec3> {
    const SHARE: usize = 100;
    const MARGIN: f32 = 16.0;
    let sampled: Vec<Vec3> =
        positions.iter().step_by(positions.len().div_ceil(SAMPLES).max(1)).copied().collect();
    let ends = |axis: usize| {
        let mut values: Vec<f32> = sampled.iter().map(|position| position[axis]).collect();
        values.sort_unstable_by(f32::total_cmp);
        let skipped = values.len() / SHARE;
        values.get(skipped).copied().zip(values.iter().rev().nth(skipped).copied())
    };
    let (Some(x), Some(y), Some(z)) = (ends(0), ends(1), ends(2)) else { return Vec::new() };
    let most = Bounds::new(Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1));
    let kept = most.grown(MARGIN * most.size().max_element());
    positions.iter().copied().filter(|&position| kept.contains(position)).collect()
}

/// n^(-1/3) in full neighbourhoods; `None` if there are too few of them.
///
/// The size of a neighbourhood follows from the spacing, so a few rounds are needed. They start at the nearest
/// distance; where neighbourhoods of that size are clumps, wider ones are tried. A spacing that does not settle
/// is not taken for one from the inside.
fn spacing_inside(positions: &[Vec3], nearest: f32) -> Option<SpacingEstimate> {
    const ROUNDS: usize = 16;
    const GROWTH: f32 = 1.25;
    const TOLERANCE: f32 = 0.002;
    let grid = NeighbourGrid::build(positions, SUPPORT_PER_SPACING * nearest);
    let mut spacing = nearest;
    for _ in 0..ROUNDS {
        if spacing > LARGEST_DISORDER * nearest {
            return None;
        }
        let found = spacing_at_support(&grid, SUPPORT_PER_SPACING * spacing);
        if let Some(found) = found
            && (found / spacing - 1.0).abs() < TOLERANCE
        {
            return Some(SpacingEstimate { spacing: found, from_inside: true });
        }
        spacing = found.map_or(GROWTH * spacing, |found| found.min(GROWTH * spacing));
    }
    Some(SpacingEstimate { spacing, from_inside: false })
}

/// The median of n^(-1/3) over full neighbourhoods of this size.
fn spacing_at_support(grid: &NeighbourGrid, support: f32) -> Option<f32> {
    let kernel = CubicSpline::new(support);
    let stride = grid.len().div_ceil(SAMPLES).max(1);
    let mut densities: Vec<f32> = (0..grid.len())
        .into_par_iter()
        .step_by(stride)
        .filter_map(|place| density_if_full(grid, place, &kernel, support))
        .collect();
    let (count, share) = FEWEST_FULL;
    let samples = grid.len().div_ceil(stride);
    if densities.len() < count.max((share * samples as f32) as usize) {
        return None;
    }
    let middle = densities.len() / 2;
    Some(densities.select_nth_unstable_by(middle, f32::total_cmp).1.cbrt().recip())
}

/// Particles per volume around a particle, if there are particles on all sides.
fn density_if_full(
    grid: &NeighbourGrid,
    place: usize,
    kernel: &CubicSpline,
    support: f32,
) -> Option<f32> {
    let here = grid.positions()[place];
    let (mut density, mut middle, mut extent) = (0.0, Vec3::ZERO, Mat3::ZERO);
    grid.for_each_within(here, support, |other, distance_squared| {
        let weight = kernel.value(distance_squared);
        let away = (grid.positions()[other] - here) / support;
        density += weight;
        middle += weight * away;
        extent += Mat3::from_cols(away * away.x, away * away.y, away * away.z) * weight;
    });
    let centred = middle.length() <= LARGEST_OFFSET * density;
    if !centred {
        return None;
    }
    let extents = symmetric_eigen(extent * density.recip()).values;
    let round = extents.min_element() > SMALLEST_ROUNDNESS * extents.max_element();
    (round && density.is_finite() && density > 0.0).then_some(density)
}

/// Distance between neighbours of points on a surface, the median; `None` if no two of them are at different
/// positions, or a position is not finite.
pub fn surface_spacing(points: &[Vec3]) -> Option<f32> {
    if !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    nearest_distances(points).map(|(median, _)| median)
}

/// Distances to the nearest neighbour at a different position: the median, and the upper eighth of those that
/// are not much larger, which are of particles without a close partner.
fn nearest_distances(positions: &[Vec3]) -> Option<(f32, f32)> {
    // Below this, halving the cells would reach zero; above, sizes of neighbourhoods would overflow.
    const SMALLEST_SIZE: f32 = 1e-25;
    const LARGEST_SIZE: f32 = 1e25;
    let size = Bounds::of(positions).size().max_element();
    if !(size > SMALLEST_SIZE && size < LARGEST_SIZE) {
        return None;
    }
    // Start from one cell around everything and halve until cells are sparsely filled; an
    // outlier only makes the start larger.
    let mut cell = size;
    let mut grid = NeighbourGrid::build(positions, cell);
    while grid.len() > 8 * grid.cell_count() && cell > size * 1e-9 {
        cell *= 0.5;
        grid.rebuild(positions, cell);
    }
    let stride = positions.len().div_ceil(SAMPLES);
    let mut distances: Vec<f32> = (0..positions.len())
        .into_par_iter()
        .step_by(stride)
        .filter_map(|place| {
            let here = grid.positions()[place];
            (0..3).find_map(|growth| {
                let mut nearest = f32::INFINITY;
                grid.for_each_within(here, cell * (1 << growth) as f32, |_, distance_squared| {
                    if distance_squared > 0.0 {
                        nearest = nearest.min(distance_squared);
                    }
                });
                nearest.is_finite().then(|| nearest.sqrt())
            })
        })
        .collect();
    distances.sort_unstable_by(f32::total_cmp);
    let median = *distances.get(distances.len() / 2)?;
    distances.retain(|&distance| distance < 2.0 * median);
    Some((median, distances[distances.len() * 7 / 8]))
}

#[cfg(test)]
mod tests {
    use whitecap_core::scatter::Sequence;

    use super::*;

    const SPACING: f32 = 0.05;

    /// `size` particles along each axis, each moved by up to `jitter` spacings.
    fn lattice(size: [usize; 3], jitter: f32) -> Vec<Vec3> {
        let mut random = Sequence::new(1);
        let count = size.iter().product();
        (0..count)
            .map(|i: usize| {
                let along = [i % size[0], i / size[0] % size[1], i / size[0] / size[1]];
                let p = Vec3::from_array(along.map(|number| number as f32));
                (p + jitter * (2.0 * random.point() - 1.0)) * SPACING
            })
            .collect()
    }

    #[track_caller]
    fn assert_spacing(what: &str, positions: &[Vec3], tolerance: f32) {
        let spacing = particle_spacing(positions).unwrap();
        assert!((spacing / SPACING - 1.0).abs() < tolerance, "{what}: {spacing}");
    }

    /// Contract: the spacing of a lattice is found to 1 %, however its particles are jittered, and that of
    /// particles at random places, eight in a cell of a FLIP liquid, to 3 %.
    #[test]
    fn finds_the_spacing_of_ordered_and_disordered_liquids() {
        for jitter in [0.0, 0.15, 0.25, 0.4, 0.5] {
            assert_spacing(&format!("jitter {jitter}"), &lattice([20; 3], jitter), 0.01);
        }
        let mut random = Sequence::new(2);
        let flip: Vec<Vec3> = (0..8000)
            .map(|i| {
                let cell = i / 8;
                let corner =
                    Vec3::new((cell % 10) as f32, (cell / 10 % 10) as f32, (cell / 100) as f32);
                2.0 * SPACING * (corner + random.point())
            })
            .collect();
        assert_spacing("eight in a cell", &flip, 0.03);
        let anywhere: Vec<Vec3> = (0..8000).map(|_| 20.0 * SPACING * random.point()).collect();
        assert_spacing("anywhere", &anywhere, 0.03);
    }

    /// Regression: on violent frames, where particles come in pairs much closer than the spacing, the radius
    /// was guessed up to 27 % too small. Contract: neither close pairs nor spray, thin sheets and a
    /// particle at the edge of the universe move the spacing by more than 5 %.
    #[test]
    fn violent_frames_do_not_shrink_the_radius() {
        let mut random = Sequence::new(3);
        let mut pairs: Vec<Vec3> = Vec::new();
        for place in lattice([16; 3], 0.3) {
            let apart = 0.2 * SPACING * (2.0 * random.point() - 1.0);
            // Two particles on a place of a lattice that is as much wider.
            pairs.extend([1.0, -1.0].map(|side| 2f32.cbrt() * place + side * apart));
        }
        assert_spacing("pairs", &pairs, 0.05);
        let nearest = nearest_distances(&pairs).unwrap().0;
        assert!(nearest < 0.5 * SPACING, "the pairs must be close: {nearest}");

        let mut splash = lattice([16, 16, 16], 0.4);
        splash.extend((0..4000).map(|_| 60.0 * SPACING * random.point()));
        splash.extend(lattice([60, 1, 60], 0.2).iter().map(|p| *p * 1.3 + Vec3::Y));
        assert_spacing("spray and a sheet", &splash, 0.05);
        splash.push(Vec3::splat(1e38));
        assert_spacing("an outlier", &splash, 0.05);
    }

    /// Contract: a radius far from half the spacing gets a sentence with the right number, at any scale; one
    /// within a factor of 1.5 gets none, nor does a radius without particles to compare it with.
    #[test]
    fn a_radius_far_from_the_spacing_is_noticed() {
        let liquid = lattice([12; 3], 0.3);
        let warning = |radius: f32| radius_warning(&liquid, radius, "the radius");
        for radius in [0.018, 0.025, 0.035] {
            assert_eq!(warning(radius), None);
        }
        for radius in [1e-30, 0.005, 0.01, 0.015, 0.04, 0.1, 2.0, 3e38] {
            let said =
                warning(radius).unwrap_or_else(|| panic!("nothing was said about {radius} m"));
            let number = said.split(" m:").next().unwrap().rsplit(' ').next().unwrap();
            let right: f32 = number.parse().unwrap();
            assert!((right / 0.025 - 1.0).abs() < 0.05, "{said}");
        }
        assert_eq!(radius_warning(&[Vec3::ONE], 1.0, "the radius"), None);
    }

    /// Contract: positions that single precision makes coarse are told; ordinary ones are not, 1 km from the
    /// origin included.
    #[test]
    fn coarse_positions_are_told() {
        let moved = |by: f32| lattice([6; 3], 0.0).iter().map(|p| *p + by).collect::<Vec<_>>();
        for (by, is_told) in [(0.0, false), (1e3, false), (1e5, true), (1e7, true)] {
            assert_eq!(precision_warning(&moved(by), 0.025).is_some(), is_told, "{by}");
        }
    }

    /// Contract: where there is no inside, the distances between neighbours count.
    #[test]
    fn sheets_filaments_and_single_drops_have_a_spacing() {
        for size in [[30, 1, 30], [30, 2, 30], [300, 1, 1], [2, 2, 2], [3, 3, 3], [2, 1, 1]] {
            let estimate = SpacingEstimate::of(&lattice(size, 0.0)).unwrap();
            assert!((estimate.spacing / SPACING - 1.0).abs() < 0.02, "{size:?}: {estimate:?}");
            assert!(!estimate.from_inside, "{size:?}");
        }
        assert_eq!(particle_spacing(&[Vec3::ONE; 5]), None);
        assert_eq!(particle_spacing(&[Vec3::ONE, Vec3::NAN]), None);
        assert_eq!(particle_spacing(&[]), None);
    }

    /// Contract: one wild radius does not move the spacing.
    #[test]
    fn one_wild_radius_does_not_move_the_spacing() {
        let mut particles = Particles::new(lattice([10; 3], 0.0));
        let mut radii = vec![0.5 * SPACING; 1000];
        radii[17] = 1e4;
        particles.set_attribute("radius", whitecap_core::Column::F32(radii)).unwrap();
        assert_eq!(spacing_of(&particles), Some(SPACING));
    }

    /// Contract: a sequence has one spacing; frames without an inside only count where there is nothing else.
    #[test]
    fn a_sequence_has_one_spacing() {
        let estimate = |spacing, from_inside| SpacingEstimate { spacing, from_inside };
        let frames =
            [estimate(0.5, false), estimate(1.0, true), estimate(1.1, true), estimate(0.9, true)];
        assert_eq!(SpacingEstimate::of_sequence(&frames), Some(estimate(1.0, true)));
        assert_eq!(SpacingEstimate::of_sequence(&frames[..1]), Some(frames[0]));
        assert_eq!(SpacingEstimate::of_sequence(&[]), None);
    }
}
