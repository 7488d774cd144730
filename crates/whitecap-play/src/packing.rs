//! Buffers for the graphics card of a browser.
//!
//! A packet is the length of a header (four bytes, little-endian), the header (JSON, padded with
//! spaces so that what follows starts at a multiple of four), and for surfaces and terrain the
//! vertices, indices and drops that the header counts. A vertex is twelve bytes: x, y, z in the box
//! of the header and opacity, in units of 1/65535, then the unit normal on an octahedron (Meyer et
//! al. 2010) in units of 1/32767. Indices have two bytes if that is enough, else four. A drop is
//! eight bytes: x, y, z and radius, likewise.

use glam::{Vec2, Vec3, Vec3Swizzles};
use serde::Serialize;
use whitecap_core::TriMesh;
use whitecap_pipes::{Drop, Surface};

/// A vertex that has no number yet.
const UNNUMBERED: u32 = u32::MAX;

/// The box that positions are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Frame {
    pub low: Vec3Array,
    pub size: Vec3Array,
}

type Vec3Array = [f32; 3];

impl Frame {
    /// The box around some points, never flat.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let (low, high) = points
            .into_iter()
            .fold((Vec3::MAX, Vec3::MIN), |(low, high), point| (low.min(point), high.max(point)));
        if low.cmple(high).all() {
            Self { low: low.into(), size: (high - low).max(Vec3::splat(1e-6)).into() }
        } else {
            Self { low: [0.0; 3], size: [1.0; 3] }
        }
    }

    fn parts(&self, point: Vec3) -> [u16; 3] {
        let part = (point - Vec3::from(self.low)) / Vec3::from(self.size);
        part.to_array().map(part_of_one)
    }
}

fn part_of_one(value: f32) -> u16 {
    (value.clamp(0.0, 1.0) * 65535.0).round() as u16
}

/// A unit normal on the square that an octahedron unfolds to.
fn octahedral(normal: Vec3) -> [i16; 2] {
    let flat = normal / normal.abs().element_sum().max(1e-20);
    let folded = Vec2::new(1.0 - flat.z.abs(), 1.0 - flat.x.abs());
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    let square = match flat.y < 0.0 {
        true => folded * Vec2::new(sign(flat.x), sign(flat.z)),
        false => flat.xz(),
    };
    square.to_array().map(|value| (value.clamp(-1.0, 1.0) * 32767.0).round() as i16)
}

/// The counts of what follows a header, and its box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Counts {
    #[serde(flatten)]
    pub frame: Frame,
    pub vertices: usize,
    pub indices: usize,
    /// Whether an index has four bytes.
    pub wide: bool,
    pub drops: usize,
}

/// Makes packets; kept to reuse its memory.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    number: Vec<u32>,
    kept: Vec<u32>,
    body: Vec<u8>,
}

impl Packer {
    /// The surface and drops, without unused vertices. The header is made from the counts.
    pub fn surface<H: Serialize>(
        &mut self,
        surface: &Surface,
        drops: &[Drop],
        head: impl FnOnce(Counts) -> H,
    ) -> Vec<u8> {
        self.keep_used(surface);
        let used = self.kept.iter().map(|&vertex| surface.positions()[vertex as usize]);
        let frame = Frame::around(used.chain(drops.iter().map(|drop| drop.position)));
        self.body.clear();
        for &vertex in &self.kept {
            let vertex = vertex as usize;
            let (position, normal) = (surface.positions()[vertex], surface.normals()[vertex]);
            put_vertex(&mut self.body, &frame, position, surface.opacity()[vertex], normal);
        }
        let number = &self.number;
        let indices = surface.triangles().iter().flatten().map(|&vertex| number[vertex as usize]);
        let wide = self.kept.len() > usize::from(u16::MAX);
        put_indices(&mut self.body, indices, wide);
        let largest = frame.size.into_iter().fold(0.0, f32::max);
        for drop in drops {
            let radius = (0.75 * drop.volume / std::f64::consts::PI).cbrt() as f32;
            let [x, y, z] = frame.parts(drop.position);
            put(&mut self.body, [x, y, z, part_of_one(radius / largest)].map(u16::to_le_bytes));
        }
        let counts = Counts {
            frame,
            vertices: self.kept.len(),
            indices: 3 * surface.triangles().len(),
            wide,
            drops: drops.len(),
        };
        packet(&head(counts), &self.body)
    }

    /// The terrain.
    pub fn terrain<H: Serialize>(
        &mut self,
        mesh: &TriMesh,
        head: impl FnOnce(Counts) -> H,
    ) -> Vec<u8> {
        let frame = Frame::around(mesh.positions().iter().copied());
        self.body.clear();
        for (&position, normal) in mesh.positions().iter().zip(mesh.vertex_normals()) {
            put_vertex(&mut self.body, &frame, position, 1.0, normal);
        }
        let vertices = mesh.positions().len();
        let wide = vertices > usize::from(u16::MAX);
        put_indices(&mut self.body, mesh.triangles().iter().flatten().copied(), wide);
        let indices = 3 * mesh.triangles().len();
        packet(&head(Counts { frame, vertices, indices, wide, drops: 0 }), &self.body)
    }

