//! The number of threads changes nothing.

mod sph_scenes;

use sph_scenes::dam;
use whitecap_bulk::sph::{PressureMethod, SphSettings};
use whitecap_core::Unwatched;

fn state_after_two_hundred_steps(threads: usize, pressure: PressureMethod) -> Vec<u8> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let settings = SphSettings {
            spacing: 0.5 / 12.0,
            pressure,
            friction: 0.2,
            viscosity: 0.1,
            time_step: Some(0.004),
            ..SphSettings::default()
        };
        let mut liquid = dam(settings);
        for _ in 0..20 {
            let report = liquid.step_frame(0.04, &Unwatched).unwrap();
            assert!(report.steps.len() >= 10);
        }
        liquid.save()
    })
}

/// Contract: after 200 steps the whole state has the same bits with 1, 2 and 7 threads.
#[test]
fn same_bits_with_any_number_of_threads() {
    for pressure in [PressureMethod::Dfsph, PressureMethod::Pcisph] {
        let one = state_after_two_hundred_steps(1, pressure);
        for threads in [2, 7] {
            assert!(state_after_two_hundred_steps(threads, pressure) == one, "{threads} threads");
        }
    }
}
