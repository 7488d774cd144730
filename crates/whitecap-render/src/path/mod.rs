//! Paths of light, followed backwards from the camera (Kajiya 1986).
//!
//! At each scattering the path samples a light directly and continues in a direction sampled from
//! the surface; a light found in both ways is weighted (Veach 1997).
//!
//! # Guarantees
//! * Without `fast_shadows`, with `reflected_caustics` and without `clamp` or a limit on bounces, the
//!   mean of many paths is the light that arrives.
//! * The light of a path depends only on its sampler.
//!
//! # Non-guarantees
//! With `fast_shadows`, light that smooth surfaces refract on its way to a rough one is assumed to
//! come straight. A path that hits such light by chance is weighted against the straight path, so
//! that light through a flat interface counts once on average; its pattern is only approximate.

mod chance;
mod direct;
mod visibility;

use glam::Vec3;

use crate::matter::medium::MediumStack;
use crate::scattering::bsdf::{BsdfSample, Lobe, luminance};
use crate::scene::{PreparedScene, ShadingPoint, passed};
use crate::volume::{HenyeyGreenstein, Scatter};
use crate::{Hit, Ray, RenderSettings, Sampler};

/// Steps of one path, scattered or not; a bound for broken geometry.
const MOST_STEPS: u32 = 2048;
/// How often, at least, the first surfaces a camera sees follow their reflection.
const LEAST_REFLECTION: f32 = 0.25;

/// The layer of light, by what the camera's ray did first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Emission = 0,
    Diffuse = 1,
    Reflection = 2,
    Refraction = 3,
    Volume = 4,
}

/// Number of layers.
pub(crate) const LAYERS: usize = 5;

impl From<Lobe> for Layer {
    fn from(lobe: Lobe) -> Self {
        match lobe {
            Lobe::Diffuse => Layer::Diffuse,
            Lobe::Reflection => Layer::Reflection,
            Lobe::Transmission => Layer::Refraction,
        }
    }
}

/// The result of a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Brought {
    /// Radiance by layer.
    pub(crate) layers: [Vec3; LAYERS],
    /// 1 if the path hit anything.
    pub(crate) alpha: f32,
    /// Number of rays cast.
    pub(crate) rays: u32,
}

/// Where and how the path was last scattered by something that sampled the lights.
struct LastAsked<'s> {
    place: Vec3,
    scatterer: Scatterer<'s>,
    /// Density, per steradian, of the direction it left in.
    pdf: f32,
    /// Whether a smooth surface has reflected it since.
    reflected: bool,
    /// Whether a smooth surface has transmitted it since.
    transmitted: bool,
    /// How far it has travelled since, in m.
    flown: f32,
}

/// What scattered the path, and where it was seen from.
enum Scatterer<'s> {
    Surface { point: ShadingPoint<'s>, from: Vec3 },
    Volume { phase: HenyeyGreenstein, from: Vec3 },
}

impl<'s> LastAsked<'s> {
    fn new(place: Vec3, scatterer: Scatterer<'s>, pdf: f32) -> Self {
        Self { place, scatterer, pdf, reflected: false, transmitted: false, flown: 0.0 }
    }

    /// Density, per steradian, with which the path would have left in another direction.
    fn pdf_towards(&self, direction: Vec3) -> f32 {
        match &self.scatterer {
            Scatterer::Surface { point, from } => point.evaluate(*from, direction).pdf,
            Scatterer::Volume { phase, from } => phase.pdf(-from.dot(direction)),
        }
    }
}

/// A path in progress.
struct Path<'s, 'a> {
    scene: &'s PreparedScene<'a>,
    settings: &'s RenderSettings,
    ray: Ray,
    media: MediumStack,
    throughput: Vec3,
    /// Product of squared relative indices: compression by refraction must not end a path.
    compression: f32,
    bounces: u32,
    layer: Option<Layer>,
    asked: Option<LastAsked<'s>>,
    brought: Brought,
}

/// Follows one path from the camera.
pub(crate) fn follow(
    scene: &PreparedScene,
    settings: &RenderSettings,
    ray: Ray,
    sampler: &mut Sampler,
) -> Brought {
    let mut path = Path {
        scene,
        settings,
        ray,
        media: scene.media_at(ray.origin, ray.time),
        throughput: Vec3::ONE,
        compression: 1.0,
        bounces: 0,
        layer: None,
        asked: None,
        brought: Brought::default(),
    };
    for _ in 0..MOST_STEPS {
        if !path.step(sampler) {
            break;
        }
    }
    path.brought
}

