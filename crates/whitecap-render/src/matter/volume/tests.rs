//! Contracts of volumes.

use std::sync::Arc;

use glam::{IVec3, Vec2, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::local_node;
use whitecap_core::{Bounds, Lattice, Particles, SparseGrid, Tile};

use super::*;
use crate::{Hit, Ray, Sampler, Shape};

fn medium(extinction: f32) -> Medium {
    Medium { extinction, albedo: Vec3::splat(0.5), anisotropy: 0.3, emission: Vec3::ZERO }
}

fn ray(origin: Vec3, towards: Vec3) -> Ray {
    Ray { origin, direction: (towards - origin).normalize(), time: 0.0, far: f32::INFINITY }
}

/// A ball, as a shape.
struct Ball {
    center: Vec3,
    radius: f32,
}

impl Shape for Ball {
    fn bounds(&self) -> Bounds {
        Bounds::new(self.center, self.center).grown(self.radius)
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let offset = ray.origin - self.center;
        let along = offset.dot(ray.direction);
        let aside = offset - along * ray.direction;
        let half = (self.radius * self.radius - aside.length_squared()).max(0.0).sqrt();
        let roots = [-along - half, -along + half];
        let distance = roots.into_iter().find(|root| half > 0.0 && *root > 0.0)?;
        let normal = (ray.at(distance) - self.center) / self.radius;
        (distance < ray.far).then_some(Hit {
            distance,
            geometric_normal: normal,
            shading_normal: normal,
            uv: Vec2::ZERO,
            velocity: Vec3::ZERO,
            element: 0,
            particle: None,
            film_thickness: 0.0,
            opacity: 1.0,
            uncertainty: 1e-5,
        })
    }

    fn contains(&self, point: Vec3, _: f32) -> bool {
        point.distance(self.center) < self.radius
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// A grid of bumps over several tiles; the density varies tenfold within a cell's reach.
fn bumpy_grid() -> Arc<SparseGrid<f32>> {
    let lattice = Lattice { origin: Vec3::new(-0.7, -0.6, -0.5), cell: 0.05 };
    let tiles = (0..27).map(|s| IVec3::new(s % 3, s / 3 % 3, s / 9)).collect();
    Arc::new(SparseGrid::filled(lattice, 0.0, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let p = lattice.position(tile * 8 + local_node(offset));
            *value = (9.0 * p.x).sin() * (11.0 * p.y).cos() + 0.5 * (7.0 * p.z).sin();
        }
    }))
}

fn some_spheres() -> SphereUnion {
    let spheres: Vec<Sphere> = (0..60)
        .map(|i| {
            let t = i as f32;
            let center = Vec3::new((1.7 * t).sin(), (2.3 * t).cos(), (3.1 * t).sin());
            let radius = 0.05 + 0.02 * (i % 11) as f32;
            Sphere { center, radius, velocity: Vec3::ZERO }
        })
        .collect();
    SphereUnion::new(&spheres, [0.0, 0.0]).unwrap()
}

fn rays() -> Vec<Ray> {
    (0..12)
        .map(|i| {
            let t = i as f32;
            let from = 2.5 * Vec3::new(t.sin(), (1.3 * t).cos(), (0.7 * t).sin()).normalize();
            ray(from, 0.2 * Vec3::new((2.0 * t).cos(), t.sin(), 0.3))
        })
        .chain([
            ray(Vec3::new(-3.0, 0.1, 0.05), Vec3::new(3.0, 0.1, 0.05)),
            ray(Vec3::new(0.05, 0.1, 0.0), Vec3::new(0.05, -3.0, 0.0)),
            Ray { far: 1.9, ..ray(Vec3::new(0.0, 0.0, -2.0), Vec3::ZERO) },
        ])
        .collect()
}

/// Optical depth by quadrature with a fine step.
fn optical_depth(volume: &VolumeObject, ray: &Ray) -> f64 {
    let (far, steps) = (f64::from(ray.far.min(6.0)), 60_000);
    let step = far / f64::from(steps);
    let density = |i: i32| volume.density(ray.at(((f64::from(i) + 0.5) * step) as f32), ray.time);
    (0..steps).map(|i| f64::from(density(i) * volume.medium().extinction) * step).sum()
}

/// Mean transmittance and fraction of free flights that get through, over many samples.
fn estimates(volume: &VolumeObject, ray: &Ray, count: u32) -> (f64, f64) {
    let (mut light, mut through) = (0.0f64, 0.0f64);
    for sample in 0..count {
        let mut sampler = Sampler::new(11, [3, 4], sample);
        light += f64::from(volume.transmittance(ray, &mut sampler).x);
        through += f64::from(volume.sample_scatter(ray, &mut sampler).is_none());
    }
    (light / f64::from(count), through / f64::from(count))
}

/// Contract: through a constant density, in a box or in a closed shape, from outside and from inside,
/// the transmittance is exp(−σ d) exactly, and free flights get through as often.
#[test]
fn a_constant_density_follows_beer_and_lambert() {
    let bounds = Bounds::new(Vec3::splat(-1.0), Vec3::ONE);
    let cube = VolumeObject::in_box(bounds, 2.0, medium(0.4)).unwrap();
    let ball = Arc::new(Ball { center: Vec3::ZERO, radius: 1.0 });
    let ball = VolumeObject::in_shape(ball, 2.0, medium(0.4)).unwrap();
    let outside = ray(Vec3::new(-3.0, 0.0, 0.0), Vec3::ZERO);
    let inside = ray(Vec3::new(0.25, 0.0, 0.0), Vec3::X);
    let short = Ray { far: 0.5, ..inside };
    let ends_inside = Ray { far: 2.5, ..outside };
    let aside = ray(Vec3::new(-3.0, 2.0, 0.0), Vec3::new(3.0, 2.0, 0.0));
    let cases = [(outside, 2.0), (inside, 0.75), (short, 0.5), (ends_inside, 0.5), (aside, 0.0)];
    for volume in [&cube, &ball] {
        for (ray, length) in cases {
            let expected = (-0.8f64 * length).exp();
            let light = volume.transmittance(&ray, &mut Sampler::new(0, [0, 0], 0));
            assert!((f64::from(light.x) - expected).abs() < 1e-5, "{length} m: {light}");
            assert_eq!(light, Vec3::splat(light.x));
            let (_, through) = estimates(volume, &ray, 40_000);
            assert!((through - expected).abs() < 0.01, "{length} m: {through}, {expected}");
        }
    }
}

/// Contract: through grids and unions of spheres, both estimators agree on average with quadrature
/// along the ray.
#[test]
fn varying_densities_agree_with_quadrature() {
    let volumes = [
        VolumeObject::from_grid(bumpy_grid(), medium(3.0)).unwrap(),
        VolumeObject::from_spheres(some_spheres(), medium(4.0)).unwrap(),
    ];
    for volume in &volumes {
        for ray in rays() {
            let expected = (-optical_depth(volume, &ray)).exp();
            let (light, through) = estimates(volume, &ray, 40_000);
            assert!((light - expected).abs() < 0.009, "{ray:?}: {light}, {expected}");
            assert!((through - expected).abs() < 0.011, "{ray:?}: {through}, {expected}");
        }
    }
}

/// Contract: scatter distances follow the density of collisions along the ray: in each tenth of the
/// ray's probability lies a tenth of the scatters.
#[test]
fn scatters_are_where_the_density_is() {
    let volume = VolumeObject::from_grid(bumpy_grid(), medium(12.0)).unwrap();
    let ray = ray(Vec3::new(-2.0, 0.07, 0.04), Vec3::new(2.0, -0.05, 0.1));
    let scattered = 1.0 - (-optical_depth(&volume, &Ray { far: 4.0, ..ray })).exp();
    let count = 20_000;
    let mut share_before = [0.0f64; 10];
    for sample in 0..count {
        let Some(scatter) = volume.sample_scatter(&ray, &mut Sampler::new(5, [0, 9], sample))
        else {
            continue;
        };
        let before = 1.0 - (-optical_depth_to(&volume, &ray, scatter.distance)).exp();
        share_before[((before / scattered * 10.0) as usize).min(9)] += 1.0 / f64::from(count);
    }
    for share in share_before {
        assert!((share - 0.1 * scattered).abs() < 0.01, "{share_before:?}");
    }
}

fn optical_depth_to(volume: &VolumeObject, ray: &Ray, distance: f32) -> f64 {
    let step = f64::from(distance) / 400.0;
    let at = |i: i32| volume.density(ray.at(((f64::from(i) + 0.5) * step) as f32), 0.0);
    (0..400).map(|i| f64::from(at(i) * volume.medium().extinction) * step).sum()
}

/// Contract: the density of a union of spheres is one inside, zero beyond one and a half radii, and
/// continuous: a step of a thousandth of a radius changes it by little, wherever cells and rims meet.
#[test]
fn the_union_of_spheres_is_continuous() {
    let union = some_spheres();
    for ray in rays() {
        let step = 5e-5;
        let mut last = union.density(ray.origin, 0.0);
        for i in 1..80_000 {
            let density = union.density(ray.at(i as f32 * step), 0.0);
            // The rim's steepest slope is 1.5 per half radius; the smallest radius is 0.05 m.
            let most = 1.5 / (0.5 * 0.05) * step * 1.1 + 1e-5;
            assert!((density - last).abs() < most, "{last} to {density} at {}", ray.at(i as f32));
            assert!((0.0..=1.0).contains(&density));
            last = density;
        }
    }
    let single = |radius: f32| {
        let sphere = Sphere { center: Vec3::splat(3.2), radius, velocity: Vec3::ZERO };
        SphereUnion::new(&[sphere], [0.0, 0.0]).unwrap()
    };
    for radius in [1e-3, 0.1, 7.0] {
        let union = single(radius);
        let at = |radii: f32| union.density(Vec3::splat(3.2) + radii * radius * Vec3::X, 0.0);
        assert_eq!((at(0.0), at(0.99), at(1.52)), (1.0, 1.0, 0.0));
        assert!((at(1.25) - 0.5).abs() < 0.01);
    }
}

/// Contract: a union of spheres of very different sizes gives at every point what evaluating every
/// sphere gives.
#[test]
fn the_union_of_spheres_misses_none() {
    let spheres: Vec<Sphere> = (0..400)
        .map(|i| {
            let t = i as f32;
            let center = 2.0 * Vec3::new((5.7 * t).sin(), (2.9 * t).cos(), (3.7 * t).sin());
            let velocity = Vec3::new((0.9 * t).sin(), 1.0, (0.3 * t).cos());
            Sphere { center, radius: 2.0f32.powi(-(i % 9)) * 0.2, velocity }
        })
        .collect();
    let shutter = [-0.1, 0.3];
    let union = SphereUnion::new(&spheres, shutter).unwrap();
    assert_eq!(union.len(), spheres.len());
    let mut hits = 0;
    for i in 0..20_000 {
        let t = i as f32 * 0.37;
        let point = 2.2 * Vec3::new((1.1 * t).sin(), (1.9 * t).cos(), (0.7 * t).sin());
        let time = shutter[0] + 0.4 * (t * 0.618).fract();
        let expected = spheres.iter().map(|sphere| {
            let distance = point.distance(sphere.center + time * sphere.velocity) / sphere.radius;
            let out = ((distance - 1.0) / 0.5).clamp(0.0, 1.0);
            1.0 - out * out * (3.0 - 2.0 * out)
        });
        let expected = expected.fold(0.0, f32::max);
        hits += usize::from(expected > 0.0);
        assert!((union.density(point, time) - expected).abs() < 1e-6);
    }
    assert!(hits > 1000);
}

/// Contract: a moving sphere is where its velocity carries it at the ray's time, for both estimators.
#[test]
fn spheres_move_during_the_shutter() {
    let sphere = Sphere { center: Vec3::ZERO, radius: 0.5, velocity: Vec3::new(0.0, 40.0, 0.0) };
    let union = SphereUnion::new(&[sphere], [0.0, 0.1]).unwrap();
    let volume = VolumeObject::from_spheres(union, medium(1e4)).unwrap();
    for time in [0.0, 0.05, 0.1] {
        for height in [0.0, 2.0, 4.0] {
            let through = ray(Vec3::new(-2.0, height, 0.0), Vec3::new(2.0, height, 0.0));
            let mut sampler = Sampler::new(0, [0, 0], 0);
            let light = volume.transmittance(&Ray { time, ..through }, &mut sampler);
            let blocked = (height - 40.0 * time).abs() < 0.1;
            assert_eq!(light, Vec3::splat(if blocked { 0.0 } else { 1.0 }), "{time} s, {height} m");
        }
    }
}

/// Contract: the same bits for any number of threads, building included.
#[test]
fn the_same_bits_for_any_number_of_threads() {
    let render = |threads: usize| -> Vec<u32> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let grid = VolumeObject::from_grid(bumpy_grid(), medium(6.0)).unwrap();
            let spheres = VolumeObject::from_spheres(some_spheres(), medium(6.0)).unwrap();
            let rays = rays();
            (0..4000u32)
                .into_par_iter()
                .flat_map_iter(|pixel| {
                    let mut sampler = Sampler::new(1, [pixel, 0], 0);
                    let ray = rays[pixel as usize % rays.len()];
                    [&grid, &spheres].map(|volume| {
                        let scatter = volume.sample_scatter(&ray, &mut sampler);
                        let light = volume.transmittance(&ray, &mut sampler).x;
                        (scatter.map_or(-1.0, |scatter| scatter.distance) + light).to_bits()
                    })
                })
                .collect()
        })
    };
    assert_eq!(render(1), render(4));
}

