//! Surface turbulence for particle liquids (Mercier et al. 2015; Beauchemin 2016): a dense, even,
//! temporally coherent set of points on the surface of a coarse liquid ([`points`]), and waves that
//! run over them ([`dynamics`]).

pub mod dynamics;
pub mod points;
