//! Creates, changes and destroys liquids; every call to one passes through here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use whitecap_pipes::{
    Meniscus, MeniscusSettings, Pipes, Source, Space, Surface, SurfaceSettings, Terrain,
};

use crate::data::{WhitecapPipesSettings, WhitecapPipesSource};
use crate::last_error::remember;
use crate::pointers::{array, exclusive, reference, write};
use crate::status::{Refusal, WhitecapPipesStatus};

/// A shallow liquid on a terrain.
pub struct WhitecapPipes {
    pub(crate) pipes: Pipes,
    pub(crate) surface: Surface,
    pub(crate) meniscus: Meniscus,
    pub(crate) surface_settings: SurfaceSettings,
    pub(crate) meniscus_settings: Option<MeniscusSettings>,
    is_broken: bool,
}

/// Does `work`; no panic escapes.
fn answer(work: impl FnOnce() -> Result<(), Refusal>) -> WhitecapPipesStatus {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Refusal::new(
            WhitecapPipesStatus::Broken,
            "an internal error occurred; destroy the liquid and create a new one",
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
pub(crate) unsafe fn with(
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

/// Creates a liquid on flat, dry terrain at height 0 and writes it to `*pipes`; writes null if that
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
            let sentence = "the grid of a liquid cannot change; create a new liquid";
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
/// `pipes` must be null or a liquid; the arrays must have as many entries as their counts say.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{whitecap_pipes_step, whitecap_pipes_volume};

    /// Contract: an internal panic becomes a status, and from then on every call with the liquid
    /// returns it.
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
