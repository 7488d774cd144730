//! Reading and writing by file name.

use std::path::Path;

use whitecap_core::{Particles, TriMesh};

use crate::files::format::Action;
use crate::{
    Error, Format, Kind, Noted, atomic, bgeo_classic, encoding::inflate, geo_classic, gltf,
    has_extension, houdini_json, npy_file, npz, obj, pdb, plain, ply, prt, stl, text_points,
    vtk_legacy, vtu,
};

/// Reads particles; the extension decides the format. A mesh gives its vertices.
pub fn read_particles(path: impl AsRef<Path>) -> Result<Particles, Error> {
    Ok(read_particles_noted(path)?.data)
}

/// Reads particles, with what the user should know about the file.
pub fn read_particles_noted(path: impl AsRef<Path>) -> Result<Noted<Particles>, Error> {
    let path = path.as_ref();
    let format = Format::of(path, Action::Read(Kind::Particles))?;
    parse_particles_noted(&plain::read_named(path).map_err(Error::reading(path))?, format, path)
}

/// Reads a mesh; the extension decides the format. Polygons become triangles.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriMesh, Error> {
    Ok(read_mesh_noted(path)?.data)
}

/// Reads a mesh, with what the user should know about the file.
pub fn read_mesh_noted(path: impl AsRef<Path>) -> Result<Noted<TriMesh>, Error> {
    let path = path.as_ref();
    let format = Format::of(path, Action::Read(Kind::Mesh))?;
    parse_mesh_noted(&plain::read_named(path).map_err(Error::reading(path))?, format, path)
}

/// Writes particles; the extension decides the format.
pub fn write_particles(path: impl AsRef<Path>, particles: &Particles) -> Result<(), Error> {
    let path = path.as_ref();
    let format = Format::of(path, Action::Write(Kind::Particles))?;
    write_particles_as(path, format, particles)
}

/// Writes a mesh; the extension decides the format.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), Error> {
    let path = path.as_ref();
    write_mesh_as(path, Format::of(path, Action::Write(Kind::Mesh))?, mesh)
}

/// Writes particles in a given format, whatever the extension; a name that ends in `.gz` is
/// compressed where the format allows.
pub fn write_particles_as(
    path: impl AsRef<Path>,
    format: Format,
    particles: &Particles,
) -> Result<(), Error> {
    let path = path.as_ref();
    atomic::write(path, &particle_bytes_as(path, format, particles)?)
}

/// The bytes that [`write_particles`] would write.
pub fn particle_bytes(path: &Path, particles: &Particles) -> Result<Vec<u8>, Error> {
    particle_bytes_as(path, Format::of(path, Action::Write(Kind::Particles))?, particles)
}

fn particle_bytes_as(path: &Path, format: Format, particles: &Particles) -> Result<Vec<u8>, Error> {
    format.check(path, Action::Write(Kind::Particles))?;
    let json = |encoding| {
        let bytes = houdini_json::to_bytes(particles, encoding, path)?;
        match has_extension(path, &["gz"]) {
            true => inflate::to_gzip(&bytes, path),
            false => Ok(bytes),
        }
    };
    match format {
        Format::Bgeo => {
            bgeo_classic::to_bytes(particles, bgeo_classic::Compression::default(), path)
        }
        Format::BgeoJson => json(houdini_json::Encoding::Binary),
        Format::Geo => json(houdini_json::Encoding::Text),
        Format::Vtk => vtk_legacy::particles_to_bytes(particles, path),
        Format::Vtu => Ok(vtu::particles_to_bytes(particles, vtu::Encoding::default())),
        Format::Ply => ply::particles_to_bytes(particles, path),
        Format::Xyz => Ok(text_points::to_xyz(particles)),
        Format::Csv => Ok(text_points::to_csv(particles)),
        Format::Npz => npz::to_bytes(particles, npz::Compression::default(), path),
        _ => unreachable!("the table of formats lets no particles through to {format:?}"),
    }
}

/// Writes a mesh in a given format, whatever the extension.
pub fn write_mesh_as(path: impl AsRef<Path>, format: Format, mesh: &TriMesh) -> Result<(), Error> {
    let path = path.as_ref();
    atomic::write(path, &mesh_bytes_as(path, format, mesh)?)
}

/// The bytes that [`write_mesh`] would write.
pub fn mesh_bytes(path: &Path, mesh: &TriMesh) -> Result<Vec<u8>, Error> {
    mesh_bytes_as(path, Format::of(path, Action::Write(Kind::Mesh))?, mesh)
}

