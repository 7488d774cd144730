//! Particles in text files, as other programs and people write them.

mod samples;

use std::path::Path;

use samples::particles;
use whitecap_core::Column;
use whitecap_core::glam::Vec3;
use whitecap_io::{Format, parse_particles, parse_particles_noted};

/// Contract: CSV accepts other separators, quoted names and other programs' names, and says which line
/// and column is wrong.
#[test]
fn csv_dialects() {
    let text = "\u{feff}\"X\";\"Y\";\"Z\";\"velocity:0\";\"velocity:1\";\"velocity:2\";radius;id\r\n1;2;3;4;5;6;1;9\r\n\r\n1.5;2;3;0;0;0;2;8\r\n";
    let read = particles(Format::Csv, text);
    assert_eq!(read.positions(), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.5, 2.0, 3.0)]);
    assert_eq!(read.velocities().unwrap()[0], Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(read.radii().unwrap(), [1.0, 2.0]);
    assert_eq!(read.ids().unwrap(), [9, 8]);
    let paraview = particles(Format::Csv, "\"Points:0\",\"Points:1\",\"Points:2\"\n1,2,3\n");
    assert_eq!(paraview.positions(), [Vec3::new(1.0, 2.0, 3.0)]);
    let wrong = |text: &str| {
        parse_particles(text.as_bytes(), Format::Csv, Path::new("p.csv")).unwrap_err().to_string()
    };
    assert_eq!(
        wrong("x,y,z\n1,2,3\n1,oh,3\n"),
        "p.csv, line 3: `oh` in column `y` is not a number"
    );
    assert!(wrong("x,y,z\n1,2\n").contains("line 2: the row has 2 numbers where 3"));
    assert!(wrong("a,b\n1,2\n").contains("x, y and z"));
}

