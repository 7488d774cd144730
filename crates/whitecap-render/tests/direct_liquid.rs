//! Contract: a particle liquid is hit where its implicit function changes sign, and nowhere else: from
//! outside and inside, at rest and in motion, with and without the particles that no ray sees.

use glam::Vec3;
use whitecap_core::scatter::Sequence;
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_render::liquid::{LiquidError, LiquidMethod, LiquidSettings, Shutter};
use whitecap_render::{LevelSetLiquid, ParticleLiquid, Ray, Shape};
use whitecap_scene::tags;
use whitecap_surface::{
    FieldKind, LevelSet, Method, ParticleField, SurfaceSettings, surface_particles,
};

const METHODS: [(LiquidMethod, FieldKind); 5] = [
    (LiquidMethod::Density, FieldKind::Density),
    (LiquidMethod::ZhuBridson, FieldKind::ZhuBridson),
    (LiquidMethod::Solenthaler, FieldKind::Solenthaler),
    (LiquidMethod::Anisotropic, FieldKind::Anisotropic),
    (LiquidMethod::Blobs, FieldKind::Blobs),
];
const RADIUS: f32 = 0.01;

/// Points and rays that can be reproduced from their seed.
struct Random(Sequence);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Sequence::new(seed))
    }

    fn signed(&mut self) -> Vec3 {
        self.0.point() * 2.0 - 1.0
    }

    /// A ray through the unit-size scene, sometimes along an axis, sometimes from within.
    fn ray(&mut self, size: f32) -> Ray {
        let target = self.signed() * 0.5 * size;
        let direction = match (self.0.fraction() * 10.0) as u32 {
            0 => [Vec3::X, Vec3::NEG_Y, Vec3::Z][(self.0.fraction() * 3.0) as usize],
            _ => (self.signed() + Vec3::new(1e-4, 0.0, 0.0)).normalize(),
        };
        let back = if self.0.fraction() < 0.3 { 0.0 } else { 2.0 * size };
        Ray { origin: target - back * direction, direction, time: 0.0, far: 6.0 * size }
    }
}

/// A jittered ball with a bubble in it, a thin sheet beside it and a few drops.
fn splash(seed: u64) -> Vec<Vec3> {
    let mut random = Random::new(seed * 77 + 5);
    let mut points = Vec::new();
    for i in 0..16 * 16 * 16 {
        let p = Vec3::new((i % 16) as f32, (i / 16 % 16) as f32, (i / 256) as f32) * 0.02 - 0.15;
        let bubble = p.distance(Vec3::new(0.03, 0.02, 0.0));
        if p.length() < 0.14 && bubble > 0.045 {
            points.push(p + random.signed() * 0.004);
        }
    }
    for i in 0..64 {
        let p = Vec3::new((i % 8) as f32 * 0.02, 0.2, (i / 8) as f32 * 0.02);
        points.push(p + random.signed() * 0.003);
    }
    points.extend((0..30).map(|_| random.signed() * 0.22));
    points
}

fn settings(method: LiquidMethod) -> LiquidSettings {
    LiquidSettings { method, radius: Some(RADIUS), ..LiquidSettings::default() }
}

fn reference(particles: &Particles, kind: FieldKind) -> ParticleField {
    let support = if kind == FieldKind::Blobs { 3.0 } else { 4.0 } * RADIUS;
    let surface = SurfaceSettings {
        radius: Some(RADIUS),
        support: Some(support),
        ..SurfaceSettings::default()
    };
    ParticleField::new(particles, kind, &surface).unwrap()
}

