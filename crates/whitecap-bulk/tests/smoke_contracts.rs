//! Contracts of smoke that hold for any scene: threads, saved states, sources, solids, errors.

use whitecap_bulk::smoke::{
    NoiseSettings, ParticleSource, Smoke, SmokeError, SmokeSettings, SmokeSourceSettings, Source,
    SourceShape, VolumeSource,
};
use whitecap_core::glam::{IVec3, Quat, Vec3};
use whitecap_core::{Lattice, SparseGrid, Transform, TriMesh, Unwatched, Watch};
use whitecap_scene::AnimatedBody;
use whitecap_scene::shape::{BallShape, BoxShape, Side};

const FRAME: f64 = 1.0 / 24.0;

fn settings() -> SmokeSettings {
    SmokeSettings {
        cell: 1.0 / 16.0,
        domain: Some(BoxShape::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0))),
        open_sides: vec![Side::HighY],
        obstacles: vec![BoxShape::new(Vec3::new(-0.2, 0.9, -0.3), Vec3::new(0.3, 1.1, 0.2))],
        ..SmokeSettings::default()
    }
}

fn ball(center: [f32; 3], radius: f32) -> SmokeSourceSettings {
    SmokeSourceSettings::new(SourceShape::Ball(BallShape { center, radius }))
}

/// A noisy plume below an obstacle and beside a moving box.
fn plume() -> Smoke {
    let mut smoke = Smoke::new(settings()).unwrap();
    let noise = NoiseSettings { scale: 0.2, swirl: 0.3, ..NoiseSettings::default() };
    let source = SmokeSourceSettings { noise: Some(noise), ..ball([0.0, 0.4, 0.0], 0.25) };
    smoke.add_source(Source::new(source, None).unwrap());
    let cube = TriMesh::cuboid(Vec3::splat(-0.15), Vec3::splat(0.15));
    let place = |x: f32| Transform {
        rotation: Quat::IDENTITY,
        translation: Vec3::new(x, 0.6, 0.1),
        scale: 1.0,
    };
    let body = AnimatedBody::rigid(cube, vec![(0.0, place(0.8)), (1.0, place(-0.8))]).unwrap();
    smoke.add_solid(body).unwrap();
    smoke
}

/// Contract: after twelve frames the whole state has the same bits with 1, 2 and 7 threads.
#[test]
fn same_bits_with_any_number_of_threads() {
    let state = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut smoke = plume();
            for _ in 0..12 {
                smoke.step_frame(FRAME, &Unwatched).unwrap();
            }
            smoke.save()
        })
    };
    let one = state(1);
    assert!(state(2) == one && state(7) == one);
}

/// Contract: smoke that is saved, restored into a new one and continued has the same bits as one that was not;
/// a state that is cut short or of other settings is refused and changes nothing.
#[test]
fn saved_states_continue_to_the_bit() {
    let mut whole = plume();
    for _ in 0..7 {
        whole.step_frame(FRAME, &Unwatched).unwrap();
    }
    let saved = whole.save();
    let mut other = plume();
    for cut in [0, 7, 20, saved.len() / 2, saved.len() - 1] {
        assert!(other.restore(&saved[..cut]).is_err(), "{cut}");
    }
    let mut finer = Smoke::new(SmokeSettings { cell: 0.03, ..settings() }).unwrap();
    let refused = finer.restore(&saved).unwrap_err().to_string();
    assert!(refused.contains("cell"), "{refused}");
    assert!(other.save() == plume().save(), "a refused state changed something");
    other.restore(&saved).unwrap();
    for _ in 0..5 {
        whole.step_frame(FRAME, &Unwatched).unwrap();
        other.step_frame(FRAME, &Unwatched).unwrap();
    }
    assert!(whole.save() == other.save());
}

