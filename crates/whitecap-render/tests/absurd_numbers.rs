//! Contract: pictures and liquids that need more memory than there is are refused before anything
//! is allocated, with both numbers and what to change.

use std::time::{Duration, Instant};

use glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched, budget};
use whitecap_render::liquid::{LiquidSettings, ParticleLiquid, Shutter};
use whitecap_render::{RenderSettings, Scene, render};

const PATIENCE: Duration = Duration::from_secs(20);

fn is_refused(width: u32) {
    budget::set_memory_limit(Some(1_000_000_000));
    let settings = RenderSettings { width, height: width, ..RenderSettings::default() };
    let started = Instant::now();
    let error = render(&Scene::default(), &settings, &Unwatched).unwrap_err().to_string();
    assert!(started.elapsed() < PATIENCE);
    for words in [&format!("{width} × {width} pixels"), "limit of 1.0 GB", "`scale`", "`region`"] {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_picture_of_20_000_by_20_000() {
    is_refused(20_000);
}

#[test]
fn a_picture_of_65_536_by_65_536() {
    is_refused(65_536);
}

#[test]
fn one_radius_of_2_m_among_centimetres() {
    budget::set_memory_limit(Some(1_000_000_000));
    let cells =
        (0..8000).map(|i| Vec3::new((i % 20) as f32, (i / 20 % 20) as f32, (i / 400) as f32));
    let mut positions: Vec<Vec3> = cells.map(|cell| 0.02 * cell).collect();
    positions.push(Vec3::new(0.0, 0.0, 0.5));
    let mut radii = vec![0.01; 8001];
    radii[8000] = 2.0;
    let mut particles = Particles::new(positions);
    particles.set_attribute("radius", Column::F32(radii)).unwrap();
    let started = Instant::now();
    let made = ParticleLiquid::new(&particles, &LiquidSettings::default(), Shutter::default());
    let error = made.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    for words in ["memory", "particle 8000 has the radius 2 m", "leave it out"] {
        assert!(error.contains(words), "{error}");
    }
}
