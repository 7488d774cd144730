//! The C interface of shallow liquid in real time; see `include/whitecap_pipes.h`, which is made from
//! this crate's types and functions.
//!
//! # Guarantees
//! * A null or misaligned pointer, an array of the wrong size, a value that is out of range or not a
//!   number, and a call in the wrong order are answered by a status other than OK; nothing has changed
//!   then. [`whitecap_pipes_last_error`] says in a sentence what was wrong.
//! * No panic leaves a function. Should one happen, the liquid answers every later call with
//!   [`WhitecapPipesStatus::Broken`].
//! * Steps and surfaces allocate nothing once their buffers have grown, as in `whitecap-pipes`.
//!
//! # Non-guarantees
//! A pointer to freed memory, or a count larger than its array, cannot be noticed. One liquid must not
//! be used from two threads at the same time.

mod data;
mod functions;
mod last_error;
mod pointers;
mod status;

pub use data::{
    WhitecapPipesColumns, WhitecapPipesReport, WhitecapPipesSettings, WhitecapPipesSource,
    WhitecapPipesSurface,
};
pub use functions::*;
pub use last_error::whitecap_pipes_last_error;
pub use status::WhitecapPipesStatus;
