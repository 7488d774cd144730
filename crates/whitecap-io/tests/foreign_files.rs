//! Files as other programs write them. Those under `files` were made by meshio and NumPy, or by hand.

mod samples;

use std::path::Path;

use samples::{mesh, particles};
use whitecap_core::Column;
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_io::{Format, parse_mesh, parse_mesh_noted, parse_particles, parse_particles_noted};

/// What the files of meshio and NumPy hold.
const CORNERS: [Vec3; 5] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::Z];

/// Contract: meshio's compressed `.vtu` and its version 5.1 `.vtk` give the same mesh, with quads
/// cut and attributes in place.
#[test]
fn meshio_meshes() {
    let vtu = mesh(Format::Vtu, include_bytes!("files/meshio_zlib.vtu"));
    let vtk = mesh(Format::Vtk, include_bytes!("files/meshio_5_1.vtk"));
    for mesh in [&vtu, &vtk] {
        assert_eq!(mesh.positions(), CORNERS);
        assert_eq!(mesh.triangles(), [[0, 1, 4], [0, 1, 2], [0, 2, 3]]);
        let doubled = CORNERS.iter().map(|&p| 2.0 * p).collect();
        assert_eq!(mesh.attribute("velocity"), Some(&Column::Vec3(doubled)));
        assert_eq!(mesh.attribute("id"), Some(&Column::I64(vec![0, 1, 2, 3, 4])));
        assert_eq!(mesh.attribute("heat"), Some(&Column::F32(vec![0.0, 0.25, 0.5, 0.75, 1.0])));
    }
}

