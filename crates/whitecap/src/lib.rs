//! Whitecap adds fine detail to fluid animation. This crate is every library of Whitecap under one
//! name, and this page is a tour through them. Each example is a test.
//!
//! | module | what |
//! |---|---|
//! | [`core`] | particles, meshes, grids, neighbour search, kernels, solvers |
//! | [`io`] | file formats, frame sequences, atomic writes |
//! | [`surface`] | from particles to closed surfaces and distance fields |
//! | [`scene`] | what phenomena share: checked settings, shapes, animated bodies, fills, emitters |
//! | [`bulk`] | coarse liquids: the motion that finer methods add detail to |
//! | [`waves`] | fine waves on the surface of a particle liquid |
//! | [`track`] | detailed meshes that a particle liquid carries along |
//! | [`pipes`] | shallow liquid on any terrain, in real time |
//! | [`render`] | pictures: rays, and what they meet |
//! | [`shot`] | shot files, stages, resumable runs, reports |
//!
//! Lengths are in metres, times in seconds; y is up; coordinates are right-handed.
//!
//! # Particles
//! A liquid from a simulation is a set of *particles*: positions, and *attributes*, which are named
//! columns with one value per particle. A few names are well known: `velocity`, `id`, `radius`.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Column, Particles};
//!
//! let mut particles = Particles::new(vec![Vec3::ZERO, Vec3::new(0.1, 0.0, 0.0)]);
//! particles.set_attribute("velocity", Column::Vec3(vec![Vec3::Y; 2]))?;
//! assert_eq!(particles.velocities().unwrap()[1], Vec3::Y);
//!
//! // A column of the wrong length is an error with a sentence, not a crash.
//! let error = particles.set_attribute("id", Column::I32(vec![7])).unwrap_err();
//! assert!(error.to_string().contains("id"));
//! # Ok::<(), whitecap::core::Error>(())
//! ```
//!
//! # Surface
//! The *surface* of the liquid is a triangle mesh around the particles. It is found in two steps:
//! an *implicit function*, negative inside and positive outside, is made from the particles, and
//! its zero level is turned into triangles. The mesh is *closed* (no holes), *2-manifold* (every
//! edge has exactly two triangles) and oriented outwards.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Particles, Unwatched};
//! use whitecap::surface::{Method, SurfaceSettings, report, surface_particles};
//!
//! // A block of 8³ particles, 0.1 m apart.
//! let cells = (0..512).map(|i| Vec3::new((i % 8) as f32, (i / 8 % 8) as f32, (i / 64) as f32));
//! let particles = Particles::new(cells.map(|cell| 0.1 * cell).collect());
//!
//! let settings = SurfaceSettings { method: Method::ZhuBridson, ..SurfaceSettings::default() };
//! let surfaced = surface_particles(&particles, &settings, &Unwatched)?;
//!
//! let report = report(&surfaced.mesh);
//! assert!(report.is_closed_manifold());
//! assert_eq!(report.components, 1);
//! // The radius was not given, so it was estimated, half the particle spacing, and a note says so.
//! assert!((surfaced.radius - 0.05).abs() < 0.001);
//! assert!(surfaced.notes[0].contains("no radius was given"));
//! # Ok::<(), whitecap::surface::Error>(())
//! ```
//!
//! Settings are plain data. The same definition is the command's flags, the keys of a shot file and
//! the JSON Schema.
//!
//! # Level set
//! A *level set* stores the signed distance to a surface on the nodes of a sparse grid: negative
//! inside, and only in a *narrow band* around the surface. Shapes can be joined, cut, grown and
//! smoothed in this form, and come back as closed meshes.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Particles, Unwatched};
//! use whitecap::surface::{LevelSet, SurfaceSettings, implicit_field, volume};
//!
//! let settings = SurfaceSettings { radius: Some(0.1), ..SurfaceSettings::default() };
//! let drop = |x: f32| {
//!     let particle = Particles::new(vec![Vec3::new(x, 0.0, 0.0)]);
//!     implicit_field(&particle, &settings, &Unwatched)
//!         .map(|field| LevelSet::from_field(&field, 0.3))
//! };
//! let (left, right) = (drop(0.0)?, drop(1.0)?);
//!
//! let both = left.union(&right).unwrap();
//! let one = volume(&left.mesh());
//! assert!(volume(&both.mesh()) > 1.9 * one);
//! // Grown by 5 cm, a drop reaches 5 cm farther.
//! let point = Vec3::new(0.0, 0.15, 0.0);
//! let grown = left.offset(0.05);
//! assert!((left.distance(point) - grown.distance(point) - 0.05).abs() < 0.01);
//! # Ok::<(), whitecap::surface::Error>(())
//! ```
//!
//! # Bodies
//! Solids of liquids, obstacles of waves and objects of pictures are one *animated body*: a closed mesh
//! that rests, moves from key to key, or deforms from frame to frame. It knows its position, its velocity
//! and its signed distance at any time, also between frames. A box that rises by a metre in a second:
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Transform, TriMesh};
//! use whitecap::scene::AnimatedBody;
//!
//! let block = TriMesh::cuboid(Vec3::splat(-0.1), Vec3::splat(0.1));
//! let raised = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
//! let body = AnimatedBody::rigid(block, vec![(0.0, Transform::IDENTITY), (1.0, raised)])?;
//!
//! let pose = body.at(0.25)?;
//! let nearest = pose.nearest(Vec3::new(0.0, 0.5, 0.0), 1.0).unwrap();
//! assert!((nearest.distance - 0.15).abs() < 1e-5);
//! assert!((nearest.velocity - Vec3::Y).length() < 1e-4);
//! # Ok::<(), whitecap::scene::SceneError>(())
//! ```
//!
//! # Coarse liquid
//! A simulated liquid is stepped from frame to frame. It stays incompressible: no particle ends a step
//! more than two per cent denser than at rest.
//!
//! ```
//! use whitecap::bulk::sph::{Liquid, SphSettings};
//! use whitecap::core::Unwatched;
//! use whitecap::core::glam::Vec3;
//! use whitecap::scene::fill::{Volume, lattice_points};
//! use whitecap::scene::shape::BoxShape;
//!
//! let domain = BoxShape { min: [0.0; 3], max: [0.6, 0.4, 0.2] };
//! let settings = SphSettings { spacing: 0.05, domain: Some(domain), ..SphSettings::default() };
//! let block = Volume::Box { min: Vec3::ZERO, max: Vec3::new(0.2, 0.3, 0.2) };
//! let positions = lattice_points(block, settings.spacing)?;
//!
//! let mut liquid = Liquid::new(settings)?;
//! liquid.add(&positions, &vec![Vec3::ZERO; positions.len()])?;
//! for _ in 0..4 {
//!     let report = liquid.step_frame(1.0 / 24.0, &Unwatched)?;
//!     assert!(report.steps.iter().all(|step| step.largest_density < 1.021));
//! }
//! assert_eq!(liquid.strays().outside_domain, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Waves
//! *Surface points* follow a coarse liquid and carry waves that its particles are too coarse for. The
//! motion of the liquid itself never changes.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Column, Particles, Unwatched};
//! use whitecap::waves::{DISPLACEMENT, Surroundings, WaveSettings, Waves};
//!
//! // A pool whose surface is lifted and sinks back.
//! let pool = |frame: i32| {
//!     let lift = 0.02 * (0.5 * frame as f32).cos();
//!     let place = |i: i32| {
//!         let cell = Vec3::new((i % 12) as f32, (i / 144) as f32, (i / 12 % 12) as f32);
//!         0.05 * cell + Vec3::Y * (lift * (0.8 * cell.x).sin() * cell.y / 3.0)
//!     };
//!     let mut particles = Particles::new((0..576).map(place).collect());
//!     particles.set_attribute("id", Column::I32((0..576).collect())).map(|()| particles)
//! };
//! let mut waves = Waves::new(WaveSettings::default(), 1.0 / 24.0)?;
//! for frame in 0..3 {
//!     let made = waves.step(&pool(frame)?, Surroundings::default(), &Unwatched)?;
//!     assert!(made.particles()?.attribute(DISPLACEMENT).is_some());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Tracked mesh
//! A detailed mesh is carried along by the particles of a coarse liquid and keeps its detail; it is closed
//! in every frame, also when the liquid merges or tears.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Column, Particles, Unwatched};
//! use whitecap::surface::{SurfaceSettings, report, surface_particles};
//! use whitecap::track::{TrackSettings, Tracker};
//!
//! let block = |shift: f32| {
//!     let cell = |i: i32| Vec3::new((i % 8) as f32, (i / 8 % 8) as f32, (i / 64) as f32);
//!     let places = (0..512).map(|i| 0.05 * cell(i) + Vec3::X * shift).collect();
//!     let mut particles = Particles::new(places);
//!     particles.set_attribute("id", Column::I32((0..512).collect())).map(|()| particles)
//! };
//! let (before, after) = (block(0.0)?, block(0.02)?);
//! let mesh = surface_particles(&before, &SurfaceSettings::default(), &Unwatched)?.mesh;
//! let mut tracker = Tracker::new(&mesh, &before, TrackSettings::default(), &Unwatched)?;
//! tracker.advance(&before, &after, 1.0 / 24.0, &Unwatched)?;
//!
//! let moved = tracker.mesh();
//! assert!(report(&moved).is_closed_manifold());
//! assert!((moved.positions()[0].x - mesh.positions()[0].x - 0.02).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Shallow liquid
//! Liquid that is shallow against its extent needs no particles. A *terrain* lists the spaces between
//! solids above every cell of a grid, several above each other under overhangs; *columns* of liquid
//! stand in them and exchange volume through *virtual pipes*. A puddle on a tilted plate:
//!
//! ```
//! use whitecap::core::glam::{Vec2, Vec3};
//! use whitecap::pipes::{Brush, Grid, MinimumHeights, PipeSettings, Pipes, Surface, Terrain};
//!
//! let grid = Grid::new(Vec2::ZERO, 0.001, 60, 40)?;
//! let heights: Vec<f32> = (0..grid.cells()).map(|cell| 0.0002 * (cell % 60) as f32).collect();
//! let settings = PipeSettings { viscosity: 4e-6, ..PipeSettings::default() };
//! let mut pipes = Pipes::new(&Terrain::heightfield(grid, &heights)?, settings)?;
//! pipes.pour(Brush { position: Vec3::new(0.045, 0.0, 0.02), radius: 0.006 }, 1e-6)?;
//! pipes.advance(0.5)?;
//! // A cubic centimetre was poured, and it is all there.
//! assert!((pipes.volume() - 1e-6).abs() < 1e-15);
//!
//! let mut surface = Surface::new();
//! surface.update(pipes.columns(), &MinimumHeights::none(), &Default::default())?;
//! assert!(surface.to_mesh().attribute("opacity").is_some());
//! # Ok::<(), whitecap::pipes::PipeError>(())
//! ```
//!
//! # Picture
//! A *scene* has shapes, materials, light and a camera; [`render::render`] follows light through it.
//! Particles can be hit directly, without a mesh.
//!
//! ```
//! use std::sync::Arc;
//! use whitecap::core::Unwatched;
//! use whitecap::render::glam::Vec3;
//! use whitecap::render::shapes::{Plane, Sphere};
//! use whitecap::render::{Dielectric, Material, RenderSettings, Scene, render};
//!
//! let mut scene = Scene::default();
//! let stone = scene.add_material(Material::plastic(Vec3::splat(0.4), 0.3));
//! let water = scene.add_material(Material::dielectric(Dielectric::water()));
//! scene.add("floor", Arc::new(Plane::floor(0.0)), stone);
//! scene.add("drop", Arc::new(Sphere { center: 0.5 * Vec3::Y, radius: 0.5 }), water);
//!
//! let settings = RenderSettings { width: 32, height: 24, samples: 4, ..RenderSettings::default() };
//! let picture = render(&scene, &settings, &Unwatched)?;
//! assert_eq!((picture.width, picture.height, picture.statistics.lost_paths), (32, 24, 0));
//! # Ok::<(), whitecap::render::RenderError>(())
//! ```
//!
//! # Files and sequences
//! A *sequence* is one file per frame, named by a pattern: `####` or `%04d` stands for the frame
//! number. Files are written whole or not at all, and a broken file gives an error that says where
//! it is broken.
//!
//! ```
//! use whitecap::core::Particles;
//! use whitecap::core::glam::Vec3;
//! use whitecap::io::{Sequence, read_particles, write_particles};
//!
//! let folder = tempfile::tempdir()?;
//! let sequence = Sequence::new(folder.path().join("drop.####.bgeo"))?;
//! for frame in 1..=3 {
//!     let particles = Particles::new(vec![Vec3::Y * frame as f32]);
//!     write_particles(sequence.path(frame), &particles)?;
//! }
//! let frames = sequence.expand(None)?;
//! assert_eq!(frames.len(), 3);
//! assert_eq!(read_particles(&frames[2].1)?.positions(), [Vec3::new(0.0, 3.0, 0.0)]);
//!
//! // A frame that is missing is named.
//! std::fs::remove_file(&frames[1].1)?;
//! assert!(sequence.expand(None).unwrap_err().to_string().ends_with("frame 2 is missing"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Shot
//! A *shot* is a range of frames and the *stages* that make them, described by a *shot file*. Each
//! stage takes the frames of other stages or of files, and gives frames of its own. A run makes
//! only the frames that are not up to date, and a run that was stopped continues where it was.
//!
//! ```
//! use whitecap::shot::{CancelToken, Event, Registry, RunOptions, Shot, run};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("drop.toml");
//! std::fs::write(&path, r#"
//!     [shot]
//!     name = "drop"
//!     frames = [1, 2]
//!
//!     [water]
//!     kind = "example"
//!     spacing = 0.05
//!
//!     [surface]
//!     kind = "surface"
//!     particles = "water"
//!     save = ["ply"]
//! "#)?;
//! let shot = Shot::load(&path, &Registry::standard())?;
//! let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
//! let options = RunOptions::new(&observer, &cancel);
//!
//! let first = run(&shot, &options)?;
//! assert_eq!(first.computed, 4);
//! assert!(shot.output.join("surface/surface.0002.ply").is_file());
//! // Nothing changed, so nothing is made again.
//! assert_eq!(run(&shot, &options)?.computed, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mistake in a shot file is reported with its line and what would be right:
//!
//! ```
//! use whitecap::shot::{Registry, Shot};
//!
//! let text = "[shot]\nname = \"drop\"\nframes = [1, 2]\n\n[water]\nkind = \"exmple\"\n";
//! let mistakes = Shot::parse(text, "drop.toml".as_ref(), &Registry::standard()).err().unwrap();
//! assert_eq!(mistakes.list()[0].line, 6);
//! assert!(mistakes.to_string().contains("did you mean"));
//! ```
//!
//! # Progress and cancel
//! A long computation takes a [`core::Watch`]: it reports how far it is, and asks whether it should
//! stop. Nothing prints, and nothing exits.
//!
//! ```
//! use whitecap::core::glam::Vec3;
//! use whitecap::core::{Particles, Watch};
//! use whitecap::surface::{Error, SurfaceSettings, surface_particles};
//!
//! struct NeverMind;
//! impl Watch for NeverMind {
//!     fn cancelled(&self) -> bool {
//!         true
//!     }
//! }
//! let particles = Particles::new(vec![Vec3::ZERO, Vec3::X]);
//! let stopped = surface_particles(&particles, &SurfaceSettings::default(), &NeverMind);
//! assert_eq!(stopped.unwrap_err(), Error::Cancelled);
//! ```

pub use whitecap_bulk as bulk;
pub use whitecap_core as core;
pub use whitecap_io as io;
pub use whitecap_pipes as pipes;
pub use whitecap_render as render;
pub use whitecap_scene as scene;
pub use whitecap_shot as shot;
pub use whitecap_surface as surface;
pub use whitecap_track as track;
pub use whitecap_waves as waves;
