//! The Laplacian on surface points is that of the function, on uneven sheets and on spheres, and
//! gets better as the points get closer.

mod dynamics_surfaces;

use dynamics_surfaces::{Surface, sheet, sphere, up};
use whitecap_core::glam::Vec3;
use whitecap_waves::dynamics::laplacian::Stencil;
use whitecap_waves::dynamics::{Obstacles, container_walls};

fn stencil(surface: &Surface) -> Stencil {
    Stencil::build(&surface.points, &surface.neighbourhood, &[], surface.fine)
}

/// Root mean square of the error, relative to that of the true value, over the places that count.
fn error(
    found: &[f32],
    surface: &Surface,
    truth: impl Fn(Vec3) -> f32,
    counts: impl Fn(Vec3) -> bool,
) -> f32 {
    let (mut wrong, mut all) = (0.0f64, 0.0f64);
    for (&found, &place) in found.iter().zip(&surface.points.position) {
        if counts(place) {
            wrong += f64::from(found - truth(place)).powi(2);
            all += f64::from(truth(place)).powi(2);
        }
    }
    (wrong / all).sqrt() as f32
}

fn sheet_error(fine: f32, rounds: usize) -> f32 {
    let surface = Surface::new(&sheet(1.0, 1.0, fine, rounds), up, 0.3, fine);
    let (kx, kz) = (9.0, 5.0);
    let heights = surface.values(|p| (kx * p.x + 0.3).sin() * (kz * p.z).cos());
    let found = stencil(&surface).laplacian(&heights);
    let truth = |p: Vec3| -(kx * kx + kz * kz) * (kx * p.x + 0.3).sin() * (kz * p.z).cos();
    let inner = |p: Vec3| p.x.min(p.z) > 0.15 && p.x.max(p.z) < 0.85;
    error(&found, &surface, truth, inner)
}

/// Contract: on a sheet of points that were jittered by a quarter of their spacing and evened out,
/// the error falls at least 2.5-fold each time the spacing is halved, and is below 0.2 % at 61 points
/// to the wave.
#[test]
fn the_error_on_an_even_sheet_falls_with_the_spacing() {
    let errors = [0.04, 0.02, 0.01].map(|fine| sheet_error(fine, 10));
    println!("even sheet: {errors:?}");
    assert!(errors[0] < 0.02 && errors[2] < 0.002, "{errors:?}");
    assert!(errors[0] > 2.5 * errors[1] && errors[1] > 2.5 * errors[2], "{errors:?}");
}

/// Contract: on the jittered sheet itself the error falls too, at least 1.5-fold.
#[test]
fn the_error_on_a_jittered_sheet_falls_with_the_spacing() {
    let errors = [0.04, 0.02, 0.01].map(|fine| sheet_error(fine, 0));
    println!("jittered sheet: {errors:?}");
    assert!(errors[0] > 1.5 * errors[1] && errors[1] > 1.5 * errors[2], "{errors:?}");
}

/// Contract: in the corner of two walls a function that is even about both has its Laplacian to 2 %,
/// within two spacings of both, using only the points in front of the walls.
#[test]
fn both_walls_of_a_corner_reflect() {
    let (fine, corner, k) = (0.02, 0.21, 6.0);
    let surface = Surface::new(&sheet(1.0, 1.0, fine, 10), up, 0.3, fine);
    let container = container_walls(Vec3::new(corner, -1.0, corner), Vec3::splat(3.0));
    // Nothing is known behind the walls.
    let function = |p: Vec3| (k * (p.x - corner)).cos() * (k * (p.z - corner)).cos();
    let heights = surface.values(|p| if p.x.min(p.z) > corner { function(p) } else { f32::NAN });
    let truth = |p: Vec3| -2.0 * k * k * function(p);
    let in_corner = |p: Vec3| p.x.min(p.z) > corner && p.x.max(p.z) < corner + 2.0 * fine;
    let walls = Obstacles::new(&container).walls(&surface.points.position, 2.0 * fine);
    let stencil = Stencil::build(&surface.points, &surface.neighbourhood, &walls, fine);
    let found = error(&stencil.laplacian(&heights), &surface, truth, in_corner);
    println!("corner: {found}");
    assert!(found < 0.02, "{found}");
}

