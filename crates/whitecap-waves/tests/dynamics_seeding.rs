//! Waves are seeded where the liquid is strongly curved, and nowhere else.

mod dynamics_surfaces;

use dynamics_surfaces::{Surface, sheet, sphere, up};
use whitecap_core::glam::Vec3;
use whitecap_waves::dynamics::curvature::curvatures;
use whitecap_waves::dynamics::{
    DROP_CURVATURE, DynamicsSettings, GainBox, GainSphere, SHEET_CURVATURE, WaveDynamics,
    WaveOutput,
};
use whitecap_waves::points::{Aggregates, Sums};

const COARSE: f32 = 0.1;
const FRAME: f64 = 1.0 / 24.0;

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |top, value| top.max(value.abs()))
}

fn dynamics(settings: DynamicsSettings, surface: &Surface) -> WaveDynamics {
    WaveDynamics::new(settings, surface.coarse, surface.fine, FRAME).unwrap()
}

/// Height of a straight ridge along z over a pool: a half cylinder of radius 0.8 λ_c that runs into
/// the plane with fillets, so that its top is curved like a drop's.
fn ridge(x: f32) -> (f32, f32) {
    let (height, width) = (1.2 * COARSE, 0.6 * COARSE);
    let value = height * (-(x / width).powi(2)).exp();
    (value, -2.0 * x / (width * width) * value)
}

/// A pool with a ridge along x = 1 that has risen to a share of its height.
fn sheet_of_ridge(risen: f32) -> Surface {
    let fine = 0.02;
    let mut surface = Surface::new(&sheet(2.0, 0.8, fine, 8), up, COARSE, fine);
    for (place, normal) in surface.points.position.iter_mut().zip(&mut surface.points.normal) {
        let (height, slope) = ridge(place.x - 1.0);
        place.y += risen * height;
        *normal = Vec3::new(-risen * slope, 1.0, 0.0).normalize();
    }
    let points = &surface.points;
    surface.aggregates = Aggregates::build(
        &points.position,
        &points.normal,
        &points.area,
        COARSE,
        Sums::Hierarchical,
    );
    surface
}

/// A pool with a ridge along x = 1.
fn ridged_pool() -> Surface {
    sheet_of_ridge(1.0)
}

/// Contract: a drop of radius λ_c has curvature 0.15 λ_c and the rim of a sheet 2 λ_c thick has
/// 0.0771413 λ_c, within 2 % by exact sums and 6 % from the hierarchy; a plane has none; the inside
/// of a ball has the opposite sign.
#[test]
fn the_curvature_is_that_of_the_appendix() {
    let fine = COARSE / 16.0;
    let ball = sphere(Vec3::ZERO, COARSE, fine, 8);
    let rim: Vec<Vec3> = sheet(3.0 * COARSE, std::f32::consts::PI * COARSE, fine, 8)
        .into_iter()
        .map(|p| {
            let (sine, cosine) = (p.z / COARSE).sin_cos();
            Vec3::new(p.x, COARSE * sine, COARSE * cosine)
        })
        .collect();
    let flat = sheet(3.0 * COARSE, 3.0 * COARSE, fine, 8);
    for (sums, tolerance) in [(Sums::Exact, 0.02), (Sums::Hierarchical, 0.06)] {
        let curvature = |places: &[Vec3], normal: fn(Vec3) -> Vec3, counts: fn(Vec3) -> bool| {
            let surface = Surface::with_sums(places, normal, COARSE, fine, sums);
            let found = curvatures(&surface.points, &surface.aggregates, COARSE);
            let inner: Vec<f32> = found
                .iter()
                .zip(&surface.points.position)
                .filter(|(_, place)| counts(**place))
                .map(|(value, _)| value / COARSE)
                .collect();
            inner.iter().sum::<f32>() / inner.len() as f32
        };
        let drop = curvature(&ball, |p| p.normalize(), |_| true);
        let hollow = curvature(&ball, |p| -p.normalize(), |_| true);
        let middle = |p: Vec3| (p.x - 1.5 * COARSE).abs() < 0.4 * COARSE && p.y > 0.98 * COARSE;
        let edge = curvature(&rim, |p| Vec3::new(0.0, p.y, p.z).normalize(), middle);
        let inner = |p: Vec3| (p - 1.5 * COARSE).with_y(0.0).abs().max_element() < 0.4 * COARSE;
        let plane = curvature(&flat, up, inner);
        println!("{sums:?}: drop {drop}, hollow {hollow}, edge {edge}, plane {plane}");
        assert!((drop / DROP_CURVATURE - 1.0).abs() < tolerance, "{drop}");
        assert!((edge / SHEET_CURVATURE - 1.0).abs() < tolerance, "{edge}");
        assert!((hollow + drop).abs() < 1e-5 && plane.abs() < 1e-5);
    }
}

