//! From settings, files and the frames of other stages to a scene.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use whitecap_core::{GridClass, GridValues, TriMesh};
use whitecap_io::path_text;
use whitecap_render::glam::{Quat, Vec3};
use whitecap_render::liquid::Shutter;
use whitecap_render::meniscus::{MeniscusSettings, Solid};
use whitecap_render::shapes::{Cuboid, Plane, Sphere, Together};
use whitecap_render::volume::{Medium, SphereUnion, VolumeObject};
use whitecap_render::{
    Camera, Environment, LevelSetLiquid, Material, MeniscusLiquid, MeshOptions, ParticleLiquid,
    Scene, Shape, TriangleMesh,
};
use whitecap_scene::MeshMotion;
use whitecap_surface::LevelSet;

use super::materials::{material, pictures, read_image};
use super::sheet::{is_sheet, sides};
use super::{
    EnvironmentSettings, LightSettings, ObjectSettings, RenderStageSettings, ShapeSettings,
};
use crate::files::body_files::{BodyFiles, mesh_motion};
use crate::stage::{SettingProblem, ShotContext, StageError};
use crate::{FrameData, FrameTime};

/// What the liquid is called among the objects of a scene.
pub const LIQUID: &str = "liquid";
/// Colour of a terrain.
const STONE: [f32; 3] = [0.42, 0.38, 0.33];
/// How far the sides of a sheet reach into the floor, as a fraction of the sheet's size.
const INTO_FLOOR: f32 = 1e-3;

/// Cells of a solid's distance field per capillary length, and its reach in capillary lengths.
const CELLS_PER_LENGTH: f32 = 3.0;
const LENGTHS_IN_BAND: f32 = 8.0;

/// What does not change from frame to frame, each loaded once.
pub struct SceneMaker {
    settings: RenderStageSettings,
    objects: Vec<StageObject>,
    /// What the liquid is made of.
    material: Material,
    environment: Environment,
    /// Files that serve every frame.
    files: Vec<PathBuf>,
    /// The liquid that was made last, and from what: a liquid that does not change is made once.
    last_liquid: Mutex<Option<MadeLiquid>>,
}

/// A liquid as rays see it.
struct MadeLiquid {
    data: FrameData,
    shape: Arc<dyn Shape>,
    notes: Vec<String>,
}

/// An object, the source of its mesh, and the parts of it that never change.
struct StageObject {
    mesh: Option<MeshSource>,
    material: Material,
    /// The object as rays see it, once it is needed, if it never moves.
    shape: OnceLock<Arc<dyn Shape>>,
    /// The object as the liquid feels it, once it is needed, if it never moves.
    solid: OnceLock<Solid>,
}

impl StageObject {
    fn is_at_rest(&self) -> bool {
        self.mesh.as_ref().is_none_or(|mesh| mesh.motion.is_some() && !mesh.moves)
    }
}

struct MeshSource {
    files: BodyFiles,
    moves: bool,
    /// The mesh of a single file and its motion. The files of a sequence may have different
    /// triangles in every frame.
    motion: Option<MeshMotion>,
}

impl SceneMaker {
    /// Reads the files that serve every frame; or reports everything that is wrong, each at its own
    /// place.
    pub fn load(
        settings: RenderStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let mut objects = Vec::new();
        for (place, object) in settings.objects.iter().enumerate() {
            match StageObject::load(object, shot) {
                Ok(object) => objects.push(object),
                Err(SettingProblem { key, message, help }) => {
                    let key = format!("objects.{place}.{key}");
                    problems.push(SettingProblem { key, message, help });
                }
            }
        }
        let own = load_material("material", &settings.material, &shot.folder);
        let environment = environment(&settings.environment, &shot.folder);
        let files = static_files(&settings, &shot.folder);
        match (own, environment) {
            (Ok(material), Ok(environment)) if problems.is_empty() => Ok(Self {
                settings,
                objects,
                material,
                environment,
                files,
                last_liquid: Mutex::new(None),
            }),
            (own, environment) => {
                problems.extend(own.err());
                problems.extend(environment.err());
                Err(problems)
            }
        }
    }

    /// The settings.
    pub fn settings(&self) -> &RenderStageSettings {
        &self.settings
    }

    /// What the liquid is made of.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Files that a frame is made from.
    pub fn sources(&self, frame: i64) -> Vec<PathBuf> {
        let meshes = self.objects.iter().filter_map(|object| object.mesh.as_ref());
        let meshes = meshes.map(|mesh| mesh.files.file(frame));
        self.files.iter().cloned().chain(meshes).collect()
    }

