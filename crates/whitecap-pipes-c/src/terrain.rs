//! The terrain under a liquid.

use whitecap_pipes::Space;

use crate::liquid::{WhitecapPipes, with};
use crate::pointers::array;
use crate::status::{Refusal, WhitecapPipesStatus};

/// Sets the terrain to one height for each cell, row after row along x. Liquid stays in its cell.
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

/// Sets the terrain to layers: `counts` says how many spaces each cell has, row after row along x;
/// `floors` and `ceilings` list the spaces of one cell after another, each cell's from bottom to
/// top. A ceiling of infinity is the open sky; a cell without a space is solid.
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
        // Cells are requested in the order of the arrays.
        own.pipes.set_terrain(0..grid.width(), 0..grid.length(), |x, z, spaces| {
            spaces.extend(all.by_ref().take(counts[grid.index(x, z)] as usize));
        })?;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { with(pipes, work) }
}
