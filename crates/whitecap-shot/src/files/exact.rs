//! The exact form of a frame: every bit of [`FrameData`] as bytes.
//!
//! Public file formats may drop a column, round a number or rename an attribute. The exact form
//! does not, so it serves two purposes: the checksum of its bytes identifies a frame's content
//! ([`digest`]), and a stage whose frames cannot be recomputed one by one keeps it beside its files
//! ([`encode`], [`decode`]), so that later stages receive from disk what they would have received
//! in memory.
//!
//! # Guarantees
//! `decode(encode(data))` has the same bits as `data`. Decoding hostile bytes gives an error,
//! never a panic, and never reserves more memory than the bytes could fill.
//!
//! # Non-guarantees
//! Pictures are only identified: no stage that makes them needs to keep them, so they are not
//! decoded. It is not an exchange format: only the version of Whitecap that wrote it can read it.
//! The order of fields is the order of this file, numbers are little-endian, lists carry their
//! length.

use std::io::{self, Write};

use whitecap_core::checked_bytes::{CheckedBytes, CutShort};
use whitecap_core::glam::{IVec3, Vec2, Vec3, Vec4};
use whitecap_core::sparse_grid::TILE_NODES;
use whitecap_core::{
    Attributes, Column, Facts, GridClass, GridValues, Lattice, Particles, SparseGrid, Tile,
    TriMesh, Volume, VolumeGrid,
};

use whitecap_io::image::Samples;

use crate::FrameData;
use crate::contract::picture::Picture;

const MAGIC: &[u8; 8] = b"whitecp3";

/// Why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExactError {
    /// The bytes end too early, or a length is larger than what follows.
    #[error("the stored frame is cut short")]
    Truncated(#[from] CutShort),
    /// A tag or a relation between values is impossible.
    #[error("the stored frame is damaged: {0}")]
    Damaged(String),
}

/// Checksum of the exact form, in hexadecimal.
pub(crate) fn digest(data: &FrameData) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut buffered = io::BufWriter::with_capacity(1 << 16, &mut hasher);
    write(data, &mut buffered).and_then(|()| buffered.flush()).expect("hashing cannot fail");
    drop(buffered);
    hasher.finalize().to_hex().to_string()
}

/// The exact form.
pub(crate) fn encode(data: &FrameData) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(data, &mut bytes).expect("writing to memory cannot fail");
    bytes
}

fn write(data: &FrameData, out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    match data {
        FrameData::Particles(particles) => {
            out.write_all(&[0])?;
            put_list(out, particles.positions())?;
            put_attributes(out, particles.attributes())?;
            put_facts(out, particles.facts())
        }
        FrameData::Mesh(mesh) => {
            out.write_all(&[1])?;
            put_list(out, mesh.positions())?;
            put_list(out, mesh.triangles())?;
            put_attributes(out, mesh.attributes())
        }
        FrameData::Volume(volume) => {
            out.write_all(&[2])?;
            put_count(out, volume.grids.len())?;
            volume.grids.iter().try_for_each(|grid| put_grid(out, grid))
        }
        FrameData::Picture(picture) => {
            out.write_all(&[3])?;
            put_picture(out, picture)
        }
    }
}

fn put_picture(out: &mut impl Write, picture: &Picture) -> io::Result<()> {
    put_count(out, picture.layers.width)?;
    put_count(out, picture.layers.height)?;
    for channel in &picture.layers.channels {
        put_text(out, &channel.name)?;
        match &channel.samples {
            Samples::Half(values) => {
                values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
            }
            Samples::Float(values) => put_list(out, values)?,
            Samples::Uint(values) => put_list(out, values)?,
        }
    }
    picture.preview.pixels().iter().flatten().try_for_each(|value| value.put(out))
}

/// Reads the exact form.
pub(crate) fn decode(bytes: &[u8]) -> Result<FrameData, ExactError> {
    let mut input = Input { bytes: CheckedBytes::new(bytes) };
    if input.take(MAGIC.len())? != MAGIC {
        return Err(damaged("it does not start as one should"));
    }
    let data = match input.byte()? {
        0 => {
            let mut particles = Particles::new(input.list()?);
            for (name, column) in input.attributes()? {
                particles.set_attribute(name, column).map_err(damaged)?;
            }
            *particles.facts_mut() = input.facts()?;
            FrameData::from(particles)
        }
        1 => {
            let mut mesh = TriMesh::new(input.list()?, input.list()?).map_err(damaged)?;
            for (name, column) in input.attributes()? {
                mesh.set_attribute(name, column).map_err(damaged)?;
            }
            FrameData::from(mesh)
        }
        2 => {
            let count = input.count(1)?;
            let grids = (0..count).map(|_| input.grid()).collect::<Result<_, _>>()?;
            FrameData::from(Volume { grids })
        }
        tag => return Err(damaged(format!("there is no kind of data with the number {tag}"))),
    };
    match input.bytes.rest() {
        [] => Ok(data),
        _ => Err(damaged("something follows its end")),
    }
}

