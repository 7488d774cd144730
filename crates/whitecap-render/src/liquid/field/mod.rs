//! The function whose zero is the surface, as sums over particles.
//!
//! `columns` checks what the particles bring, `arranged` makes each a `kernel`. Along a ray, `gather` brings
//! the near ones into registers and `sums` adds them up; at a hit, `point` computes value, gradient and
//! which particles make them.

pub(crate) mod arranged;
pub(crate) mod columns;
pub(crate) mod gather;
pub(crate) mod kernel;
pub(crate) mod point;
pub(crate) mod sums;