/// Contract: a flat pool at rest stays flat, to the bit, for 50 frames.
#[test]
fn a_flat_pool_stays_flat() {
    let surface = Surface::new(&sheet(1.0, 1.0, 0.02, 8), up, COARSE, 0.02);
    let output = surface.run(&mut dynamics(DynamicsSettings::default(), &surface), 50, FRAME);
    assert_eq!(largest(&output.height), 0.0);
    assert_eq!(largest(&output.seed_amplitude), 0.0);
}

/// Seeding by curvature, as published, but with drops kept calm.
fn by_curvature() -> DynamicsSettings {
    let drop_radius = DynamicsSettings::default().drop_radius;
    DynamicsSettings { drop_radius, ..DynamicsSettings::published() }
}

/// Contract: an isolated drop does not pulse: d stays 0, to the bit, for a round drop of one
/// particle and for two particles side by side, even when seeding by curvature.
#[test]
fn isolated_drops_do_not_pulse() {
    let fine = COARSE / 5.0;
    let round = Surface::new(&sphere(Vec3::ZERO, COARSE, fine, 8), |p| p.normalize(), COARSE, fine);
    let stretch = Vec3::new(1.7, 1.0, 1.0);
    let long: Vec<Vec3> =
        sphere(Vec3::ZERO, COARSE, fine, 8).iter().map(|&place| place * stretch).collect();
    let long = Surface::new(&long, |p| (p / (stretch * stretch)).normalize(), COARSE, fine);
    for surface in [round, long] {
        for settings in [DynamicsSettings::default(), by_curvature()] {
            let output = surface.run(&mut dynamics(settings, &surface), 50, FRAME);
            assert!(largest(&output.curvature) > 0.1 * COARSE, "curved enough to be seeded");
            assert_eq!(largest(&output.height), 0.0);
        }
    }
}

/// Contract: even when drops are not detected, a round drop that is seeded all over does not
/// move, because oscillators that swing together have no Laplacian (Mercier et al. 2015, §4.4.2).
#[test]
fn a_drop_seeded_all_over_does_not_move() {
    let fine = COARSE / 5.0;
    let places = sphere(Vec3::ZERO, 0.8 * COARSE, fine, 8);
    let surface = Surface::new(&places, |p| p.normalize(), COARSE, fine);
    let settings = DynamicsSettings::published();
    let output = surface.run(&mut dynamics(settings, &surface), 50, FRAME);
    assert_eq!(largest(&output.seed_amplitude), 0.2 * COARSE, "seeded in full");
    assert_eq!(largest(&output.height), 0.0);
}

/// Contract: a ridge that was always there seeds nothing, to the bit, but one that rises from a flat
/// pool does, and stops once it has stood for some time.
#[test]
fn only_new_curvature_seeds_waves() {
    let (flat, ridged) = (sheet_of_ridge(0.0), sheet_of_ridge(1.0));
    let mut waves = dynamics(DynamicsSettings::default(), &ridged);
    assert_eq!(largest(&ridged.run(&mut waves, 10, FRAME).height), 0.0);

    let mut waves = dynamics(DynamicsSettings::default(), &flat);
    flat.run(&mut waves, 2, FRAME);
    let risen = ridged.run(&mut waves, 6, FRAME);
    assert!(largest(&risen.seed_amplitude) > 0.0 && largest(&risen.height) > 0.02 * COARSE);
    let stood = ridged.run(&mut waves, 60, FRAME);
    assert_eq!(largest(&stood.seed_amplitude), 0.0);
}

/// Largest height within a band of distance from the ridge.
fn height_at(surface: &Surface, output: &WaveOutput, near: f32, far: f32) -> f32 {
    let heights = output.height.iter().zip(&surface.points.position);
    let chosen = heights.filter(|(_, p)| (near..far).contains(&(p.x - 1.0).abs()));
    chosen.fold(0.0, |top, (height, _)| top.max(height.abs()))
}

/// Contract: a ridge seeds waves that leave it at the wave speed, a quarter of λ_c per frame: after
/// ten frames they are near it, after sixty they are everywhere, high enough to be seen (over
/// 2 % of λ_c), and never above the largest height.
#[test]
fn waves_leave_a_ridge() {
    let surface = ridged_pool();
    let settings = by_curvature();
    let mut waves = dynamics(settings.clone(), &surface);
    let early = surface.run(&mut waves, 10, FRAME);
    assert!(height_at(&surface, &early, 0.0, 0.3) > 0.02 * COARSE);
    assert!(height_at(&surface, &early, 0.6, 1.0) < 1e-4 * COARSE);
    let mut late = early;
    let mut top = 0.0f32;
    for frame in 11..=60 {
        late = waves.step(&surface.view(), f64::from(frame) * FRAME).unwrap();
        top = top.max(largest(&late.height));
    }
    let far = height_at(&surface, &late, 0.6, 0.9);
    println!("far {far}, top {top}, seeds {}", largest(&late.seed_amplitude));
    assert!(far > 0.02 * COARSE, "{far}");
    assert!(top <= settings.largest_height * COARSE + 1e-7);
    assert!(largest(&late.seed_amplitude) <= settings.seed_height * COARSE);
}

