//! The C interface of shallow liquid in real time; see `include/whitecap_pipes.h`, which is made from
//! this crate's types and functions.
//!
//! # Guarantees
//! * For a null or misaligned pointer, an array of the wrong size, a value that is out of range or
//!   not a number, or a call in the wrong order, a function returns a status other than OK and
//!   changes nothing. [`whitecap_pipes_last_error`] says in a sentence what was wrong.
//! * No panic leaves a function. If one happens, every later call with that liquid returns
//!   [`WhitecapPipesStatus::Broken`].
//! * Steps and surfaces allocate nothing once their buffers have grown, as in `whitecap-pipes`.
//!
//! # Non-guarantees
//! A pointer to freed memory, or a count larger than its array, cannot be detected. One liquid must not be
//! used from two threads at the same time.

mod by_hand;
mod data;
mod last_error;
mod liquid;
mod motion;
mod pointers;
mod results;
mod status;
mod terrain;

pub use by_hand::{
    whitecap_pipes_carve, whitecap_pipes_fill, whitecap_pipes_pour, whitecap_pipes_wipe,
};
pub use data::{
    WhitecapPipesColumns, WhitecapPipesReport, WhitecapPipesSettings, WhitecapPipesSource,
    WhitecapPipesSurface,
};
pub use last_error::whitecap_pipes_last_error;
pub use liquid::{
    WhitecapPipes, whitecap_pipes_create, whitecap_pipes_default_settings, whitecap_pipes_destroy,
    whitecap_pipes_set_settings, whitecap_pipes_set_sources,
};
pub use motion::{whitecap_pipes_advance, whitecap_pipes_step};
pub use results::{
    whitecap_pipes_columns, whitecap_pipes_report, whitecap_pipes_surface, whitecap_pipes_volume,
};
pub use status::WhitecapPipesStatus;
pub use terrain::{whitecap_pipes_set_heights, whitecap_pipes_set_layers};
