//! A scene made ready for rays.

use glam::Vec3;
use whitecap_core::Bounds;

use super::{Object, Scene};
use crate::light::LightSelection;
use crate::matter::material::{Dielectric, Surface};
use crate::matter::medium::MediumStack;
use crate::matter::texture::Texture;
use crate::rays::wide_bvh::{SlabRay, WideBvh};
use crate::scattering::albedo::AlbedoTable;
use crate::scattering::microfacet::Ggx;
use crate::{Hit, Material, Ray, Scene as PublicScene};

/// A scene with its hierarchies and tables.
pub(crate) struct PreparedScene<'a> {
    scene: &'a PublicScene,
    pub(crate) lights: LightSelection,
    /// Objects that stop every ray that hits them.
    opaque: ObjectSet,
    /// Objects that may let rays through.
    transparent: ObjectSet,
    /// Albedo of the coat of each plastic material.
    coats: Vec<Option<AlbedoTable>>,
    /// Fraction of light that rough dielectrics keep, by index on this and the other side.
    interfaces: Vec<InterfaceTable>,
}

struct InterfaceTable {
    material: usize,
    index: f32,
    kept: AlbedoTable,
}

/// Up to this many objects are tested one after the other: they check their own boxes first.
const FEW: usize = 3;

/// Objects in a hierarchy, and those without bounds beside it.
struct ObjectSet {
    bvh: WideBvh,
    /// Indices in the scene of the objects in the hierarchy.
    bounded: Vec<u32>,
    unbounded: Vec<u32>,
}

impl<'a> PreparedScene<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let lets_through = |object: &Object| {
            !object.shape.is_opaque() || may_let_through(&scene.materials[object.material])
        };
        Self {
            scene,
            lights: LightSelection::new(&scene.lights, &scene.environment),
            opaque: ObjectSet::new(&scene.objects, |object| !lets_through(object)),
            transparent: ObjectSet::new(&scene.objects, lets_through),
            coats: scene.materials.iter().map(coat_table).collect(),
            interfaces: interface_tables(&scene.materials),
        }
    }

    pub(crate) fn scene(&self) -> &'a Scene {
        self.scene
    }

    pub(crate) fn object(&self, object: u32) -> &'a Object {
        &self.scene.objects[object as usize]
    }

    pub(crate) fn material(&self, object: u32) -> &'a Material {
        &self.scene.materials[self.object(object).material]
    }

    pub(crate) fn dielectric(&self, object: u32) -> Option<&'a Dielectric> {
        self.material(object).as_dielectric()
    }

    pub(crate) fn priority(&self, object: u32) -> i32 {
        self.dielectric(object).map_or(0, |body| body.priority)
    }

    pub(crate) fn coat(&self, material: usize) -> Option<&AlbedoTable> {
        self.coats[material].as_ref()
    }

    /// Fraction of light that a rough dielectric keeps at a medium of a relative index.
    pub(crate) fn kept(&self, material: usize, index: f32) -> Option<&AlbedoTable> {
        let same = |table: &&InterfaceTable| {
            table.material == material && (table.index - index).abs() < 1e-4 * index
        };
        self.interfaces.iter().find(same).map(|table| &table.kept)
    }

    /// The first surface that a ray hits.
    pub(crate) fn intersect(&self, ray: &Ray) -> Option<(u32, Hit)> {
        let near = self.opaque.intersect(&self.scene.objects, ray);
        let far = near.map_or(ray.far, |(_, hit)| hit.distance);
        self.transparent.intersect(&self.scene.objects, &Ray { far, ..*ray }).or(near)
    }

    /// Whether something opaque lies on a ray.
    pub(crate) fn blocks(&self, ray: &Ray) -> bool {
        self.opaque.blocks(&self.scene.objects, ray)
    }

    /// The first surface of an object that may let rays through.
    pub(crate) fn intersect_transparent(&self, ray: &Ray) -> Option<(u32, Hit)> {
        self.transparent.intersect(&self.scene.objects, ray)
    }

    /// The transparent bodies around a point.
    pub(crate) fn media_at(&self, point: Vec3, time: f32) -> MediumStack {
        let mut media = MediumStack::default();
        for (place, object) in self.scene.objects.iter().enumerate() {
            let body = self.dielectric(place as u32).is_some();
            if body && object.shape.bounds().contains(point) && object.shape.contains(point, time) {
                media.enter(place as u32);
            }
        }
        media
    }

    /// Light absorbed per metre in the medium that a ray is in.
    pub(crate) fn absorption(&self, media: &MediumStack) -> Vec3 {
        if media.is_empty() {
            return Vec3::ZERO;
        }
        let current = media.current(&|object| self.priority(object));
        current
            .and_then(|object| self.dielectric(object))
            .map_or(Vec3::ZERO, |body| body.absorption)
    }
}