/// Contract: NumPy's types, both byte orders and both array orders are read; arrays without one row per
/// particle are left out.
#[test]
fn numpy_archives() {
    let particles = particles(Format::Npz, include_bytes!("files/numpy.npz"));
    assert_eq!(particles.positions(), CORNERS);
    assert_eq!(particles.velocities().unwrap(), CORNERS.map(|p| 2.0 * p));
    assert_eq!(particles.ids().unwrap(), [0, 1, 2, 3, 4]);
    let halves = Column::F32(vec![0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(particles.attribute("half"), Some(&halves));
    assert_eq!(particles.attributes().len(), 3);
}

/// Contract: the classic `.bgeo` of SPlisHSPlasH is read as partio documents it: big-endian, four
/// floats of position, attributes in the record; text attributes are skipped.
#[test]
fn classic_bgeo() {
    let mut bytes = b"BgeoV".to_vec();
    let words = |bytes: &mut Vec<u8>, numbers: &[u32]| {
        bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    };
    words(&mut bytes, &[5, 2, 0, 0, 0, 3, 0, 0, 0]);
    bytes.extend(b"\x00\x02id\x00\x01");
    words(&mut bytes, &[1, 0]);
    bytes.extend(b"\x00\x04name\x00\x01");
    words(&mut bytes, &[4, 1]);
    bytes.extend(b"\x00\x05water");
    bytes.extend(b"\x00\x01v\x00\x03");
    words(&mut bytes, &[5, 0, 0, 0]);
    for (id, x) in [(9_u32, 1.5_f32), (4, -2.5)] {
        words(&mut bytes, &[x, 2.0, 3.0, 1.0].map(f32::to_bits));
        words(&mut bytes, &[id, 0]);
        words(&mut bytes, &[x, 0.0, -1.0].map(f32::to_bits));
    }
    bytes.extend([0x00, 0xff]);
    let particles = particles(Format::Bgeo, bytes);
    assert_eq!(particles.positions(), [Vec3::new(1.5, 2.0, 3.0), Vec3::new(-2.5, 2.0, 3.0)]);
    assert_eq!(particles.velocities().unwrap()[1], Vec3::new(-2.5, 0.0, -1.0));
    assert_eq!(particles.attribute("id"), Some(&Column::I32(vec![9, 4])));
    assert_eq!(particles.attributes().len(), 2);
}

/// Contract: Krakatoa's `.prt` is read, with reals of 16 bits and integers of 64, channels in any
/// order and metadata after the header; all eleven types of numbers keep their value.
#[test]
fn krakatoa_particles() {
    let bytes = samples::prt_of_krakatoa();
    let mut with_metadata = bytes.clone();
    with_metadata[8..12].copy_from_slice(&64_u32.to_le_bytes());
    with_metadata.splice(56..56, *b"metadata");
    for bytes in [bytes, with_metadata] {
        let read = particles(Format::Prt, bytes);
        assert_eq!(read.positions()[2], Vec3::new(20.0, 21.0, 22.0));
        assert_eq!(read.velocities().unwrap(), [Vec3::new(0.5, 1.0, -2.0); 3]);
        assert_eq!(read.ids().unwrap(), [1 << 40, (1 << 40) + 1, (1 << 40) + 2]);
        assert_eq!(read.attribute("Density"), Some(&Column::F32(vec![2.0; 3])));
        assert_eq!(read.attributes().len(), 3);
    }
    let minus: [&[u8]; 11] = [
        &(-2_i16).to_le_bytes(),
        &(-2_i32).to_le_bytes(),
        &(-2_i64).to_le_bytes(),
        &0xc000_u16.to_le_bytes(),
        &(-2_f32).to_le_bytes(),
        &(-2_f64).to_le_bytes(),
        &2_u16.to_le_bytes(),
        &2_u32.to_le_bytes(),
        &2_u64.to_le_bytes(),
        &(-2_i8).to_le_bytes(),
        &2_u8.to_le_bytes(),
    ];
    for (kind, number) in minus.into_iter().enumerate() {
        let record = [&[0; 24], number].concat();
        let channels = [("value", kind as u32, 1, 24), ("Position", 5, 3, 0)];
        let read = particles(Format::Prt, samples::prt(1, &channels, &record));
        let two = if (6..=8).contains(&kind) || kind == 10 { 2 } else { -2 };
        match read.attribute("value").unwrap() {
            Column::F32(values) => assert_eq!(values, &[two as f32], "{kind}"),
            Column::I32(values) => assert_eq!(values, &[two], "{kind}"),
            Column::I64(values) => assert_eq!(values, &[i64::from(two)], "{kind}"),
            other => panic!("{kind} became {other:?}"),
        }
    }
    let none = particles(Format::Prt, samples::prt(0, &[("Position", 4, 3, 0)], &[]));
    assert!(none.is_empty());
    let lacking = samples::prt(1, &[("Density", 4, 1, 0)], &[0; 4]);
    let message =
        parse_particles(&lacking, Format::Prt, Path::new("a.prt")).unwrap_err().to_string();
    assert!(message.ends_with("the only column is `Density`"), "{message}");
}

/// Contract: Maya's `.pdb` is read with pointers of either size and in either byte order, plain and
/// compressed.
#[test]
fn maya_particle_databases() {
    for (wide, big) in [(false, false), (false, true), (true, false), (true, true)] {
        let read = particles(Format::Pdb, samples::pdb_of_partio(wide, big));
        assert_eq!(read.positions(), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5.5, 6.0)]);
        assert_eq!(read.velocities().unwrap()[1], Vec3::new(0.0, -2.0, 0.25));
        assert_eq!(read.ids().unwrap(), [7, 9]);
        assert_eq!(read.radii().unwrap(), [0.1, 0.2]);
    }
    // A channel of bytes is left out; what follows it is read.
    let positions = [0.0_f32, 1.0, 2.0].map(f32::to_bits);
    let channels: [samples::PdbChannel; 2] = [("name", 4, &[65, 66]), ("P", 1, &positions)];
    let read = particles(Format::Pdb, samples::pdb(1, &channels, false, false));
    assert_eq!((read.positions(), read.attributes().len()), (&[Vec3::new(0.0, 1.0, 2.0)][..], 0));
}

