//! Numbers as bytes and back.
//!
//! `checked_bytes` reads from front to back and checks every count against what follows; `saved_bytes`
//! writes columns of numbers for states that are saved, and reads them through it.
//!
//! # Guarantees
//! * No bytes cause a panic, or an allocation that their length does not justify.

pub mod checked_bytes;
pub mod saved_bytes;
