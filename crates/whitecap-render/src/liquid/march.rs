//! Finds where a function along a ray changes sign.
//!
//! # Guarantees
//! * A change of sign between two steps is found to the tolerance: the Newton iteration keeps a
//!   bracket and bisects it if a step would leave it.
//! * A change that is undone within a step is found if the function is convex (or concave) over the
//!   step, as it is where a ray grazes the surface. Without slopes ([`first_crossing_of_values`])
//!   the two steps around it must be nearly a parabola.

/// A change of sign along a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Distance from the ray's origin, in m.
    pub distance: f32,
    /// Whether the ray comes from inside.
    pub leaving: bool,
}

/// How to march.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    /// Largest step, in m.
    pub step: f32,
    /// How exactly a crossing is found, in m.
    pub tolerance: f32,
}

/// Value and slope at a distance.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: f32,
    value: f32,
    slope: f32,
}

impl Sample {
    fn inside(&self) -> bool {
        self.value < 0.0
    }
}

/// The first crossing between 0 and `length` that `accept(distance)` accepts. `function(distance)`
/// returns value and slope.
pub(crate) fn first_crossing(
    length: f32,
    stride: Stride,
    mut function: impl FnMut(f32) -> (f32, f32),
    mut accept: impl FnMut(f32) -> bool,
) -> Option<Crossing> {
    let mut sample = |at: f32| {
        let (value, slope) = function(at);
        Sample { at, value, slope }
    };
    let steps = (length / stride.step).ceil().clamp(1.0, 1e5);
    let width = length / steps;
    let mut before = sample(0.0);
    for step in 1..=steps as u32 {
        let after = sample(width * step as f32);
        let middle = match before.inside() == after.inside() {
            true => turning_point(before, after, &mut sample),
            false => Some(after),
        };
        if let Some(middle) = middle {
            for (from, to) in [(before, middle), (middle, after)] {
                if from.inside() != to.inside() {
                    let distance = refine(from, to, stride.tolerance, &mut sample);
                    if accept(distance) {
                        return Some(Crossing { distance, leaving: from.inside() });
                    }
                }
            }
        }
        before = after;
    }
    None
}

/// As [`first_crossing`], for a function without slopes and with a step that may vary along the
/// ray: `step(distance)` is the largest one allowed there.
pub(crate) fn first_crossing_of_values(
    length: f32,
    tolerance: f32,
    step: impl Fn(f32) -> f32,
    mut function: impl FnMut(f32) -> f32,
    mut accept: impl FnMut(f32) -> bool,
) -> Option<Crossing> {
    let mut value = |at: f32| Place { at, value: function(at) };
    let mut first: Option<Place> = None;
    let mut before = value(0.0);
    while before.at < length {
        let step = step(before.at).max(1e-4 * length);
        let after = value((before.at + step).min(length));
        let mut found = |from: Place, to: Place, value: &mut dyn FnMut(f32) -> Place| {
            if from.inside() == to.inside() {
                return None;
            }
            let distance = narrow(from, to, tolerance, value);
            accept(distance).then_some(Crossing { distance, leaving: from.inside() })
        };
        if let Some(start) = first
            && let Some(turn) = vertex(start, before, after)
        {
            let turn = value(turn);
            let (from, to) = if turn.at < before.at { (start, before) } else { (before, after) };
            let crossing = found(from, turn, &mut value).or_else(|| found(turn, to, &mut value));
            if crossing.is_some() {
                return crossing;
            }
        }
        if let Some(crossing) = found(before, after, &mut value) {
            return Some(crossing);
        }
        first = (before.inside() == after.inside()).then_some(before);
        before = after;
    }
    None
}

/// A value at a distance.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: f32,
    value: f32,
}

impl Place {
    fn inside(&self) -> bool {
        self.value < 0.0
    }
}

/// Where the parabola through three points of one sign has the other sign, if it does.
fn vertex(first: Place, middle: Place, last: Place) -> Option<f32> {
    let sign = if middle.inside() { -1.0 } else { 1.0 };
    if last.inside() != middle.inside() {
        return None;
    }
    let [low, here, high] = [first, middle, last].map(|place| sign * place.value);
    if here > low || here > high {
        return None;
    }
    let (before, after) = (middle.at - first.at, last.at - middle.at);
    let (fall, rise) = ((here - low) / before, (high - here) / after);
    let bend = (rise - fall) / (before + after);
    let slope = (fall * after + rise * before) / (before + after);
    let shift = -0.5 * slope / bend;
    let lowest = here + 0.5 * slope * shift;
    (lowest < 0.0 && shift.is_finite()).then_some(middle.at + shift.clamp(-before, after))
}

/// The crossing between two points of different sign (regula falsi, Illinois variant, and bisection
/// when it stalls).
fn narrow(
    mut low: Place,
    mut high: Place,
    tolerance: f32,
    value: &mut dyn FnMut(f32) -> Place,
) -> f32 {
    let (mut low_weight, mut high_weight) = (1.0, 1.0);
    for round in 0..48 {
        let width = high.at - low.at;
        if width <= tolerance {
            break;
        }
        let (a, b) = (low_weight * low.value, high_weight * high.value);
        let share = if round % 4 == 3 { 0.5 } else { (a / (a - b)).clamp(0.01, 0.99) };
        let guess = low.at + share * width;
        if !(guess > low.at && guess < high.at) {
            break;
        }
        let here = value(guess);
        if here.inside() == low.inside() {
            (low, low_weight, high_weight) = (here, 1.0, 0.5 * high_weight);
        } else {
            (high, high_weight, low_weight) = (here, 1.0, 0.5 * low_weight);
        }
    }
    low.at + (high.at - low.at) * low.value / (low.value - high.value)
}

