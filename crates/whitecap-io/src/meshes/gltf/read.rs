//! Reading glTF: the nodes of the scene are visited one after the other, and every primitive with
//! triangles is added to one mesh.

use std::collections::BTreeSet;
use std::path::Path;

use whitecap_core::glam::{Mat3, Mat4, Vec2, Vec3};
use whitecap_core::{Column, TriMesh};

use super::buffers::Buffers;
use super::document::{Document, Primitive};
use super::{GLB_MAGIC, GLB_VERSION};
use crate::attributes::point_table::{self, PointTable};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::inflate;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::{Error, Noted, Place};

const POINTS_AND_LINES: u32 = 3;
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;
/// Extensions that put the geometry where this reader does not look.
const COMPRESSIONS: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Reads a `.glb` or `.gltf` file. Files that it names are looked for in the folder of `path`.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<TriMesh>, Error> {
    let (json, binary) = match bytes.starts_with(GLB_MAGIC) {
        true => chunks(bytes, path)?,
        false => (bytes, None),
    };
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let message = format!("this is not a readable glTF document: {error}");
        Error::malformed(path, Place::File, message)
    })?;
    if !document.asset.version.starts_with("2.") {
        let message = "this is not glTF 2.0, the only version that is read";
        return Err(Error::unsupported(path, message));
    }
    if let Some(name) =
        document.extensions_required.iter().find(|name| COMPRESSIONS.contains(&name.as_str()))
    {
        let message = format!("the geometry is compressed ({name}); export it without compression");
        return Err(Error::unsupported(path, message));
    }
    let mut scene = SceneReader {
        document: &document,
        buffers: Buffers::new(binary, path),
        path,
        bytes: bytes.len(),
        table: PointTable::default(),
        triangles: Vec::new(),
        names: BTreeSet::new(),
        has_points_or_lines: false,
    };
    scene.visit_all()?;
    scene.finish()
}

/// The JSON of a `.glb` file, and the data after it.
fn chunks<'a>(bytes: &'a [u8], path: &'a Path) -> Result<(&'a [u8], Option<&'a [u8]>), Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    reader.take(GLB_MAGIC.len(), "the magic number")?;
    let version = reader.u32("the version")?;
    if version != GLB_VERSION {
        let message = format!("this is version {version} of .glb; only version 2 is read");
        return Err(Error::unsupported(path, message));
    }
    let length = reader.u32("the length of the file")? as usize;
    let mut reader = reader.window(reader.offset(), length).ok_or_else(|| {
        reader.malformed(format!("the file should have {length} bytes; it is cut short"))
    })?;
    let mut chunk = |kind: &[u8; 4]| {
        let length = reader.u32("the length of a chunk")? as usize;
        let found = reader.take(4, "the kind of a chunk")?;
        if found != kind {
            return Err(reader.malformed("this is not the chunk that belongs here"));
        }
        Ok((reader.take(length, "a chunk")?, reader.rest().is_empty()))
    };
    let (json, is_last) = chunk(b"JSON")?;
    let binary = if is_last { None } else { Some(chunk(b"BIN\0")?.0) };
    Ok((json, binary))
}

struct SceneReader<'a> {
    document: &'a Document,
    buffers: Buffers<'a>,
    path: &'a Path,
    /// Size of the file.
    bytes: usize,
    table: PointTable,
    triangles: Vec<[u32; 3]>,
    /// Attributes that any part has.
    names: BTreeSet<String>,
    has_points_or_lines: bool,
}

