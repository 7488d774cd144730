//! Contracts of surface, blind and interior tags.

mod shapes;

use shapes::points_in_cube;
use whitecap_core::glam::{UVec3, Vec3};
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{Particles, TriMesh, Unwatched};
use whitecap_scene::SceneError;
use whitecap_scene::tags::{
    BLIND, INNER, INTERIOR, SURFACE, Thresholds, blind_shares, tag, tag_with,
};
use whitecap_surface::{SurfaceSettings, surface_particles};

const SPACING: f32 = 0.05;

/// A lattice of particles, each moved by up to `jitter` spacings along each axis.
fn lattice(counts: UVec3, jitter: f32) -> Vec<Vec3> {
    let total = (counts.x * counts.y * counts.z) as usize;
    let place = |i: u32| {
        Vec3::new(
            (i % counts.x) as f32,
            (i / counts.x % counts.y) as f32,
            (i / counts.x / counts.y) as f32,
        )
    };
    let moved = |(i, offset)| (place(i) + jitter * offset) * SPACING;
    (0..total as u32).zip(points_in_cube(total)).map(moved).collect()
}

/// Liquid as it looks in a splash: a wavy pool with a bubble, a drop above it and a thin sheet.
fn splash(jitter: f32) -> Vec<Vec3> {
    let inside = |p: &Vec3| {
        let p = *p / SPACING;
        let height = 24.0 + 4.0 * (0.25 * p.x).sin() * (0.2 * p.z).cos();
        let bubble = p.distance(Vec3::new(14.0, 12.0, 18.0)) < 4.5;
        let drop = p.distance(Vec3::new(10.0, 40.0, 12.0)) < 6.0;
        let sheet = (34.4..36.4).contains(&p.y) && p.x > 20.0;
        p.y < height && !bubble || drop || sheet
    };
    lattice(UVec3::new(40, 50, 36), jitter).into_iter().filter(inside).collect()
}

fn surfaced(positions: Vec<Vec3>) -> TriMesh {
    let settings = SurfaceSettings { radius: Some(0.5 * SPACING), ..Default::default() };
    surface_particles(&Particles::new(positions), &settings, &Unwatched).unwrap().mesh
}

/// Largest distance from `reference`, in spacings, of the vertices of `mesh` that satisfy `wanted`.
fn largest_distance(mesh: &TriMesh, reference: &TriMesh, wanted: impl Fn(usize) -> bool) -> f32 {
    let bvh = TriangleBvh::build(reference);
    let distance = |p: Vec3| bvh.closest_point(p, f32::INFINITY).unwrap().distance_squared.sqrt();
    let chosen = mesh.positions().iter().enumerate().filter(|(vertex, _)| wanted(*vertex));
    chosen.map(|(_, &p)| distance(p)).fold(0.0, f32::max) / SPACING
}

/// Contract: in a block on a lattice exactly the outermost layer is surface, the layers within the
/// blind distance are blind, and the rest is interior.
#[test]
fn a_block_has_one_surface_layer() {
    let counts = UVec3::splat(16);
    let tags = tag(&lattice(counts, 0.0), SPACING).unwrap();
    for (i, &found) in tags.types.iter().enumerate() {
        let node = UVec3::new(i as u32 % 16, i as u32 / 16 % 16, i as u32 / 256);
        let depth = node.min(counts - 1 - node).min_element();
        let expected = match depth {
            0 => SURFACE,
            1..=3 => BLIND,
            _ => INTERIOR,
        };
        assert_eq!(found, expected, "{node}");
    }
    assert_eq!(tags.surface, 16usize.pow(3) - 14usize.pow(3));
    assert_eq!(tags.blind, 14usize.pow(3) - 8usize.pow(3));
    assert_eq!(tags.kept().len(), 16usize.pow(3) - 8usize.pow(3));
    assert!((tags.kept_share() - tags.kept().len() as f64 / 4096.0).abs() < 1e-12);
}