/// Contract: empty volumes let everything through, and invalid rays still get a result.
#[test]
fn empty_volumes_and_rays_without_meaning() {
    let lattice = Lattice::at_origin(0.1);
    let zero = vec![(IVec3::ZERO, Tile::Constant(0.0)), (IVec3::ONE, Tile::Constant(-1.0))];
    let zero = Arc::new(SparseGrid::from_tiles(lattice, 0.0, zero).unwrap());
    let none = SphereUnion::of_particles(&Particles::default(), 0.1, [0.0, 0.0]).unwrap();
    let everywhere = Bounds::new(Vec3::splat(-9.0), Vec3::splat(9.0));
    let empty = [
        VolumeObject::from_grid(Arc::new(SparseGrid::new(lattice, 0.0)), medium(5.0)).unwrap(),
        VolumeObject::from_grid(zero, medium(5.0)).unwrap(),
        VolumeObject::from_spheres(none, medium(5.0)).unwrap(),
        VolumeObject::in_box(Bounds::EMPTY, 1.0, medium(5.0)).unwrap(),
        VolumeObject::in_box(everywhere, 0.0, medium(5.0)).unwrap(),
        VolumeObject::in_box(everywhere, 1.0, medium(0.0)).unwrap(),
    ];
    let through = ray(Vec3::new(-3.0, 0.02, 0.02), Vec3::new(1.0, 0.02, 0.02));
    for volume in &empty {
        let mut sampler = Sampler::new(0, [0, 0], 0);
        assert_eq!(volume.transmittance(&through, &mut sampler), Vec3::ONE);
        assert!(volume.sample_scatter(&through, &mut sampler).is_none());
    }
    let full = VolumeObject::from_grid(bumpy_grid(), medium(5.0)).unwrap();
    for strange in [
        Ray { direction: Vec3::NAN, ..through },
        Ray { origin: Vec3::INFINITY, ..through },
        Ray { direction: Vec3::ZERO, ..through },
        Ray { origin: Vec3::ZERO, direction: Vec3::ZERO, ..through },
        Ray { far: f32::NAN, ..through },
        Ray { far: 0.0, ..through },
    ] {
        let mut sampler = Sampler::new(0, [0, 0], 0);
        let light = full.transmittance(&strange, &mut sampler).x;
        assert!((0.0..=1.0).contains(&light), "{strange:?}: {light}");
        let _ = full.sample_scatter(&strange, &mut sampler);
    }
}

