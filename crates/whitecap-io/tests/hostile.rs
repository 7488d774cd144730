//! No file, however damaged, makes a reader panic, hang, or allocate more than the file could hold.
//!
//! Every reader goes through the same trials: a small valid file cut at every byte, with thousands of
//! flipped bits, and with runs of bytes overwritten. Files that claim absurd counts are written by
//! hand. The memory in use is counted throughout.

mod samples;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use whitecap_core::glam::Vec3;
use whitecap_core::scatter::Sequence;
use whitecap_core::{Column, Particles, TriMesh};
use whitecap_io::{
    Error, Format, bgeo_classic, gltf, houdini_json, npz, obj, parse_mesh, parse_particles, ply,
    stl, text_points, vtk_legacy, vtu,
};

const TEXT_PLY: &str = include_str!("files/quad_and_triangle.ply");
const TEXT_STL: &str = include_str!("files/two_facets.stl");
const TEXT_VTK: &str = include_str!("files/two_points.vtk");
const PAGED_GEO: &str = include_str!("files/paged.geo");

const NPY: &[u8] = include_bytes!("files/numpy_f8_fortran.npy");
const NPY_RECORDS: &[u8] = include_bytes!("files/numpy_records.npy");

const FLIPS: usize = 4000;
/// Far above what a reader needs for a file of a few hundred bytes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Counts the bytes allocated, by all tests of this file together.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;
/// Far above what a few small files need, far below what an absurd count would ask for.
const MOST_MEGABYTES: f32 = 256.0;

struct Sample {
    name: &'static str,
    format: Format,
    bytes: Vec<u8>,
    /// How many bytes at the end may be missing, in a format that states how much it holds.
    spare: Option<usize>,
}

fn particles() -> Particles {
    let mut particles = Particles::new(vec![Vec3::ONE, Vec3::new(0.5, -2.0, 3.25), Vec3::NEG_X]);
    particles.set_attribute("velocity", Column::Vec3(vec![Vec3::Y; 3])).unwrap();
    particles.set_attribute("id", Column::I32(vec![3, 1, 2])).unwrap();
    particles.set_attribute("radius", Column::F32(vec![0.1, 0.2, 0.3])).unwrap();
    particles
}

