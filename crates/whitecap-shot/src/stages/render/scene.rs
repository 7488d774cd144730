//! From settings, files and the frames of other stages to a scene.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use whitecap_core::{Column, GridClass, GridValues, KeyframedTransform, TriMesh, attributes};
use whitecap_render::glam::{Quat, Vec3};
use whitecap_render::liquid::Shutter;
use whitecap_render::meniscus::{MeniscusSettings, Solid};
use whitecap_render::shapes::{Cuboid, Plane, Rectangle, Sphere};
use whitecap_render::volume::{Medium, SphereUnion, VolumeObject};
use whitecap_render::{
    Camera, Environment, LevelSetLiquid, Light, LightKind, MeniscusLiquid, MeshOptions,
    ParticleLiquid, Scene, Shape, TriangleMesh,
};
use whitecap_surface::LevelSet;

use super::materials::{material, pictures, read_image};
use super::settings::{
    EnvironmentSettings, LightSettings, ObjectSettings, RenderStageSettings, ShapeSettings,
};
use crate::stage::{ShotContext, StageError};
use crate::stages::cache::CacheFiles;
use crate::{FrameData, FrameTime};

/// Cells of a solid's distance field in a capillary length, and the lengths that it reaches.
const CELLS_PER_LENGTH: f32 = 3.0;
const LENGTHS_IN_BAND: f32 = 8.0;

/// What does not change from frame to frame.
pub struct SceneMaker {
    settings: RenderStageSettings,
    folder: PathBuf,
    objects: Vec<StageObject>,
    environment: Environment,
}

/// An object and where its mesh comes from.
struct StageObject {
    mesh: Option<MeshSource>,
    /// The object as the liquid feels it, once it was needed, if it never moves.
    solid: OnceLock<Solid>,
}

impl StageObject {
    fn is_at_rest(&self) -> bool {
        self.mesh.as_ref().is_none_or(|mesh| mesh.mesh.is_some() && !mesh.moves)
    }
}

struct MeshSource {
    files: CacheFiles,
    motion: KeyframedTransform,
    moves: bool,
    /// The mesh of a single file.
    mesh: Option<Arc<TriMesh>>,
}

impl SceneMaker {
    /// Reads the files that serve every frame.
    pub fn new(settings: RenderStageSettings, shot: &ShotContext<'_>) -> Result<Self, StageError> {
        let objects = settings
            .objects
            .iter()
            .map(|object| {
                Ok(StageObject { mesh: mesh_source(object, shot)?, solid: OnceLock::new() })
            })
            .collect::<Result<_, StageError>>()?;
        let environment = environment(&settings.environment, shot.folder)?;
        Ok(Self { settings, folder: shot.folder.to_owned(), objects, environment })
    }

    /// The settings.
    pub fn settings(&self) -> &RenderStageSettings {
        &self.settings
    }

    /// The scene of a frame, and sentences about what was assumed.
    pub fn scene(
        &self,
        frame: FrameTime,
        surface: Option<&FrameData>,
        mist: Option<&FrameData>,
    ) -> Result<(Scene, Vec<String>), StageError> {
        let mut scene = Scene {
            camera: self.camera(frame.time),
            environment: self.environment.clone(),
            lights: self.settings.lights.iter().map(light).collect(),
            ..Scene::default()
        };
        let mut notes = Vec::new();
        let mut solids = Vec::new();
        for (place, (settings, object)) in
            self.settings.objects.iter().zip(&self.objects).enumerate()
        {
            let name = format!("object {}", place + 1);
            let mesh = object.mesh.as_ref().map(|mesh| mesh.at(frame)).transpose()?;
            if let (Some(angle), Some(meniscus)) = (settings.contact_angle, &self.settings.meniscus)
            {
                let made = match object.solid.get() {
                    Some(solid) => solid.clone(),
                    None => solid(&name, settings, mesh.as_deref(), angle, meniscus)?,
                };
                if object.is_at_rest() {
                    object.solid.get_or_init(|| made.clone());
                }
                solids.push(made);
            }
            let made = scene.add_material(material(&settings.material, &self.folder)?);
            scene.add(&name, self.shape(settings, mesh)?, made);
        }
        if let Some(data) = surface {
            let made = scene.add_material(material(&self.settings.material, &self.folder)?);
            let shape = self.liquid(data, solids, &mut notes)?;
            scene.add("liquid", shape, made);
        }
        if let Some(data) = mist {
            scene.volumes.push(Arc::new(self.mist(data)?));
        }
        Ok((scene, notes))
    }

    fn camera(&self, time: f64) -> Camera {
        let settings = &self.settings.camera;
        let angle = (f64::from(self.settings.turn) * time % 360.0).to_radians() as f32;
        let target = Vec3::from(settings.target);
        let turned = Quat::from_rotation_y(angle) * (Vec3::from(settings.position) - target);
        Camera { position: (target + turned).to_array(), ..settings.clone() }
    }

