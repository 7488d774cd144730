//! How much memory this process uses, where the system reports it (Linux).

/// Memory of this process in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// In use now.
    pub resident: Option<u64>,
    /// The most that has been in use.
    pub peak: Option<u64>,
}

/// Asks the system.
pub(crate) fn now() -> Memory {
    match std::fs::read_to_string("/proc/self/status") {
        Ok(status) => from_status(&status),
        Err(_) => Memory::default(),
    }
}

fn from_status(status: &str) -> Memory {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    };
    Memory { resident: field("VmRSS:"), peak: field("VmHWM:") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the fields are found and given in bytes; a missing field is `None`, not zero.
    #[test]
    fn fields_are_in_bytes() {
        let memory = from_status("Name:\tx\nVmHWM:\t    2048 kB\nVmSwap:\t 1 kB\n");
        assert_eq!(memory, Memory { resident: None, peak: Some(2048 * 1024) });
    }
}
