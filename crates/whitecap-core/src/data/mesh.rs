//! Indexed triangle meshes with vertex attributes, and their adjacency.

use glam::Vec3;

use crate::disjoint_sets::DisjointSets;
use crate::{Attributes, Bounds, Column, Error};

/// An indexed triangle mesh. Triangles wind counter-clockwise seen from outside.
///
/// # Guarantees
/// Every index of every triangle is below the vertex count.
///
/// # Non-guarantees
/// The mesh may be open, non-manifold or self-intersecting; `whitecap_surface::report` measures this.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    attributes: Attributes,
}

impl TriMesh {
    /// A mesh from its parts; fails if a triangle names a vertex that does not exist.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        let count = positions.len();
        match triangles.iter().position(|t| t.iter().any(|&v| v as usize >= count)) {
            Some(triangle) => Err(Error::TriangleIndex { triangle, vertex_count: count }),
            None => Ok(Self { positions, triangles, attributes: Attributes::new() }),
        }
    }

    /// Vertex positions in metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Vertex positions, to be changed in place.
    pub fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }

    /// Vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Vertex attributes.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The vertex attribute called `name`.
    pub fn attribute(&self, name: &str) -> Option<&Column> {
        self.attributes.get(name)
    }

    /// Adds or replaces a vertex attribute.
    pub fn set_attribute(&mut self, name: impl Into<String>, column: Column) -> Result<(), Error> {
        self.attributes.insert(name, column, self.positions.len())
    }

    /// Removes a vertex attribute and returns it.
    pub fn remove_attribute(&mut self, name: &str) -> Option<Column> {
        self.attributes.remove(name)
    }

    /// The three corner positions of a triangle.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// The smallest box around the vertices; empty for an empty mesh.
    pub fn bounds(&self) -> Bounds {
        Bounds::of(&self.positions)
    }

    /// The same mesh with every triangle turned inside out.
    pub fn flipped(mut self) -> Self {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
        self
    }

    /// For every vertex, the lowest vertex of its connected component.
    pub fn components(&self) -> Vec<u32> {
        let mut sets = DisjointSets::new(self.positions().len());
        for &[a, b, c] in self.triangles() {
            sets.join(a, b);
            sets.join(a, c);
        }
        sets.into_lowest()
    }

    /// Area-weighted unit vertex normals; zero where a vertex has no area around it.
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for (index, triangle) in self.triangles.iter().enumerate() {
            let [a, b, c] = self.corners(index);
            let area_vector = (b - a).cross(c - a);
            for &vertex in triangle {
                normals[vertex as usize] += area_vector;
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or_zero();
        }
        normals
    }

    /// Vertex-to-vertex and vertex-to-triangle adjacency, built on demand.
    pub fn adjacency(&self) -> Adjacency {
        Adjacency::build(self)
    }
}

/// Which vertices and triangles touch each vertex, as compressed rows.
#[derive(Clone, Debug)]
pub struct Adjacency {
    vertex_starts: Vec<u32>,
    vertex_neighbours: Vec<u32>,
    triangle_starts: Vec<u32>,
    vertex_triangles: Vec<u32>,
}

impl Adjacency {
    fn build(mesh: &TriMesh) -> Self {
        let vertex_count = mesh.positions.len();
        let mut triangle_starts = vec![0u32; vertex_count + 1];
        for triangle in &mesh.triangles {
            for &v in triangle {
                triangle_starts[v as usize + 1] += 1;
            }
        }
        for v in 0..vertex_count {
            triangle_starts[v + 1] += triangle_starts[v];
        }
        let mut cursor = triangle_starts.clone();
        let mut vertex_triangles = vec![0u32; mesh.triangles.len() * 3];
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            for &v in triangle {
                vertex_triangles[cursor[v as usize] as usize] = index as u32;
                cursor[v as usize] += 1;
            }
        }
        let mut vertex_starts = Vec::with_capacity(vertex_count + 1);
        let mut vertex_neighbours = Vec::with_capacity(mesh.triangles.len() * 3);
        let mut ring = Vec::new();
        vertex_starts.push(0);
        for v in 0..vertex_count {
            ring.clear();
            let touching = triangle_starts[v] as usize..triangle_starts[v + 1] as usize;
            for &t in &vertex_triangles[touching] {
                ring.extend(mesh.triangles[t as usize].iter().filter(|&&w| w as usize != v));
            }
            ring.sort_unstable();
            ring.dedup();
            vertex_neighbours.extend_from_slice(&ring);
            vertex_starts.push(vertex_neighbours.len() as u32);
        }
        Self { vertex_starts, vertex_neighbours, triangle_starts, vertex_triangles }
    }

    /// Vertices joined to `vertex` by an edge, ascending.
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        let row = self.vertex_starts[vertex] as usize..self.vertex_starts[vertex + 1] as usize;
        &self.vertex_neighbours[row]
    }

    /// Triangles that use `vertex`, ascending.
    pub fn triangles(&self, vertex: usize) -> &[u32] {
        let row = self.triangle_starts[vertex] as usize..self.triangle_starts[vertex + 1] as usize;
        &self.vertex_triangles[row]
    }
}