/// The first change of sign found by small steps and bisection.
fn dense_march(field: &ParticleField, ray: &Ray, step: f32) -> Option<f32> {
    let inside = |t: f32| field.value(ray.at(t)) < 0.0;
    let start = inside(0.0);
    let steps = (ray.far / step) as u32;
    let first = (1..steps).find(|&i| inside(i as f32 * step) != start)?;
    let (mut low, mut high) = ((first - 1) as f32 * step, first as f32 * step);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if inside(middle) == start { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Contract: random rays hit where dense marching over the defining function hits; a disagreement is
/// allowed only where the ray grazes the surface within a step of the dense march.
#[test]
fn random_rays_agree_with_dense_marching() {
    for (method, kind) in METHODS {
        let (mut hits, mut grazes) = (0, 0);
        for seed in 0..3 {
            let particles = Particles::new(splash(seed));
            let liquid =
                ParticleLiquid::new(&particles, &settings(method), Shutter::STILL).unwrap();
            let field = reference(&particles, kind);
            let mut random = Random::new(seed + 1000);
            for _ in 0..150 {
                let ray = random.ray(0.3);
                let found = liquid.intersect(&ray).map(|hit| hit.distance);
                let expected = dense_march(&field, &ray, 0.05 * RADIUS);
                match (found, expected) {
                    (None, None) => {}
                    (Some(a), Some(b)) if (a - b).abs() < 2e-3 * RADIUS => hits += 1,
                    (a, b) => {
                        // The nearer of the two must be real, and shallow: what lies behind it, up
                        // to where the sign is as before, is thin or almost nothing.
                        let at = a.unwrap_or(f32::INFINITY).min(b.unwrap_or(f32::INFINITY));
                        let depth = |t: f32| field.value(ray.at(t)) / field.background();
                        let sign = depth(at - 2e-3 * RADIUS).signum();
                        let behind = (0..200).map(|i| -sign * depth(at + 2e-3 * i as f32 * RADIUS));
                        let deepest = behind.take_while(|d| *d > -1e-4).fold(0.0, f32::max);
                        // Zhu–Bridson creates thin spurious surfaces midway between separate
                        // particles.
                        let steep = (depth(at) - depth(at - 2e-3 * RADIUS)).abs() > 4.0 * 2e-3;
                        let false_surface = kind == FieldKind::ZhuBridson && steep;
                        assert!(
                            deepest < 5e-3 || false_surface,
                            "{method:?}: {a:?}, {b:?}, depth {deepest}"
                        );
                        grazes += 1;
                    }
                }
            }
        }
        assert!(hits > 150 && grazes < 10, "{method:?}: {hits} hits, {grazes} grazes");
    }
}

/// Contract: with motion the surface at a ray's time is that of the particles moved to that time, for
/// slow particles and for some far faster than the rest.
#[test]
fn rays_see_the_particles_of_their_time() {
    let shutter = Shutter { open: -0.01, close: 0.02 };
    for (method, kind) in METHODS {
        let positions = splash(7);
        let mut random = Random::new(99);
        let velocities: Vec<Vec3> = (0..positions.len())
            .map(|i| if i % 200 == 0 { random.signed() * 30.0 } else { random.signed() * 0.4 })
            .collect();
        let mut particles = Particles::new(positions.clone());
        particles.set_attribute("velocity", Column::Vec3(velocities.clone())).unwrap();
        let liquid = ParticleLiquid::new(&particles, &settings(method), shutter).unwrap();
        let still = reference(&particles, kind);
        let (mut agree, mut all) = (0, 0);
        for time in [-0.01f32, 0.004, 0.0171] {
            let field = still.moved(|i| velocities[i as usize] * time);
            for _ in 0..60 {
                let ray = Ray { time, ..random.ray(0.3) };
                let found = liquid.intersect(&ray).map(|hit| hit.distance);
                let expected = dense_march(&field, &ray, 0.05 * RADIUS);
                all += 1;
                agree += u32::from(match (found, expected) {
                    (None, None) => true,
                    (Some(a), Some(b)) => (a - b).abs() < 3e-3 * RADIUS,
                    _ => false,
                });
            }
        }
        assert!(agree >= all - 3, "{method:?}: {agree} of {all}");
    }
}

/// Contract: a drop that moves is seen v·t away, its hits carry its velocity and id, and two drops
/// that collide are one in the middle of the shutter.
#[test]
fn motion_moves_the_surface_and_drops_merge() {
    let mut drop = Particles::new(vec![Vec3::ZERO]);
    drop.set_attribute("velocity", Column::Vec3(vec![Vec3::new(2.0, 0.0, 0.0)])).unwrap();
    drop.set_attribute("id", Column::I64(vec![4_000_000_001])).unwrap();
    let shutter = Shutter { open: 0.0, close: 0.05 };
    let liquid = ParticleLiquid::new(&drop, &settings(LiquidMethod::Blobs), shutter).unwrap();
    for time in [0.0, 0.025, 0.05] {
        let ray = Ray { origin: Vec3::NEG_X, direction: Vec3::X, time, far: 10.0 };
        let hit = liquid.intersect(&ray).unwrap();
        assert!((hit.distance - (1.0 + 2.0 * time - RADIUS)).abs() < 1e-5, "{}", hit.distance);
        assert_eq!(hit.velocity, Vec3::new(2.0, 0.0, 0.0));
        assert_eq!((hit.element, hit.particle), (0, Some(4_000_000_001)));
        assert!((hit.geometric_normal + Vec3::X).length() < 1e-4);
    }
    let apart = 0.05;
    let mut pair = Particles::new(vec![Vec3::new(-apart, 0.0, 0.0), Vec3::new(apart, 0.0, 0.0)]);
    let towards = vec![Vec3::X, Vec3::NEG_X];
    pair.set_attribute("velocity", Column::Vec3(towards)).unwrap();
    let shutter = Shutter { open: 0.0, close: 0.1 };
    let liquid = ParticleLiquid::new(&pair, &settings(LiquidMethod::Blobs), shutter).unwrap();
    let middle = |time| liquid.contains(Vec3::ZERO, time);
    assert_eq!([0.0, 0.035, 0.05, 0.065, 0.1].map(middle), [false, true, true, true, false]);
    let down = |time| Ray { origin: Vec3::Y, direction: Vec3::NEG_Y, time, far: 10.0 };
    assert!(liquid.intersect(&down(0.0)).is_none() && liquid.intersect(&down(0.05)).is_some());
}

/// Contract: surface and blind particles alone give the picture of all particles, from outside and
/// from inside, and know their inside.
#[test]
fn blind_particles_give_the_picture_of_all_particles() {
    let spacing = 2.0 * RADIUS;
    let mut random = Random::new(3);
    let positions: Vec<Vec3> = (0..32 * 24 * 32)
        .map(|i| Vec3::new((i % 32) as f32, (i / 32 % 24) as f32, (i / 768) as f32) * spacing)
        .map(|p| p + random.signed() * 0.2 * RADIUS)
        .collect();
    let tagged = tags::tag(&positions, spacing).unwrap();
    let kept = tagged.kept();
    assert!(kept.len() < positions.len() * 3 / 4, "{} of {}", kept.len(), positions.len());
    let mut all = Particles::new(positions);
    all.set_attribute("type", Column::I32(tagged.types)).unwrap();
    let few = all.gather(&kept);
    let middle = Vec3::new(15.5, 11.5, 15.5) * spacing;
    for method in [LiquidMethod::Density, LiquidMethod::ZhuBridson, LiquidMethod::Anisotropic] {
        let full = ParticleLiquid::new(&all, &settings(method), Shutter::STILL).unwrap();
        let thin = ParticleLiquid::new(&few, &settings(method), Shutter::STILL).unwrap();
        assert!(thin.contains(middle, 0.0) && full.contains(middle, 0.0));
        assert!(!thin.contains(middle + Vec3::Y, 0.0));
        let mut worst = 0.0f32;
        let mut hits = 0;
        for pixel in 0..48 * 48 {
            let (x, y) = ((pixel % 48) as f32 / 24.0 - 1.0, (pixel / 48) as f32 / 24.0 - 1.0);
            for (origin, direction) in [
                (middle + Vec3::new(0.9, 0.7, 1.4), Vec3::new(x - 0.6, y - 0.5, -1.4)),
                (middle, Vec3::new(x, y, -1.0)),
                (middle, Vec3::new(x, 1.0, y)),
            ] {
                let direction = direction.normalize();
                let ray = Ray { origin, direction, time: 0.0, far: f32::INFINITY };
                let depths =
                    [&full, &thin].map(|liquid| liquid.intersect(&ray).map(|h| h.distance));
                match depths {
                    [Some(a), Some(b)] => {
                        worst = worst.max((a - b).abs());
                        hits += 1;
                    }
                    [None, None] => {}
                    _ => panic!("{method:?}: {depths:?} in pixel {pixel}"),
                }
            }
        }
        assert!(hits > 4500, "{hits}");
        let allowed = if method == LiquidMethod::Anisotropic { 2e-2 } else { 1e-3 };
        assert!(worst < allowed * spacing, "{method:?}: {} spacings", worst / spacing);
    }
    let mut untagged = few.clone();
    untagged.remove_attribute("type");
    let hollow =
        ParticleLiquid::new(&untagged, &settings(LiquidMethod::Density), Shutter::STILL).unwrap();
    assert!(!hollow.contains(middle, 0.0), "the case must show the hollow");
}

/// Contract: direct hits lie on the mesh of the same liquid: on average within 1 % of the radius of a
/// mesh with cells of a quarter radius, never beyond a quarter radius.
#[test]
fn hits_lie_on_the_mesh_of_the_same_liquid() {
    for (method, mesh_method) in [
        (LiquidMethod::Density, Method::Density),
        (LiquidMethod::Solenthaler, Method::Solenthaler),
        (LiquidMethod::Anisotropic, Method::Anisotropic),
    ] {
        let particles = Particles::new(splash(11));
        let liquid = ParticleLiquid::new(&particles, &settings(method), Shutter::STILL).unwrap();
        let surface = SurfaceSettings {
            method: mesh_method,
            radius: Some(RADIUS),
            cell: Some(0.25 * RADIUS),
            ..SurfaceSettings::default()
        };
        let mesh = surface_particles(&particles, &surface, &Unwatched).unwrap().mesh;
        let bvh = TriangleBvh::build(&mesh);
        let (mut sum, mut worst, mut count) = (0.0, 0.0f32, 0);
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let ray = random.ray(0.3);
            let Some(hit) = liquid.intersect(&ray) else { continue };
            let nearest = bvh.closest_point(ray.at(hit.distance), RADIUS).unwrap();
            let distance = nearest.distance_squared.sqrt();
            sum += distance;
            worst = worst.max(distance);
            count += 1;
        }
        let mean = sum / count as f32;
        assert!(count > 800, "{count}");
        assert!(mean < 0.01 * RADIUS && worst < 0.25 * RADIUS, "{method:?}: {mean}, {worst}");
    }
}

/// Contract: normals are the normalised gradient of the defining function.
#[test]
fn normals_are_the_gradient() {
    for (method, kind) in METHODS {
        let particles = Particles::new(splash(2));
        let liquid = ParticleLiquid::new(&particles, &settings(method), Shutter::STILL).unwrap();
        let field = reference(&particles, kind);
        let mut random = Random::new(17);
        let mut worst = 0.0f32;
        for _ in 0..300 {
            let ray = random.ray(0.3);
            let Some(hit) = liquid.intersect(&ray) else { continue };
            let (point, step) = (ray.at(hit.distance), 0.02 * RADIUS);
            let slope =
                |axis: Vec3| field.value(point + step * axis) - field.value(point - step * axis);
            let normal = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)).normalize();
            worst = worst.max(normal.distance(hit.geometric_normal));
        }
        assert!(worst < 0.08, "{method:?}: {worst}");
    }
}