    fn shape(
        &self,
        settings: &ObjectSettings,
        mesh: Option<Arc<TriMesh>>,
    ) -> Result<Arc<dyn Shape>, StageError> {
        Ok(match (&settings.shape, mesh) {
            (ShapeSettings::Floor(floor), _) => Arc::new(Plane::floor(floor.height)),
            (ShapeSettings::Box(cuboid), _) => {
                Arc::new(Cuboid::new(cuboid.min.into(), cuboid.max.into()))
            }
            (ShapeSettings::Ball(ball), _) => {
                Arc::new(Sphere { center: ball.center.into(), radius: ball.radius })
            }
            (ShapeSettings::Mesh(_), mesh) => {
                self.triangles(mesh.unwrap_or_default(), !settings.flat)?
            }
        })
    }

    fn triangles(&self, mesh: Arc<TriMesh>, smooth: bool) -> Result<Arc<dyn Shape>, StageError> {
        let options = MeshOptions { smooth, shutter: self.settings.camera.shutter };
        Ok(Arc::new(TriangleMesh::new(mesh, options).map_err(StageError::failed)?))
    }

    /// The liquid, however it comes.
    fn liquid(
        &self,
        data: &FrameData,
        solids: Vec<Solid>,
        notes: &mut Vec<String>,
    ) -> Result<Arc<dyn Shape>, StageError> {
        let [open, close] = self.settings.camera.shutter;
        let (shutter, liquid) = (Shutter { open, close }, &self.settings.liquid);
        let meniscus = self.settings.meniscus.as_ref().filter(|_| !solids.is_empty());
        Ok(match (data, meniscus) {
            (FrameData::Mesh(mesh), meniscus) => {
                if meniscus.is_some() {
                    notes.push(String::from(
                        "a mesh gets no menisci; connect `surface` to particles or to a distance field",
                    ));
                }
                self.triangles(Arc::new(mesh.clone()), true)?
            }
            (FrameData::Particles(particles), Some(meniscus)) => {
                let made = MeniscusLiquid::particles(particles, liquid, shutter, solids, meniscus);
                let made = made.map_err(StageError::failed)?;
                notes.extend_from_slice(made.liquid().notes());
                Arc::new(made)
            }
            (FrameData::Particles(particles), None) => {
                let made = ParticleLiquid::new(particles, liquid, shutter);
                let made = made.map_err(StageError::failed)?;
                notes.extend_from_slice(made.notes());
                Arc::new(made)
            }
            (FrameData::Volume(volume), meniscus) => {
                let is_surface =
                    |grid: &&whitecap_core::VolumeGrid| grid.class == GridClass::LevelSet;
                let grid = volume.grids.iter().find(is_surface);
                let Some(GridValues::Scalar(values)) = grid.map(|grid| &grid.values) else {
                    return Err(StageError::failed(
                        "`surface` is a volume without a distance field; a fog belongs to `mist`",
                    ));
                };
                let level_set = LevelSet::from_field(values, 4.0 * values.lattice().cell);
                match meniscus {
                    Some(meniscus) => Arc::new(
                        MeniscusLiquid::level_set(level_set, solids, meniscus)
                            .map_err(StageError::failed)?,
                    ),
                    None => Arc::new(LevelSetLiquid::new(level_set)),
                }
            }
            (FrameData::Picture(_), _) => {
                return Err(StageError::failed("a picture has no surface"));
            }
        })
    }

    fn mist(&self, data: &FrameData) -> Result<VolumeObject, StageError> {
        let settings = self.settings.medium;
        let medium = Medium {
            extinction: settings.extinction,
            albedo: settings.albedo.into(),
            anisotropy: settings.anisotropy,
            emission: Vec3::ZERO,
        };
        let made = match data {
            FrameData::Particles(particles) => {
                let shutter = self.settings.camera.shutter;
                SphereUnion::of_particles(particles, settings.radius, shutter)
                    .and_then(|spheres| VolumeObject::from_spheres(spheres, medium))
            }
            FrameData::Volume(volume) => {
                let scalars = volume.grids.iter().find_map(|grid| match &grid.values {
                    GridValues::Scalar(values) if grid.class != GridClass::LevelSet => Some(values),
                    _ => None,
                });
                let grid = scalars.ok_or_else(|| {
                    StageError::failed("`mist` is a volume without a grid of densities")
                })?;
                VolumeObject::from_grid(Arc::new(grid.clone()), medium)
            }
            _ => return Err(StageError::failed("`mist` must be particles or a volume")),
        };
        made.map_err(StageError::failed)
    }
}

