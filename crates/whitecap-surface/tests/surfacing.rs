//! Contract: whatever the particles, the surface is closed, 2-manifold, consistently oriented and
//! the same for any number of threads; bad settings give a sentence.

use glam::{Vec3, Vec3Swizzles};
use whitecap_core::scatter::Sequence;
use whitecap_core::{Column, Particles, TriMesh, Unwatched, Watch};
use whitecap_surface::{
    CropBox, Error, Method, SurfaceSettings, Surfaced, report, surface_particles,
};

const METHODS: [Method; 4] =
    [Method::Density, Method::ZhuBridson, Method::Solenthaler, Method::Anisotropic];

fn surface(particles: &Particles, settings: &SurfaceSettings) -> TriMesh {
    surface_particles(particles, settings, &Unwatched).unwrap().mesh
}

fn with_radius(radius: f32) -> SurfaceSettings {
    SurfaceSettings { radius: Some(radius), ..SurfaceSettings::default() }
}

/// Clouds from sparse to crowded, some with repeated points, some flat.
fn random_set(seed: u64) -> Particles {
    let mut random = Sequence::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let count = 1 + (random.fraction() * 400.0) as usize;
    let size = 0.02 + random.fraction() * 0.4;
    let flat = seed.is_multiple_of(5);
    let mut points: Vec<Vec3> = (0..count)
        .map(|_| random.point() * size * if flat { Vec3::new(1.0, 0.0, 1.0) } else { Vec3::ONE })
        .collect();
    if seed.is_multiple_of(3) {
        points.extend_from_within(..count / 2);
    }
    Particles::new(points)
}

#[test]
fn two_hundred_random_particle_sets_give_closed_manifolds() {
    for seed in 0..200 {
        let particles = random_set(seed);
        for method in METHODS {
            let cell = [0.01, 0.006, 0.0045][seed as usize % 3];
            let settings = SurfaceSettings { method, cell: Some(cell), ..with_radius(0.01) };
            let mesh = surface(&particles, &settings);
            let report = report(&mesh);
            assert!(report.is_closed_manifold(), "seed {seed} {method:?}: {report:?}");
            assert!(report.triangles == 0 || report.volume > 0.0, "seed {seed} is inside out");
            assert!(mesh.positions().iter().all(|p| p.is_finite()));
        }
    }
}

fn block(count: i32, spacing: f32) -> Vec<Vec3> {
    (0..count * count * count)
        .map(|i| {
            Vec3::new((i % count) as f32, (i / count % count) as f32, (i / count / count) as f32)
        })
        .map(|p| p * spacing)
        .collect()
}

#[test]
fn same_bytes_for_one_two_and_seven_threads() {
    let particles = random_set(77);
    let mut particles =
        Particles::new(particles.positions().iter().chain(&block(16, 0.02)).copied().collect());
    let velocity = particles.positions().iter().map(|p| p.yzx()).collect();
    particles.set_attribute("velocity", Column::Vec3(velocity)).unwrap();
    for method in METHODS {
        let settings = SurfaceSettings {
            method,
            cell: Some(0.005),
            smooth: 3,
            attributes: vec!["velocity".into(), "normal".into()],
            ..with_radius(0.01)
        };
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| surface(&particles, &settings))
        };
        let one = with_threads(1);
        assert!(one == with_threads(2), "{method:?}");
        assert!(one == with_threads(7), "{method:?}");
    }
}

/// Contract: a block of liquid has about the volume of its particles with every method.
#[test]
fn a_block_has_its_volume() {
    let (count, spacing) = (20, 0.02);
    let particles = Particles::new(block(count, spacing));
    let expected = f64::from(count as f32 * spacing).powi(3);
    for method in METHODS {
        let settings = SurfaceSettings { method, cell: Some(0.007), ..with_radius(0.5 * spacing) };
        let report = report(&surface(&particles, &settings));
        assert_eq!((report.components, report.euler_characteristic), (1, 2), "{method:?}");
        let ratio = report.volume / expected;
        assert!((0.85..1.15).contains(&ratio), "{method:?}: {ratio}");
    }
}

