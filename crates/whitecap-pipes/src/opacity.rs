//! How opaque a liquid looks where it is shallow (Dagenais et al. 2018, §4.2).

/// Opacity of liquid of some depth: depth / `opaque_depth`, at least 0 and at most 1. Both in metres.
///
/// ```
/// use whitecap_pipes::opacity;
/// assert_eq!(opacity(0.5e-3, 2e-3), 0.25);
/// assert_eq!(opacity(1.0, 2e-3), 1.0);
/// ```
pub fn opacity(depth: f32, opaque_depth: f32) -> f32 {
    (depth / opaque_depth).clamp(0.0, 1.0)
}
