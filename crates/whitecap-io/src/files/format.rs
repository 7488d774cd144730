//! Which formats there are, what each can hold, and which one a file name asks for.

use std::path::Path;

use crate::Error;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Points with attributes.
    Particles,
    /// Triangles with attributes at their vertices.
    Mesh,
    /// Named grids.
    Volume,
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Houdini `.bgeo`; read in all its forms, written in the classic one.
    Bgeo,
    /// Houdini's binary JSON, which shares the extension of the classic form.
    BgeoJson,
    /// Houdini's text JSON.
    Geo,
    /// VTK's legacy format.
    Vtk,
    /// VTK's XML format for unstructured grids.
    Vtu,
    /// Stanford's polygon format.
    Ply,
    /// Rows of numbers.
    Xyz,
    /// Rows of numbers under a row of names.
    Csv,
    /// A NumPy archive.
    Npz,
    /// A NumPy array.
    Npy,
    /// Krakatoa's particles.
    Prt,
    /// Maya's particles.
    Pdb,
    /// Wavefront's meshes.
    Obj,
    /// Triangles without shared vertices.
    Stl,
    /// Binary glTF.
    Glb,
    /// glTF as JSON.
    Gltf,
    /// OpenVDB's sparse grids.
    Vdb,
}

/// One row of the table of formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Its name, as a `--format` option would take it.
    pub name: &'static str,
    /// The file names it is known by, in lower case and without the first dot. Empty for a form
    /// that must be asked for by name.
    pub extensions: &'static [&'static str],
    /// One line for a help text.
    pub description: &'static str,
    /// What can be read from it.
    pub reads: &'static [Kind],
    /// What can be written to it.
    pub writes: &'static [Kind],
}

/// Every format. The help text, the messages about unknown files and the choice of a reader all
/// come from this table.
pub fn formats() -> &'static [FormatInfo] {
    &FORMATS
}

const BOTH: &[Kind] = &[Kind::Particles, Kind::Mesh];
const PARTICLES: &[Kind] = &[Kind::Particles];
const MESH: &[Kind] = &[Kind::Mesh];
const VOLUME: &[Kind] = &[Kind::Volume];

static FORMATS: [FormatInfo; 17] = [
    row(
        Format::Bgeo,
        "bgeo",
        &["bgeo", "bgeo.gz"],
        "Houdini, SPlisHSPlasH, partio",
        PARTICLES,
        PARTICLES,
    ),
    row(Format::BgeoJson, "bgeo-json", &[], "Houdini's current binary form", PARTICLES, PARTICLES),
    row(Format::Geo, "geo", &["geo", "geo.gz"], "Houdini's text forms", PARTICLES, PARTICLES),
    row(Format::Vtk, "vtk", &["vtk"], "VTK, ParaView (legacy)", BOTH, BOTH),
    row(Format::Vtu, "vtu", &["vtu"], "VTK, ParaView (XML)", BOTH, BOTH),
    row(Format::Ply, "ply", &["ply"], "Stanford polygons", BOTH, BOTH),
    row(Format::Xyz, "xyz", &["xyz"], "rows of numbers", PARTICLES, PARTICLES),
    row(Format::Csv, "csv", &["csv"], "rows of numbers under names", PARTICLES, PARTICLES),
    row(Format::Npz, "npz", &["npz"], "NumPy arrays", PARTICLES, PARTICLES),
    row(Format::Npy, "npy", &["npy"], "one NumPy array", PARTICLES, &[]),
    row(Format::Prt, "prt", &["prt"], "Krakatoa", PARTICLES, &[]),
    row(Format::Pdb, "pdb", &["pdb", "pdb.gz"], "Maya's particle database, partio", PARTICLES, &[]),
    row(Format::Obj, "obj", &["obj"], "Wavefront", MESH, MESH),
    row(Format::Stl, "stl", &["stl"], "triangles for printing", MESH, MESH),
    row(Format::Glb, "glb", &["glb"], "glTF 2.0, binary", MESH, MESH),
    row(Format::Gltf, "gltf", &["gltf"], "glTF 2.0, text", MESH, MESH),
    row(Format::Vdb, "vdb", &["vdb"], "OpenVDB grids", VOLUME, VOLUME),
];

impl FormatInfo {
    /// The row that the extension of a file names.
    pub fn of(path: &Path) -> Option<&'static Self> {
        FORMATS.iter().find(|info| has_extension(path, info.extensions))
    }
}

