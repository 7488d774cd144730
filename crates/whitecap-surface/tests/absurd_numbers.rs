//! Contract: finite but absurd numbers end at once, with a right result or with a sentence that has
//! the numbers and names the particle. Memory is limited to a gigabyte, so that results are the same
//! on every machine.

use std::time::{Duration, Instant};

use glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Unwatched, budget};
use whitecap_surface::{
    Error, LevelSetError, Method, SurfaceSettings, distance_volume, particle_spacing,
    surface_particles,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// A cube of particles, 0.02 m apart, with a radius of 0.01 m.
fn block() -> (Vec<Vec3>, Vec<f32>) {
    let cells =
        (0..1000).map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32));
    (cells.map(|cell| 0.02 * cell).collect(), vec![0.01; 1000])
}

fn particles(positions: Vec<Vec3>, radii: Vec<f32>) -> Particles {
    let mut particles = Particles::new(positions);
    particles.set_attribute("radius", Column::F32(radii)).unwrap();
    particles
}

/// The error of every method.
fn errors(particles: &Particles) -> Vec<Error> {
    budget::set_memory_limit(Some(1_000_000_000));
    let methods = [Method::Density, Method::ZhuBridson, Method::Solenthaler, Method::Anisotropic];
    let started = Instant::now();
    let errors = methods.map(|method| {
        let settings = SurfaceSettings { method, ..SurfaceSettings::default() };
        surface_particles(particles, &settings, &Unwatched).unwrap_err()
    });
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    errors.to_vec()
}

#[test]
fn a_radius_of_2e38_among_three_particles() {
    let positions = vec![Vec3::ZERO, 0.2 * Vec3::X, 0.2 * Vec3::Y];
    for error in errors(&particles(positions, vec![0.1, 0.1, 2e38])) {
        assert!(error.to_string().contains("particle 2 has the radius 2e38 m"), "{error}");
    }
}

#[test]
fn a_radius_of_5e37() {
    let (mut positions, mut radii) = block();
    positions.push(0.3 * Vec3::Z);
    radii.push(5e37);
    for error in errors(&particles(positions, radii)) {
        assert!(error.to_string().contains("particle 1000 has the radius 5e37 m"), "{error}");
    }
    let all = particles(vec![Vec3::ZERO, Vec3::X], vec![5e37; 2]);
    assert!(errors(&all)[0].to_string().contains("particle 0"));
}

#[test]
fn one_radius_of_1000_m_among_centimetres() {
    let (mut positions, mut radii) = block();
    positions.push(0.3 * Vec3::Z);
    radii.push(1000.0);
    for error in errors(&particles(positions, radii)) {
        assert!(matches!(error, Error::OverBudget(_)), "{error}");
        let sentence = error.to_string();
        for words in ["GB", "particle 1000 has the radius 1000 m", "leave it out"] {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}

#[test]
fn one_particle_at_1e38() {
    let (mut positions, _) = block();
    positions.push(Vec3::new(1e38, 0.0, 0.0));
    let started = Instant::now();
    let spacing = particle_spacing(&positions).unwrap();
    assert!((0.018..0.022).contains(&spacing), "{spacing}");
    for error in errors(&Particles::new(positions)) {
        assert!(error.to_string().contains("particle 1000"), "{error}");
    }
    let three = [Vec3::ZERO, 0.2 * Vec3::X, Vec3::new(1e38, 0.0, 0.0)];
    assert!(particle_spacing(&three).is_none_or(|spacing| spacing > 0.0));
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}

fn needle(length: f32) -> TriMesh {
    let corners = vec![Vec3::ZERO, Vec3::splat(length), 0.1 * Vec3::Y, 0.1 * Vec3::X];
    TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

#[test]
fn a_needle_of_100_km_as_a_distance_field() {
    budget::set_memory_limit(Some(1_000_000_000));
    let refused = distance_volume(&needle(1e5), 1.0, &Unwatched).unwrap_err();
    assert!(matches!(refused, LevelSetError::OverBudget(_)));
    assert!(refused.to_string().contains("larger cells"), "{refused}");
}

#[test]
fn a_cell_of_1e_4_for_a_mesh_of_a_metre() {
    budget::set_memory_limit(Some(1_000_000_000));
    let started = Instant::now();
    let refused = distance_volume(&needle(1.0), 1e-4, &Unwatched).unwrap_err();
    assert!(refused.to_string().contains("larger cells"), "{refused}");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    assert!(distance_volume(&needle(1.0), 0.05, &Unwatched).is_ok());
}
