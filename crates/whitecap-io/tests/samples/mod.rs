//! Small files of formats that are only read, put together byte by byte as their programs do.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::io::Write;
use std::path::Path;

use whitecap_core::{Particles, TriMesh};
use whitecap_io::{Format, parse_mesh, parse_particles};

/// The particles in the bytes of a file.
pub fn particles(format: Format, bytes: impl AsRef<[u8]>) -> Particles {
    parse_particles(bytes.as_ref(), format, Path::new("foreign")).unwrap()
}

/// The mesh in the bytes of a file.
pub fn mesh(format: Format, bytes: impl AsRef<[u8]>) -> TriMesh {
    parse_mesh(bytes.as_ref(), format, Path::new("foreign")).unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A channel of a `.prt` file: name, type, components, offset.
pub type PrtChannel = (&'static str, u32, u32, u32);

/// A `.prt` file of version 1.0.
pub fn prt(count: u64, channels: &[PrtChannel], records: &[u8]) -> Vec<u8> {
    let mut bytes = vec![192, b'P', b'R', b'T', b'\r', b'\n', 26, b'\n'];
    bytes.extend(56_u32.to_le_bytes());
    let mut signature = b"Extensible Particle Format".to_vec();
    signature.resize(32, 0);
    bytes.extend(signature);
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    for number in [4, channels.len() as u32, 44] {
        bytes.extend(number.to_le_bytes());
    }
    for (name, kind, components, offset) in channels {
        let mut name = name.as_bytes().to_vec();
        name.resize(32, 0);
        bytes.extend(name);
        for number in [kind, components, offset] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes.extend(zlib(records));
    bytes
}

/// Three particles as Krakatoa writes them: positions in 32 bits, velocities and a density in 16,
/// identities in 64.
pub fn prt_of_krakatoa() -> Vec<u8> {
    // 0.5, 1, 2, and -2 in 16 bits.
    let halves: [u16; 4] = [0x3800, 0x3c00, 0x4000, 0xc000];
    let mut records = Vec::new();
    for particle in 0..3_u8 {
        for axis in 0..3_u8 {
            records.extend(f32::from(10 * particle + axis).to_le_bytes());
        }
        for half in [halves[0], halves[1], halves[3], halves[2]] {
            records.extend(half.to_le_bytes());
        }
        records.extend((i64::from(particle) + (1 << 40)).to_le_bytes());
    }
    let channels =
        [("Position", 4, 3, 0), ("ID", 2, 1, 20), ("Velocity", 3, 3, 12), ("Density", 3, 1, 18)];
    prt(3, &channels, &records)
}

/// A channel of a `.pdb` file: name, type, and its numbers as 32-bit words.
pub type PdbChannel<'a> = (&'a str, u32, &'a [u32]);

/// A `.pdb` file: with pointers of eight bytes if `wide`, big-endian if `big`.
pub fn pdb(count: u32, channels: &[PdbChannel], wide: bool, big: bool) -> Vec<u8> {
    let word = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let short = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let pointer = vec![0; if wide { 8 } else { 4 }];
    let mut bytes = word(670).to_vec();
    bytes.extend(short(1));
    bytes.extend([0, 0]);
    bytes.extend([1.0_f32.to_bits(), 0, count, channels.len() as u32].map(word).concat());
    bytes.extend([0; 32]);
    bytes.extend(&pointer);
    for (name, kind, numbers) in channels {
        bytes.extend([0, 0]);
        bytes.extend(short(1));
        bytes.extend([0, 0]);
        bytes.extend(&pointer);
        bytes.extend([*kind, 0, 0, count.wrapping_sub(1)].map(word).concat());
        // Two flags, and what makes the next pointer begin at a multiple of its size.
        bytes.extend(vec![0; if wide { 8 } else { 4 }]);
        bytes.extend(pointer.repeat(3));
        bytes.extend(name.as_bytes());
        bytes.push(0);
        let size = (4 * numbers.len() as u32).checked_div(count).unwrap_or(4);
        bytes.extend([*kind, size, count, 1].map(word).concat());
        bytes.extend(&pointer);
        numbers.iter().for_each(|&number| bytes.extend(word(number)));
    }
    bytes
}

/// Two particles as partio writes them.
pub fn pdb_of_partio(wide: bool, big: bool) -> Vec<u8> {
    let positions = [1.0_f32, 2.0, 3.0, -4.0, 5.5, 6.0].map(f32::to_bits);
    let velocities = [0.0_f32, -1.0, 0.0, 0.0, -2.0, 0.25].map(f32::to_bits);
    let radii = [0.1_f32, 0.2].map(f32::to_bits);
    let channels: [PdbChannel; 4] = [
        ("position", 1, &positions),
        ("id", 3, &[7, 9]),
        ("velocity", 1, &velocities),
        ("radiusPP", 2, &radii),
    ];
    pdb(2, &channels, wide, big)
}

/// Three particles as partio writes them in Houdini's classic text form.
pub const GEO_OF_PARTIO: &str = "PGEOMETRY V5
NPoints 3 NPrims 1
NPointGroups 0 NPrimGroups 0
NPointAttrib 3 NVertexAttrib 0 NPrimAttrib 1 NAttrib 0
PointAttrib
id 1 int 0
kind 1 index 2 \"calm \\\"water\\\" (blue)\" spray
v 3 vector 0 0 0
-1 0 -1 1 (0\t1\t1 2e-3 -3)
0 0 -1 1 (4\t0\t0 0 0)
0 0.25 1 1 (-8 1 0 -1 0)
PrimitiveAttrib
generator 1 index 1 papi
Part 3 0 1 2 [0]
beginExtra
endExtra
";

/// Two triangles that share an edge, with another normal and other texture coordinates on each.
pub const SEAM_OBJ: &str = "v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
vt 1 1
vn 0 0 1
vn 0 -1 0
f 1/1/1 2/2/1 3/3/1
f 1/4/2 4/3/2 2/2/2
";
