//! Damaged OpenVDB files give an error or a valid volume: no panic, no endless loop, and no more
//! memory than the length of the file can justify.

use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use peak_alloc::PeakAlloc;
use whitecap_core::glam::IVec3;
use whitecap_core::scatter::Sequence;
use whitecap_core::{GridClass, GridValues, Lattice, SparseGrid, Tile, Volume, VolumeGrid};
use whitecap_io::{Error, vdb};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What the module promises: 128 MiB, and 512 bytes for each byte of the file.
const FREE_BYTES: usize = 128 << 20;
const BYTES_PER_FILE_BYTE: usize = 512;

/// Peaks are measured for the whole process, so these tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Reads `bytes` and checks the promise about memory.
fn read(bytes: &[u8]) -> Result<Volume, Error> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = vdb::parse(bytes, Path::new("hostile.vdb"));
    let used = MEMORY.peak_usage().saturating_sub(before);
    let allowed = FREE_BYTES + BYTES_PER_FILE_BYTE * bytes.len();
    assert!(used <= allowed, "{used} bytes for a file of {}", bytes.len());
    result
}

fn fixtures() -> [Vec<u8>; 3] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let dense = std::array::from_fn(|offset| offset as f32 / 512.0 - 0.5);
    let tiles = vec![
        (IVec3::ZERO, Tile::Dense(Box::new(dense))),
        (IVec3::new(3, 0, 0), Tile::Constant(-0.3)),
        (IVec3::new(0, 7, 0), Tile::Constant(0.3)),
    ];
    let grid = SparseGrid::from_tiles(Lattice::at_origin(0.1), 0.3, tiles).unwrap();
    let grid = VolumeGrid {
        name: "surface".into(),
        class: GridClass::LevelSet,
        values: GridValues::Scalar(grid),
    };
    let own = vdb::to_bytes(&Volume { grids: vec![grid] }).unwrap();
    [file("openvdb_fog_blosc.vdb"), file("openvdb_velocity_half_zip.vdb"), own]
}

/// Contract: a file cut short at any byte is an error.
#[test]
fn every_truncation_is_an_error() {
    let _alone = alone();
    for file in fixtures() {
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "cut at {length} of {}", file.len());
        }
        assert!(read(&file).is_ok());
    }
}

/// Contract: flipped bits never cause anything worse than an error or other values. Every byte outside the
/// large, mostly empty masks is hit several times.
#[test]
fn flipped_bits_never_panic() {
    let _alone = alone();
    let mut random = Sequence::new(1);
    let mut outcomes = [0, 0];
    for file in fixtures() {
        let header_and_metadata = 700;
        for round in 0..20_000 {
            let mut damaged = file.clone();
            for _ in 0..1 + round % 3 {
                let range = if round % 2 == 0 { header_and_metadata } else { file.len() };
                damaged[random.below(range)] ^= 1 << random.below(8);
            }
            outcomes[usize::from(read(&damaged).is_ok())] += 1;
        }
        // The end of the file holds the leaves' values.
        for place in file.len() - 1500..file.len() {
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[place] ^= 1 << bit;
                outcomes[usize::from(read(&damaged).is_ok())] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 1000), "errors and volumes: {outcomes:?}");
}

/// Contract: a count or size of any magnitude, anywhere one could be, is survived.
#[test]
fn absurd_numbers_never_allocate() {
    let _alone = alone();
    for file in fixtures() {
        for place in (8..900).chain(file.len() - 1200..file.len() - 8) {
            for absurd in [0, u32::MAX, i32::MAX as u32, 1 << 24, 0x8000_0000] {
                let mut damaged = file.clone();
                damaged[place..place + 4].copy_from_slice(&absurd.to_le_bytes());
                let _ = read(&damaged);
                damaged[place + 4..place + 8].copy_from_slice(&absurd.to_le_bytes());
                let _ = read(&damaged);
            }
        }
    }
}

