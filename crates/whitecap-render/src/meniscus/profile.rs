//! The planar meniscus: solution of the Young–Laplace equation at a flat wall of any tilt.
//!
//! With lengths in capillary lengths, s the arc length from the wall and ψ the slope angle, ψ̇ = −y,
//! ẏ = −sin ψ, ẋ = cos ψ. The interface leaves the wall with ψ₀ = β − α, and (Deserno 2004, as quoted
//! by Morgenroth 2021, §4.3)
//!
//! ψ(s) = 4 arctan(tan(ψ₀/4) e^(−s)),  y = 2 sin(ψ/2),  x = s + 2 cos(ψ₀/2) − 2 cos(ψ/2).
//!
//! The distance to a wall tilted by β is D = x sin β + (y − y₀) cos β, and dD/ds = sin(β − ψ), which is
//! positive because β − ψ lies between α and β. So the height is a function of D alone, for every tilt
//! and contact angle, even where the interface overhangs.

use std::f64::consts::PI;

use super::ContactHeight;

/// Distance to the wall beyond which there is no meniscus, in capillary lengths. Heights are faded out
/// over the last quarter, where they are below half a percent.
pub const REACH: f32 = 8.0;

/// The smallest angle between wall and undisturbed surface that is corrected; below it, or above its
/// supplement, the two are nearly parallel and it is unclear where they meet.
pub(crate) const SMALLEST_TILT: f32 = 10.0 * std::f32::consts::PI / 180.0;

const ROWS: usize = 33;
const COLUMNS: usize = 257;
/// No slope of the table is steeper than this, even at a contact angle of 0° or 180°.
const STEEPEST: f64 = 1e3;

/// Heights and slopes against distance to the wall and tilt, for one contact angle.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Row by row: height and slope, over the capillary length.
    table: Vec<[f32; 2]>,
}

/// One point of the interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePoint {
    /// Height above the undisturbed surface.
    pub height: f32,
    /// Change of the height with the distance to the wall.
    pub slope: f32,
}

impl Profile {
    /// The table for a contact angle in radians, 0 to π.
    pub fn new(contact_angle: f32, height: ContactHeight) -> Self {
        let mut table = Vec::with_capacity(ROWS * COLUMNS);
        for row in 0..ROWS {
            let low = f64::from(SMALLEST_TILT);
            let tilt = low + (PI - 2.0 * low) * row as f64 / (ROWS - 1) as f64;
            let interface = Interface::new(f64::from(contact_angle), tilt, height);
            let mut arc = 0.0;
            for column in 0..COLUMNS {
                // Columns lie denser near the wall, where the curvature is.
                let share = column as f64 / (COLUMNS - 1) as f64;
                arc = interface.arc_at(f64::from(REACH) * share * share, arc);
                let (height, slope) = interface.height(arc);
                let (fade, fade_slope) = fade(share * share);
                let faded_slope = slope * fade + height * fade_slope / f64::from(REACH);
                table.push([(height * fade) as f32, faded_slope as f32]);
            }
        }
        Self { table }
    }

    /// The interface at a distance to a wall of a tilt in radians; lengths are in capillary lengths.
    #[inline]
    pub fn at(&self, distance: f32, tilt: f32) -> ProfilePoint {
        if distance >= REACH {
            return ProfilePoint { height: 0.0, slope: 0.0 };
        }
        let distance = distance.max(0.0);
        let last = (COLUMNS - 1) as f32;
        let column = ((distance / REACH).sqrt() * last).min(last - 0.001);
        let (left, row_share) = split(column);
        // Linear in the distance between columns.
        let edge = |column: usize| REACH * (column as f32 / last).powi(2);
        let (before, after) = (edge(left), edge(left + 1));
        let share = if row_share > 0.0 { (distance - before) / (after - before) } else { 0.0 };
        let low = SMALLEST_TILT;
        let rows = (ROWS - 1) as f32;
        let row =
            ((tilt - low) / (std::f32::consts::PI - 2.0 * low) * rows).clamp(0.0, rows - 0.001);
        let (below, up) = split(row);
        let mix = |row: usize, item: usize| {
            let [a, b] = [0, 1].map(|step| self.table[row * COLUMNS + left + step][item]);
            a + (b - a) * share
        };
        let blend = |item: usize| {
            let (a, b) = (mix(below, item), mix(below + 1, item));
            a + (b - a) * up
        };
        ProfilePoint { height: blend(0), slope: blend(1) }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<[f32; 2]>()
    }
}

/// One up to three quarters, zero at one, with its slope.
fn fade(share: f64) -> (f64, f64) {
    let late = (4.0 * share - 3.0).max(0.0);
    (1.0 - late * late * (3.0 - 2.0 * late), -24.0 * late * (1.0 - late))
}

fn split(place: f32) -> (usize, f32) {
    (place as usize, place.fract())
}

/// The interface at one wall.
struct Interface {
    /// Slope angle at the wall.
    start: f64,
    /// Tilt of the wall along which distances are taken.
    tilt: f64,
}

impl Interface {
    fn new(contact_angle: f64, tilt: f64, height: ContactHeight) -> Self {
        match height {
            ContactHeight::Exact => Self { start: tilt - contact_angle, tilt },
            ContactHeight::Difference => {
                // Eq. 4.2, and from that height on the interface of a vertical wall.
                let rise = |angle: f64| 2.0 * ((PI - 2.0 * angle) / 4.0).sin();
                let highest = std::f64::consts::SQRT_2 * 0.999_999;
                let rise = (rise(contact_angle) - rise(tilt)).clamp(-highest, highest);
                Self { start: 2.0 * (0.5 * rise).asin(), tilt: 0.5 * PI }
            }
        }
    }

