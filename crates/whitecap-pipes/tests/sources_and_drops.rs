//! Contracts: sources, drains and the brush move exactly the volume they report, in their layer;
//! falling drops take the time of a free fall and lose nothing; impossible settings are refused.

mod liquid_scenes;

use glam::Vec3;
use liquid_scenes::{drawn, grid};
use whitecap_pipes::{Brush, Edges, PipeError, PipeSettings, Pipes, Source, Space, Terrain};

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}

/// Contract: a source adds its rate per second, a drain removes its rate, in the layer of its
/// height.
#[test]
fn sources_and_drains_keep_their_rate() {
    let terrain = drawn(0.001, &["=====", "=====", "====="], 0.01, 0.02);
    let lower = Source { position: [0.0025, 0.005, 0.0015], radius: 0.001, rate: 1e-8 };
    let upper = Source { position: [0.0025, 0.03, 0.0015], radius: 0.0, rate: 2e-8 };
    let settings = PipeSettings { sources: vec![lower, upper], ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings.clone()).unwrap();
    pipes.advance(1.0).unwrap();
    assert!(close(pipes.volume(), 3e-8), "{}", pipes.volume());
    let columns = pipes.columns();
    let share = |layer: usize| -> f64 {
        let columns_of_layer = (0..columns.len()).filter(|column| column % 2 == layer);
        columns_of_layer.map(|column| columns.depth()[column]).sum::<f64>() * columns.base_area()
    };
    assert!(close(share(0), 1e-8) && close(share(1), 2e-8));

    pipes.set_settings(PipeSettings { sources: vec![], drains: vec![lower], ..settings }).unwrap();
    pipes.advance(0.5).unwrap();
    assert!(close(pipes.volume(), 2.5e-8), "{}", pipes.volume());
    pipes.advance(10.0).unwrap();
    let report = pipes.report();
    assert!(pipes.volume() >= 2e-8 && close(report.poured - report.drained, pipes.volume()));
}

/// Contract: the brush pours what it reports, no more than there is room for, and wipes no more
/// than there is.
#[test]
fn the_brush_pours_and_wipes_what_it_says() {
    let closed = Terrain::layers(grid(0.001, 1, 1), &[vec![Space { floor: 0.0, ceiling: 0.001 }]]);
    let mut pipes = Pipes::new(&closed.unwrap(), PipeSettings::default()).unwrap();
    let brush = Brush { position: Vec3::new(0.0005, 0.0, 0.0005), radius: 0.01 };
    assert!((pipes.pour(brush, 3e-9).unwrap() - 1e-9).abs() < 1e-15);
    assert!((pipes.wipe(brush, 4e-10).unwrap() - 4e-10).abs() < 1e-16);
    assert!((pipes.wipe(brush, f64::INFINITY).unwrap() - 6e-10).abs() < 1e-15);
    assert_eq!(pipes.wipe(brush, 1.0).unwrap(), 0.0);
    let outside = Brush { position: Vec3::new(5.0, 0.0, 0.0), radius: 0.01 };
    assert_eq!(pipes.pour(outside, 1e-9).unwrap(), 0.0);
    for volume in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(pipes.pour(brush, volume).is_err(), "{volume}");
    }
}

/// Contract: at open edges liquid runs off the grid and is counted.
#[test]
fn open_edges_drain() {
    let terrain = Terrain::heightfield(grid(0.001, 15, 15), &[0.0; 225]).unwrap();
    let settings = PipeSettings { edges: Edges::Open, ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|_| 0.002);
    let volume = pipes.volume();
    pipes.advance(5.0).unwrap();
    assert!(pipes.volume() < 0.1 * volume);
    assert!(pipes.report().relative_error.abs() < 1e-9);
}

/// Contract: liquid that leaves a table falls for as long as a free fall takes, arrives below, and all
/// of it is there at any time.
#[test]
fn drops_fall_freely_and_arrive() {
    let height = 0.2_f32;
    let cells: Vec<Vec<Space>> =
        (0..20).map(|x| vec![Space::open(if x < 5 { height } else { 0.0 })]).collect();
    let terrain = Terrain::layers(grid(0.01, 20, 1), &cells).unwrap();
    let settings =
        PipeSettings { falling_drops: true, time_step: Some(0.002), ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|column| if column < 5 { 0.01 } else { 0.0 });
    let volume = pipes.volume();
    let below = |pipes: &Pipes| pipes.columns().depth()[5..].iter().sum::<f64>();
    let (mut launched, mut landed, mut most) = (None, None, 0);
    for _ in 0..2000 {
        pipes.advance(0.002).unwrap();
        most = most.max(pipes.drops().len());
        if launched.is_none() && !pipes.drops().is_empty() {
            launched = Some(pipes.time());
        }
        if landed.is_none() && below(&pipes) > 0.0 {
            landed = Some(pipes.time());
        }
        assert!((pipes.volume() - volume).abs() < 1e-12 * volume);
    }
    let (flight, expected) =
        (landed.unwrap() - launched.unwrap(), (2.0 * f64::from(height) / 9.81).sqrt());
    println!("flight {flight:.3} s for {expected:.3} s, at most {most} drops");
    assert!((flight / expected - 1.0).abs() < 0.05, "{flight} s for {expected} s");
    assert!(below(&pipes) > 0.9 * 0.05, "{}", below(&pipes));
}

