//! The regular lattice of nodes that a grid lives on.

use glam::{DVec3, IVec3, Vec3};

/// A lattice of nodes at `origin + cell · (i, j, k)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Position of node (0, 0, 0), in metres.
    pub origin: Vec3,
    /// Distance between neighbouring nodes, in metres.
    pub cell: f32,
}

impl Lattice {
    /// A lattice whose node (0, 0, 0) is the world origin.
    pub fn at_origin(cell: f32) -> Self {
        Self { origin: Vec3::ZERO, cell }
    }

    /// World position of a node. Computed in double precision: far nodes do not lose the cell.
    #[inline]
    pub fn position(&self, node: IVec3) -> Vec3 {
        (self.origin.as_dvec3() + node.as_dvec3() * f64::from(self.cell)).as_vec3()
    }

    /// Where `position` lies, in cells.
    #[inline]
    pub fn to_cells(&self, position: Vec3) -> DVec3 {
        (position.as_dvec3() - self.origin.as_dvec3()) / f64::from(self.cell)
    }

    /// The node at the low corner of the cell that contains `position`, and the position inside
    /// that cell (0 to 1 on every axis). Positions beyond ±2³⁰ cells saturate.
    #[inline]
    pub fn locate(&self, position: Vec3) -> (IVec3, Vec3) {
        const LIMIT: f64 = (1 << 30) as f64;
        let cells = self.to_cells(position).clamp(DVec3::splat(-LIMIT), DVec3::splat(LIMIT));
        let floor = cells.floor();
        (floor.as_ivec3(), (cells - floor).as_vec3())
    }
}
