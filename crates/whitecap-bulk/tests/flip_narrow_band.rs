//! Grid liquids with particles in a narrow band only, against the same liquids with particles everywhere.

mod flip_scenes;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use flip_scenes::{box_of_water, filled};
use whitecap_bulk::flip::{FlipError, FlipLiquid, FlipSettings, TransferMethod};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Transform, TriMesh, Unwatched, Watch, attributes};
use whitecap_scene::AnimatedBody;
use whitecap_scene::fill::{Filling, Volume};
use whitecap_scene::kill::KillVolume;
use whitecap_scene::shape::BoxShape;

const FRAME: f64 = 1.0 / 24.0;
const SPACING: f32 = 1.0 / 64.0;
const CELL: f32 = 2.0 * SPACING;
/// Size of the tank and height of the water.
const TANK: Vec3 = Vec3::new(1.0, 1.5, 0.5);
const WATER: f32 = 1.25;

fn settings(narrow_band: Option<f32>) -> FlipSettings {
    FlipSettings {
        spacing: SPACING,
        narrow_band,
        domain: Some(BoxShape::new(Vec3::ZERO, TANK)),
        ..FlipSettings::default()
    }
}

/// A deep tank whose water starts to slosh.
fn sloshing(settings: FlipSettings) -> FlipLiquid {
    let pool = Volume::Box { min: Vec3::ZERO, max: Vec3::new(TANK.x, WATER, TANK.z) };
    filled(settings, pool, Vec3::new(0.8, 0.0, 0.0))
}

/// A deep tank at rest.
fn still(settings: FlipSettings) -> FlipLiquid {
    box_of_water(settings, Vec3::ZERO, Vec3::new(TANK.x, WATER, TANK.z))
}

fn run(liquid: &mut FlipLiquid, frames: usize) {
    for _ in 0..frames {
        liquid.step_frame(FRAME, &Unwatched).unwrap();
    }
}

/// Height of the surface in each slice of cells across x, in cells: the median over z of the highest particles.
fn heights(liquid: &FlipLiquid) -> Vec<f32> {
    let columns = (TANK / CELL).as_uvec3();
    let mut tops = vec![vec![0.0f32; columns.z as usize]; columns.x as usize];
    for position in liquid.output().unwrap().positions() {
        let column = (position / CELL).as_uvec3().min(columns - 1);
        let top = &mut tops[column.x as usize][column.z as usize];
        *top = top.max(position.y / CELL);
    }
    let median = |mut tops: Vec<f32>| {
        tops.sort_by(f32::total_cmp);
        tops[tops.len() / 2]
    };
    tops.into_iter().map(median).collect()
}

/// Contract: five seconds of sloshing in a deep tank change the volume inside the surface by less than one per cent;
/// the ledger of particles and core does not change at all, and the core's surplus stays below a thousandth.
#[test]
fn a_deep_tank_keeps_its_volume() {
    let mut liquid = sloshing(settings(Some(4.0)));
    let (total, volume) = (liquid.particles_worth(), liquid.volume());
    let mut worst = (0.0f64, 0.0f64);
    for frame in 0..120 {
        run(&mut liquid, 1);
        assert!((liquid.particles_worth() / total - 1.0).abs() < 1e-9, "frame {frame}");
        let drift = (liquid.volume() / volume - 1.0).abs();
        worst = (worst.0.max(drift), worst.1.max(liquid.core_surplus().abs() / total));
    }
    println!("volume {:.3} %, surplus {:.3} %", 100.0 * worst.0, 100.0 * worst.1);
    assert!(worst.0 < 0.01, "the volume changes by {}", worst.0);
    assert!(worst.1 < 0.001, "the surplus is {}", worst.1);
}

/// The frames until a hundredth of a breaking dam's liquid is at the wall.
fn frames_to_wall(mut dam: FlipLiquid) -> usize {
    let is_at_wall = |place: &&Vec3| place.x > TANK.x - CELL;
    for frame in 0.. {
        let positions = &dam.particles().position;
        if positions.iter().filter(is_at_wall).count() > positions.len() / 100 {
            return frame;
        }
        run(&mut dam, 1);
    }
    unreachable!("the liquid reaches the wall")
}

/// Contract: the surface of a sloshing tank in its first second, and of a breaking dam until its front reaches the wall, is where it
/// is with particles everywhere: a quarter of a cell apart at most, in the mean over slices.
#[test]
fn the_surface_is_that_of_particles_everywhere() {
    let half = Vec3::new(0.5 * TANK.x, WATER, TANK.z);
    let dam = |band| box_of_water(settings(band), Vec3::ZERO, half);
    let tank = |band| sloshing(settings(band));
    for (name, frames, mut whole, mut narrow) in [
        ("tank", 24, tank(None), tank(Some(4.0))),
        ("dam", frames_to_wall(dam(None)), dam(None), dam(Some(4.0))),
    ] {
        let (mut worst, mut core) = (0.0f32, usize::MAX);
        for frame in 0..frames {
            run(&mut whole, 1);
            run(&mut narrow, 1);
            core = core.min(narrow.core_cells());
            let (expected, found) = (heights(&whole), heights(&narrow));
            let apart = expected.iter().zip(&found).map(|(one, other)| (one - other).abs());
            let mean = apart.sum::<f32>() / found.len() as f32;
            assert!(mean < 0.25, "{name}, frame {frame}: {mean} cells apart");
            worst = worst.max(mean);
        }
        println!(
            "{name}: {worst:.3} cells apart in {frames} frames, at least {core} cells in the core"
        );
        assert!(core > 5000, "{name}: there is hardly any core");
    }
}

