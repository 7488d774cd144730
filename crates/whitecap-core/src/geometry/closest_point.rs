//! The point of a triangle that is closest to a given point.
//!
//! The regions of the plane (three corners, three edges, the face) are tested as in Ericson,
//! "Real-Time Collision Detection" (2005), §5.1.5, with the barycentric signs taken from triple
//! products with the normal, which stay accurate for thin triangles.
//!
//! # Guarantees
//! * Finite corners and a finite point give a finite answer, even for triangles that are thin,
//!   collinear or a single point: those fall back to the nearest of their three edges.
//! * The answer lies in the bounding box of the triangle, to the bit. Hierarchies may therefore
//!   prune by box distance without a tolerance.
//!
//! # Non-guarantees
//! * The arithmetic is double precision, not exact: the answer is right to rounding of `f32`.

use glam::{DVec3, Vec3};

/// The part of a triangle a closest point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The inside of the triangle.
    Face,
    /// The edge from corner `i` to corner `(i + 1) % 3`, without its ends.
    Edge(u8),
    /// Corner `i`.
    Vertex(u8),
}

/// The closest point of one triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrianglePoint {
    /// Where it is.
    pub point: Vec3,
    /// Its weights on the three corners: each from 0 to 1, their sum 1.
    pub barycentric: Vec3,
    /// The part of the triangle it lies on.
    pub feature: Feature,
    /// Squared distance from the query point.
    pub distance_squared: f32,
}

/// Sine of the angle between two edges below which a triangle counts as collinear. Single
/// precision corners in double precision arithmetic resolve angles well below this.
const COLLINEAR_SINE: f64 = 1e-9;

/// The point of the triangle `corners` closest to `point`.
pub fn closest_point_on_triangle(point: Vec3, corners: [Vec3; 3]) -> TrianglePoint {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let p = point.as_dvec3();
    let (barycentric, feature) = nearest_region(p, a, b, c);
    let exact = match feature {
        Feature::Vertex(corner) => corners[corner as usize],
        _ => (a * barycentric.x + b * barycentric.y + c * barycentric.z).as_vec3(),
    };
    let low = corners[0].min(corners[1]).min(corners[2]);
    let high = corners[0].max(corners[1]).max(corners[2]);
    let closest = exact.max(low).min(high);
    TrianglePoint {
        point: closest,
        barycentric: barycentric.as_vec3(),
        feature,
        distance_squared: closest.distance_squared(point),
    }
}

fn nearest_region(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> (DVec3, Feature) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let normal_squared = normal.length_squared();
    let edge_product = ab.length_squared() * ac.length_squared();
    if normal_squared <= COLLINEAR_SINE * COLLINEAR_SINE * edge_product {
        return nearest_edge(p, [a, b, c]);
    }

    // Projections of the point on the two edges at a, then at b, then at c.
    let (along_ab, along_ac) = (ab.dot(ap), ac.dot(ap));
    if along_ab <= 0.0 && along_ac <= 0.0 {
        return (DVec3::X, Feature::Vertex(0));
    }
    let bp = p - b;
    let (along_ab_from_b, along_ac_from_b) = (ab.dot(bp), ac.dot(bp));
    if along_ab_from_b >= 0.0 && along_ac_from_b <= along_ab_from_b {
        return (DVec3::Y, Feature::Vertex(1));
    }
    let cp = p - c;
    let (along_ab_from_c, along_ac_from_c) = (ab.dot(cp), ac.dot(cp));
    if along_ac_from_c >= 0.0 && along_ab_from_c <= along_ac_from_c {
        return (DVec3::Z, Feature::Vertex(2));
    }

    // Barycentric weights of b and c at the projection, times the squared normal.
    let weight_c = normal.dot(ab.cross(ap));
    if weight_c <= 0.0 && along_ab > 0.0 && along_ab_from_b < 0.0 {
        let t = along_ab / (along_ab - along_ab_from_b);
        return (DVec3::new(1.0 - t, t, 0.0), Feature::Edge(0));
    }
    let weight_b = normal.dot(ap.cross(ac));
    if weight_b <= 0.0 && along_ac > 0.0 && along_ac_from_c < 0.0 {
        let t = along_ac / (along_ac - along_ac_from_c);
        return (DVec3::new(1.0 - t, 0.0, t), Feature::Edge(2));
    }
    let weight_a = normal_squared - weight_b - weight_c;
    let (from_b, from_c) = (along_ac_from_b - along_ab_from_b, along_ab_from_c - along_ac_from_c);
    if weight_a <= 0.0 && from_b > 0.0 && from_c > 0.0 {
        let t = from_b / (from_b + from_c);
        return (DVec3::new(0.0, 1.0 - t, t), Feature::Edge(1));
    }
    if weight_a <= 0.0 || weight_b <= 0.0 || weight_c <= 0.0 {
        // Rounding put the point in no region: it is on a border between two of them.
        return nearest_edge(p, [a, b, c]);
    }
    (DVec3::new(weight_a, weight_b, weight_c) / normal_squared, Feature::Face)
}

