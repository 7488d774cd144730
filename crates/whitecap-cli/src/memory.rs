//! Peak memory of this process, where the system reports it (Linux).

/// In bytes.
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

    /// Contract: kibibytes become bytes; if the line is missing there is no number.
    #[test]
    fn the_peak_is_in_bytes() {
        assert_eq!(from_status("Name:\tx\nVmHWM:\t  2048 kB\n"), Some(2048 * 1024));
        assert_eq!(from_status("Name:\tx\n"), None);
    }
}
