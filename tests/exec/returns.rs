//! Words that come back to a worker that sent them are named, and counted in a prediction.

use super::programs::{Way, program, shown, sizes};
use systole::exec::{Counts, Settings, predict};
use systole::integer::Bindings;
use systole::machine::{Cluster, Rate};
use systole::recurrence::Distribution;

/// A program whose leaves take no time to speak of.
fn counted(way: &Way, sizes: &Bindings, settings: &Settings) -> Counts {
    let mut cluster = Cluster { message: 1e-6, operation: 1e-9, ..Cluster::default() };
    cluster.rates.iter_mut().flatten().for_each(|rate| *rate = Rate::Constant(1e9));
    let predicted = predict(&program(&way.emit()), sizes, settings, &cluster);
    predicted.unwrap_or_else(|faults| panic!("{}", shown(&faults))).counts
}

/// Cholesky's factor in tiles of 2, whose columns of PEs are distributed in turn.
fn cholesky(tiles: i64, workers: usize, capacity: Option<u64>) -> Counts {
    let flags = ["--tile", "i=2", "--schedule", "timed"].map(str::to_owned).to_vec();
    let way = Way { kernel: "cholesky".to_owned(), flags };
    let arrangement = Some(vec![1, workers]);
    let settings = Settings {
        workers,
        apart: true,
        distribution: Some(Distribution::Cyclic),
        arrangement,
        capacity,
        ..Settings::default()
    };
    counted(&way, &sizes(&[("N", 2 * tiles)]), &settings)
}

/// Each tile below the diagonal goes from its column of PEs to that of its row, one column at a time. On two workers the first hop is to
/// the other one, and all others are back to where the tile came from.
#[test]
fn on_two_workers_each_tile_is_sent_once() {
    for tiles in 1..=9i64 {
        let hops = (0..tiles).flat_map(|column| (column + 1..tiles).map(move |row| (row - column) as u64));
        let (words, sent) = (hops.clone().sum::<u64>(), hops.count() as u64);
        for capacity in [None, Some(2), Some(9)] {
            let counts = cholesky(tiles, 2, capacity);
            assert_eq!((counts.words, counts.returned), (words, words - sent), "{tiles} tiles, {capacity:?} slots");
        }
    }
}

/// With three workers in a ring nobody sends to whom it has just heard; with one nobody sends.
#[test]
fn only_what_goes_back_at_once_is_named() {
    assert_eq!(cholesky(7, 3, None).returned, 0);
    assert_eq!((cholesky(7, 1, None).words, cholesky(7, 1, None).returned), (0, 0));
}