    /// The scene of a frame, and sentences about what was assumed.
    pub fn scene<'d>(
        &self,
        frame: FrameTime,
        input: &dyn Fn(&str) -> Option<&'d FrameData>,
    ) -> Result<(Scene, Vec<String>), StageError> {
        let mut scene = Scene {
            camera: self.camera(frame.time),
            cameras_around: Some(
                [frame.time - frame.dt, frame.time + frame.dt].map(|t| self.camera(t)),
            ),
            environment: self.environment.clone(),
            lights: self.settings.lights.iter().map(LightSettings::light).collect(),
            ..Scene::default()
        };
        let mut notes = Vec::new();
        let mut solids = Vec::new();
        for (place, object) in self.objects.iter().enumerate() {
            let name = format!("object {}", place + 1);
            let is_known = object.shape.get().is_some();
            let mesh = object.mesh.as_ref().filter(|_| !is_known);
            let mesh = mesh.map(|mesh| mesh.at(frame)).transpose()?.map(Arc::new);
            solids.extend(self.solid(&name, place, mesh.as_deref())?);
            let shape = match object.shape.get() {
                Some(shape) => Arc::clone(shape),
                None => self.shape(&self.settings.objects[place], mesh)?,
            };
            if object.is_at_rest() {
                object.shape.get_or_init(|| Arc::clone(&shape));
            }
            let made = scene.add_material(object.material.clone());
            scene.add(&name, shape, made);
        }
        if let Some(FrameData::Mesh(terrain)) = input("terrain") {
            let stone = scene.add_material(Material::diffuse(Vec3::from(STONE)));
            scene.add("terrain", self.triangles(Arc::clone(terrain), false)?, stone);
        }
        if let Some(data) = input("surface") {
            let made = scene.add_material(self.material.clone());
            let stands_alone = input("terrain").is_none();
            let liquid = self.known_liquid(data, solids, stands_alone, &mut notes)?;
            scene.add(LIQUID, liquid, made);
        }
        if let Some(data) = input("mist") {
            scene.volumes.push(Arc::new(self.mist(data)?));
        }
        Ok((scene, notes))
    }

    /// An object as the liquid feels it, if the liquid touches it.
    fn solid(
        &self,
        name: &str,
        place: usize,
        mesh: Option<&TriMesh>,
    ) -> Result<Option<Solid>, StageError> {
        let (settings, object) = (&self.settings.objects[place], &self.objects[place]);
        let (Some(angle), Some(meniscus)) = (settings.contact_angle, &self.settings.meniscus)
        else {
            return Ok(None);
        };
        let made = match object.solid.get() {
            Some(solid) => solid.clone(),
            None => solid(name, settings, mesh, angle, meniscus)?,
        };
        if object.is_at_rest() {
            object.solid.get_or_init(|| made.clone());
        }
        Ok(Some(made))
    }

    /// The liquid: the one made last, if nothing about it has changed since.
    fn known_liquid(
        &self,
        data: &FrameData,
        solids: Vec<Solid>,
        stands_alone: bool,
        notes: &mut Vec<String>,
    ) -> Result<Arc<dyn Shape>, StageError> {
        let is_changing = !solids.is_empty() && !self.objects.iter().all(StageObject::is_at_rest);
        let mut last = self.last_liquid.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = last.as_ref().filter(|made| !is_changing && made.data.is_same(data)) {
            notes.extend_from_slice(&made.notes);
            return Ok(Arc::clone(&made.shape));
        }
        let mut told = Vec::new();
        let shape = self.liquid(data, solids, stands_alone, &mut told)?;
        notes.extend_from_slice(&told);
        *last = Some(MadeLiquid { data: data.clone(), shape: Arc::clone(&shape), notes: told });
        Ok(shape)
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

    /// The liquid of a mesh. A sheet of transparent liquid above nothing but floors reaches down to
    /// the highest of them.
    fn mesh_liquid(
        &self,
        mesh: &Arc<TriMesh>,
        stands_alone: bool,
    ) -> Result<Arc<dyn Shape>, StageError> {
        let smooth = self.triangles(Arc::clone(mesh), true)?;
        let floors = self.settings.objects.iter().map(|object| match &object.shape {
            ShapeSettings::Floor(floor) => Some(floor.height),
            _ => None,
        });
        let floors: Option<Vec<f32>> = floors.collect();
        let highest = floors.and_then(|floors| floors.into_iter().reduce(f32::max));
        let lowest = mesh.positions().iter().fold(f32::INFINITY, |low, point| low.min(point.y));
        match highest {
            Some(floor)
                if stands_alone
                    && floor < lowest
                    && self.material.as_dielectric().is_some()
                    && is_sheet(mesh) =>
            {
                let size = whitecap_core::Bounds::of(mesh.positions()).size().max_element();
                let sides = Arc::new(sides(mesh, floor - INTO_FLOOR * size));
                Ok(Arc::new(Together([smooth, self.triangles(sides, false)?])))
            }
            _ => Ok(smooth),
        }
    }

    /// The liquid, from whatever kind of data.
    fn liquid(
        &self,
        data: &FrameData,
        solids: Vec<Solid>,
        stands_alone: bool,
        notes: &mut Vec<String>,
    ) -> Result<Arc<dyn Shape>, StageError> {
        let [open, close] = self.settings.camera.shutter;
        let (shutter, liquid) = (Shutter { open, close }, &self.settings.liquid);
        let meniscus = self.settings.meniscus.as_ref().filter(|_| !solids.is_empty());
        Ok(match (data, meniscus) {
            (FrameData::Mesh(mesh), meniscus) => {
                if meniscus.is_some() {
                    notes.push(String::from(
                        "a mesh cannot have menisci; connect `surface` to particles or to a distance field",
                    ));
                }
                self.mesh_liquid(mesh, stands_alone)?
            }
            (FrameData::Particles(particles), Some(meniscus)) => {
                let made = MeniscusLiquid::particles(particles, liquid, shutter, solids, meniscus);
                let made = made.map_err(about_liquid)?;
                notes.extend_from_slice(made.liquid().notes());
                Arc::new(made)
            }
            (FrameData::Particles(particles), None) => {
                let made = ParticleLiquid::new(particles, liquid, shutter);
                let made = made.map_err(about_liquid)?;
                notes.extend_from_slice(made.notes());
                Arc::new(made)
            }
            (FrameData::Volume(volume), meniscus) => {
                let is_surface =
                    |grid: &&whitecap_core::VolumeGrid| grid.class == GridClass::LevelSet;
                let grid = volume.grids.iter().find(is_surface);
                let Some(GridValues::Scalar(values)) = grid.map(|grid| &grid.values) else {
                    return Err(StageError::failed(
                        "`surface` is a volume without a distance field; connect a fog to `mist`",
                    ));
                };
                let level_set = LevelSet::from_distance(values);
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

/// Files that serve every frame, except meshes.
fn static_files(settings: &RenderStageSettings, folder: &Path) -> Vec<PathBuf> {
    let materials = settings.objects.iter().map(|object| &object.material);
    let mut paths: Vec<PathBuf> = materials
        .chain([&settings.material])
        .flat_map(|material| pictures(material, folder))
        .collect();
    if let EnvironmentSettings::Image(image) = &settings.environment {
        paths.push(folder.join(path_text::decode(&image.path)));
    }
    paths
}

impl StageObject {
    fn load(settings: &ObjectSettings, shot: &ShotContext) -> Result<Self, SettingProblem> {
        Ok(Self {
            mesh: mesh_source(settings, shot)?,
            material: load_material("material", &settings.material, &shot.folder)?,
            shape: OnceLock::new(),
            solid: OnceLock::new(),
        })
    }
}

/// A material, or what is wrong with it.
fn load_material(
    key: &str,
    settings: &super::MaterialSettings,
    folder: &Path,
) -> Result<Material, SettingProblem> {
    pictures(settings, folder).iter().try_for_each(|path| must_exist(key, path))?;
    material(settings, folder).map_err(|error| SettingProblem::new(key, error))
}

fn must_exist(key: &str, path: &Path) -> Result<(), SettingProblem> {
    if path.is_file() {
        return Ok(());
    }
    let message = format!("there is no file {}", path.display());
    let help = "paths of meshes and pictures start from the folder of the shot file";
    Err(SettingProblem::new(key, message).with_help(help))
}

fn mesh_source(
    object: &ObjectSettings,
    shot: &ShotContext,
) -> Result<Option<MeshSource>, SettingProblem> {
    let ShapeSettings::Mesh(settings) = &object.shape else { return Ok(None) };
    let source = BodyFiles::new(settings, shot).and_then(|files| {
        let is_single = !files.is_sequence();
        let motion = is_single.then(|| mesh_motion(settings, &files, shot)).transpose()?;
        Ok(MeshSource { files, moves: !settings.keys.is_empty(), motion })
    });
    source.map(Some).map_err(|problem| problem.inside("shape.mesh"))
}

impl MeshSource {
    /// The mesh of a frame, in place and with its velocity.
    fn at(&self, frame: FrameTime) -> Result<TriMesh, StageError> {
        match &self.motion {
            Some(motion) if self.moves => motion.mesh_at(frame.time).map_err(StageError::failed),
            Some(motion) => Ok(motion.at(frame.time).map_err(StageError::failed)?.0),
            None => {
                let read = whitecap_io::read_mesh(self.files.file(frame.index));
                read.map_err(StageError::failed)
            }
        }
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

/// A problem with the particles, in words of this stage: their radius is a setting of `liquid` here.
fn about_liquid(error: impl std::fmt::Display) -> StageError {
    StageError::failed(error.to_string().replace("`radius`", "`liquid.radius`"))
}

fn environment(
    settings: &EnvironmentSettings,
    folder: &Path,
) -> Result<Environment, SettingProblem> {
    Ok(match settings {
        EnvironmentSettings::Sky(sky) => Environment::Sky {
            zenith: sky.zenith.into(),
            horizon: sky.horizon.into(),
            ground: sky.ground.into(),
        },
        EnvironmentSettings::Image(image) => {
            const PATH: &str = "environment.image.path";
            let path = folder.join(path_text::decode(&image.path));
            must_exist(PATH, &path)?;
            let values = read_image(&path, |[r, g, b, _]| Vec3::new(r, g, b))
                .map_err(|error| SettingProblem::new(PATH, error))?;
            Environment::Image {
                image: Arc::new(values),
                rotation: image.rotation,
                strength: image.strength,
            }
        }
    })
}