/// Contract: a ray that starts on the surface, moved by the uncertainty along the normal, does not
/// hit the same point again; one that starts on the other side leaves through the far surface.
#[test]
fn the_next_ray_does_not_meet_the_same_point() {
    let particles = Particles::new(splash(4));
    for (method, _) in METHODS {
        let liquid = ParticleLiquid::new(&particles, &settings(method), Shutter::STILL).unwrap();
        let mut random = Random::new(23);
        for _ in 0..500 {
            let ray = random.ray(0.3);
            let Some(hit) = liquid.intersect(&ray) else { continue };
            for side in [1.0, -1.0] {
                let origin = ray.at(hit.distance) + side * hit.uncertainty * hit.geometric_normal;
                assert_eq!(liquid.contains(origin, 0.0), side < 0.0, "{method:?}");
                let direction = side * hit.geometric_normal;
                let next = Ray { origin, direction, time: 0.0, far: f32::INFINITY };
                if let Some(again) = liquid.intersect(&next) {
                    assert!(again.distance > 5.0 * hit.uncertainty, "{method:?}");
                }
            }
        }
    }
}

/// Contract: the liquid is the same, to the bit, for one, two and seven threads.
#[test]
fn hits_do_not_depend_on_the_number_of_threads() {
    let mut particles = Particles::new(splash(1));
    let velocities = vec![Vec3::new(0.3, 0.2, -0.4); particles.len()];
    particles.set_attribute("velocity", Column::Vec3(velocities)).unwrap();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let shutter = Shutter { open: 0.0, close: 0.02 };
            let liquid =
                ParticleLiquid::new(&particles, &settings(LiquidMethod::Density), shutter).unwrap();
            let mut random = Random::new(31);
            let mut hits = Vec::new();
            for _ in 0..400 {
                let ray = Ray { time: 0.013, ..random.ray(0.3) };
                hits.push(liquid.intersect(&ray).map(|hit| {
                    (hit.distance.to_bits(), hit.geometric_normal.to_array().map(f32::to_bits))
                }));
            }
            hits
        })
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(7));
}