/// Contract: a CSV file without names is read as positions, then velocities, and a note says so; a
/// comment can name its columns; spaces separate as well.
#[test]
fn csv_without_names() {
    let read = |text: &str| {
        parse_particles_noted(text.as_bytes(), Format::Csv, Path::new("p.csv")).unwrap()
    };
    let one = [Vec3::new(1.0, 2.5, -3.0)];
    let bare = read("1,2.5,-3e0\n");
    assert_eq!(bare.data.positions(), one);
    assert_eq!(bare.notes.len(), 1);
    assert!(bare.notes[0].contains("the columns are taken as x, y, z; if"), "{:?}", bare.notes);
    let moving = read("1;2.5;-3;4;5;6;7\n1;2;3;0;0;0;8\n");
    assert_eq!(moving.data.positions()[0], one[0]);
    assert_eq!(moving.data.velocities().unwrap()[0], Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(moving.data.attribute("column_7"), Some(&Column::I32(vec![7, 8])));
    assert!(
        moving.notes[0].contains("x, y, z, then vx, vy, vz; the last column is called column_7")
    );
    let spaced = read("1.000000e+00 2.500000e+00  -3.000000e+00\n");
    assert_eq!((spaced.data.positions(), spaced.notes.len()), (&one[..], 1));
    for named in [
        "# made by hand\n# x,y,z,radius\n1,2.5,-3,0.5\n# the end\n",
        "#x y z radius\n1 2.5 -3 0.5\n",
        "# a comment\nx;y;z;radius\n1;2.5;-3;0.5\n",
    ] {
        let named = read(named);
        assert_eq!((named.data.positions(), named.notes.len()), (&one[..], 0));
        assert_eq!(named.data.radii().unwrap(), [0.5]);
    }
    assert_eq!(read("# x,y,z\n").data.len(), 0);
}

/// Contract: the ways in which Houdini, ParaView and Blender name the parts of vectors are
/// understood, and a file without positions is refused with the columns that it has.
#[test]
fn csv_names_of_other_programs() {
    let one = [Vec3::new(1.0, 2.0, 3.0)];
    for (names, velocity) in [
        ("P[x],P[y],P[z],v[x],v[y],v[z]", true),
        ("P[0],P[1],P[2],v[0],v[1],v[2]", true),
        ("P.x,P.y,P.z,v.x,v.y,v.z", true),
        ("Points:0,Points:1,Points:2,Velocity:0,Velocity:1,Velocity:2", true),
        (
            "\"Points_0\",\"Points_1\",\"Points_2\",\"Velocity_0\",\"Velocity_1\",\"Velocity_2\"",
            true,
        ),
        ("position_x,position_y,position_z,vel_x,vel_y,vel_z", true),
        ("Position_X,Position_Y,Position_Z,layer_0,layer_1,layer_2", false),
        ("P[x],P[y],P[z],P[w],heat,cold", false),
    ] {
        let read = particles(Format::Csv, format!("{names}\n1,2,3,4,5,6\n"));
        assert_eq!(read.positions(), one, "{names}");
        let found = read.velocities().map(|found| found[0]);
        assert_eq!(found, velocity.then_some(Vec3::new(4.0, 5.0, 6.0)), "{names}");
    }
    let kept = particles(Format::Csv, "x,y,z,layer_0,layer_1\n1,2,3,4,5\n");
    assert_eq!(kept.attribute("layer_1"), Some(&Column::I32(vec![5])));
    let wrong = |text: &str| {
        parse_particles(text.as_bytes(), Format::Csv, Path::new("p.csv")).unwrap_err().to_string()
    };
    let message = wrong("time,mass,x,y\n1,2,3,4\n");
    assert!(message.ends_with("the columns are `time`, `mass`, `x`, `y`"), "{message}");
    let many: Vec<String> = (0..100).map(|column| format!("c{column}")).collect();
    assert!(wrong(&many.join(",")).ends_with("`c19` and 80 more"));
}

/// Contract: XYZ is read plain, with further columns, with a comment that names them, and as
/// chemistry writes it.
#[test]
fn xyz_dialects() {
    let one = [Vec3::new(1.0, 2.0, 3.0)];
    assert_eq!(particles(Format::Xyz, "1 2 3\n").positions(), one);
    let named = particles(Format::Xyz, "# x y z vx vy vz\n1\t2\t3 4 5 6\n");
    assert_eq!(named.velocities().unwrap(), [Vec3::new(4.0, 5.0, 6.0)]);
    let extra = particles(Format::Xyz, "1 2 3 0.5\n4 5 6 0.7\n");
    assert_eq!(extra.attribute("column_4"), Some(&Column::F32(vec![0.5, 0.7])));
    for water in ["2\nwater molecule, part\nO 1 2 3\nH 4 5 6\n", "2\n\n1 2 3\n4 5 6\n"] {
        let read = particles(Format::Xyz, water);
        assert_eq!(read.positions(), [one[0], Vec3::new(4.0, 5.0, 6.0)], "{water}");
    }
}

/// Contract: tables as pandas and spreadsheets write them are read: columns of texts are left out with a
/// note, truths are 1 and 0, a column of row numbers without a name is `index`, separators in quotes do not
/// separate, and a comma at the end of every row is no column.
#[test]
fn csv_of_tables() {
    let read = |text: &str| {
        parse_particles_noted(text.as_bytes(), Format::Csv, Path::new("p.csv")).unwrap()
    };
    let table = read(",x,y,z,name,alive\n0,1,2,3,\"a, b\",True\n1,4,5,6,c,False\n");
    assert_eq!(table.data.positions()[1], Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(table.data.attribute("index"), Some(&Column::I32(vec![0, 1])));
    assert_eq!(table.data.attribute("alive"), Some(&Column::I32(vec![1, 0])));
    assert!(table.data.attribute("name").is_none());
    assert_eq!(table.notes, ["the column `name` holds no numbers and is left out"]);
    let trailing = read("x,y,z,\n1,2,3,\n4,5,6,\n");
    assert_eq!((trailing.data.len(), trailing.data.attributes().iter().count()), (2, 0));
}

/// Contract: what cannot be read is told with its cause: an empty cell, a decimal comma, two columns of one
/// name, text in UTF-16.
#[test]
fn csv_mistakes_are_told() {
    let wrong = |bytes: &[u8]| {
        parse_particles(bytes, Format::Csv, Path::new("p.csv")).unwrap_err().to_string()
    };
    for (text, told) in [
        (&b"x,y,z\n1,,3\n"[..], "line 2: column `y` is empty in this row"),
        (b"x;y;z\n1;2,5;3\n", "`2,5` in column `y` is not a number; decimals need a point"),
        (b"x,y,z\n1,\"2,5\",3\n", "`2,5` in column `y` is not a number; decimals need a point"),
        (b"x,y,z,x\n1,2,3,4\n", "there are two columns `x`; rename one"),
        (b"\xff\xfex\0,\0y\0", "this is text in UTF-16; save it as UTF-8"),
        (b"x,y,z,a\n1,2,3,4\n1,2,3,b\n", "line 3: `b` in column `a` is not a number"),
    ] {
        assert!(wrong(text).contains(told), "{}", wrong(text));
    }
}

/// Contract: a scalar called like a coordinate does not become one when it is written.
#[test]
fn a_scalar_called_x_is_no_coordinate() {
    let mut particles = whitecap_core::Particles::new(vec![Vec3::ONE]);
    particles.set_attribute("x", Column::F32(vec![7.0])).unwrap();
    let bytes = whitecap_io::particle_bytes(Path::new("p.csv"), &particles).unwrap();
    let read = parse_particles(&bytes, Format::Csv, Path::new("p.csv")).unwrap();
    assert_eq!(read.positions(), [Vec3::ONE]);
    assert_eq!(read.attribute("x_value"), Some(&Column::F32(vec![7.0])));
}

/// Contract: a text column of an XYZ file is left out with a note, and an empty cell in the first row of a CSV
/// table is told like any other: the column is not lost.
#[test]
fn nothing_is_left_out_in_silence() {
    let noted =
        parse_particles_noted(b"1 2 3 Fe\n4 5 6 O\n", Format::Xyz, Path::new("p.xyz")).unwrap();
    assert_eq!((noted.data.len(), noted.data.attributes().iter().count()), (2, 0));
    assert_eq!(noted.notes, ["the column `column_4` holds no numbers and is left out"]);
    let empty = parse_particles(b"x,y,z,t\n1,2,3,\n", Format::Csv, Path::new("p.csv"));
    assert!(empty.unwrap_err().to_string().contains("line 2: column `t` is empty in this row"));
}
