//! The look of a picture for which none was chosen: a liquid that is coloured like water at any size, and
//! an exposure that suits the light.
//!
//! # Guarantees
//! The look depends on the settings and on one frame only, and holds for a whole sequence.

use serde_json::Value;
use whitecap_core::Watch;
use whitecap_render::glam::Vec3;
use whitecap_render::{Dielectric, survey};

use super::scene::{LIQUID, SceneMaker};
use super::{DielectricSettings, MaterialSettings, RenderStageSettings, picture_settings};
use crate::stage::{ShotContext, StageError};
use crate::{FrameData, FrameTime};

/// The liquid is coloured as this many metres of clean water are.
const WATER_SEEN: f32 = 3.0;
/// What nine tenths of a picture stay below, where 1 is white: room is left for highlights.
const BRIGHT: f32 = 0.45;
/// Largest correction of the exposure, in stops.
const MOST_STOPS: f32 = 20.0;

/// A look.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What the liquid is made of.
    pub material: MaterialSettings,
    /// Exposure in stops.
    pub exposure: f32,
}

/// The look of a picture with the inputs of one frame; `colours` says whether the liquid is to be
/// coloured, else it stays as it is.
pub fn look<'d>(
    settings: Value,
    context: &ShotContext,
    frame: FrameTime,
    input: &dyn Fn(&str) -> Option<&'d FrameData>,
    colours: bool,
    watch: &dyn Watch,
) -> Result<Look, StageError> {
    let mut settings: RenderStageSettings =
        serde_json::from_value(settings).map_err(StageError::failed)?;
    let picture = picture_settings(&settings, frame, 0);
    let maker = |settings: &RenderStageSettings| {
        SceneMaker::load(settings.clone(), context).map_err(|problems| {
            StageError::failed(problems.first().map_or("", |problem| &problem.message))
        })
    };
    let scenes = maker(&settings)?;
    let (mut scene, _) = scenes.scene(frame, input)?;
    let object = scene.objects.iter().position(|object| object.name == LIQUID);
    if let Some(object) = object.filter(|_| colours) {
        let thickness =
            survey::thickness(&scene, object, &picture, watch).map_err(StageError::failed)?;
        settings.material = thickness.map_or_else(MaterialSettings::default, water);
        let made = maker(&settings)?.material().clone();
        let place = scene.objects[object].material;
        scene.materials[place] = made;
    }
    let bright = survey::bright_light(&scene, &picture, watch);
    let bright = bright.map_err(StageError::failed)?;
    let stops = (BRIGHT / bright).log2();
    let exposure = if bright > 0.0 { stops.clamp(-MOST_STOPS, MOST_STOPS) } else { 0.0 };
    Ok(Look { material: settings.material, exposure: (10.0 * exposure).round() / 10.0 })
}

/// A liquid that is coloured as clean water is, where it is as thick as this, in m.
fn water(thickness: f32) -> MaterialSettings {
    let color = (-Dielectric::water().absorption * WATER_SEEN).map(f32::exp);
    let hundredths = |value: f32| (100.0 * value).round() / 100.0;
    // Two digits, so that the setting can be repeated by hand.
    let digit = 10f32.powf(thickness.log10().floor() - 1.0);
    let depth = ((thickness / digit).round() * digit).clamp(1e-6, 1e6);
    MaterialSettings::Liquid(DielectricSettings {
        color: Some(Vec3::map(color, hundredths).to_array()),
        depth,
        ..DielectricSettings::default()
    })
}