/// Contract: a glowing medium gives, on average over free flights, its own radiance times the
/// fraction of light it stops.
#[test]
fn emission_is_collected_where_light_collides() {
    let glow = Medium { emission: Vec3::new(3.0, 1.5, 0.0), ..medium(1.5) };
    let bounds = Bounds::new(Vec3::splat(-0.5), Vec3::splat(0.5));
    let volume = VolumeObject::in_box(bounds, 1.0, glow).unwrap();
    let through = ray(Vec3::new(-3.0, 0.0, 0.0), Vec3::ZERO);
    let count = 40_000;
    let total: Vec3 = (0..count)
        .filter_map(|s| volume.sample_scatter(&through, &mut Sampler::new(2, [0, 0], s)))
        .map(|scatter| scatter.emission / count as f32)
        .sum();
    let expected = glow.emission / 1.5 * (1.0 - (-1.5f32).exp());
    assert!((total - expected).length() < 0.02, "{total} {expected}");
}

/// Contract: meaningless numbers are refused with a sentence that names them.
#[test]
fn what_has_no_meaning_is_refused() {
    let bounds = Bounds::new(Vec3::ZERO, Vec3::ONE);
    let refused = |medium: Medium, word: &str| {
        let message = VolumeObject::in_box(bounds, 1.0, medium).err().unwrap().to_string();
        assert!(message.contains(word), "{message}");
    };
    refused(Medium { extinction: f32::NAN, ..Medium::SNOW }, "NaN per metre");
    refused(Medium { albedo: Vec3::splat(1.1), ..Medium::SNOW }, "between 0 and 1");
    refused(Medium { anisotropy: -1.0, ..Medium::MIST }, "strictly between");
    refused(Medium { emission: Vec3::ONE, extinction: 0.0, ..Medium::MIST }, "emission");
    assert!(VolumeObject::in_box(bounds, -1.0, Medium::SNOW).is_err());
    let level_set = SparseGrid::new(Lattice::at_origin(0.1), 0.3);
    let message = VolumeObject::from_grid(Arc::new(level_set), Medium::MIST).err().unwrap();
    assert!(message.to_string().contains("level set"));
    let tiles = vec![(IVec3::X, Tile::Constant(f32::NAN))];
    let holed = SparseGrid::from_tiles(Lattice::at_origin(0.1), 0.0, tiles).unwrap();
    let message = VolumeObject::from_grid(Arc::new(holed), Medium::MIST).err().unwrap();
    assert!(message.to_string().contains("0.8, 0, 0"), "{message}");
    let sphere = Sphere { center: Vec3::ZERO, radius: -1.0, velocity: Vec3::ZERO };
    let message = SphereUnion::new(&[sphere], [0.0, 0.0]).err().unwrap().to_string();
    assert!(message.contains("sphere 0") && message.contains("-1"), "{message}");
}
