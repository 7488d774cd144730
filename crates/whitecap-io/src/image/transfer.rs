//! The transfer curve of sRGB (IEC 61966-2-1).

/// Linear light of an sRGB value; both from 0 to 1.
pub fn srgb_to_linear(value: f32) -> f32 {
    match value <= 0.040_45 {
        true => value / 12.92,
        false => ((value + 0.055) / 1.055).powf(2.4),
    }
}

/// The sRGB value of linear light; both from 0 to 1.
pub fn linear_to_srgb(light: f32) -> f32 {
    match light <= 0.003_130_8 {
        true => light * 12.92,
        false => 1.055 * light.powf(1.0 / 2.4) - 0.055,
    }
}
