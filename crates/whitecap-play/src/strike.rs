//! Where a ray hits liquid or ground, in the current columns.

use glam::{Vec2, Vec3, Vec3Swizzles};
use whitecap_pipes::Columns;

/// Longest path through the grid, in steps of half a cell.
const MOST_STEPS: usize = 20_000;

/// The last free point of a ray before it hits liquid or ground, if it does.
pub(crate) fn strike(columns: &Columns, from: Vec3, toward: Vec3) -> Option<Vec3> {
    let direction = toward.try_normalize()?;
    let (start, end) = inside(columns, from, direction)?;
    let step = 0.5 * columns.grid().cell();
    let mut free = start;
    for number in 0..MOST_STEPS {
        let along = start + step * number as f32;
        if along > end {
            return None;
        }
        if is_filled(columns, from + along * direction) {
            return Some(from + refine(columns, from, direction, free, along) * direction);
        }
        free = along;
    }
    None
}

/// Narrows down where a ray enters something between two lengths.
fn refine(columns: &Columns, from: Vec3, direction: Vec3, free: f32, filled: f32) -> f32 {
    let mut range = (free, filled);
    for _ in 0..10 {
        let middle = 0.5 * (range.0 + range.1);
        match is_filled(columns, from + middle * direction) {
            true => range.1 = middle,
            false => range.0 = middle,
        }
    }
    range.0
}

/// Whether there is liquid or ground at a point; outside the grid there is nothing.
fn is_filled(columns: &Columns, point: Vec3) -> bool {
    columns.grid().locate(point.xz()).is_some_and(|(x, z)| {
        let is_air = |column: usize| {
            columns.height(column) <= f64::from(point.y) && point.y < columns.ceiling()[column]
        };
        !columns.of_cell(x, z).any(is_air)
    })
}

/// The part of a ray that is over the grid and below the highest point.
fn inside(columns: &Columns, from: Vec3, direction: Vec3) -> Option<(f32, f32)> {
    let grid = columns.grid();
    let size = grid.cell() * Vec2::new(grid.width() as f32, grid.length() as f32);
    let heights = (0..columns.len()).map(|column| columns.height(column) as f32);
    let (low, high) = columns
        .floor()
        .iter()
        .copied()
        .chain(heights)
        .fold((f32::MAX, f32::MIN), |(low, high), height| (low.min(height), high.max(height)));
    let low = Vec3::new(grid.origin().x, low - grid.cell(), grid.origin().y);
    let high = Vec3::new(low.x + size.x, high + grid.cell(), low.z + size.y);
    let (mut start, mut end) = (0.0_f32, f32::MAX);
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if from[axis] < low[axis] || from[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let one = (low[axis] - from[axis]) / direction[axis];
        let other = (high[axis] - from[axis]) / direction[axis];
        start = start.max(one.min(other));
        end = end.min(one.max(other));
    }
    (start < end && end.is_finite()).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_pipes::{Grid, Space, Terrain};

    /// Ground at 0, and over the right half a plate from 4 to 5 mm.
    fn plate() -> Columns {
        let grid = Grid::new(Vec2::ZERO, 1e-3, 20, 10).unwrap();
        let terrain = Terrain::from_cells(grid, |x, _, spaces| {
            if x < 10 {
                spaces.push(Space::open(0.0));
            } else {
                spaces.push(Space { floor: 0.0, ceiling: 4e-3 });
                spaces.push(Space::open(5e-3));
            }
        });
        Columns::new(&terrain.unwrap())
    }

    /// Contract: a ray from above hits the plate where there is one and otherwise the ground, a
    /// slanted one hits the ground below the plate, and the point is in the air of the layer that
    /// was hit.
    #[test]
    fn rays_meet_the_layer_they_see() {
        let columns = plate();
        let down = Vec3::NEG_Y;
        let on_plate = strike(&columns, Vec3::new(15e-3, 0.1, 5e-3), down).unwrap();
        assert!((on_plate.y - 5e-3).abs() < 1e-5 && on_plate.y >= 5e-3);
        let on_ground = strike(&columns, Vec3::new(5e-3, 0.1, 5e-3), down).unwrap();
        assert!(on_ground.y.abs() < 1e-5 && on_ground.y >= 0.0);
        let slanted = strike(&columns, Vec3::new(4e-3, 4e-3, 5e-3), Vec3::new(1.0, -0.4, 0.0));
        let below = slanted.unwrap();
        assert!(below.x > 11e-3 && below.y < 1e-4, "{below}");
        let column = columns.containing(13, 5, below.y).unwrap();
        assert_eq!(columns.ceiling()[column], 4e-3);
    }

    /// Contract: liquid is hit at its surface.
    #[test]
    fn rays_meet_liquid() {
        let mut columns = plate();
        columns.fill(|_| 2e-3);
        let point = strike(&columns, Vec3::new(5e-3, 0.1, 5e-3), Vec3::NEG_Y).unwrap();
        assert!((point.y - 2e-3).abs() < 1e-5);
    }

    /// Contract: rays that miss, and invalid rays, hit nothing.
    #[test]
    fn other_rays_meet_nothing() {
        let columns = plate();
        let above = Vec3::new(5e-3, 0.1, 5e-3);
        for (from, toward) in [
            (above, Vec3::Y),
            (above, Vec3::ZERO),
            (above, Vec3::NAN),
            (above + Vec3::X, Vec3::NEG_Y),
            (Vec3::splat(f32::NAN), Vec3::NEG_Y),
            (Vec3::splat(f32::INFINITY), Vec3::NEG_Y),
            (Vec3::splat(1e30), Vec3::NEG_ONE),
        ] {
            assert_eq!(strike(&columns, from, toward), None, "{from} {toward}");
        }
    }
}
