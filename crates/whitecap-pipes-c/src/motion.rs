//! Advances a liquid in time.

use crate::liquid::{WhitecapPipes, with};
use crate::pointers::write_if_wanted;
use crate::status::WhitecapPipesStatus;

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

/// Advances by `duration` seconds, in equal steps no longer than the setting allows. The number of
/// steps is written to `*steps`, unless that is null.
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
