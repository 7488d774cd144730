//! Small valid files of every format: those that we write, and those of other programs in the tests.

use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, GridClass, GridValues, Lattice, Particles, SparseGrid, TriMesh};
use whitecap_core::{Volume, VolumeGrid};
use whitecap_io::{Format, Kind, formats};

/// A file.
pub struct Sample {
    /// Its name, whose extension decides the format.
    pub name: String,
    pub format: Format,
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

/// Files of other programs, in the tests of the readers.
const FOREIGN: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/whitecap-io/tests/files"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/whitecap-io/tests/fixtures"),
];

/// Every sample.
pub fn all() -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    for info in formats() {
        for &kind in info.writes.iter().filter(|kind| info.reads.contains(kind)) {
            for extension in info.extensions {
                let name = format!("sample.{extension}");
                if let Some(bytes) = written(&name, kind) {
                    samples.push(Sample { name, format: info.format, kind, bytes });
                }
            }
        }
    }
    for folder in FOREIGN {
        let found = foreign(Path::new(folder));
        if found.is_empty() {
            return Err(format!("{folder}: there are no samples; use a complete checkout"));
        }
        samples.extend(found);
    }
    Ok(samples)
}

fn written(name: &str, kind: Kind) -> Option<Vec<u8>> {
    let path = Path::new(name);
    match kind {
        Kind::Particles => whitecap_io::particle_bytes(path, &particles()).ok(),
        Kind::Mesh => whitecap_io::mesh_bytes(path, &mesh()).ok(),
        Kind::Volume => whitecap_io::vdb::to_bytes(&volume()).ok(),
    }
}

/// The files of a folder, as everything that their format can hold.
fn foreign(folder: &Path) -> Vec<Sample> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        let row = formats().iter().find(|info| whitecap_io::has_extension(&path, info.extensions));
        let (Some(row), Ok(bytes)) = (row, std::fs::read(&path)) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        samples.extend(row.reads.iter().map(|&kind| Sample {
            name: name.clone(),
            format: row.format,
            kind,
            bytes: bytes.clone(),
        }));
    }
    samples
}

/// Enough particles for a surface, few enough for a small file.
fn particles() -> Particles {
    let cell = |i: usize| 0.1 * Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32);
    let mut particles = Particles::new((0..64).map(cell).collect());
    let columns = [
        ("velocity", Column::Vec3((0..64).map(|i| cell(i) - 0.2 * Vec3::Y).collect())),
        ("id", Column::I32((0..64).collect())),
        ("radius", Column::F32(vec![0.05; 64])),
    ];
    for (name, column) in columns {
        // As many values as particles.
        let _ = particles.set_attribute(name, column);
    }
    particles
}

fn mesh() -> TriMesh {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut mesh = TriMesh::new(corners, triangles).unwrap_or_default();
    let _ = mesh.set_attribute("normal", Column::Vec3(vec![Vec3::Y; 4]));
    mesh
}

fn volume() -> Volume {
    let lattice = Lattice::at_origin(0.1);
    let tiles = vec![Vec3::ZERO.as_ivec3(), Vec3::X.as_ivec3()];
    let grid = SparseGrid::filled(lattice, 0.3, tiles, |tile, values| {
        for (place, value) in values.iter_mut().enumerate() {
            let local = whitecap_core::sparse_grid::local_node(place);
            *value = (lattice.position(tile * 8 + local).distance(Vec3::splat(0.4)) - 0.3).min(0.3);
        }
    });
    let values = GridValues::Scalar(grid);
    let name = String::from("surface");
    Volume { grids: vec![VolumeGrid { name, class: GridClass::LevelSet, values }] }
}
