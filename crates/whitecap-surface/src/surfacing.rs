//! The surfacing step: particles in, closed mesh out.

use whitecap_core::{Column, Particles, SparseGrid, TriMesh, Watch, attributes, outliers};

use crate::implicit::anisotropic::Anisotropic;
use crate::implicit::averaged::Averaged;
use crate::implicit::band;
use crate::implicit::density::Density;
use crate::input::Input;
use crate::{Error, Method, SurfaceSettings, marching_cubes, smoothing, transfer};

/// The result of surfacing.
#[derive(Clone, Debug)]
pub struct Surfaced {
    /// The closed mesh.
    pub mesh: TriMesh,
    /// Sentences about the assumptions made, such as an estimated radius.
    pub notes: Vec<String>,
    /// Particle radius used, in metres.
    pub radius: f32,
    /// Cell size used, in metres.
    pub cell: f32,
    /// Support radius used, in metres.
    pub support: f32,
}

/// Turns particles into a closed, 2-manifold, consistently oriented mesh.
///
/// No particles give an empty mesh. See [`SurfaceSettings`] for the choices.
pub fn surface_particles(
    particles: &Particles,
    settings: &SurfaceSettings,
    watch: &dyn Watch,
) -> Result<Surfaced, Error> {
    let wanted = transfer::wanted_columns(particles, &settings.attributes)?;
    let input = Input::new(particles, settings)?;
    watch.progress(0.1);
    let field = evaluate(&input, settings, watch).map_err(|error| blamed(error, particles))?;
    watch.progress(0.7);
    let mut mesh = marching_cubes::extract(&field);
    watch.progress(0.8);
    if settings.smooth > 0 {
        let weights = smoothing::feature_weights(&mesh, &input);
        smoothing::smooth(&mut mesh, settings.smooth, Some(&weights));
    }
    if watch.cancelled() {
        return Err(Error::Cancelled);
    }
    for (name, column) in wanted {
        let carried = transfer::to_vertices(&input, column, mesh.positions());
        mesh.set_attribute(name, carried)?;
    }
    if settings.attributes.iter().any(|name| name == attributes::NORMAL) {
        let normals = if settings.smooth > 0 {
            mesh.vertex_normals()
        } else {
            transfer::normals_from_field(&field, &mesh)
        };
        mesh.set_attribute(attributes::NORMAL, Column::Vec3(normals))?;
    }
    watch.progress(1.0);
    let Input { radius, cell, support, notes, .. } = input;
    Ok(Surfaced { mesh, notes, radius, cell, support })
}

/// The implicit function of the particles on a narrow band of nodes: negative inside.
///
/// It is not a distance; [`crate::LevelSet::from_field`] makes it one.
pub fn implicit_field(
    particles: &Particles,
    settings: &SurfaceSettings,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, Error> {
    let input = Input::new(particles, settings)?;
    evaluate(&input, settings, watch).map_err(|error| blamed(error, particles))
}

/// If memory is short because of an outlier, the error names it.
pub(crate) fn blamed(error: Error, particles: &Particles) -> Error {
    match error {
        Error::OverBudget(refused) => Error::OverBudget(outliers::blame(refused, particles)),
        other => other,
    }
}

fn evaluate(
    input: &Input,
    settings: &SurfaceSettings,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, Error> {
    let cell = input.cell;
    match settings.method {
        Method::Density => band::evaluate(&Density::new(input, settings.threshold), cell, watch),
        Method::ZhuBridson => band::evaluate(&Averaged::new(input, false), cell, watch),
        Method::Solenthaler => band::evaluate(&Averaged::new(input, true), cell, watch),
        Method::Anisotropic => {
            let (stretch, smoothing) = (settings.stretch, settings.center_smoothing);
            let implicit = Anisotropic::new(input, settings.threshold, stretch, smoothing);
            band::evaluate(&implicit, cell, watch)
        }
    }
}
