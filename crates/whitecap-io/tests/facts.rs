//! What holds for all particles travels with them through every format that has a place for it, where other
//! programs find it too; what cannot be true is left out, with a note.

use std::io::{Cursor, Read};
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Facts, Particles};
use whitecap_io::{Format, Noted, parse_particles_noted, write_particles_as};

/// The formats that have a place for facts.
const HOLD: [Format; 7] = [
    Format::Bgeo,
    Format::BgeoJson,
    Format::Geo,
    Format::Ply,
    Format::Vtk,
    Format::Vtu,
    Format::Npz,
];

fn facts() -> Facts {
    Facts {
        radius: Some(0.02),
        radius_is_estimated: false,
        rest_density: Some(998.2),
        frame_rate: Some(23.976),
        solids: vec!["meshes/rock.ply".into(), "my \"ship\" & <crew> é.####.obj".into()],
    }
}

fn particles(count: usize) -> Particles {
    let mut particles = Particles::new(vec![Vec3::new(1.0, 2.0, 3.0); count]);
    particles.set_attribute("id", Column::I32(vec![7; count])).unwrap();
    *particles.facts_mut() = facts();
    particles
}

fn bytes(particles: &Particles, format: Format) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write_particles_as(&path, format, particles).unwrap();
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8], format: Format) -> Noted<Particles> {
    parse_particles_noted(bytes, format, Path::new("file")).unwrap()
}

/// Contract: facts return as they went, whatever the number of particles. Formats without a place for them
/// lose them silently, and estimates are never written.
#[test]
fn facts_survive_every_format_that_holds_them() {
    for format in HOLD {
        for count in [0, 1, 2, 50] {
            let written = particles(count);
            let found = read(&bytes(&written, format), format);
            assert_eq!(found, Noted::plain(written), "{format:?}, {count} particles");
        }
    }
    for format in [Format::Csv, Format::Xyz] {
        let found = read(&bytes(&particles(2), format), format);
        assert_eq!(found.data.facts(), &Facts::default(), "{format:?}");
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
    let mut guessed = particles(2);
    guessed.facts_mut().radius_is_estimated = true;
    let known = Facts { radius: None, ..facts() };
    for format in HOLD {
        assert_eq!(read(&bytes(&guessed, format), format).data.facts(), &known, "{format:?}");
    }
}

/// Contract: particles of which nothing is known have the bytes that they always had.
#[test]
fn no_facts_take_no_room() {
    let mut plain = particles(2);
    *plain.facts_mut() = Facts::default();
    let words = |format: Format| String::from_utf8_lossy(&bytes(&plain, format)).into_owned();
    assert!(!words(Format::Ply).contains("obj_info"));
    assert!(words(Format::Vtk).contains("DATASET UNSTRUCTURED_GRID\nPOINTS"));
    assert!(!words(Format::Vtu).contains("<FieldData"));
    assert!(!words(Format::Geo).contains("globalattributes"));
}

/// The bytes that follow some text.
fn after<'a>(bytes: &'a [u8], text: &str) -> &'a [u8] {
    let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    &bytes[found.unwrap_or_else(|| panic!("there is no {text:?}")) + text.len()..]
}

