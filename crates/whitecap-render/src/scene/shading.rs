//! What a ray finds at a surface.

use glam::Vec3;

use super::PreparedScene;
use crate::matter::material::{Dielectric, FilmCoat, FilmThickness, MetalColor, Surface};
use crate::matter::medium::{Crossing, MediumStack};
use crate::sampling::frame::Frame;
use crate::scattering::bsdf::{
    Bsdf, BsdfSample, Interface, InterfaceReflectance, Lobe, Metal, MetalReflectance, Plastic,
    Scattering, Sheet,
};
use crate::{Hit, Material, Ray, Sampler};

/// A point of a surface, ready to scatter light.
pub(crate) struct ShadingPoint<'a> {
    point: Vec3,
    /// Normal of the surface itself, on the side the ray came from.
    geometric_normal: Vec3,
    shading_normal: Vec3,
    frame: Frame,
    bsdf: Bsdf<'a>,
    uncertainty: f32,
    time: f32,
    pub(crate) emission: Vec3,
    /// Index of the medium behind divided by that of the medium in front.
    pub(crate) index: f32,
}

/// What a ray finds where it hits an object.
pub(crate) struct Arrival<'a> {
    /// The bodies behind the surface.
    pub(crate) media_behind: MediumStack,
    /// `None` if the ray passes as if nothing were there.
    pub(crate) shading: Option<ShadingPoint<'a>>,
}

