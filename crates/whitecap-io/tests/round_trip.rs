//! Every format gives back what was written to it.

use std::path::Path;

use whitecap_core::glam::{Vec2, Vec3, Vec4};
use whitecap_core::{Column, Particles, TriMesh};
use whitecap_io::{
    Format, Kind, bgeo_classic, formats, houdini_json, kind_of, npz, obj, parse_mesh,
    parse_particles, read_mesh, read_particles, stl, vtu, write_mesh, write_particles,
};

/// Numbers that a careless text writer or reader would change.
const AWKWARD: [f32; 8] =
    [0.1, -0.0, 1.0e-30, 16_777_217.0, -3.402_823_5e38, 1.0 / 3.0, 7.0e-45, 1.0];

fn number(seed: usize) -> f32 {
    AWKWARD[seed % 8] * if seed.is_multiple_of(3) { -1.0 } else { 1.0 }
}

fn vectors(count: usize, offset: usize) -> Vec<Vec3> {
    let vector = |i: usize| Vec3::new(number(i), number(i + offset), number(2 * i + offset));
    (0..count).map(vector).collect()
}

/// Particles with a column of every type that has 32 bits.
fn particles(count: usize) -> Particles {
    let mut particles = Particles::new(vectors(count, 1));
    let pairs = (0..count).map(|i| Vec2::new(number(i + 3), number(i + 4))).collect();
    let quads = vectors(count, 5).into_iter().map(|v| v.extend(0.25)).collect();
    let columns = [
        ("velocity", Column::Vec3(vectors(count, 2))),
        ("id", Column::I32((0..count as i32).map(|i| i * 7919 - 5).collect())),
        ("radius", Column::F32((0..count).map(|i| number(i + 1)).collect())),
        ("color", Column::Vec4(quads)),
        ("normal", Column::Vec3(vectors(count, 3))),
        ("uv", Column::Vec2(pairs)),
        ("heat", Column::F32((0..count).map(number).collect())),
        ("force", Column::Vec3(vectors(count, 4))),
        (
            "spin",
            Column::Vec4(vectors(count, 6).into_iter().map(|v| Vec4::from((v, 2.0))).collect()),
        ),
    ];
    for (name, column) in columns {
        particles.set_attribute(name, column).unwrap();
    }
    particles
}

/// A closed mesh with attributes: a subdivided octahedron, bumpy.
fn mesh() -> TriMesh {
    let count = 12;
    let ring = |i: u32| 1 + i % count;
    let mut positions = vec![Vec3::Y];
    positions.extend((0..count).map(|i| {
        let angle = i as f32 * std::f32::consts::TAU / count as f32;
        Vec3::new(angle.cos(), 0.1 * (i % 2) as f32, angle.sin())
    }));
    positions.push(Vec3::NEG_Y);
    let mut triangles = Vec::new();
    for i in 0..count {
        triangles.push([0, ring(i + 1), ring(i)]);
        triangles.push([count + 1, ring(i), ring(i + 1)]);
    }
    let vertex_count = positions.len();
    let mut mesh = TriMesh::new(positions, triangles).unwrap();
    mesh.set_attribute("normal", Column::Vec3(mesh.vertex_normals())).unwrap();
    let uv = (0..vertex_count).map(|i| Vec2::new(i as f32 / 16.0, 0.1 * i as f32)).collect();
    mesh.set_attribute("uv", Column::Vec2(uv)).unwrap();
    mesh.set_attribute("velocity", Column::Vec3(vectors(vertex_count, 2))).unwrap();
    mesh
}

/// Contract: positions and every attribute come back bit for bit, with name and type, from every
/// particle format, on disk, by extension; also with zero particles and with one.
#[test]
fn particles_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for info in formats().iter().filter(|info| info.writes.contains(&Kind::Particles)) {
        for extension in info.extensions {
            for count in [0, 1, 2500] {
                let path = folder.path().join(format!("particles_{count}.{extension}"));
                let mut written = particles(count);
                if count == 0 && matches!(info.format, Format::Csv | Format::Xyz) {
                    // A text column without values has no type.
                    written = Particles::default();
                }
                write_particles(&path, &written).unwrap();
                let read = read_particles(&path).unwrap();
                assert_eq!(read.positions(), written.positions(), "{}", path.display());
                for (name, column) in written.attributes().iter() {
                    assert_eq!(read.attribute(name), Some(column), "{name} in {}", path.display());
                }
                assert_eq!(read.attributes().len(), written.attributes().len());
            }
        }
    }
}

