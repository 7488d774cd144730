//! Surface tension of the grid liquid, against closed forms, at default settings but for the scale.

mod flip_scenes;

use flip_scenes::filled;
use whitecap_bulk::flip::{FlipLiquid, FlipSettings, surface_curvature, surface_distance};
use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::mac::cell_order::CellOrder;
use whitecap_bulk::mac::solids::{NoObstacles, SolidFaces};
use whitecap_core::Unwatched;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{TILE_NODES, local_node};
use whitecap_scene::fill::{Volume, lattice_points};

const FRAME: f64 = 1.0 / 24.0;
const TENSION: f32 = 0.072;
const SPACING: f32 = 0.001;
const CELL: f32 = 2.0 * SPACING;
/// Where drops are, so that no axis of the grid goes through their middle.
const MIDDLE: Vec3 = Vec3::new(0.0013, 0.0004, -0.0007);

fn weightless() -> FlipSettings {
    FlipSettings {
        spacing: SPACING,
        gravity: [0.0; 3],
        surface_tension: TENSION,
        ..FlipSettings::default()
    }
}

fn drop_of(radius: f32) -> FlipLiquid {
    filled(weightless(), Volume::Sphere { center: MIDDLE, radius }, Vec3::ZERO)
}

/// The curvature at dry cells beside the surface, where the pressure takes it: mean and spread, in 2/R.
fn curvature(liquid: &FlipLiquid, radius: f32) -> (f32, f32) {
    let lattice = MacLattice::at_origin(CELL);
    let positions = &liquid.particles().position;
    let order = CellOrder::new(lattice, positions);
    let reach = 3;
    let edge = 2 * reach + 1;
    let place = |t: i32| IVec3::new(t % edge, t / edge % edge, t / edge / edge) - reach;
    let tiles: Vec<IVec3> = (0..edge.pow(3)).map(place).collect();
    let solids = SolidFaces::new(lattice, &tiles, &NoObstacles);
    let distance = surface_distance(lattice, &tiles, positions, &order, &solids);
    let curvature = surface_curvature(&distance, &solids);
    let mut values = Vec::new();
    for (&tile, grid) in curvature.coordinates().iter().zip(curvature.tiles()) {
        for offset in 0..TILE_NODES {
            let is_dry = distance.get(tile * 8 + local_node(offset)) >= 0.0;
            if is_dry && grid.at(offset) != 0.0 {
                values.push(0.5 * radius * grid.at(offset));
            }
        }
    }
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let squares: f32 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / values.len() as f32).sqrt())
}

/// Contract: the curvature of a ball of eight to twelve cells' radius is right within 2 % in the mean and spreads
/// by at most 25 %.
#[test]
fn curvature_of_a_ball_is_two_over_its_radius() {
    println!("| radius / cells | mean κ R/2 | spread |\n|---|---|---|");
    for cells in [8.0, 10.0, 12.0] {
        let radius = cells * CELL;
        let (mean, spread) = curvature(&drop_of(radius), radius);
        println!("| {cells} | {mean:.4} | {spread:.4} |");
        assert!((mean - 1.0).abs() < 0.02 && spread < 0.25, "{cells}: {mean} ± {spread}");
    }
}

