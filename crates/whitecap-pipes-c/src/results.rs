//! Results: volumes, columns, the surface.

use glam::Vec3;
use whitecap_pipes::{MinimumHeights, PipeReport, Viewer};

use crate::data::{WhitecapPipesColumns, WhitecapPipesReport, WhitecapPipesSurface};
use crate::liquid::{WhitecapPipes, with};
use crate::pointers::{array, write};
use crate::status::{Refusal, WhitecapPipesStatus};

/// Writes the current volume, and what was added and removed, to `*report`.
///
/// # Safety
/// `pipes` must be null or a liquid, `report` null or point to memory for a report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_report(
    pipes: *mut WhitecapPipes,
    report: *mut WhitecapPipesReport,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        let PipeReport { time, volume, in_the_air, poured, drained, relative_error, .. } =
            own.pipes.report();
        let found =
            WhitecapPipesReport { time, volume, in_the_air, poured, drained, relative_error };
        // SAFETY: the caller's promise.
        unsafe { write("report", report, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Writes the volume of all liquid in cubic metres, drops included, to `*volume`.
///
/// # Safety
/// `pipes` must be null or a liquid, `volume` null or point to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_volume(
    pipes: *mut WhitecapPipes,
    volume: *mut f64,
) -> WhitecapPipesStatus {
    // SAFETY: the caller's promise.
    unsafe { with(pipes, |own| write("volume", volume, own.pipes.volume())) }
}

/// Makes the surface and writes the addresses of its buffers to `*surface`. `eye` is null, or the
/// position x, y, z of the viewer: then the meniscus bends no normal so far that it points away.
///
/// # Safety
/// `pipes` must be null or a liquid, `eye` null or have three entries, `surface` null or point to memory
/// for a surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_surface(
    pipes: *mut WhitecapPipes,
    eye: *const f32,
    surface: *mut WhitecapPipesSurface,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        let viewer = unsafe { viewer(eye) }?;
        let WhitecapPipes { pipes, surface: made, meniscus, .. } = own;
        let columns = pipes.columns();
        made.update(columns, &MinimumHeights::none(), &own.surface_settings)?;
        if let Some(settings) = &own.meniscus_settings {
            meniscus.apply(columns, made, settings, viewer)?;
        }
        let found = WhitecapPipesSurface {
            positions: made.positions().as_ptr().cast(),
            normals: made.normals().as_ptr().cast(),
            opacity: made.opacity().as_ptr(),
            vertex_count: made.positions().len(),
            indices: made.triangles().as_ptr().cast(),
            index_count: 3 * made.triangles().len(),
        };
        // SAFETY: the caller's promise.
        unsafe { write("surface", surface, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// The viewer at the position that a pointer points to, if it is not null.
///
/// # Safety
/// `eye` must be null or have three entries.
unsafe fn viewer(eye: *const f32) -> Result<Option<Viewer>, Refusal> {
    if eye.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let eye = Vec3::from_slice(unsafe { array("eye", eye, 3) }?);
    if !eye.is_finite() {
        return Err(Refusal::bad_value("`eye` is not finite, but must be a position"));
    }
    Ok(Some(Viewer::At(eye)))
}

/// Writes the addresses of the buffers of the columns to `*columns`.
///
/// # Safety
/// `pipes` must be null or a liquid, `columns` null or point to memory for columns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_columns(
    pipes: *mut WhitecapPipes,
    columns: *mut WhitecapPipesColumns,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        let own = own.pipes.columns();
        let found = WhitecapPipesColumns {
            cells: own.cell().as_ptr(),
            floors: own.floor().as_ptr(),
            ceilings: own.ceiling().as_ptr(),
            depths: own.depth().as_ptr(),
            count: own.len(),
        };
        // SAFETY: the caller's promise.
        unsafe { write("columns", columns, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}
