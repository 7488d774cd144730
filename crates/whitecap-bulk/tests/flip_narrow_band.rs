//! Grid liquids with particles in a narrow band only, against the same liquids with particles everywhere.

mod flip_scenes;

use flip_scenes::filled;
use whitecap_bulk::flip::{FlipLiquid, FlipSettings};
use whitecap_core::Unwatched;
use whitecap_core::glam::Vec3;
use whitecap_scene::fill::Volume;
use whitecap_scene::shape::BoxShape;

const FRAME: f64 = 1.0 / 24.0;

fn tank(narrow_band: Option<f32>) -> FlipLiquid {
    let settings = FlipSettings {
        spacing: 1.0 / 64.0,
        narrow_band,
        domain: Some(BoxShape::new(Vec3::ZERO, Vec3::new(1.0, 1.5, 0.5))),
        ..FlipSettings::default()
    };
    let pool = Volume::Box { min: Vec3::ZERO, max: Vec3::new(1.0, 1.25, 0.5) };
    filled(settings, pool, Vec3::new(0.8, 0.0, 0.0))
}

#[test]
fn explore() {
    for band in [None, Some(4.0)] {
        let mut liquid = tank(band);
        let n = liquid.particles().len() as f64;
        let spacing = 1.0f64 / 64.0;
        let start = std::time::Instant::now();
        for frame in 0..120 {
            let report = liquid.step_frame(FRAME, &Unwatched).unwrap();
            if frame % 10 == 0 || frame < 5 {
                println!(
                    "{band:?} {frame} t={:.1}s steps {} particles {} core {} surplus {:.1} worth {:.4} volume {:.4} energy {:.4} held {:.1} MB",
                    start.elapsed().as_secs_f64(),
                    report.steps.len(),
                    report.particles,
                    report.core_cells,
                    liquid.core_surplus(),
                    liquid.particles_worth() / n,
                    liquid.volume() / (n * spacing.powi(3)),
                    liquid.kinetic_energy(),
                    liquid.bytes_held() as f64 / 1e6
                );
            }
        }
    }
}