    /// Numbers the vertices that triangles use, in the order of their first use.
    fn keep_used(&mut self, surface: &Surface) {
        self.number.clear();
        self.number.resize(surface.positions().len(), UNNUMBERED);
        self.kept.clear();
        for &vertex in surface.triangles().iter().flatten() {
            let number = &mut self.number[vertex as usize];
            if *number == UNNUMBERED {
                *number = self.kept.len() as u32;
                self.kept.push(vertex);
            }
        }
    }
}

fn put<const COUNT: usize>(body: &mut Vec<u8>, parts: [[u8; 2]; COUNT]) {
    body.extend_from_slice(parts.as_flattened());
}

fn put_vertex(body: &mut Vec<u8>, frame: &Frame, position: Vec3, opacity: f32, normal: Vec3) {
    let [x, y, z] = frame.parts(position);
    put(body, [x, y, z, part_of_one(opacity)].map(u16::to_le_bytes));
    put(body, octahedral(normal).map(i16::to_le_bytes));
}

/// Adds indices and pads to a multiple of four bytes.
fn put_indices(body: &mut Vec<u8>, indices: impl Iterator<Item = u32>, wide: bool) {
    if wide {
        indices.for_each(|index| body.extend_from_slice(&index.to_le_bytes()));
    } else {
        indices.for_each(|index| body.extend_from_slice(&(index as u16).to_le_bytes()));
    }
    body.resize(body.len().next_multiple_of(4), 0);
}

/// A header and what follows it.
pub(crate) fn packet(head: &impl Serialize, body: &[u8]) -> Vec<u8> {
    // Headers are plain numbers and words, which JSON can always represent.
    let mut text = serde_json::to_vec(head).unwrap_or_default();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut packet = Vec::with_capacity(4 + text.len() + body.len());
    packet.extend_from_slice(&(text.len() as u32).to_le_bytes());
    packet.extend_from_slice(&text);
    packet.extend_from_slice(body);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Splits a packet into header and body.
    fn unpack(packet: &[u8]) -> (Value, &[u8]) {
        let length = u32::from_le_bytes(packet[..4].try_into().unwrap()) as usize;
        (serde_json::from_slice(&packet[4..4 + length]).unwrap(), &packet[4 + length..])
    }

    /// Contract: positions come back to within 1/65535 of the box, normals to a thousandth, and the
    /// header counts what follows.
    #[test]
    fn a_mesh_comes_back() {
        let positions =
            vec![Vec3::new(-1.0, 0.5, 2.0), Vec3::new(0.25, 0.5, 1.0), Vec3::new(3.0, 0.7, 1.5)];
        let mesh = TriMesh::new(positions.clone(), vec![[0, 1, 2]]).unwrap();
        let packet = Packer::default().terrain(&mesh, |counts| counts);
        let (head, body) = unpack(&packet);
        assert_eq!((head["vertices"].as_u64(), head["indices"].as_u64()), (Some(3), Some(3)));
        assert_eq!(body.len(), 3 * 12 + 8);
        let number = |key: &str, axis: usize| head[key][axis].as_f64().unwrap() as f32;
        for (vertex, position) in positions.iter().enumerate() {
            for axis in 0..3 {
                let at = 12 * vertex + 2 * axis;
                let part = u16::from_le_bytes([body[at], body[at + 1]]);
                let found = number("low", axis) + number("size", axis) * f32::from(part) / 65535.0;
                assert!((found - position[axis]).abs() < 4e-5);
            }
        }
        assert_eq!(body[36..42], [0, 0, 1, 0, 2, 0]);
    }

    /// Contract: every direction survives the octahedron.
    #[test]
    fn normals_come_back() {
        for step in 0..500 {
            let (turn, height) = (step as f32 * 2.4, step as f32 / 250.0 - 0.998);
            let around = (1.0 - height * height).max(0.0).sqrt();
            let normal = Vec3::new(around * turn.cos(), height, around * turn.sin());
            let square = Vec2::from(octahedral(normal).map(|part| f32::from(part) / 32767.0));
            let up = 1.0 - square.x.abs() - square.y.abs();
            let fold = (-up).max(0.0);
            let flat = square - fold * square.signum();
            let found = Vec3::new(flat.x, up, flat.y).normalize();
            assert!(found.distance(normal) < 1e-3, "{normal} became {found}");
        }
    }

    /// Contract: an empty surface is a packet too.
    #[test]
    fn nothing_is_a_packet() {
        let packet = Packer::default().surface(&Surface::new(), &[], |counts| counts);
        let (head, body) = unpack(&packet);
        assert_eq!(head["vertices"], 0);
        assert!(body.is_empty());
    }
}