impl PreparedScene<'_> {
    /// The bodies behind a surface and, for a transparent body, the kind of surface.
    pub(crate) fn across(
        &self,
        object: u32,
        direction: Vec3,
        hit: &Hit,
        media: &MediumStack,
    ) -> (MediumStack, Option<Crossing>) {
        if self.dielectric(object).is_none() {
            return (*media, None);
        }
        let enters = direction.dot(hit.geometric_normal) < 0.0;
        let (behind, crossing) = media.across(object, enters, &|object| self.priority(object));
        (behind, Some(crossing))
    }

    /// Index of refraction of a medium; 1 outside everything.
    pub(crate) fn index_of(&self, object: Option<u32>) -> f32 {
        object.and_then(|object| self.dielectric(object)).map_or(1.0, |body| body.index)
    }

    /// What happens to a ray where it hits an object.
    pub(crate) fn arrive(
        &self,
        ray: &Ray,
        object: u32,
        hit: &Hit,
        media: &MediumStack,
        least_reflection: f32,
        sampler: &mut Sampler,
    ) -> Arrival<'_> {
        let material = self.material(object);
        let point = ray.at(hit.distance);
        let (media_behind, crossing) = self.across(object, ray.direction, hit, media);
        let opacity = material.opacity_at(hit, point);
        if opacity < 1.0 && sampler.next() >= opacity {
            return Arrival { media_behind, shading: None };
        }
        let index = match crossing {
            Some(Crossing::Hidden) => return Arrival { media_behind, shading: None },
            Some(Crossing::Interface { from, to }) => self.index_of(to) / self.index_of(from),
            None => 1.0,
        };
        let side = if ray.direction.dot(hit.geometric_normal) > 0.0 { -1.0 } else { 1.0 };
        let geometric_normal = side * hit.geometric_normal;
        let shading_normal =
            consistent_normal(geometric_normal, side * hit.shading_normal, -ray.direction);
        let place = Place { object, hit, point, index, least_reflection, from_inside: side < 0.0 };
        let cosine = shading_normal.dot(-ray.direction);
        let shading = ShadingPoint {
            point,
            geometric_normal,
            shading_normal,
            frame: Frame::new(shading_normal),
            bsdf: self.bsdf(material, &place, cosine),
            uncertainty: hit.uncertainty,
            time: ray.time,
            emission: material.emission.at(hit.uv, point),
            index,
        };
        Arrival { media_behind, shading: Some(shading) }
    }

    fn bsdf<'b>(&'b self, material: &'b Material, place: &Place, cosine: f32) -> Bsdf<'b> {
        let (uv, point) = (place.hit.uv, place.point);
        let least_reflection = place.least_reflection;
        match &material.surface {
            Surface::Diffuse { color } => Bsdf::Diffuse(color.at(uv, point)),
            Surface::Metal { reflectance, roughness } => {
                let reflectance = match reflectance {
                    MetalColor::Color(color) => MetalReflectance::Schlick(color.at(uv, point)),
                    MetalColor::Index { index, extinction } => {
                        MetalReflectance::Index { index: *index, extinction: *extinction }
                    }
                    MetalColor::Film(coat) => {
                        let thickness = place.thickness(coat);
                        MetalReflectance::Given(coat.film.reflectance(cosine, thickness))
                    }
                };
                Bsdf::Metal(Metal { reflectance, roughness: roughness.at(uv, point) })
            }
            Surface::Plastic { color, roughness, index } => {
                match self.coat(self.object(place.object).material) {
                    Some(coat) => Bsdf::Plastic(Plastic {
                        color: color.at(uv, point),
                        index: *index,
                        roughness: roughness.at(uv, point),
                        coat,
                    }),
                    None => Bsdf::Diffuse(color.at(uv, point)),
                }
            }
            Surface::Dielectric(body) => Bsdf::Interface(self.interface(body, place)),
            Surface::ThinGlass { index, tint } => {
                let reflectance = Vec3::splat(Sheet::pane_reflectance(cosine, *index));
                Bsdf::Sheet(Sheet { reflectance, tint: *tint, least_reflection })
            }
            Surface::ThinFilm(coat) => {
                let reflectance = coat.film.reflectance(cosine, place.thickness(coat));
                Bsdf::Sheet(Sheet { reflectance, tint: Vec3::ONE, least_reflection })
            }
        }
    }

    fn interface<'b>(&'b self, body: &'b Dielectric, place: &Place) -> Interface<'b> {
        let material = self.object(place.object).material;
        let reflectance = match &body.film {
            None => InterfaceReflectance::Bare,
            Some(coat) => InterfaceReflectance::Film {
                film: &coat.film,
                thickness: place.thickness(coat),
                from_below: place.from_inside,
            },
        };
        Interface {
            index: place.index,
            roughness: body.roughness.at(place.hit.uv, place.point),
            kept: self.kept(material, place.index),
            reflectance,
            least_reflection: place.least_reflection,
        }
    }

    /// Fraction of light that goes straight through a smooth transparent surface; `None` if the
    /// surface stops or scatters it.
    pub(crate) fn straight_through(
        &self,
        ray: &Ray,
        object: u32,
        hit: &Hit,
        crossing: Option<Crossing>,
    ) -> Option<Vec3> {
        let material = self.material(object);
        let point = ray.at(hit.distance);
        let cosine = ray.direction.dot(hit.shading_normal).abs();
        let place =
            Place { object, hit, point, index: 1.0, least_reflection: 0.0, from_inside: false };
        let through = match &material.surface {
            Surface::Dielectric(body) => {
                let Some(Crossing::Interface { from, to }) = crossing else {
                    return Some(Vec3::ONE);
                };
                if body.roughness.at(hit.uv, point) >= crate::scattering::microfacet::Ggx::SMOOTH {
                    return None;
                }
                // Seen from the optically thinner side: a straight line has no total reflection.
                let ratio = self.index_of(to) / self.index_of(from);
                match &body.film {
                    None => {
                        let index = ratio.max(1.0 / ratio);
                        Vec3::splat(1.0 - crate::fresnel::dielectric(cosine, index))
                    }
                    Some(coat) => Vec3::ONE - coat.film.reflectance(cosine, place.thickness(coat)),
                }
            }
            Surface::ThinGlass { index, tint } => {
                *tint * (1.0 - Sheet::pane_reflectance(cosine, *index))
            }
            Surface::ThinFilm(coat) => {
                Vec3::ONE - coat.film.reflectance(cosine, place.thickness(coat))
            }
            Surface::Diffuse { .. } | Surface::Metal { .. } | Surface::Plastic { .. } => {
                return None;
            }
        };
        Some(through)
    }
}

/// Where a surface was hit.
struct Place<'a> {
    object: u32,
    hit: &'a Hit,
    point: Vec3,
    index: f32,
    least_reflection: f32,
    from_inside: bool,
}

impl Place<'_> {
    fn thickness(&self, coat: &FilmCoat) -> f32 {
        match &coat.thickness {
            FilmThickness::OfShape => self.hit.film_thickness,
            FilmThickness::Given(thickness) => thickness.at(self.hit.uv, self.point),
        }
    }
}

