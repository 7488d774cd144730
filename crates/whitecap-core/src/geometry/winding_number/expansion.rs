//! The far field of a cluster of triangles: its moments and the expansion made of them.

use glam::{DMat3, DVec3, Vec3};

/// Moments of a set of triangles about one common point, so that they simply add up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    area: f64,
    /// Integral of the offset.
    centroid: DVec3,
    /// Integral of the normal.
    normal: DVec3,
    /// Integral of offset ⊗ normal, a row per component of the offset.
    first: [DVec3; 3],
    /// Integral of offset ⊗ offset ⊗ normal, symmetric over all three: see [`symmetric`].
    second: [f64; 10],
}

impl Moments {
    pub(super) fn of(triangles: &[[Vec3; 3]], origin: DVec3) -> Self {
        let mut sum = Self::default();
        for corners in triangles {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3() - origin);
            let area_vector = 0.5 * (b - a).cross(c - a);
            let area = area_vector.length();
            let middle = (a + b + c) / 3.0;
            sum.area += area;
            sum.centroid += area * middle;
            sum.normal += area_vector;
            for axis in 0..3 {
                sum.first[axis] += middle[axis] * area_vector;
            }
            // Integral of x xᵀ over a triangle: (a aᵀ + b bᵀ + c cᵀ + 9 m mᵀ) · area / 12.
            for (offset, weight) in [(a, 1.0), (b, 1.0), (c, 1.0), (middle, 9.0)] {
                let product = symmetric(offset, offset, area_vector);
                for (target, value) in sum.second.iter_mut().zip(product) {
                    *target += value * weight / 12.0;
                }
            }
        }
        sum
    }

    pub(super) fn add(&mut self, other: &Moments) {
        self.area += other.area;
        self.centroid += other.centroid;
        self.normal += other.normal;
        for axis in 0..3 {
            self.first[axis] += other.first[axis];
        }
        for (target, value) in self.second.iter_mut().zip(other.second) {
            *target += value;
        }
    }

    /// The expansion about the centroid; about `fallback` when there is no area.
    pub(super) fn expansion(&self, fallback: DVec3) -> Expansion {
        let center = if self.area > 0.0 { self.centroid / self.area } else { fallback };
        // About the new centre: first − c ⊗ n, and second − 2 c ⊗ first + c ⊗ c ⊗ n.
        let mut second = self.second;
        let mut add = |product: [f64; 10], weight: f64| {
            for (target, value) in second.iter_mut().zip(product) {
                *target += weight * value;
            }
        };
        for axis in 0..3 {
            add(symmetric(center, DVec3::AXES[axis], self.first[axis]), -2.0);
        }
        add(symmetric(center, center, self.normal), 1.0);
        let first = DMat3::from_cols_array_2d(&std::array::from_fn(|axis| {
            (self.first[axis] - center[axis] * self.normal).to_array()
        }));
        Expansion::new(center, self.normal, first, second)
    }
}

/// Symmetric part of u ⊗ v ⊗ w: the components xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz.
fn symmetric(u: DVec3, v: DVec3, w: DVec3) -> [f64; 10] {
    let component = |[i, j, k]: [usize; 3]| {
        let pairs = |i: usize, j: usize, k: usize| w[k] * (u[i] * v[j] + u[j] * v[i]);
        (pairs(i, j, k) + pairs(j, k, i) + pairs(k, i, j)) / 6.0
    };
    SYMMETRIC_INDICES.map(component)
}

const SYMMETRIC_INDICES: [[usize; 3]; 10] = [
    [0, 0, 0],
    [1, 1, 1],
    [2, 2, 2],
    [0, 0, 1],
    [0, 0, 2],
    [0, 1, 1],
    [1, 1, 2],
    [0, 2, 2],
    [1, 2, 2],
    [0, 1, 2],
];

/// How often a component occurs in the full symmetric tensor.
const MULTIPLICITY: [f64; 10] = [1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 6.0];

/// Coefficients of the expansion, as [`ClusterNode`] stores them.
pub(super) struct Expansion {
    pub(super) center: DVec3,
    pub(super) dipole: DVec3,
    pub(super) quadrupole: [f64; 6],
    pub(super) octupole: [f64; 10],
}

impl Expansion {
    /// With r from the query to the centre and R its length, the terms are n·r / R³,
    /// −3 rᵀ F r / R⁵ and 15/2 S(r, r, r) / R⁷, where F and S are the trace-free symmetric parts.
    fn new(center: DVec3, normal: DVec3, first: DMat3, second: [f64; 10]) -> Self {
        let scale = 0.25 * std::f64::consts::FRAC_1_PI;
        let trace = (first.x_axis.x + first.y_axis.y + first.z_axis.z) / 3.0;
        let mixed = |i: usize, j: usize| first.col(i)[j] + first.col(j)[i];
        let quadrupole = [
            first.x_axis.x - trace,
            first.y_axis.y - trace,
            first.z_axis.z - trace,
            mixed(0, 1),
            mixed(0, 2),
            mixed(1, 2),
        ];
        let [xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, _] = second;
        let traces = DVec3::new(xxx + xyy + xzz, xxy + yyy + yzz, xxz + yyz + zzz) / 5.0;
        let octupole = std::array::from_fn(|slot| {
            let [i, j, k] = SYMMETRIC_INDICES[slot];
            let pair = |a: usize, b: usize, c: usize| if a == b { traces[c] } else { 0.0 };
            let trace = pair(i, j, k) + pair(j, k, i) + pair(k, i, j);
            7.5 * scale * MULTIPLICITY[slot] * (second[slot] - trace)
        });
        Self {
            center,
            dipole: normal * scale,
            quadrupole: quadrupole.map(|value| -3.0 * scale * value),
            octupole,
        }
    }
}