/// Contract: Solenthaler's correction removes the false surface that Zhu–Bridson spans between
/// two distant groups of particles.
#[test]
fn solenthaler_does_not_bridge_distant_particles() {
    let ball = |center: Vec3| {
        block(9, 0.01)
            .into_iter()
            .map(|p| p - 0.04)
            .filter(|p| p.length() < 0.035)
            .map(move |p| p + center)
            .collect::<Vec<_>>()
    };
    for distance in [0.083, 0.086, 0.089] {
        let mut points = ball(Vec3::ZERO);
        points.extend(ball(Vec3::new(distance, 0.0, 0.0)));
        let particles = Particles::new(points);
        let components = |method| {
            let settings = SurfaceSettings { method, cell: Some(0.0025), ..with_radius(0.005) };
            report(&surface(&particles, &settings)).components
        };
        assert_eq!(components(Method::ZhuBridson), 3, "the case must show the artefact");
        assert_eq!(components(Method::Solenthaler), 2);
    }
}

/// Contract: one outlier far away adds its own drop and changes nothing else.
#[test]
fn an_outlier_ten_kilometres_away_only_adds_a_drop() {
    let mut points = block(12, 0.02);
    let settings = SurfaceSettings { cell: Some(0.005), ..with_radius(0.01) };
    let near = surface(&Particles::new(points.clone()), &settings);
    points.push(Vec3::new(1e4, 0.0, 0.0));
    let far = surface(&Particles::new(points), &settings);
    let (near, far) = (report(&near), report(&far));
    assert_eq!(far.components, near.components + 1);
    assert!(far.triangles < near.triangles + 2000);
}

/// Contract: velocities arrive at the vertices as the particles have them, ids come from real
/// particles, normals are unit length and point outwards.
#[test]
fn attributes_arrive_at_the_vertices() {
    let points = block(10, 0.02);
    let mut particles = Particles::new(points.clone());
    let flow = |p: Vec3| Vec3::new(1.0 + 2.0 * p.x, -p.y, 0.5);
    let velocity = points.iter().map(|&p| flow(p)).collect();
    particles.set_attribute("velocity", Column::Vec3(velocity)).unwrap();
    particles.set_attribute("id", Column::I32((0..1000).map(|i| i * 3).collect())).unwrap();
    let settings = SurfaceSettings {
        cell: Some(0.005),
        attributes: vec!["velocity".into(), "id".into(), "normal".into()],
        ..with_radius(0.01)
    };
    let mesh = surface(&particles, &settings);
    let Some(Column::Vec3(velocity)) = mesh.attribute("velocity") else { panic!("no velocity") };
    let Some(Column::I32(ids)) = mesh.attribute("id") else { panic!("no ids") };
    let Some(Column::Vec3(normals)) = mesh.attribute("normal") else { panic!("no normals") };
    let center = Vec3::splat(0.09);
    for (i, &p) in mesh.positions().iter().enumerate() {
        let inner = p.clamp(Vec3::ZERO, Vec3::splat(0.18));
        assert!((velocity[i] - flow(inner)).length() < 0.05, "at {p}: {}", velocity[i]);
        assert!(ids[i] % 3 == 0 && (0..3000).contains(&ids[i]));
        assert!((normals[i].length() - 1.0).abs() < 1e-4);
        assert!(normals[i].dot(p - center) > 0.0, "normal at {p} is {}", normals[i]);
    }
}

/// Contract: smoothing calms bumps, keeps the volume to a thousandth and leaves isolated drops as they are.
#[test]
fn smoothing_keeps_volume_and_drops() {
    let mut random = Sequence::new(5);
    let mut points: Vec<Vec3> =
        block(16, 0.02).into_iter().map(|p| p + random.point() * 0.01 - 0.005).collect();
    points.push(Vec3::new(1.0, 0.0, 0.0));
    let particles = Particles::new(points);
    let settings = SurfaceSettings { cell: Some(0.006), ..with_radius(0.01) };
    let rough = surface(&particles, &settings);
    let smooth = surface(&particles, &SurfaceSettings { smooth: 20, ..settings });
    let (before, after) = (report(&rough), report(&smooth));
    assert!((after.volume / before.volume - 1.0).abs() < 1e-3);
    assert!(after.area < 0.97 * before.area, "{} {}", after.area, before.area);
    let drop = |mesh: &TriMesh| {
        let far = mesh.positions().iter().filter(|p| p.x > 0.9);
        far.map(|p| p.distance(Vec3::new(1.0, 0.0, 0.0))).fold(0.0, f32::max)
    };
    assert!((drop(&smooth) / drop(&rough) - 1.0).abs() < 0.05);
}

