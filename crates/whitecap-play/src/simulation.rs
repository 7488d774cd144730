//! The liquid, at sixty frames per second: what hands do, a frame of motion, a surface, a packet.

use std::time::{Duration, Instant};

use glam::Vec3;
use serde::Serialize;
use tungstenite::Bytes;
use whitecap_core::TriMesh;
use whitecap_pipes::{
    Brush, Meniscus, MeniscusSettings, MinimumHeights, PipeError, Pipes, Surface, Viewer,
    terrain_mesh,
};

use crate::error::PlayError;
use crate::exchange::{Exchange, Numbered, Wishes};
use crate::message::{Hand, Order, Tool};
use crate::packing::{Counts, Packer};
use crate::sides::with_sides;
use crate::strike::strike;
use whitecap_pipes::{DrawnTerrain, PipeScene};

/// Duration of a frame in seconds.
const FRAME: f64 = 1.0 / 60.0;
/// Ground that is being carved is sent again after this many frames.
const TERRAIN_FRAMES: u64 = 6;

/// The sides of the terrain extend this many cells below its lowest point.
const SIDE_CELLS: f32 = 3.0;

/// Milliseconds that the parts of the last frame took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Times {
    simulation: f32,
    surface: f32,
    meniscus: f32,
    packing: f32,
}

/// The header of a surface.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct SurfaceHead {
    kind: &'static str,
    number: u64,
    time: f64,
    volume: f64,
    poured: f64,
    drained: f64,
    paused: bool,
    viscosity: f32,
    contact_angle: Option<f32>,
    source_rate: f64,
    milliseconds: Times,
    #[serde(flatten)]
    counts: Counts,
}

/// The header of a terrain.
#[derive(Serialize)]
struct TerrainHead<'a> {
    kind: &'static str,
    number: u64,
    name: &'a str,
    cell: f32,
    #[serde(flatten)]
    counts: Counts,
}

/// A liquid that is played with.
pub(crate) struct Simulation {
    /// The scene as it was at the beginning.
    beginning: PipeScene,
    pipes: Pipes,
    /// The terrain to draw, how far the surface stays above it, and its frame.
    terrain: TriMesh,
    minimum: MinimumHeights,
    terrain_frame: i64,
    /// Whether the ground has been carved; before that the scene's own terrain is drawn.
    is_carved: bool,
    surface: Surface,
    meniscus: Meniscus,
    packer: Packer,
    times: Times,
    meniscus_settings: Option<MeniscusSettings>,
    is_paused: bool,
    eye: Option<[f32; 3]>,
    terrain_is_new: bool,
    surface_is_new: bool,
    frames: u64,
    numbers: [u64; 2],
}

impl Simulation {
    pub fn new(scene: PipeScene) -> Self {
        Self {
            pipes: scene.pipes.clone(),
            terrain: scene.terrain.clone(),
            minimum: scene.minimum.clone(),
            terrain_frame: first_frame(&scene),
            meniscus_settings: scene.meniscus,
            beginning: scene,
            is_carved: false,
            surface: Surface::new(),
            meniscus: Meniscus::new(),
            packer: Packer::default(),
            times: Times::default(),
            is_paused: false,
            eye: None,
            terrain_is_new: true,
            surface_is_new: true,
            frames: 0,
            numbers: [0; 2],
        }
    }

