//! What the system tells of memory, in bytes, and launchers of the processes that they start; nothing where they do not.

use std::path::Path;

/// What the machine could give to new work, no more than the process' control groups leave it.
pub fn available_memory() -> Option<u64> {
    let of_groups = || left_by(Path::new("/sys/fs/cgroup"), &std::fs::read_to_string("/proc/self/cgroup").ok()?);
    field("/proc/meminfo", "MemAvailable").into_iter().chain(of_groups()).min()
}

/// What the control groups of a process leave it: its own, and those that this is in. `mounted` is where they are seen, `told` what the
/// process is told of its own (cgroup v2; a container sees its own as the root). File pages that can be given back count as free.
fn left_by(mounted: &Path, told: &str) -> Option<u64> {
    let own = told.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let own = mounted.join(own);
    let groups = own.ancestors().take_while(|group| group.starts_with(mounted));
    let number = |path: &Path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |group: &Path| {
        let used = number(&group.join("memory.current"))?;
        let statistics = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let pages = statistics.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse::<u64>().ok());
        // `max`, which is no number, is no limit.
        Some(number(&group.join("memory.max"))?.saturating_sub(used.saturating_sub(pages.unwrap_or(0))))
    };
    groups.filter_map(left).min()
}

/// Where launchers tell the processes that they start how many there are, and which one it is: Open MPI, MPICH and its kin, a step of Slurm.
const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// How many processes were started together with this one, itself counted, and which of them it is, where that is told too.
pub fn started_together() -> Option<(usize, Option<usize>)> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    LAUNCHERS.iter().find_map(|(size, rank)| Some((number(size)?, number(rank))))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The narrowest of three groups, one of which has no limit.
    #[test]
    fn a_process_has_what_its_control_groups_leave() {
        let mounted = tempfile::tempdir().expect("a folder");
        let group = |path: &str, limit: &str, used: u64, pages: u64| {
            let folder = mounted.path().join(path);
            std::fs::create_dir_all(&folder).expect("a folder");
            let files = [
                ("memory.max", format!("{limit}\n")),
                ("memory.current", format!("{used}\n")),
                ("memory.stat", format!("anon 1\ninactive_file {pages}\n")),
            ];
            files.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).expect("written"));
        };
        group("slice", "1000", 700, 100);
        group("slice/job", "max", 600, 0);
        group("slice/job/step", "900", 300, 0);
        let left = |told: &str| left_by(mounted.path(), told);
        assert_eq!(left("0::/slice/job/step\n"), Some(400));
        group("slice/job/step", "900", 501, 0);
        assert_eq!(left("1:cpu:/x\n0::/slice/job/step\n"), Some(399));
        assert_eq!((left("0::/slice/job\n"), left("0::/\n"), left("")), (Some(400), None, None));
    }
}
