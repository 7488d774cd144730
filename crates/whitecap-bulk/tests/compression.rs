//! PCISPH keeps what it promises about compression.

mod sph_scenes;

use sph_scenes::dam;
use whitecap_bulk::sph::{PressureMethod, SphSettings};
use whitecap_core::Unwatched;

/// Contract: in every step of a dam break the solver leaves no particle compressed by more than
/// 1 %, and reports between three and its largest number of iterations.
#[test]
fn pcisph_leaves_at_most_one_per_cent() {
    let settings = SphSettings {
        spacing: 0.5 / 16.0,
        pressure: PressureMethod::Pcisph,
        ..SphSettings::default()
    };
    let mut liquid = dam(settings.clone());
    for _ in 0..25 {
        let report = liquid.step_frame(0.04, &Unwatched).unwrap();
        assert!(report.largest_compression() <= 0.01, "{}", report.largest_compression());
        for step in &report.steps {
            assert!((3..=settings.most_iterations).contains(&step.compression.count));
        }
    }
}
