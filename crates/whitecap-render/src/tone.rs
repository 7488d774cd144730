//! From light to what a display shows, for previews.
//!
//! The filmic curve is a sigmoid over exposure, applied after mixing the channels slightly, so that bright
//! saturated light turns white instead of a pure primary, as in AgX (Sobotka 2022). Middle grey stays where
//! sRGB has it.

use glam::{Mat3, Vec3};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Rendered;

/// How light becomes brightness on a display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Sixteen stops roll off softly, as on film.
    #[default]
    Filmic,
    /// Values brighter than white are clipped.
    Srgb,
}

/// Slope of the curve over stops; a little steeper at middle grey than sRGB, as film is.
const SLOPE: f32 = 0.85;
/// Middle grey.
const GREY: f32 = 0.18;

impl Tone {
    /// Display values from 0 to 1, sRGB-encoded, of linear light after `exposure` stops.
    pub fn encode(self, light: Vec3, exposure: f32) -> Vec3 {
        let light = (light * exposure.exp2()).max(Vec3::ZERO);
        match self {
            Tone::Srgb => light.min(Vec3::ONE).map(srgb),
            Tone::Filmic => filmic(light),
        }
    }

    /// A picture's beauty as rows of red, green, blue bytes, for a PNG.
    pub fn bytes(self, picture: &Rendered, exposure: f32) -> Vec<u8> {
        let pixels = picture.rgb("beauty").unwrap_or_default();
        let encode = |&light: &Vec3| {
            let shown = self.encode(light, exposure) * 255.0 + 0.5;
            shown.to_array().map(|value| value as u8)
        };
        pixels.par_iter().map(encode).collect::<Vec<_>>().concat()
    }
}

fn filmic(light: Vec3) -> Vec3 {
    // Each channel gets a fraction of the others, and most of it is removed afterwards.
    let mix = |share: f32| {
        let (own, other) = (1.0 - 2.0 * share, share);
        Mat3::from_cols(
            Vec3::new(own, other, other),
            Vec3::new(other, own, other),
            Vec3::new(other, other, own),
        )
    };
    let grey_shown = srgb(GREY);
    let offset = (1.0 / grey_shown - 1.0).ln();
    let curve = |value: f32| {
        let stops = (value.max(1e-10) / GREY).log2();
        1.0 / (1.0 + (offset - SLOPE * stops).exp())
    };
    let shown = (mix(0.06) * light).map(curve);
    (mix(-0.05) * shown).clamp(Vec3::ZERO, Vec3::ONE)
}

/// The transfer curve of sRGB (IEC 61966-2-1).
fn srgb(value: f32) -> f32 {
    if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Middle grey stays where sRGB has it, black is black, brighter light never looks darker, and very
    /// bright light of any colour ends up near white.
    #[test]
    fn filmic_curve() {
        let grey = Tone::Filmic.encode(Vec3::splat(GREY), 0.0).x;
        assert!((grey - Tone::Srgb.encode(Vec3::splat(GREY), 0.0).x).abs() < 1e-4);
        assert!(Tone::Filmic.encode(Vec3::ZERO, 0.0).max_element() < 1e-3);
        let mut last = 0.0;
        for stop in -12..12 {
            let shown = Tone::Filmic.encode(Vec3::ONE, stop as f32).x;
            assert!(shown >= last, "{stop}: {shown}");
            last = shown;
        }
        let blaze = Tone::Filmic.encode(Vec3::new(1000.0, 0.0, 0.0), 0.0);
        assert!(blaze.min_element() > 0.8, "{blaze}");
    }

    /// Light that is brighter than white, negative or not a number gives bytes and no panic.
    #[test]
    fn any_light_can_be_shown() {
        for light in [-1.0, 0.0, 1e30, f32::INFINITY, f32::NAN] {
            for tone in [Tone::Filmic, Tone::Srgb] {
                let shown = tone.encode(Vec3::splat(light), 3.0);
                assert!(shown.cmpge(Vec3::ZERO).all() && shown.cmple(Vec3::ONE).all(), "{light}");
            }
        }
    }
}