/// Contract: particle radii from a column make large particles large.
#[test]
fn a_radius_column_is_used() {
    let mut particles = Particles::new(vec![Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0)]);
    particles.set_attribute("radius", Column::F32(vec![0.1, 0.2])).unwrap();
    let settings = SurfaceSettings { cell: Some(0.03), ..SurfaceSettings::default() };
    let mesh = surface(&particles, &settings);
    let extent = |center: f32| {
        let near = mesh.positions().iter().filter(|p| (p.x - center).abs() < 0.5);
        near.map(|p| p.distance(Vec3::new(center, 0.0, 0.0))).fold(0.0, f32::max)
    };
    assert!((extent(1.0) / extent(0.0) - 2.0).abs() < 0.1, "{} {}", extent(0.0), extent(1.0));
}

/// Contract: without a radius, half the spacing is estimated and reported, outlier or not.
#[test]
fn the_radius_is_estimated_and_said() {
    let mut points = block(12, 0.05);
    points.push(Vec3::splat(5e3));
    let surfaced =
        surface_particles(&Particles::new(points), &SurfaceSettings::default(), &Unwatched)
            .unwrap();
    assert!((surfaced.radius / 0.025 - 1.0).abs() < 0.02, "{}", surfaced.radius);
    assert!(surfaced.notes.iter().any(|note| note.contains("radius")), "{:?}", surfaced.notes);
}

#[test]
fn no_particle_and_one_particle_work() {
    assert!(surface(&Particles::default(), &SurfaceSettings::default()).triangles().is_empty());
    for method in METHODS {
        let settings = SurfaceSettings { method, cell: Some(0.05), ..with_radius(0.1) };
        let alone = report(&surface(&Particles::new(vec![Vec3::ONE]), &settings));
        assert_eq!(alone.euler_characteristic, 2, "{method:?}");
        assert!(alone.volume > 0.3 * 4.2 * 0.1f64.powi(3), "{method:?}: {alone:?}");
    }
}

fn failure(particles: &Particles, settings: &SurfaceSettings) -> Error {
    surface_particles(particles, settings, &Unwatched).map(|s: Surfaced| s.notes).unwrap_err()
}

/// Contract: each impossible request gets its own error message.
#[test]
fn bad_requests_are_refused_with_a_sentence() {
    let some = Particles::new(block(3, 0.1));
    let broken = Particles::new(vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)]);
    let message = failure(&broken, &with_radius(0.1)).to_string();
    assert!(message.contains("particle 1"), "{message}");

    assert!(matches!(failure(&some, &with_radius(-1.0)), Error::Length { name: "radius", .. }));
    let settings = SurfaceSettings { cell: Some(0.0), ..with_radius(0.05) };
    assert!(matches!(failure(&some, &settings), Error::Length { name: "cell", .. }));
    let settings = SurfaceSettings { cell: Some(1e-5), ..with_radius(0.05) };
    assert!(matches!(failure(&some, &settings), Error::CellTooSmall { .. }));
    let settings = SurfaceSettings { support: Some(0.01), ..with_radius(0.05) };
    assert!(matches!(failure(&some, &settings), Error::SupportTooSmall { .. }));
    let settings = SurfaceSettings { attributes: vec!["heat".into()], ..with_radius(0.05) };
    assert!(failure(&some, &settings).to_string().contains("no attribute `heat`"));
    let crop = Some(CropBox { min: [0.0, 1.0, 0.0], max: [1.0, 0.0, 1.0] });
    let settings = SurfaceSettings { crop, ..with_radius(0.05) };
    assert_eq!(failure(&some, &settings), Error::EmptyCrop { axis: 'y' });
    let alone = Particles::new(vec![Vec3::ZERO]);
    assert!(matches!(failure(&alone, &SurfaceSettings::default()), Error::RadiusUnknown { .. }));
    let far = Particles::new(vec![Vec3::splat(1e30)]);
    assert!(matches!(failure(&far, &with_radius(0.01)), Error::TooFar { .. }));
    let mut odd = some.clone();
    odd.set_attribute("radius", Column::F32(vec![-1.0; 27])).unwrap();
    assert!(matches!(failure(&odd, &SurfaceSettings::default()), Error::ParticleRadius { .. }));
}

struct Impatient;

impl Watch for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_cancelled_run_stops_with_a_sentence() {
    let particles = Particles::new(block(10, 0.02));
    let outcome = surface_particles(&particles, &with_radius(0.01), &Impatient);
    assert_eq!(outcome.map(|s| s.notes).unwrap_err(), Error::Cancelled);
}
