//! Columns on their way between files and Whitecap.
//!
//! `naming` turns other programs' names into ours and back, `component_names` puts vectors together whose
//! numbers have a name each, `facts` takes what holds for all particles, and `point_table` collects what a
//! reader finds until it becomes particles or a mesh.

pub(crate) mod component_names;
pub(crate) mod facts;
pub(crate) mod naming;
pub(crate) mod point_table;
