//! Contracts: results have the same bits for 1, 2 and 7 threads; the fast method for one layer has
//! the same bits as the method for several; a state that was saved and restored continues with the
//! same bits, and damaged bytes are refused.

mod liquid_scenes;

use liquid_scenes::{Numbers, hills, random_layers};
use whitecap_pipes::{PipeArea, PipeSettings, Pipes, Solver, Source, Terrain};

fn settings() -> PipeSettings {
    let source = Source { position: [0.03, 1.0, 0.03], radius: 0.01, rate: 1e-5 };
    PipeSettings { sources: vec![source], ..PipeSettings::default() }
}

fn filled(terrain: &Terrain, settings: PipeSettings) -> Pipes {
    let mut pipes = Pipes::new(terrain, settings).unwrap();
    let mut numbers = Numbers::new(8);
    let depths: Vec<f64> =
        (0..pipes.columns().len()).map(|_| numbers.between(-0.002, 0.004)).collect();
    pipes.fill(|column| depths[column]);
    pipes
}

fn run(pipes: &mut Pipes, steps: usize) {
    for _ in 0..steps {
        pipes.step(0.003).unwrap();
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let layered = PipeSettings { falling_drops: true, ..settings() };
    let water = PipeSettings { solver: Solver::ShallowWater, ..settings() };
    let cases = [
        (hills(0.0005, 210, 190, 4), settings()),
        (random_layers(0.0005, 150, 130, 4), layered),
        (random_layers(0.0005, 120, 110, 6), water),
    ];
    for (terrain, settings) in cases {
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut pipes = filled(&terrain, settings.clone());
            pool.install(|| run(&mut pipes, 60));
            pipes.save()
        };
        let one = with_threads(1);
        assert!(one == with_threads(2) && one == with_threads(7));
    }
}

#[test]
fn one_layer_is_the_same_either_way() {
    for (width, length) in [(210, 97), (40, 33), (1, 50), (50, 1), (3, 2), (1, 1)] {
        for pipe_area in [PipeArea::Physical, PipeArea::Square] {
            let terrain = hills(0.0005, width, length, 4);
            let fast = PipeSettings { pipe_area, ..settings() };
            // Drops select the method for several layers; nothing falls that far.
            let general =
                PipeSettings { falling_drops: true, fall_height: Some(1e6), ..fast.clone() };
            let [fast, general] = [fast, general].map(|settings| {
                let mut pipes = filled(&terrain, settings);
                run(&mut pipes, 200);
                pipes
            });
            assert!(fast.columns() == general.columns(), "{width} × {length}, {pipe_area:?}");
            let fluxes = |pipes: &Pipes| {
                let mut fluxes = Vec::new();
                pipes.fluxes(|pipe| fluxes.push(pipe));
                fluxes
            };
            assert!(fluxes(&fast) == fluxes(&general), "{width} × {length}, {pipe_area:?}");
        }
    }
}

#[test]
fn a_saved_state_goes_on_as_if_nothing_had_happened() {
    let drops = PipeSettings { falling_drops: true, ..settings() };
    let water = PipeSettings { solver: Solver::ShallowWater, ..settings() };
    let cases = [
        (hills(0.0005, 30, 20, 4), settings()),
        (random_layers(0.0005, 30, 20, 4), drops),
        (random_layers(0.0005, 30, 20, 6), water),
    ];
    for (terrain, settings) in cases {
        let mut whole = filled(&terrain, settings.clone());
        run(&mut whole, 50);
        let saved = whole.save();
        run(&mut whole, 50);
        let mut restored = Pipes::new(&hills(0.001, 3, 3, 1), settings).unwrap();
        restored.restore(&saved).unwrap();
        assert!(restored.save() == saved);
        run(&mut restored, 50);
        assert!(restored.save() == whole.save());
        assert_eq!(restored.report(), whole.report());
    }
}

#[test]
fn damaged_bytes_are_refused_and_change_nothing() {
    let drops = PipeSettings { falling_drops: true, ..settings() };
    let mut pipes = filled(&random_layers(0.0005, 6, 5, 4), drops);
    run(&mut pipes, 40);
    let saved = pipes.save();
    for length in 0..saved.len() {
        assert!(pipes.restore(&saved[..length]).is_err(), "{length} bytes");
    }
    assert!(pipes.restore(&[&saved[..], &[0]].concat()).is_err());
    let found = pipes.restore(b"something else entirely").unwrap_err().to_string();
    assert!(found.contains("does not begin"), "{found}");
    let mut numbers = Numbers::new(5);
    for _ in 0..2000 {
        let mut damaged = saved.clone();
        damaged[numbers.below(saved.len())] = numbers.below(256) as u8;
        let mut other = pipes.clone();
        if other.restore(&damaged).is_ok() {
            run(&mut other, 2);
        }
    }
    assert!(pipes.save() == saved);
}

/// Contract: liquid spreads over dry ground alike in all four directions, with either method, so no
/// row that is about to get wet is treated as dry.
#[test]
fn liquid_spreads_alike_in_all_directions() {
    let size = 151;
    let terrain =
        Terrain::heightfield(liquid_scenes::grid(0.001, size, size), &vec![0.0; size * size]);
    let terrain = terrain.unwrap();
    let plain = PipeSettings::default();
    let general = PipeSettings { falling_drops: true, fall_height: Some(1e6), ..plain.clone() };
    let water = PipeSettings { solver: Solver::ShallowWater, ..plain.clone() };
    for settings in [plain, general, water] {
        let mut pipes = Pipes::new(&terrain, settings).unwrap();
        let middle = size / 2 * size + size / 2;
        pipes.fill(|column| if column == middle { 2.0 } else { 0.0 });
        let mut wet = 1;
        for _ in 0..300 {
            run(&mut pipes, 1);
            let depth = pipes.columns().depth();
            for column in 0..size * size {
                let (x, z) = (column % size, column / size);
                let images = [z * size + size - 1 - x, (size - 1 - z) * size + x, x * size + z];
                for image in images {
                    let difference = (depth[column] - depth[image]).abs();
                    assert!(difference < 1e-4, "{x}, {z}: {} and {}", depth[column], depth[image]);
                }
            }
            wet = depth.iter().filter(|&&depth| depth > 0.0).count();
        }
        assert!(wet > 500, "{wet} columns are wet");
    }
}
