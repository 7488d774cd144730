//! Direct changes to a liquid and its ground: fill, pour, wipe, carve.

use glam::Vec3;
use whitecap_pipes::{Brush, PipeError, Pipes};

use crate::liquid::{WhitecapPipes, with};
use crate::pointers::{array, write_if_wanted};
use crate::status::{Refusal, WhitecapPipesStatus};

/// Sets the depth of liquid in every column, in the order of `whitecap_pipes_columns`; more than a
/// column can hold is reduced to that. The liquid is then at rest.
///
/// # Safety
/// `pipes` must be null or a liquid; `depths` must have `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_fill(
    pipes: *mut WhitecapPipes,
    depths: *const f64,
    count: usize,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        let expected = own.pipes.columns().len();
        if count != expected {
            return Err(Refusal::wrong_size("depths", count, expected));
        }
        // SAFETY: the caller's promise.
        let depths = unsafe { array("depths", depths, count) }?;
        if let Some(column) = depths.iter().position(|depth| !(0.0..=1e6).contains(depth)) {
            let sentence = format!(
                "the depth of column {column} is {}, but must lie between 0 and 1000000",
                depths[column]
            );
            return Err(Refusal::bad_value(sentence));
        }
        own.pipes.fill(|column| depths[column]);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Pours `volume` cubic metres on all columns within `radius` of a point, whose height chooses the
/// layer. The volume that found room is written to `*poured`, unless that is null.
///
/// # Safety
/// `pipes` must be null or a liquid, `poured` null or point to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_pour(
    pipes: *mut WhitecapPipes,
    x: f32,
    y: f32,
    z: f32,
    radius: f32,
    volume: f64,
    poured: *mut f64,
) -> WhitecapPipesStatus {
    let work = |pipes: &mut Pipes| pipes.pour(brush(x, y, z, radius), volume);
    // SAFETY: the caller's promise.
    unsafe { with_volume(pipes, "poured", poured, work) }
}

/// Wipes up to `volume` cubic metres away within `radius` of a point; infinity wipes it dry. The
/// volume that was removed is written to `*wiped`, unless that is null.
///
/// # Safety
/// `pipes` must be null or a liquid, `wiped` null or point to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_wipe(
    pipes: *mut WhitecapPipes,
    x: f32,
    y: f32,
    z: f32,
    radius: f32,
    volume: f64,
    wiped: *mut f64,
) -> WhitecapPipesStatus {
    let work = |pipes: &mut Pipes| pipes.wipe(brush(x, y, z, radius), volume);
    // SAFETY: the caller's promise.
    unsafe { with_volume(pipes, "wiped", wiped, work) }
}

/// Lowers the ground by `depth` at a point, falling off smoothly to `radius`; a negative depth raises
/// it. Liquid is kept.
///
/// # Safety
/// `pipes` must be null or a liquid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_carve(
    pipes: *mut WhitecapPipes,
    x: f32,
    y: f32,
    z: f32,
    radius: f32,
    depth: f32,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| Ok(own.pipes.carve(brush(x, y, z, radius), depth)?);
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

fn brush(x: f32, y: f32, z: f32, radius: f32) -> Brush {
    Brush { position: Vec3::new(x, y, z), radius }
}

/// Does `work` with a liquid and writes the volume it returns to `*volume`, unless that is null; 0
/// if it fails.
///
/// # Safety
/// `pipes` must be null or a liquid, `volume` null or point to memory for a number.
unsafe fn with_volume(
    pipes: *mut WhitecapPipes,
    name: &'static str,
    volume: *mut f64,
    work: impl FnOnce(&mut Pipes) -> Result<f64, PipeError>,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted(name, volume, 0.0) }?;
        let found = work(&mut own.pipes)?;
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted(name, volume, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}
