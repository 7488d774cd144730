//! Eigenvalues of 3×3 matrices.
//!
//! * [`symmetric_eigen`]: values and vectors of a symmetric matrix by cyclic Jacobi rotations
//!   (Golub and Van Loan 2013, §8.5), which keep the vectors orthonormal even where values
//!   coincide. Covariance matrices of anisotropic kernels need this.
//! * [`largest_real_eigenvalue`]: of any matrix, from its characteristic cubic. The Jacobian of
//!   an averaged position (Solenthaler, Schläfli and Pajarola 2007) is not symmetric.
//!
//! # Guarantees
//! * Finite matrices give finite answers; the loops are bounded.
//! * The work is done in double precision, so that an answer is right to rounding of `f32`
//!   relative to the largest entry of the matrix.
//!
//! # Non-guarantees
//! * Vectors of equal values are some orthonormal basis of their space, not a particular one.

use glam::{DMat3, DVec3, Mat3, Vec3};

/// Sweeps after which Jacobi's method stops; five reach double precision in practice.
const MOST_SWEEPS: usize = 12;

/// Eigenvalues and eigenvectors of a symmetric matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// The eigenvalues, descending.
    pub values: Vec3,
    /// Unit eigenvectors as columns, in the order of the values; a rotation (determinant +1).
    pub vectors: Mat3,
}

