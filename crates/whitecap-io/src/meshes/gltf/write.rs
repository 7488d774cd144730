//! Writing glTF: one mesh, one node, one buffer.

use std::path::Path;

use serde_json::{Map, Value, json};
use whitecap_core::glam::{Vec2, Vec3, Vec4};
use whitecap_core::{Column, TriMesh};

use super::{GLB_MAGIC, GLB_VERSION};
use crate::{Error, encoding::base64};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTEX_DATA: u32 = 34962;
const INDEX_DATA: u32 = 34963;

/// A `.glb` file that holds `mesh`. `path` is for messages.
pub fn to_glb(mesh: &TriMesh, path: &Path) -> Result<Vec<u8>, Error> {
    let scene = Scene::new(mesh, path)?;
    let mut json = scene.json(None).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunks = match scene.data.is_empty() {
        true => vec![(b"JSON", json)],
        false => vec![(b"JSON", json), (b"BIN\0", scene.data)],
    };
    let length = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let length = u32::try_from(length)
        .map_err(|_| Error::unwritable(path, "a .glb file holds at most 4 GiB; write .ply"))?;
    let mut bytes = GLB_MAGIC.to_vec();
    bytes.extend(GLB_VERSION.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    for (kind, chunk) in chunks {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    Ok(bytes)
}

/// A `.gltf` file that holds `mesh`, its data inside as base64. `path` is for messages.
pub fn to_gltf(mesh: &TriMesh, path: &Path) -> Result<Vec<u8>, Error> {
    let scene = Scene::new(mesh, path)?;
    let mut uri = b"data:application/octet-stream;base64,".to_vec();
    base64::encode(&scene.data, &mut uri);
    let uri = uri.into_iter().map(char::from).collect();
    Ok(scene.json(Some(uri)).to_string().into_bytes())
}

/// The parts of a glTF document that grow while a mesh is added.
struct Scene {
    data: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    attributes: Map<String, Value>,
}

impl Scene {
    fn new(mesh: &TriMesh, path: &Path) -> Result<Self, Error> {
        let mut scene = Self {
            data: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            attributes: Map::new(),
        };
        // The standard allows no empty arrays, so an empty mesh is an empty scene.
        if mesh.triangles().is_empty() {
            return Ok(scene);
        }
        check_finite(mesh, path)?;
        let bounds = mesh.bounds();
        scene.add_vertices("POSITION", mesh.positions(), |p| p.to_array());
        scene.accessors[0]["min"] = json!(bounds.min.to_array());
        scene.accessors[0]["max"] = json!(bounds.max.to_array());
        for (name, column) in mesh.attributes().iter() {
            scene.add_column(name, column);
        }
        let indices = mesh.triangles().as_flattened();
        let view = scene.add_view(indices.iter().flat_map(|i| i.to_le_bytes()), INDEX_DATA);
        scene.accessors.push(json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": indices.len(), "type": "SCALAR",
        }));
        Ok(scene)
    }

    fn add_column(&mut self, name: &str, column: &Column) {
        let custom = format!("_{}", name.to_uppercase());
        match (name, column) {
            ("normal", Column::Vec3(values)) => {
                self.add_vertices("NORMAL", values, |n| n.normalize_or(Vec3::Y).to_array());
            }
            ("uv", Column::Vec2(values)) => {
                self.add_vertices("TEXCOORD_0", values, |uv| [uv.x, 1.0 - uv.y]);
            }
            ("color", Column::Vec3(values)) => {
                self.add_vertices("COLOR_0", values, |c| c.clamp(Vec3::ZERO, Vec3::ONE).to_array());
            }
            ("color", Column::Vec4(values)) => {
                self.add_vertices("COLOR_0", values, |c| c.clamp(Vec4::ZERO, Vec4::ONE).to_array());
            }
            (_, Column::F32(values)) => self.add_vertices(&custom, values, |&v| [v]),
            (_, Column::Vec2(values)) => self.add_vertices(&custom, values, Vec2::to_array),
            (_, Column::Vec3(values)) => self.add_vertices(&custom, values, Vec3::to_array),
            (_, Column::Vec4(values)) => self.add_vertices(&custom, values, Vec4::to_array),
            (_, Column::I32(values)) => self.add_vertices(&custom, values, |&v| [v as f32]),
            (_, Column::I64(values)) => self.add_vertices(&custom, values, |&v| [v as f32]),
        }
    }

    fn add_vertices<T, const N: usize>(
        &mut self,
        name: &str,
        values: &[T],
        numbers: impl Fn(&T) -> [f32; N],
    ) {
        let bytes = values.iter().flat_map(|value| numbers(value).map(f32::to_le_bytes)).flatten();
        let view = self.add_view(bytes, VERTEX_DATA);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        self.attributes.insert(name.to_string(), json!(self.accessors.len()));
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": kind,
        }));
    }

    /// Every number has four bytes, so every view begins at a multiple of four.
    fn add_view(&mut self, bytes: impl Iterator<Item = u8>, target: u32) -> usize {
        let start = self.data.len();
        self.data.extend(bytes);
        self.views.push(json!({
            "buffer": 0, "byteOffset": start, "byteLength": self.data.len() - start, "target": target,
        }));
        self.views.len() - 1
    }

    fn json(&self, uri: Option<String>) -> Value {
        let asset = json!({ "version": "2.0", "generator": "Whitecap" });
        if self.accessors.is_empty() {
            return json!({ "asset": asset, "scene": 0, "scenes": [{}] });
        }
        let mut buffer = json!({ "byteLength": self.data.len() });
        if let Some(uri) = uri {
            buffer["uri"] = Value::String(uri);
        }
        json!({
            "asset": asset,
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [{
                "attributes": self.attributes,
                "indices": self.accessors.len() - 1,
                "mode": 4,
            }] }],
            "buffers": [buffer],
            "bufferViews": self.views,
            "accessors": self.accessors,
        })
    }
}

fn check_finite(mesh: &TriMesh, path: &Path) -> Result<(), Error> {
    let position = mesh.positions().iter().position(|p| !p.is_finite());
    let mut columns = mesh.attributes().iter();
    let first = position
        .map(|vertex| ("position", vertex))
        .or_else(|| columns.find_map(|(name, column)| Some((name, column.first_non_finite()?))));
    match first {
        None => Ok(()),
        Some((name, vertex)) => Err(Error::unwritable(
            path,
            format!("the {name} of vertex {vertex} is not a finite number, which glTF forbids"),
        )),
    }
}
