//! Memory: how much this process may use (`--memory`), and how much it has used.

use clap::{Arg, ArgMatches};
use whitecap_core::budget;

/// `--memory`, for every command.
pub fn flag() -> Arg {
    Arg::new("memory")
        .long("memory")
        .value_name("SIZE")
        .global(true)
        .help("How much memory to use at most, such as 8GB; work that needs more is refused before it starts [default: what is free]")
        .value_parser(size)
}

/// Sets the limit that `--memory` asks for.
pub fn limit(matches: &ArgMatches) {
    budget::set_memory_limit(matches.get_one::<u64>("memory").copied());
}

/// `8GB`, `1.5 TB`, `512MiB`, `4000000000`; in bytes.
fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 10] = [
        ("", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
    ];
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim(), text[end..].trim());
    let factor = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    match (number.parse::<f64>(), factor) {
        (Ok(number), Some((_, factor))) if number > 0.0 && number.is_finite() => {
            Ok((number * factor) as u64)
        }
        _ => Err(String::from("a size is a number with a unit, such as 500MB, 8GB or 1.5TB")),
    }
}

/// The most memory that this process has used, in bytes; `None` where the system does not say.
pub fn peak_bytes() -> Option<u64> {
    from_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn from_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: sizes have the usual units, in either case; what is no size gets a sentence.
    #[test]
    fn sizes_have_units() {
        let sizes = [("8GB", 8_000_000_000), ("1.5 tb", 1_500_000_000_000), ("1GiB", 1 << 30)];
        for (text, bytes) in sizes.into_iter().chain([("4000", 4000), ("0.5kb", 500)]) {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GB", "8 apples", "-1GB", "nanGB", "0", "1e999"] {
            assert!(size(text).unwrap_err().contains("8GB"), "{text}");
        }
    }

    /// Contract: kibibytes become bytes; if the line is missing there is no number.
    #[test]
    fn the_peak_is_in_bytes() {
        assert_eq!(from_status("Name:\tx\nVmHWM:\t  2048 kB\n"), Some(2048 * 1024));
        assert_eq!(from_status("Name:\tx\n"), None);
    }
}