/// Contract: the ledger is exact with everything at once: sources, dissipation, an open side, a moving solid.
#[test]
fn the_ledger_is_exact() {
    let mut smoke = plume();
    let mut sourced = Smoke::new(SmokeSettings { dissipation: 0.5, ..settings() }).unwrap();
    sourced.add_source(Source::new(ball([0.0, 1.6, 0.0], 0.3), None).unwrap());
    for smoke in [&mut smoke, &mut sourced] {
        let (mut booked, mut left) = (0.0, 0.0);
        for _ in 0..36 {
            let report = smoke.step_frame(FRAME, &Unwatched).unwrap();
            booked += report.ledger.change();
            left += report.ledger.left;
        }
        let total = smoke.total_density();
        assert!(total > 0.0 && (total - booked).abs() < 1e-5 * total, "{total} is not {booked}");
        assert!(left >= 0.0);
    }
    assert!(smoke.density().tiles().iter().all(|tile| (0..512).all(|node| tile.at(node) > -1e-6)));
}

/// Contract: density dissipates and warmth cools at the rates that are set.
#[test]
fn density_dissipates_and_warmth_cools() {
    let rates =
        SmokeSettings { dissipation: 0.7, cooling: 1.3, cell: 0.1, ..SmokeSettings::default() };
    let mut smoke = Smoke::new(rates).unwrap();
    smoke.set(&[IVec3::ZERO], |_| (1.0, 20.0, Vec3::ZERO)).unwrap();
    let warmth = |smoke: &Smoke| -> f64 {
        let tiles = smoke.temperature().tiles().iter();
        tiles.flat_map(|tile| (0..512).map(|node| f64::from(tile.at(node)))).sum()
    };
    let (density, warm) = (smoke.total_density(), warmth(&smoke));
    for _ in 0..24 {
        smoke.step_frame(FRAME, &Unwatched).unwrap();
    }
    assert!((smoke.total_density() / density - (-0.7f64).exp()).abs() < 1e-3);
    assert!((warmth(&smoke) / warm - (-1.3f64).exp()).abs() < 1e-3);
}

/// Contract: boxes, balls, meshes, particles and volumes release density at their rate, over their time span
/// only, and hold their temperature; noise changes the total little.
#[test]
fn every_kind_of_source_releases_its_rate() {
    let cube = BoxShape::new(Vec3::splat(-0.25), Vec3::splat(0.25));
    let path = String::from("cube.ply");
    let body = whitecap_scene::BodySettings { path, first: None, keys: Vec::new() };
    let shapes = [
        SourceShape::Box(cube),
        SourceShape::Ball(BallShape { center: [0.0; 3], radius: 0.31017 }),
        SourceShape::Mesh(body),
        SourceShape::Particles(ParticleSource { radius: 0.31017 }),
        SourceShape::Volume(VolumeSource::default()),
    ];
    for from in shapes {
        let span = whitecap_scene::time_span::TimeSpan { start: FRAME, end: Some(3.0 * FRAME) };
        let noise = NoiseSettings { scale: 0.05, amplitude: 0.3, ..NoiseSettings::default() };
        let settings = SmokeSourceSettings {
            rate: 8.0,
            during: Some(span),
            noise: Some(noise),
            ..SmokeSourceSettings::new(from)
        };
        let mesh = TriMesh::cuboid(Vec3::splat(-0.25), Vec3::splat(0.25));
        let body = AnimatedBody::at_rest(mesh).unwrap();
        let mut source = Source::new(settings.clone(), Some(body)).unwrap();
        source.set_particles(&[Vec3::ZERO], &[Vec3::X]).unwrap();
        let fog = SparseGrid::filled(
            Lattice::at_origin(0.05),
            0.0,
            vec![IVec3::ZERO, -IVec3::ONE],
            |_, values| values.fill(1.0),
        );
        source.set_volume(&fog);
        let mut smoke =
            Smoke::new(SmokeSettings { cell: 0.05, ..SmokeSettings::default() }).unwrap();
        smoke.add_source(source);
        let mut emitted = Vec::new();
        for _ in 0..4 {
            emitted.push(smoke.step_frame(FRAME, &Unwatched).unwrap().ledger.emitted);
        }
        let expected = 0.125 * 8.0 * FRAME;
        assert!(emitted[0] == 0.0 && emitted[3] == 0.0, "{:?}: {emitted:?}", settings.from);
        let ratio = (emitted[1] + emitted[2]) / (2.0 * expected);
        assert!((ratio - 1.0).abs() < 0.1, "{:?}: {ratio}", settings.from);
    }
}

