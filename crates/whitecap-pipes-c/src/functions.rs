//! The functions of the interface.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;
use whitecap_pipes::{
    Brush, Meniscus, MeniscusSettings, MinimumHeights, PipeReport, Pipes, Source, Space, Surface,
    SurfaceSettings, Terrain, Viewer,
};

use crate::data::{
    WhitecapPipesColumns, WhitecapPipesReport, WhitecapPipesSettings, WhitecapPipesSource,
    WhitecapPipesSurface,
};
use crate::last_error::remember;
use crate::pointers::{array, exclusive, reference, write, write_if_wanted};
use crate::status::{Refusal, WhitecapPipesStatus};

/// A shallow liquid on a terrain.
pub struct WhitecapPipes {
    pipes: Pipes,
    surface: Surface,
    meniscus: Meniscus,
    surface_settings: SurfaceSettings,
    meniscus_settings: Option<MeniscusSettings>,
    is_broken: bool,
}

/// Does `work`; no panic gets out.
fn answer(work: impl FnOnce() -> Result<(), Refusal>) -> WhitecapPipesStatus {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Refusal::new(
            WhitecapPipesStatus::Broken,
            "something went wrong inside; destroy the liquid and make a new one",
        ))
    });
    match result {
        Ok(()) => WhitecapPipesStatus::Ok,
        Err(refusal) => {
            remember(refusal.sentence);
            refusal.status
        }
    }
}

/// Does `work` with a liquid, which a panic leaves broken.
///
/// # Safety
/// Unless null or misaligned, `pipes` must come from [`whitecap_pipes_create`], must not have been
/// destroyed, and no other thread may use it during the call.
unsafe fn with(
    pipes: *mut WhitecapPipes,
    work: impl FnOnce(&mut WhitecapPipes) -> Result<(), Refusal>,
) -> WhitecapPipesStatus {
    answer(|| {
        // SAFETY: the caller's promise.
        let pipes = unsafe { exclusive("pipes", pipes) }?;
        if pipes.is_broken {
            let sentence = "this liquid was broken by an earlier call; destroy it";
            return Err(Refusal::new(WhitecapPipesStatus::Broken, sentence));
        }
        pipes.is_broken = true;
        let result = work(pipes);
        pipes.is_broken = false;
        result
    })
}

/// Settings that suit water on a grid of 10 cm × 10 cm in cells of a millimetre.
#[unsafe(no_mangle)]
pub extern "C" fn whitecap_pipes_default_settings() -> WhitecapPipesSettings {
    WhitecapPipesSettings::default()
}

/// Makes a liquid on flat, dry terrain at height 0 and writes it to `*pipes`; null is written if that
/// fails.
///
/// # Safety
/// `settings` must be null or point to settings, `pipes` must be null or point to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_create(
    settings: *const WhitecapPipesSettings,
    pipes: *mut *mut WhitecapPipes,
) -> WhitecapPipesStatus {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe { write("pipes", pipes, std::ptr::null_mut()) }?;
        // SAFETY: the caller's promise.
        let settings = unsafe { reference("settings", settings) }?;
        let grid = settings.grid()?;
        let motion = settings.pipes(Vec::new(), Vec::new())?;
        let (surface_settings, meniscus_settings) = (settings.surface()?, settings.meniscus()?);
        let terrain = Terrain::from_cells(grid, |_, _, spaces| spaces.push(Space::open(0.0)))?;
        let made = Box::new(WhitecapPipes {
            pipes: Pipes::new(&terrain, motion)?,
            surface: Surface::new(),
            meniscus: Meniscus::new(),
            surface_settings,
            meniscus_settings,
            is_broken: false,
        });
        // SAFETY: the caller's promise.
        unsafe { write("pipes", pipes, Box::into_raw(made)) }
    })
}

/// Frees a liquid and all its buffers. Null is allowed.
///
/// # Safety
/// `pipes` must be null or come from `whitecap_pipes_create`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_destroy(pipes: *mut WhitecapPipes) {
    if !pipes.is_null() {
        answer(|| {
            // SAFETY: it was made by `Box::into_raw`, and the caller promises not to use it again.
            drop(unsafe { Box::from_raw(pipes) });
            Ok(())
        });
    }
}

/// Changes the settings; the liquid stays as it is. The grid must be the same.
///
/// # Safety
/// `pipes` must be null or a liquid, `settings` null or point to settings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_set_settings(
    pipes: *mut WhitecapPipes,
    settings: *const WhitecapPipesSettings,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        let settings = unsafe { reference("settings", settings) }?;
        if settings.grid()? != *own.pipes.columns().grid() {
            let sentence = "the grid of a liquid cannot change; make a new liquid";
            return Err(Refusal::bad_value(sentence));
        }
        let old = own.pipes.settings();
        let motion = settings.pipes(old.sources.clone(), old.drains.clone())?;
        let (surface_settings, meniscus_settings) = (settings.surface()?, settings.meniscus()?);
        own.pipes.set_settings(motion)?;
        own.surface_settings = surface_settings;
        own.meniscus_settings = meniscus_settings;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Replaces all sources and all drains. An array without entries may be null.