/// Contract: another program finds the facts where its format has them, here by hand.
#[test]
fn other_programs_find_the_facts() {
    let ply = String::from_utf8_lossy(&bytes(&particles(2), Format::Ply)).into_owned();
    let info: Vec<&str> = ply.lines().filter(|line| line.starts_with("obj_info ")).collect();
    assert_eq!(
        info[..3],
        ["particle_spacing 0.04", "rest_density 998.2", "frame_rate 23.976"]
            .map(|words| format!("obj_info {words}"))
    );
    assert_eq!(info[3], "obj_info solids meshes/rock.ply");

    let vtk = bytes(&particles(2), Format::Vtk);
    assert_eq!(after(&vtk, "\nframe_rate 1 1 float\n")[..4], 23.976_f32.to_be_bytes());
    assert!(after(&vtk, "unsigned_char\n").starts_with(b"meshes/rock.ply\nmy"));

    let vtu = bytes(&particles(2), Format::Vtu);
    let element = "Name=\"rest_density\" NumberOfTuples=\"1\" format=\"appended\" offset=\"";
    let offset = String::from_utf8_lossy(&after(&vtu, element)[..8]).into_owned();
    let offset: usize = offset.split('"').next().unwrap().parse().unwrap();
    let block = &after(&vtu, "\n_")[offset..];
    assert_eq!(block[..12], [&4_u64.to_le_bytes()[..], &998.2_f32.to_le_bytes()].concat());

    let geo: serde_json::Value =
        serde_json::from_slice(&bytes(&particles(2), Format::Geo)).unwrap();
    let entry = |list: &serde_json::Value, key: &str| {
        let list = list.as_array().unwrap();
        list.chunks(2).find(|pair| pair[0] == key).unwrap_or_else(|| panic!("{key}"))[1].clone()
    };
    let whole = entry(&entry(&geo, "attributes"), "globalattributes");
    assert_eq!(entry(&whole[0][0], "name"), "particle_spacing");
    assert_eq!(entry(&entry(&whole[0][1], "values"), "rawpagedata"), serde_json::json!([0.04]));
    assert_eq!(entry(&whole[3][1], "strings")[0], "meshes/rock.ply");

    let npz = bytes(&particles(2), Format::Npz);
    let mut archive = zip::ZipArchive::new(Cursor::new(npz)).unwrap();
    let mut member = Vec::new();
    archive.by_name("frame_rate.npy").unwrap().read_to_end(&mut member).unwrap();
    assert!(String::from_utf8_lossy(&member).contains("'descr': '<f4'"));
    assert!(String::from_utf8_lossy(&member).contains("'shape': ()"));
    assert!(member.ends_with(&23.976_f32.to_le_bytes()));
}