fn damaged(cause: impl ToString) -> ExactError {
    ExactError::Damaged(cause.to_string())
}

/// A value of fixed size in the exact form.
trait Fixed: Sized {
    const SIZE: usize;
    fn put(&self, out: &mut impl Write) -> io::Result<()>;
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! fixed_number {
    ($($number:ty),*) => {$(
        impl Fixed for $number {
            const SIZE: usize = size_of::<$number>();
            fn put(&self, out: &mut impl Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(&bytes[..Self::SIZE]);
                <$number>::from_le_bytes(own)
            }
        }
    )*};
}
fixed_number!(f32, i32, i64, u32, u64);

macro_rules! fixed_vector {
    ($($vector:ty, $element:ty, $count:literal, $from:expr, $to:expr;)*) => {$(
        impl Fixed for $vector {
            const SIZE: usize = $count * <$element as Fixed>::SIZE;
            fn put(&self, out: &mut impl Write) -> io::Result<()> {
                let elements: [$element; $count] = $to(self);
                elements.iter().try_for_each(|element| element.put(out))
            }
            fn get(bytes: &[u8]) -> Self {
                $from(std::array::from_fn::<$element, $count, _>(|place| {
                    <$element>::get(&bytes[place * <$element as Fixed>::SIZE..])
                }))
            }
        }
    )*};
}
fixed_vector! {
    Vec2, f32, 2, Vec2::from_array, Vec2::to_array;
    Vec3, f32, 3, Vec3::from_array, Vec3::to_array;
    Vec4, f32, 4, Vec4::from_array, Vec4::to_array;
    IVec3, i32, 3, IVec3::from_array, IVec3::to_array;
    [u32; 3], u32, 3, std::convert::identity, |triangle: &[u32; 3]| *triangle;
}

fn put_count(out: &mut impl Write, count: usize) -> io::Result<()> {
    (count as u64).put(out)
}

fn put_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    put_count(out, text.len())?;
    out.write_all(text.as_bytes())
}

fn put_list<T: Fixed>(out: &mut impl Write, values: &[T]) -> io::Result<()> {
    put_count(out, values.len())?;
    values.iter().try_for_each(|value| value.put(out))
}

fn put_attributes(out: &mut impl Write, attributes: &Attributes) -> io::Result<()> {
    put_count(out, attributes.len())?;
    attributes.iter().try_for_each(|(name, column)| {
        put_text(out, name)?;
        match column {
            Column::F32(values) => out.write_all(&[0]).and_then(|()| put_list(out, values)),
            Column::Vec2(values) => out.write_all(&[1]).and_then(|()| put_list(out, values)),
            Column::Vec3(values) => out.write_all(&[2]).and_then(|()| put_list(out, values)),
            Column::Vec4(values) => out.write_all(&[3]).and_then(|()| put_list(out, values)),
            Column::I32(values) => out.write_all(&[4]).and_then(|()| put_list(out, values)),
            Column::I64(values) => out.write_all(&[5]).and_then(|()| put_list(out, values)),
        }
    })
}

fn put_facts(out: &mut impl Write, facts: &Facts) -> io::Result<()> {
    for number in [facts.radius, facts.rest_density, facts.frame_rate] {
        match number {
            Some(value) => out.write_all(&[1]).and_then(|()| value.put(out))?,
            None => out.write_all(&[0])?,
        }
    }
    out.write_all(&[u8::from(facts.radius_is_estimated)])?;
    put_count(out, facts.solids.len())?;
    facts.solids.iter().try_for_each(|solid| put_text(out, solid))
}

fn put_grid(out: &mut impl Write, grid: &VolumeGrid) -> io::Result<()> {
    put_text(out, &grid.name)?;
    let class = match grid.class {
        GridClass::LevelSet => 0,
        GridClass::Fog => 1,
        GridClass::Staggered => 2,
        GridClass::Unknown => 3,
    };
    match &grid.values {
        GridValues::Scalar(values) => {
            out.write_all(&[class, 0]).and_then(|()| put_tiles(out, values))
        }
        GridValues::Vector(values) => {
            out.write_all(&[class, 1]).and_then(|()| put_tiles(out, values))
        }
    }
}