/// Files that a frame is made from.
pub fn sources(
    settings: &RenderStageSettings,
    shot: &ShotContext<'_>,
    frame: u32,
) -> Result<Vec<PathBuf>, StageError> {
    let mut paths = pictures(&settings.material, shot.folder);
    for object in &settings.objects {
        paths.extend(pictures(&object.material, shot.folder));
        if let ShapeSettings::Mesh(mesh) = &object.shape {
            let files =
                CacheFiles::new(&mesh.path, mesh.first, shot).map_err(StageError::failed)?;
            paths.push(files.file(frame));
        }
    }
    if let EnvironmentSettings::Image(image) = &settings.environment {
        paths.push(shot.folder.join(&image.path));
    }
    Ok(paths)
}

fn mesh_source(
    object: &ObjectSettings,
    shot: &ShotContext<'_>,
) -> Result<Option<MeshSource>, StageError> {
    let ShapeSettings::Mesh(settings) = &object.shape else { return Ok(None) };
    let files =
        CacheFiles::new(&settings.path, settings.first, shot).map_err(StageError::failed)?;
    let keys = settings.motion().map_err(StageError::failed)?;
    let motion = KeyframedTransform::new(keys).map_err(StageError::failed)?;
    let mesh = match files.is_single() {
        true => {
            let mesh = whitecap_io::read_mesh(files.file(shot.first));
            Some(Arc::new(mesh.map_err(StageError::failed)?))
        }
        false => None,
    };
    Ok(Some(MeshSource { files, motion, moves: !settings.keys.is_empty(), mesh }))
}

impl MeshSource {
    /// The mesh of a frame, in place and with its velocity.
    fn at(&self, frame: FrameTime) -> Result<Arc<TriMesh>, StageError> {
        let mesh = match &self.mesh {
            Some(mesh) if !self.moves => return Ok(mesh.clone()),
            Some(mesh) => mesh.as_ref().clone(),
            None => {
                let read = whitecap_io::read_mesh(self.files.file(frame.index));
                read.map_err(StageError::failed)?
            }
        };
        let mut mesh = self.motion.at(frame.time).mesh(mesh);
        if self.moves {
            let velocity = |&point: &Vec3| self.motion.velocity(frame.time, point);
            let velocities = mesh.positions().iter().map(velocity).collect();
            mesh.set_attribute(attributes::VELOCITY, Column::Vec3(velocities))
                .map_err(StageError::failed)?;
        }
        Ok(Arc::new(mesh))
    }
}

/// An object that the liquid touches.
fn solid(
    name: &str,
    settings: &ObjectSettings,
    mesh: Option<&TriMesh>,
    angle: f32,
    meniscus: &MeniscusSettings,
) -> Result<Solid, StageError> {
    let made = match &settings.shape {
        ShapeSettings::Box(cuboid) => {
            Solid::cuboid(name, cuboid.min.into(), cuboid.max.into(), angle)
        }
        ShapeSettings::Ball(ball) => Solid::ball(name, ball.center.into(), ball.radius, angle),
        ShapeSettings::Floor(floor) => Solid::floor(name, floor.height, angle),
        ShapeSettings::Mesh(_) => {
            let length = meniscus.length().map_err(StageError::failed)?;
            let (cell, band) = (length / CELLS_PER_LENGTH, length * LENGTHS_IN_BAND);
            let empty = TriMesh::default();
            Solid::from_mesh(name, mesh.unwrap_or(&empty), cell, band, angle)
        }
    };
    made.map_err(StageError::failed)
}

fn light(settings: &LightSettings) -> Light {
    match settings {
        LightSettings::Sun(sun) => Light::from(LightKind::Sun {
            direction: Vec3::from(sun.direction).normalize_or_zero(),
            diameter: sun.diameter,
            irradiance: sun.irradiance.into(),
        }),
        LightSettings::Lamp(lamp) => {
            let (position, target) = (Vec3::from(lamp.position), Vec3::from(lamp.target));
            let normal = (target - position).normalize_or_zero();
            let (u, v) = match normal == Vec3::ZERO {
                true => (Vec3::ZERO, Vec3::ZERO),
                false => normal.any_orthonormal_pair(),
            };
            let (edge_u, edge_v) = (lamp.size * u, lamp.size * v);
            let corner = position - 0.5 * (edge_u + edge_v);
            let shape = Rectangle { corner, edge_u, edge_v };
            Light {
                kind: LightKind::Rectangle {
                    shape,
                    radiance: lamp.radiance.into(),
                    two_sided: false,
                },
                visible: false,
            }
        }
    }
}

fn environment(settings: &EnvironmentSettings, folder: &Path) -> Result<Environment, StageError> {
    Ok(match settings {
        EnvironmentSettings::Sky(sky) => Environment::Sky {
            zenith: sky.zenith.into(),
            horizon: sky.horizon.into(),
            ground: sky.ground.into(),
        },
        EnvironmentSettings::Image(image) => {
            let path = folder.join(&image.path);
            let values = read_image(&path, |[r, g, b, _]| Vec3::new(r, g, b))?;
            Environment::Image {
                image: Arc::new(values),
                rotation: image.rotation,
                strength: image.strength,
            }
        }
    })
}
