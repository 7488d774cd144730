//! Writing `.vtu`: little-endian, sizes of 64 bits, uncompressed.

use std::fmt::Write as _;

use whitecap_core::glam::Vec3;
use whitecap_core::{Attributes, Column, FactValue, Facts, Particles, TriMesh};

use crate::encoding::base64;
use crate::vtk::vtk_cells::cell_type;

/// How to store the arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Raw bytes after the XML: smallest and fastest.
    #[default]
    AppendedRaw,
    /// Base64 inside the XML, which stays valid XML.
    Base64,
}

/// A `.vtu` file that holds `particles`, each as a vertex cell.
pub fn particles_to_bytes(particles: &Particles, encoding: Encoding) -> Vec<u8> {
    let count = particles.len();
    let cells = Cells {
        connectivity: (0..count as i64).flat_map(i64::to_le_bytes).collect(),
        offsets: (1..=count as i64).flat_map(i64::to_le_bytes).collect(),
        types: vec![cell_type::VERTEX; count],
    };
    to_bytes(particles.positions(), particles.attributes(), particles.facts(), cells, encoding)
}

/// A `.vtu` file that holds `mesh`.
pub fn mesh_to_bytes(mesh: &TriMesh, encoding: Encoding) -> Vec<u8> {
    let count = mesh.triangles().len();
    let corners = mesh.triangles().as_flattened().iter();
    let cells = Cells {
        connectivity: corners.flat_map(|&vertex| i64::from(vertex).to_le_bytes()).collect(),
        offsets: (1..=count as i64).flat_map(|cell| (3 * cell).to_le_bytes()).collect(),
        types: vec![cell_type::TRIANGLE; count],
    };
    to_bytes(mesh.positions(), mesh.attributes(), &Facts::default(), cells, encoding)
}

struct Cells {
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
    types: Vec<u8>,
}

fn to_bytes(
    positions: &[Vec3],
    attributes: &Attributes,
    facts: &Facts,
    cells: Cells,
    encoding: Encoding,
) -> Vec<u8> {
    let mut file = Writer { xml: String::new(), appended: Vec::new(), encoding };
    file.xml.push_str("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    file.facts(facts);
    let counts = (positions.len(), cells.types.len());
    let _ = write!(
        file.xml,
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<PointData>\n",
        counts.0, counts.1
    );
    for (name, column) in attributes.iter() {
        let kind = match column {
            Column::I32(_) => "Int32",
            Column::I64(_) => "Int64",
            _ => "Float32",
        };
        file.array(name, kind, column.components(), &column_bytes(column));
    }
    file.xml.push_str("</PointData>\n<Points>\n");
    file.array("Points", "Float32", 3, &vector_bytes(positions.iter().map(|p| p.to_array())));
    file.xml.push_str("</Points>\n<Cells>\n");
    file.array("connectivity", "Int64", 1, &cells.connectivity);
    file.array("offsets", "Int64", 1, &cells.offsets);
    file.array("types", "UInt8", 1, &cells.types);
    file.xml.push_str("</Cells>\n</Piece>\n</UnstructuredGrid>\n");
    file.finish()
}

struct Writer {
    xml: String,
    appended: Vec<u8>,
    encoding: Encoding,
}

impl Writer {
    /// Field data of the whole; a text is an array of its bytes.
    fn facts(&mut self, facts: &Facts) {
        let facts = facts.to_named();
        if facts.is_empty() {
            return;
        }
        self.xml.push_str("<FieldData>\n");
        for (name, value) in &facts {
            match value {
                FactValue::Number(number) => {
                    self.sized_array(name, "Float32", "NumberOfTuples", 1, &number.to_le_bytes());
                }
                FactValue::Text(text) => {
                    let bytes = text.as_bytes();
                    self.sized_array(name, "UInt8", "NumberOfTuples", bytes.len(), bytes);
                }
            }
        }
        self.xml.push_str("</FieldData>\n");
    }

    fn array(&mut self, name: &str, kind: &str, components: usize, data: &[u8]) {
        self.sized_array(name, kind, "NumberOfComponents", components, data);
    }

    fn sized_array(&mut self, name: &str, kind: &str, size_name: &str, size: usize, data: &[u8]) {
        let name = quick_xml::escape::escape(name);
        // Writing to a String cannot fail.
        let _ = write!(
            self.xml,
            "<DataArray type=\"{kind}\" Name=\"{name}\" {size_name}=\"{size}\" format="
        );
        let size = (data.len() as u64).to_le_bytes();
        match self.encoding {
            Encoding::AppendedRaw => {
                let _ = writeln!(self.xml, "\"appended\" offset=\"{}\"/>", self.appended.len());
                self.appended.extend(size);
                self.appended.extend_from_slice(data);
            }
            Encoding::Base64 => {
                let block = [&size, data].concat();
                let mut text = Vec::new();
                base64::encode(&block, &mut text);
                self.xml.push_str("\"binary\">\n");
                self.xml.extend(text.into_iter().map(char::from));
                self.xml.push_str("\n</DataArray>\n");
            }
        }
    }

    fn finish(self) -> Vec<u8> {
        let mut bytes = self.xml.into_bytes();
        if self.encoding == Encoding::AppendedRaw {
            bytes.extend(b"<AppendedData encoding=\"raw\">\n_");
            bytes.extend(self.appended);
            bytes.extend(b"\n</AppendedData>\n");
        }
        bytes.extend(b"</VTKFile>\n");
        bytes
    }
}

fn column_bytes(column: &Column) -> Vec<u8> {
    match column {
        Column::F32(values) => vector_bytes(values.iter().map(|&v| [v])),
        Column::Vec2(values) => vector_bytes(values.iter().map(|v| v.to_array())),
        Column::Vec3(values) => vector_bytes(values.iter().map(|v| v.to_array())),
        Column::Vec4(values) => vector_bytes(values.iter().map(|v| v.to_array())),
        Column::I32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Column::I64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
    }
}

fn vector_bytes<const N: usize>(rows: impl ExactSizeIterator<Item = [f32; N]>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * N * rows.len());
    rows.for_each(|row| bytes.extend_from_slice(row.map(f32::to_le_bytes).as_flattened()));
    bytes
}
