//! Waves that are saved and restored continue to the bit; damaged bytes are refused.

mod points_scenes;

use points_scenes::{ball, block, counted};
use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, Unwatched};
use whitecap_waves::points::PointSettings;
use whitecap_waves::{Surroundings, WaveSettings, Waves};

fn waves(coarse: f32) -> Waves {
    let points = PointSettings {
        coarse: Some(coarse),
        fine: Some(coarse / 5.0),
        first_rounds: 10,
        ..PointSettings::default()
    };
    Waves::new(WaveSettings { points, ..WaveSettings::default() }, 0.04).unwrap()
}

/// A ball falls into a pool.
fn particles(frame: usize) -> Particles {
    let mut positions = block(Vec3::ZERO, [12, 4, 12]);
    let fall = 0.05 * frame as f32 * Vec3::Y;
    positions.extend(ball(Vec3::new(0.3, 0.5, 0.3), 0.12).iter().map(|p| p - fall));
    counted(positions)
}

fn step(waves: &mut Waves, frame: usize) {
    waves.step(&particles(frame), Surroundings::default(), &Unwatched).unwrap();
}

/// Contract: after a save and a restore, before any frame or between any two, the state ends with the
/// same bytes as without.
#[test]
fn interrupted_and_uninterrupted_waves_are_the_same() {
    let mut whole = waves(0.1);
    let mut states = vec![whole.save()];
    for frame in 0..6 {
        step(&mut whole, frame);
        states.push(whole.save());
    }
    for interruption in [0, 1, 4] {
        let mut resumed = waves(0.1);
        resumed.restore(&states[interruption]).unwrap();
        assert!(resumed.save() == states[interruption]);
        for frame in interruption..6 {
            step(&mut resumed, frame);
        }
        assert!(resumed.save() == states[6], "interrupted before frame {interruption}");
    }
}

/// Contract: bytes that are cut, lengthened, of another kind or version, or made at another scale are
/// refused with a sentence, and the waves stay as they are; damage anywhere never panics.
#[test]
fn damaged_bytes_are_refused() {
    let mut waves = waves(0.1);
    step(&mut waves, 0);
    step(&mut waves, 1);
    let good = waves.save();
    for length in [0, 5, 8, 20, 40, good.len() / 2, good.len() - 1] {
        assert!(waves.restore(&good[..length]).is_err(), "cut at {length}");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(waves.restore(&longer).unwrap_err().to_string().contains("follow"));
    let mut other = good.clone();
    other[0] = b'x';
    assert!(waves.restore(&other).unwrap_err().to_string().contains("does not begin"));
    let mut newer = good.clone();
    newer[6] = 99;
    assert!(waves.restore(&newer).unwrap_err().to_string().contains("version 99"));
    let mut wider = self::waves(0.125);
    assert!(wider.restore(&good).unwrap_err().to_string().contains("coarse length"));
    assert!(waves.save() == good, "refused bytes change nothing");
    for place in (8..good.len()).step_by(good.len() / 97) {
        let mut damaged = good.clone();
        damaged[place] ^= 0xFF;
        let mut fresh = self::waves(0.1);
        if fresh.restore(&damaged).is_ok() {
            let _ = fresh.step(&particles(2), Surroundings::default(), &Unwatched);
        }
    }
}