/// Contract: what cannot be simulated is told in a sentence; still air without smoke does nothing.
#[test]
fn impossible_input_is_told() {
    let mut empty = Smoke::new(SmokeSettings::default()).unwrap();
    let report = empty.step_frame(FRAME, &Unwatched).unwrap();
    assert_eq!((report.total, report.steps[0].tiles), (0.0, 0));
    assert!(matches!(empty.step_frame(0.0, &Unwatched), Err(SmokeError::Duration { .. })));

    let flat = BoxShape::new(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0));
    let refused = Smoke::new(SmokeSettings { domain: Some(flat), ..SmokeSettings::default() });
    assert!(refused.unwrap_err().to_string().contains("this box is empty along y"));
    assert!(Smoke::new(SmokeSettings { cell: -1.0, ..SmokeSettings::default() }).is_err());

    // A source inside a solid, and a solid that fills the domain.
    let mut smoke = Smoke::new(settings()).unwrap();
    smoke.add_source(Source::new(ball([0.0, 1.0, 0.0], 0.05), None).unwrap());
    smoke.add_source(Source::new(ball([0.0, 0.3, 0.0], 0.1), None).unwrap());
    let report = smoke.step_frame(FRAME, &Unwatched).unwrap();
    assert_eq!(report.blocked_sources, [0]);
    assert!(report.ledger.emitted > 0.0);
    let filled = BoxShape::new(Vec3::splat(-5.0), Vec3::splat(5.0));
    let mut full = Smoke::new(SmokeSettings { obstacles: vec![filled], ..settings() }).unwrap();
    full.add_source(Source::new(ball([0.0, 0.3, 0.0], 0.1), None).unwrap());
    let before = full.save();
    let refused = full.step_frame(FRAME, &Unwatched).unwrap_err();
    assert_eq!(refused.to_string(), "solids fill the whole domain: there is no room for smoke");
    assert!(full.save() == before);

    // Values that are not numbers, and speeds beyond all measure.
    let state = |speed: f32| move |_: Vec3| (1.0, 0.0, Vec3::new(speed, 0.0, 0.0));
    assert!(smoke.set(&[IVec3::Y], state(f32::NAN)).is_err());
    smoke.set(&[IVec3::Y], state(1e9)).unwrap();
    let refused = smoke.step_frame(FRAME, &Unwatched).unwrap_err();
    assert!(matches!(refused, SmokeError::TooFast { .. }), "{refused}");
    let mut source = Source::new(
        SmokeSourceSettings::new(SourceShape::Particles(ParticleSource::default())),
        None,
    )
    .unwrap();
    let refused = source.set_particles(&[Vec3::ZERO, Vec3::NAN], &[]).unwrap_err();
    assert_eq!(refused.to_string(), "the position 1 that smoke comes from is not a finite number");
}

struct Never;

impl Watch for Never {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Contract: a frame that is cancelled at once ends with an error, and the smoke is as it was.
#[test]
fn a_cancelled_frame_changes_nothing() {
    let mut smoke = plume();
    smoke.step_frame(FRAME, &Unwatched).unwrap();
    let before = smoke.save();
    assert!(matches!(smoke.step_frame(FRAME, &Never), Err(SmokeError::Cancelled)));
    assert!(smoke.save() == before);
}

/// Contract: tiles follow the smoke. None is farther from it than the padding; those it has left are gone.
#[test]
fn tiles_follow_the_smoke() {
    let wind =
        whitecap_scene::force_field::Wind { velocity: [3.0, 0.0, 0.0], drag: 100.0, during: None };
    let blown = SmokeSettings {
        cell: 0.1,
        forces: vec![whitecap_scene::force_field::ForceField::Wind(wind)],
        ..SmokeSettings::default()
    };
    let mut blown = Smoke::new(blown).unwrap();
    blown.set(&[IVec3::ZERO], |_| (1.0, 0.0, Vec3::new(3.0, 0.0, 0.0))).unwrap();
    for _ in 0..48 {
        blown.step_frame(FRAME, &Unwatched).unwrap();
    }
    let places = blown.density().coordinates();
    assert!(places.iter().all(|tile| tile.x >= 3), "tiles are left behind: {places:?}");
    assert!(places.len() < 200, "{} tiles", places.len());
    assert!((blown.total_density() / 0.512 - 1.0).abs() < 0.01, "{}", blown.total_density());
}
