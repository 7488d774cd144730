//! Triangulating a small loop of points in space.

use glam::DVec3;

/// Loops longer than this are not triangulated without a point in their middle.
const LONGEST_LOOP: usize = 48;

/// The triangulation of a loop with the best-shaped triangles, as indices into the loop, using only
/// diagonals that are allowed; `None` if there is none or the loop is too long. Triangles have the
/// orientation of the loop.
pub(crate) fn best_triangulation(
    points: &[DVec3],
    allowed: impl Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let count = points.len();
    if !(3..=LONGEST_LOOP).contains(&count) {
        return None;
    }
    if count == 3 {
        return Some(vec![[0, 1, 2]]);
    }
    let is_side = |i: usize, j: usize| j - i == 1 || (i == 0 && j == count - 1);
    // cost[i][j]: the cheapest triangulation of the points from i to j, closed by the line j–i.
    let mut cost = vec![f64::INFINITY; count * count];
    let mut apex = vec![usize::MAX; count * count];
    for i in 0..count - 1 {
        cost[i * count + i + 1] = 0.0;
    }
    for span in 2..count {
        for i in 0..count - span {
            let j = i + span;
            if !is_side(i, j) && !allowed(i, j) {
                continue;
            }
            for k in i + 1..j {
                let both = cost[i * count + k] + cost[k * count + j];
                if !both.is_finite() {
                    continue;
                }
                let total = both + badness(points[i], points[k], points[j]);
                if total < cost[i * count + j] {
                    cost[i * count + j] = total;
                    apex[i * count + j] = k;
                }
            }
        }
    }
    let mut triangles = Vec::with_capacity(count - 2);
    let mut open = vec![(0, count - 1)];
    while let Some((i, j)) = open.pop() {
        if j - i < 2 {
            continue;
        }
        let k = apex[i * count + j];
        if k == usize::MAX {
            return None;
        }
        triangles.push([i, k, j]);
        open.push((i, k));
        open.push((k, j));
    }
    Some(triangles)
}

/// Sum of squared sides over area: least for an equilateral triangle, large but finite for one
/// without area.
fn badness(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let sides = (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
    let area = (b - a).cross(c - a).length();
    (sides / area.max(1e-9 * sides + 1e-300)).min(1e9) + 1e-3 * sides
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: points on the sides of a triangle are joined across, never along, and a loop
    /// without an allowed diagonal has no triangulation.
    #[test]
    fn points_on_sides_are_joined_across() {
        let p = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let outline = [p(0.0, 0.0), p(1.0, 0.0), p(2.0, 0.0), p(3.0, 0.0), p(0.0, 3.0)];
        let triangles = best_triangulation(&outline, |_, _| true).unwrap();
        assert_eq!(triangles.len(), 3);
        for [a, b, c] in triangles {
            let normal = (outline[b] - outline[a]).cross(outline[c] - outline[a]);
            assert!(normal.z > 0.5, "{a} {b} {c}");
        }
        assert!(best_triangulation(&outline, |_, _| false).is_none());
    }
}
