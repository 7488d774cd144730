//! Particles absurdly far from the rest, or absurdly large: one wild number of a solver can cost
//! more than all the others together.
//!
//! A particle is an outlier if it is [`FAR`] times as far from the middle of the particles as the
//! median particle, or has [`LARGE`] times the median radius. Spray is not: it would have to fly
//! hundreds of times the size of its tank. Middle and median are not moved by outliers, as long as
//! most particles are none.

use glam::{DVec3, Vec3};

use crate::Particles;
use crate::budget::OverBudget;

/// Distances from the middle beyond which a particle is an outlier, in median distances.
pub const FAR: f64 = 1000.0;
/// Radius beyond which a particle is an outlier, in median radii.
pub const LARGE: f32 = 100.0;

/// A particle that does not belong with the others.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Outlier {
    /// Too far from the rest.
    #[error(
        "particle {index} at {position} m is {ratio:.1e} times as far from the middle of the particles as usual"
    )]
    Far {
        /// Which particle.
        index: usize,
        /// Where it is.
        position: Vec3,
        /// Its distance relative to the median.
        ratio: f64,
    },
    /// Too large.
    #[error("particle {index} has the radius {radius} m, {ratio:.1e} times the usual one")]
    Large {
        /// Which particle.
        index: usize,
        /// Its radius.
        radius: f32,
        /// Its radius relative to the median.
        ratio: f32,
    },
}

impl Outlier {
    /// Which particle.
    pub fn index(&self) -> usize {
        match *self {
            Outlier::Far { index, .. } | Outlier::Large { index, .. } => index,
        }
    }
}

/// The outliers, in ascending order, each once. Fewer than three particles have none, and numbers
/// that are not finite are none.
pub fn outliers(particles: &Particles) -> Vec<Outlier> {
    let mut found = far(particles.positions());
    found.extend(large(particles.radii().unwrap_or(&[])));
    found.sort_by_key(Outlier::index);
    found.dedup_by_key(|outlier| outlier.index());
    found
}

/// A refusal of memory or time for these particles: if there is an outlier, it says so, and how to
/// leave it out.
pub fn blame(refused: OverBudget, particles: &Particles) -> OverBudget {
    OverBudget { outlier: outliers(particles).first().copied().map(Box::new), ..refused }
}

/// How a user leaves outliers out.
pub const LEAVE_OUT: &str = "leave it out (`--outliers leave-out`, or `outliers` of its cache)";

fn far(positions: &[Vec3]) -> Vec<Outlier> {
    if positions.len() < 3 {
        return Vec::new();
    }
    let axis = |axis: usize| median(positions.iter().map(|p| f64::from(p[axis])));
    let middle = DVec3::new(axis(0), axis(1), axis(2));
    let distance = |position: &Vec3| position.as_dvec3().distance(middle);
    let usual = median(positions.iter().map(distance));
    let places = positions.iter().enumerate();
    let outlier = |(index, position): (usize, &Vec3)| {
        let ratio = distance(position) / usual;
        let is_outlier = usual > 0.0 && ratio > FAR && position.is_finite();
        is_outlier.then_some(Outlier::Far { index, position: *position, ratio })
    };
    places.filter_map(outlier).collect()
}

fn large(radii: &[f32]) -> Vec<Outlier> {
    if radii.len() < 3 {
        return Vec::new();
    }
    let usual = median(radii.iter().map(|&radius| f64::from(radius))) as f32;
    let outlier = |(index, &radius): (usize, &f32)| {
        let ratio = radius / usual;
        let is_outlier = usual > 0.0 && ratio > LARGE && radius.is_finite();
        is_outlier.then_some(Outlier::Large { index, radius, ratio })
    };
    radii.iter().enumerate().filter_map(outlier).collect()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, attributes};

    fn block() -> Vec<Vec3> {
        (0..1000)
            .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32))
            .collect()
    }

    /// Contract: a particle absurdly far away and one absurdly large are named; spray a hundred
    /// tanks away is left alone, and so are numbers that are not finite.
    #[test]
    fn outliers_are_named_and_spray_is_not() {
        let mut positions = block();
        positions[7] = Vec3::new(1e38, 0.0, 0.0);
        positions[9] = Vec3::new(900.0, 0.0, 0.0);
        positions[11] = Vec3::NAN;
        let mut radii = vec![0.5; 1000];
        (radii[3], radii[7], radii[12]) = (500.0, 500.0, 4.0);
        let mut particles = Particles::new(positions);
        particles.set_attribute(attributes::RADIUS, Column::F32(radii)).unwrap();
        let found = outliers(&particles);
        assert_eq!(found.iter().map(Outlier::index).collect::<Vec<_>>(), [3, 7]);
        assert!(found[0].to_string().contains("particle 3 has the radius 500 m"));
        assert!(found[1].to_string().contains("particle 7 at"), "{}", found[1]);
        assert!(outliers(&Particles::new(block())).is_empty());
        assert!(outliers(&Particles::new(vec![Vec3::ONE; 5])).is_empty());
    }
}