/// Contract: a tank of 64³ cells, full to seven eighths, holds at most half the memory that it holds with particles
/// everywhere.
#[test]
fn a_deep_tank_takes_half_the_memory() {
    let held = |narrow_band: Option<f32>| {
        let domain = Some(BoxShape::new(Vec3::ZERO, Vec3::ONE));
        let settings =
            FlipSettings { spacing: 1.0 / 128.0, narrow_band, domain, ..FlipSettings::default() };
        let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(1.0, 0.875, 1.0));
        liquid.step_frame(0.01, &Unwatched).unwrap();
        liquid.bytes_held()
    };
    let (whole, narrow) = (held(None), held(Some(4.0)));
    println!("{:.1} MB and {:.1} MB", whole as f64 / 1e6, narrow as f64 / 1e6);
    assert!(2 * narrow < whole, "{narrow} of {whole} bytes");
}

/// Contract: water at rest stays at rest above a core as well, with walls between cells.
#[test]
fn a_deep_tank_at_rest_stays_at_rest() {
    let size = TANK - SPACING;
    let settings =
        FlipSettings { domain: Some(BoxShape::new(Vec3::ZERO, size)), ..settings(Some(4.0)) };
    let mut liquid = box_of_water(settings, Vec3::ZERO, Vec3::new(size.x, WATER, size.z));
    let (total, volume) = (liquid.particles_worth(), liquid.volume());
    run(&mut liquid, 24);
    let speed = liquid.particles().velocity.iter().map(|v| v.length()).fold(0.0, f32::max);
    println!("{speed} m/s, volume {}", liquid.volume() / volume);
    assert!(liquid.core_cells() > 10_000, "{}", liquid.core_cells());
    assert!(speed < (2.0 * 9.81 * 0.05 * CELL).sqrt(), "{speed} m/s");
    assert!((liquid.volume() / volume - 1.0).abs() < 0.01);
    assert!((liquid.particles_worth() / total - 1.0).abs() < 1e-9);
}

/// Contract: the whole state has the same bits with 1, 2 and 7 threads, for each transfer.
#[test]
fn same_bits_with_any_number_of_threads() {
    for transfer in [TransferMethod::Apic, TransferMethod::Flip, TransferMethod::Pic] {
        let state = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut liquid = sloshing(FlipSettings { transfer, ..settings(Some(4.0)) });
                run(&mut liquid, 4);
                assert!(liquid.core_cells() > 10_000);
                liquid.save()
            })
        };
        let one = state(1);
        assert!(state(2) == one && state(7) == one, "{transfer:?}");
    }
}

/// Contract: a liquid that is saved, restored into a new one and continued has the same bits as one that was not; a
/// state that is cut short, or for a liquid without a band, is refused.
#[test]
fn saved_states_continue_to_the_bit() {
    let mut whole = sloshing(settings(Some(4.0)));
    run(&mut whole, 4);
    let saved = whole.save();
    let mut other = sloshing(settings(Some(4.0)));
    for cut in [saved.len() / 2, saved.len() - 7000, saved.len() - 1] {
        assert!(other.restore(&saved[..cut]).is_err(), "{cut}");
    }
    assert!(sloshing(settings(None)).restore(&saved).is_err());
    other.restore(&saved).unwrap();
    run(&mut whole, 4);
    run(&mut other, 4);
    assert!(whole.save() == other.save());
}

/// Contract: other stages see no hollow liquid: every cell deep in the water has eight particles or so, with
/// identities of their own that keep their place in the core, and the velocity of the water there.
#[test]
fn the_output_is_not_hollow() {
    let mut liquid = sloshing(settings(Some(4.0)));
    run(&mut liquid, 3);
    let output = liquid.output().unwrap();
    let Some(Column::I64(ids)) = output.attribute(attributes::ID) else { panic!("no ids") };
    assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(ids[0] >= i64::from(i32::MIN), "some files hold only 32 bits");
    assert_eq!(output.len(), liquid.particles().len() + 8 * liquid.core_cells());
    let mut cells = BTreeMap::new();
    for position in output.positions() {
        *cells.entry((position / CELL).floor().as_ivec3().to_array()).or_insert(0) += 1;
    }
    // Ten cells below the surface at rest.
    let deep = (WATER / CELL) as i32 - 10;
    for x in 0..32 {
        for y in 0..deep {
            for z in 0..16 {
                let count = cells.get(&[x, y, z]).copied().unwrap_or(0);
                assert!((1..=20).contains(&count), "cell {x} {y} {z}: {count}");
            }
        }
    }
    let Some(Column::Vec3(velocity)) = output.attribute(attributes::VELOCITY) else { panic!() };
    let middle = output.positions().iter().position(|p| (*p - 0.5 * TANK).length() < CELL);
    let middle = middle.unwrap();
    assert!(velocity[middle].x > 0.1, "{}", velocity[middle]);
    let (id, place) = (ids[middle], output.positions()[middle]);
    run(&mut liquid, 3);
    let later = liquid.output().unwrap();
    let Some(Column::I64(ids)) = later.attribute(attributes::ID) else { panic!("no ids") };
    assert_eq!(later.positions()[ids.binary_search(&id).unwrap()], place);
}