/// The nearest point of the three edges; the lowest edge wins a tie.
fn nearest_edge(p: DVec3, corners: [DVec3; 3]) -> (DVec3, Feature) {
    let mut best = (DVec3::X, Feature::Vertex(0));
    let mut best_distance = p.distance_squared(corners[0]);
    for edge in 0..3 {
        let (from, to) = (edge, (edge + 1) % 3);
        let direction = corners[to] - corners[from];
        let length_squared = direction.length_squared();
        let along = direction.dot(p - corners[from]);
        // The negated comparison sends an edge of zero length to its first corner.
        let (t, feature) = if along <= 0.0 || length_squared <= 0.0 {
            (0.0, Feature::Vertex(from as u8))
        } else if along >= length_squared {
            (1.0, Feature::Vertex(to as u8))
        } else {
            (along / length_squared, Feature::Edge(edge as u8))
        };
        let distance = p.distance_squared(corners[from] + direction * t);
        if distance < best_distance {
            best_distance = distance;
            let mut weights = [0.0; 3];
            weights[from] = 1.0 - t;
            weights[to] = t;
            best = (DVec3::from_array(weights), feature);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)];

    /// Contract: each of the seven regions of a right triangle gives the point and the feature
    /// that a drawing gives.
    #[test]
    fn every_region_gives_its_own_feature() {
        let cases = [
            (Vec3::new(0.5, 0.5, 3.0), Vec3::new(0.5, 0.5, 0.0), Feature::Face),
            (Vec3::new(1.0, -1.0, 1.0), Vec3::new(1.0, 0.0, 0.0), Feature::Edge(0)),
            (Vec3::new(2.0, 2.0, 1.0), Vec3::new(1.0, 1.0, 0.0), Feature::Edge(1)),
            (Vec3::new(-1.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 0.0), Feature::Edge(2)),
            (Vec3::new(-1.0, -2.0, 0.0), CORNERS[0], Feature::Vertex(0)),
            (Vec3::new(5.0, -1.0, 0.0), CORNERS[1], Feature::Vertex(1)),
            (Vec3::new(-1.0, 5.0, 2.0), CORNERS[2], Feature::Vertex(2)),
        ];
        for (query, expected, feature) in cases {
            let found = closest_point_on_triangle(query, CORNERS);
            assert_eq!((found.point, found.feature), (expected, feature), "{query}");
            assert_eq!(found.distance_squared, query.distance_squared(expected));
        }
    }

    /// Contract: triangles that are a segment or a point, in every order of their corners, give
    /// the nearest point of that segment or point.
    #[test]
    fn degenerate_triangles_are_segments_or_points() {
        let (a, m, b) = (Vec3::ZERO, Vec3::X, Vec3::new(3.0, 0.0, 0.0));
        let segments =
            [[a, b, m], [a, m, b], [m, a, b], [b, b, a], [a, b, b], [b, a, b], [a, a, b]];
        for corners in segments {
            let inside = closest_point_on_triangle(Vec3::new(2.0, 1.0, 1.0), corners);
            assert!(inside.point.distance(Vec3::new(2.0, 0.0, 0.0)) < 1e-6, "{corners:?}");
            assert!((inside.barycentric.element_sum() - 1.0).abs() < 1e-6);
            let beyond = closest_point_on_triangle(Vec3::new(9.0, 1.0, 1.0), corners);
            assert_eq!(beyond.point, b, "{corners:?}");
        }
        let point = closest_point_on_triangle(Vec3::ONE, [m, m, m]);
        assert_eq!((point.point, point.feature), (m, Feature::Vertex(0)));
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        // Small integers make collinear and coincident corners likely.
        prop_oneof![(-3i32..4).prop_map(|i| i as f32), -3.0f32..3.0]
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        /// Contract: no point of a dense sampling of the triangle is closer than the answer, and
        /// the answer is the combination of the corners that its weights say.
        #[test]
        fn no_sampled_point_is_closer(p in vector(), a in vector(), b in vector(), c in vector()) {
            let found = closest_point_on_triangle(p, [a, b, c]);
            let weights = found.barycentric;
            prop_assert!(weights.min_element() >= 0.0);
            let rebuilt = a * weights.x + b * weights.y + c * weights.z;
            prop_assert!(rebuilt.distance(found.point) < 1e-5);
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (u, v) = (i as f32 / 20.0, j as f32 / 20.0);
                    let sample = a + (b - a) * u + (c - a) * v;
                    prop_assert!(found.point.distance(p) <= sample.distance(p) + 1e-5);
                }
            }
        }
    }
}