/// Contract: a gain of 0 in a box keeps waves from being seeded and seen in it, with twice the gain
/// they are higher, and a painted mask of zeros stills everything, to the bit.
#[test]
fn gain_directs_the_waves() {
    let mut surface = ridged_pool();
    let run = |surface: &Surface, settings: DynamicsSettings| {
        surface.run(&mut dynamics(settings, surface), 30, FRAME)
    };
    let plain = run(&surface, by_curvature());
    let strong = run(&surface, DynamicsSettings { gain: 2.0, ..by_curvature() });
    let far = |output: &WaveOutput| height_at(&surface, output, 0.4, 0.6);
    assert!(far(&strong) > 1.5 * far(&plain), "{} against {}", far(&strong), far(&plain));

    let half = GainBox { min: [0.0, -1.0, 0.0], max: [2.0, 1.0, 0.3], gain: 0.0, falloff: 0.1 };
    let masked = run(&surface, DynamicsSettings { gain_boxes: vec![half], ..by_curvature() });
    let places = &surface.points.position;
    for (height, place) in masked.height.iter().zip(places) {
        assert!(place.z > 0.3 || *height == 0.0, "{height} at {place}");
    }
    let free = masked.height.iter().zip(places).filter(|(_, p)| p.z > 0.6).map(|(h, _)| h.abs());
    assert!(free.fold(0.0, f32::max) > 0.3 * largest(&plain.height));

    let ball = GainSphere { center: [1.0, 0.0, 0.4], radius: 0.2, gain: 1.0, falloff: 0.05 };
    let only =
        run(&surface, DynamicsSettings { gain: 0.0, gain_spheres: vec![ball], ..by_curvature() });
    for (height, place) in only.height.iter().zip(places) {
        let outside = place.distance(Vec3::from(ball.center)) > 0.25;
        assert!(!outside || *height == 0.0, "{height} at {place}");
    }
    assert!(largest(&only.height) > 0.0);

    surface.painted = Some(vec![0.0; surface.len()]);
    assert_eq!(largest(&run(&surface, by_curvature()).height), 0.0);
}

/// Contract: foam is tagged on the ridge when the liquid is fast, not on flat water nor when it is
/// slow, and fades to a half within its half-life.
#[test]
fn foam_forms_where_curved_surface_is_fast() {
    let mut surface = ridged_pool();
    let fast = 2.5 * COARSE / FRAME as f32;
    surface.velocity = vec![Vec3::X * fast; surface.len()];
    let mut waves = dynamics(by_curvature(), &surface);
    let output = surface.run(&mut waves, 1, FRAME);
    for (foam, place) in output.foam.iter().zip(&surface.points.position) {
        assert!((0.0..=1.0).contains(foam));
        assert!((place.x - 1.0).abs() < 2.0 * COARSE || *foam == 0.0, "foam on flat water");
    }
    let top = largest(&output.foam);
    assert!(top > 0.5, "{top}");
    surface.velocity = vec![Vec3::X * 0.1 * fast; surface.len()];
    let half_life = DynamicsSettings::default().foam_half_life as usize;
    let output = surface.run(&mut waves, half_life, FRAME);
    assert!((largest(&output.foam) / top - 0.5).abs() < 1e-3);
}

/// Contract: settings out of range, lengths in the wrong order and frames without duration are
/// refused with a sentence that names them.
#[test]
fn bad_settings_are_refused() {
    let refused = |settings: DynamicsSettings| {
        WaveDynamics::new(settings, COARSE, 0.02, FRAME).unwrap_err().to_string()
    };
    let usual = DynamicsSettings::default();
    let found = refused(DynamicsSettings { damping: f32::NAN, ..usual.clone() });
    assert!(found.contains("`damping` is NaN"), "{found}");
    let found = refused(DynamicsSettings { least_curvature: 0.2, ..usual.clone() });
    assert!(found.contains("`least-curvature` is 0.2") && found.contains("not below"), "{found}");
    let upside = GainBox { min: [0.0; 3], max: [1.0, -1.0, 1.0], gain: 1.0, falloff: 0.0 };
    let found = refused(DynamicsSettings { gain_boxes: vec![upside], ..usual.clone() });
    assert!(found.contains("`gain-boxes.0`: this box is empty along y"), "{found}");
    for (coarse, fine) in [(0.1, 0.1), (0.1, 0.2), (0.1, 0.0), (f32::NAN, 0.1), (0.1, -1.0)] {
        let error = WaveDynamics::new(usual.clone(), coarse, fine, FRAME).unwrap_err().to_string();
        assert!(error.contains("must be a positive length below the coarse length"), "{error}");
    }
    let error = WaveDynamics::new(usual, COARSE, 0.02, 0.0).unwrap_err().to_string();
    assert!(error.contains("positive"), "{error}");
}
