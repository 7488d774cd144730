//! How much light a smooth interface reflects, for unpolarised light (Born & Wolf 1999, §1.5 and
//! §14.2).

use glam::Vec3;

/// Reflectance of an interface between two transparent media, seen from the side of `cosine`; `index`
/// is that of the other side divided by that of this side.
pub fn dielectric(cosine: f32, index: f32) -> f32 {
    let cosine = cosine.clamp(0.0, 1.0);
    let Some(transmitted) = transmitted_cosine(cosine, index) else { return 1.0 };
    let parallel = (index * cosine - transmitted) / (index * cosine + transmitted);
    let perpendicular = (cosine - index * transmitted) / (cosine + index * transmitted);
    0.5 * (parallel * parallel + perpendicular * perpendicular)
}

/// Cosine of the refracted direction (Snell's law); `None` where all light is reflected.
pub fn transmitted_cosine(cosine: f32, index: f32) -> Option<f32> {
    let squared = 1.0 - (1.0 - cosine * cosine) / (index * index);
    (squared > 0.0).then(|| squared.sqrt())
}

/// Reflectance of a metal with a complex index of refraction `index` + i `extinction`, seen from a
/// vacuum.
pub fn metal(cosine: f32, index: f32, extinction: f32) -> f32 {
    let cosine = cosine.clamp(0.0, 1.0);
    let cosine_squared = cosine * cosine;
    let sine_squared = 1.0 - cosine_squared;
    let (n2, k2) = (index * index, extinction * extinction);
    let difference = n2 - k2 - sine_squared;
    let a2_b2 = (difference * difference + 4.0 * n2 * k2).sqrt();
    let a = (0.5 * (a2_b2 + difference)).max(0.0).sqrt();
    let sum = a2_b2 + cosine_squared;
    let perpendicular = (sum - 2.0 * a * cosine) / (sum + 2.0 * a * cosine);
    let sum = cosine_squared * a2_b2 + sine_squared * sine_squared;
    let cross = 2.0 * a * cosine * sine_squared;
    let parallel = perpendicular * (sum - cross) / (sum + cross);
    0.5 * (parallel + perpendicular)
}

/// Approximate reflectance from that at normal incidence (Schlick 1994).
pub fn schlick(cosine: f32, normal_reflectance: Vec3) -> Vec3 {
    let weight = (1.0 - cosine.clamp(0.0, 1.0)).powi(5);
    normal_reflectance + (Vec3::ONE - normal_reflectance) * weight
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known values: ((n − 1) / (n + 1))² at normal incidence, half the perpendicular part at Brewster's
    /// angle, everything at grazing incidence and beyond the angle of total reflection.
    #[test]
    fn closed_forms() {
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
        for index in [1.31f32, 1.333, 1.5, 2.4] {
            near(dielectric(1.0, index), ((index - 1.0) / (index + 1.0)).powi(2));
            near(dielectric(1.0, 1.0 / index), ((index - 1.0) / (index + 1.0)).powi(2));
            let brewster = index.atan();
            near(dielectric(brewster.cos(), index), 0.5 * (2.0 * brewster).cos().powi(2));
            near(dielectric(0.0, index), 1.0);
            let critical = (1.0 - 1.0 / (index * index)).sqrt();
            near(dielectric(0.99 * critical, 1.0 / index), 1.0);
            assert!(dielectric(1.01 * critical, 1.0 / index) < 1.0);
        }
    }

    /// Light takes the same path back: both sides reflect alike at corresponding angles.
    #[test]
    fn both_sides_reflect_alike() {
        for step in 1..20 {
            let cosine = 0.05 * step as f32;
            let inside = transmitted_cosine(cosine, 1.333).unwrap_or(0.0);
            let difference = dielectric(cosine, 1.333) - dielectric(inside, 1.0 / 1.333);
            assert!(difference.abs() < 1e-4, "{cosine}: {difference}");
        }
    }

    /// A metal that absorbs nothing is a dielectric; with absorption normal incidence has a closed form.
    #[test]
    fn metals() {
        for step in 0..=20 {
            let cosine = 0.05 * step as f32;
            assert!((metal(cosine, 1.5, 0.0) - dielectric(cosine, 1.5)).abs() < 1e-5);
        }
        let (n, k) = (0.2f32, 3.9f32);
        let expected = ((n - 1.0).powi(2) + k * k) / ((n + 1.0).powi(2) + k * k);
        assert!((metal(1.0, n, k) - expected).abs() < 1e-5);
    }
}
