//! The map from voxel coordinates to metres, which must be a uniform scale and a shift to be a
//! [`Lattice`].

use whitecap_core::Lattice;
use whitecap_core::glam::{DMat4, DVec3, Vec3};

use super::metadata::write_text;
use crate::Error;
use crate::encoding::byte_reader::ByteReader;

/// How far the three scales may differ, relative to their size: rounding in the writing program,
/// no more.
const TOLERANCE: f64 = 1e-5;

/// Reads a map. What is not a uniform, unrotated, unmirrored scale is an error.
pub(super) fn read(reader: &mut ByteReader<'_>, grid: &str) -> Result<Lattice, Error> {
    let kind = reader.text("the type of a transform")?;
    let what = "a transform";
    let (scale, shift) = match kind.as_str() {
        "UniformScaleMap" | "ScaleMap" => {
            // Four vectors derived from the scale follow it.
            let [x, y, z, ..] = reader.doubles::<15>(what)?;
            (DVec3::new(x, y, z), DVec3::ZERO)
        }
        "UniformScaleTranslateMap" | "ScaleTranslateMap" => {
            let [shift_x, shift_y, shift_z, x, y, z, ..] = reader.doubles::<18>(what)?;
            (DVec3::new(x, y, z), DVec3::new(shift_x, shift_y, shift_z))
        }
        "TranslationMap" => (DVec3::ONE, DVec3::from_array(reader.doubles(what)?)),
        "AffineMap" => {
            // OpenVDB multiplies row vectors from the left: its rows are our columns.
            let matrix = DMat4::from_cols_array(&reader.doubles(what)?);
            let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
            let scale = DVec3::new(columns[0].x, columns[1].y, columns[2].z);
            let straight =
                DMat4::from_translation(matrix.w_axis.truncate()) * DMat4::from_scale(scale);
            if !matrix.abs_diff_eq(straight, TOLERANCE * scale.abs().max_element()) {
                return Err(unusable(reader, grid, "is rotated, sheared or in perspective"));
            }
            (scale, matrix.w_axis.truncate())
        }
        _ => return Err(unusable(reader, grid, &format!("is a {kind}"))),
    };
    lattice(scale, shift).map_err(|reason| unusable(reader, grid, reason))
}

fn lattice(scale: DVec3, shift: DVec3) -> Result<Lattice, &'static str> {
    // Written so that a NaN fails.
    let uniform = scale.max_element() - scale.min_element() <= TOLERANCE * scale.max_element();
    let lattice = Lattice { origin: shift.as_vec3(), cell: scale.x as f32 };
    if !uniform {
        Err("scales the three axes differently, mirrors, or has a NaN")
    } else if !is_writable(lattice) {
        Err("has a voxel size that is not positive or a shift that is not finite")
    } else {
        Ok(lattice)
    }
}

fn unusable(reader: &ByteReader<'_>, grid: &str, reason: &str) -> Error {
    Error::unsupported(
        reader.path(),
        format!(
            "the transform of grid `{grid}` {reason}; resample the grid to cubic voxels aligned with the axes"
        ),
    )
}

/// Whether the lattice has a positive cell and a finite origin.
pub(super) fn is_writable(lattice: Lattice) -> bool {
    lattice.cell.is_normal() && lattice.cell > 0.0 && lattice.origin.is_finite()
}

/// Appends a map.
pub(super) fn write(lattice: Lattice, bytes: &mut Vec<u8>) {
    let mut vectors = Vec::new();
    if lattice.origin == Vec3::ZERO {
        write_text("UniformScaleMap", bytes);
    } else {
        write_text("UniformScaleTranslateMap", bytes);
        vectors.push(lattice.origin.as_dvec3());
    }
    let cell = f64::from(lattice.cell);
    // Scale, voxel size, and the three derived vectors that OpenVDB stores with them.
    let scales = [cell, cell, 1.0 / cell, 1.0 / (cell * cell), 0.5 / cell];
    vectors.extend(scales.map(DVec3::splat));
    for vector in vectors {
        bytes.extend(vector.to_array().iter().flat_map(|component| component.to_le_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use whitecap_core::glam::DQuat;

    use super::*;
    use crate::encoding::scalar::Endian;

    fn parse(kind: &str, doubles: &[f64]) -> Result<Lattice, Error> {
        let mut bytes = Vec::new();
        write_text(kind, &mut bytes);
        bytes.extend(doubles.iter().flat_map(|double| double.to_le_bytes()));
        read(&mut ByteReader::new(&bytes, Path::new("test.vdb"), Endian::Little), "density")
    }

    /// A scale with the four vectors derived from it, after `shift` if there is one.
    fn scaled(shift: &[f64], scale: [f64; 3]) -> Vec<f64> {
        [shift, &scale, &[1.0; 12]].concat()
    }

    /// Contract: each kind of map that is a uniform scale and a shift gives that lattice.
    #[test]
    fn uniform_maps_are_lattices() {
        let shift = [1.0, -2.0, 3.0];
        let lattice = |origin: [f32; 3], cell| Lattice { origin: Vec3::from(origin), cell };
        let plain = lattice([0.0; 3], 0.25);
        let shifted = lattice([1.0, -2.0, 3.0], 0.25);
        assert_eq!(parse("UniformScaleMap", &scaled(&[], [0.25; 3])).unwrap(), plain);
        assert_eq!(parse("ScaleMap", &scaled(&[], [0.25; 3])).unwrap(), plain);
        for kind in ["UniformScaleTranslateMap", "ScaleTranslateMap"] {
            assert_eq!(parse(kind, &scaled(&shift, [0.25; 3])).unwrap(), shifted);
        }
        assert_eq!(parse("TranslationMap", &shift).unwrap(), lattice([1.0, -2.0, 3.0], 1.0));
        let matrix =
            DMat4::from_translation(DVec3::from(shift)) * DMat4::from_scale(DVec3::splat(0.25));
        assert_eq!(parse("AffineMap", &matrix.to_cols_array()).unwrap(), shifted);
    }

    /// Contract: a map that no lattice can hold is refused, and the message names the grid.
    #[test]
    fn other_maps_are_refused() {
        let rotated = DMat4::from_scale_rotation_translation(
            DVec3::splat(0.25),
            DQuat::from_rotation_y(0.1),
            DVec3::ZERO,
        );
        let refused = [
            parse("ScaleMap", &scaled(&[], [0.25, 0.25, 0.5])),
            parse("ScaleMap", &scaled(&[], [-0.25; 3])),
            parse("ScaleMap", &scaled(&[], [f64::NAN; 3])),
            parse("ScaleMap", &scaled(&[], [0.0; 3])),
            parse("TranslationMap", &[f64::INFINITY, 0.0, 0.0]),
            parse("AffineMap", &rotated.to_cols_array()),
            parse("NonlinearFrustumMap", &[0.0; 30]),
        ];
        for result in refused {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("grid `density`"), "{message}");
        }
    }
}
