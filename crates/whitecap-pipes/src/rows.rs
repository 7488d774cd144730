//! The loops over one row of cells, eight cells at a time.
//!
//! Each is a function of its own with slices for arguments, because only then does the compiler know
//! that they do not overlap, and use vector instructions.

use crate::rules::{Rules, positive};

/// Heights of a row's liquid, and its depths in the precision of fluxes.
#[inline(never)]
pub(crate) fn measure(floor: &[f32], depth: &[f64], height: &mut [f64], shallow: &mut [f32]) {
    let count = height.len();
    let (floor, depth, shallow) = (&floor[..count], &depth[..count], &mut shallow[..count]);
    for x in 0..count {
        height[x] = f64::from(floor[x]) + depth[x];
        shallow[x] = depth[x] as f32;
    }
}

/// How much higher the liquid of some cells is than that of others.
#[inline(never)]
pub(crate) fn subtract(height_0: &[f64], height_1: &[f64], drop: &mut [f32]) {
    let count = drop.len();
    let (height_0, height_1) = (&height_0[..count], &height_1[..count]);
    for x in 0..count {
        drop[x] = (height_0[x] - height_1[x]) as f32;
    }
}

/// New fluxes between two rows of cells, or between cells of a row and their neighbours.
#[inline(never)]
pub(crate) fn update_fluxes<const PHYSICAL: bool>(
    rules: Rules,
    before: &[f32],
    drop: &[f32],
    depth_0: &[f32],
    depth_1: &[f32],
    after: &mut [f32],
) {
    let count = after.len();
    let (before, drop) = (&before[..count], &drop[..count]);
    let (depth_0, depth_1) = (&depth_0[..count], &depth_1[..count]);
    for x in 0..count {
        after[x] = rules.flux::<PHYSICAL>(before[x], drop[x], [depth_0[x], depth_1[x]]);
    }
}

/// What each cell can give of its outflow, from the fluxes across its four faces.
#[inline(never)]
pub(crate) fn limit_outflow(
    rules: Rules,
    depth: &[f32],
    low_x: &[f32],
    high_x: &[f32],
    low_z: &[f32],
    high_z: &[f32],
    gives: &mut [f32],
) {
    let count = gives.len();
    let (depth, low_x, high_x) = (&depth[..count], &low_x[..count], &high_x[..count]);
    let (low_z, high_z) = (&low_z[..count], &high_z[..count]);
    for x in 0..count {
        let outflow =
            positive(high_x[x]) + positive(high_z[x]) + positive(-low_z[x]) + positive(-low_x[x]);
        gives[x] = rules.gives(depth[x], outflow);
    }
}

/// Fluxes scaled to what the cells they come from can give.
#[inline(never)]
pub(crate) fn scale_fluxes(flux: &[f32], gives_0: &[f32], gives_1: &[f32], scaled: &mut [f32]) {
    let count = scaled.len();
    let (flux, gives_0, gives_1) = (&flux[..count], &gives_0[..count], &gives_1[..count]);
    for x in 0..count {
        // One of the two is zero; a choice would be a branch that is often guessed wrong.
        scaled[x] = positive(flux[x]) * gives_0[x] - positive(-flux[x]) * gives_1[x];
    }
}

/// New depths from the scaled fluxes across the four faces of each cell.
#[inline(never)]
pub(crate) fn update_depths(
    rules: Rules,
    before: &[f64],
    low_x: &[f32],
    high_x: &[f32],
    low_z: &[f32],
    high_z: &[f32],
    after: &mut [f64],
) {
    let count = after.len();
    let (before, low_x, high_x) = (&before[..count], &low_x[..count], &high_x[..count]);
    let (low_z, high_z) = (&low_z[..count], &high_z[..count]);
    for x in 0..count {
        let [out_x, out_z] = [high_x[x], high_z[x]].map(f64::from);
        let [in_x, in_z] = [low_x[x], low_z[x]].map(f64::from);
        after[x] = rules.depth(before[x], -out_x - out_z + in_z + in_x);
    }
}