/// Decomposes the symmetric part of `matrix`.
pub fn symmetric_eigen(matrix: Mat3) -> SymmetricEigen {
    let full = matrix.as_dmat3();
    let mut reduced = ((full + full.transpose()) * 0.5).to_cols_array_2d();
    let mut vectors = DVec3::AXES;
    for _ in 0..MOST_SWEEPS {
        let off = reduced[0][1].powi(2) + reduced[0][2].powi(2) + reduced[1][2].powi(2);
        let on = reduced[0][0].powi(2) + reduced[1][1].powi(2) + reduced[2][2].powi(2);
        // The values are then off by the square root of this, squared: far below `f32`.
        if off <= 1e-20 * on {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut reduced, &mut vectors, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| reduced[b][b].total_cmp(&reduced[a][a]));
    let values = order.map(|i| reduced[i][i] as f32);
    let [x, y, z] = order.map(|i| vectors[i]);
    let mut vectors = DMat3::from_cols(x, y, z);
    if vectors.determinant() < 0.0 {
        vectors.z_axis = -vectors.z_axis;
    }
    SymmetricEigen { values: Vec3::from_array(values), vectors: vectors.as_mat3() }
}

/// Rotates rows and columns `p` and `q` so that the entry between them vanishes; `vectors[i]` is
/// the i-th eigenvector so far.
fn rotate(matrix: &mut [[f64; 3]; 3], vectors: &mut [DVec3; 3], p: usize, q: usize) {
    let between = matrix[p][q];
    if between == 0.0 {
        return;
    }
    let slope = (matrix[q][q] - matrix[p][p]) / (2.0 * between);
    // The smaller root of t² + 2 t · slope − 1 = 0. A slope beyond the range of the square gives 0.
    let tangent = slope.signum() / (slope.abs() + (slope * slope + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let other = 3 - p - q;
    matrix[p][p] -= tangent * between;
    matrix[q][q] += tangent * between;
    matrix[p][q] = 0.0;
    matrix[q][p] = 0.0;
    let (along_p, along_q) = (matrix[other][p], matrix[other][q]);
    matrix[other][p] = cosine * along_p - sine * along_q;
    matrix[other][q] = sine * along_p + cosine * along_q;
    matrix[p][other] = matrix[other][p];
    matrix[q][other] = matrix[other][q];
    let (from_p, from_q) = (vectors[p], vectors[q]);
    vectors[p] = from_p * cosine - from_q * sine;
    vectors[q] = from_p * sine + from_q * cosine;
}

/// The largest real eigenvalue of `matrix`. A real 3×3 matrix has one or three.
pub fn largest_real_eigenvalue(matrix: Mat3) -> f32 {
    // Without its mean eigenvalue the matrix has the cubic λ³ + linear λ + constant.
    let full = matrix.as_dmat3();
    let mean = (full.x_axis.x + full.y_axis.y + full.z_axis.z) / 3.0;
    let deviator = full - DMat3::from_diagonal(DVec3::splat(mean));
    let [a, b, c] = deviator.to_cols_array_2d();
    let linear = a[0] * b[1] - a[1] * b[0] + a[0] * c[2] - a[2] * c[0] + b[1] * c[2] - b[2] * c[1];
    let constant = -deviator.determinant();
    (mean + largest_root(linear, constant)) as f32
}

/// The largest real root of λ³ + `linear` λ + `constant`.
fn largest_root(linear: f64, constant: f64) -> f64 {
    let (third, half) = (linear / 3.0, constant / 2.0);
    let discriminant = half * half + third * third * third;
    let root = if discriminant <= 0.0 && third < 0.0 {
        // Three real roots (Viète).
        let size = (-third).sqrt();
        let angle = (-half / (size * size * size)).clamp(-1.0, 1.0).acos();
        2.0 * size * (angle / 3.0).cos()
    } else {
        // One real root (Cardano); the sign is chosen so that nothing cancels.
        let sum = -half - discriminant.max(0.0).sqrt().copysign(half);
        let part = sum.cbrt();
        if part == 0.0 { 0.0 } else { part - third / part }
    };
    polished(root, linear, constant)
}

/// Two Newton steps on λ³ + `linear` λ + `constant`, skipped where the root is multiple.
fn polished(mut root: f64, linear: f64, constant: f64) -> f64 {
    for _ in 0..2 {
        let slope = 3.0 * root * root + linear;
        let scale = 3.0 * root * root + linear.abs();
        if slope.abs() <= 1e-6 * scale {
            break;
        }
        root -= ((root * root + linear) * root + constant) / slope;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use proptest::prelude::*;

    fn check(matrix: Mat3) {
        let symmetric = (matrix + matrix.transpose()) * 0.5;
        let SymmetricEigen { values, vectors } = symmetric_eigen(matrix);
        let scale = symmetric.to_cols_array().iter().fold(f32::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let rebuilt = vectors * Mat3::from_diagonal(values) * vectors.transpose();
        assert!(rebuilt.abs_diff_eq(symmetric, 1e-5 * scale), "{symmetric:?} as {rebuilt:?}");
        assert!((vectors.transpose() * vectors).abs_diff_eq(Mat3::IDENTITY, 1e-6));
        assert!((vectors.determinant() - 1.0).abs() < 1e-6);
        assert!(values.x >= values.y && values.y >= values.z);
    }

    fn matrix() -> impl Strategy<Value = Mat3> {
        let entry = prop_oneof![Just(0.0f32), -1.0f32..1.0, -1e-6f32..1e-6, -1e6f32..1e6];
        proptest::array::uniform9(entry).prop_map(|m| Mat3::from_cols_array(&m))
    }

    proptest! {
        /// Contract: values descend, vectors are a rotation, and together they give the matrix
        /// back to 10⁻⁵ of its largest entry.
        #[test]
        fn symmetric_matrices_are_rebuilt(matrix in matrix()) {
            check(matrix);
        }

        /// Contract: the same with repeated eigenvalues in a rotated frame.
        #[test]
        fn repeated_values_are_rebuilt(a in -2.0f32..2.0, b in -2.0f32..2.0, turn in -3.0f32..3.0) {
            let frame = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(turn, 1.0, -0.5 * turn)));
            for diagonal in [Vec3::new(a, a, b), Vec3::new(a, b, b), Vec3::splat(a)] {
                check(frame * Mat3::from_diagonal(diagonal) * frame.transpose());
            }
        }

        /// Contract: of a matrix with known real eigenvalues (a triangular one in a sheared
        /// frame) the largest is found.
        #[test]
        fn the_largest_of_three_real_values_is_found(
            values in proptest::array::uniform3(-5.0f32..5.0),
            upper in proptest::array::uniform3(-2.0f32..2.0),
            shear in -1.0f32..1.0,
        ) {
            let [a, b, c] = values;
            // Coinciding values of a defective matrix move by the cube root of rounding.
            let gap = (a - b).abs().min((b - c).abs()).min((c - a).abs());
            prop_assume!(gap > 0.05);
            let triangular = Mat3::from_cols_array_2d(&[
                [a, 0.0, 0.0],
                [upper[0], b, 0.0],
                [upper[1], upper[2], c],
            ]);
            let frame = Mat3::from_cols_array_2d(&[[1.0, shear, 0.0], [0.0, 1.0, shear], [0.0, 0.0, 1.0]]);
            let found = largest_real_eigenvalue(frame * triangular * frame.inverse());
            let expected = a.max(b).max(c);
            prop_assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
        }

        /// Contract: a rotation about an axis with a stretch along it has one real eigenvalue,
        /// the stretch.
        #[test]
        fn the_only_real_value_is_found(angle in 0.1f32..3.0, stretch in -3.0f32..3.0) {
            let frame = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(0.3, -1.0, 0.7)));
            let turn = Mat3::from_rotation_z(angle) * Mat3::from_diagonal(Vec3::new(1.0, 1.0, stretch));
            let found = largest_real_eigenvalue(frame * turn * frame.transpose());
            prop_assert!((found - stretch).abs() < 1e-5, "{found} against {stretch}");
        }
    }

    /// Contract: zero, multiples of the identity, and matrices of denormal or huge entries.
    #[test]
    fn extreme_matrices_are_exact_or_scaled() {
        for value in [0.0, 1.0, -3.0, 1e-30, 1e30] {
            let diagonal = Mat3::from_diagonal(Vec3::splat(value));
            assert_eq!(symmetric_eigen(diagonal).values, Vec3::splat(value));
            assert_eq!(largest_real_eigenvalue(diagonal), value);
        }
        let ones = Mat3::from_cols_array(&[1e-38; 9]);
        let values = symmetric_eigen(ones).values;
        assert!((values - Vec3::new(3e-38, 0.0, 0.0)).length() < 1e-43);
        let huge = Mat3::from_cols_array(&[1e37; 9]);
        assert!((symmetric_eigen(huge).values.x / 3e37 - 1.0).abs() < 1e-6);
        assert!((largest_real_eigenvalue(huge) / 3e37 - 1.0).abs() < 1e-6);
    }
}
