//! How fast leaves are, and how that depends on where their tiles are.
//!
//! A library is measured on tiles that the cache of a core has, and on tiles that come out of memory. What lies between is measured
//! once for each task: from one call on some tiles to the next call on the same ones, ever more other tiles are touched. Loops are so
//! slow that memory keeps up with them: one set of tiles is enough, and less work of small ones.

use super::{At, Host, Note, Wanted, median};
use crate::leaf::{Effort, LeafBackend, measure_rates};
use systole_base::machine::{Cluster, Rate, TASKS, Warmth, library};

/// So many MiB of tiles are in the cache of a core.
const WARM: u64 = 1;

/// So many MiB are not.
const COLD: u64 = 64;

/// So many MiB are touched between two calls on the same tiles.
const DISTANCES: [u64; 7] = [WARM, 2, 4, 8, 16, 32, COLD];

/// Loops do a share of the work of libraries.
const SHARE_OF_LOOPS: u64 = 8;

/// Loops are no faster with larger tiles, of which one call takes a second.
const LARGEST_LOOPED: u64 = 128;

/// The side of the tiles on which distances are measured: a call takes long enough, and three of them are smaller than the least distance.
const SIDE: u64 = 128;

/// The sides on which the leaves of a library are measured: the smallest at least.
fn sides(wanted: &Wanted, backend: LeafBackend) -> impl Iterator<Item = u64> {
    let is_measured =
        move |(number, side): &(usize, u64)| backend.is_library() || *number == 0 || *side <= LARGEST_LOOPED;
    wanted.sides.iter().copied().enumerate().filter(is_measured).map(|(_, side)| side)
}

/// How many figures there are at most: a library does not do all tasks.
pub fn most_figures(wanted: &Wanted) -> usize {
    let of_library = |backend: &LeafBackend| {
        let each = if backend.is_library() { 2 } else { 1 };
        each * sides(wanted, *backend).count()
    };
    let has_library = wanted.libraries.iter().any(|backend| backend.is_library());
    let distances = if has_library { DISTANCES.len() } else { 0 };
    TASKS.len() * (distances + wanted.libraries.iter().map(of_library).sum::<usize>())
}

/// Measures all leaves.
pub fn measure<H: Host>(
    host: &mut H,
    wanted: &Wanted,
    cluster: &mut Cluster,
    note: &mut Note<'_>,
) -> Result<(), H::Fault> {
    if let Some(backend) = wanted.libraries.iter().find(|backend| backend.is_library()) {
        for (task, shares) in cluster.reuse.iter_mut().enumerate() {
            *shares = reuse(host, wanted, (task, *backend), note)?;
        }
    }
    for backend in &wanted.libraries {
        let library = library(backend.keyword());
        for task in 0..TASKS.len() {
            cluster.rates[library][task] = rates(host, wanted, (task, *backend), note)?;
        }
    }
    Ok(())
}

/// Which share of a tile comes out of memory after each of the distances, as the time of a task lies between the shortest and
/// the longest; never less than after a shorter one. Nothing of what the library does not do.
fn reuse<H: Host>(
    host: &mut H,
    wanted: &Wanted,
    (task, backend): (usize, LeafBackend),
    note: &mut Note<'_>,
) -> Result<Vec<(u64, f64)>, H::Fault> {
    let mut seconds = |mib: u64| {
        let rates = host.settle(measure_rates(task, SIDE, mib << 20, backend, wanted.effort))?;
        Ok(rates.into_iter().map(|rate| 1.0 / rate).collect::<Vec<f64>>())
    };
    let all = DISTANCES.into_iter().map(|mib| Ok((mib, seconds(mib)?))).collect::<Result<Vec<_>, H::Fault>>()?;
    if all.iter().any(|(_, seconds)| seconds.is_empty()) {
        return Ok(vec![]);
    }
    let key = format!("reuse.{}", TASKS[task]);
    let [warm, cold] = [0, all.len() - 1].map(|at| median(&all[at].1));
    let share = |seconds: &f64| if cold > warm { ((seconds - warm) / (cold - warm)).clamp(0.0, 1.0) } else { 0.0 };
    let mut least: f64 = 0.0;
    let of_distance = all.into_iter().map(|(mib, seconds)| {
        let shares = seconds.iter().map(share).collect();
        least = least.max(note(&key, At::Mib(mib), shares));
        (mib, least)
    });
    Ok(of_distance.collect())
}

/// The rates of a task at all sides.
fn rates<H: Host>(
    host: &mut H,
    wanted: &Wanted,
    (task, backend): (usize, LeafBackend),
    note: &mut Note<'_>,
) -> Result<Rate, H::Fault> {
    let key = format!("{}.{}", backend.keyword(), TASKS[task]);
    let Effort { runs, applications } = wanted.effort;
    let share = if backend.is_library() { 1 } else { SHARE_OF_LOOPS };
    let effort = Effort { runs, applications: applications / share };
    let mut measure = |side: u64, key: &str, mib: u64| {
        let rates = host.settle(measure_rates(task, side, mib << 20, backend, effort))?;
        Ok((!rates.is_empty()).then(|| note(key, At::Side(side), rates)))
    };
    let mut table = vec![];
    for side in sides(wanted, backend) {
        let found = if backend.is_library() {
            let cold = measure(side, &format!("{key}.cold"), COLD)?;
            let warm = measure(side, &format!("{key}.warm"), WARM)?;
            cold.zip(warm).map(|(cold, warm)| Warmth { cold, warm })
        } else {
            measure(side, &key, 0)?.map(Warmth::from)
        };
        table.extend(found.map(|rates| (side, rates)));
    }
    Ok(if table.is_empty() { Rate::Unknown } else { Rate::BySide(table) })
}
