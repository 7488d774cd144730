//! Formats of the Visualization Toolkit: `vtk_legacy` (`.vtk`) and `vtu` (XML). Both list points and cells;
//! `vtk_cells` finds the triangles among the cells.

pub(crate) mod vtk_cells;
pub mod vtk_legacy;
pub mod vtu;
