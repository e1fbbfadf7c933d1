//! What the system tells of memory, in bytes; nothing where it does not.

use std::path::Path;

/// What the machine could give to new work.
pub fn available_memory() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable")
}

/// What this process takes.
pub fn resident() -> Option<u64> {
    field("/proc/self/status", "VmRSS")
}

/// The most that this process took.
pub fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM")
}

/// A line such as `VmHWM:  1234 kB`.
fn field(path: impl AsRef<Path>, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1 << 10)
}