/// Contract: on a sphere of radius R, Δ_S Y = −l(l+1) Y / R² for the spherical harmonics of degree
/// 2 and 3, with an error that falls with the spacing, to below 0.2 % at R/25.
#[test]
fn spherical_harmonics_are_eigenfunctions() {
    let radius = 0.5;
    let error_of = |fine: f32, degree: f32, harmonic: fn(Vec3) -> f32| {
        let places = sphere(Vec3::new(3.0, -2.0, 1.0), radius, fine, 10);
        let center = Vec3::new(3.0, -2.0, 1.0);
        let unit = |p: Vec3| (p - center) / radius;
        let surface = Surface::new(&places, unit, 0.3, fine);
        let found = stencil(&surface).laplacian(&surface.values(|p| harmonic(unit(p))));
        let eigenvalue = -degree * (degree + 1.0) / (radius * radius);
        error(&found, &surface, |p| eigenvalue * harmonic(unit(p)), |_| true)
    };
    let second = |u: Vec3| u.x * u.x - u.z * u.z + u.x * u.y;
    let third = |u: Vec3| 5.0 * u.y * u.y * u.y - 3.0 * u.y;
    for (degree, harmonic) in [(2.0, second as fn(Vec3) -> f32), (3.0, third)] {
        let errors = [0.08, 0.04, 0.02].map(|fine| error_of(fine, degree, harmonic));
        println!("sphere, degree {degree}: {errors:?}");
        assert!(errors[0] > 1.3 * errors[1] && errors[1] > 1.3 * errors[2], "{errors:?}");
        assert!(errors[2] < 0.002, "{errors:?}");
    }
}

/// Contract: a constant has no Laplacian, to the bit; neither has a slope, to rounding, within the
/// sheet; and the bound covers the largest eigenvalue, found by iteration.
#[test]
fn constants_and_slopes_have_none() {
    let fine = 0.02;
    let surface = Surface::new(&sheet(1.0, 1.0, fine, 5), up, 0.3, fine);
    let stencil = stencil(&surface);
    assert!(stencil.laplacian(&vec![7.3; surface.len()]).iter().all(|&v| v == 0.0));
    let slope = stencil.laplacian(&surface.values(|p| 2.0 * p.x - 3.0 * p.z));
    for (&found, &place) in slope.iter().zip(&surface.points.position) {
        let inner = place.x.min(place.z) > 3.0 * fine && place.x.max(place.z) < 1.0 - 3.0 * fine;
        assert!(!inner || found.abs() < 0.02 / fine, "{found} at {place}");
    }
    let mut mode = surface.values(|p| (1e4 * p.x).sin() + (2e4 * p.z).cos());
    let mut eigenvalue = 0.0;
    for _ in 0..200 {
        let next = stencil.laplacian(&mode);
        let length = next.iter().map(|v| v * v).sum::<f32>().sqrt();
        eigenvalue = length / mode.iter().map(|v| v * v).sum::<f32>().sqrt();
        mode = next.iter().map(|v| v / length).collect();
    }
    println!(
        "eigenvalue {} of bound {} in 1/λ_f²",
        eigenvalue * fine * fine,
        stencil.bound() * fine * fine
    );
    assert!(eigenvalue < stencil.bound(), "{eigenvalue} against {}", stencil.bound());
}

/// Contract: points that coincide, are isolated or lie in a row give finite weights.
#[test]
fn degenerate_points_are_harmless() {
    let row: Vec<Vec3> = (0..9).map(|i| Vec3::X * (i as f32 * 0.1)).collect();
    let heap = vec![Vec3::ONE; 20];
    for places in [row, heap, vec![Vec3::ZERO], vec![Vec3::ZERO, Vec3::X * 0.1], vec![]] {
        let surface = Surface::new(&places, up, 0.3, 0.1);
        let stencil = stencil(&surface);
        let found = stencil.laplacian(&surface.values(|p| p.x * p.x));
        assert!(found.iter().all(|v| v.is_finite()) && stencil.bound().is_finite());
    }
}