///
/// # Safety
/// `pipes` must be null or a liquid; the arrays must have as many entries as is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_set_sources(
    pipes: *mut WhitecapPipes,
    sources: *const WhitecapPipesSource,
    source_count: usize,
    drains: *const WhitecapPipesSource,
    drain_count: usize,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        let sources = unsafe { array("sources", sources, source_count) }?;
        // SAFETY: the caller's promise.
        let drains = unsafe { array("drains", drains, drain_count) }?;
        let mut settings = own.pipes.settings().clone();
        settings.sources = sources.iter().map(Source::from).collect();
        settings.drains = drains.iter().map(Source::from).collect();
        Ok(own.pipes.set_settings(settings)?)
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Sets the terrain to one height for each cell, rows along x after each other. Liquid stays in its cell.
///
/// # Safety
/// `pipes` must be null or a liquid; `heights` must have `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_set_heights(
    pipes: *mut WhitecapPipes,
    heights: *const f32,
    count: usize,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        let grid = *own.pipes.columns().grid();
        if count != grid.cells() {
            return Err(Refusal::wrong_size("heights", count, grid.cells()));
        }
        // SAFETY: the caller's promise.
        let heights = unsafe { array("heights", heights, count) }?;
        own.pipes.set_terrain(0..grid.width(), 0..grid.length(), |x, z, spaces| {
            spaces.push(Space::open(heights[grid.index(x, z)]));
        })?;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Sets the terrain to layers: `counts` says how many spaces each cell has, rows along x after each
/// other; `floors` and `ceilings` list the spaces of cell after cell, each cell's from bottom to top. A
/// ceiling of infinity is the open sky; a cell without a space is solid.
///
/// # Safety
/// `pipes` must be null or a liquid; `counts` must have `cell_count` entries, `floors` and `ceilings`
/// `space_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_set_layers(
    pipes: *mut WhitecapPipes,
    counts: *const u32,
    cell_count: usize,
    floors: *const f32,
    ceilings: *const f32,
    space_count: usize,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        let grid = *own.pipes.columns().grid();
        if cell_count != grid.cells() {
            return Err(Refusal::wrong_size("counts", cell_count, grid.cells()));
        }
        // SAFETY: the caller's promise.
        let counts = unsafe { array("counts", counts, cell_count) }?;
        let expected: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if expected != space_count as u64 {
            return Err(Refusal::wrong_size("floors", space_count, expected as usize));
        }
        // SAFETY: the caller's promise.
        let floors = unsafe { array("floors", floors, space_count) }?;
        // SAFETY: the caller's promise.
        let ceilings = unsafe { array("ceilings", ceilings, space_count) }?;
        let mut all =
            floors.iter().zip(ceilings).map(|(&floor, &ceiling)| Space { floor, ceiling });
        // Cells are asked for in the order of the arrays.
        own.pipes.set_terrain(0..grid.width(), 0..grid.length(), |x, z, spaces| {
            spaces.extend(all.by_ref().take(counts[grid.index(x, z)] as usize));
        })?;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Sets the depth of liquid in every column, in the order of `whitecap_pipes_columns`; what is too much
/// for a column becomes what it can hold. The liquid is at rest then.
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
/// layer. What found room is written to `*poured`, unless that is null.
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
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("poured", poured, 0.0) }?;
        let found = own.pipes.pour(brush(x, y, z, radius), volume)?;
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("poured", poured, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Wipes up to `volume` cubic metres away within `radius` of a point; infinity wipes it dry. What was
/// there is written to `*wiped`, unless that is null.
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
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("wiped", wiped, 0.0) }?;
        let found = own.pipes.wipe(brush(x, y, z, radius), volume)?;
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("wiped", wiped, found) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
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

/// One time step of `duration` seconds.
///
/// # Safety
/// `pipes` must be null or a liquid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_step(
    pipes: *mut WhitecapPipes,
    duration: f64,
) -> WhitecapPipesStatus {
    // SAFETY: the caller's promise.
    unsafe { with(pipes, |own| Ok(own.pipes.step(duration)?)) }
}

/// As many equal steps as it takes to advance by `duration` seconds with none longer than the setting.
/// How many is written to `*steps`, unless that is null.
///
/// # Safety
/// `pipes` must be null or a liquid, `steps` null or point to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn whitecap_pipes_advance(
    pipes: *mut WhitecapPipes,
    duration: f64,
    steps: *mut usize,
) -> WhitecapPipesStatus {
    let work = |own: &mut WhitecapPipes| {
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("steps", steps, 0) }?;
        let count = own.pipes.advance(duration)?;
        // SAFETY: the caller's promise.
        unsafe { write_if_wanted("steps", steps, count) }
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}

/// Writes what there is, and what came and went, to `*report`.
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

/// Makes the surface and writes where its buffers are to `*surface`. `eye` is null, or the position x, y,
/// z of who looks: then no normal is bent so far by the meniscus that it points away.
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

/// Someone at the position that a pointer points to, if it is not null.
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

/// Writes where the buffers of the columns are to `*columns`.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a panic inside becomes a status, and the liquid answers nothing but that from then on.
    #[test]
    fn a_panic_does_not_get_out() {
        let mut pipes = std::ptr::null_mut();
        let mut volume = 0.0;
        // SAFETY: everything points to live values, and the liquid is not used after it is destroyed.
        unsafe {
            let settings = whitecap_pipes_default_settings();
            assert_eq!(whitecap_pipes_create(&settings, &mut pipes), WhitecapPipesStatus::Ok);
            assert_eq!(with(pipes, |_| panic!("for the test")), WhitecapPipesStatus::Broken);
            assert_eq!(whitecap_pipes_step(pipes, 0.001), WhitecapPipesStatus::Broken);
            let status = whitecap_pipes_volume(pipes, &mut volume);
            assert_eq!(status, WhitecapPipesStatus::Broken);
            whitecap_pipes_destroy(pipes);
        }
    }
}
