//! Finished pictures.

use glam::Vec3;

/// A picture: named channels of one size, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Layers in the order of [`crate::Pass`].
    pub layers: Vec<Layer>,
    /// Statistics of the picture.
    pub statistics: Statistics,
}

/// A layer of a picture: one or more channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// `beauty`, `depth`, …: the name of the [`crate::Pass`] in kebab case.
    pub name: &'static str,
    /// Its channels.
    pub channels: Vec<Channel>,
}

/// A channel: one value per pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// `R`, `G`, `B`, `X`, `Y`, `Z`, `A` or `V`.
    pub name: &'static str,
    /// The values.
    pub values: Values,
}

/// Values of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    F32(Vec<f32>),
    /// Ids.
    U32(Vec<u32>),
}

/// Statistics of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Paths followed.
    pub paths: u64,
    /// Rays cast, shadow rays included.
    pub rays: u64,
    /// Paths whose light was not finite and was left out. More than zero indicates a fault in the
    /// scene.
    pub lost_paths: u64,
}

impl Rendered {
    /// A layer by name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// The values of a channel of numbers.
    pub fn numbers(&self, layer: &str, channel: &str) -> Option<&[f32]> {
        let channel = self.layer(layer)?.channels.iter().find(|c| c.name == channel)?;
        match &channel.values {
            Values::F32(values) => Some(values),
            Values::U32(_) => None,
        }
    }

    /// The values of a channel of ids.
    pub fn ids(&self, layer: &str) -> Option<&[u32]> {
        match &self.layer(layer)?.channels.first()?.values {
            Values::U32(values) => Some(values),
            Values::F32(_) => None,
        }
    }

    /// A layer of three channels as vectors.
    pub fn rgb(&self, layer: &str) -> Option<Vec<Vec3>> {
        let channels = &self.layer(layer)?.channels;
        let numbers = |place: usize| match &channels.get(place)?.values {
            Values::F32(values) => Some(values),
            Values::U32(_) => None,
        };
        let (x, y, z) = (numbers(0)?, numbers(1)?, numbers(2)?);
        Some((0..x.len()).map(|i| Vec3::new(x[i], y[i], z[i])).collect())
    }
}