fn put_tiles<T: Fixed + Copy + Send + Sync>(
    out: &mut impl Write,
    grid: &SparseGrid<T>,
) -> io::Result<()> {
    grid.lattice().origin.put(out)?;
    grid.lattice().cell.put(out)?;
    grid.background().put(out)?;
    put_count(out, grid.tile_count())?;
    grid.coordinates().iter().zip(grid.tiles()).try_for_each(|(coordinate, tile)| {
        coordinate.put(out)?;
        match tile {
            Tile::Constant(value) => out.write_all(&[0]).and_then(|()| value.put(out)),
            Tile::Dense(values) => {
                out.write_all(&[1])?;
                values.iter().try_for_each(|value| value.put(out))
            }
        }
    })
}

/// The bytes of a frame.
struct Input<'a> {
    bytes: CheckedBytes<'a>,
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ExactError> {
        Ok(self.bytes.take(count)?)
    }

    fn byte(&mut self) -> Result<u8, ExactError> {
        Ok(self.take(1)?[0])
    }

    fn value<T: Fixed>(&mut self) -> Result<T, ExactError> {
        Ok(T::get(self.take(T::SIZE)?))
    }

    /// A count of things that take at least `size` bytes each.
    fn count(&mut self, size: usize) -> Result<usize, ExactError> {
        let count = self.value::<u64>()?;
        Ok(self.bytes.fits(count, size)?)
    }

    fn list<T: Fixed>(&mut self) -> Result<Vec<T>, ExactError> {
        let count = self.count(T::SIZE)?;
        Ok(self.take(count * T::SIZE)?.chunks_exact(T::SIZE).map(T::get).collect())
    }

    fn text(&mut self) -> Result<String, ExactError> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).map_err(damaged)
    }

    fn attributes(&mut self) -> Result<Vec<(String, Column)>, ExactError> {
        let count = self.count(1)?;
        (0..count).map(|_| Ok((self.text()?, self.column()?))).collect()
    }

    fn column(&mut self) -> Result<Column, ExactError> {
        Ok(match self.byte()? {
            0 => Column::F32(self.list()?),
            1 => Column::Vec2(self.list()?),
            2 => Column::Vec3(self.list()?),
            3 => Column::Vec4(self.list()?),
            4 => Column::I32(self.list()?),
            5 => Column::I64(self.list()?),
            tag => {
                return Err(damaged(format!("there is no type of column with the number {tag}")));
            }
        })
    }

    fn flag(&mut self) -> Result<bool, ExactError> {
        match self.byte()? {
            tag @ 0..=1 => Ok(tag == 1),
            tag => Err(damaged(format!("{tag} is neither yes nor no"))),
        }
    }

    fn facts(&mut self) -> Result<Facts, ExactError> {
        let mut number = || self.flag()?.then(|| self.value()).transpose();
        let (radius, rest_density, frame_rate) = (number()?, number()?, number()?);
        let radius_is_estimated = self.flag()?;
        // The length of a text takes eight bytes.
        let count = self.count(8)?;
        let solids = (0..count).map(|_| self.text()).collect::<Result<_, _>>()?;
        Ok(Facts { radius, radius_is_estimated, rest_density, frame_rate, solids })
    }

    fn grid(&mut self) -> Result<VolumeGrid, ExactError> {
        let name = self.text()?;
        let class = match self.byte()? {
            0 => GridClass::LevelSet,
            1 => GridClass::Fog,
            2 => GridClass::Staggered,
            3 => GridClass::Unknown,
            tag => return Err(damaged(format!("there is no class of grid with the number {tag}"))),
        };
        let values = match self.byte()? {
            0 => GridValues::Scalar(self.tiles()?),
            1 => GridValues::Vector(self.tiles()?),
            tag => return Err(damaged(format!("there is no type of grid with the number {tag}"))),
        };
        Ok(VolumeGrid { name, class, values })
    }

    fn tiles<T: Fixed + Copy + Send + Sync>(&mut self) -> Result<SparseGrid<T>, ExactError> {
        let lattice = Lattice { origin: self.value()?, cell: self.value()? };
        let background = self.value()?;
        let count = self.count(IVec3::SIZE + 1 + T::SIZE)?;
        let tiles = (0..count).map(|_| self.tile()).collect::<Result<Vec<_>, _>>()?;
        SparseGrid::from_tiles(lattice, background, tiles).map_err(damaged)
    }

    fn tile<T: Fixed + Copy>(&mut self) -> Result<(IVec3, Tile<T>), ExactError> {
        let coordinate = self.value()?;
        let tile = match self.byte()? {
            0 => Tile::Constant(self.value()?),
            1 => {
                let bytes = self.take(TILE_NODES * T::SIZE)?;
                let values = std::array::from_fn(|node| T::get(&bytes[node * T::SIZE..]));
                Tile::Dense(Box::new(values))
            }
            tag => return Err(damaged(format!("there is no kind of tile with the number {tag}"))),
        };
        Ok((coordinate, tile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn particles() -> FrameData {
        let mut particles = Particles::new(vec![Vec3::new(1.0, -0.0, 3.5), Vec3::X]);
        let columns = [
            ("id", Column::I64(vec![7, i64::MIN])),
            ("age", Column::F32(vec![0.5, f32::MIN_POSITIVE])),
            ("uv", Column::Vec2(vec![Vec2::X, Vec2::Y])),
            ("velocity", Column::Vec3(vec![Vec3::Z, Vec3::ONE])),
            ("color", Column::Vec4(vec![Vec4::W, Vec4::ONE])),
            ("group", Column::I32(vec![-1, 2])),
        ];
        for (name, column) in columns {
            particles.set_attribute(name, column).unwrap();
        }
        *particles.facts_mut() = Facts {
            radius: Some(0.02),
            radius_is_estimated: true,
            rest_density: None,
            frame_rate: Some(24.0),
            solids: vec![String::from("rock.ply"), String::new()],
        };
        FrameData::from(particles)
    }

    fn mesh() -> FrameData {
        let mut mesh = TriMesh::new(vec![Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]).unwrap();
        mesh.set_attribute("normal", Column::Vec3(vec![Vec3::ONE; 3])).unwrap();
        FrameData::from(mesh)
    }

    fn volume() -> FrameData {
        let lattice = Lattice { origin: Vec3::ONE, cell: 0.1 };
        let dense = Tile::Dense(Box::new(std::array::from_fn(|node| node as f32)));
        let tiles = vec![(IVec3::ONE, dense), (IVec3::NEG_ONE, Tile::Constant(-2.0))];
        let scalar = SparseGrid::from_tiles(lattice, 3.0, tiles).unwrap();
        let vector = SparseGrid::new(lattice, Vec3::Y);
        FrameData::from(Volume {
            grids: vec![
                VolumeGrid {
                    name: String::from("surface"),
                    class: GridClass::LevelSet,
                    values: GridValues::Scalar(scalar),
                },
                VolumeGrid {
                    name: String::from("velocity"),
                    class: GridClass::Staggered,
                    values: GridValues::Vector(vector),
                },
            ],
        })
    }

    /// Contract: every kind of data comes back with the same bits, and its digest is the
    /// checksum of its exact form.
    #[test]
    fn every_bit_comes_back() {
        for data in [particles(), mesh(), volume()] {
            let bytes = encode(&data);
            let back = decode(&bytes).unwrap();
            assert_eq!(back, data);
            assert_eq!(encode(&back), bytes);
            assert_eq!(digest(&data), blake3::hash(&bytes).to_hex().to_string());
        }
    }

    /// Contract: the digest sees a change of sign of zero, which `==` does not.
    #[test]
    fn the_digest_sees_bits() {
        let at = |z| FrameData::from(Particles::new(vec![Vec3::new(0.0, 0.0, z)]));
        assert_eq!(at(0.0), at(-0.0));
        assert_ne!(digest(&at(0.0)), digest(&at(-0.0)));
    }

    /// Contract: bytes cut anywhere are an error; bytes with any one bit flipped are an error or
    /// other data; neither panics nor asks for memory that the bytes could not fill.
    #[test]
    fn hostile_bytes_are_harmless() {
        for data in [particles(), mesh(), volume()] {
            let bytes = encode(&data);
            for length in 0..bytes.len() {
                assert!(decode(&bytes[..length]).is_err());
            }
            for place in 0..bytes.len() * 8 {
                let mut flipped = bytes.clone();
                flipped[place / 8] ^= 1 << (place % 8);
                if let Ok(other) = decode(&flipped) {
                    assert_ne!(encode(&other), bytes);
                }
            }
        }
    }
}
