//! OpenVDB volumes.
