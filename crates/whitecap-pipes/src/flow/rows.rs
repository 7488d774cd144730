//! The loops over one row of cells, or one run of pipes, eight at a time.
//!
//! Each is a separate function with slices as arguments, because only then does the compiler know
//! that they do not overlap, and use vector instructions.

use crate::flow::rules::{Rules, positive, times_either};

/// Cross-sections of the pipes from columns, over Δx, and the fraction of their fluxes that
/// viscosity leaves.
#[inline(never)]
pub(crate) fn prepare(rules: Rules, depth: &[f32], section: &mut [f32], left: &mut [f32]) {
    let (depth, left) = (&depth[..section.len()], &mut left[..section.len()]);
    for i in 0..section.len() {
        section[i] = rules.section(depth[i]);
        left[i] = rules.left_by_viscosity(depth[i]);
    }
}

/// New fluxes of a run of pipes.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "slices within a struct may overlap")]
pub(crate) fn drive_run(
    rules: Rules,
    height_0: &[f64],
    height_1: &[f64],
    section_0: &[f32],
    section_1: &[f32],
    left_0: &[f32],
    left_1: &[f32],
    flux: &mut [f32],
) {
    let count = flux.len();
    let (height_0, height_1) = (&height_0[..count], &height_1[..count]);
    let (section_0, section_1) = (&section_0[..count], &section_1[..count]);
    let (left_0, left_1) = (&left_0[..count], &left_1[..count]);
    for i in 0..count {
        let drop = (height_0[i] - height_1[i]) as f32;
        let (section, left) = ([section_0[i], section_1[i]], [left_0[i], left_1[i]]);
        flux[i] = rules.flux(flux[i], drop, section, left);
    }
}

/// Heights of liquid, and its depths in the precision of fluxes.
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
#[expect(clippy::too_many_arguments, reason = "slices within a struct may overlap")]
pub(crate) fn update_fluxes(
    rules: Rules,
    before: &[f32],
    drop: &[f32],
    section_0: &[f32],
    section_1: &[f32],
    left_0: &[f32],
    left_1: &[f32],
    after: &mut [f32],
) {
    let count = after.len();
    let (before, drop) = (&before[..count], &drop[..count]);
    let (section_0, section_1) = (&section_0[..count], &section_1[..count]);
    let (left_0, left_1) = (&left_0[..count], &left_1[..count]);
    for x in 0..count {
        let (section, left) = ([section_0[x], section_1[x]], [left_0[x], left_1[x]]);
        after[x] = rules.flux(before[x], drop[x], section, left);
    }
}

/// Fraction of its outflow that each cell can give, from the fluxes across its four faces.
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
        scaled[x] = times_either(flux[x], [gives_0[x], gives_1[x]]);
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

/// Adds what flows out of columns through the pipes that start from them.
#[inline(never)]
pub(crate) fn add_forward(flux: &[f32], sum: &mut [f32]) {
    let flux = &flux[..sum.len()];
    for i in 0..sum.len() {
        sum[i] += positive(flux[i]);
    }
}

/// Adds what flows out of columns through the pipes that lead to them.
#[inline(never)]
pub(crate) fn add_backward(flux: &[f32], sum: &mut [f32]) {
    let flux = &flux[..sum.len()];
    for i in 0..sum.len() {
        sum[i] += positive(-flux[i]);
    }
}

/// Adds what flows into columns through the pipes that lead to them, limited to what can be given.
#[inline(never)]
pub(crate) fn add_given_forward(flux: &[f32], gives: &[f32], sum: &mut [f32]) {
    let (flux, gives) = (&flux[..sum.len()], &gives[..sum.len()]);
    for i in 0..sum.len() {
        sum[i] += positive(flux[i]) * gives[i];
    }
}

/// Adds what flows into columns through the pipes that start from them, limited to what can be
/// given.
#[inline(never)]
pub(crate) fn add_given_backward(flux: &[f32], gives: &[f32], sum: &mut [f32]) {
    let (flux, gives) = (&flux[..sum.len()], &gives[..sum.len()]);
    for i in 0..sum.len() {
        sum[i] += positive(-flux[i]) * gives[i];
    }
}

/// Replaces the outflow of columns by the fraction of it that they can give.
#[inline(never)]
pub(crate) fn turn_outflow_to_share(rules: Rules, depth: &[f32], outflow: &mut [f32]) {
    let depth = &depth[..outflow.len()];
    for i in 0..outflow.len() {
        outflow[i] = rules.gives(depth[i], outflow[i]);
    }
}

/// Replaces the inflow of columns by the fraction of it that they can take. Under the open sky it
/// is all.
#[inline(never)]
pub(crate) fn turn_inflow_to_share(
    rules: Rules,
    ceiling: &[f32],
    height: &[f64],
    inflow: &mut [f32],
) {
    let (ceiling, height) = (&ceiling[..inflow.len()], &height[..inflow.len()]);
    for i in 0..inflow.len() {
        let room = (f64::from(ceiling[i]) - height[i]) as f32;
        inflow[i] = rules.takes(room, inflow[i]);
    }
}

/// Scales fluxes to what their columns can give and take.
#[inline(never)]
pub(crate) fn scale_to_limits(
    gives_0: &[f32],
    gives_1: &[f32],
    takes_0: &[f32],
    takes_1: &[f32],
    flux: &mut [f32],
) {
    let count = flux.len();
    let (gives_0, gives_1) = (&gives_0[..count], &gives_1[..count]);
    let (takes_0, takes_1) = (&takes_0[..count], &takes_1[..count]);
    for i in 0..count {
        flux[i] = times_either(flux[i], [gives_0[i] * takes_1[i], gives_1[i] * takes_0[i]]);
    }
}

/// Adds fluxes.
#[inline(never)]
pub(crate) fn add(flux: &[f32], sum: &mut [f64]) {
    let flux = &flux[..sum.len()];
    for i in 0..sum.len() {
        sum[i] += f64::from(flux[i]);
    }
}

/// Subtracts fluxes.
#[inline(never)]
pub(crate) fn subtract_from(flux: &[f32], sum: &mut [f64]) {
    let flux = &flux[..sum.len()];
    for i in 0..sum.len() {
        sum[i] -= f64::from(flux[i]);
    }
}

/// Replaces the sum of what flows in by the new depths.
#[inline(never)]
pub(crate) fn turn_inflow_to_depth(rules: Rules, before: &[f64], inflow: &mut [f64]) {
    let before = &before[..inflow.len()];
    for i in 0..inflow.len() {
        inflow[i] = rules.depth(before[i], inflow[i]);
    }
}