fn mesh_bytes_as(path: &Path, format: Format, mesh: &TriMesh) -> Result<Vec<u8>, Error> {
    format.check(path, Action::Write(Kind::Mesh))?;
    match format {
        Format::Vtk => vtk_legacy::mesh_to_bytes(mesh, path),
        Format::Vtu => Ok(vtu::mesh_to_bytes(mesh, vtu::Encoding::default())),
        Format::Ply => ply::mesh_to_bytes(mesh, path),
        Format::Obj => Ok(obj::to_bytes(mesh)),
        Format::Stl => stl::to_bytes(mesh, path),
        Format::Glb => gltf::to_glb(mesh, path),
        Format::Gltf => gltf::to_gltf(mesh, path),
        _ => unreachable!("the table of formats lets no mesh through to {format:?}"),
    }
}

/// Particles from the bytes of a file. `path` is for messages.
pub fn parse_particles(bytes: &[u8], format: Format, path: &Path) -> Result<Particles, Error> {
    Ok(parse_particles_noted(bytes, format, path)?.data)
}

/// Particles from the bytes of a file, with what the user should know. `path` is for messages.
pub fn parse_particles_noted(
    bytes: &[u8],
    format: Format,
    path: &Path,
) -> Result<Noted<Particles>, Error> {
    format.check(path, Action::Read(Kind::Particles))?;
    match format {
        Format::Csv => text_points::parse_csv(bytes, path),
        Format::Npy => npy_file::parse(bytes, path),
        Format::Bgeo | Format::BgeoJson | Format::Geo => parse_houdini(bytes, path),
        Format::Vtk => vtk_legacy::parse_particles(bytes, path),
        Format::Vtu => vtu::parse_particles(bytes, path),
        Format::Ply => ply::parse_particles(bytes, path),
        Format::Npz => npz::parse(bytes, path),
        Format::Xyz => text_points::parse_xyz(bytes, path),
        Format::Prt => prt::parse(bytes, path).map(Noted::plain),
        Format::Pdb => pdb::parse(bytes, path).map(Noted::plain),
        _ => unreachable!("the table of formats lets no particles through to {format:?}"),
    }
}

/// A mesh from the bytes of a file. `path` is for messages; a `.gltf` file can name others in its
/// folder.
pub fn parse_mesh(bytes: &[u8], format: Format, path: &Path) -> Result<TriMesh, Error> {
    Ok(parse_mesh_noted(bytes, format, path)?.data)
}

/// A mesh from the bytes of a file, with what the user should know. `path` is for messages.
pub fn parse_mesh_noted(
    bytes: &[u8],
    format: Format,
    path: &Path,
) -> Result<Noted<TriMesh>, Error> {
    format.check(path, Action::Read(Kind::Mesh))?;
    let mesh = match format {
        Format::Vtk => vtk_legacy::parse_mesh(bytes, path),
        Format::Vtu => vtu::parse_mesh(bytes, path),
        Format::Ply => return ply::parse_mesh(bytes, path),
        Format::Obj => return obj::parse(bytes, path),
        Format::Glb | Format::Gltf => return gltf::parse(bytes, path),
        Format::Stl => stl::parse(bytes, path),
        _ => unreachable!("the table of formats lets no mesh through to {format:?}"),
    };
    mesh.map(Noted::plain)
}

/// Houdini's four forms share their extensions, so the first bytes decide, after decompression.
fn parse_houdini(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    let beginning = match inflate::is_gzip(bytes) {
        true => inflate::gzip_beginning(bytes, 64),
        false => bytes[..bytes.len().min(64)].to_vec(),
    };
    if bgeo_classic::is_classic(&beginning) {
        bgeo_classic::parse(bytes, path)
    } else if geo_classic::is_classic(&beginning) {
        geo_classic::parse(bytes, path).map(Noted::plain)
    } else if houdini_json::is_json(&beginning) {
        houdini_json::parse(bytes, path)
    } else if beginning.starts_with(b"scf1") {
        let message = "this is a Blosc-compressed .bgeo.sc file; save it as .bgeo or .bgeo.gz";
        Err(Error::unsupported(path, message))
    } else {
        let message = "this is not Houdini geometry: it begins neither with `BgeoV` or `PGEOMETRY` nor as text or binary JSON";
        Err(Error::malformed(path, crate::Place::Offset(0), message))
    }
}

/// What a file holds. Files whose format can hold both particles and meshes are examined.
pub fn kind_of(path: impl AsRef<Path>) -> Result<Kind, Error> {
    let path = path.as_ref();
    let format = Format::of(path, Action::Look)?;
    if let [kind] = format.info().reads {
        return Ok(*kind);
    }
    let bytes = plain::read_named(path).map_err(Error::reading(path))?;
    match format {
        Format::Vtk => vtk_legacy::kind(&bytes, path),
        Format::Vtu => vtu::kind(&bytes, path),
        _ => ply::kind(&bytes, path),
    }
}