impl ObjectSet {
    fn new(objects: &[Object], belongs: impl Fn(&Object) -> bool) -> Self {
        let places = (0..objects.len()).filter(|&place| belongs(&objects[place]));
        let (mut bounded, mut unbounded, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
        for place in places {
            let Bounds { min, max } = objects[place].shape.bounds();
            if min.cmpgt(max).any() {
                continue;
            }
            if min.is_finite() && max.is_finite() {
                bounded.push(place as u32);
                boxes.push(Bounds { min, max });
            } else {
                unbounded.push(place as u32);
            }
        }
        Self { bvh: WideBvh::build(&boxes, 1), bounded, unbounded }
    }

    fn intersect(&self, objects: &[Object], ray: &Ray) -> Option<(u32, Hit)> {
        let mut nearest: Option<(u32, Hit)> = None;
        let mut limited = *ray;
        let mut test = |place: u32, limited: &mut Ray| {
            if let Some(hit) = objects[place as usize].shape.intersect(limited) {
                limited.far = hit.distance;
                nearest = Some((place, hit));
            }
        };
        for &place in &self.unbounded {
            test(place, &mut limited);
        }
        if self.bounded.len() <= FEW {
            for &place in &self.bounded {
                test(place, &mut limited);
            }
        } else {
            let slab_ray = SlabRay::new(ray.origin, ray.direction);
            self.bvh.visit_leaves(&slab_ray, limited.far.min(f32::MAX), |leaf, limit| {
                let place = self.bounded[self.bvh.order()[leaf] as usize];
                test(place, &mut limited);
                limit.min(limited.far)
            });
        }
        nearest
    }

    fn blocks(&self, objects: &[Object], ray: &Ray) -> bool {
        let blocks = |place: u32| objects[place as usize].shape.blocks(ray);
        if self.unbounded.iter().any(|&place| blocks(place)) {
            return true;
        }
        if self.bounded.len() <= FEW {
            return self.bounded.iter().any(|&place| blocks(place));
        }
        let mut blocked = false;
        let slab_ray = SlabRay::new(ray.origin, ray.direction);
        self.bvh.visit_leaves(&slab_ray, ray.far.min(f32::MAX), |leaf, limit| {
            blocked = blocks(self.bounded[self.bvh.order()[leaf] as usize]);
            if blocked { -1.0 } else { limit }
        });
        blocked
    }
}

fn may_let_through(material: &Material) -> bool {
    material.is_transparent()
        || !matches!(material.opacity, Texture::Constant(opacity) if opacity >= 1.0)
}

/// Smallest and largest roughness of a texture.
fn roughness_range(texture: &Texture<f32>) -> [f32; 2] {
    let values = texture.extremes();
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // From the smallest roughness that counts as rough, so that no row mixes both kinds.
    if least == most { [least, most] } else { [least.max(Ggx::SMOOTH), most.max(Ggx::SMOOTH)] }
}

fn coat_table(material: &Material) -> Option<AlbedoTable> {
    match &material.surface {
        Surface::Plastic { roughness, index, .. } => {
            Some(AlbedoTable::of_coat(roughness_range(roughness), *index))
        }
        _ => None,
    }
}

/// Tables for each rough dielectric against the air and against every other dielectric, both ways.
fn interface_tables(materials: &[Material]) -> Vec<InterfaceTable> {
    let mut indices: Vec<f32> = vec![1.0];
    for body in materials.iter().filter_map(Material::as_dielectric) {
        if !indices.contains(&body.index) {
            indices.push(body.index);
        }
    }
    let mut tables = Vec::new();
    for (material, body) in materials.iter().enumerate() {
        let Some(body) = body.as_dielectric() else { continue };
        let roughness = roughness_range(&body.roughness);
        if roughness[1] < Ggx::SMOOTH {
            continue;
        }
        for other in indices.iter().filter(|&&other| other != body.index) {
            for index in [body.index / other, other / body.index] {
                let kept = AlbedoTable::of_interface(roughness, index);
                tables.push(InterfaceTable { material, index, kept });
            }
        }
    }
    tables
}