/// Contract (Young and Laplace): after a second the mean pressure inside a drop at rest is 2σ/R within 5 %, and
/// what moves is slower than a tenth of the speed √(σ/ρR) of capillary waves around it.
#[test]
fn pressure_in_a_drop_is_that_of_young_and_laplace() {
    let radius = 8.0 * CELL;
    let mut liquid = drop_of(radius);
    for _ in 0..24 {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
    let grid = liquid.pressure().unwrap();
    let (mut sum, mut count) = (0.0, 0);
    for (&tile, values) in grid.coordinates().iter().zip(grid.tiles()) {
        for offset in 0..TILE_NODES {
            let middle = grid.lattice().position(tile * 8 + local_node(offset));
            if middle.distance(MIDDLE) < 0.75 * radius {
                (sum, count) = (sum + values.at(offset), count + 1);
            }
        }
    }
    let ratio = sum / count as f32 / (2.0 * TENSION / radius);
    let speeds = liquid.particles().velocity.iter().map(|v| v.length_squared());
    let speed = (speeds.sum::<f32>() / liquid.particles().len() as f32).sqrt();
    let waves = (TENSION / (1000.0 * radius)).sqrt();
    println!(
        "pressure / (2σ/R): {ratio:.3}; root mean square speed / √(σ/ρR): {:.4}",
        speed / waves
    );
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    assert!(speed < 0.1 * waves, "{speed} m/s");
}

/// How much longer than wide a drop is: its second moments along x less those across, as a share.
fn stretch(liquid: &FlipLiquid) -> f32 {
    let positions = &liquid.particles().position;
    let middle = positions.iter().sum::<Vec3>() / positions.len() as f32;
    let moments: Vec3 = positions.iter().map(|&p| (p - middle) * (p - middle)).sum();
    (2.0 * moments.x - moments.y - moments.z) / moments.element_sum()
}

/// Contract (Rayleigh 1879): a drop that is slightly stretched oscillates at ω = √(8σ/ρR³) within 10 %.
#[test]
fn a_stretched_drop_oscillates_at_rayleighs_frequency() {
    let radius = 8.0 * CELL;
    let longer = 1.1f32;
    let scale = Vec3::new(longer, longer.powf(-0.5), longer.powf(-0.5));
    let ball = Volume::Sphere { center: Vec3::ZERO, radius };
    let places = lattice_points(ball, SPACING).unwrap();
    let places: Vec<Vec3> = places.iter().map(|&place| MIDDLE + scale * place).collect();
    let mut liquid = FlipLiquid::new(weightless()).unwrap();
    liquid.add(&places, &vec![Vec3::ZERO; places.len()]).unwrap();
    // From the first to the third time that the drop is round is a period.
    let (mut crossings, mut before) = (Vec::new(), stretch(&liquid));
    while crossings.len() < 3 && liquid.time() < 2.0 {
        let time = liquid.time();
        liquid.step_frame(0.25 * FRAME, &Unwatched).unwrap();
        let now = stretch(&liquid);
        if now * before < 0.0 {
            let share = before / (before - now);
            crossings.push(time + 0.25 * FRAME * f64::from(share));
        }
        before = now;
    }
    assert_eq!(crossings.len(), 3, "{crossings:?}");
    let expected =
        std::f64::consts::TAU * f64::from(1000.0 * radius.powi(3) / (8.0 * TENSION)).sqrt();
    let ratio = expected / (crossings[2] - crossings[0]);
    println!("frequency over Rayleigh's: {ratio:.3}; crossings {crossings:?}");
    assert!((ratio - 1.0).abs() < 0.10, "{ratio}");
}

/// The fourth-order moment that distinguishes a cube from a ball: −0.126 for a cube along the axes, 0 for a ball.
fn cubeness(liquid: &FlipLiquid) -> f32 {
    let positions = &liquid.particles().position;
    let middle = positions.iter().sum::<Vec3>() / positions.len() as f32;
    let from_middle = || positions.iter().map(|&p| p - middle);
    let of_axes: f32 = from_middle().map(|p| (p * p).dot(p * p)).sum();
    let of_radius: f32 = from_middle().map(|p| p.length_squared().powi(2)).sum();
    of_axes / of_radius - 0.6
}

/// Contract: a cube of liquid without gravity becomes a ball in a second, with the same bits for 1, 2 and 7
/// threads, and does not drift away.
#[test]
fn a_cube_becomes_a_ball() {
    let run = |threads: usize, frames: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let cube = Volume::Box { min: Vec3::splat(-0.008), max: Vec3::splat(0.008) };
            let settings = FlipSettings { viscosity: 0.005, ..weightless() };
            let mut liquid = filled(settings, cube, Vec3::ZERO);
            assert!(cubeness(&liquid) < -0.12, "{}", cubeness(&liquid));
            for _ in 0..frames {
                liquid.step_frame(FRAME, &Unwatched).unwrap();
            }
            liquid
        })
    };
    let ball = run(2, 24);
    println!("cubeness {:.4}, stretch {:.4}", cubeness(&ball), stretch(&ball));
    assert!(cubeness(&ball).abs() < 0.03, "{}", cubeness(&ball));
    let middle = ball.particles().position.iter().sum::<Vec3>() / ball.particles().len() as f32;
    assert!(middle.length() < 0.5 * CELL, "{middle}");
    let one = run(1, 3).save();
    assert!(run(2, 3).save() == one && run(7, 3).save() == one);
}