/// Whether a file has one of these extensions, given in lower case and without the first dot:
/// `ply`, `bgeo.gz`. The file's own may be in any case.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let ends_in = |extension: &str| name.strip_suffix(extension).is_some_and(|s| s.ends_with('.'));
    extensions.iter().any(|extension| ends_in(extension))
}

const fn row(
    format: Format,
    name: &'static str,
    extensions: &'static [&'static str],
    description: &'static str,
    reads: &'static [Kind],
    writes: &'static [Kind],
) -> FormatInfo {
    FormatInfo { format, name, extensions, description, reads, writes }
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Read(Kind),
    Write(Kind),
    Look,
}

impl Action {
    fn fits(self, info: &FormatInfo) -> bool {
        match self {
            Action::Read(kind) => info.reads.contains(&kind),
            Action::Write(kind) => info.writes.contains(&kind),
            Action::Look => !info.reads.is_empty(),
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Action::Read(Kind::Particles) => "reading particles",
            Action::Read(Kind::Mesh) => "reading meshes",
            Action::Read(Kind::Volume) => "reading volumes",
            Action::Write(Kind::Particles) => "writing particles",
            Action::Write(Kind::Mesh) => "writing meshes",
            Action::Write(Kind::Volume) => "writing volumes",
            Action::Look => "reading",
        }
    }
}

impl Format {
    /// The format called `name` in the table.
    pub fn named(name: &str) -> Option<Format> {
        FORMATS.iter().find(|info| info.name == name).map(|info| info.format)
    }

    /// This format's row of the table.
    pub fn info(self) -> &'static FormatInfo {
        // The table has a row for every format; a test walks it.
        FORMATS.iter().find(|info| info.format == self).unwrap_or(&FORMATS[0])
    }

    /// The format of a file name, if it can do what is asked.
    pub(crate) fn of(path: &Path, action: Action) -> Result<Format, Error> {
        if has_extension(path, &["bgeo.sc"]) {
            let message = "Blosc-compressed .bgeo.sc is not read or written; use .bgeo or .bgeo.gz";
            return Err(Error::unsupported(path, message));
        }
        let found = FormatInfo::of(path).filter(|info| action.fits(info));
        let writes = matches!(action, Action::Write(_));
        match found {
            Some(info) => Ok(info.format),
            None if !writes && FormatInfo::of(path).is_none() && !path.exists() => {
                Err(Error::reading(path)(std::io::ErrorKind::NotFound.into()))
            }
            None => Err(unknown(path, action)),
        }
    }

    /// Fails unless the format can do what is asked.
    pub(crate) fn check(self, path: &Path, action: Action) -> Result<(), Error> {
        match action.fits(self.info()) {
            true => Ok(()),
            false => Err(unknown(path, action)),
        }
    }
}

fn unknown(path: &Path, action: Action) -> Error {
    let fitting = FORMATS.iter().filter(|info| action.fits(info));
    let extensions: Vec<String> =
        fitting.flat_map(|info| info.extensions).map(|extension| format!(".{extension}")).collect();
    Error::UnknownFormat {
        path: path.to_path_buf(),
        what: action.in_words(),
        known: extensions.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: every format has a row of its own, found by its name and by each extension.
    #[test]
    fn the_table_is_complete() {
        for info in formats() {
            assert_eq!(Format::named(info.name), Some(info.format));
            assert_eq!(info.format.info(), info);
            for extension in info.extensions {
                let path = format!("A.B.{}", extension.to_uppercase());
                let reads = info.reads.iter().map(|&kind| Action::Read(kind));
                let writes = info.writes.iter().map(|&kind| Action::Write(kind));
                assert!(!info.reads.is_empty() || !info.writes.is_empty());
                for action in reads.chain(writes) {
                    assert_eq!(Format::of(Path::new(&path), action).unwrap(), info.format);
                }
            }
        }
    }

    /// Contract: the error for an unknown or unsuitable extension lists those that would work.
    #[test]
    fn unknown_extensions_name_the_known_ones() {
        let message =
            |name: &str, action| Format::of(Path::new(name), action).unwrap_err().to_string();
        let unfit = message("water.obj", Action::Read(Kind::Particles));
        assert!(
            unfit.contains("reading particles") && unfit.contains(".bgeo, .bgeo.gz"),
            "{unfit}"
        );
        assert!(!unfit.contains(".obj,"), "{unfit}");
        assert!(message("Cargo.toml", Action::Look).contains(".ply"));
        assert!(message("ply", Action::Look).contains("not found"));
        assert!(message("a.bgeo.sc", Action::Look).contains("Blosc"));
    }
}