/// Contract: classic .bgeo has them as attributes of the whole after the points: definitions, then values.
#[test]
fn classic_bgeo_has_attributes_of_the_whole() {
    let mut plain = Vec::new();
    let zipped = bytes(&particles(2), Format::Bgeo);
    flate2::read::GzDecoder::new(&zipped[..]).read_to_end(&mut plain).unwrap();
    assert_eq!(plain[37..41], 4_u32.to_be_bytes(), "the number of attributes of the whole");
    // Two records of four reals and an id.
    let definition = after(&plain, "id\0\u{1}\0\0\0\u{1}\0\0\0\0");
    let mut rest = &definition[2 * 20..];
    let mut take = |count: usize| {
        let (taken, after) = rest.split_at(count);
        rest = after;
        taken.to_vec()
    };
    let number = |bytes: Vec<u8>| bytes.iter().fold(0, |sum, &byte| 256 * sum + usize::from(byte));
    for name in ["particle_spacing", "rest_density", "frame_rate"] {
        let length = number(take(2));
        assert_eq!(take(length), name.as_bytes());
        // One real with a default.
        assert_eq!(take(10), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    assert_eq!(take(8), b"\0\x06solids");
    assert_eq!(take(10), [0, 1, 0, 0, 0, 4, 0, 0, 0, 2]);
    assert_eq!(take(17), b"\0\x0fmeshes/rock.ply");
    let length = number(take(2));
    take(length);
    for value in [0.04_f32, 998.2, 23.976] {
        assert_eq!(take(4), value.to_be_bytes());
    }
    assert_eq!(take(6), [0, 0, 0, 0, 0, 0xff]);
}

/// Contract: numbers that cannot be true and texts that are no names are ignored with a note each; the rest of
/// the file is read.
#[test]
fn nonsense_is_ignored_with_a_note() {
    let lines = "obj_info frame_rate nan\nobj_info rest_density -5\nobj_info particle_spacing 1e38\n\
                 obj_info solids \x1b[2Jrock\nobj_info frame_rate fast\nobj_info author me\n";
    let text = format!(
        "ply\nformat ascii 1.0\n{lines}element vertex 1\nproperty float x\nproperty float y\n\
         property float z\nend_header\n1 2 3\n"
    );
    let found = read(text.as_bytes(), Format::Ply);
    assert_eq!(found.data, Particles::new(vec![Vec3::new(1.0, 2.0, 3.0)]));
    assert_eq!(found.notes.len(), 5, "{:?}", found.notes);
    assert!(found.notes.iter().all(|note| note.ends_with("it is not used")), "{:?}", found.notes);
    assert!(!found.notes.concat().contains('\x1b'), "{:?}", found.notes);

    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nFIELD FieldData 4\n\
                frame_rate 1 2 float\n24 25\nrest_density 1 1 double\n1e300\nTIME 1 1 double\nnan\n\
                solids 1 3 unsigned_char\n114 27 107\nPOINTS 1 float\n1 2 3\n";
    let found = read(text.as_bytes(), Format::Vtk);
    assert_eq!(found.data.facts(), &Facts::default());
    assert_eq!(found.notes.len(), 3, "{:?}", found.notes);
}

/// Contract: attributes of the whole that are cut short or damaged cost the facts, not the particles.
#[test]
fn damaged_facts_leave_the_particles() {
    let mut plain = Vec::new();
    let zipped = bytes(&particles(2), Format::Bgeo);
    flate2::read::GzDecoder::new(&zipped[..]).read_to_end(&mut plain).unwrap();
    let start = plain.len() - after(&plain, "particle_spacing").len();
    for end in start..plain.len() - 2 {
        let found = read(&plain[..end], Format::Bgeo);
        assert_eq!(found.data.len(), 2);
        assert!(!found.notes.is_empty(), "cut at {end}");
    }
    for place in start..plain.len() {
        for value in [0, 0x7f, 0xff] {
            let mut damaged = plain.clone();
            damaged[place] = value;
            assert_eq!(read(&damaged, Format::Bgeo).data.len(), 2, "byte {place}");
        }
    }
}

/// Contract: whatever byte of a file is damaged, and wherever it is cut short, reading it ends with particles or
/// with an error; a file can say the same nonsense any number of times and gets a few notes.
#[test]
fn damaged_files_do_no_harm() {
    for format in HOLD {
        let whole = bytes(&particles(2), format);
        let try_out = |bytes: &[u8]| {
            if let Ok(found) = parse_particles_noted(bytes, format, Path::new("file")) {
                let solids = &found.data.facts().solids;
                assert!(
                    !solids.iter().any(|name| name.chars().any(char::is_control)),
                    "{solids:?}"
                );
            }
        };
        for place in 0..whole.len() {
            try_out(&whole[..place]);
            for value in [0, 9, 27, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[place] = value;
                try_out(&damaged);
            }
        }
    }
    let text = format!(
        "ply\nformat ascii 1.0\n{}element vertex 0\nproperty float x\nproperty float y\n\
         property float z\nend_header\n",
        "obj_info frame_rate 0\n".repeat(10_000)
    );
    let count = read(text.as_bytes(), Format::Ply).notes.len();
    assert!((1..10).contains(&count), "{count} notes");
}

/// Contract: other programs may write facts as integers, and with other white space; a fact in a form that is
/// not read costs the fact, not the particles.
#[test]
fn facts_of_other_programs() {
    let read = |format, text: &str| {
        whitecap_io::parse_particles_noted(text.as_bytes(), format, std::path::Path::new("f"))
            .unwrap()
    };
    let ply = "ply\nformat ascii 1.0\nobj_info frame_rate  24 \nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    let vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nframe_rate 1 1 int\n24\nPOINTS 1 float\n0 0 0\n";
    for (format, text) in [(whitecap_io::Format::Ply, ply), (whitecap_io::Format::Vtk, vtk)] {
        let noted = read(format, text);
        assert_eq!(noted.data.facts().frame_rate, Some(24.0), "{format:?}: {:?}", noted.notes);
    }
    let vtu = "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\"><UnstructuredGrid><FieldData><DataArray type=\"String\" Name=\"solids\" NumberOfTuples=\"1\">1 2</DataArray></FieldData><Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0</DataArray></Points></Piece></UnstructuredGrid></VTKFile>";
    let noted = read(whitecap_io::Format::Vtu, vtu);
    assert_eq!((noted.data.len(), noted.notes.len()), (1, 1), "{:?}", noted.notes);
}
