//! Transparent bodies and volumes.

use std::sync::Arc;

use whitecap_core::{Bounds, Column, TriMesh};
use whitecap_render::fresnel;
use whitecap_render::glam::Vec3;
use whitecap_render::shapes::{Cuboid, Plane, Rectangle, Sphere};
use whitecap_render::volume::{Medium, VolumeObject};
use whitecap_render::{
    Dielectric, Environment, LightKind, Material, MeshOptions, RenderSettings, Scene, TriangleMesh,
};

use crate::{assert_near, floor_scene, mean, settings, spot_camera};

/// Fraction of light that a layer reflects and transmits.
#[derive(Clone, Copy)]
struct LayerShare {
    reflected: f32,
    through: f32,
}

impl LayerShare {
    /// An interface between two indices at normal incidence.
    fn interface(from: f32, to: f32) -> Self {
        let reflected = fresnel::dielectric(1.0, to / from);
        Self { reflected, through: 1.0 - reflected }
    }

    /// This layer, a distance in an absorbing medium, and another layer; light bounces back and
    /// forth.
    fn then(self, absorbed: f32, next: Self) -> Self {
        let round_trip = self.reflected * next.reflected * absorbed * absorbed;
        Self {
            // Layers here are symmetric enough: both sides of an interface reflect alike.
            reflected: self.reflected
                + self.through * self.through * absorbed * absorbed * next.reflected
                    / (1.0 - round_trip),
            through: self.through * absorbed * next.through / (1.0 - round_trip),
        }
    }
}

/// A camera that looks along -z at slabs in front of a lamp.
fn slab_scene() -> Scene {
    let mut scene =
        Scene { camera: spot_camera(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO), ..Scene::default() };
    let shape = Rectangle {
        corner: Vec3::new(-1.0, -1.0, -3.0),
        edge_u: Vec3::new(2.0, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 2.0, 0.0),
    };
    let radiance = Vec3::splat(2.0);
    scene.lights.push(LightKind::Rectangle { shape, radiance, two_sided: true }.into());
    scene
}

fn slab(near: f32, far: f32) -> Arc<Cuboid> {
    Arc::new(Cuboid::new(Vec3::new(-1.0, -1.0, far), Vec3::new(1.0, 1.0, near)))
}

/// A slab that only absorbs lets exp(-σ d) through (Beer & Lambert); with an index of refraction
/// its interfaces reflect, back and forth.
#[test]
fn absorbing_slab() {
    for index in [1.0, 1.333] {
        let mut scene = slab_scene();
        let absorption = Vec3::new(0.3, 1.0, 3.0);
        let body = Dielectric { absorption, ..Dielectric::clear(index) };
        let material = scene.add_material(Material::dielectric(body));
        scene.add("slab", slab(0.3, -0.4), material);
        let found = mean(&scene, &settings(512));
        for color in 0..3 {
            let absorbed = (-absorption[color] * 0.7f32).exp();
            let face = LayerShare::interface(1.0, index);
            assert_near(found[color], 2.0 * face.then(absorbed, face).through, 0.01);
        }
    }
}

/// Glass beside water that extends into it: where they overlap there is glass, and between them one
/// interface from glass to water, with no air in it and no dark seam.
#[test]
fn overlapping_bodies() {
    let mut scene = slab_scene();
    let glass = scene.add_material(Material::dielectric(Dielectric::glass()));
    let absorption = Vec3::splat(0.8);
    let water = Dielectric { absorption, ..Dielectric::clear(1.333) };
    let water = scene.add_material(Material::dielectric(water));
    scene.add("water", slab(0.1, -1.0), water);
    scene.add("glass", slab(0.5, 0.0), glass);
    // The overlap of 0.1 m is glass, so that 1 m of water is left.
    let behind =
        LayerShare::interface(1.5, 1.333).then((-0.8f32).exp(), LayerShare::interface(1.333, 1.0));
    let expected = LayerShare::interface(1.0, 1.5).then(1.0, behind).through;
    assert_near(mean(&scene, &settings(1024)).x, 2.0 * expected, 0.01);
}

/// A camera inside water sees through the water to its surface, and a point inside two bodies belongs to
/// the one of higher priority.
#[test]
fn camera_inside() {
    let mut scene = slab_scene();
    scene.camera = spot_camera(Vec3::ZERO, Vec3::NEG_Z);
    let absorbing = |absorption: f32, priority: i32| {
        let absorption = Vec3::splat(absorption);
        Material::dielectric(Dielectric { absorption, priority, ..Dielectric::clear(1.0) })
    };
    let water = scene.add_material(absorbing(0.5, 0));
    scene.add("water", slab(1.0, -1.5), water);
    assert_near(mean(&scene, &settings(16)).x, 2.0 * (-0.75f32).exp(), 1e-3);
    let ink = scene.add_material(absorbing(2.0, 1));
    scene.add("ink", slab(0.5, -0.5), ink);
    assert_near(mean(&scene, &settings(16)).x, 2.0 * (-1.0f32 - 0.5).exp(), 1e-3);
}

