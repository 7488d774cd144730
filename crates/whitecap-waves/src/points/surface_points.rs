//! The columns of a set of surface points.

use glam::Vec3;

/// Oriented points on the surface of a liquid, in Z-order: points that are close in space are mostly
/// close in memory. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfacePoints {
    /// Positions, in metres.
    pub position: Vec<Vec3>,
    /// Unit normals that point out of the liquid.
    pub normal: Vec<Vec3>,
    /// Identities that are never used twice; a younger point has a larger one.
    pub id: Vec<u64>,
    /// The area that each point represents, up to a common factor: 1 / ρ with the
    /// density ρ of Mercier et al. 2015, Eq. 4.2 over 2 λ_f.
    pub area: Vec<f32>,
}

impl SurfacePoints {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The points named by `order`, in that order.
    pub(crate) fn gather(&mut self, order: &[u32]) {
        fn column<T: Copy>(values: &mut Vec<T>, order: &[u32]) {
            *values = order.iter().map(|&i| values[i as usize]).collect();
        }
        column(&mut self.position, order);
        column(&mut self.normal, order);
        column(&mut self.id, order);
        column(&mut self.area, order);
    }
}
