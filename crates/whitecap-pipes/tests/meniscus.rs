//! The meniscus: distances, contact angles, and what the viewer sees.

mod surface_scenes;

use glam::{Vec2, Vec3, Vec3Swizzles};
use surface_scenes::*;
use whitecap_pipes::{
    Columns, Meniscus, MeniscusSettings, PipeError, Space, Surface, Terrain, VertexKind, Viewer,
};

fn shaded(
    columns: &Columns,
    settings: &MeniscusSettings,
    viewer: Option<Viewer>,
) -> (Surface, Meniscus) {
    let (mut surface, mut meniscus) = (surface_of(columns), Meniscus::new());
    meniscus.apply(columns, &mut surface, settings, viewer).unwrap();
    (surface, meniscus)
}

/// A bank that rises along x with the given slope, and a lake below it.
fn bank(slope: f32) -> Columns {
    let mut columns = heightfield(40, 9, |x, _| slope * (x - 29.5));
    let floors = columns.floor().to_vec();
    columns.fill(|column| -f64::from(floors[column]));
    columns
}

/// Flat liquid with pillars on a `share` of all columns.
fn pillars(seed: u64, share: f32) -> Columns {
    let mut random = Random::new(seed);
    let is_pillar: Vec<bool> = (0..70 * 70).map(|_| random.unit() < share).collect();
    let mut columns =
        heightfield(70, 70, |x, z| if is_pillar[z as usize * 70 + x as usize] { 9.0 } else { 0.0 });
    columns.fill(|column| if is_pillar[column] { 0.0 } else { 1e-3 });
    columns
}

/// Contract: the distance to the nearest shore column differs from the true one by less than 0.1 cells over
/// random lakes and random pillars, the worst case for the method, and is exact for 99.9 % of the columns;
/// columns farther than the meniscus is long are out of reach.
#[test]
fn distances_are_nearly_those_of_brute_force() {
    let settings = MeniscusSettings { length: 0.01, ..Default::default() };
    let (mut worst, mut inexact, mut count) = (0.0f32, 0, 0);
    let lakes = (0..30).map(random_lakes);
    let pillars = (0..20).map(|seed| pillars(seed, 0.003 * (seed + 1) as f32));
    for columns in lakes.chain(pillars) {
        let (surface, meniscus) = shaded(&columns, &settings, None);
        let place = |column: usize| surface.positions()[column].xz();
        let kinds = surface.kinds();
        let of_kind = |kind| (0..columns.len()).filter(move |&c| kinds[c] == kind);
        let shores: Vec<Vec2> = of_kind(VertexKind::Shore).map(place).collect();
        for column in of_kind(VertexKind::Free) {
            let distances = shores.iter().map(|shore| shore.distance(place(column)));
            let nearest = distances.fold(f32::INFINITY, f32::min);
            let found = meniscus.distance(column);
            if nearest < settings.length * 0.999 {
                let error = (found - nearest).abs() / CELL;
                worst = worst.max(error);
                inexact += usize::from(error > 1e-3);
                count += 1;
            } else if nearest > settings.length * 1.001 {
                assert_eq!(found, f32::INFINITY);
            }
        }
    }
    println!("largest error {worst} cells, {inexact} of {count} not exact");
    assert!(count > 10_000, "{count}");
    assert!(worst < 0.1, "{worst}");
    assert!(inexact * 1000 < count, "{inexact} of {count}");
}

