//! The surface of shallow liquid as triangles (Dagenais et al. 2018, §4; Dagenais 2025, §4.2).
//!
//! Every column has a vertex at its centre. Neighbouring columns whose levels lie within each other's range
//! are linked, and triangles span linked columns, from layer to layer where the liquid does.
//!
//! # Guarantees
//! * Every edge that touches a vertex with a free surface belongs to two triangles, unless it lies on
//!   the border of the grid. Open edges lie on the border, or between vertices at the shore, at the
//!   ceiling, inside walls or at lips.
//! * Triangles face up, none is duplicated, none is degenerate.
//! * The result does not depend on the number of threads. Buffers are reused and only ever grow.
//!
//! # Where this differs from the paper
//! * Fronts end slightly inside the ground instead of in the air. Thin films emerge from it
//!   gradually, so that the visible edge lies between the cells and moves smoothly.
//! * Where liquid falls down a cliff, more than four cells from its ground to the level below, its surface
//!   ends on the ground at the edge of the cell, and the surface below goes into the wall. The paper spans
//!   the cliff with a vertical sheet.
//! * At the edge of an overhang the paper leaves a gap between the surface and the solid. Here the
//!   surface goes down to the ground at the edge of the cell: a *lip*.
//! * A wall under an overhang gets one extra vertex for each column before it, at that column's height,
//!   instead of an average; a far corner of walls gets one too.
//! * Quartets are joined by links along their sides; see `quartets`.
//!
//! # Non-guarantees
//! Liquid that falls from a lip is not drawn as a curtain. The surface extends into the terrain at
//! shores and walls; it is meant to be drawn together with the terrain.

mod around;
mod films;
mod ground;
mod heightfield;
mod links;
mod minimum;
mod normals;
mod quartets;
mod rows;
mod scan;
mod settings;
mod terrain_mesh;
mod vertices;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::{Column, TriMesh};

use crate::error::PipeError;
use crate::liquid::columns::Columns;
use ground::Levels;
use links::{Links, NONE};
use quartets::{Band, Corner, Quartets};
use rows::over_rows;

pub(crate) use ground::STEPS;
pub use minimum::MinimumHeights;
pub(crate) use scan::places;
pub use settings::SurfaceSettings;
pub use terrain_mesh::terrain_mesh;

/// Rows of quartets that are triangulated together.
const BAND_ROWS: usize = 8;

/// What a vertex of the surface represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum VertexKind {
    /// A column without liquid in it or beside it: no triangle uses the vertex.
    #[default]
    Unused,
    /// A column whose liquid has air above it.
    Free,
    /// A dry column beside liquid.
    Shore,
    /// A column that is full to its ceiling, beside a free surface.
    Ceiling,
    /// A point inside a wall under an overhang.
    Wall,
    /// A point at the edge of an overhang, or between two layers in the middle of four cells.
    Lip,
}

/// The surface of shallow liquid: vertex and index buffers that are refilled every frame.
///
/// The first vertices are those of the columns, in the order of [`Columns`].
///
/// ```
/// use glam::Vec2;
/// use whitecap_pipes::{Columns, Grid, MinimumHeights, Surface, SurfaceSettings, Terrain};
///
/// # fn main() -> Result<(), whitecap_pipes::PipeError> {
/// // A bowl of 1 cm, filled to 2 mm.
/// let grid = Grid::new(Vec2::ZERO, 5e-4, 20, 20)?;
/// let bowl = |x: usize, z: usize| (x as f32 - 9.5).hypot(z as f32 - 9.5).powi(2) * 5e-5;
/// let floor: Vec<f32> = (0..400).map(|cell| bowl(cell % 20, cell / 20)).collect();
/// let mut columns = Columns::new(&Terrain::heightfield(grid, &floor)?);
/// columns.fill(|column| 2e-3 - f64::from(floor[column]));
///
/// let mut surface = Surface::new();
/// surface.update(&columns, &MinimumHeights::none(), &SurfaceSettings::default())?;
/// assert!(surface.triangles().len() > 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Surface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    opacity: Vec<f32>,
    kinds: Vec<VertexKind>,
    vertex_columns: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    column_count: usize,
    /// Whether the last surface was made by the fast method, for one layer without falls.
    is_heightfield: bool,
    levels: Levels,
    links: Links,
    /// Columns at the shore, and their normals.
    shores: Vec<(u32, Vec3)>,
    extra_start: Vec<u32>,
    triangle_starts: Vec<u32>,
    corner_starts: Vec<u32>,
    bands: Vec<Band>,
}

impl Surface {
    /// An empty surface.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills the buffers with the surface of `columns`.
    pub fn update(
        &mut self,
        columns: &Columns,
        minimum: &MinimumHeights,
        settings: &SurfaceSettings,
    ) -> Result<(), PipeError> {
        settings.check()?;
        if columns.len() < rows::SHORTEST {
            self.build(columns, minimum, settings);
        } else {
            // On one worker thread throughout: switching for every step takes longer than some
            // steps.
            rayon::scope(|_| self.build(columns, minimum, settings));
        }
        Ok(())
    }

    fn build(&mut self, columns: &Columns, minimum: &MinimumHeights, settings: &SurfaceSettings) {
        self.begin(columns);
        let thickness = settings.least_thickness * columns.grid().cell();
        self.levels.read(columns, minimum, thickness);
        self.is_heightfield =
            heightfield::is_heightfield(columns) && !self.levels.has_falls(columns);
        if self.is_heightfield {
            heightfield::place_columns(self, columns, settings);
            heightfield::normals_of_free_columns(self, columns);
            normals::of_shores(self, columns);
            heightfield::triangulate(self, columns);
        } else {
            self.levels.read_spans(columns);
            self.build_layers(columns, settings);
        }
    }

