//! The full state of tracking as bytes, and back.
//!
//! # Guarantees
//! * A tracker restored and continued has the same bits as one that was never interrupted.
//! * Bytes that are cut short, begin differently, come from another version, or hold numbers that are
//!   not possible, are refused with a sentence. Nothing larger than the bytes themselves is allocated.
//!
//! # Layout
//! Little-endian: the eight bytes `wctrak` and a version, scalars, then columns, each with its
//! length; the columns of the caller each with name and type.

use glam::{DVec3, Vec2, Vec4};
use whitecap_core::saved_bytes::{
    Kind, Reader, StateError, packed, possible, put, unpacked, vector, vector_bytes,
};
use whitecap_core::{Attributes, Column};

use crate::error::TrackError;
use crate::local_origin::LocalOrigin;
use crate::mesh::carried::Carried;
use crate::mesh::half_edge::HalfEdgeMesh;
use crate::projection::kept_volume::KeptVolume;
use crate::settings::TrackSettings;
use crate::tracker::Tracker;

const KIND: Kind = Kind { of: "tracking", magic: *b"wctrak", version: 2 };

impl Tracker {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let (mesh, carried) = (&self.mesh, &self.mesh.carried);
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&self.spacing.to_le_bytes());
        bytes.extend_from_slice(&self.duration.to_le_bytes());
        bytes.extend_from_slice(&self.frames.to_le_bytes());
        for number in self.origin.0.to_array() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.volume.per_particle.to_le_bytes());
        bytes.extend_from_slice(&self.volume.offset.to_le_bytes());
        for count in self.expected_difference {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        put(&mut bytes, &mesh.positions, vector_bytes);
        put(&mut bytes, &mesh.triangles, |t: [u32; 3]| {
            let mut packed = [0; 12];
            for (slot, v) in packed.chunks_exact_mut(4).zip(t) {
                slot.copy_from_slice(&v.to_le_bytes());
            }
            packed
        });
        for column in
            [&carried.delta, &carried.shortest, &carried.longest, &carried.sharpest, &carried.doubt]
        {
            put(&mut bytes, column, f32::to_le_bytes);
        }
        put(&mut bytes, &carried.born, |b| [b]);
        put(&mut bytes, &carried.displacement, vector_bytes);
        bytes.extend_from_slice(&(carried.attributes.len() as u64).to_le_bytes());
        for (name, column) in &carried.attributes {
            put(&mut bytes, name.as_bytes(), |byte| [byte]);
            put_column(&mut bytes, column);
        }
        bytes
    }

    /// A tracker at the frame of a state that [`Tracker::save`] returned, with the settings it was made
    /// with.
    pub fn resume(settings: TrackSettings, bytes: &[u8]) -> Result<Self, TrackError> {
        settings.check()?;
        let mut reader = KIND.open(bytes)?;
        let spacing = f32::from_le_bytes(reader.take()?);
        possible("spacing", spacing > 0.0 && spacing.is_finite())?;
        if let Some(expected) = settings.spacing
            && expected != spacing
        {
            let name = "particle spacing";
            return Err(StateError::Scale { name, found: spacing, expected }.into());
        }
        let duration = f32::from_le_bytes(reader.take()?);
        possible("duration", duration >= 0.0 && duration.is_finite())?;
        let frames = u64::from_le_bytes(reader.take()?);
        let origin = [reader.take()?, reader.take()?, reader.take()?].map(f64::from_le_bytes);
        let origin = LocalOrigin(DVec3::from_array(origin));
        possible("origin", origin.0.is_finite())?;
        let per_particle = f64::from_le_bytes(reader.take()?);
        let offset = f32::from_le_bytes(reader.take()?);
        possible("volume", per_particle >= 0.0 && per_particle.is_finite())?;
        possible("volume offset", offset.abs() <= spacing)?;
        let volume = KeptVolume { per_particle, offset };
        let expected_difference =
            [i64::from_le_bytes(reader.take()?), i64::from_le_bytes(reader.take()?)];
        let mesh = read_mesh(&mut reader)?;
        reader.end()?;
        Ok(Self { settings, spacing, duration, frames, origin, volume, mesh, expected_difference })
    }
}

fn read_mesh(reader: &mut Reader<'_>) -> Result<HalfEdgeMesh, StateError> {
    let positions = reader.values(vector)?;
    possible("position", positions.iter().all(|p| p.is_finite()))?;
    let count = positions.len();
    let triangles: Vec<[u32; 3]> = reader.values(|bytes: [u8; 12]| {
        std::array::from_fn(|i| {
            u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
        })
    })?;
    possible("triangle", triangles.iter().flatten().all(|&v| (v as usize) < count))?;
    let mut carried = Carried::new(0, &Attributes::new());
    for column in [
        &mut carried.delta,
        &mut carried.shortest,
        &mut carried.longest,
        &mut carried.sharpest,
        &mut carried.doubt,
    ] {
        *column = reader.values(f32::from_le_bytes)?;
        possible("measure", column.len() == count && column.iter().all(|v| !v.is_nan()))?;
    }
    carried.born = reader.values(|[byte]: [u8; 1]| byte)?;
    carried.displacement = reader.values(vector)?;
    possible("movement", carried.born.len() == count && carried.displacement.len() == count)?;
    let columns = u64::from_le_bytes(reader.take()?);
    for _ in 0..columns {
        let name = reader.values(|[byte]: [u8; 1]| byte)?;
        let name = String::from_utf8(name).map_err(|_| StateError::Value { what: "name" })?;
        let column = column(reader)?;
        possible("column", column.len() == count)?;
        carried.attributes.push((name, column));
    }
    HalfEdgeMesh::new(positions, triangles, carried)
        .map_err(|_| StateError::Value { what: "mesh, which is not closed" })
}

fn put_column(bytes: &mut Vec<u8>, column: &Column) {
    match column {
        Column::F32(values) => {
            bytes.push(0);
            put(bytes, values, f32::to_le_bytes);
        }
        Column::Vec2(values) => {
            bytes.push(1);
            put(bytes, values, |v: Vec2| packed::<2, 8>(v.to_array()));
        }
        Column::Vec3(values) => {
            bytes.push(2);
            put(bytes, values, vector_bytes);
        }
        Column::Vec4(values) => {
            bytes.push(3);
            put(bytes, values, |v: Vec4| packed::<4, 16>(v.to_array()));
        }
        Column::I32(values) => {
            bytes.push(4);
            put(bytes, values, i32::to_le_bytes);
        }
        Column::I64(values) => {
            bytes.push(5);
            put(bytes, values, i64::to_le_bytes);
        }
    }
}

fn column(reader: &mut Reader<'_>) -> Result<Column, StateError> {
    let [kind] = reader.take::<1>()?;
    Ok(match kind {
        0 => Column::F32(reader.values(f32::from_le_bytes)?),
        1 => Column::Vec2(reader.values(|b| Vec2::from_array(unpacked::<2, 8>(b)))?),
        2 => Column::Vec3(reader.values(vector)?),
        3 => Column::Vec4(reader.values(|b| Vec4::from_array(unpacked::<4, 16>(b)))?),
        4 => Column::I32(reader.values(i32::from_le_bytes)?),
        5 => Column::I64(reader.values(i64::from_le_bytes)?),
        _ => return Err(StateError::Value { what: "type of a column" }),
    })
}