/// Contract: a NumPy array is read in both byte orders and both array orders; six columns hold
/// velocities as well, with a note; records have names, and their gaps and texts are left out.
#[test]
fn numpy_arrays() {
    let read =
        |bytes: &[u8]| parse_particles_noted(bytes, Format::Npy, Path::new("a.npy")).unwrap();
    let files: [&[u8]; 5] = [
        include_bytes!("files/numpy_f4.npy"),
        include_bytes!("files/numpy_f8_fortran.npy"),
        include_bytes!("files/numpy_six.npy"),
        include_bytes!("files/numpy_records.npy"),
        include_bytes!("files/numpy_xyz_fields.npy"),
    ];
    let [plain, fortran, six, records, fields] = files.map(read);
    for noted in [&plain, &fortran, &six, &records, &fields] {
        assert_eq!(noted.data.positions(), CORNERS);
    }
    for quiet in [&plain, &fortran, &records, &fields] {
        assert_eq!(quiet.notes.len(), 0);
    }
    assert!(six.notes[0].contains("taken as x, y, z, then vx, vy, vz"), "{:?}", six.notes);
    for moving in [&six, &records] {
        assert_eq!(moving.data.velocities().unwrap(), CORNERS.map(|p| 2.0 * p));
    }
    assert_eq!(records.data.ids().unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(records.data.radii().unwrap(), [0.25; 5]);
    assert_eq!(records.data.attributes().len(), 4);
    assert_eq!(fields.data.attribute("shape"), Some(&Column::I32(vec![3; 5])));

    let wrong = |text: &str| {
        let length = (text.len() as u16).to_le_bytes();
        let bytes = [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), &[0; 64]].concat();
        parse_particles(&bytes, Format::Npy, Path::new("a.npy")).unwrap_err().to_string()
    };
    let flat = wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }");
    assert!(flat.starts_with("a.npy: the array has the shape (9,); particles need"), "{flat}");
    let cube = wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }");
    assert!(cube.contains("has the shape (2, 2, 3)"), "{cube}");
    let objects = wrong("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }");
    assert!(objects.contains("has elements of type `|O`"), "{objects}");
    let fields =
        wrong("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (2,), }");
    assert!(fields.ends_with("the columns are `a`, `b`"), "{fields}");
}

/// Contract: Houdini's classic text geometry is read as partio writes it, with text attributes left
/// out, and without attributes at all.
#[test]
fn classic_geo() {
    let read = particles(Format::Geo, samples::GEO_OF_PARTIO);
    assert_eq!(read.positions()[2], Vec3::new(0.0, 0.25, 1.0));
    assert_eq!(read.ids().unwrap(), [0, 4, -8]);
    assert_eq!(read.velocities().unwrap()[0], Vec3::new(1.0, 2e-3, -3.0));
    assert_eq!(read.attributes().len(), 2);
    let bare = "PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib 0 NVertexAttrib 0 NPrimAttrib 0 NAttrib 0\n1 2 3 1\n4 5 6 1\nbeginExtra\nendExtra\n";
    assert_eq!(particles(Format::Geo, bare).positions()[1], Vec3::new(4.0, 5.0, 6.0));
    let damaged = samples::GEO_OF_PARTIO.replace("(0\t", "(x\t");
    let error = parse_particles(damaged.as_bytes(), Format::Geo, Path::new("a.geo")).unwrap_err();
    assert_eq!(error.to_string(), "a.geo, line 9: found `x` where id should be");
}

/// Contract: Houdini's paged text geometry, with packs, constant pages, tuples, arrays and a text
/// attribute, is read, and its names become ours.
#[test]
fn houdini_text_geometry() {
    let particles = particles(Format::Geo, include_str!("files/paged.geo"));
    let x = [10.0, 10.0, 12.0, 13.0, 14.0];
    let yz = [(20.0, 30.0), (21.0, 31.0), (22.0, 32.0), (22.0, 32.0), (24.0, 34.0)];
    let expected: Vec<Vec3> = x.iter().zip(yz).map(|(&x, (y, z))| Vec3::new(x, y, z)).collect();
    assert_eq!(particles.positions(), expected);
    assert_eq!(particles.velocities().unwrap()[1], Vec3::new(4.0, 5.0, 6.5));
    assert_eq!(particles.attribute("id"), Some(&Column::I32(vec![5, 4, 3, 2, 1])));
    assert_eq!(particles.attributes().len(), 2);
}