    /// The general method, once the levels are known.
    fn build_layers(&mut self, columns: &Columns, settings: &SurfaceSettings) {
        self.links.find(columns, &self.levels);
        vertices::place_columns(self, columns, settings);
        vertices::place_corners(self, columns, settings);
        normals::of_free_columns(self, columns);
        normals::of_shores(self, columns);
        vertices::add_extra(self, columns);
        self.triangulate(columns);
    }

    /// The ground under the columns, as if those that are `covered` had a film of zero depth.
    fn of_floors(columns: &Columns, covered: impl Fn(usize) -> bool) -> Self {
        let mut sheet = Self::new();
        sheet.begin(columns);
        sheet.levels.read_floors(columns, covered);
        let settings = SurfaceSettings { least_thickness: 0.0, ..SurfaceSettings::default() };
        sheet.build_layers(columns, &settings);
        sheet
    }

    /// Makes room for the vertices of the columns and removes all others.
    fn begin(&mut self, columns: &Columns) {
        let count = columns.len();
        if self.column_count != count {
            self.vertex_columns.clear();
            self.vertex_columns.extend(0..count as u32);
            self.column_count = count;
        }
        self.vertex_columns.truncate(count);
        self.positions.resize(count, Vec3::ZERO);
        self.normals.resize(count, Vec3::Y);
        self.opacity.resize(count, 0.0);
        self.kinds.resize(count, VertexKind::Unused);
    }

    fn add_vertex(
        &mut self,
        position: Vec3,
        normal: Vec3,
        kind: VertexKind,
        opacity: f32,
        column: usize,
    ) {
        self.positions.push(position);
        self.normals.push(normal);
        self.opacity.push(opacity);
        self.kinds.push(kind);
        self.vertex_columns.push(column as u32);
    }

    /// Triangulates bands of rows in parallel and puts them together in order.
    fn triangulate(&mut self, columns: &Columns) {
        let rows = columns.grid().length() - 1;
        let mut bands = std::mem::take(&mut self.bands);
        bands.resize_with(rows.div_ceil(BAND_ROWS), Band::default);
        let quartets = Quartets { surface: self, columns };
        bands.par_iter_mut().enumerate().for_each(|(number, band)| {
            band.clear();
            let first = number * BAND_ROWS;
            quartets.rows(first..(first + BAND_ROWS).min(rows), band);
        });
        self.join(&bands);
        self.bands = bands;
    }

    /// Concatenates the triangles and corners of bands.
    fn join(&mut self, bands: &[Band]) {
        self.triangle_starts.clear();
        self.triangle_starts.push(0);
        self.corner_starts.clear();
        for band in bands {
            self.corner_starts.push(self.positions.len() as u32);
            for corner in &band.corners {
                let Corner { position, normal, opacity, kind, column } = *corner;
                self.add_vertex(position, normal, kind, opacity, column as usize);
            }
            let end = self.triangle_starts.last().map_or(0, |&start| start);
            self.triangle_starts.push(end + band.triangles.len() as u32);
        }
        let starts = &self.triangle_starts;
        let start = |band: usize| starts[band] as usize;
        self.triangles.resize(start(bands.len()), [0; 3]);
        let corner_starts = &self.corner_starts;
        over_rows(0..bands.len(), &start, &mut self.triangles[..], &|range, triangles| {
            let mut rest = triangles;
            for band in range {
                let (own, next) = rest.split_at_mut(bands[band].triangles.len());
                own.copy_from_slice(&bands[band].triangles);
                if !bands[band].corners.is_empty() {
                    let number = |vertex: u32| Band::number(vertex, corner_starts[band]);
                    own.iter_mut().for_each(|triangle| *triangle = triangle.map(number));
                }
                rest = next;
            }
        });
    }

    /// Positions of the vertices in metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Unit normals of the vertices.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    pub(crate) fn normals_mut(&mut self) -> &mut [Vec3] {
        &mut self.normals
    }

    /// Opacity of the vertices, 0 to 1.
    pub fn opacity(&self) -> &[f32] {
        &self.opacity
    }

    /// What each vertex represents.
    pub fn kinds(&self) -> &[VertexKind] {
        &self.kinds
    }

    /// The column of each vertex; for walls and lips the column whose surface ends there.
    pub fn vertex_columns(&self) -> &[u32] {
        &self.vertex_columns
    }

    /// Vertices of the triangles, counter-clockwise seen from above.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The column linked with a column in one of eight directions: +x, +z, −x, −z, and the diagonal
    /// after each of them.
    pub fn linked(&self, columns: &Columns, column: usize, direction: usize) -> Option<usize> {
        self.around(columns, column).linked(direction)
    }

    /// The surface as a mesh with the attributes `normal` and `opacity`, without unused vertices.
    pub fn to_mesh(&self) -> TriMesh {
        let mut number = vec![NONE; self.positions.len()];
        let mut kept = Vec::new();
        let mut renumber = |vertex: u32| {
            let slot = &mut number[vertex as usize];
            if *slot == NONE {
                *slot = kept.len() as u32;
                kept.push(vertex as usize);
            }
            *slot
        };
        let triangles = self.triangles.iter().map(|&corners| corners.map(&mut renumber)).collect();
        let positions = kept.iter().map(|&vertex| self.positions[vertex]).collect();
        let normals = kept.iter().map(|&vertex| self.normals[vertex]).collect();
        let opacity = kept.iter().map(|&vertex| self.opacity[vertex]).collect();
        let mut mesh = TriMesh::new(positions, triangles)
            .expect("triangles name vertices that were kept for them");
        for (name, column) in [("normal", Column::Vec3(normals)), ("opacity", Column::F32(opacity))]
        {
            mesh.set_attribute(name, column).expect("one value was kept for each vertex");
        }
        mesh
    }
}