/// In light that is the same everywhere a body that absorbs nothing cannot be seen: glass, frosted
/// glass, white metal, plastic and mist.
#[test]
fn furnace() {
    let frosted = Dielectric { roughness: 0.4.into(), ..Dielectric::clear(1.5) };
    let materials = [
        Material::dielectric(Dielectric::clear(1.5)),
        Material::dielectric(frosted),
        Material::metal(Vec3::ONE, 0.5),
        Material::plastic(Vec3::ONE, 0.3),
        Material::diffuse(Vec3::ONE),
    ];
    for material in materials {
        let mut scene = Scene::default();
        let material = scene.add_material(material);
        scene.add("ball", Arc::new(Sphere { center: Vec3::ZERO, radius: 1.0 }), material);
        scene.environment = Environment::Constant(Vec3::ONE);
        scene.camera = spot_camera(Vec3::new(0.4, 0.5, 3.0), Vec3::new(0.4, 0.5, 0.0));
        let settings = RenderSettings { bounces: 200, ..settings(4096) };
        assert_near(mean(&scene, &settings).x, 1.0, 0.005);
    }
    let medium =
        Medium { extinction: 3.0, albedo: Vec3::ONE, anisotropy: 0.3, emission: Vec3::ZERO };
    let bounds = Bounds::new(Vec3::splat(-0.5), Vec3::splat(0.5));
    let mist = VolumeObject::in_box(bounds, 1.0, medium).unwrap();
    let scene = Scene {
        volumes: vec![Arc::new(mist)],
        environment: Environment::Constant(Vec3::ONE),
        camera: spot_camera(Vec3::new(0.1, 0.1, 3.0), Vec3::ZERO),
        ..Scene::default()
    };
    let settings = RenderSettings { bounces: 200, ..settings(4096) };
    assert_near(mean(&scene, &settings).x, 1.0, 0.01);
}

/// A floor under water: straight shadow rays bring about as much light as paths that are really
/// refracted.
#[test]
fn straight_light_through_water() {
    let mut scene = floor_scene(0.5);
    let water = scene.add_material(Material::dielectric(Dielectric::clear(1.333)));
    let basin = Cuboid::new(Vec3::new(-40.0, -1.0, -40.0), Vec3::new(40.0, 0.3, 40.0));
    scene.add("water", Arc::new(basin), water);
    scene.environment = Environment::Sky {
        zenith: Vec3::splat(1.0),
        horizon: Vec3::splat(0.6),
        ground: Vec3::ZERO,
    };
    scene.camera = spot_camera(Vec3::new(0.5, 2.0, 0.0), Vec3::ZERO);
    let fast = mean(&scene, &settings(4096)).x;
    let exact =
        RenderSettings { fast_shadows: false, reflected_caustics: true, ..settings(16_384) };
    assert_near(fast, mean(&scene, &exact).x, 0.02);
}

/// A floor behind a sheet of index one, or behind a surface of zero opacity, is lit as if nothing
/// were there.
#[test]
fn surfaces_that_are_not_there() {
    let mut open = floor_scene(0.5);
    open.environment = Environment::Constant(Vec3::ONE);
    let expected = mean(&open, &settings(2048)).x;
    let ghost = Material { opacity: 0.0.into(), ..Material::diffuse(Vec3::ZERO) };
    for material in [ghost, Material::dielectric(Dielectric::clear(1.0))] {
        let mut scene = open.clone();
        let material = scene.add_material(material);
        scene.add("ghost", Arc::new(Sphere { center: Vec3::ZERO, radius: 0.5 }), material);
        scene.add("sheet", Arc::new(Plane::floor(1.0)), material);
        assert_near(mean(&scene, &settings(2048)).x, expected, 0.005);
    }
}

/// A black sheet whose vertices have an opacity of a quarter takes a quarter of the light on its way to the
/// floor, and a quarter on its way back; a transparent material ignores them.
#[test]
fn vertices_have_an_opacity() {
    let mut open = floor_scene(0.5);
    open.environment = Environment::Constant(Vec3::ONE);
    let expected = mean(&open, &settings(2048)).x;
    let corner = |x: f32, z: f32| Vec3::new(1e3 * x, 0.2, 1e3 * z);
    let corners = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    let mut sheet = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    sheet.set_attribute("opacity", Column::F32(vec![0.25; 4])).unwrap();
    let sheet = Arc::new(TriangleMesh::new(sheet, MeshOptions::default()).unwrap());
    let black = (Material::diffuse(Vec3::ZERO), 0.75 * 0.75);
    let clear = (Material::dielectric(Dielectric::clear(1.0)), 1.0);
    for (material, share) in [black, clear] {
        let mut scene = open.clone();
        let material = scene.add_material(material);
        scene.add("sheet", sheet.clone(), material);
        assert_near(mean(&scene, &settings(4096)).x, share * expected, 0.01);
    }
}

/// A soap film shows the colours of its thickness and loses no light.
#[test]
fn thin_film() {
    use whitecap_render::thin_film::{ThinFilm, ThinFilmSettings};
    use whitecap_render::{FilmCoat, FilmThickness, Surface};
    let soap =
        ThinFilmSettings { film_index: 1.33, substrate_index: 1.0, ..ThinFilmSettings::default() };
    let film = Arc::new(ThinFilm::new(&soap).unwrap());
    let expected = film.reflectance(1.0, 3e-7);
    assert!(expected.max_element() > 1.5 * expected.min_element(), "{expected}");
    let mut scene = slab_scene();
    let thickness = FilmThickness::Given(3e-7.into());
    let coat = FilmCoat { film, thickness };
    let material = scene.add_material(Material::new(Surface::ThinFilm(coat)));
    let pane = Rectangle {
        corner: Vec3::new(-1.0, -1.0, 0.0),
        edge_u: Vec3::new(2.0, 0.0, 0.0),
        edge_v: Vec3::new(0.0, 2.0, 0.0),
    };
    scene.add("film", Arc::new(pane), material);
    let found = mean(&scene, &settings(2048));
    for color in 0..3 {
        assert_near(found[color], 2.0 * (1.0 - expected[color]), 0.01);
    }
}