/// A file with one float grid, uncompressed, whose root has `tiles` and whose upper nodes have
/// `regions` constant slots of 128³ voxels each.
fn with_large_regions(tiles: &[(IVec3, f32)], regions: &[usize]) -> Vec<u8> {
    let grid = VolumeGrid {
        name: "density".into(),
        class: GridClass::Fog,
        values: GridValues::Scalar(SparseGrid::new(Lattice::at_origin(1.0), 0.0)),
    };
    let mut file = vdb::to_bytes(&Volume { grids: vec![grid] }).unwrap();
    // An empty tree ends the file: buffer count, background, numbers of tiles and of nodes.
    let counts = file.len() - 8;
    file.truncate(counts);
    file.extend_from_slice(&(tiles.len() as u32).to_le_bytes());
    file.extend_from_slice(&(regions.len() as u32).to_le_bytes());
    for (corner, value) in tiles {
        file.extend(corner.to_array().iter().flat_map(|component| component.to_le_bytes()));
        file.extend_from_slice(&value.to_le_bytes());
        file.push(1);
    }
    for (index, &count) in regions.iter().enumerate() {
        let corner = [4096 * index as i32, 0, 0];
        file.extend(corner.iter().flat_map(|component| component.to_le_bytes()));
        file.extend_from_slice(&[0; 4096]);
        let mut active = [0_u8; 4096];
        (0..count).for_each(|slot| active[slot / 8] |= 1 << (slot % 8));
        file.extend_from_slice(&active);
        file.push(0);
        let values: Vec<u8> = (0..count).flat_map(|_| 2.0_f32.to_le_bytes()).collect();
        file.extend_from_slice(&(-(values.len() as i64)).to_le_bytes());
        file.extend_from_slice(&values);
    }
    // The grid ends where the file ends. Its three offsets follow name, type and parent.
    let name = b"\x10\0\0\0Tree_float_5_4_3\0\0\0\0";
    let kind = file.windows(name.len()).position(|window| window == name).unwrap();
    let end = (file.len() as u64).to_le_bytes();
    let offset = kind + name.len() + 16;
    file[offset..offset + 8].copy_from_slice(&end);
    file
}

/// Contract: constant regions larger than a tile are split into tiles while they fit the budget;
/// more is refused with a sentence; regions of the background cost nothing, however large.
#[test]
fn large_constant_regions_are_bounded() {
    let _alone = alone();
    let volume = read(&with_large_regions(&[], &[3])).unwrap();
    let GridValues::Scalar(values) = &volume.grids[0].values else { panic!("not scalar") };
    assert_eq!(values.tile_count(), 3 * 16 * 16 * 16);
    assert_eq!(values.get(IVec3::new(127, 127, 383)), 2.0);
    assert_eq!(values.get(IVec3::new(127, 127, 384)), 0.0);
    drop(volume);

    let most = read(&with_large_regions(&[], &[128, 129]));
    assert!(most.is_ok(), "{:?}", most.err());
    drop(most);

    let refusal = |file: &[u8]| read(file).unwrap_err().to_string();
    let message = refusal(&with_large_regions(&[], &[32_768]));
    assert!(message.contains("128³ voxels") && message.contains("too much memory"), "{message}");
    let corner = IVec3::new(-4096, 0, 8192);
    let message = refusal(&with_large_regions(&[(corner, 1.0)], &[]));
    assert!(message.contains("4096³ voxels"), "{message}");

    let background = read(&with_large_regions(&[(corner, 0.0)], &[])).unwrap();
    let GridValues::Scalar(values) = &background.grids[0].values else { panic!("not scalar") };
    assert_eq!(values.tile_count(), 0);
}

/// Contract: constant tiles encoded by a few mask bits stay within the promise without
/// help from the free part, at the highest density a file can have.
#[test]
fn tiles_in_masks_are_bounded_by_the_length_of_the_file() {
    let _alone = alone();
    let edge = 64;
    let tiles = (0..edge * edge * edge).map(|index| {
        let tile = IVec3::new(index % edge, index / edge % edge, index / edge / edge);
        (tile, Tile::Constant(-1.0))
    });
    let grid = SparseGrid::from_tiles(Lattice::at_origin(1.0), 1.0, tiles.collect()).unwrap();
    let grid = VolumeGrid {
        name: "surface".into(),
        class: GridClass::LevelSet,
        values: GridValues::Scalar(grid),
    };
    let volume = Volume { grids: vec![grid] };
    let file = vdb::to_bytes(&volume).unwrap();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let back = vdb::parse(&file, Path::new("solid.vdb")).unwrap();
    let used = MEMORY.peak_usage() - before;
    assert!(used < BYTES_PER_FILE_BYTE * file.len(), "{used} bytes for a file of {}", file.len());
    assert_eq!(back, volume);
}

/// Contract: a file that is not OpenVDB, or is of another version, is reported as such.
#[test]
fn foreign_files_are_named() {
    let _alone = alone();
    let message = read(b"ply\nformat ascii 1.0\n").unwrap_err().to_string();
    assert!(message.contains("not an OpenVDB file"), "{message}");
    let [mut file, ..] = fixtures();
    file[8] = 200;
    let message = read(&file).unwrap_err().to_string();
    assert!(message.contains("version 200") && message.contains("222 to 224"), "{message}");
}
