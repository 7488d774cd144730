//! What is written to an OpenVDB file comes back.

use std::path::Path;

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::scatter::Sequence;
use whitecap_core::sparse_grid::{TILE_NODES, local_node};
use whitecap_core::{GridClass, GridValues, Lattice, SparseGrid, Tile, Volume, VolumeGrid};
use whitecap_io::vdb;

const PATH: &str = "test.vdb";

fn round_trip(volume: &Volume) -> Volume {
    vdb::parse(&vdb::to_bytes(volume).unwrap(), Path::new(PATH)).unwrap()
}

fn one(name: &str, class: GridClass, values: GridValues) -> Volume {
    Volume { grids: vec![VolumeGrid { name: name.into(), class, values }] }
}

/// A ball as a level set: dense tiles in the narrow band, constant ones inside, and one constant
/// tile outside.
fn ball(lattice: Lattice, radius: f32, half_width: f32) -> SparseGrid<f32> {
    let distance = |node: IVec3| {
        (node.as_vec3().length() * lattice.cell - radius).clamp(-half_width, half_width)
    };
    let reach = (radius / lattice.cell / 8.0) as i32 + 2;
    let mut tiles = vec![(IVec3::new(0, 40, 0), Tile::Constant(half_width))];
    for slot in 0..(2 * reach).pow(3) {
        let edge = 2 * reach;
        let tile = IVec3::new(slot % edge, slot / edge % edge, slot / edge / edge) - reach;
        let values: [f32; TILE_NODES] = std::array::from_fn(|o| distance(tile * 8 + local_node(o)));
        if values.iter().any(|value| value.abs() < half_width) {
            tiles.push((tile, Tile::Dense(Box::new(values))));
        } else if values[0] < 0.0 {
            tiles.push((tile, Tile::Constant(values[0])));
        }
    }
    SparseGrid::from_tiles(lattice, half_width, tiles).unwrap()
}

/// Contract: a level set with dense, inside and outside tiles comes back equal, with a shifted
/// lattice, its name and its class.
#[test]
fn a_level_set_comes_back() {
    let lattice = Lattice { origin: Vec3::new(0.1, -2.5, 1e3), cell: 0.02 };
    let grid = ball(lattice, 0.6, 0.06);
    assert!(grid.tiles().contains(&Tile::Constant(-0.06)));
    let volume = one("surface", GridClass::LevelSet, GridValues::Scalar(grid));
    assert_eq!(round_trip(&volume), volume);
}

/// Contract: fog and staggered velocity in one file come back equal, in file order, even where a
/// lattice begins at the world origin and tiles have negative coordinates.
#[test]
fn fog_and_staggered_velocity_come_back() {
    let lattice = Lattice::at_origin(0.125);
    let coordinates: Vec<IVec3> =
        [[-600, 3, 2], [0, 0, 0], [511, 512, -513], [15, 16, 17]].map(IVec3::from_array).into();
    let mut random = Sequence::new(7);
    let mut number = || random.below(1 << 31) as f32 / 1e9 - 0.5;
    let samples: Vec<f32> = (0..5000).map(|_| number()).collect();
    let pick = |tile: IVec3, offset: usize| {
        samples[(tile.x.unsigned_abs() as usize * 31 + offset * 7) % samples.len()]
    };
    let fog = SparseGrid::filled(lattice, 0.0, coordinates.clone(), |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            *value = if offset % 3 == 0 { 0.0 } else { pick(tile, offset).abs() };
        }
    });
    let velocity = SparseGrid::filled(lattice, Vec3::ZERO, coordinates, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let x = pick(tile, offset);
            *value = Vec3::new(x, -x, pick(tile, offset + 1));
        }
    });
    let volume = Volume {
        grids: vec![
            VolumeGrid {
                name: "velocity".into(),
                class: GridClass::Staggered,
                values: GridValues::Vector(velocity),
            },
            VolumeGrid {
                name: "density".into(),
                class: GridClass::Fog,
                values: GridValues::Scalar(fog),
            },
        ],
    };
    assert_eq!(round_trip(&volume), volume);
}

