//! The same bits for any number of threads; progress, cancelling and noise; meaningless input.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use whitecap_core::{TriMesh, Unwatched, Watch};
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Plane, Rectangle, Sphere};
use whitecap_render::{
    Camera, Dielectric, Environment, Light, LightKind, Material, MeshOptions, Pass, RenderError,
    RenderSettings, Scene, TriangleMesh, render, render_progressively,
};

use crate::picture;

fn scene() -> Scene {
    let mut scene = Scene {
        environment: Environment::Constant(Vec3::splat(0.3)),
        camera: Camera {
            lens_radius: 0.05,
            shutter: [0.0, 0.02],
            ..Camera::looking(Vec3::new(0.0, 1.0, 4.0), Vec3::new(0.0, 0.3, 0.0), 40.0)
        },
        ..Scene::default()
    };
    let floor = scene.add_material(Material::plastic(Vec3::splat(0.5), 0.3));
    let water = scene.add_material(Material::dielectric(Dielectric::water()));
    scene.add("floor", Arc::new(Plane::floor(0.0)), floor);
    scene.add("ball", Arc::new(Sphere { center: Vec3::new(0.0, 0.5, 0.0), radius: 0.5 }), water);
    let shape = Sphere { center: Vec3::new(1.0, 2.0, 1.0), radius: 0.3 };
    scene.lights.push(LightKind::Sphere { shape, radiance: Vec3::splat(20.0) }.into());
    scene
}

fn small() -> RenderSettings {
    RenderSettings {
        width: 45,
        height: 33,
        samples: 24,
        samples_per_pass: 8,
        least_samples: 8,
        noise: 0.03,
        passes: vec![Pass::Depth, Pass::Object],
        ..RenderSettings::default()
    }
}

/// A picture does not depend on how many threads made it, adaptive sampling included.
#[test]
fn same_bits_for_any_number_of_threads() {
    let with_threads = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| picture(&scene(), &small()))
    };
    let one = with_threads(1);
    for count in [2, 7] {
        assert!(with_threads(count) == one, "{count} threads");
    }
    let other_seed = picture(&scene(), &RenderSettings { seed: 1, ..small() });
    assert!(other_seed.rgb("beauty") != one.rgb("beauty"));
}

/// Clean pixels get fewer samples, and stay correct.
#[test]
fn adaptive_sampling_spares_clean_pixels() {
    let all = RenderSettings { samples: 128, noise: 0.0, ..small() };
    let adaptive = RenderSettings { noise: 0.02, ..all.clone() };
    let (all, adaptive) = (picture(&scene(), &all), picture(&scene(), &adaptive));
    assert!(adaptive.statistics.paths < all.statistics.paths * 3 / 4);
    let mean = |picture: &whitecap_render::Rendered| {
        let pixels = picture.rgb("beauty").unwrap();
        pixels.iter().sum::<Vec3>().x / pixels.len() as f32
    };
    let (all, adaptive) = (mean(&all), mean(&adaptive));
    assert!((all - adaptive).abs() < 0.02 * all, "{all} {adaptive}");
}

/// The picture is passed on after every pass, and the last one is the one that is returned.
#[test]
fn passes_are_handed_out() {
    let settings = RenderSettings { noise: 0.0, ..small() };
    let mut samples = Vec::new();
    let mut last = None;
    let whole = render_progressively(&scene(), &settings, &Unwatched, &mut |picture, progress| {
        samples.push(progress.samples);
        last = Some(picture.clone());
    });
    assert_eq!(samples, [8, 16, 24]);
    assert!(last == whole.ok());
}

/// A watcher receives progress that never goes back, from 0 to 1, on any number of threads, even if
/// clean pixels make it jump ahead.
#[test]
fn progress_never_goes_back() {
    #[derive(Default)]
    struct Listener(Mutex<Vec<f32>>);
    impl Watch for Listener {
        fn progress(&self, fraction: f32) {
            self.0.lock().unwrap().push(fraction);
        }
    }
    // All pixels except those around the ball are clean after the first of twelve passes.
    let settings = RenderSettings { samples: 96, ..small() };
    for threads in [1, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let listener = Listener::default();
        pool.install(|| render(&scene(), &settings, &listener)).unwrap();
        let heard = listener.0.into_inner().unwrap();
        assert!(heard.len() > 12, "{threads} threads: {heard:?}");
        assert!(heard.is_sorted(), "{threads} threads: {heard:?}");
        assert!(heard[0] > 0.0 && heard[0] < 0.1, "{threads} threads: {heard:?}");
        assert_eq!(heard.last(), Some(&1.0), "{threads} threads");
    }
}

