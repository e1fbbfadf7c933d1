//! Recurrences on grids of points that depend on themselves.

use crate::common::{Line, kernel};

const SMITH_WATERMAN: &str = "kernel smith_waterman(M, N)
in  a[M], b[N]
out H[M + 1, N + 1]
H[i, 0] = 0
H[0, j] = 0   where 1 <= j
H[i, j] = max(max(0, H[i - 1, j - 1] + select(a[i - 1] == b[j - 1], 2, -1)), max(H[i - 1, j], H[i, j - 1]) - 1)
    where 1 <= i, 1 <= j";

const ALIGNMENT: &[Line] = &[("H", "i", "i+j", &["handoff", "prefetch", "stream i", "handoff", "handoff"], &[])];

#[test]
fn an_alignment_takes_a_pe_for_each_letter() {
    let alignment = kernel(SMITH_WATERMAN);
    for (m, n) in [(1, 1), (1, 4), (4, 1), (2, 3), (5, 5), (8, 3), (3, 8)] {
        let outcome = alignment.hold(ALIGNMENT, &[m, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((m + n - 1) as u64, m as u64), "{m} by {n}");
    }
}
