//! Formats made for points: `text_points` is text with a line for each (CSV and XYZ), `npz` the arrays of
//! NumPy, `prt` Krakatoa's format and `pdb` Maya's.

pub mod npz;
pub mod pdb;
pub mod prt;
pub mod text_points;