/// Contract: particles alone, in a thread and in a sheet of one layer are surface.
#[test]
fn spray_threads_and_sheets_are_surface() {
    for counts in [UVec3::ONE, UVec3::new(30, 1, 1), UVec3::new(30, 1, 30), UVec3::new(30, 2, 30)] {
        let positions = lattice(counts, 0.0);
        let tags = tag(&positions, SPACING).unwrap();
        assert!(tags.types.iter().all(|&found| found == SURFACE), "{counts}");
        assert_eq!(tags.kept_share(), 1.0);
    }
}

/// Contract: the surface of surface and blind particles is the surface of all particles, where the
/// share of blind density says that it is the outer one; what it adds is the inner one, and lies
/// inside the liquid. Even and uneven particles, waves, a bubble, a drop and a sheet.
#[test]
fn surface_and_blind_particles_give_the_whole_surface() {
    for jitter in [0.0, 0.08, 0.15] {
        let all = splash(jitter);
        let tags = tag(&all, SPACING).unwrap();
        let kept: Vec<Vec3> = tags.kept().iter().map(|&i| all[i as usize]).collect();
        let types: Vec<i32> = tags.kept().iter().map(|&i| tags.types[i as usize]).collect();
        let (whole, hollow) = (surfaced(all.clone()), surfaced(kept.clone()));
        let shares = blind_shares(&kept, &types, SPACING, hollow.positions()).unwrap();
        let outer = |vertex: usize| shares[vertex] <= INNER;
        let added = largest_distance(&hollow, &whole, outer);
        let lost = largest_distance(&whole, &hollow, |_| true);
        let inner = shares.iter().filter(|&&share| share > INNER).count();
        assert!(tags.kept_share() < 0.7, "{}", tags.kept_share());
        assert!(inner > 100, "the hollow has a surface of its own");
        assert!(added < 0.01 && lost < 0.01, "jitter {jitter}: {added} {lost}");
        // On the outer surface itself, no place is mistaken for the inner one.
        let on_whole = blind_shares(&kept, &types, SPACING, whole.positions()).unwrap();
        let mistaken = on_whole.iter().filter(|&&share| share > INNER).count();
        assert_eq!(mistaken, 0, "jitter {jitter}, of {}", on_whole.len());
    }
}

/// Contract: the tags are the same for 1, 2 and 7 threads and move with the particles when these
/// are given in another order.
#[test]
fn tags_do_not_depend_on_threads_or_order() {
    let positions = splash(0.2);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| tag(&positions, SPACING).unwrap())
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(7));
    let reversed: Vec<Vec3> = positions.iter().rev().copied().collect();
    let mut tags = tag(&reversed, SPACING).unwrap();
    tags.types.reverse();
    let different = one.types.iter().zip(&tags.types).filter(|(a, b)| a != b).count();
    assert!(different <= positions.len() / 10_000, "{different}");
}

/// Contract: no particles give no tags; impossible spacings, thresholds and positions are refused.
#[test]
fn bad_input_is_refused() {
    assert_eq!(tag(&[], SPACING).unwrap().types, [0; 0]);
    for spacing in [0.0, -1.0, f32::NAN] {
        assert!(matches!(tag(&[Vec3::ZERO], spacing), Err(SceneError::Length { .. })));
        assert!(blind_shares(&[], &[], spacing, &[]).is_err());
    }
    let positions = [Vec3::ZERO, Vec3::NAN];
    let refused = tag(&positions, SPACING);
    assert!(matches!(refused, Err(SceneError::NonFinitePosition { index: 1, .. })));
    let thresholds = Thresholds { blind: 0.0, ..Thresholds::default() };
    assert!(tag_with(&[Vec3::ZERO], SPACING, &thresholds).is_err());
    let far = blind_shares(&[Vec3::ZERO], &[BLIND], SPACING, &[Vec3::X, Vec3::ZERO]).unwrap();
    assert_eq!(far, [0.0, 1.0]);
}