    /// Runs frames until it is asked to stop.
    pub fn run(
        mut self,
        exchange: &Exchange,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<(), PlayError> {
        let mut next = Instant::now();
        while !should_stop() {
            self.frame(exchange)?;
            next += Duration::from_secs_f64(FRAME);
            let now = Instant::now();
            match next.checked_duration_since(now) {
                Some(rest) => std::thread::sleep(rest),
                // Too slow for real time: lost time is not made up.
                None => next = now,
            }
        }
        Ok(())
    }

    /// One frame.
    pub fn frame(&mut self, exchange: &Exchange) -> Result<(), PlayError> {
        let Wishes { orders, hands, eye } = exchange.wishes();
        self.surface_is_new |= eye != self.eye;
        self.eye = eye;
        let start = Instant::now();
        let mut advance = !self.is_paused;
        for order in orders {
            self.obey(order, &mut advance)?;
        }
        for hand in hands {
            self.touch(&hand);
        }
        if advance {
            self.move_terrain()?;
            self.pipes.advance(FRAME)?;
            self.surface_is_new = true;
        }
        self.times.simulation = milliseconds(start);
        self.frames += 1;
        if self.terrain_is_new && (!self.is_carved || self.frames.is_multiple_of(TERRAIN_FRAMES)) {
            self.show_terrain(exchange);
        }
        if std::mem::take(&mut self.surface_is_new) {
            self.show_surface(exchange)?;
        }
        Ok(())
    }

    fn obey(&mut self, order: Order, advance: &mut bool) -> Result<(), PipeError> {
        self.surface_is_new = true;
        match order {
            Order::Pause => (self.is_paused, *advance) = (true, false),
            Order::Resume => (self.is_paused, *advance) = (false, true),
            Order::Step => *advance = true,
            Order::Reset => return self.reset(),
            Order::ContactAngle(angle) => {
                self.meniscus_settings.get_or_insert_default().contact_angle = angle;
            }
            Order::Viscosity(viscosity) => {
                let mut settings = self.pipes.settings().clone();
                settings.viscosity = viscosity;
                return self.pipes.set_settings(settings);
            }
            Order::SourceRate(rate) => {
                let mut settings = self.pipes.settings().clone();
                let first = &self.beginning.pipes.settings().sources;
                let whole: f64 = first.iter().map(|source| source.rate).sum();
                for (source, first) in settings.sources.iter_mut().zip(first) {
                    let share = if whole > 0.0 { first.rate / whole } else { 0.0 };
                    source.rate = rate * share;
                }
                return self.pipes.set_settings(settings);
            }
        }
        Ok(())
    }

    /// The liquid and the ground as they were at the beginning, with the current settings.
    fn reset(&mut self) -> Result<(), PipeError> {
        let settings = self.pipes.settings().clone();
        self.pipes = self.beginning.pipes.clone();
        let frame = first_frame(&self.beginning);
        self.terrain_is_new |= std::mem::take(&mut self.is_carved) || self.terrain_frame != frame;
        self.terrain = self.beginning.terrain.clone();
        self.minimum = self.beginning.minimum.clone();
        self.terrain_frame = frame;
        self.pipes.set_settings(settings)
    }

    /// Moves a moving terrain to its current frame.
    fn move_terrain(&mut self) -> Result<(), PlayError> {
        let Some(motion) = &self.beginning.motion else { return Ok(()) };
        let frame = motion.frame_at(self.pipes.time());
        if frame == self.terrain_frame {
            return Ok(());
        }
        let DrawnTerrain { terrain, mesh, minimum } =
            motion.at(frame).map_err(PlayError::Terrain)?;
        self.pipes.replace_terrain(&terrain)?;
        (self.terrain, self.minimum, self.terrain_frame) = (mesh, minimum, frame);
        (self.is_carved, self.terrain_is_new) = (false, true);
        Ok(())
    }

    /// Carries out what a hand does. A hand that asks for the impossible, such as ground below the
    /// limit, does nothing.
    fn touch(&mut self, hand: &Hand) {
        let (from, toward) = (Vec3::from(hand.from), Vec3::from(hand.toward));
        let Some(position) = strike(self.pipes.columns(), from, toward) else { return };
        let brush = Brush { position, radius: hand.radius };
        let amount = hand.rate * FRAME;
        let is_done = match hand.tool {
            Tool::Pour => self.pipes.pour(brush, amount).is_ok(),
            Tool::Wipe => self.pipes.wipe(brush, amount).is_ok(),
            Tool::Carve => self.pipes.carve(brush, amount as f32).is_ok(),
            Tool::Raise => self.pipes.carve(brush, -amount as f32).is_ok(),
        };
        self.surface_is_new |= is_done;
        if is_done && matches!(hand.tool, Tool::Carve | Tool::Raise) {
            (self.is_carved, self.terrain_is_new) = (true, true);
        }
    }

    fn show_terrain(&mut self, exchange: &Exchange) {
        self.terrain_is_new = false;
        self.numbers[0] += 1;
        let number = self.numbers[0];
        let carved = self.is_carved.then(|| terrain_mesh(self.pipes.columns()));
        let (name, cell) = (&*self.beginning.name, self.pipes.columns().grid().cell());
        let mesh = carved.as_ref().unwrap_or(&self.terrain);
        let mesh = with_sides(mesh, SIDE_CELLS * cell);
        let head = |counts| TerrainHead { kind: "terrain", number, name, cell, counts };
        let packet = Bytes::from(self.packer.terrain(&mesh, head));
        exchange.show_terrain(Numbered { number, packet });
    }

    fn show_surface(&mut self, exchange: &Exchange) -> Result<(), PipeError> {
        let start = Instant::now();
        let none = MinimumHeights::none();
        let minimum = if self.is_carved { &none } else { &self.minimum };
        let columns = self.pipes.columns();
        self.surface.update(columns, minimum, &self.beginning.surface)?;
        self.times.surface = milliseconds(start);

        let start = Instant::now();
        if let Some(settings) = &self.meniscus_settings {
            let viewer = self.eye.map(|eye| Viewer::At(Vec3::from(eye)));
            self.meniscus.apply(columns, &mut self.surface, settings, viewer)?;
        }
        self.times.meniscus = milliseconds(start);

        let start = Instant::now();
        self.numbers[1] += 1;
        let (number, report) = (self.numbers[1], self.pipes.report());
        let settings = self.pipes.settings();
        let head = |counts| SurfaceHead {
            kind: "surface",
            number,
            time: report.time,
            volume: report.volume,
            poured: report.poured,
            drained: report.drained,
            paused: self.is_paused,
            viscosity: settings.viscosity,
            contact_angle: self.meniscus_settings.map(|settings| settings.contact_angle),
            source_rate: settings.sources.iter().map(|source| source.rate).sum(),
            milliseconds: self.times,
            counts,
        };
        let packet = Bytes::from(self.packer.surface(&self.surface, self.pipes.drops(), head));
        self.times.packing = milliseconds(start);
        exchange.show_surface(Numbered { number, packet });
        Ok(())
    }
}

/// The frame of the terrain at the beginning.
fn first_frame(scene: &PipeScene) -> i64 {
    scene.motion.as_ref().map_or(0, |motion| motion.frame_at(0.0))
}

fn milliseconds(since: Instant) -> f32 {
    since.elapsed().as_secs_f32() * 1e3
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec2;
    use whitecap_pipes::{Columns, Grid, PipeSettings, Terrain};

    use super::*;
    use crate::message::Message;
    use whitecap_pipes::TerrainMotion;

    use crate::demo_scene;

    fn message(rest: &str) -> Message {
        let text = format!(r#"{{"seen": 0, "terrain-seen": 0, "eye": [0, 1, 0], {rest}}}"#);
        Message::read(&text).unwrap()
    }

    /// Contract: a hand that digs and builds as fast as a message allows, for many frames, neither
    /// stops the liquid nor corrupts its volume.
    #[test]
    fn the_wildest_hand_does_no_harm() {
        let exchange = Exchange::default();
        let mut simulation = Simulation::new(demo_scene().unwrap());
        for tool in ["carve", "raise", "pour", "wipe", "carve"] {
            let hand = format!(
                r#""hand": {{"tool": "{tool}", "from": [0, 2, 0], "toward": [0.001, -1, 0],
                "radius": 1e6, "rate": 1e6}}, "orders": []"#
            );
            for _ in 0..8 {
                exchange.visit(1, &message(&hand));
                simulation.frame(&exchange).unwrap();
            }
        }
        let report = simulation.pipes.report();
        assert!(report.volume.is_finite() && report.relative_error.abs() < 1e-6, "{report:?}");
    }