impl ShadingPoint<'_> {
    /// Whether a direction leaves on the side the ray came from.
    pub(crate) fn is_before(&self, direction: Vec3) -> bool {
        direction.dot(self.geometric_normal) > 0.0
    }

    pub(crate) fn point(&self) -> Vec3 {
        self.point
    }

    /// Whether light can only come from single directions.
    pub(crate) fn is_smooth(&self) -> bool {
        self.bsdf.is_smooth()
    }

    /// Light scattered from `to` to `from`, times the cosine of `to`.
    pub(crate) fn evaluate(&self, from: Vec3, to: Vec3) -> Scattering {
        let (from, local) = (self.frame.local(from), self.frame.local(to));
        // What one normal sees and the other does not is neither in front of nor behind the
        // surface.
        if (local.z > 0.0) != (to.dot(self.geometric_normal) > 0.0) {
            return Scattering::default();
        }
        let mut scattering = self.bsdf.evaluate(from, local);
        if local.z > 0.0 {
            let softening = self.softening(to);
            scattering.diffuse *= softening;
            scattering.specular *= softening;
        } else {
            scattering.specular /= self.index * self.index;
        }
        scattering
    }

    /// A direction in world space to follow.
    pub(crate) fn sample(&self, from: Vec3, sampler: &mut Sampler) -> Option<BsdfSample> {
        let (point, choice) = (sampler.next_2d(), sampler.next());
        let found = self.bsdf.sample(self.frame.local(from), point, choice)?;
        let mut direction = self.frame.world(found.direction).normalize();
        let height = direction.dot(self.geometric_normal);
        let weight = if found.lobe == Lobe::Transmission {
            if height >= 0.0 {
                direction = (direction - (height + 1e-3) * self.geometric_normal).normalize();
            }
            found.weight / (self.index * self.index)
        } else if height <= 0.0 {
            return None;
        } else if found.pdf > 0.0 {
            found.weight * self.softening(direction)
        } else {
            found.weight
        };
        Some(BsdfSample { direction, weight, ..found })
    }

    /// Blends the hard edge, where a smoothly shaded triangle turns away from the light, into the
    /// shading (after Chiang, Li & Burley 2019). Acts only within an angle of the horizon equal to
    /// that between the two normals, so that triangles do not show elsewhere.
    fn softening(&self, to: Vec3) -> f32 {
        let between = self.geometric_normal.cross(self.shading_normal).length();
        let height = to.dot(self.geometric_normal);
        if height >= 2.0 * between {
            return 1.0;
        }
        let ratio = (height / (2.0 * between)).max(0.0);
        ratio + ratio * ratio - ratio * ratio * ratio
    }

    /// A ray that leaves in a direction.
    pub(crate) fn leave(&self, direction: Vec3) -> Ray {
        let side = if direction.dot(self.geometric_normal) > 0.0 { 1.0 } else { -1.0 };
        let origin = self.point + side * self.uncertainty * self.geometric_normal;
        Ray { origin, direction, time: self.time, far: f32::INFINITY }
    }
}

/// The ray behind a surface that lets it pass.
pub(crate) fn passed(ray: &Ray, hit: &Hit) -> Ray {
    let side = if ray.direction.dot(hit.geometric_normal) > 0.0 { 1.0 } else { -1.0 };
    let origin = ray.at(hit.distance) + side * hit.uncertainty * hit.geometric_normal;
    Ray { origin, far: ray.far - hit.distance, ..*ray }
}

/// The shading normal, bent so that the viewer is in front of it and a mirror shows nothing from
/// behind the surface: otherwise bumps seen at a grazing angle would have black rims.
fn consistent_normal(geometric: Vec3, shading: Vec3, viewer: Vec3) -> Vec3 {
    const LEAST: f32 = 0.01;
    let mirrored = |normal: Vec3| 2.0 * viewer.dot(normal) * normal - viewer;
    let seen = viewer.dot(shading);
    if seen > 0.0 && mirrored(shading).dot(geometric) > 0.0 {
        return shading;
    }
    let before = if seen > LEAST {
        shading
    } else {
        (shading + (LEAST - seen) * viewer).normalize_or(geometric)
    };
    let reflection = mirrored(before);
    let height = reflection.dot(geometric);
    let least = LEAST.min(0.9 * viewer.dot(geometric).max(1e-4));
    if height >= least {
        return before;
    }
    let raised = (reflection + (least - height) * geometric).normalize_or(geometric);
    let bent = (viewer + raised).normalize_or(geometric);
    if viewer.dot(bent) > 0.0 { bent } else { geometric }
}