/// Contract: at the shore the normals of liquid and solid make the contact angle, to 0.001 radians, for
/// concave and convex menisci on banks from flat to steep; towards the inside the tilt fades linearly and is
/// zero from 2.8 mm on.
#[test]
fn the_contact_angle_is_exact_and_fades() {
    for slope in [0.2f32, 0.7, 1.5, 4.0] {
        for contact_angle in [0.0, 25.0, 60.0, 90.0, 100.0] {
            let settings = MeniscusSettings { contact_angle, ..Default::default() };
            let columns = bank(slope);
            let (surface, meniscus) = shaded(&columns, &settings, None);
            let tilt = slope.atan() - contact_angle.to_radians();
            let solid = Vec3::new(-slope, 1.0, 0.0).normalize();
            let row = 4 * 40;
            assert_eq!(surface.kinds()[row + 30], VertexKind::Shore);
            let angle = surface.normals()[row + 30].angle_between(solid);
            let error = (angle - contact_angle.to_radians()).abs();
            assert!(error < 1e-3, "slope {slope}, contact angle {contact_angle}: off by {error}");
            for x in 0..30 {
                let distance = (30 - x) as f32 * CELL;
                let normal = surface.normals()[row + x];
                let fade = (1.0 - distance / settings.length).max(0.0);
                let (sine, cosine) = (fade * tilt).sin_cos();
                let expected = Vec3::new(-sine, cosine, 0.0);
                assert!(normal.distance(expected) < 1e-3, "column {x}: {normal}, not {expected}");
                if distance > settings.length {
                    assert_eq!(normal, Vec3::Y);
                    assert_eq!(meniscus.distance(row + x), f32::INFINITY);
                }
            }
        }
    }
}

/// Contract: a wall under an overhang is vertical, so that the tilt there is 90° less the contact angle, away
/// from the wall if the liquid climbs and towards it if not.
#[test]
fn walls_under_overhangs_are_upright() {
    let terrain = Terrain::from_cells(grid(20, 8), |x, _, spaces| {
        if x < 12 {
            spaces.push(Space { floor: 0.0, ceiling: 4.0 * CELL });
            spaces.push(Space::open(5.0 * CELL));
        } else {
            spaces.push(Space::open(6.0 * CELL));
        }
    });
    let mut columns = Columns::new(&terrain.unwrap());
    let floors = columns.floor().to_vec();
    columns.fill(|column| if floors[column] == 0.0 { 1e-3 } else { 0.0 });
    for contact_angle in [20.0f32, 140.0] {
        let settings = MeniscusSettings { contact_angle, ..Default::default() };
        let (surface, _) = shaded(&columns, &settings, None);
        check_surface(&columns, &surface);
        let (sine, cosine) = (90.0 - contact_angle).to_radians().sin_cos();
        let vertices = 0..surface.kinds().len();
        let walls: Vec<usize> =
            vertices.filter(|&v| surface.kinds()[v] == VertexKind::Wall).collect();
        assert_eq!(walls.len(), 8);
        for wall in walls {
            let expected = Vec3::new(-sine, cosine, 0.0);
            assert!(surface.normals()[wall].distance(expected) < 1e-3);
        }
    }
}

/// Contract: from 40 directions and positions, on 20 random terrains with a contact angle of 150°, no normal
/// that faced the viewer faces away afterwards; without the viewer thousands do.
#[test]
fn no_normal_faces_away_from_the_viewer() {
    let settings = MeniscusSettings { contact_angle: 150.0, ..Default::default() };
    let (mut checked, mut away_without) = (0, 0);
    for seed in 0..20 {
        let columns = random_lakes(seed);
        let plain = surface_of(&columns);
        let (uncapped, _) = shaded(&columns, &settings, None);
        let mut random = Random::new(seed + 77);
        for round in 0..40 {
            let aim = Vec3::new(random.unit() - 0.5, 0.6 * random.unit(), random.unit() - 0.5);
            let viewer = if round % 2 == 0 { Viewer::Toward(aim) } else { Viewer::At(aim * 0.2) };
            let (capped, _) = shaded(&columns, &settings, Some(viewer));
            for vertex in 0..plain.positions().len() {
                let view = match viewer {
                    Viewer::Toward(direction) => direction.normalize(),
                    Viewer::At(eye) => (eye - plain.positions()[vertex]).normalize(),
                };
                if plain.normals()[vertex].dot(view) > 0.0 {
                    let facing = capped.normals()[vertex].dot(view);
                    assert!(facing >= -1e-6, "vertex {vertex}: {facing}");
                    checked += 1;
                    away_without += usize::from(uncapped.normals()[vertex].dot(view) < 0.0);
                }
            }
        }
    }
    assert!(checked > 100_000 && away_without > 1000, "{checked} {away_without}");
}