/// Contract: where a steady flow leaves a table, drops fly off at the speed of an open channel's
/// critical depth, (g q)^⅓ for a flow of q per metre, and are spread over the edge and over the
/// distance of a step.
#[test]
fn drops_leave_at_the_critical_speed() {
    let cell = 0.01_f32;
    let cells: Vec<Vec<Space>> =
        (0..40).map(|x| vec![Space::open(if x < 15 { 0.2 } else { 0.0 })]).collect();
    let terrain = Terrain::layers(grid(cell, 40, 1), &cells).unwrap();
    let source = Source { position: [0.02, 0.3, 0.005], radius: 0.0, rate: 1e-5 };
    let settings = PipeSettings {
        falling_drops: true,
        time_step: Some(0.002),
        sources: vec![source],
        ..PipeSettings::default()
    };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.advance(10.0).unwrap();
    let critical = (9.81 * source.rate as f32 / cell).cbrt();
    let drops = pipes.drops();
    let speed = drops.iter().map(|drop| drop.velocity.x).sum::<f32>() / drops.len() as f32;
    println!("{speed} m/s of {critical} m/s");
    assert!(
        drops.len() > 50 && (0.98..1.001).contains(&(speed / critical)),
        "{speed} of {critical}"
    );
    let places: Vec<f32> = drops.iter().map(|drop| drop.position.z / cell).collect();
    let mean = places.iter().sum::<f32>() / places.len() as f32;
    let spread = (places.iter().map(|place| (place - mean).powi(2)).sum::<f32>()
        / places.len() as f32)
        .sqrt();
    assert!((mean - 0.5).abs() < 0.1 && (spread - 0.26).abs() < 0.06, "{mean} ± {spread}");
}

/// Contract: a drop that would fly into a wall falls down along it instead of landing on its top.
#[test]
fn drops_do_not_climb_walls() {
    let floors = [0.1, 0.1, 0.0, 0.5];
    let cells: Vec<Vec<Space>> = floors.iter().map(|&floor| vec![Space::open(floor)]).collect();
    let terrain = Terrain::layers(grid(0.01, 4, 1), &cells).unwrap();
    let settings = PipeSettings { falling_drops: true, ..PipeSettings::default() };
    let mut pipes = Pipes::new(&terrain, settings).unwrap();
    pipes.fill(|column| if column < 2 { 0.02 } else { 0.0 });
    pipes.advance(2.0).unwrap();
    assert_eq!(pipes.columns().depth()[3], 0.0);
    assert!(pipes.columns().depth()[2] > 0.02);
}

/// Contract: every impossible number is refused with a sentence that names the setting.
#[test]
fn impossible_settings_are_refused() {
    let good = PipeSettings::default();
    let source = Source { position: [0.0; 3], radius: 0.1, rate: 1.0 };
    let cases = [
        ("gravity", PipeSettings { gravity: f32::NAN, ..good.clone() }),
        ("gravity", PipeSettings { gravity: -1.0, ..good.clone() }),
        ("viscosity", PipeSettings { viscosity: -1e-6, ..good.clone() }),
        ("viscosity", PipeSettings { viscosity: f32::INFINITY, ..good.clone() }),
        ("retained", PipeSettings { retained: 1.5, ..good.clone() }),
        ("time-step", PipeSettings { time_step: Some(0.0), ..good.clone() }),
        ("time-step", PipeSettings { time_step: Some(f32::NAN), ..good.clone() }),
        ("fall-height", PipeSettings { fall_height: Some(-1.0), ..good.clone() }),
        ("most-drops", PipeSettings { most_drops: 0, ..good.clone() }),
        (
            "`sources.0.rate` is -1",
            PipeSettings { sources: vec![Source { rate: -1.0, ..source }], ..good.clone() },
        ),
        (
            "`drains.0.radius` is NaN",
            PipeSettings { drains: vec![Source { radius: f32::NAN, ..source }], ..good.clone() },
        ),
        (
            "a value of `sources.0.position` is NaN",
            PipeSettings {
                sources: vec![Source { position: [0.0, f32::NAN, 0.0], ..source }],
                ..good.clone()
            },
        ),
    ];
    let terrain = Terrain::heightfield(grid(0.001, 2, 2), &[0.0; 4]).unwrap();
    let mut pipes = Pipes::new(&terrain, good.clone()).unwrap();
    for (name, settings) in cases {
        let found = Pipes::new(&terrain, settings.clone()).unwrap_err();
        assert!(found.to_string().contains(name), "{name}: {found}");
        assert_eq!(pipes.set_settings(settings).unwrap_err().to_string(), found.to_string());
    }
    assert_eq!(pipes.settings(), &good);
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(pipes.step(duration), Err(PipeError::Setting(_))), "{duration}");
    }
    assert!(pipes.advance(f64::NAN).is_err() && pipes.advance(-1.0).is_err());
    assert!(pipes.advance(f64::INFINITY).is_err());
    assert_eq!(pipes.advance(0.0), Ok(0));
}

/// Contract: settings read as they are written, with kebab-case keys, and unknown keys are refused.
#[test]
fn settings_come_back_as_they_were() {
    let source = Source { position: [0.0, 1.0, 2.0], radius: 0.1, rate: 1e-6 };
    let settings =
        PipeSettings { sources: vec![source], time_step: Some(0.003), ..PipeSettings::default() };
    let text = serde_json::to_string(&settings).unwrap();
    assert!(text.contains("\"pipe-area\":\"physical\""), "{text}");
    assert_eq!(serde_json::from_str::<PipeSettings>(&text).unwrap(), settings);
    assert!(serde_json::from_str::<PipeSettings>("{\"viscositty\": 1}").is_err());
    assert_eq!(serde_json::from_str::<PipeSettings>("{}").unwrap(), PipeSettings::default());
}
