//! Formats made for points: `text_points` is text with a line for each (CSV and XYZ), `npz` the arrays of
//! NumPy.

pub mod npz;
pub mod text_points;