fn mesh() -> TriMesh {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut mesh =
        TriMesh::new(positions, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    mesh.set_attribute("normal", Column::Vec3(vec![Vec3::Y; 4])).unwrap();
    mesh
}

fn particle_samples() -> Vec<Sample> {
    let particles = particles();
    let path = Path::new("memory");
    let sample = |name, format, spare, bytes| Sample { name, format, bytes, spare };
    let classic = |compression| bgeo_classic::to_bytes(&particles, compression, path).unwrap();
    let json = |encoding| houdini_json::to_bytes(&particles, encoding, path).unwrap();
    let npz = |compression| npz::to_bytes(&particles, compression, path).unwrap();
    let base64 = vtu::particles_to_bytes(&particles, vtu::Encoding::Base64);
    vec![
        sample("bgeo", Format::Bgeo, Some(2), classic(bgeo_classic::Compression::None)),
        sample("bgeo gzip", Format::Bgeo, Some(0), classic(bgeo_classic::Compression::Gzip)),
        sample("binary JSON", Format::Bgeo, Some(0), json(houdini_json::Encoding::Binary)),
        sample("text JSON", Format::Geo, Some(0), json(houdini_json::Encoding::Text)),
        sample("constant pages", Format::Geo, Some(1), PAGED_GEO.as_bytes().to_vec()),
        sample("vtk", Format::Vtk, None, vtk_legacy::particles_to_bytes(&particles, path).unwrap()),
        sample("vtk text", Format::Vtk, None, TEXT_VTK.as_bytes().to_vec()),
        sample(
            "vtu raw",
            Format::Vtu,
            Some(b"\n</AppendedData>\n</VTKFile>\n".len()),
            vtu::particles_to_bytes(&particles, vtu::Encoding::AppendedRaw),
        ),
        sample("vtu base64", Format::Vtu, Some(1), base64),
        sample("vtu zlib", Format::Vtu, Some(1), include_bytes!("files/meshio_zlib.vtu").to_vec()),
        sample("ply", Format::Ply, Some(0), ply::particles_to_bytes(&particles, path).unwrap()),
        sample("ply text", Format::Ply, None, TEXT_PLY.as_bytes().to_vec()),
        sample("xyz", Format::Xyz, None, text_points::to_xyz(&particles)),
        sample("csv", Format::Csv, None, text_points::to_csv(&particles)),
        sample("csv bare", Format::Csv, None, b"1,2,3,4,5,6,7\n0.5,1,2,3,4,5,6\n".to_vec()),
        sample("csv comment", Format::Csv, None, b"# P[x] P[y] P[z]\n1 2 3\n".to_vec()),
        sample("npz", Format::Npz, Some(0), npz(npz::Compression::Stored)),
        sample("prt", Format::Prt, Some(0), samples::prt_of_krakatoa()),
        sample("pdb narrow", Format::Pdb, Some(0), samples::pdb_of_partio(false, false)),
        sample("pdb wide", Format::Pdb, Some(0), samples::pdb_of_partio(true, true)),
        sample("pdb gzip", Format::Pdb, Some(0), gzip(&samples::pdb_of_partio(true, false))),
        sample("npy", Format::Npy, Some(0), NPY.to_vec()),
        sample("npy records", Format::Npy, Some(0), NPY_RECORDS.to_vec()),
        sample("classic geo", Format::Geo, None, samples::GEO_OF_PARTIO.as_bytes().to_vec()),
        sample("npz deflated", Format::Npz, Some(0), npz(npz::Compression::Deflated)),
    ]
}

fn mesh_samples() -> Vec<Sample> {
    let mesh = mesh();
    let path = Path::new("memory");
    let sample = |name, format, spare, bytes| Sample { name, format, bytes, spare };
    vec![
        sample("ply", Format::Ply, Some(0), ply::mesh_to_bytes(&mesh, path).unwrap()),
        sample("ply text", Format::Ply, None, TEXT_PLY.as_bytes().to_vec()),
        sample("obj", Format::Obj, None, obj::to_bytes(&mesh)),
        sample("obj seam", Format::Obj, None, samples::SEAM_OBJ.as_bytes().to_vec()),
        sample("glb", Format::Glb, Some(0), gltf::to_glb(&mesh, path).unwrap()),
        sample("gltf", Format::Gltf, Some(0), gltf::to_gltf(&mesh, path).unwrap()),
        sample("glb tree", Format::Glb, Some(0), include_bytes!("files/trimesh.glb").to_vec()),
        sample("stl", Format::Stl, Some(0), stl::to_bytes(&mesh, path).unwrap()),
        sample("stl text", Format::Stl, None, TEXT_STL.as_bytes().to_vec()),
        sample("vtk", Format::Vtk, None, vtk_legacy::mesh_to_bytes(&mesh, path).unwrap()),
        sample("vtk 5.1", Format::Vtk, None, include_bytes!("files/meshio_5_1.vtk").to_vec()),
        sample("vtu", Format::Vtu, Some(1), vtu::mesh_to_bytes(&mesh, vtu::Encoding::Base64)),
    ]
}

/// The same steps for particles and for meshes.
fn for_every_sample(check: impl Fn(&Sample, &dyn Fn(&[u8]) -> Result<(), Error>)) {
    let path = Path::new("hostile");
    for sample in particle_samples() {
        check(&sample, &|bytes| parse_particles(bytes, sample.format, path).map(drop));
    }
    for sample in mesh_samples() {
        check(&sample, &|bytes| parse_mesh(bytes, sample.format, path).map(drop));
    }
}

fn within_bounds(name: &str, start: Instant) {
    assert!(start.elapsed() < PATIENCE, "{name} took {:?}", start.elapsed());
    let peak = MEMORY.peak_usage_as_mb();
    assert!(peak < MOST_MEGABYTES, "{name} brought the memory to {peak} MB");
}

/// Contract: a file cut at any byte never causes a panic, and is an error if its format states how much it
/// holds.
#[test]
fn files_cut_at_every_byte() {
    for_every_sample(|sample, parse| {
        parse(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        for length in 0..sample.bytes.len() {
            let start = Instant::now();
            let result = parse(&sample.bytes[..length]);
            within_bounds(sample.name, start);
            let missing = sample.bytes.len() - length;
            let whole = sample.spare.is_none_or(|spare| missing <= spare);
            assert!(whole || result.is_err(), "{} cut at {length} was read", sample.name);
        }
    });
}

/// Contract: flipped bits never cause a panic, a long wait or a large allocation, one at a time or several together.
#[test]
fn files_with_flipped_bits() {
    for_every_sample(|sample, parse| {
        let mut random = Sequence::new(sample.bytes.len() as u64);
        for round in 0..FLIPS {
            let mut bytes = sample.bytes.clone();
            for _ in 0..1 + round % 4 {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
            let start = Instant::now();
            let _ = parse(&bytes);
            within_bounds(sample.name, start);
        }
    });
}

/// Contract: runs of extreme bytes, which turn counts and sizes into the largest and smallest
/// numbers, never cause a panic, a long wait or a large allocation.
#[test]
fn files_with_extreme_bytes() {
    for_every_sample(|sample, parse| {
        for filler in [0x00, 0xff, 0x7f, 0x80, b'9', b'-', b' ', b'/'] {
            for length in [1, 2, 4, 8] {
                for place in 0..sample.bytes.len().saturating_sub(length) {
                    let mut bytes = sample.bytes.clone();
                    bytes[place..place + length].fill(filler);
                    let start = Instant::now();
                    let _ = parse(&bytes);
                    within_bounds(sample.name, start);
                }
            }
        }
    });
}

/// Contract: a compressed file whose content is damaged, with its checksum corrected, is held to
/// the same standard.
#[test]
fn damage_inside_of_compression() {
    let plain =
        bgeo_classic::to_bytes(&particles(), bgeo_classic::Compression::None, Path::new("m"));
    let plain = plain.unwrap();
    for place in 0..plain.len() {
        let mut bytes = plain.clone();
        bytes[place] = !bytes[place];
        let _ = parse_particles(&gzip(&bytes), Format::Bgeo, Path::new("m"));
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn particle_error(format: Format, bytes: &[u8]) -> String {
    let start = Instant::now();
    let error = parse_particles(bytes, format, Path::new("absurd")).unwrap_err();
    within_bounds(format.info().name, start);
    error.to_string()
}

fn mesh_error(format: Format, bytes: &[u8]) -> String {
    let start = Instant::now();
    let error = parse_mesh(bytes, format, Path::new("absurd")).unwrap_err();
    within_bounds(format.info().name, start);
    error.to_string()
}

/// Contract: a count that the file cannot hold is refused by every particle reader, at once and
/// with a message that says so.
#[test]
fn absurd_counts_of_particles() {
    let mut classic =
        bgeo_classic::to_bytes(&particles(), bgeo_classic::Compression::None, Path::new("m"))
            .unwrap();
    classic[9..13].fill(0xff);
    let message = particle_error(Format::Bgeo, &classic);
    assert!(message.contains("the file claims 4294967295 points"), "{message}");
    particle_error(Format::Bgeo, &gzip(&classic));

    for count in ["4000000000", "9223372036854775807"] {
        let ascii = format!(
            "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n"
        );
        let message = particle_error(Format::Ply, ascii.as_bytes());
        assert!(message.contains(&format!("claims {count} elements `vertex`")), "{message}");
        particle_error(Format::Ply, ascii.replace("ascii", "binary_little_endian").as_bytes());
        let vtk = format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS {count} float\n0 0 0\n"
        );
        particle_error(Format::Vtk, vtk.as_bytes());
        particle_error(Format::Vtk, vtk.replace("ASCII", "BINARY").as_bytes());
        let geo = PAGED_GEO.replace("\"pointcount\",5", &format!("\"pointcount\",{count}"));
        let message = particle_error(Format::Geo, geo.as_bytes());
        assert!(message.contains("too few for"), "{message}");
        let vertexless = format!(
            "ply\nformat ascii 1.0\nelement nothing {count}\nelement vertex 0\nend_header\n"
        );
        particle_error(Format::Ply, vertexless.as_bytes());
    }
}

/// Contract: counts inside nested structures are checked the same way: array lengths of binary JSON,
/// shapes of arrays, blocks of compressed data.
#[test]
fn absurd_counts_inside() {
    // An array of 2^63 numbers.
    let mut json = b"\x7fNSJb[\x27\x0apointcount\x40\x19\xf8".to_vec();
    json.extend(u64::MAX.to_le_bytes());
    assert!(particle_error(Format::Bgeo, &json).contains("array elements"));

    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("position.npy", zip::write::SimpleFileOptions::default()).unwrap();
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 3), }\n";
    archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
    archive.write_all(&(text.len() as u16).to_le_bytes()).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    assert!(particle_error(Format::Npz, &bytes).contains("4000000000 rows"));

    let vtu = |compressor: &str, data: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" {compressor}><UnstructuredGrid><Piece><Points><DataArray type=\"Float32\" Name=\"P\" NumberOfComponents=\"3\" format=\"binary\">{data}</DataArray></Points></Piece></UnstructuredGrid></VTKFile>"
        )
    };
    let message = particle_error(
        Format::Prt,
        &samples::prt(u64::MAX / 16, &[("Position", 4, 3, 0)], &[0; 12]),
    );
    assert!(message.contains("bytes in a compressed block"), "{message}");
    let message =
        particle_error(Format::Prt, &samples::prt(u64::MAX, &[("Position", 4, 3, 0)], &[0; 12]));
    assert!(message.contains("did not finish"), "{message}");
    for (components, offset) in [(u32::MAX, 0), (3, u32::MAX), (0, 0)] {
        let channels = [("Position", 4, components, offset)];
        let message = particle_error(Format::Prt, &samples::prt(1, &channels, &[0; 12]));
        assert!(message.contains("channel `Position` has"), "{message}");
    }
    let mut channels = samples::prt_of_krakatoa();
    channels[60..64].fill(0xff);
    assert!(particle_error(Format::Prt, &channels).contains("claims 4294967295 channels"));
    let mut pdb = samples::pdb_of_partio(false, false);
    pdb[16..20].fill(0xff);
    assert!(particle_error(Format::Pdb, &pdb).contains("claims 4294967295 values of channel"));
    pdb[20..24].fill(0xff);
    assert!(particle_error(Format::Pdb, &pdb).contains("claims 4294967295 channels"));

    let npy = |kind: &str, shape: &str| {
        let text = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
        let length = (text.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
    };
    let message = particle_error(Format::Npy, &npy("'<f4'", "(4000000000, 3)"));
    assert!(message.contains("claims 4000000000 rows of the array"), "{message}");
    for (kind, shape) in [
        ("'<f4'", "(0, 4000000000)"),
        ("'<f4'", "(18446744073709551615, 18446744073709551615)"),
        ("'<f4'", "(0, 1000000)"),
        ("[('P', '<f4', (1000000,))]", "(0,)"),
        ("[('P', '<f4', (4000000000, 4000000000))]", "(0,)"),
        ("[('P', '<f4', (3,)), ('gap', '|V4000000000')]", "(0,)"),
        ("[('P', '<f4', (3,))]", "(4000000000,)"),
        ("[]", "(4000000000,)"),
        ("'|O'", "(3,)"),
    ] {
        particle_error(Format::Npy, &npy(kind, shape));
    }
    particle_error(Format::Npy, &npy(&"[".repeat(60_000), "()"));
    let geo = samples::GEO_OF_PARTIO;
    for (count, absurd) in [("NPoints 3", "NPoints"), ("NPointAttrib 3", "NPointAttrib")] {
        let geo = geo.replace(count, &format!("{absurd} 9223372036854775807"));
        let message = particle_error(Format::Geo, geo.as_bytes());
        assert!(message.contains("claims 9223372036854775807"), "{message}");
    }
    particle_error(Format::Geo, geo.replace("id 1 int 0", "id 99999999999 int 0").as_bytes());

    // Sizes of 2^64 - 1 bytes, and of 2^64 - 1 blocks.
    let message = particle_error(Format::Vtu, vtu("", "//////////8=").as_bytes());
    assert!(message.contains("bytes of an array"), "{message}");
    let zlib = "compressor=\"vtkZLibDataCompressor\"";
    let message = particle_error(Format::Vtu, vtu(zlib, &"/".repeat(64)).as_bytes());
    assert!(message.contains("compressed blocks"), "{message}");
}

/// Contract: a count that the file cannot hold is refused by every mesh reader.
#[test]
fn absurd_counts_of_meshes() {
    let mut stl = stl::to_bytes(&mesh(), Path::new("m")).unwrap();
    stl[80..84].fill(0xff);
    assert!(mesh_error(Format::Stl, &stl).contains("4294967295 facets"));
    let ply = TEXT_PLY.replace("element face 2", "element face 99999999999");
    assert!(mesh_error(Format::Ply, ply.as_bytes()).contains("99999999999 elements `face`"));
    let list = TEXT_PLY.replace("\n4 0 1 2 3", "\n255 0 1 2 3");
    assert!(mesh_error(Format::Ply, list.as_bytes()).contains("list"));
    let vtk = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 0 float\n\nPOLYGONS 4000000000 16000000000\n";
    assert!(mesh_error(Format::Vtk, vtk.as_bytes()).contains("claims 16000000000 numbers"));
    for index in ["4000000000", "-4", "0", "99999999999999999999"] {
        let obj = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 {index}\n");
        let message = mesh_error(Format::Obj, obj.as_bytes());
        assert!(message.starts_with("absurd, line 5:"), "{message}");
    }
}

/// Contract: endless nesting does not exhaust the stack, in either form of JSON.
#[test]
fn bottomless_nesting() {
    particle_error(Format::Geo, &vec![b'['; 1 << 20]);
    let mut binary = b"\x7fNSJb".to_vec();
    binary.extend(vec![b'['; 1 << 20]);
    assert!(particle_error(Format::Bgeo, &binary).contains("nested deeper"));
    let map = b"{\x27\x01k".repeat(1 << 18);
    particle_error(Format::Bgeo, &[b"\x7fNSJb", map.as_slice()].concat());
    particle_error(Format::Vtu, "<a>".repeat(1 << 18).as_bytes());
}

/// Contract: a file of a hundred thousand columns is refused instead of being searched
/// quadratically.
#[test]
fn columns_without_end() {
    let names: Vec<String> = (0..100_000).map(|column| format!("c{column}")).collect();
    assert!(particle_error(Format::Csv, names.join(",").as_bytes()).contains("columns"));
    let properties: String = names.iter().map(|name| format!("property char {name}\n")).collect();
    let ply =
        format!("ply\nformat binary_little_endian 1.0\nelement vertex 0\n{properties}end_header\n");
    assert!(particle_error(Format::Ply, ply.as_bytes()).contains("columns"));
}

/// Contract: a glTF document can neither run in circles, nor repeat a mesh until memory is full, nor
/// claim elements that its buffer does not have.
#[test]
fn gltf_without_end() {
    let document = String::from_utf8(gltf::to_gltf(&mesh(), Path::new("m")).unwrap()).unwrap();
    let nodes = |nodes: &str| {
        let changed = document.replace("\"nodes\":[{\"mesh\":0}]", &format!("\"nodes\":[{nodes}]"));
        assert_ne!(changed, document);
        changed
    };
    let message = mesh_error(Format::Gltf, nodes("{\"mesh\":0,\"children\":[0]}").as_bytes());
    assert!(message.contains("node 0 is in the scene twice"), "{message}");
    let message = mesh_error(
        Format::Gltf,
        nodes("{\"children\":[1]},{\"children\":[2]},{\"children\":[1]}").as_bytes(),
    );
    assert!(message.contains("twice"), "{message}");
    for (found, absurd) in [
        ("\"count\":4,", "\"count\":18446744073709551615,"),
        ("\"count\":12,", "\"count\":4000000000,"),
        ("\"byteOffset\":0,", "\"byteOffset\":18446744073709551615,"),
        ("\"bufferView\":0,", "\"bufferView\":77,"),
        ("\"buffer\":0,", "\"buffer\":77,"),
        ("\"mesh\":0", "\"mesh\":77"),
        ("\"POSITION\":0", "\"POSITION\":77"),
    ] {
        let changed = document.replace(found, absurd);
        assert_ne!(changed, document, "{found}");
        mesh_error(Format::Gltf, changed.as_bytes());
    }
    // A small mesh, named by a thousand nodes hundreds of times over.
    let mesh_node = ",{\"mesh\":0}".repeat(50_000);
    let children: Vec<String> = (1..=50_000).map(|node| node.to_string()).collect();
    let many = nodes(&format!("{{\"children\":[{}]}}{mesh_node}", children.join(",")));
    let start = Instant::now();
    let read = parse_mesh(many.as_bytes(), Format::Gltf, Path::new("absurd")).unwrap();
    assert_eq!(read.positions().len(), 200_000);
    within_bounds("gltf", start);
    let mut large = TriMesh::new(vec![Vec3::ZERO; 5_000], vec![[0, 1, 2]; 5_000]).unwrap();
    large.set_attribute("heat", Column::F32(vec![0.0; 5_000])).unwrap();
    let large = String::from_utf8(gltf::to_gltf(&large, Path::new("m")).unwrap()).unwrap();
    let children: Vec<String> = (1..=1000).map(|node| node.to_string()).collect();
    let mesh_node = ",{\"mesh\":0}".repeat(1000);
    let many = format!("\"nodes\":[{{\"children\":[{}]}}{mesh_node}]", children.join(","));
    let bomb = large.replace("\"nodes\":[{\"mesh\":0}]", &many);
    let error = parse_mesh(bomb.as_bytes(), Format::Gltf, Path::new("absurd")).unwrap_err();
    assert!(error.to_string().contains("repeats its meshes"), "{error}");
}

/// Contract: channels of a `.prt` file that share their bytes are refused before they are read, so a small
/// file cannot become many large columns.
#[test]
fn prt_channels_cannot_share_bytes() {
    let records = vec![0; 1 << 20];
    let shared = [("Position", 10, 1 << 20, 0); 200];
    let message = particle_error(Format::Prt, &samples::prt(1, &shared, &records));
    assert!(message.contains("columns"), "{message}");
    let mut shared = vec![("Density", 4, 1, 0); 200];
    shared.push(("Position", 4, 3, 0));
    let message = particle_error(Format::Prt, &samples::prt(1 << 20, &shared, &vec![0; 12 << 20]));
    assert!(message.contains("overlap"), "{message}");
}

/// Contract: attributes of a glTF document that share one accessor are refused before they fill the
/// memory, however many there are.
#[test]
fn gltf_attributes_cannot_share_an_accessor_without_end() {
    let large = TriMesh::new(vec![Vec3::ZERO; 5_000], vec![[0, 1, 2]]).unwrap();
    let large = String::from_utf8(gltf::to_gltf(&large, Path::new("m")).unwrap()).unwrap();
    let with = |attributes: usize| {
        let more: String = (0..attributes).map(|name| format!("\"_A{name}\":0,")).collect();
        let changed = large.replace("\"POSITION\":0", &format!("{more}\"POSITION\":0"));
        assert_ne!(changed, large);
        mesh_error(Format::Gltf, changed.as_bytes())
    };
    let message = with(50_000);
    assert!(message.contains("columns"), "{message}");
    let message = with(4_000);
    assert!(message.contains("repeats its meshes or numbers"), "{message}");
}

/// Contract: the time for a classic `.geo` file does not grow with its length for each attribute.
#[test]
fn geo_attributes_after_a_long_text() {
    let attributes: String = (0..4000).map(|name| format!("a{name} 1 int 0\n")).collect();
    let text = format!(
        "PGEOMETRY V5\nNPoints 0 NPointAttrib 4001 NAttrib 0\nPointAttrib\nlong 1 index 1 \"{}\"\n{attributes}",
        "\n".repeat(8 << 20)
    );
    let start = Instant::now();
    let particles = parse_particles(text.as_bytes(), Format::Geo, Path::new("long")).unwrap();
    assert!(particles.is_empty());
    within_bounds("geo", start);
}