/// Contract: no particles give no liquid, one gives a drop, and unusable numbers are refused with a
/// message.
#[test]
fn few_particles_and_bad_numbers() {
    let ray = Ray { origin: Vec3::NEG_Z, direction: Vec3::Z, time: 0.0, far: f32::INFINITY };
    for (method, _) in METHODS {
        let make = |positions| {
            ParticleLiquid::new(&Particles::new(positions), &settings(method), Shutter::STILL)
        };
        let nothing = make(Vec::new()).unwrap();
        assert!(nothing.intersect(&ray).is_none() && nothing.bounds().is_empty());
        let drop = make(vec![Vec3::ZERO]).unwrap();
        let hit = drop.intersect(&ray).unwrap();
        assert!(hit.distance < 1.0 && hit.distance > 0.97 && drop.contains(Vec3::ZERO, 0.0));
        let bad = make(vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)]).err().unwrap();
        assert!(bad.to_string().contains("particle 1 has a position"), "{bad}");
    }
    let mut moving = Particles::new(vec![Vec3::ZERO; 3]);
    let velocities = vec![Vec3::ZERO, Vec3::ZERO, Vec3::new(f32::INFINITY, 0.0, 0.0)];
    moving.set_attribute("velocity", Column::Vec3(velocities)).unwrap();
    let bad = ParticleLiquid::new(&moving, &settings(LiquidMethod::Density), Shutter::STILL);
    assert!(matches!(bad.err().unwrap(), LiquidError::Velocity { index: 2, .. }));
    let backwards = Shutter { open: 1.0, close: 0.0 };
    let drop = Particles::new(vec![Vec3::ZERO]);
    let bad = ParticleLiquid::new(&drop, &settings(LiquidMethod::Density), backwards);
    assert!(matches!(bad.err().unwrap(), LiquidError::Shutter { .. }));
    let mut typed = Particles::new(vec![Vec3::ZERO]);
    typed.set_attribute("type", Column::F32(vec![1.0])).unwrap();
    let bad = ParticleLiquid::new(&typed, &settings(LiquidMethod::Density), Shutter::STILL);
    assert!(bad.err().unwrap().to_string().contains("`type` holds a scalar"));
    let mut wild = Particles::new(vec![Vec3::ZERO, Vec3::ONE]);
    wild.set_attribute("velocity", Column::Vec3(vec![Vec3::ZERO, Vec3::splat(1e30)])).unwrap();
    let shutter = Shutter { open: 0.0, close: 0.5 };
    let liquid = ParticleLiquid::new(&wild, &settings(LiquidMethod::Density), shutter).unwrap();
    assert!(liquid.notes().iter().any(|note| note.contains("1 particle would cross")));
    assert!(liquid.intersect(&ray).is_some());
}