/// Contract: a block that moves through the core, cells that a wall cuts, an obstacle, and a kill volume: no particle
/// is inside a solid, and the ledger loses only what was killed.
#[test]
fn solids_and_kill_volumes_reach_the_core() {
    let low = Vec3::splat(SPACING);
    let moving = FlipSettings {
        domain: Some(BoxShape::new(low, TANK)),
        obstacles: vec![BoxShape::new(Vec3::new(0.25, 0.0, 0.125), Vec3::new(0.5, 0.41, 0.3))],
        ..settings(Some(4.0))
    };
    let water = Volume::Box { min: low, max: Vec3::new(TANK.x, WATER, TANK.z) };
    let mut liquid = FlipLiquid::new(moving.clone()).unwrap();
    let block = TriMesh::cuboid(Vec3::splat(-0.07), Vec3::splat(0.07));
    let place = |x: f32| Transform::from_translation(Vec3::new(x, 0.7, 0.25));
    let keys = vec![(0.0, place(0.2)), (1.0, place(0.8))];
    liquid.add_solid(AnimatedBody::rigid(block, keys).unwrap()).unwrap();
    let mut filling = Filling::new(SPACING, &[]).unwrap();
    filling.add(water, Vec3::ZERO, &|place| liquid.clearance(place)).unwrap();
    liquid.add(filling.positions(), filling.velocities()).unwrap();
    let (total, volume) = (liquid.particles_worth(), liquid.volume());
    for frame in 0..24 {
        run(&mut liquid, 1);
        let deepest = liquid.particles().position.iter().map(|&p| liquid.clearance(p));
        let deepest = deepest.fold(f32::INFINITY, f32::min);
        assert!(deepest > -0.1 * SPACING, "frame {frame}: {deepest} m inside a solid");
        assert!((liquid.particles_worth() / total - 1.0).abs() < 1e-9, "frame {frame}");
    }
    println!("volume {}, surplus {}", liquid.volume() / volume, liquid.core_surplus());
    assert!((liquid.volume() / volume - 1.0).abs() < 0.01);
    assert!(liquid.core_cells() > 5000, "{}", liquid.core_cells());

    let hole = BoxShape::new(Vec3::new(0.4, 0.4, 0.2), Vec3::new(0.6, 0.5, 0.3));
    let mut liquid =
        still(FlipSettings { kill: vec![KillVolume::Box(hole)], ..settings(Some(4.0)) });
    let total = liquid.particles_worth();
    run(&mut liquid, 6);
    assert!(liquid.particles_worth() < 0.98 * total, "{}", liquid.particles_worth() / total);
    let output = liquid.output().unwrap();
    assert!(!output.positions().iter().any(|&p| hole.bounds().contains(p)));
}

/// Contract: a closed vessel without air is all core: it has no particles, and its water goes on.
#[test]
fn a_full_vessel_is_all_core() {
    let mut liquid = box_of_water(settings(Some(4.0)), Vec3::ZERO, TANK);
    let total = liquid.particles_worth();
    for _ in 0..3 {
        let report = liquid.step_frame(FRAME, &Unwatched).unwrap();
        assert!(report.steps.iter().all(|step| step.iterations > 0), "no pressure was solved");
    }
    assert_eq!(liquid.particles().len(), 0);
    assert_eq!(liquid.particles_worth(), total);
    assert_eq!(liquid.output().unwrap().len() as f64, total);
}

/// Stops a frame in the middle of a step: when it is asked for the second time.
#[derive(Default)]
struct Stopped(AtomicBool);

impl Watch for Stopped {
    fn cancelled(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }
}

/// Contract: a step that is cancelled leaves the liquid as it was; accelerations for particles, and a band that the
/// surface could leave in a step, are refused.
#[test]
fn what_cannot_be_is_told() {
    let mut liquid = still(settings(Some(4.0)));
    run(&mut liquid, 1);
    let before = liquid.save();
    assert!(matches!(liquid.step_frame(FRAME, &Stopped::default()), Err(FlipError::Cancelled)));
    assert!(liquid.save() == before);
    let refused = liquid.set_accelerations(&[]).unwrap_err();
    assert!(refused.to_string().contains("narrow-band"), "{refused}");
    let thin = FlipSettings { cfl: 3.0, ..settings(Some(3.5)) };
    for (settings, told) in [(thin, "at least 4"), (settings(Some(2.0)), "between 3 and 100")] {
        let problem = settings.problems().remove(0).to_string();
        assert!(problem.contains("narrow-band") && problem.contains(told), "{problem}");
    }
}
