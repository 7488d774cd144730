//! Structs that cross the language boundary.

use glam::Vec2;
use whitecap_pipes::{
    Edges, Grid, MeniscusSettings, Passages, PipeArea, PipeSettings, Solver, Source,
    SurfaceSettings,
};

use crate::status::Refusal;

/// Settings of a liquid. Begin with `whitecap_pipes_default_settings()`. Lengths in metres, times in
/// seconds; y is up.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhitecapPipesSettings {
    /// Low corner of the grid along x.
    pub origin_x: f32,
    /// Low corner of the grid along z.
    pub origin_z: f32,
    /// Size of a cell.
    pub cell: f32,
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub length: u32,
    /// Acceleration of gravity in m/s².
    pub gravity: f32,
    /// Kinematic viscosity in m²/s: 0.000001 for water, 0.000004 for blood.
    pub viscosity: f32,
    /// Fraction of the flow that is left after one second without a force, 0 to 1.
    pub retained: f32,
    /// Longest time step; 0 chooses one that suits the cells.
    pub time_step: f32,
    /// 0: virtual pipes; 1: shallow-water equations.
    pub solver: u32,
    /// Cross-section of a pipe. 0: cell × depth, the physical one; 1: cell × cell, as in the paper.
    pub pipe_area: u32,
    /// Passages full up to their ceiling. 0: one pipe joins all gateways; 1: pipes along the axes; 2: no
    /// flow.
    pub passages: u32,
    /// Edges of the grid. 0: walls; 1: open, liquid is drained there.
    pub edges: u32,
    /// 1 if liquid that falls far becomes drops, 0 if it arrives immediately.
    pub falling_drops: u32,
    /// Fall height from which liquid becomes drops; 0: two cells.
    pub fall_height: f32,
    /// Largest number of drops in the air.
    pub most_drops: u32,
    /// However shallow the liquid, its surface is at least this many cells above the ground.
    pub least_thickness: f32,
    /// Depth from which the liquid is opaque.
    pub opaque_depth: f32,
    /// Contact angle of the meniscus in degrees: below 90 the liquid climbs a wall.
    pub contact_angle: f32,
    /// How far the meniscus reaches; 0: no meniscus.
    pub meniscus_length: f32,
}

impl Default for WhitecapPipesSettings {
    fn default() -> Self {
        let pipes = PipeSettings::default();
        let surface = SurfaceSettings::default();
        let meniscus = MeniscusSettings::default();
        Self {
            origin_x: 0.0,
            origin_z: 0.0,
            cell: 0.001,
            width: 100,
            length: 100,
            gravity: pipes.gravity,
            viscosity: pipes.viscosity,
            retained: pipes.retained,
            time_step: 0.0,
            solver: 0,
            pipe_area: 0,
            passages: 0,
            edges: 0,
            falling_drops: 0,
            fall_height: 0.0,
            most_drops: pipes.most_drops,
            least_thickness: surface.least_thickness,
            opaque_depth: surface.opaque_depth,
            contact_angle: meniscus.contact_angle,
            meniscus_length: meniscus.length,
        }
    }
}

impl WhitecapPipesSettings {
    pub(crate) fn grid(&self) -> Result<Grid, Refusal> {
        let origin = Vec2::new(self.origin_x, self.origin_z);
        Ok(Grid::new(origin, self.cell, self.width as usize, self.length as usize)?)
    }