/// Contract: each of the seven ways to store inactive values gives back the same bits, including
/// −0, NaN and infinity.
#[test]
fn every_rule_for_inactive_values_keeps_every_bit() {
    let odd = [f32::NAN, -0.0, f32::INFINITY, -3.0, 3.0, 7.0, 8.0, f32::MIN_POSITIVE / 2.0];
    // With background 3 and a level set, |value| < 3 is active and all else inactive.
    let sets: [&[f32]; 9] = [
        &[1.0, 3.0],
        &[1.0, -3.0],
        &[1.0, 7.0],
        &[1.0, 3.0, -3.0],
        &[1.0, 3.0, 7.0],
        &[1.0, 7.0, 8.0],
        &odd,
        &[0.5, -0.5],
        &[f32::NAN, 3.0],
    ];
    let tiles = sets.iter().enumerate().map(|(index, set)| {
        let values = std::array::from_fn(|offset| set[(offset * 5 + offset / 7) % set.len()]);
        (IVec3::new(index as i32, 0, 0), Tile::Dense(Box::new(values)))
    });
    let grid = SparseGrid::from_tiles(Lattice::at_origin(1.0), 3.0, tiles.collect()).unwrap();
    let volume = one("odd", GridClass::LevelSet, GridValues::Scalar(grid.clone()));
    let back = round_trip(&volume);
    let GridValues::Scalar(back) = &back.grids[0].values else { panic!("not scalar") };
    assert_eq!(back.coordinates(), grid.coordinates());
    for (tile, expected) in back.tiles().iter().zip(grid.tiles()) {
        for offset in 0..TILE_NODES {
            assert_eq!(tile.at(offset).to_bits(), expected.at(offset).to_bits());
        }
    }
}

/// Contract: an empty volume, a grid without tiles, unnamed grids and grids of one name come back.
#[test]
fn names_may_be_empty_or_repeated() {
    assert_eq!(round_trip(&Volume::default()), Volume::default());
    let grids = ["", "a", "a", "", "über"].map(|name| VolumeGrid {
        name: name.into(),
        class: GridClass::Unknown,
        values: GridValues::Scalar(SparseGrid::new(Lattice::at_origin(0.5), name.len() as f32)),
    });
    let volume = Volume { grids: grids.into() };
    assert_eq!(round_trip(&volume), volume);
}

/// Contract: constant tiles come back as constant tiles, whether active, inactive or equal to the
/// background, and a uniform active dense tile stays dense.
#[test]
fn constant_tiles_stay_constant() {
    let tiles = vec![
        (IVec3::new(0, 0, 0), Tile::Constant(0.0)),
        (IVec3::new(1, 0, 0), Tile::Constant(2.0)),
        (IVec3::new(2, 0, 0), Tile::Constant(-0.0)),
        (IVec3::new(3, 0, 0), Tile::Dense(Box::new([5.0; TILE_NODES]))),
        (IVec3::new(-900, 4, 4), Tile::Constant(3.0)),
    ];
    let grid = SparseGrid::from_tiles(Lattice::at_origin(1.0), 0.0, tiles).unwrap();
    let volume = one("density", GridClass::Fog, GridValues::Scalar(grid));
    assert_eq!(round_trip(&volume), volume);
}

/// Contract: the bytes of a file depend on the volume only, not on the time or on the number of
/// threads; another volume gets another unique name.
#[test]
fn bytes_are_the_same_every_time() {
    let volume = |radius: f32| {
        let grid = ball(Lattice::at_origin(0.05), radius, 0.15);
        one("surface", GridClass::LevelSet, GridValues::Scalar(grid))
    };
    let first = vdb::to_bytes(&volume(0.5)).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| vdb::to_bytes(&volume(0.5)).unwrap()) == first);
    }
    let unique_name = 21..57;
    let other = vdb::to_bytes(&volume(0.55)).unwrap();
    assert_ne!(first[unique_name.clone()], other[unique_name]);
}

/// Contract: a file on disk reads back as what was written.
#[test]
fn a_file_on_disk_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.vdb");
    let grid = ball(Lattice::at_origin(0.1), 0.9, 0.3);
    let volume = one("surface", GridClass::LevelSet, GridValues::Scalar(grid));
    vdb::write(&path, &volume).unwrap();
    assert_eq!(vdb::read(&path).unwrap(), volume);
    assert_eq!(vdb::read_all(&path).unwrap(), (volume, vec![]));
}

/// Contract: a lattice or a tile that OpenVDB cannot express is refused with a message that names the grid.
#[test]
fn what_openvdb_cannot_express_is_refused() {
    let refusal = |grid: SparseGrid<f32>| {
        let volume = one("density", GridClass::Fog, GridValues::Scalar(grid));
        vdb::to_bytes(&volume).unwrap_err().to_string()
    };
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let message = refusal(SparseGrid::new(Lattice::at_origin(cell), 0.0));
        assert!(message.contains("`density`") && message.contains("cell size"), "{message}");
    }
    let tiles = vec![(IVec3::new(0, 1 << 28, 0), Tile::Constant(1.0))];
    let far = SparseGrid::from_tiles(Lattice::at_origin(1.0), 0.0, tiles).unwrap();
    assert!(refusal(far).contains("[0, 268435456, 0]"));
}
