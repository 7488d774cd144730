//! The values a voxel can have, and how many bytes they take in a file.

use half::f16;
use whitecap_core::GridClass;
use whitecap_core::glam::Vec3;

/// How one component is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Half,
    Single,
    Double,
}

impl Precision {
    pub(super) fn bytes(self) -> usize {
        match self {
            Precision::Half => 2,
            Precision::Single => 4,
            Precision::Double => 8,
        }
    }

    /// The component at the start of `bytes`; doubles are rounded.
    fn decode(self, bytes: &[u8]) -> f32 {
        let byte = |place: usize| bytes[place];
        match self {
            Precision::Half => f16::from_le_bytes([byte(0), byte(1)]).to_f32(),
            Precision::Single => f32::from_le_bytes(std::array::from_fn(byte)),
            Precision::Double => f64::from_le_bytes(std::array::from_fn(byte)) as f32,
        }
    }
}

/// A voxel value: `f32` or `Vec3`.
pub(super) trait VoxelValue: Copy + PartialEq + Send + Sync {
    /// Numbers in a value.
    const COMPONENTS: usize;

    /// The value whose components are `component(0)`, `component(1)`, …
    fn from_components(component: impl FnMut(usize) -> f32) -> Self;

    /// The components; those past [`VoxelValue::COMPONENTS`] are zero.
    fn components(self) -> [f32; 3];

    /// The value with its sign flipped.
    fn negated(self) -> Self {
        let components = self.components();
        Self::from_components(|component| -components[component])
    }

    /// Whether OpenVDB should see the voxel as active: in the narrow band of a level set, or not
    /// background elsewhere.
    fn is_active(self, background: Self, class: GridClass) -> bool;

    /// Whether both have the same bits. Unlike `==` this distinguishes 0 from −0 and finds NaN equal to
    /// itself, so that a round trip changes no bit.
    fn identical(self, other: Self) -> bool {
        self.components().map(f32::to_bits) == other.components().map(f32::to_bits)
    }

    /// Decodes a value stored with `precision`.
    fn decode(bytes: &[u8], precision: Precision) -> Self {
        Self::from_components(|component| precision.decode(&bytes[component * precision.bytes()..]))
    }

    /// Appends the value in single precision.
    fn encode(self, bytes: &mut Vec<u8>) {
        for component in &self.components()[..Self::COMPONENTS] {
            bytes.extend_from_slice(&component.to_le_bytes());
        }
    }
}

impl VoxelValue for f32 {
    const COMPONENTS: usize = 1;

    fn from_components(mut component: impl FnMut(usize) -> f32) -> Self {
        component(0)
    }

    fn components(self) -> [f32; 3] {
        [self, 0.0, 0.0]
    }

    fn is_active(self, background: Self, class: GridClass) -> bool {
        match class {
            GridClass::LevelSet => self.abs() < background.abs(),
            _ => self != background,
        }
    }
}

impl VoxelValue for Vec3 {
    const COMPONENTS: usize = 3;

    fn from_components(component: impl FnMut(usize) -> f32) -> Self {
        Vec3::from_array([0, 1, 2].map(component))
    }

    fn components(self) -> [f32; 3] {
        self.to_array()
    }

    fn is_active(self, background: Self, _class: GridClass) -> bool {
        self != background
    }
}
