//! Whether a mesh can be tracked: each problem is reported with its remedy.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::outliers::{Outlier, outliers};
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{Bounds, Particles, TriMesh};
use whitecap_surface::{report, self_intersections};

use crate::error::TrackError;
use crate::settings::TrackSettings;

/// Mesh and particles may differ in size by this factor.
const LARGEST_RATIO: f32 = 8.0;
/// How far from the coarse surface detail may reach, in particle spacings.
pub(crate) const FARTHEST_DETAIL: f32 = 4.0;
/// Share of the mesh that may lie farther away.
const LARGEST_STRAY_SHARE: f32 = 0.5;

/// The particle spacing: from the settings, from the particles' radius, or estimated.
pub(crate) fn spacing_of(
    particles: &Particles,
    settings: &TrackSettings,
) -> Result<f32, TrackError> {
    if let Some(spacing) = settings.spacing {
        return Ok(spacing);
    }
    whitecap_surface::spacing_of(particles)
        .ok_or(TrackError::SpacingUnknown { count: particles.len() })
}

/// Fails at the first problem with the mesh, by itself or relative to the particles.
pub(crate) fn check(mesh: &TriMesh, particles: &Particles) -> Result<(), TrackError> {
    particles.check_finite()?;
    if mesh.triangles().is_empty() {
        return Err(TrackError::EmptyMesh);
    }
    if let Some(vertex) = mesh.positions().iter().position(|p| !p.is_finite()) {
        return Err(TrackError::NonFiniteVertex { vertex, position: mesh.positions()[vertex] });
    }
    check_size(mesh, particles)?;
    check_surface(mesh)
}

/// Fails if a mesh and the particles it is the surface of are of different sizes, as they are in
/// different units. Particles that flew off do not count.
pub fn check_size(mesh: &TriMesh, particles: &Particles) -> Result<(), TrackError> {
    let with_all = check_scale(mesh.bounds(), Bounds::of(particles.positions()));
    if with_all.is_ok() {
        return with_all;
    }
    let strays: Vec<usize> = outliers(particles).iter().map(Outlier::index).collect();
    let mut rest = Bounds::EMPTY;
    for (index, &position) in particles.positions().iter().enumerate() {
        if strays.binary_search(&index).is_err() {
            rest = rest.with(position);
        }
    }
    check_scale(mesh.bounds(), rest)
}

fn check_scale(mesh: Bounds, particles: Bounds) -> Result<(), TrackError> {
    let (mesh_size, particle_size) = (mesh.size().max_element(), particles.size().max_element());
    let ratio = mesh_size / particle_size;
    if particle_size <= 0.0 || (ratio < LARGEST_RATIO && ratio > 1.0 / LARGEST_RATIO) {
        return Ok(());
    }
    let scale = 10f32.powi(-(ratio.log10().round() as i32));
    Err(TrackError::Scale { mesh_size, particle_size, ratio, scale })
}

fn check_surface(mesh: &TriMesh) -> Result<(), TrackError> {
    let found = report(mesh);
    if found.open_edges > 0 {
        return Err(TrackError::OpenMesh { open: found.open_edges });
    }
    let (edges, vertices) = (found.non_manifold_edges, found.non_manifold_vertices);
    if edges + vertices > 0 {
        return Err(TrackError::NonManifold { edges, vertices });
    }
    if found.volume <= 0.0 {
        return Err(TrackError::InsideOut { volume: found.volume });
    }
    match self_intersections(mesh) {
        0 => Ok(()),
        pairs => Err(TrackError::SelfIntersecting { pairs }),
    }
}

/// The largest distance of a vertex from the coarse surface, among those within reach; fails if
/// most of the mesh is out of reach.
pub(crate) fn largest_detail(
    positions: &[Vec3],
    coarse: &TriMesh,
    particles: &Particles,
    spacing: f32,
) -> Result<f32, TrackError> {
    let reach = FARTHEST_DETAIL * spacing;
    let bvh = TriangleBvh::build(coarse);
    let distances: Vec<Option<f32>> = positions
        .par_iter()
        .map(|&p| bvh.closest_point(p, reach).map(|found| found.distance_squared.sqrt()))
        .collect();
    let stray = distances.iter().filter(|d| d.is_none()).count();
    let share = stray as f32 / positions.len().max(1) as f32;
    if share > LARGEST_STRAY_SHARE {
        return Err(TrackError::FarFromParticles {
            share: 100.0 * share,
            reach,
            mesh_center: Bounds::of(positions).center(),
            particle_center: Bounds::of(particles.positions()).center(),
        });
    }
    Ok(distances.into_iter().flatten().fold(0.0, f32::max))
}
