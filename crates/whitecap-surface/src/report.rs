//! Measurements of a mesh: counts, topology, volume.

use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use whitecap_core::{TriMesh, reduce};

/// The report on a mesh. Volume and area are in m³ and m².
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// Vertices used by at least one triangle.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Connected components.
    pub components: usize,
    /// Vertices − edges + triangles: 2 per closed sphere-like component, 0 per torus.
    pub euler_characteristic: i64,
    /// Edges with a triangle on one side only.
    pub open_edges: usize,
    /// Edges with more than two triangles, or with two that disagree on orientation.
    pub non_manifold_edges: usize,
    /// Vertices where several sheets touch in a single point.
    pub non_manifold_vertices: usize,
    /// Enclosed volume; meaningful for closed meshes. Negative if the mesh is inside out.
    #[serde(rename = "volume_cubic_metres")]
    pub volume: f64,
    /// Surface area.
    #[serde(rename = "area_square_metres")]
    pub area: f64,
}

impl MeshReport {
    /// Whether the mesh is closed, 2-manifold and consistently oriented.
    pub fn is_closed_manifold(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0 && self.non_manifold_vertices == 0
    }
}

/// Measures a mesh.
pub fn report(mesh: &TriMesh) -> MeshReport {
    let triangles = mesh.triangles();
    let counts = Counts::of(mesh);
    let mut used = vec![false; mesh.positions().len()];
    for &vertex in triangles.iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = used.iter().filter(|&&u| u).count();
    let lowest = mesh.components();
    let components = (0..lowest.len()).filter(|&v| used[v] && lowest[v] as usize == v).count();
    MeshReport {
        vertices,
        triangles: triangles.len(),
        components,
        euler_characteristic: vertices as i64 - counts.edges as i64 + triangles.len() as i64,
        open_edges: counts.open_edges,
        non_manifold_edges: counts.non_manifold_edges,
        non_manifold_vertices: counts.non_manifold_vertices,
        volume: volume(mesh),
        area: area(mesh),
    }
}

/// Enclosed volume by the divergence theorem, in double precision.
pub fn volume(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    let origin = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() }.as_dvec3();
    reduce::sum(mesh.triangles().len(), |t| {
        let [a, b, c] = mesh.corners(t).map(|p| p.as_dvec3() - origin);
        a.dot(b.cross(c)) / 6.0
    })
}

/// Surface area.
pub fn area(mesh: &TriMesh) -> f64 {
    reduce::sum(mesh.triangles().len(), |t| {
        let [a, b, c] = mesh.corners(t).map(|p| p.as_dvec3());
        0.5 * (b - a).cross(c - a).length()
    })
}

/// What the surroundings of vertices tell, summed over all of them.
#[derive(Clone, Copy, Default)]
struct Counts {
    edges: usize,
    open_edges: usize,
    non_manifold_edges: usize,
    non_manifold_vertices: usize,
}

impl Counts {
    fn of(mesh: &TriMesh) -> Self {
        let corners = Corners::of(mesh);
        (0..mesh.positions().len())
            .into_par_iter()
            .with_min_len(1024)
            .map_init(Default::default, |(links, sides): &mut (Vec<Link>, Vec<_>), vertex| {
                links.clear();
                links.extend(corners.around(vertex).iter().map(|&corner| {
                    let triangle = mesh.triangles()[corner as usize / 3];
                    let at = corner as usize % 3;
                    Link { next: triangle[(at + 1) % 3], last: triangle[(at + 2) % 3], fan: 0 }
                }));
                Self::around(vertex as u32, links, sides)
            })
            .reduce(Self::default, Self::plus)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            edges: self.edges + other.edges,
            open_edges: self.open_edges + other.open_edges,
            non_manifold_edges: self.non_manifold_edges + other.non_manifold_edges,
            non_manifold_vertices: self.non_manifold_vertices + other.non_manifold_vertices,
        }
    }

    /// The edges of a vertex to higher ones, and whether its triangles form more than one fan.
    fn around(vertex: u32, links: &mut [Link], sides: &mut Vec<(u32, bool)>) -> Self {
        let mut counts = Self::default();
        // The vertex at the other end of each edge, and whether its triangle runs towards it.
        sides.clear();
        sides.extend(links.iter().flat_map(|link| [(link.next, true), (link.last, false)]));
        sides.sort_unstable();
        for edge in sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge[0].0 > vertex) {
            counts.edges += 1;
            match edge {
                [_] => counts.open_edges += 1,
                [first, second] if first.1 != second.1 => {}
                _ => counts.non_manifold_edges += 1,
            }
        }
        counts.non_manifold_vertices = usize::from(!links.is_empty() && !is_one_fan(links));
        counts
    }
}

/// A triangle seen from one of its vertices: the vertices after and before it.
struct Link {
    next: u32,
    last: u32,
    fan: u32,
}

/// Whether all triangles around a vertex can be reached from the first across shared edges.
fn is_one_fan(links: &mut [Link]) -> bool {
    // The usual case: one after the other around the vertex.
    let (mut at, mut count) = (links[0].last, 1);
    while let Some(follower) = links.iter_mut().find(|link| link.fan == 0 && link.next == at) {
        follower.fan = 1;
        at = follower.last;
        if at == links[0].last {
            break;
        }
        count += 1;
    }
    if count == links.len() {
        return true;
    }
    // Otherwise an open fan, or one whose triangles disagree: from triangle to triangle.
    links.iter_mut().for_each(|link| link.fan = 0);
    links[0].fan = 1;
    let mut stack = vec![0];
    while let Some(current) = stack.pop() {
        let ends = [links[current].next, links[current].last];
        for (place, link) in links.iter_mut().enumerate() {
            if link.fan == 0 && (ends.contains(&link.next) || ends.contains(&link.last)) {
                link.fan = 1;
                stack.push(place);
            }
        }
    }
    links.iter().all(|link| link.fan == 1)
}

/// The corners of triangles at each vertex: three times the triangle, and which of its corners.
struct Corners {
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Corners {
    fn of(mesh: &TriMesh) -> Self {
        let mut starts = vec![0u32; mesh.positions().len() + 1];
        for &vertex in mesh.triangles().iter().flatten() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut next = starts.clone();
        let mut corners = vec![0; 3 * mesh.triangles().len()];
        for (corner, &vertex) in mesh.triangles().iter().flatten().enumerate() {
            let place = &mut next[vertex as usize];
            corners[*place as usize] = corner as u32;
            *place += 1;
        }
        Self { starts, corners }
    }

    fn around(&self, vertex: usize) -> &[u32] {
        &self.corners[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}
