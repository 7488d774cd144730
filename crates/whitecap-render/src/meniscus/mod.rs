//! Menisci: the curved edge of a liquid at a solid, made at render time from the planar solution of
//! the Young–Laplace equation (after Morgenroth 2016; 2021, §4).
//!
//! Far from a wall the free surface is flat; at the wall it must meet the solid at the contact angle α,
//! measured through the liquid. Let β be the angle, again measured through the liquid, at which the
//! undisturbed surface would meet the wall. The interface then leaves the wall with the slope β − α, and its
//! height above the undisturbed level is known in closed form as a function of the distance D to the wall,
//! for every α and β ([`profile`]).
//!
//! The values of the liquid's function φ are not changed, only moved: a point x is liquid if the point x −
//! c(x) is, where c is parallel to the solid and its length is the displacement of the interface along it
//! (the correction vector of Morgenroth 2021, §4.4). Moving along the wall keeps the distance D, so for a
//! flat liquid at a flat wall the result is the exact solution; and because only the zero of φ matters, this
//! works for every implicit function, whether it is a distance or not.
//!
//! β and the direction of c belong to the contact line, not to the point: they are found where the
//! undisturbed liquid meets the solid and extended to the neighbourhood (`contact`). So they do not
//! jump, the correction ends where there is no contact line, such as under a film of water, and the
//! angle at the wall stays exact where the undisturbed surface is curved.
//!
//! # Guarantees
//! * At a flat wall of any tilt, the surface of a flat liquid is the solution of the Young–Laplace
//!   equation (see `tests/meniscus.rs` for the measured errors).
//! * The correction is continuous and vanishes away from the contact line.
//! * No equation is solved per ray: heights come from a table.
//! * Corrections from several solids are added.
//!
//! # Non-guarantees
//! * The solution ignores the curvature of the contact line itself: round drops and narrow tubes are
//!   plausible, with the right angle at the wall, but not exact.
//! * Volume is not conserved; the correction adds or removes a thin wedge.
//! * Ghost particles reach through walls thinner than two supports.
//! * β and the direction of c are those of the frame's own time during the whole shutter.

mod block_walls;
mod contact;
mod field;
mod ghosts;
mod liquid;
mod marked_blocks;
pub mod profile;
mod settings;
mod sides;
mod solid;
mod stretch;

pub use liquid::MeniscusLiquid;
pub use settings::{ContactHeight, MeniscusMode, MeniscusSettings};
pub use solid::Solid;