/// A watcher can stop the work.
#[test]
fn cancelled() {
    struct Impatient(AtomicU32);
    impl Watch for Impatient {
        fn progress(&self, _: f32) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed) >= 3
        }
    }
    let result = render(&scene(), &small(), &Impatient(AtomicU32::new(0)));
    assert_eq!(result.unwrap_err(), RenderError::Cancelled);
}

/// An empty scene shows the environment, or black.
#[test]
fn empty_scene() {
    let dark = picture(&Scene::default(), &small());
    assert!(dark.rgb("beauty").unwrap().iter().all(|&light| light == Vec3::ZERO));
    let sky = Scene { environment: Environment::Constant(Vec3::ONE), ..Scene::default() };
    assert!(picture(&sky, &small()).rgb("beauty").unwrap().iter().all(|&light| light == Vec3::ONE));
}

/// Shapes without area, a camera inside an opaque body and lights without strength make pictures.
#[test]
fn odd_scenes() {
    let mut scene = scene();
    let positions = vec![Vec3::ZERO, Vec3::X, 2.0 * Vec3::X];
    let mesh = TriMesh::new(positions, vec![[0, 1, 2], [0, 0, 0]]).unwrap();
    let shape = Arc::new(TriangleMesh::new(mesh, MeshOptions::default()).unwrap());
    scene.add("sliver", shape.clone(), 0);
    scene.add(
        "nothing",
        Arc::new(TriangleMesh::new(TriMesh::default(), MeshOptions::default()).unwrap()),
        1,
    );
    scene.lights.push(LightKind::Mesh { shape, radiance: Vec3::ONE }.into());
    scene.add("shell", Arc::new(Sphere { center: Vec3::new(0.0, 1.0, 4.0), radius: 0.2 }), 0);
    let pixels = picture(&scene, &small()).rgb("beauty").unwrap();
    assert!(pixels.iter().all(|light| light.is_finite()));
}

/// Meaningless numbers are refused, with what is wrong and what would be right.
#[test]
fn refuses_nonsense() {
    let refuse = |scene: &Scene, settings: &RenderSettings, message: &str| {
        let error = render(scene, settings, &Unwatched).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    };
    refuse(
        &scene(),
        &RenderSettings { width: 0, ..small() },
        "`width` is 0, but must lie between 1 and 65536",
    );
    refuse(&scene(), &RenderSettings { noise: f32::NAN, ..small() }, "`noise` is NaN");
    let region = Some([0.5, 0.0, 0.5, 1.0]);
    refuse(&scene(), &RenderSettings { region, ..small() }, "holds no pixel");
    let blind = |change: fn(&mut Camera)| {
        let mut scene = scene();
        change(&mut scene.camera);
        scene
    };
    refuse(&blind(|camera| camera.target = camera.position), &small(), "cannot look at");
    refuse(&blind(|camera| camera.up = [f32::NAN; 3]), &small(), "cannot look at");
    refuse(&blind(|camera| camera.field_of_view = 180.0), &small(), "`field-of-view` is 180");
    refuse(&blind(|camera| camera.shutter = [1.0, 0.0]), &small(), "`shutter` is 0");
    let mut bad = scene();
    bad.objects[1].material = 9;
    refuse(&bad, &small(), "object `ball` has material 9, but there are 2 materials");
    let mut bad = scene();
    bad.materials[0] = Material::diffuse(Vec3::splat(1.5));
    refuse(&bad, &small(), "material 0: a colour or tint is not a number from 0 to 1");
    let mut bad = scene();
    bad.materials[1] = Material::dielectric(Dielectric::clear(f32::NAN));
    refuse(&bad, &small(), "material 1: an index of refraction");
    let mut bad = scene();
    let shape = Rectangle { corner: Vec3::ZERO, edge_u: Vec3::X, edge_v: Vec3::X };
    let flat = LightKind::Rectangle { shape, radiance: Vec3::ONE, two_sided: false };
    bad.lights.push(Light::from(flat));
    refuse(&bad, &small(), "light 1: its position, direction or size");
    let mut bad = scene();
    bad.environment = Environment::Constant(Vec3::new(0.0, -1.0, 0.0));
    refuse(&bad, &small(), "the environment: a radiance is negative");
}
