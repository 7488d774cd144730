//! What keeps points even and on the surface (Mercier et al. 2015, §4.3).
//!
//! `round` is the work of a frame: advection, then rounds of `smoothing` (normals, and displacement along
//! them), `spreading` and `turnover` (deletion and insertion). `sphere_sampling` covers new surface, and
//! `poisson_disk` thins candidates for new points.

pub(crate) mod poisson_disk;
pub(crate) mod round;
pub(crate) mod smoothing;
pub(crate) mod sphere_sampling;
pub(crate) mod spreading;
pub(crate) mod turnover;