/// Contract: an outlier ten kilometres away costs a few tiles and is hit.
#[test]
fn an_outlier_costs_nothing() {
    let mut points = splash(0);
    let near = Particles::new(points.clone());
    points.push(Vec3::new(10_000.0, 0.0, 0.0));
    let far = Particles::new(points);
    let make = |particles| {
        ParticleLiquid::new(particles, &settings(LiquidMethod::Density), Shutter::STILL).unwrap()
    };
    let (near, far) = (make(&near), make(&far));
    assert!(far.bytes() < near.bytes() + 100_000);
    let origin = Vec3::new(10_000.0, 1.0, 0.0);
    let ray = Ray { origin, direction: Vec3::NEG_Y, time: 0.0, far: f32::INFINITY };
    assert!(far.intersect(&ray).is_some());
}

/// Contract: a distance-field liquid is hit on its zero level from both sides, with the normals of
/// the ball it came from.
#[test]
fn level_set_liquids_are_hit_on_their_zero_level() {
    let ball = LevelSet::from_mesh(&icosphere(0.5, 5), 0.02, 0.08).unwrap();
    let liquid = LevelSetLiquid::new(ball);
    let mut random = Random::new(8);
    let mut hits = 0;
    for _ in 0..2000 {
        let ray = random.ray(0.8);
        let (along, squared) = (-ray.origin.dot(ray.direction), ray.origin.length_squared());
        let discriminant = along * along - squared + 0.25;
        let root = discriminant.max(0.0).sqrt();
        let inside = squared < 0.25;
        let expected = if inside { along + root } else { along - root };
        let Some(hit) = liquid.intersect(&ray) else {
            assert!(discriminant < 3e-3 || expected < 2e-3, "missed: {discriminant}, {expected}");
            continue;
        };
        if discriminant > 0.02 && expected > 2e-3 {
            assert!((hit.distance - expected).abs() < 4e-3, "{} {expected}", hit.distance);
            let radial = ray.at(hit.distance).normalize();
            assert!(hit.shading_normal.distance(radial) < 0.02);
            hits += 1;
        }
    }
    assert!(hits > 900, "{hits}");
}

/// A ball of triangles.
fn icosphere(radius: f32, rounds: u32) -> whitecap_core::TriMesh {
    let mut triangles: Vec<[Vec3; 3]> = Vec::new();
    for octant in 0..8 {
        let sign = |bit: u32| if octant >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let [x, y, z] = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
        let outward = sign(0) * sign(1) * sign(2) > 0.0;
        triangles.push(if outward { [x, y, z] } else { [x, z, y] });
    }
    for _ in 0..rounds {
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [a + b, b + c, c + a].map(Vec3::normalize);
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let positions = triangles.iter().flatten().map(|p| *p * radius).collect();
    let indices = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    whitecap_core::TriMesh::new(positions, indices).unwrap()
}