    /// The settings of the motion, with the current sources and drains.
    pub(crate) fn pipes(
        &self,
        sources: Vec<Source>,
        drains: Vec<Source>,
    ) -> Result<PipeSettings, Refusal> {
        let settings = PipeSettings {
            solver: choice("solver", self.solver, [Solver::Pipes, Solver::ShallowWater])?,
            gravity: self.gravity,
            viscosity: self.viscosity,
            retained: self.retained,
            pipe_area: choice("pipe_area", self.pipe_area, [PipeArea::Physical, PipeArea::Square])?,
            passages: choice(
                "passages",
                self.passages,
                [Passages::Unified, Passages::AxisAligned, Passages::Off],
            )?,
            edges: choice("edges", self.edges, [Edges::Walls, Edges::Open])?,
            time_step: unless_zero(self.time_step),
            falling_drops: choice("falling_drops", self.falling_drops, [false, true])?,
            fall_height: unless_zero(self.fall_height),
            most_drops: self.most_drops,
            sources,
            drains,
        };
        settings.check()?;
        Ok(settings)
    }

    pub(crate) fn surface(&self) -> Result<SurfaceSettings, Refusal> {
        let settings = SurfaceSettings {
            least_thickness: self.least_thickness,
            opaque_depth: self.opaque_depth,
        };
        settings.check()?;
        Ok(settings)
    }

    pub(crate) fn meniscus(&self) -> Result<Option<MeniscusSettings>, Refusal> {
        let Some(length) = unless_zero(self.meniscus_length) else { return Ok(None) };
        let settings = MeniscusSettings { contact_angle: self.contact_angle, length };
        settings.check()?;
        Ok(Some(settings))
    }
}

/// Not given if zero. NaN is kept, and refused later.
fn unless_zero(value: f32) -> Option<f32> {
    (value != 0.0).then_some(value)
}

fn choice<T: Copy, const COUNT: usize>(
    name: &str,
    number: u32,
    all: [T; COUNT],
) -> Result<T, Refusal> {
    let found = usize::try_from(number).ok().and_then(|number| all.get(number));
    found.copied().ok_or_else(|| {
        Refusal::bad_value(format!("`{name}` is {number}, but must be at most {}", COUNT - 1))
    })
}

/// A place where liquid is added or removed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhitecapPipesSource {
    /// Where: x, y and z. The height chooses the layer.
    pub position: [f32; 3],
    /// Columns within this distance are affected; the nearest one always is.
    pub radius: f32,
    /// Volume per second in m³/s.
    pub rate: f64,
}

impl From<&WhitecapPipesSource> for Source {
    fn from(source: &WhitecapPipesSource) -> Self {
        Self { position: source.position, radius: source.radius, rate: source.rate }
    }
}

/// The surface of the liquid: buffers that stay valid until the next call with the same liquid.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WhitecapPipesSurface {
    /// Three numbers for each vertex: x, y, z.
    pub positions: *const f32,
    /// Three numbers for each vertex: the unit normal, bent by the meniscus.
    pub normals: *const f32,
    /// One number for each vertex, 0 to 1.
    pub opacity: *const f32,
    /// Number of vertices. Some may belong to no triangle.
    pub vertex_count: usize,
    /// Three vertices for each triangle, counter-clockwise seen from above.
    pub indices: *const u32,
    /// Number of indices: three times the number of triangles.
    pub index_count: usize,
}

/// The columns of liquid, cell after cell (rows along x, then z), and within a cell from bottom to top:
/// buffers that stay valid until the next call with the same liquid.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WhitecapPipesColumns {
    /// The cell of each column: x + z × width.
    pub cells: *const u32,
    /// Height of the ground of each column.
    pub floors: *const f32,
    /// Height of the solid above each column; infinity under the open sky.
    pub ceilings: *const f32,
    /// Depth of the liquid in each column.
    pub depths: *const f64,
    /// Number of columns.
    pub count: usize,
}

/// The state of a liquid in numbers, in cubic metres and seconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhitecapPipesReport {
    /// Time since the beginning.
    pub time: f64,
    /// Current volume, in columns and in drops.
    pub volume: f64,
    /// Volume of drops in the air.
    pub in_the_air: f64,
    /// Volume added since the beginning.
    pub poured: f64,
    /// Volume removed since the beginning.
    pub drained: f64,
    /// Volume that should be there but is not, relative to what was poured: rounding alone.
    pub relative_error: f64,
}
