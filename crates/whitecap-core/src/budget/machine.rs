//! What the machine has free, and what this process holds, as Linux reports it.
//!
//! Free is the least of: memory that programs can get without swapping, what the control group
//! leaves (containers, job schedulers), and what `ulimit -v` leaves.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes that this process could still get; `None` where the system does not say.
pub(super) fn free_bytes() -> Option<u64> {
    let available = kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let rest = [
        left_in_groups("/sys/fs/cgroup", "memory.max", "memory.current"),
        left_in_groups("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
        left_of_addresses(),
    ];
    Some(rest.into_iter().flatten().fold(available, u64::min))
}

/// Bytes that this process holds; `None` where the system does not say.
pub(super) fn resident_bytes() -> Option<u64> {
    kibibytes(&read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// What the control group of this process leaves, and the groups around it: the least of all.
fn left_in_groups(root: &str, most: &str, used: &str) -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    least_left(Path::new(root), group_of(&groups), [most, used])
}

/// The least that a group under `root` and those above it leave; `None` if none has a limit. In a
/// container, the group's own path may not be visible; the root then is the group.
fn least_left(root: &Path, group: &str, names: [&str; 2]) -> Option<u64> {
    let own = root.join(group.trim_start_matches('/'));
    let upwards = own.ancestors().take_while(|folder| folder.starts_with(root));
    upwards.filter_map(|folder| left_in_group(folder, names)).min()
}

/// What one group leaves. Files that the system has merely cached count as free.
fn left_in_group(folder: &Path, [most, used]: [&str; 2]) -> Option<u64> {
    let number = |name: &str| read_to_string(folder.join(name)).ok()?.trim().parse().ok();
    let (most, used): (u64, u64) = (number(most)?, number(used)?);
    let statistics = read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = statistics.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let cached = cached.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Some(most.saturating_sub(used.saturating_sub(cached)))
}

/// The path of the group that counts memory, from `/proc/self/cgroup`.
fn group_of(groups: &str) -> &str {
    let memory = groups.lines().find_map(|line| line.split_once(":memory:"));
    let unified = groups.lines().find_map(|line| line.split_once("0::"));
    memory.or(unified).map_or("", |(_, path)| path.trim())
}

/// What `ulimit -v` leaves; `None` if there is no limit.
fn left_of_addresses() -> Option<u64> {
    let most = address_limit(&read_to_string("/proc/self/limits").ok()?)?;
    let used = kibibytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(used))
}

fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A line such as `VmRSS:    2048 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the numbers are found in what Linux writes; what is missing or unlimited is
    /// `None`, not zero.
    #[test]
    fn numbers_are_found() {
        assert_eq!(
            kibibytes("MemFree: 1 kB\nMemAvailable:   2048 kB\n", "MemAvailable:"),
            Some(2 << 20)
        );
        assert_eq!(kibibytes("MemFree: 1 kB\n", "MemAvailable:"), None);
        let limits =
            "Max processes   1   1  processes\nMax address space   8192000000   unlimited  bytes\n";
        assert_eq!(address_limit(limits), Some(8_192_000_000));
        assert_eq!(address_limit("Max address space   unlimited   unlimited  bytes\n"), None);
        assert_eq!(group_of("12:cpu:/a\n4:memory:/jobs/7\n0::/b\n"), "/jobs/7");
        assert_eq!(group_of("0::/user.slice\n"), "/user.slice");
    }

    /// Contract: a limit of any group above that of the process counts; the tightest one decides. Folders
    /// above the root are not looked at.
    #[test]
    fn limits_of_groups_above_count() {
        let folder = std::env::temp_dir().join(format!("groups-{}", std::process::id()));
        let root = folder.join("root");
        std::fs::create_dir_all(root.join("job/step")).unwrap();
        let set = |group: &str, most: &str, used: &str| {
            std::fs::write(root.join(group).join("most"), most).unwrap();
            std::fs::write(root.join(group).join("used"), used).unwrap();
        };
        let left = |group: &str| least_left(&root, group, ["most", "used"]);
        set("..", "1", "0");
        set("job/step", "max", "50");
        assert_eq!(left("/job/step"), None);
        set("job", "1000\n", "400\n");
        assert_eq!(left("/job/step"), Some(600));
        set("", "5000", "4900");
        assert_eq!(
            (left("/job/step"), left("/"), left("/hidden")),
            (Some(100), Some(100), Some(100))
        );
        std::fs::write(root.join("memory.stat"), "inactive_file 700\n").unwrap();
        assert_eq!(left("/job/step"), Some(600));
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// Contract: on Linux there are numbers, and this process holds less than the machine has.
    #[test]
    #[cfg(target_os = "linux")]
    fn linux_reports_both() {
        assert!(resident_bytes().unwrap() > 100_000);
        assert!(free_bytes().unwrap() > 1_000_000);
    }
}
