//! Files written by OpenVDB 10 itself are read correctly. `bench/judges/vdb_samples.cc` made them.

use std::path::Path;

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::{GridClass, GridValues, Lattice, Tile};
use whitecap_io::vdb;

fn fixture(name: &str) -> whitecap_core::VolumeGrid {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let mut volume = vdb::read(&path).unwrap();
    assert_eq!(volume.grids.len(), 1);
    volume.grids.remove(0)
}

/// The voxels that were set, and their value.
fn filled() -> impl Iterator<Item = (IVec3, f32)> {
    (0..11 * 8 * 8).map(|index| {
        let voxel = IVec3::new(index / 64 - 11, index / 8 % 8, index % 8);
        (voxel, 0.25 * voxel.x as f32 + 0.5 * voxel.y as f32 - 0.125 * voxel.z as f32)
    })
}

/// Contract: a fog volume in Blosc containers has every voxel, the active tile, both inactive
/// values, and its background elsewhere.
#[test]
fn a_fog_volume_packed_with_blosc() {
    let grid = fixture("openvdb_fog_blosc.vdb");
    assert_eq!((grid.name.as_str(), grid.class), ("density", GridClass::Fog));
    let GridValues::Scalar(values) = grid.values else { panic!("not scalar") };
    assert_eq!(values.lattice(), Lattice::at_origin(0.25));
    assert_eq!(values.background(), 0.0);
    for (voxel, value) in filled() {
        assert_eq!(values.get(voxel), value, "{voxel}");
    }
    assert_eq!(values.tile(IVec3::new(-8, 1, 0)), Some(&Tile::Constant(0.5)));
    assert_eq!(values.get(IVec3::new(-40, 0, 1)), 0.75);
    assert_eq!(values.get(IVec3::new(-40, 0, 2)), 0.5);
    assert_eq!(values.get(IVec3::new(-40, 0, 3)), 0.0);
    assert_eq!(values.get(IVec3::new(-12, 0, 0)), 0.0);
    assert_eq!(values.tile_count(), 4);
}

/// Contract: a staggered velocity in half floats, packed with zlib, has every voxel.
#[test]
fn a_staggered_velocity_in_half_floats_packed_with_zlib() {
    let grid = fixture("openvdb_velocity_half_zip.vdb");
    assert_eq!((grid.name.as_str(), grid.class), ("velocity", GridClass::Staggered));
    let GridValues::Vector(values) = grid.values else { panic!("not vectors") };
    assert_eq!(values.lattice(), Lattice::at_origin(0.5));
    for (voxel, value) in filled() {
        assert_eq!(values.get(voxel), Vec3::new(value, -value, 1.0), "{voxel}");
    }
    assert_eq!(values.get(IVec3::new(-12, 0, 0)), Vec3::ZERO);
    assert_eq!(values.tile_count(), 2);
}
