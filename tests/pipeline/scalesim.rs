//! Our cycles and those of SCALE-Sim, an array simulator that counts a whole array of `rows` by `cols` for each fold.
//!
//! Its number is the index of the last cycle, so its length is one more. Where the matrices fit the array in one fold,
//!
//! ```text
//! theirs + 1 = ours + preload + (rows - used rows) + (cols - used cols)
//! ```
//!
//! `os` is our Cannon on M by N PEs, with no preload, and its results are not shifted out. `ws` keeps `B` on K by N PEs, which
//! is our input-stationary schedule; `is` keeps `A` on K by M PEs, our weight-stationary schedule (Cyclotron's weights are
//! `A`). Both first shift what stays into the array, a row a cycle: a preload of `rows`. Unused rows and columns are walked
//! through all the same. All ours are M + N + K - 2.

use super::common::{Bench, kernel, machine};
use systole::network::Network;

const TABLE: &str = include_str!("../oracles/scalesim.csv");

/// A product of M by N by K on an array.
pub struct Row<'a> {
    pub dataflow: &'a str,
    pub rows: i64,
    pub cols: i64,
    pub sizes: [i64; 3],
    pub cycles: i64,
}

/// All of the table.
pub fn table() -> Vec<Row<'static>> {
    let row = |line: &'static str| {
        let (dataflow, rest) = line.split_once(',').unwrap();
        let numbers: Vec<i64> = rest.split(',').map(|number| number.parse().unwrap()).collect();
        let [rows, cols, m, n, k, cycles] = numbers[..] else { panic!("{line}") };
        Row { dataflow, rows, cols, sizes: [m, n, k], cycles }
    };
    TABLE.lines().skip(1).map(row).collect()
}

impl Row<'_> {
    /// Our schedule, the rows and columns of PEs it uses, and the cycles to fill the array.
    pub fn match_schedule(&self) -> (&'static str, i64, i64, i64) {
        let [m, n, k] = self.sizes;
        match self.dataflow {
            "os" => ("cannon", m, n, 0),
            "ws" => ("input-stationary", k, n, self.rows),
            "is" => ("weight-stationary", k, m, self.rows),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn every_single_fold_agrees() {
    let (kernel, machine) = (kernel("matmul.rec"), machine(Network::Mesh));
    let mut covered = 0;
    let all = table();
    for row in &all {
        let (schedule, rows, cols, preload) = row.match_schedule();
        if rows > row.rows || cols > row.cols {
            continue;
        }
        covered += 1;
        let sizes = kernel.sizes(&row.sizes);
        let found = kernel.scheduled(schedule, &machine, &sizes).remove(0);
        let bench = Bench::new(&kernel, &machine, sizes);
        let outcome = bench.run(&bench.program(&found).unwrap()).unwrap();
        assert_eq!(outcome.pes as i64, rows * cols);
        let ours = outcome.cycles as i64 + preload + (row.rows - rows) + (row.cols - cols);
        assert_eq!(row.cycles + 1, ours, "{} {:?} on {} by {}", row.dataflow, row.sizes, row.rows, row.cols);
    }
    assert_eq!((covered, all.len()), (52, 144));
}