/// A point between two samples of one sign where the function has the other sign, if the slopes
/// point at one.
fn turning_point(
    mut before: Sample,
    mut after: Sample,
    sample: &mut impl FnMut(f32) -> Sample,
) -> Option<Sample> {
    let inside = before.inside();
    let sign = if inside { -1.0 } else { 1.0 };
    for _ in 0..5 {
        let (fall, rise) = (sign * before.slope, sign * after.slope);
        if !(fall < 0.0 && rise > 0.0) {
            return None;
        }
        // Where the tangents meet lies below a convex function.
        let width = after.at - before.at;
        let (low, high) = (sign * before.value, sign * after.value);
        let meet = (high - low - rise * width) / (fall - rise);
        if low + fall * meet > 0.0 {
            return None;
        }
        // The turning point is where the slope passes through zero.
        let turn = (fall / (fall - rise)).clamp(0.02, 0.98);
        let middle = sample(before.at + turn * width);
        if middle.inside() != inside {
            return Some(middle);
        }
        match sign * middle.slope < 0.0 {
            true => before = middle,
            false => after = middle,
        }
    }
    None
}

/// The crossing between two samples of different sign.
fn refine(
    mut low: Sample,
    mut high: Sample,
    tolerance: f32,
    sample: &mut impl FnMut(f32) -> Sample,
) -> f32 {
    let mut guess = low.at + (high.at - low.at) * low.value / (low.value - high.value);
    for round in 0..48 {
        if !(guess > low.at && guess < high.at) {
            guess = 0.5 * (low.at + high.at);
        }
        if high.at - low.at <= tolerance || guess <= low.at || guess >= high.at {
            break;
        }
        let here = sample(guess);
        match here.inside() == low.inside() {
            true => low = here,
            false => high = here,
        }
        let newton = guess - here.value / here.slope;
        if (newton - guess).abs() <= 0.5 * tolerance {
            return newton.clamp(low.at, high.at);
        }
        // Every third round halves the bracket, regardless of the slopes.
        guess = if round % 3 == 2 { 0.5 * (low.at + high.at) } else { newton };
    }
    guess.clamp(low.at, high.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDE: Stride = Stride { step: 0.25, tolerance: 1e-6 };

    fn crossing(function: impl Fn(f32) -> (f32, f32)) -> Option<Crossing> {
        first_crossing(2.0, STRIDE, function, |_| true)
    }

    /// Contract: simple, steep and flat crossings are found to the tolerance, with their direction.
    #[test]
    fn crossings_are_found() {
        let line = crossing(|t| (0.7 - t, -1.0)).unwrap();
        assert!((line.distance - 0.7).abs() < 2e-6 && !line.leaving);
        let steep = crossing(|t| ((t - 1.3).tanh() * 50.0, 50.0 / (t - 1.3).cosh().powi(2)));
        assert!((steep.unwrap().distance - 1.3).abs() < 2e-6 && steep.unwrap().leaving);
        let cubic = crossing(|t| ((t - 0.9).powi(3), 3.0 * (t - 0.9).powi(2))).unwrap();
        assert!((cubic.distance - 0.9).abs() < 1e-2);
        let step = crossing(|t| (if t < 0.61 { 1.0 } else { -1.0 }, 0.0)).unwrap();
        assert!((step.distance - 0.61).abs() < 2e-6);
    }

    /// Contract: a dip below zero far narrower than a step is found; one that stays above is not.
    #[test]
    fn grazing_dips_are_found() {
        for place in [0.3f32, 0.51, 1.12, 1.9] {
            for depth in [1e-2f32, 1e-4, 1e-6] {
                let dip = |sign: f32| {
                    move |t: f32| ((t - place).powi(2) - sign * depth, 2.0 * (t - place))
                };
                let found = crossing(dip(1.0)).unwrap_or_else(|| panic!("{place}, {depth}"));
                assert!((found.distance - (place - depth.sqrt())).abs() < 1e-5);
                assert_eq!(crossing(dip(-1.0)), None);
            }
        }
    }

    /// Contract: without slopes, crossings and parabolic dips are found as well.
    #[test]
    fn crossings_are_found_without_slopes() {
        let march = |function: &dyn Fn(f32) -> f32| {
            first_crossing_of_values(2.0, 1e-6, |at| 0.05 + 0.1 * at, function, |_| true)
        };
        let line = march(&|t| 0.7 - t).unwrap();
        assert!((line.distance - 0.7).abs() < 2e-6 && !line.leaving);
        let step = march(&|t| if t < 0.61 { -1.0 } else { 1.0 }).unwrap();
        assert!((step.distance - 0.61).abs() < 2e-6 && step.leaving);
        for place in [0.3f32, 0.51, 1.12, 1.8] {
            let dip = march(&|t| (t - place).powi(2) - 1e-5).unwrap();
            assert!((dip.distance - (place - 1e-5f32.sqrt())).abs() < 1e-5, "{place}");
            assert_eq!(march(&|t| (t - place).powi(2) + 1e-5), None);
        }
        let second = first_crossing_of_values(2.0, 1e-6, |_| 0.1, |t| (8.0 * t).cos(), |t| t > 0.3);
        assert!((second.unwrap().distance - 3.0 * std::f32::consts::PI / 16.0).abs() < 1e-5);
    }

    /// Contract: crossings that are refused are skipped.
    #[test]
    fn refused_crossings_are_passed_over() {
        let wave = |t: f32| ((8.0 * t).cos(), -8.0 * (8.0 * t).sin());
        let found = first_crossing(2.0, STRIDE, wave, |t| t > 0.7).unwrap();
        assert!((found.distance - 7.0 * std::f32::consts::PI / 16.0).abs() > 1e-3);
        assert!((found.distance - 5.0 * std::f32::consts::PI / 16.0).abs() < 1e-5);
    }
}