/// Contract: every stored form of a format, not only the default one, is read back.
#[test]
fn particles_survive_every_encoding() {
    let written = particles(1500);
    let path = Path::new("memory");
    let classic = |compression| bgeo_classic::to_bytes(&written, compression, path).unwrap();
    let json = |encoding| houdini_json::to_bytes(&written, encoding, path).unwrap();
    let npz = |compression| npz::to_bytes(&written, compression, path).unwrap();
    let files = [
        (Format::Bgeo, classic(bgeo_classic::Compression::None)),
        (Format::Bgeo, classic(bgeo_classic::Compression::Gzip)),
        (Format::Bgeo, json(houdini_json::Encoding::Binary)),
        (Format::Geo, json(houdini_json::Encoding::Text)),
        (Format::Npz, npz(npz::Compression::Stored)),
        (Format::Npz, npz(npz::Compression::Deflated)),
        (Format::Vtu, vtu::particles_to_bytes(&written, vtu::Encoding::AppendedRaw)),
        (Format::Vtu, vtu::particles_to_bytes(&written, vtu::Encoding::Base64)),
    ];
    for (format, bytes) in files {
        assert_eq!(parse_particles(&bytes, format, path).unwrap(), written, "{format:?}");
    }
}

/// Contract: identities beyond 32 bits survive where the format has such integers, come back
/// narrower where they fit, and are refused where they would be truncated.
#[test]
fn wide_identities_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Particles::new(vec![Vec3::ZERO; 2]);
    written.set_attribute("id", Column::I64(vec![-1, 1 << 40])).unwrap();
    for extension in ["geo", "vtk", "vtu", "csv", "xyz", "npz"] {
        let path = folder.path().join(format!("wide.{extension}"));
        write_particles(&path, &written).unwrap();
        assert_eq!(read_particles(&path).unwrap(), written, "{extension}");
    }
    for extension in ["bgeo", "ply"] {
        let path = folder.path().join(format!("wide.{extension}"));
        let message = write_particles(&path, &written).unwrap_err().to_string();
        assert!(message.contains("`id` is 1099511627776"), "{message}");
        assert!(!path.exists());
        let mut small = written.clone();
        small.set_attribute("id", Column::I64(vec![4, 5])).unwrap();
        write_particles(&path, &small).unwrap();
        assert_eq!(read_particles(&path).unwrap().ids().unwrap(), [4, 5]);
    }
}

/// Contract: NaN and infinite positions pass through every format that can hold them, so that the stage
/// that uses them can say where they are; text JSON, which cannot, refuses.
#[test]
fn non_finite_positions_are_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let written = Particles::new(vec![Vec3::new(f32::NAN, f32::INFINITY, f32::NEG_INFINITY)]);
    for extension in ["bgeo", "vtk", "vtu", "ply", "xyz", "csv", "npz"] {
        let path = folder.path().join(format!("broken.{extension}"));
        write_particles(&path, &written).unwrap();
        let read = read_particles(&path).unwrap().positions()[0];
        assert!(read.x.is_nan(), "{extension}");
        assert_eq!((read.y, read.z), (f32::INFINITY, f32::NEG_INFINITY), "{extension}");
    }
    let message = write_particles(folder.path().join("b.geo"), &written).unwrap_err().to_string();
    assert!(message.contains("value 0 of attribute `P`"), "{message}");
}

/// Contract: a name of several words is kept where the format has room for it, and joined with
/// underscores where it would end early.
#[test]
fn names_of_several_words_are_kept_or_joined() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Particles::new(vec![Vec3::ONE]);
    written.set_attribute("phase field, α", Column::Vec3(vec![Vec3::X])).unwrap();
    for info in formats().iter().filter(|info| info.writes.contains(&Kind::Particles)) {
        for extension in info.extensions {
            let path = folder.path().join(format!("words.{extension}"));
            write_particles(&path, &written).unwrap();
            let joined = matches!(info.format, Format::Ply | Format::Xyz | Format::Csv);
            let name = if joined { "phase_field__α" } else { "phase field, α" };
            let read = read_particles(&path).unwrap();
            assert_eq!(read.attribute(name), Some(&Column::Vec3(vec![Vec3::X])), "{extension}");
        }
    }
}

