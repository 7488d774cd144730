//! From settings to materials, with their textures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use whitecap_io::path_text;
use whitecap_render::glam::Vec3;
use whitecap_render::thin_film::{ThinFilm, ThinFilmSettings};
use whitecap_render::{
    Dielectric, FilmCoat, FilmThickness, Mapping, Material, MetalColor, Surface, Texture,
    TextureImage,
};

use super::{DielectricSettings, FilmSettings, MaterialSettings, PaintSettings, TextureSettings};
use crate::stage::StageError;

/// Index of refraction of a liquid and of glass, by default.
const INDICES: [f32; 2] = [1.333, 1.5];
/// Priority of glass: where a liquid overlaps it, there is glass.
const GLASS_PRIORITY: i32 = 10;

/// The material that settings describe; textures are searched for in `folder`.
pub fn material(settings: &MaterialSettings, folder: &Path) -> Result<Material, StageError> {
    let surface = match settings {
        MaterialSettings::Liquid(body) => {
            Surface::Dielectric(dielectric(body, Dielectric::water(), INDICES[0], folder)?)
        }
        MaterialSettings::Glass(body) => {
            let glass = Dielectric { priority: GLASS_PRIORITY, ..Dielectric::clear(INDICES[1]) };
            Surface::Dielectric(dielectric(body, glass, INDICES[1], folder)?)
        }
        MaterialSettings::Matt(paint) => Surface::Diffuse { color: color(paint, folder)? },
        MaterialSettings::Plastic(paint) => Surface::Plastic {
            color: color(paint, folder)?,
            roughness: paint.roughness.into(),
            index: 1.5,
        },
        MaterialSettings::Metal(paint) => Surface::Metal {
            reflectance: MetalColor::Color(color(paint, folder)?),
            roughness: paint.roughness.into(),
        },
        MaterialSettings::Bubble(film) => Surface::ThinFilm(coat(film, 1.0, folder)?),
    };
    Ok(Material::new(surface))
}

/// The pictures that a material needs.
pub fn pictures(settings: &MaterialSettings, folder: &Path) -> Vec<PathBuf> {
    let texture = match settings {
        MaterialSettings::Liquid(body) | MaterialSettings::Glass(body) => {
            body.film.as_ref().and_then(|film| film.texture.as_ref())
        }
        MaterialSettings::Matt(paint)
        | MaterialSettings::Plastic(paint)
        | MaterialSettings::Metal(paint) => paint.texture.as_ref(),
        MaterialSettings::Bubble(film) => film.texture.as_ref(),
    };
    texture.map(|texture| folder.join(path_text::decode(&texture.path))).into_iter().collect()
}

fn dielectric(
    settings: &DielectricSettings,
    usual: Dielectric,
    usual_index: f32,
    folder: &Path,
) -> Result<Dielectric, StageError> {
    let index = settings.index.unwrap_or(usual_index);
    let film = settings.film.as_ref().map(|film| coat(film, index, folder)).transpose()?;
    let body = Dielectric {
        index,
        roughness: settings.roughness.into(),
        priority: settings.priority.unwrap_or(usual.priority),
        film,
        ..usual
    };
    Ok(match settings.color {
        Some(color) => body.tinted(color.into(), settings.depth),
        None => body,
    })
}

fn coat(
    settings: &FilmSettings,
    substrate_index: f32,
    folder: &Path,
) -> Result<FilmCoat, StageError> {
    let film_index = settings.index;
    let film = ThinFilmSettings { film_index, substrate_index, ..ThinFilmSettings::default() };
    let film = Arc::new(ThinFilm::new(&film).map_err(StageError::failed)?);
    let thickness = match (&settings.texture, settings.thickness) {
        (Some(texture), thickness) => {
            let largest = thickness.unwrap_or(1e-6);
            let values = |light: [f32; 4]| largest * (light[0] + light[1] + light[2]) / 3.0;
            FilmThickness::Given(image(texture, folder, values)?)
        }
        (None, Some(thickness)) => FilmThickness::Given(thickness.into()),
        (None, None) => FilmThickness::OfShape,
    };
    Ok(FilmCoat { film, thickness })
}

fn color(settings: &PaintSettings, folder: &Path) -> Result<Texture<Vec3>, StageError> {
    if let Some(texture) = &settings.texture {
        return image(texture, folder, |[r, g, b, _]| Vec3::new(r, g, b));
    }
    let first = Vec3::from(settings.color);
    Ok(match settings.checker {
        Some(second) => Texture::Checker {
            first,
            second: second.into(),
            mapping: Mapping::Above { scale: 1.0 / settings.checker_size },
        },
        None => first.into(),
    })
}

fn image<T: whitecap_render::TextureValue>(
    settings: &TextureSettings,
    folder: &Path,
    value: impl Fn([f32; 4]) -> T,
) -> Result<Texture<T>, StageError> {
    let path = folder.join(path_text::decode(&settings.path));
    let mapping = match settings.size {
        Some(size) => Mapping::Above { scale: 1.0 / size },
        None => Mapping::Uv { scale: 1.0 },
    };
    Ok(Texture::Image { image: Arc::new(read_image(&path, value)?), mapping })
}

/// A picture from a file.
pub fn read_image<T: whitecap_render::TextureValue>(
    path: &Path,
    value: impl Fn([f32; 4]) -> T,
) -> Result<TextureImage<T>, StageError> {
    let image = whitecap_io::image::read(path).map_err(StageError::failed)?;
    let values = image.pixels().iter().map(|&pixel| value(pixel)).collect();
    TextureImage::new(image.width(), image.height(), values)
        .ok_or_else(|| StageError::failed(format!("{} has no pixels", path.display())))
}
