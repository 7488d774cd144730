//! Whatever happens to the particles, the mesh stays closed.

mod scenes;

use scenes::{assert_closed, ball, filled, noise, particles, together};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Unwatched};
use whitecap_track::{TrackSettings, Tracker};

const SPACING: f32 = 0.1;

/// One random event: what happens to a particle in the following frames.
struct Event {
    center: Vec3,
    normal: Vec3,
    strength: f32,
    kind: u64,
}

impl Event {
    fn new(number: u64) -> Self {
        let at = |i: u64| noise(number * 64 + i) - 0.5;
        Self {
            center: Vec3::new(at(0), at(1), at(2)) * 1.2,
            normal: Vec3::new(at(3), at(4), at(5)).normalize_or(Vec3::X),
            strength: 0.03 + 0.12 * (at(6) + 0.5),
            kind: (noise(number * 64 + 7) * 6.0) as u64,
        }
    }

    fn moved(&self, p: Vec3) -> Vec3 {
        let q = p - self.center;
        let height = q.dot(self.normal);
        let spread = |reach: f32| (1.0 - (q.length() / reach).powi(2)).max(0.0);
        match self.kind {
            // Torn along a plane, or pushed together across it.
            0 => p + self.normal * self.strength * height.signum(),
            1 => p - self.normal * self.strength * height.clamp(-0.3, 0.3) * 3.0,
            // A blow that opens a hole, and an implosion that closes one.
            2 => p + q.normalize_or_zero() * self.strength * 2.0 * spread(0.4),
            3 => p - q * 2.0 * self.strength * spread(0.6),
            // A twist and a splash of a few particles.
            4 => p + self.normal.cross(q) * 4.0 * self.strength * height,
            _ => {
                let seed = (p.x.to_bits() ^ p.y.to_bits().rotate_left(11)) as u64;
                let lucky = noise(seed) < 0.05;
                if lucky { p + self.normal * 5.0 * self.strength } else { p }
            }
        }
    }
}

/// Contract: over a hundred random events (tears, blows, collapses, twists, splashes, particles
/// that come and go) every frame is closed, 2-manifold and finite, and no part of the mesh had to
/// be rebuilt from the coarse surface.
#[test]
fn a_hundred_random_events_leave_the_mesh_closed() {
    let rest = filled(SPACING, Vec3::splat(0.5), |p| p.length() < 0.5);
    let centers = [Vec3::X * -0.6, Vec3::X * 0.6];
    let mut places: Vec<Vec3> =
        centers.iter().flat_map(|&c| rest.iter().map(move |&p| p + c)).collect();
    let mut ids: Vec<i64> = (0..places.len() as i64).collect();
    let with_ids = |places: &[Vec3], ids: &[i64]| {
        let mut particles = Particles::new(places.to_vec());
        particles.set_attribute("id", Column::I64(ids.to_vec())).unwrap();
        particles
    };
    let bumps = |d: Vec3| 0.03 * (9.0 * d.x).sin() * (8.0 * d.y).cos();
    let mesh = together(&centers.map(|c| ball(c, 0.52, 4, bumps)));
    let settings = TrackSettings { spacing: Some(SPACING), ..TrackSettings::default() };
    let start = particles(places.clone());
    let mut tracker = Tracker::new(&mesh, &start, settings, &Unwatched).unwrap();
    let mut previous = with_ids(&places, &ids);
    let mut rebuilt = 0;
    // For more events: `WHITECAP_TRACK_EVENTS=1000`.
    let asked = std::env::var("WHITECAP_TRACK_EVENTS").ok();
    let events = asked.and_then(|number| number.parse().ok()).unwrap_or(100);
    for number in 0..events {
        let event = Event::new(number);
        // The liquid is pulled back to the middle, so that parts meet again.
        places.iter_mut().for_each(|p| *p = event.moved(*p) * 0.98);
        if number % 10 == 9 {
            // The first twenty vanish, twenty others come.
            places.drain(..20);
            ids.drain(..20);
            let next = ids.last().map_or(0, |id| id + 1);
            for i in 0..20 {
                let offset = Vec3::new(i as f32 % 3.0, (i / 3) as f32 % 3.0, (i / 9) as f32);
                places.push(event.center + offset * SPACING);
                ids.push(next + i);
            }
        }
        let next = with_ids(&places, &ids);
        let report = tracker.advance(&previous, &next, 0.04, &Unwatched).unwrap();
        let found = assert_closed(&tracker.mesh(), &format!("event {number}, {report:?}"));
        assert_eq!(found.components, report.topology.components);
        assert!(tracker.mesh().positions().iter().all(|p| p.is_finite()));
        rebuilt += report.rebuilt_components;
        previous = next;
    }
    assert_eq!(rebuilt, 0, "parts were rebuilt from the coarse surface");
}