impl<'s> Path<'s, '_> {
    /// One flight and what ends it; false if the path is over.
    fn step(&mut self, sampler: &mut Sampler) -> bool {
        self.brought.rays += 1;
        let met = self.scene.intersect(&self.ray);
        let reach = met.map_or(f32::INFINITY, |(_, hit)| hit.distance);
        let scatter = self.nearest_scatter(reach, sampler);
        let flown = scatter.map_or(reach, |scatter| scatter.distance);
        self.meet_lights(flown);
        if let Some(asked) = &mut self.asked {
            asked.flown += flown;
        }
        self.throughput *= transmitted(self.scene.absorption(&self.media), flown);
        if self.throughput == Vec3::ZERO {
            return false;
        }
        match (scatter, met) {
            (Some(scatter), _) => self.scatter_in_volume(&scatter, sampler),
            (None, Some((object, hit))) => self.arrive(object, &hit, sampler),
            (None, None) => {
                self.meet_environment();
                false
            }
        }
    }

    fn nearest_scatter(&self, reach: f32, sampler: &mut Sampler) -> Option<Scatter> {
        let mut nearest: Option<Scatter> = None;
        for volume in &self.scene.scene().volumes {
            let far = nearest.map_or(reach, |scatter| scatter.distance);
            let ray = Ray { far, ..self.ray };
            if let Some(scatter) = volume.sample_scatter(&ray, sampler) {
                nearest = Some(scatter);
            }
        }
        nearest
    }

    /// Adds light to the path's layer.
    fn add(&mut self, light: Vec3) {
        let clamp = self.settings.clamp.unwrap_or(0.0);
        let brightest = light.max_element();
        let cut = self.bounces > 1 && clamp > 0.0 && brightest > clamp;
        let light = if cut { light * (clamp / brightest) } else { light };
        self.brought.layers[self.layer.unwrap_or(Layer::Emission) as usize] += light;
    }

    fn scatter_in_volume(&mut self, scatter: &Scatter, sampler: &mut Sampler) -> bool {
        self.brought.alpha = 1.0;
        self.layer.get_or_insert(Layer::Volume);
        self.add(self.throughput * scatter.emission);
        if self.bounces >= self.settings.bounces {
            return false;
        }
        self.bounces += 1;
        self.throughput *= scatter.albedo;
        let place = self.ray.at(scatter.distance);
        let light = self.ask_lights_in_volume(place, scatter, sampler);
        self.add(light);
        let from = -self.ray.direction;
        let (direction, pdf) = scatter.phase.sample(self.ray.direction, sampler.next_2d());
        self.ray = Ray { origin: place, direction, time: self.ray.time, far: f32::INFINITY };
        let scatterer = Scatterer::Volume { phase: scatter.phase, from };
        self.asked = Some(LastAsked::new(place, scatterer, pdf));
        self.survives(sampler)
    }

    fn arrive(&mut self, object: u32, hit: &Hit, sampler: &mut Sampler) -> bool {
        let scene = self.scene;
        let first = self.asked.is_none() && self.bounces < 2;
        let least_reflection = if first { LEAST_REFLECTION } else { 0.0 };
        let arrival = scene.arrive(&self.ray, object, hit, &self.media, least_reflection, sampler);
        let Some(point) = arrival.shading else {
            self.ray = Ray { far: f32::INFINITY, ..passed(&self.ray, hit) };
            self.media = arrival.media_behind;
            return true;
        };
        self.brought.alpha = 1.0;
        if point.emission != Vec3::ZERO {
            self.add(self.throughput * point.emission);
        }
        if self.bounces >= self.settings.bounces {
            return false;
        }
        self.bounces += 1;
        if !point.is_smooth() {
            self.ask_lights(&point, &arrival.media_behind, sampler);
        }
        let Some(sample) = point.sample(-self.ray.direction, sampler) else { return false };
        self.go_on(point, &sample, arrival.media_behind, sampler)
    }

    /// Leaves a surface in a sampled direction.
    fn go_on(
        &mut self,
        point: ShadingPoint<'s>,
        sample: &BsdfSample,
        media_behind: MediumStack,
        sampler: &mut Sampler,
    ) -> bool {
        self.layer.get_or_insert(sample.lobe.into());
        self.throughput *= sample.weight;
        if sample.lobe == Lobe::Transmission {
            self.media = media_behind;
            self.compression *= point.index * point.index;
        }
        let from = -self.ray.direction;
        self.ray = point.leave(sample.direction);
        if sample.pdf > 0.0 {
            let place = point.point();
            let scatterer = Scatterer::Surface { point, from };
            self.asked = Some(LastAsked::new(place, scatterer, sample.pdf));
        } else if let Some(asked) = &mut self.asked {
            asked.reflected |= sample.lobe == Lobe::Reflection;
            asked.transmitted |= sample.lobe == Lobe::Transmission;
        }
        self.survives(sampler)
    }

    /// Russian roulette: paths that carry little end, and the survivors carry more.
    fn survives(&mut self, sampler: &mut Sampler) -> bool {
        if !self.throughput.is_finite() || self.throughput == Vec3::ZERO {
            return false;
        }
        if self.bounces < self.settings.roulette_after {
            return true;
        }
        let chance = (self.throughput * self.compression).max_element().min(1.0);
        if chance < 0.95 {
            if sampler.next() >= chance {
                return false;
            }
            self.throughput /= chance;
        }
        true
    }
}

/// Fraction of light left after a distance in an absorbing medium (Beer & Lambert).
fn transmitted(absorption: Vec3, distance: f32) -> Vec3 {
    if absorption == Vec3::ZERO {
        return Vec3::ONE;
    }
    // Zero absorption over an infinite distance would be zero times infinity.
    (-absorption * distance.min(1e30)).map(f32::exp)
}

/// Weight of what was found with density `found`, if another strategy has density `other`.
fn power_heuristic(found: f32, other: f32) -> f32 {
    if !found.is_finite() {
        return 1.0;
    }
    let ratio = other / found;
    1.0 / (1.0 + ratio * ratio)
}

/// Brightness of light from all layers.
pub(crate) fn brightness(layers: &[Vec3; LAYERS]) -> f32 {
    luminance(layers.iter().sum())
}
