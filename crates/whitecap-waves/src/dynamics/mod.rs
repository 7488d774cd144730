//! Waves on a set of surface points.
