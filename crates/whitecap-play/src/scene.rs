//! The built-in scene.

use glam::Vec2;
use whitecap_pipes::{
    Grid, MeniscusSettings, MinimumHeights, PipeError, PipeScene, PipeSettings, Pipes, Source,
    Space, SurfaceSettings, Terrain, terrain_mesh,
};

/// Size of a cell of the built-in scene in metres.
const CELL: f32 = 1.25e-3;
const WIDTH: usize = 176;
const LENGTH: usize = 128;

/// The built-in scene, 22 cm × 16 cm: a spring on a hill feeds a lake, and a tunnel leads from the
/// lake through a ridge to a hollow beyond.
pub fn demo_scene() -> Result<PipeScene, PipeError> {
    let grid =
        Grid::new(-0.5 * CELL * Vec2::new(WIDTH as f32, LENGTH as f32), CELL, WIDTH, LENGTH)?;
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        add_spaces(grid.center(x, z) * 1e3, spaces);
    })?;
    let spring = Source { position: [-0.082, 0.05, -0.05], radius: 0.004, rate: 6e-6 };
    let settings = PipeSettings { sources: vec![spring], ..PipeSettings::default() };
    let pipes = Pipes::new(&terrain, settings)?;
    Ok(PipeScene {
        name: String::from("A spring, a ridge and a tunnel"),
        terrain: terrain_mesh(pipes.columns()),
        pipes,
        minimum: MinimumHeights::none(),
        surface: SurfaceSettings { opaque_depth: 0.012, ..SurfaceSettings::default() },
        meniscus: Some(MeniscusSettings { contact_angle: 40.0, ..MeniscusSettings::default() }),
        motion: None,
    })
}

/// The spaces at a place of the built-in scene; everything is in millimetres except the spaces.
fn add_spaces(place: Vec2, spaces: &mut Vec<Space>) {
    let ground = ground(place);
    // The tunnel winds a little; it is an arch 14 mm wide and 8 mm high.
    let across = place.y - 6.0 * (place.x * 0.06).sin() - 4.0;
    let arch = 1.0 - (across / 7.0).powi(2);
    let (floor, ceiling) = (3.0 + 0.02 * (20.0 - place.x), 4.0 + 8.0 * arch.max(0.0).sqrt());
    let is_below_rock = arch > 0.0 && (-5.0..60.0).contains(&place.x) && floor < ground;
    if is_below_rock && ground > ceiling + 1.5 {
        spaces.push(Space { floor: 1e-3 * floor, ceiling: 1e-3 * ceiling });
        spaces.push(Space::open(1e-3 * ground));
    } else if is_below_rock {
        spaces.push(Space::open(1e-3 * floor));
    } else {
        spaces.push(Space::open(1e-3 * ground));
    }
}

/// Height of the ground without the tunnel.
fn ground(place: Vec2) -> f32 {
    let hill = |x: f32, z: f32, height: f32, size: f32| {
        height * (-(place - Vec2::new(x, z)).length_squared() / (size * size)).exp()
    };
    let ridge = 25.0
        * (-((place.x - 26.0 - 8.0 * (place.y * 0.035).sin()) / 13.0).powi(2)).exp()
        * (1.0 + 0.15 * (place.y * 0.11).sin());
    let rim = 26.0 * ((place.x / 112.0).powi(6) + (place.y / 82.0).powi(6)).min(1.2);
    let waves =
        0.9 * (place.x * 0.13 + 1.3 * (place.y * 0.09).sin()).sin() * (place.y * 0.15).cos()
            + 0.35 * (place.x * 0.41).sin() * (place.y * 0.37 + 1.0).sin();
    let hills = hill(-84.0, -52.0, 34.0, 34.0)
        + hill(-30.0, 70.0, 16.0, 30.0)
        + hill(84.0, 58.0, 22.0, 26.0)
        + hill(-34.0, 14.0, 9.0, 10.0);
    let hollows = hill(-42.0, 4.0, 7.0, 42.0) + hill(72.0, -8.0, 8.0, 36.0);
    9.0 + ridge.max(rim) + hills + waves - hollows
}
