//! The result depends on the particles alone: not on threads, not on interruptions.

mod scenes;

use scenes::{ball, filled, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Unwatched};
use whitecap_track::{TrackSettings, Tracker};

const SPACING: f32 = 0.1;

fn settings() -> TrackSettings {
    TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() }
}

/// Two bumpy balls that collide, with uv, a colour and an identity on their vertices.
fn scene() -> (TriMesh, Vec<Particles>) {
    let rest = filled(SPACING, Vec3::splat(0.6), |p| p.length() < 0.5);
    let frame = |number: usize| {
        let away = Vec3::X * (0.64 - 0.02 * number as f32);
        let left = rest.iter().map(|&p| p - away);
        particles(left.chain(rest.iter().map(|&p| p + away)).collect())
    };
    let bumps = |d: Vec3| 0.02 * (11.0 * d.y).sin() * (9.0 * d.z).cos();
    let bodies = [-0.64, 0.64].map(|x| ball(Vec3::X * x, 0.52, 4, bumps));
    let mut mesh = together(&bodies);
    let colours = mesh.positions().iter().map(|p| Vec3::splat(0.5) + 0.2 * *p).collect();
    let numbers = (0..mesh.positions().len() as i32).collect();
    mesh.set_attribute("color", Column::Vec3(colours)).unwrap();
    mesh.set_attribute("number", Column::I32(numbers)).unwrap();
    (mesh, (0..12).map(frame).collect())
}

fn run(tracker: &mut Tracker, frames: &[Particles]) -> usize {
    let mut rebuilt = 0;
    for pair in frames.windows(2) {
        rebuilt += tracker.advance(&pair[0], &pair[1], 0.04, &Unwatched).unwrap().remeshed_cells;
    }
    rebuilt
}

/// Contract: 1, 2 and 7 threads give the same bits, through a merge.
#[test]
fn threads_do_not_change_a_bit() {
    let (mesh, frames) = scene();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tracker = Tracker::new(&mesh, &frames[0], settings(), &Unwatched).unwrap();
            assert!(run(&mut tracker, &frames) > 0, "the scene changes topology");
            tracker.save()
        })
    };
    let one = with_threads(1);
    assert!(one == with_threads(2), "two threads");
    assert!(one == with_threads(7), "seven threads");
}

/// Contract: a tracker restored in the middle of a merge continues to the same bytes; damaged bytes are
/// refused with a sentence.
#[test]
fn a_saved_state_goes_on_to_the_bit() {
    let (mesh, frames) = scene();
    let mut whole = Tracker::new(&mesh, &frames[0], settings(), &Unwatched).unwrap();
    run(&mut whole, &frames[..=7]);
    let saved = whole.save();
    let mut second = Tracker::resume(settings(), &saved).unwrap();
    assert!(second.save() == saved, "restored");
    assert_eq!(second.mesh(), whole.mesh());
    run(&mut whole, &frames[7..]);
    run(&mut second, &frames[7..]);
    assert!(second.save() == whole.save(), "continued");

    let mut bad: Vec<Vec<u8>> = [0, 5, 8, 40, saved.len() / 2, saved.len() - 1]
        .iter()
        .map(|&length| saved[..length].to_vec())
        .collect();
    bad.push([&saved[..], &[0]].concat());
    bad.push(b"wctrak\xFF\x00".to_vec());
    let mut swapped = saved.clone();
    swapped[0] = b'x';
    bad.push(swapped);
    for place in (0..600).step_by(7) {
        let mut flipped = saved.clone();
        flipped[place] ^= 0x80;
        // Most flips are refused; one that is accepted still gives a closed mesh.
        if let Ok(other) = Tracker::resume(settings(), &flipped) {
            assert!(whitecap_surface::report(&other.mesh()).is_closed_manifold());
        }
    }
    for bytes in bad {
        let error = Tracker::resume(settings(), &bytes).unwrap_err().to_string();
        assert!(error.contains("saved state"), "{error}");
    }
}

/// Contract: vertices far from the merge keep uv, colour and number to the bit; new vertices have
/// values within the range of the old ones and numbers of old ones.
#[test]
fn attributes_survive_where_nothing_happens() {
    let (mesh, frames) = scene();
    let mut tracker = Tracker::new(&mesh, &frames[0], settings(), &Unwatched).unwrap();
    run(&mut tracker, &frames);
    let after = tracker.mesh();
    let numbers = |mesh: &TriMesh| match mesh.attribute("number") {
        Some(Column::I32(values)) => values.clone(),
        _ => panic!("no numbers"),
    };
    let uvs = |mesh: &TriMesh| match mesh.attribute("uv") {
        Some(Column::Vec2(values)) => values.clone(),
        _ => panic!("no uv"),
    };
    let (old_uv, new_uv) = (uvs(&mesh), uvs(&after));
    let mut kept = 0;
    for (vertex, &number) in numbers(&after).iter().enumerate() {
        assert!((0..mesh.positions().len() as i32).contains(&number));
        if after.positions()[vertex].x.abs() > 0.35 {
            assert_eq!(new_uv[vertex], old_uv[number as usize]);
            kept += 1;
        }
    }
    assert!(2 * kept > mesh.positions().len(), "{kept} vertices were kept");
    let limit = 3.2;
    assert!(new_uv.iter().all(|uv| uv.abs().max_element() <= limit));
}
