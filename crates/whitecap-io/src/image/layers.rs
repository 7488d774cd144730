//! Pictures with many named channels: what a renderer hands to compositing.
//!
//! Channels are named `ViewLayer.PASS.COMPONENT`, as Blender names them and reads them back. Programs that
//! take everything before the last dot as the layer name show one layer for each pass.

use half::f16;

/// The first part of a channel's name.
pub const VIEW_LAYER: &str = "ViewLayer";

/// What a pixel of a pass holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// The finished picture, multiplied by alpha.
    Combined,
    /// Light that was last scattered by something matt.
    Diffuse,
    /// Light that arrived by reflection.
    Reflection,
    /// Light that arrived by refraction.
    Refraction,
    /// Light scattered by volumes.
    Volume,
    /// Light straight from lights, glowing surfaces and the surroundings.
    Emission,
    /// Distance from the camera along its axis, in m.
    Depth,
    /// Position in world space, in m.
    Position,
    /// Shading normal, in world space.
    Normal,
    /// Velocity in world space, in m/s.
    Velocity,
    /// Motion in the picture, in pixels right and up, as Blender has it: X, Y from here to the place in
    /// the previous frame, Z, W from the place in the next frame to here.
    Vector,
    /// Number of the object.
    Object,
    /// Number of the material.
    Material,
    /// Id of the particle nearest to the surface; its lowest 32 bits.
    Particle,
    /// Thickness of a liquid film, in m.
    FilmThickness,
}

impl Pass {
    /// Every pass.
    pub const ALL: [Pass; 15] = [
        Pass::Combined,
        Pass::Diffuse,
        Pass::Reflection,
        Pass::Refraction,
        Pass::Volume,
        Pass::Emission,
        Pass::Depth,
        Pass::Position,
        Pass::Normal,
        Pass::Velocity,
        Pass::Vector,
        Pass::Object,
        Pass::Material,
        Pass::Particle,
        Pass::FilmThickness,
    ];

    /// Its name in a file.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Combined => "Combined",
            Pass::Diffuse => "Diffuse",
            Pass::Reflection => "Reflection",
            Pass::Refraction => "Refraction",
            Pass::Volume => "Volume",
            Pass::Emission => "Emission",
            Pass::Depth => "Depth",
            Pass::Position => "Position",
            Pass::Normal => "Normal",
            Pass::Velocity => "Velocity",
            Pass::Vector => "Vector",
            Pass::Object => "Object",
            Pass::Material => "Material",
            Pass::Particle => "Particle",
            Pass::FilmThickness => "FilmThickness",
        }
    }

    /// The letters of its components, in order.
    pub fn components(self) -> &'static [&'static str] {
        match self {
            Pass::Combined => &["R", "G", "B", "A"],
            Pass::Diffuse | Pass::Reflection | Pass::Refraction | Pass::Volume | Pass::Emission => {
                &["R", "G", "B"]
            }
            Pass::Depth => &["Z"],
            Pass::Position | Pass::Normal | Pass::Velocity => &["X", "Y", "Z"],
            Pass::Vector => &["X", "Y", "Z", "W"],
            Pass::Object | Pass::Material | Pass::Particle | Pass::FilmThickness => &["X"],
        }
    }

    /// Whether 16 bits suffice: for colours and directions, not for lengths.
    fn is_half(self) -> bool {
        matches!(
            self,
            Pass::Combined
                | Pass::Diffuse
                | Pass::Reflection
                | Pass::Refraction
                | Pass::Volume
                | Pass::Emission
                | Pass::Normal
        )
    }
}

/// The values of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// 16 bit floating point.
    Half(Vec<f16>),
    /// 32 bit floating point.
    Float(Vec<f32>),
    /// 32 bit integers.
    Uint(Vec<u32>),
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Samples::Half(values) => values.len(),
            Samples::Float(values) => values.len(),
            Samples::Uint(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One value as a floating-point number.
    ///
    /// # Panics
    /// If there is no such value.
    pub fn at(&self, place: usize) -> f32 {
        match self {
            Samples::Half(values) => values[place].to_f32(),
            Samples::Float(values) => values[place],
            Samples::Uint(values) => values[place] as f32,
        }
    }
}

/// A named channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its whole name, such as `ViewLayer.Depth.Z`.
    pub name: String,
    /// One value for each pixel, row by row from the top.
    pub samples: Samples,
}

/// A picture with named channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayeredImage {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The channels. Files hold them sorted by name.
    pub channels: Vec<Channel>,
    /// The camera that made the picture. It is written, but not read back.
    pub camera: Option<CameraView>,
}

/// Where a picture was seen from, as OpenEXR files say it.
///
/// Matrices are for rows of coordinates: a point (x, y, z, 1) times the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// From the world to the camera, which looks along -z with y up.
    pub world_to_camera: [f32; 16],
    /// From the world to the picture: x and y from -1 at the left and bottom edge to 1 at the right and
    /// top edge, after division by the fourth coordinate.
    pub world_to_picture: [f32; 16],
    /// Horizontal and vertical angle of view in degrees, if it has one.
    pub field_of_view: Option<[f32; 2]>,
    /// Width of the picture at a distance of one, or anywhere if rays are parallel.
    pub window_width: f32,
}

impl LayeredImage {
    /// A picture without channels.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, channels: Vec::new(), camera: None }
    }

    /// Adds a pass from its values, pixel by pixel, one value per component of the pass.
    pub fn add_pass(&mut self, pass: Pass, values: &[f32]) {
        let components = pass.components();
        for (offset, component) in components.iter().enumerate() {
            let own = values.iter().skip(offset).step_by(components.len());
            let samples = match pass.is_half() {
                // Light beyond the range of 16 bits becomes the largest number, not infinity.
                true => Samples::Half(
                    own.map(|value| f16::from_f32(value.clamp(-65504.0, 65504.0))).collect(),
                ),
                false => Samples::Float(own.copied().collect()),
            };
            self.channels.push(Channel { name: channel_name(pass, component), samples });
        }
    }

    /// Adds a pass of whole numbers, one for each pixel.
    pub fn add_numbers(&mut self, pass: Pass, numbers: Vec<u32>) {
        let name = channel_name(pass, pass.components()[0]);
        self.channels.push(Channel { name, samples: Samples::Uint(numbers) });
    }

    /// Adds the finished picture a second time, as channels called R, G, B and A: what programs without
    /// layers look for.
    pub fn add_plain_colors(&mut self) {
        for component in Pass::Combined.components() {
            if let Some(own) = self.channel(&channel_name(Pass::Combined, component)) {
                let samples = own.samples.clone();
                self.channels.push(Channel { name: String::from(*component), samples });
            }
        }
    }

    /// The channel called `name`.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

fn channel_name(pass: Pass, component: &str) -> String {
    format!("{VIEW_LAYER}.{}.{component}", pass.name())
}