impl SceneReader<'_> {
    fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, Place::File, message)
    }

    /// Adds what the nodes of the scene hold, parents before children, in the order of the file.
    fn visit_all(&mut self) -> Result<(), Error> {
        let document = self.document;
        let mut waiting: Vec<(usize, Mat4)> =
            self.roots()?.into_iter().rev().map(|node| (node, Mat4::IDENTITY)).collect();
        let mut visited = vec![false; document.nodes.len()];
        while let Some((place, parent)) = waiting.pop() {
            let Some(node) = document.nodes.get(place) else {
                return Err(self.malformed(format!("there is no node {place}")));
            };
            if std::mem::replace(&mut visited[place], true) {
                return Err(self.malformed(format!("node {place} is in the scene twice")));
            }
            let transform = parent * node.transform();
            if let Some(mesh) = node.mesh {
                let Some(mesh) = document.meshes.get(mesh) else {
                    return Err(self.malformed(format!("there is no mesh {mesh}")));
                };
                for primitive in &mesh.primitives {
                    self.add(primitive, transform)?;
                }
            }
            waiting.extend(node.children.iter().rev().map(|&child| (child, transform)));
        }
        Ok(())
    }

    /// The nodes of the scene to show; without a scene, those that are nobody's children.
    fn roots(&self) -> Result<Vec<usize>, Error> {
        let Document { scene, scenes, nodes, .. } = self.document;
        if !scenes.is_empty() {
            let scene = scene.unwrap_or(0);
            let found = scenes.get(scene).map(|scene| scene.nodes.clone());
            return found.ok_or_else(|| self.malformed(format!("there is no scene {scene}")));
        }
        let mut is_child = vec![false; nodes.len()];
        for &child in nodes.iter().flat_map(|node| &node.children) {
            if let Some(slot) = is_child.get_mut(child) {
                *slot = true;
            }
        }
        Ok((0..nodes.len()).filter(|&node| !is_child[node]).collect())
    }

    fn add(&mut self, primitive: &Primitive, transform: Mat4) -> Result<(), Error> {
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        if mode <= POINTS_AND_LINES {
            self.has_points_or_lines = true;
            return Ok(());
        }
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            // The standard allows it, and says that nothing is to be drawn.
            return Ok(());
        };
        point_table::check_column_count(primitive.attributes.len(), self.path)?;
        let mut piece = PointTable::new(self.vectors::<3, _>(positions, Vec3::from_array)?);
        let count = piece.positions.len();
        for (name, &accessor) in &primitive.attributes {
            let Some((name, column)) = self.column(name, accessor, transform)? else { continue };
            if column.len() != count {
                let message = format!("`{name}` has {} values for {count} vertices", column.len());
                return Err(self.malformed(message));
            }
            if self.names.insert(name.clone()) {
                point_table::check_column_count(self.names.len(), self.path)?;
                self.check_size(count)?;
            }
            piece.push_column(name, column);
        }
        let indices = match primitive.indices {
            Some(accessor) => self.indices(accessor, count)?,
            None => (0..count as u32).collect(),
        };
        if transform != Mat4::IDENTITY {
            piece.positions.iter_mut().for_each(|p| *p = transform.transform_point3(*p));
        }
        let before = u32::try_from(self.table.positions.len() + count)
            .map(|after| after - count as u32)
            .map_err(|_| Error::unsupported(self.path, "the scene has 2^32 vertices or more"))?;
        let is_mirrored = transform.determinant() < 0.0;
        let placed = triangles(mode, &indices).map(|[a, b, c]| {
            let [a, b, c] = [a + before, b + before, c + before];
            if is_mirrored { [a, c, b] } else { [a, b, c] }
        });
        self.triangles.extend(placed);
        self.table.append(piece);
        self.check_size(0)
    }

    /// Refuses a scene that repeats its meshes or its numbers until they fill the memory; `more`
    /// vertices are still to be added.
    fn check_size(&self, more: usize) -> Result<(), Error> {
        let numbers = 12 * (self.table.positions.len() + more) * (1 + self.names.len());
        let size = (numbers + 12 * self.triangles.len()) as u64;
        match size <= inflate::inflated_limit(self.bytes + self.buffers.outside()) {
            true => Ok(()),
            false => Err(Error::unsupported(
                self.path,
                "the scene repeats its meshes or numbers to hundreds of times the size of the file",
            )),
        }
    }

    /// Our name and values of an attribute; `None` for one that is not read.
    fn column(
        &mut self,
        name: &str,
        accessor: usize,
        transform: Mat4,
    ) -> Result<Option<(String, Column)>, Error> {
        let linear = Mat3::from_mat4(transform);
        let is_placed = transform != Mat4::IDENTITY;
        Ok(Some(match name {
            "NORMAL" => {
                let mut normals = self.vectors::<3, _>(accessor, Vec3::from_array)?;
                if is_placed {
                    let turned = linear.inverse().transpose();
                    normals.iter_mut().for_each(|n| *n = (turned * *n).normalize_or_zero());
                }
                (String::from("normal"), Column::Vec3(normals))
            }
            "TEXCOORD_0" => {
                let uv = self.vectors::<2, _>(accessor, |[u, v]| Vec2::new(u, 1.0 - v))?;
                (String::from("uv"), Column::Vec2(uv))
            }
            "COLOR_0" => (String::from("color"), self.any_column(accessor)?),
            _ => {
                let Some(name) = name.strip_prefix('_').filter(|name| !name.is_empty()) else {
                    return Ok(None);
                };
                let name = name.to_lowercase();
                let mut column = self.any_column(accessor)?;
                if let ("velocity", Column::Vec3(values), true) =
                    (name.as_str(), &mut column, is_placed)
                {
                    values.iter_mut().for_each(|v| *v = linear * *v);
                }
                (name, column)
            }
        }))
    }

    fn any_column(&mut self, accessor: usize) -> Result<Column, Error> {
        use whitecap_core::glam::Vec4;
        let (values, components) = self.reals(accessor)?;
        let column = match components {
            1 => Column::F32(values),
            2 => Column::Vec2(values.chunks_exact(2).map(Vec2::from_slice).collect()),
            3 => Column::Vec3(values.chunks_exact(3).map(Vec3::from_slice).collect()),
            _ => Column::Vec4(values.chunks_exact(4).map(Vec4::from_slice).collect()),
        };
        Ok(column)
    }

    fn vectors<const N: usize, T>(
        &mut self,
        accessor: usize,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Error> {
        let (values, components) = self.reals(accessor)?;
        if components != N {
            let message = format!("accessor {accessor} has {components} components, not {N}");
            return Err(self.malformed(message));
        }
        Ok(values.as_chunks::<N>().0.iter().map(|&numbers| make(numbers)).collect())
    }

    /// The numbers of an accessor as reals; normalized integers become 0 to 1 or -1 to 1.
    fn reals(&mut self, accessor: usize) -> Result<(Vec<f32>, usize), Error> {
        let (values, components, scalar) = self.numbers(accessor)?;
        let mut reals = values.into_floats();
        let largest = match scalar {
            ScalarType::I8 => 127.0,
            ScalarType::U8 => 255.0,
            ScalarType::I16 => 32767.0,
            ScalarType::U16 => 65535.0,
            _ => 1.0,
        };
        if self.document.accessors[accessor].normalized && largest > 1.0 {
            reals.iter_mut().for_each(|real| *real = (*real / largest).max(-1.0));
        }
        Ok((reals, components))
    }

    fn indices(&mut self, accessor: usize, count: usize) -> Result<Vec<u32>, Error> {
        let (values, components, scalar) = self.numbers(accessor)?;
        let indices: Vec<u32> = match values {
            _ if components != 1 || scalar.is_real() => {
                return Err(self.malformed(format!("accessor {accessor} does not hold indices")));
            }
            // What is not an index of 32 bits is an index of no vertex.
            Values::I32(values) => {
                values.into_iter().map(|v| u32::try_from(v).unwrap_or(u32::MAX)).collect()
            }
            Values::I64(values) => {
                values.into_iter().map(|v| u32::try_from(v).unwrap_or(u32::MAX)).collect()
            }
            Values::F32(_) => Vec::new(),
        };
        match indices.iter().find(|&&index| index as usize >= count) {
            None => Ok(indices),
            Some(index) => {
                let message = format!("index {index} is beyond the {count} vertices of a mesh");
                Err(self.malformed(message))
            }
        }
    }

    /// The numbers of an accessor as they are stored.
    fn numbers(&mut self, accessor: usize) -> Result<(Values, usize, ScalarType), Error> {
        let path = self.path;
        let wrong = |message: &str| {
            Error::malformed(path, Place::File, format!("accessor {accessor} {message}"))
        };
        let found = self.document.accessors.get(accessor);
        let found = found.ok_or_else(|| wrong("does not exist"))?;
        let scalar = scalar_type(found.component_type).ok_or_else(|| wrong("has no known type"))?;
        let shapes = ["SCALAR", "VEC2", "VEC3", "VEC4"];
        let components = shapes.iter().position(|shape| *shape == found.shape).map(|p| p + 1);
        let components = components.ok_or_else(|| wrong("is neither a number nor a vector"))?;
        let Some(view) = found.buffer_view.filter(|_| found.sparse.is_none()) else {
            let message = format!("accessor {accessor} is sparse, which is not read");
            return Err(Error::unsupported(path, message));
        };
        let (bytes, stride) = self.buffers.view(self.document, view)?;
        let bytes = bytes
            .get(found.byte_offset..)
            .ok_or_else(|| wrong("begins past the end of its bufferView"))?;
        let element = components * scalar.size();
        let stride = stride.unwrap_or(element);
        if stride < element {
            return Err(wrong("has elements that overlap"));
        }
        // The last element needs no room for what lies between elements.
        let room = bytes.len().checked_sub(element).map_or(0, |rest| rest / stride + 1);
        let count = match usize::try_from(found.count) {
            Ok(count) if count <= room => count,
            _ => {
                return Err(Error::AbsurdCount {
                    path: path.to_path_buf(),
                    place: Place::File,
                    what: format!("elements of accessor {accessor}"),
                    count: found.count,
                    room: room as u64,
                });
            }
        };
        let layout = Layout { offset: 0, stride, components, count };
        let values = decode(scalar, Endian::Little, bytes, layout).map_err(|m| wrong(&m))?;
        Ok((values, components, scalar))
    }

    fn finish(self) -> Result<Noted<TriMesh>, Error> {
        let mut notes = Vec::new();
        let lost: Vec<String> = self
            .names
            .iter()
            .filter(|name| !self.table.has_column(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !lost.is_empty() {
            notes.push(format!(
                "not every mesh of the scene has {}, so it is left out",
                lost.join(" and ")
            ));
        }
        if self.has_points_or_lines {
            notes.push(String::from("points and lines of the scene are left out"));
        }
        let twins = twins(&self.table.positions);
        if twins > 0 {
            notes.push(format!(
                "{twins} vertices lie exactly on another one, as glTF stores seams of normals and \
                 texture coordinates; the mesh is not joined there"
            ));
        }
        let data = self.table.into_mesh(self.triangles, self.path)?;
        Ok(Noted { data, notes })
    }
}

/// The triangles of a primitive.
fn triangles(mode: u32, indices: &[u32]) -> Box<dyn Iterator<Item = [u32; 3]> + '_> {
    match mode {
        STRIP => Box::new(indices.windows(3).enumerate().map(|(place, corners)| match place % 2 {
            0 => [corners[0], corners[1], corners[2]],
            _ => [corners[1], corners[0], corners[2]],
        })),
        FAN => Box::new(
            indices
                .get(1..)
                .unwrap_or_default()
                .windows(2)
                .map(|pair| [indices[0], pair[0], pair[1]]),
        ),
        _ => Box::new(indices.as_chunks::<3>().0.iter().copied()),
    }
}

/// How many positions are the same as an earlier one.
fn twins(positions: &[Vec3]) -> usize {
    let mut keys: Vec<[u32; 3]> =
        positions.iter().map(|p| (*p + Vec3::ZERO).to_array().map(f32::to_bits)).collect();
    keys.sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

fn scalar_type(component_type: u32) -> Option<ScalarType> {
    Some(match component_type {
        5120 => ScalarType::I8,
        5121 => ScalarType::U8,
        5122 => ScalarType::I16,
        5123 => ScalarType::U16,
        5125 => ScalarType::U32,
        5126 => ScalarType::F32,
        _ => return None,
    })
}
