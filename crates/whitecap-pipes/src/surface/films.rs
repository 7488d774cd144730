//! How high the surface lies above the ground where the liquid is a thin film.
//!
//! However shallow the liquid, its surface keeps a minimum distance from the ground, so that the
//! two do not flicker through each other. At a front, that alone would draw a step around every
//! cell with a trace of liquid. Depths fall by powers of ten from cell to cell there, so films of a
//! few nanometres rise out of the ground with the logarithm of their depth: the visible edge is
//! where they cross the ground, between the cells, and moves smoothly.

use crate::liquid::columns::DRY_DEPTH;
use crate::surface::ground::Level;

/// Liquid shallower than this, in cells, counts as none: a nanometre in cells of half a millimetre.
const UNSEEN: f64 = 2e-6;
/// Liquid of this depth, in cells, just emerges from the ground; at ten times the depth it is above
/// it by its full minimum thickness, and at a tenth it is as far below.
const EMERGING: f32 = 2e-5;
/// Columns whose heights are found together.
const STRETCH: usize = 32;

/// How films are shown, in metres.
#[derive(Clone, Copy)]
pub(super) struct Films {
    /// Depth up to which there is no film.
    unseen: f64,
    /// Depth at which a film emerges from the ground.
    emerging: f32,
    /// Its minimum distance above the ground, once it is well out of it.
    thickness: f32,
}

impl Films {
    /// Films of a minimum thickness on cells of a size.
    pub fn new(cell: f32, thickness: f32) -> Self {
        let unseen = (UNSEEN * f64::from(cell)).max(DRY_DEPTH);
        Self { unseen, emerging: EMERGING * cell, thickness }
    }

    /// Height of the liquid, or of the ground where there is none.
    pub fn level(&self, floor: f32, depth: f64) -> f32 {
        if depth > self.unseen { (f64::from(floor) + depth) as f32 } else { floor }
    }

    /// States and heights of the vertices of some columns. `minimum` is their distance from the
    /// ground where that must be more than the minimum thickness.
    pub fn find_heights(
        self,
        floor: &[f32],
        ceiling: &[f32],
        depth: &[f64],
        minimum: Option<&[f32]>,
        state: &mut [Level],
        raised: &mut [f32],
    ) {
        let thickness = self.thickness;
        match minimum {
            Some(minimum) => {
                let lift = |i: usize| minimum[i].max(thickness);
                self.lift(floor, ceiling, depth, lift, state, raised);
            }
            None => self.lift(floor, ceiling, depth, |_| thickness, state, raised),
        }
    }

    /// In groups: most are all dry or all deeper than a film.
    fn lift(
        self,
        floor: &[f32],
        ceiling: &[f32],
        depth: &[f64],
        lift: impl Fn(usize) -> f32,
        state: &mut [Level],
        raised: &mut [f32],
    ) {
        for first in (0..state.len()).step_by(STRETCH) {
            let own = first..(first + STRETCH).min(state.len());
            let (least, most) = least_and_most(&depth[own.clone()]);
            let (state, raised) = (&mut state[own.clone()], &mut raised[own.clone()]);
            let (floor, ceiling, depth) = (&floor[own.clone()], &ceiling[own.clone()], &depth[own]);
            if most <= self.unseen {
                state.fill(Level::Dry);
                raised.copy_from_slice(floor);
            } else if least >= 10.0 * f64::from(self.emerging) {
                lift_liquid(floor, ceiling, depth, |i| lift(first + i), state, raised);
            } else {
                lift_films(floor, ceiling, depth, self, |i| lift(first + i), state, raised);
            }
        }
    }
}

/// The smallest and the largest of some depths.
fn least_and_most(depths: &[f64]) -> (f64, f64) {
    let smaller = |a: f64, b: f64| if a < b { a } else { b };
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    depths.iter().fold((f64::INFINITY, 0.0), |(least, most), &depth| {
        (smaller(depth, least), larger(depth, most))
    })
}

/// Heights of columns that are all deeper than an emerging film.
fn lift_liquid(
    floor: &[f32],
    ceiling: &[f32],
    depth: &[f64],
    lift: impl Fn(usize) -> f32,
    state: &mut [Level],
    raised: &mut [f32],
) {
    for i in 0..state.len() {
        let level = (f64::from(floor[i]) + depth[i]) as f32;
        state[i] = if level < ceiling[i] { Level::Free } else { Level::Flooded };
        raised[i] = (floor[i] + lift(i)).min(ceiling[i]).max(level);
    }
}

/// Heights of columns of any depth.
fn lift_films(
    floor: &[f32],
    ceiling: &[f32],
    depth: &[f64],
    films: Films,
    lift: impl Fn(usize) -> f32,
    state: &mut [Level],
    raised: &mut [f32],
) {
    for i in 0..state.len() {
        let is_wet = depth[i] > films.unseen;
        let level = films.level(floor[i], depth[i]);
        let filled = if level < ceiling[i] { Level::Free } else { Level::Flooded };
        state[i] = if is_wet { filled } else { Level::Dry };
        let emerged = emerged(depth[i] as f32 / films.emerging);
        let lift = if emerged < 0.0 { films.thickness } else { lift(i) };
        let lifted = (floor[i] + emerged * lift).min(ceiling[i]);
        let lifted = if emerged < 0.0 { lifted } else { lifted.max(level) };
        raised[i] = if is_wet { lifted } else { floor[i] };
    }
}

/// How far a film has emerged from the ground, from −1 at a tenth of the depth at which it emerges
/// to 1 at ten times that depth: the logarithm, interpolated linearly between powers of two.
fn emerged(depth: f32) -> f32 {
    let exponent_and_rest = depth.to_bits() as i32 as f32 / (1 << 23) as f32;
    ((exponent_and_rest - 127.0) * std::f32::consts::LOG10_2).clamp(-1.0, 1.0)
}
