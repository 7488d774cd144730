//! Numbers as people read them.

use std::path::Path;
use std::time::Duration;

pub use whitecap_core::counted as count;

/// A path in an answer. What is not Unicode in it is replaced.
pub fn path(path: &Path) -> String {
    path.display().to_string()
}

/// `3.2 s`, `1 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `, about 40 s left`, or nothing while it is unknown.
pub fn time_left(remaining: Option<Duration>) -> String {
    remaining
        .map_or_else(String::new, |left| format!(", about {} left", duration(left.as_secs_f64())))
}

/// A number with the plural that a metric is called by, in the singular if there is one:
/// `1 particle`, `2 vertices`.
pub fn of_plural(number: f64, plural: &str) -> String {
    let singular = match plural.strip_suffix("vertices") {
        Some(start) => format!("{start}vertex"),
        None => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
    };
    format!("{number} {}", if number == 1.0 { &singular } else { plural })
}

/// `640 bytes`, `12.3 MB`.
pub fn bytes(number: u64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match STEPS.iter().find(|(size, _)| number as f64 >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", number as f64 / size),
        None => count(number as usize, "byte"),
    }
}

/// A number of a report: short, with four to seven digits that matter.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match value {
        0.0 => String::from("0"),
        _ if !(1e-4..1e7).contains(&size) => format!("{value:.4e}"),
        _ if size >= 1000.0 => format!("{value:.1}"),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: each range of sizes has its own wording, and singular and plural agree with the
    /// number.
    #[test]
    fn sizes_choose_the_wording() {
        assert_eq!(duration(3.21), "3.2 s");
        assert_eq!(duration(80.2), "1 min 20 s");
        assert_eq!(duration(7500.0), "2 h 5 min");
        assert_eq!(count(1, "frame"), "1 frame");
        assert_eq!(count(0, "frame"), "0 frames");
        assert_eq!(of_plural(1.0, "particles"), "1 particle");
        assert_eq!(of_plural(1.0, "vertices"), "1 vertex");
        assert_eq!(of_plural(2.0, "vertices"), "2 vertices");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(1e-7), "1.0000e-7");
        assert_eq!(time_left(None), "");
    }
}