/// Contract: binary JSON of the other byte order, with texts defined once and referred to, packed
/// truth values and small integers, is read.
#[test]
fn houdini_binary_geometry() {
    let mut bytes = b"\x7fbJSN[".to_vec();
    let text = |text: &str| [&[0x27, text.len() as u8], text.as_bytes()].concat();
    bytes.extend(text("pointcount"));
    bytes.extend(b"\x12\x00\x03");
    bytes.extend(text("attributes"));
    bytes.push(b'[');
    bytes.extend(text("pointattributes"));
    bytes.extend(b"[[[");
    bytes.extend(b"\x2b\x01\x04type\x2b\x02\x07numeric\x2b\x03\x04name\x26\x01\x26\x02\x26\x03");
    bytes.extend(text("P"));
    bytes.extend(b"][");
    bytes.extend(b"\x2b\x04\x04size\x2b\x05\x07storage\x2b\x06\x08fpreal32\x2b\x07\x06values");
    bytes.extend(b"\x26\x07[\x26\x04\x11\x03\x26\x05\x26\x06");
    bytes.extend(text("pagesize"));
    bytes.extend(b"\x12\x00\x02");
    bytes.extend(text("constantpageflags"));
    // One pack; the first of its two pages is constant.
    bytes.extend(b"[\x40\x10\x02\x00\x00\x00\x01]");
    bytes.extend(text("rawpagedata"));
    bytes.extend(b"\x40\x19\x06");
    bytes.extend([1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f32].iter().flat_map(|v| v.to_be_bytes()));
    bytes.extend(b"]]]]]]");
    let first = Vec3::new(1.0, 2.0, 3.0);
    let expected = [first, first, Vec3::new(4.0, 5.0, 6.0)];
    assert_eq!(particles(Format::Bgeo, bytes).positions(), expected);
}

