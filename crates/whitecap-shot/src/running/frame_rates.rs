//! The frame rate of the shot, and that which particles were made for.

use crate::FrameData;

/// Larger than the rounding of a frame rate to single precision.
const TOLERANCE: f64 = 1e-6;

/// Says so if particles were made for another frame rate than that of the shot: what depends on time, such as
/// the speed of waves or the blur of motion, would be wrong.
pub(crate) fn rate_note(inputs: &[(&str, FrameData)], fps: f64) -> Option<String> {
    inputs.iter().find_map(|(key, data)| {
        let FrameData::Particles(particles) = data else { return None };
        let made = particles.facts().frame_rate?;
        let differs = (f64::from(made) - fps).abs() > TOLERANCE * fps;
        differs.then(|| {
            format!(
                "`{key}` was made for {made} frames per second, but is used at {fps}; set `fps` to {made} if that is wrong"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::{Particles, TriMesh};

    /// Contract: another frame rate is noted, whatever the input; the same one, rounded, and an unknown one are not.
    #[test]
    fn other_rates_are_noted() {
        let made_for = |frame_rate: Option<f32>| {
            let mut particles = Particles::default();
            particles.facts_mut().frame_rate = frame_rate;
            [("surface", TriMesh::default().into()), ("particles", FrameData::from(particles))]
        };
        let note = rate_note(&made_for(Some(60.0)), 24.0).unwrap();
        assert!(note.starts_with("`particles` was made for 60 frames per second"), "{note}");
        assert!(note.contains("used at 24;"), "{note}");
        assert_eq!(rate_note(&made_for(Some(23.976)), 23.976), None);
        assert_eq!(rate_note(&made_for(None), 24.0), None);
    }
}
