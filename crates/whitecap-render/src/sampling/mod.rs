//! Random choices: `sampler` gives numbers that depend on the pixel and the sample only; `frame` turns them
//! into points and directions, and directions into those round a normal.

pub(crate) mod frame;
pub(crate) mod sampler;