/// Contract: text `.vtk` with every kind of point data is read; unsigned integers keep their value.
#[test]
fn text_vtk_points() {
    let particles = particles(Format::Vtk, include_str!("files/two_points.vtk"));
    assert_eq!(particles.positions()[1], Vec3::new(1.5, 2.5, -3.0));
    assert_eq!(particles.ids().unwrap(), [7, 4_294_967_295]);
    assert_eq!(particles.velocities().unwrap()[1], Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(particles.attribute("heat"), Some(&Column::F32(vec![0.5, 0.25])));
}

/// Contract: PLY with unknown elements, polygons, face properties and byte colours is read, as text
/// and in both binary byte orders alike.
#[test]
fn ply_of_all_encodings() {
    let text = include_str!("files/quad_and_triangle.ply");
    let expected = mesh(Format::Ply, text);
    assert_eq!(expected.triangles(), [[0, 1, 2], [0, 2, 3], [0, 1, 4]]);
    assert_eq!(expected.positions()[3], Vec3::Y);
    let Some(Column::Vec3(colors)) = expected.attribute("color") else { panic!("no colour") };
    assert_eq!((colors[0], colors[3]), (Vec3::X, Vec3::splat(0.2)));
    for big in [true, false] {
        let name = if big { "binary_big_endian" } else { "binary_little_endian" };
        let header = text.split_inclusive("end_header\n").next().unwrap().replace("ascii", name);
        let mut bytes = header.into_bytes();
        let mut word = |number: u32| {
            bytes.extend(if big { number.to_be_bytes() } else { number.to_le_bytes() });
        };
        word(0.5_f32.to_bits());
        bytes.push(2);
        for option in [7_u32, 8] {
            bytes.extend(if big { option.to_be_bytes() } else { option.to_le_bytes() });
        }
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip_while(|line| *line != "end_header")
            .skip(2)
            .map(|line| line.split(' ').collect())
            .collect();
        for row in &rows[..5] {
            for number in &row[..3] {
                let bits = number.parse::<f32>().unwrap().to_bits();
                bytes.extend(if big { bits.to_be_bytes() } else { bits.to_le_bytes() });
            }
            bytes.extend(row[3..].iter().map(|byte| byte.parse::<u8>().unwrap()));
        }
        for row in &rows[5..] {
            bytes.push(row[0].parse().unwrap());
            for index in &row[1..row.len() - 1] {
                let index = index.parse::<u32>().unwrap();
                bytes.extend(if big { index.to_be_bytes() } else { index.to_le_bytes() });
            }
            let weight = row[row.len() - 1].parse::<f32>().unwrap().to_bits();
            bytes.extend(if big { weight.to_be_bytes() } else { weight.to_le_bytes() });
        }
        assert_eq!(mesh(Format::Ply, bytes), expected, "{name}");
    }
}

/// Contract: text STL is read and equal corners are joined, −0 and 0 included.
#[test]
fn text_stl() {
    let text = include_str!("files/two_facets.stl").replace("vertex 0 0 1", "vertex -0.0 0 1");
    let mesh = mesh(Format::Stl, text);
    assert_eq!(mesh.positions(), [Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::Z]);
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
}

/// Contract: a NumPy archive may hold `x`, `y` and `z` or one array instead of `position`; arrays without
/// a row for every particle are left out with a note. An array with a row for each axis is refused.
#[test]
fn numpy_archives_of_other_shapes() {
    let read =
        |bytes: &[u8]| parse_particles_noted(bytes, Format::Npz, Path::new("a.npz")).unwrap();
    let split = read(include_bytes!("files/numpy_xyz.npz"));
    assert_eq!(split.data.positions(), [Vec3::new(1.0, 3.0, 5.0), Vec3::new(2.0, 4.0, 6.0)]);
    assert_eq!(split.data.velocities().unwrap(), [Vec3::X, Vec3::ZERO]);
    assert_eq!(split.data.ids().unwrap(), [7, 8]);
    assert_eq!(split.notes, ["the array `matrix` has 4 rows for 2 particles and is left out"]);
    let single = read(include_bytes!("files/numpy_single.npz"));
    assert_eq!(single.data.positions(), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
    let on_its_side = include_bytes!("files/numpy_on_its_side.npy");
    let refused = parse_particles(on_its_side, Format::Npy, Path::new("a.npy")).unwrap_err();
    assert!(refused.to_string().contains("save its transpose"), "{refused}");
}

/// Contract: an OBJ line that ends in a backslash goes on in the next; errors keep their line numbers.
#[test]
fn obj_lines_go_on() {
    let text = "# C:\\models\\\nv 0 0 0\nv 1 \\\n 0 0\nv 0 1 0\r\nf 1 2 \\\r\n3\n";
    let triangle = mesh(Format::Obj, text);
    assert_eq!(triangle.positions()[1], Vec3::X);
    assert_eq!(triangle.triangles(), [[0, 1, 2]]);
    let wrong = format!("{text}v 0 x 0\n");
    let bad = parse_mesh(wrong.as_bytes(), Format::Obj, Path::new("a.obj")).unwrap_err();
    assert_eq!(bad.to_string(), "a.obj, line 8: `x` is not a number");
}

/// Contract: OBJ with slashes, negative indices, polygons and comments is read; a value that every
/// vertex shares becomes an attribute, a seam leaves it out.
#[test]
fn obj_in_all_its_forms() {
    let text = "# c\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1 0\nvt .5 .5\nvn 0 0 1\nusemtl x\ns 1\nf 1/1/1 2/2/1 3/3/1 -1/1/-1\n\n";
    let quad = mesh(Format::Obj, text);
    assert_eq!(quad.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(quad.attribute("normal"), Some(&Column::Vec3(vec![Vec3::Z; 4])));
    let uv = vec![Vec2::ZERO, Vec2::ONE, Vec2::splat(0.5), Vec2::ZERO];
    assert_eq!(quad.attribute("uv"), Some(&Column::Vec2(uv)));
    let seam = mesh(Format::Obj, format!("{text}f 1/3 2/2 3/3\r\n"));
    assert_eq!(seam.triangles().len(), 3);
    assert!(seam.attributes().is_empty());
    let bad = parse_mesh(b"v 0 0 0\nv 1 x 0\n", Format::Obj, Path::new("a.obj")).unwrap_err();
    assert_eq!(bad.to_string(), "a.obj, line 2: `x` is not a number");
}

/// Contract: what an OBJ or PLY file has at corners and a mesh cannot hold is told, not lost without a
/// word; a file without a seam has no note.
#[test]
fn values_at_corners_are_told() {
    let read =
        |format, text: &str| parse_mesh_noted(text.as_bytes(), format, Path::new("a")).unwrap();
    let seam = read(Format::Obj, samples::SEAM_OBJ);
    assert!(seam.data.attributes().is_empty());
    assert_eq!(seam.notes.len(), 2);
    assert!(seam.notes[0].starts_with("the normals differ from face to face"), "{:?}", seam.notes);
    assert!(seam.notes[1].starts_with("the texture coordinates differ"), "{:?}", seam.notes);
    let partly = read(Format::Obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3\n");
    assert_eq!(partly.notes, ["the normals are missing at some vertices; they are left out"]);
    let whole = read(Format::Obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n");
    assert_eq!((whole.notes.len(), whole.data.attributes().len()), (0, 1));
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n";
    assert!(read(Format::Ply, ply).notes[0].contains("`texcoord`"));
}
