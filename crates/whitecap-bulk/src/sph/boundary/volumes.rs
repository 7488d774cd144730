//! The volume that a boundary particle represents.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::kernels::Kernel;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_scene::SceneError;

/// The volume V_b = 1 / Σ_k W_bk that each sample of one solid represents, in m³ (Akinci et al.
/// 2012, Eq. 4). Multiplied by the liquid's rest density, it is the mass with which the sample acts: where
/// samples are dense, each counts less.
///
/// Give the samples of one solid at a time: solids that touch must not thin each other out.
pub fn boundary_volumes<K: Kernel>(positions: &[Vec3], kernel: &K) -> Result<Vec<f32>, SceneError> {
    if let Some(index) = positions.iter().position(|position| !position.is_finite()) {
        return Err(SceneError::NonFinitePosition { index, value: positions[index] });
    }
    let support = kernel.support();
    let grid = NeighbourGrid::build(positions, support);
    let volume = |&position: &Vec3| {
        let mut density = 0.0;
        grid.for_each_within(position, support, |_, squared| density += kernel.value(squared));
        1.0 / density
    };
    Ok(positions.par_iter().map(volume).collect())
}