    /// Contract: a reset restores liquid and ground, and keeps the settings of the sliders.
    #[test]
    fn a_new_beginning_keeps_the_sliders() {
        let exchange = Exchange::default();
        let mut simulation = Simulation::new(demo_scene().unwrap());
        let floors = simulation.pipes.columns().floor().to_vec();
        let carve = r#""hand": {"tool": "carve", "from": [0, 1, 0], "toward": [0, -1, 0],
            "radius": 0.01, "rate": 0.1}, "orders": [{"viscosity": 0.01}, {"source-rate": 1e-5}]"#;
        exchange.visit(1, &message(carve));
        simulation.frame(&exchange).unwrap();
        assert!(simulation.is_carved && simulation.pipes.columns().floor() != floors);
        assert!((simulation.pipes.volume() - 1e-5 / 60.0).abs() < 1e-12);

        exchange.visit(1, &message(r#""hand": null, "orders": ["pause", "reset"]"#));
        simulation.frame(&exchange).unwrap();
        assert!(!simulation.is_carved && simulation.pipes.columns().floor() == floors);
        assert_eq!(simulation.pipes.volume(), 0.0);
        assert_eq!(simulation.pipes.settings().viscosity, 0.01);
    }

    /// Flat ground that rises by a millimetre per second.
    #[derive(Debug)]
    struct Rising;

    impl Rising {
        fn terrain(frame: i64) -> Terrain {
            let grid = Grid::new(Vec2::ZERO, 1e-3, 8, 8).unwrap();
            Terrain::heightfield(grid, &[1e-3 * frame as f32; 64]).unwrap()
        }
    }

    impl TerrainMotion for Rising {
        fn frame_at(&self, time: f64) -> i64 {
            time as i64
        }

        fn at(&self, frame: i64) -> Result<DrawnTerrain, String> {
            let terrain = Self::terrain(frame);
            let mesh = terrain_mesh(&Columns::new(&terrain));
            let is_there = frame < 4;
            let ground = DrawnTerrain { terrain, mesh, minimum: MinimumHeights::none() };
            is_there.then_some(ground).ok_or(String::from("no more ground"))
        }
    }

    /// Contract: a moving terrain carries its liquid and is sent again in each of its frames; a
    /// reset restores it; when there is no next frame, the run ends with a message.
    #[test]
    fn moving_terrain_is_shown() {
        let mut pipes = Pipes::new(&Rising::terrain(0), PipeSettings::default()).unwrap();
        pipes.fill(|_| 1e-3);
        let scene = PipeScene {
            terrain: terrain_mesh(pipes.columns()),
            pipes,
            motion: Some(Arc::new(Rising)),
            minimum: MinimumHeights::none(),
            ..demo_scene().unwrap()
        };
        let exchange = Exchange::default();
        let mut simulation = Simulation::new(scene);
        let volume = simulation.pipes.volume();
        let height = |simulation: &Simulation| simulation.pipes.columns().floor()[0];
        for _ in 0..150 {
            simulation.frame(&exchange).unwrap();
        }
        assert_eq!(height(&simulation), 2e-3);
        assert_eq!((simulation.terrain_frame, simulation.numbers[0]), (2, 3));
        assert!((simulation.pipes.volume() / volume - 1.0).abs() < 1e-9);

        exchange.visit(1, &message(r#""hand": null, "orders": ["reset"]"#));
        simulation.frame(&exchange).unwrap();
        assert_eq!(height(&simulation), 0.0);
        assert_eq!((simulation.terrain_frame, simulation.numbers[0]), (0, 4));

        let end = (0..300).find_map(|_| simulation.frame(&exchange).err());
        assert!(end.unwrap().to_string().contains("no more ground"));
    }

    /// Contract: while paused, nothing new is sent until something changes.
    #[test]
    fn a_pause_shows_nothing_new() {
        let exchange = Exchange::default();
        let mut simulation = Simulation::new(demo_scene().unwrap());
        let nothing = message(r#""hand": null, "orders": []"#);
        let shown = |simulation: &mut Simulation, message: &Message| {
            exchange.visit(1, message);
            simulation.frame(&exchange).unwrap();
            simulation.numbers[1]
        };
        let paused = shown(&mut simulation, &message(r#""hand": null, "orders": ["pause"]"#));
        assert_eq!(shown(&mut simulation, &nothing), paused);
        let stepped = shown(&mut simulation, &message(r#""hand": null, "orders": ["step"]"#));
        assert_eq!(stepped, paused + 1);
        assert_eq!(shown(&mut simulation, &nothing), stepped);
    }
}
