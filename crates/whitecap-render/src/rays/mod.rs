//! Rays and what they meet.
//!
//! A `shape` says where a `ray` meets it and answers with a `hit`; anything that can do so can be rendered.
//! `wide_bvh` finds which of many boxes a ray passes through.

pub(crate) mod hit;
pub(crate) mod ray;
pub(crate) mod shape;
pub(crate) mod wide_bvh;
