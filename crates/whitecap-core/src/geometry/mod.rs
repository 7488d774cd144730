//! Boxes, placements, and questions to a triangle mesh.
//!
//! `bounds` and `transform` say where something is. `triangle_bvh` answers which point of a mesh is closest
//! and what a ray hits; it splits boxes by the `surface_area_heuristic` and asks `closest_point` about
//! single triangles. `winding_number` says what is inside, also where a mesh has holes.

pub(crate) mod bounds;
pub mod closest_point;
pub mod surface_area_heuristic;
pub mod transform;
pub mod triangle_bvh;
pub mod winding_number;