/// Contract: over 200 random terrains, for contact angles from 0° to 180°, with and without a viewer, normals
/// stay unit vectors and the surface stays what it was, also where the boundary lies on all sides.
#[test]
fn normals_stay_normals() {
    let mut puddle = heightfield(5, 5, |_, _| 0.0);
    puddle.fill(|column| if column == 12 { 1e-3 } else { 0.0 });
    let mut dry_spot = heightfield(5, 5, |_, _| 0.0);
    dry_spot.fill(|column| if column == 12 { 0.0 } else { 1e-3 });
    let scenes = (0..100).flat_map(|seed| [random_layers(seed), random_lakes(seed)]);
    for (number, columns) in scenes.chain([puddle, dry_spot]).enumerate() {
        let contact_angle = number as f32 * 37.0 % 180.0;
        let settings = MeniscusSettings { contact_angle, ..Default::default() };
        let eye = Viewer::At(Vec3::new(0.0, 0.02, 0.03));
        for viewer in [None, Some(eye)] {
            let (surface, _) = shaded(&columns, &settings, viewer);
            check_surface(&columns, &surface);
        }
    }
}

/// Contract: settings that cannot be used are refused with a sentence that names them.
#[test]
fn impossible_settings_are_refused() {
    for (contact_angle, length) in [(-1.0, 1e-3), (181.0, 1e-3), (f32::NAN, 1e-3), (30.0, 0.0)] {
        let settings = MeniscusSettings { contact_angle, length };
        let columns = bank(1.0);
        let mut surface = surface_of(&columns);
        let refused = Meniscus::new().apply(&columns, &mut surface, &settings, None);
        assert!(matches!(refused, Err(PipeError::Setting(_))));
        assert!(refused.unwrap_err().to_string().contains("must lie between"));
    }
}

/// Contract: in round dishes with vertical walls, whose boundary is a staircase of cells, normals
/// tilt along the radius to within 4° on average and 18° at most.
#[test]
fn steps_of_the_boundary_do_not_show() {
    for radius in [12.3f32, 25.4, 50.7, 77.9] {
        let count = 2 * (radius as usize + 4);
        let middle = 0.5 * count as f32 + 0.2;
        let is_wall = |x: f32, z: f32| Vec2::new(x - middle, z - middle).length() > radius;
        let mut columns = heightfield(count, count, |x, z| if is_wall(x, z) { 30.0 } else { 0.0 });
        let floors = columns.floor().to_vec();
        columns.fill(|column| if floors[column] == 0.0 { 2e-3 } else { 0.0 });
        let settings =
            MeniscusSettings { contact_angle: 40.0, length: 0.01f32.min(0.5 * radius * CELL) };
        let (surface, meniscus) = shaded(&columns, &settings, None);
        let mut off = Vec::new();
        for column in 0..columns.len() {
            let distance = meniscus.distance(column);
            if surface.kinds()[column] == VertexKind::Free && distance < 0.9 * settings.length {
                let (x, z) = columns.position_of(column);
                let radial = Vec2::new(x as f32 - middle, z as f32 - middle);
                let tilted = -surface.normals()[column].xz();
                off.push(tilted.angle_to(radial).to_degrees().abs());
            }
        }
        let mean = off.iter().sum::<f32>() / off.len() as f32;
        let most = off.iter().copied().fold(0.0, f32::max);
        println!("radius {radius} cells: {mean}° on average, {most}° at most of {}", off.len());
        assert!(mean < 4.0 && most < 18.0, "{mean}° on average, {most}° at most");
    }
}

/// Contract: a meniscus that is used again holds nothing from earlier frames, whatever their
/// meniscus length.
#[test]
fn earlier_frames_leave_nothing() {
    let mut used = Meniscus::new();
    for (seed, cells) in [(1, 1.2), (2, 3.0), (2, 0.4), (3, 1.2), (4, 1.2), (2, 6.0)] {
        let columns = pillars(seed, 0.02);
        let settings = MeniscusSettings { length: cells * CELL, ..Default::default() };
        let (fresh, _) = shaded(&columns, &settings, None);
        let mut surface = surface_of(&columns);
        used.apply(&columns, &mut surface, &settings, None).unwrap();
        assert_eq!(surface.normals(), fresh.normals(), "{cells} cells");
    }
}