/// Contract: a mesh comes back with its vertices, triangles and, where the format has room for
/// them, all attributes; STL keeps the triangles' positions.
#[test]
fn meshes_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let written = mesh();
    for extension in ["ply", "vtk", "vtu", "obj"] {
        let path = folder.path().join(format!("mesh.{extension}"));
        write_mesh(&path, &written).unwrap();
        let mut expected = written.clone();
        if extension == "obj" {
            expected.remove_attribute("velocity");
        }
        assert_eq!(read_mesh(&path).unwrap(), expected, "{extension}");
        assert_eq!(kind_of(&path).unwrap(), Kind::Mesh, "{extension}");
    }
    let path = folder.path().join("mesh.stl");
    write_mesh(&path, &written).unwrap();
    let read = read_mesh(&path).unwrap();
    assert_eq!(read.positions().len(), written.positions().len());
    for triangle in 0..written.triangles().len() {
        assert_eq!(read.corners(triangle), written.corners(triangle));
    }
}

/// Contract: glTF gives back positions, triangles and other attributes bit for bit, and normals and
/// texture coordinates to the last bits, because their conventions differ; an empty mesh, too.
#[test]
fn meshes_survive_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let written = mesh();
    for extension in ["glb", "gltf"] {
        let path = folder.path().join(format!("mesh.{extension}"));
        write_mesh(&path, &written).unwrap();
        let read = read_mesh(&path).unwrap();
        assert_eq!(read.positions(), written.positions());
        assert_eq!(read.triangles(), written.triangles());
        assert_eq!(read.attribute("velocity"), written.attribute("velocity"));
        assert_eq!(read.attributes().len(), written.attributes().len());
        let (Some(Column::Vec3(found)), Some(Column::Vec3(expected))) =
            (read.attribute("normal"), written.attribute("normal"))
        else {
            panic!("no normals")
        };
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-6)));
        let (Some(Column::Vec2(found)), Some(Column::Vec2(expected))) =
            (read.attribute("uv"), written.attribute("uv"))
        else {
            panic!("no texture coordinates")
        };
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-6)));
        write_mesh(&path, &TriMesh::default()).unwrap();
        assert_eq!(read_mesh(&path).unwrap(), TriMesh::default());
    }
}

/// Contract: an empty mesh can be written and read; a file of particles read as a mesh is an error
/// that says so, and `kind_of` tells the two apart.
#[test]
fn empty_meshes_and_particles_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["ply", "vtk", "vtu", "obj", "stl"] {
        let path = folder.path().join(format!("empty.{extension}"));
        write_mesh(&path, &TriMesh::default()).unwrap();
        assert_eq!(read_mesh(&path).unwrap(), TriMesh::default(), "{extension}");
    }
    for extension in ["ply", "vtk", "vtu"] {
        let path = folder.path().join(format!("points.{extension}"));
        write_particles(&path, &particles(5)).unwrap();
        let message = read_mesh(&path).unwrap_err().to_string();
        assert!(message.contains("particles, not a mesh"), "{message}");
        assert_eq!(kind_of(&path).unwrap(), Kind::Particles);
    }
}

/// Contract: the bytes of a file depend on its content alone: not on the time, and not on the
/// number of threads.
#[test]
fn the_same_content_gives_the_same_bytes() {
    let many = particles(30_000);
    let positions = vectors(30_000, 1);
    let triangles =
        (0..60_000).map(|i| [i % 30_000, (i * 7) % 30_000, (i * 13) % 30_000]).collect();
    let mesh = TriMesh::new(positions, triangles).unwrap();
    let write_all = || {
        let path = Path::new("memory");
        [
            whitecap_io::ply::particles_to_bytes(&many, path).unwrap(),
            npz::to_bytes(&many, npz::Compression::Stored, path).unwrap(),
            whitecap_io::ply::mesh_to_bytes(&mesh, path).unwrap(),
            obj::to_bytes(&mesh),
            stl::to_bytes(&mesh, path).unwrap(),
        ]
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let files = pool(1).install(write_all);
    assert_eq!(files, pool(3).install(write_all));
    let read = || parse_mesh(&files[3], Format::Obj, Path::new("memory")).unwrap();
    assert_eq!(pool(1).install(read), pool(3).install(read));
}