    fn slope_angle(&self, arc: f64) -> f64 {
        4.0 * ((0.25 * self.start).tan() * (-arc).exp()).atan()
    }

    fn distance(&self, arc: f64) -> f64 {
        let slope = self.slope_angle(arc);
        let along = arc + 2.0 * (0.5 * self.start).cos() - 2.0 * (0.5 * slope).cos();
        let rise = 2.0 * (0.5 * slope).sin() - 2.0 * (0.5 * self.start).sin();
        along * self.tilt.sin() + rise * self.tilt.cos()
    }

    /// The arc length at a distance, known to be at least `low`: a Newton iteration with dD/ds =
    /// sin(β − ψ) > 0 that bisects if it would leave its bracket.
    fn arc_at(&self, distance: f64, low: f64) -> f64 {
        let mut low = low;
        let mut high = low + (distance + 8.0) / self.tilt.sin();
        let mut arc = low;
        for _ in 0..80 {
            let miss = self.distance(arc) - distance;
            if miss < 0.0 {
                low = arc
            } else {
                high = arc
            }
            let steep = (self.tilt - self.slope_angle(arc)).sin();
            let next = arc - miss / steep;
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - arc).abs() < 1e-13 * (1.0 + arc) {
                return next;
            }
            arc = next;
        }
        arc
    }

    /// Height and its slope with the distance: dy/dD = −sin ψ / sin(β − ψ).
    fn height(&self, arc: f64) -> (f64, f64) {
        let slope = self.slope_angle(arc);
        let steep = -slope.sin() / (self.tilt - slope).sin().max(1e-12);
        (2.0 * (0.5 * slope).sin(), steep.clamp(-STEEPEST, STEEPEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: heights fall monotonically in size to zero, start at 2 sin((β − α)/2), and at a
    /// vertical wall follow the closed form x(y) = arcosh(2/|y|) − √(4 − y²) + const.
    #[test]
    fn heights_follow_the_closed_form() {
        for degrees in (5..180).step_by(5) {
            let angle = (degrees as f32).to_radians();
            let profile = Profile::new(angle, ContactHeight::Exact);
            for tilt_degrees in [20.0f32, 45.0, 60.0, 90.0, 117.0, 160.0] {
                let tilt = tilt_degrees.to_radians();
                let start = profile.at(0.0, tilt).height;
                let exact = 2.0 * (0.5 * (tilt - angle)).sin();
                assert!(
                    (start - exact).abs() < 1e-3,
                    "{degrees}, {tilt_degrees}: {start}, {exact}"
                );
                let mut previous = f32::INFINITY;
                for step in 0..800 {
                    let height = profile.at(0.01 * step as f32, tilt).height.abs();
                    assert!(height <= previous + 1e-6);
                    previous = height;
                }
                assert!(previous < 1e-4);
            }
            if degrees == 90 {
                continue;
            }
            let closed = |y: f64| (2.0 / y).acosh() - (4.0 - y * y).sqrt();
            let start = 2.0 * f64::from(0.25 * std::f32::consts::PI - 0.5 * angle).sin().abs();
            for step in 1..100 {
                let y = start * f64::from(step) / 100.0;
                let x = (closed(y) - closed(start)) as f32;
                let found = f64::from(profile.at(x, 0.5 * std::f32::consts::PI).height.abs());
                assert!((found - y).abs() < 1e-3, "{degrees}: {found} at {x}, expected {y}");
            }
        }
    }

    /// Contract: slopes are the derivative of the heights; the interface meets the wall at the
    /// contact angle.
    #[test]
    fn slopes_belong_to_the_heights_and_meet_the_wall_at_the_contact_angle() {
        for degrees in (10..180).step_by(10) {
            let angle = (degrees as f32).to_radians();
            let profile = Profile::new(angle, ContactHeight::Exact);
            for tilt_degrees in [45.0f32, 60.0, 90.0, 120.0, 135.0] {
                let tilt = tilt_degrees.to_radians();
                for step in 1..400 {
                    let distance = 0.01 * step as f32;
                    let width = 2e-3;
                    let ahead = profile.at(distance + width, tilt).height;
                    let behind = profile.at(distance - width, tilt).height;
                    let slope = profile.at(distance, tilt).slope;
                    let difference = (ahead - behind) / (2.0 * width);
                    assert!((slope - difference).abs() < 0.02 * (1.0 + slope.abs()));
                }
                // dy/dD = −sin ψ₀ / sin α.
                let slope = profile.at(0.0, tilt).slope;
                let exact = -(tilt - angle).sin() / angle.sin();
                assert!((slope - exact).abs() < 5e-3 * (1.0 + exact.abs()), "{slope}, {exact}");
            }
        }
    }

    /// Contract: Eq. 4.2 is the exact height at vertical walls and differs elsewhere.
    #[test]
    fn the_difference_of_heights_is_exact_at_vertical_walls_only() {
        let angle = 20f32.to_radians();
        let [exact, difference] = [ContactHeight::Exact, ContactHeight::Difference]
            .map(|height| Profile::new(angle, height));
        let at = |profile: &Profile, tilt: f32| profile.at(0.0, tilt.to_radians()).height;
        assert!((at(&exact, 90.0) - at(&difference, 90.0)).abs() < 1e-5);
        assert!((at(&exact, 60.0) - 0.684).abs() < 1e-3);
        assert!((at(&difference, 60.0) - 0.630).abs() < 1e-3);
    }
}
