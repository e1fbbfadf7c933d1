//! What cannot be tiled is refused with the reason; each has a twin that can.

use super::{kernel, system, tiled, tiled_by};
use systole_base::diagnostic::render;
use systole_equations::recurrence::RecurrenceSystem;

fn refused(system: &RecurrenceSystem, sizes: &[(&str, i64)], words: &str) {
    let faults = tiled_by(system, sizes).expect_err("it cannot be tiled so");
    let message = render(&faults, false);
    assert!(message.contains(words), "{message}");
}

#[test]
fn an_index_that_there_is_not() {
    refused(&kernel("matmul"), &[("m", 4)], "no equation has an index `m` to be tiled");
    refused(&kernel("matmul"), &[("m", 4)], "the indices are `i`, `j`, `k`");
    tiled(&kernel("matmul"), &[("k", 4)]);
}

/// `x[i - k + K - 1]` turns one of its indices round, so its tiles depend on the remainder of K. An input may have empty tiles
/// around for that; what is computed may not.
#[test]
fn tiles_that_do_not_line_up() {
    let text = "kernel turned(N, K)\nin w[K], a[N + K - 1]\nlocal x[N + K - 1]\nout y[N]\nx[j] = a[j] * a[j]\n\
                y[i] = sum(k) w[k] * x[i - k + K - 1]\n";
    refused(&system(text), &[("i", 4), ("k", 4), ("j", 4)], "the tiles of `x` do not line up");
    tiled(&kernel("conv1d"), &[("i", 4), ("k", 4)]);
}

/// What a range takes off a size takes no tile off: it is cut like a tensor of that size and a border, so that neighbours line up. Those of
/// a tensor without the border do not.
#[test]
fn a_range_that_is_shorter_than_a_tensor_is_cut_as_it_is() {
    let text = |extent: &str| {
        format!(
            "kernel short(M, N)\nin a[{extent}]\nlocal Y[{extent}]\nout X[M]\nY[j] = a[j] * 2\n\
             X[i] = sum(k in 0..N - M) Y[k + 1] + i\n"
        )
    };
    tiled(&system(&text("N + 1")), &[("i", 2), ("k", 2), ("j", 2)]);
    refused(&system(&text("N")), &[("i", 2), ("k", 2), ("j", 2)], "the tiles of `Y` do not line up");
}

/// Values that go all the way round in one step: no multiple of the steps moves them in order.
#[test]
fn time_steps_around_a_ring_in_one_tile() {
    let ring = "kernel ring(T, N)\nin A[N]\nout U[T + 1, N]\nU[0, i] = A[i]\nU[t, 0] = U[t - 1, N - 1]   where 1 <= t\n\
                U[t, i] = U[t - 1, i - 1] + U[t - 1, i]   where 1 <= t, 1 <= i\n";
    refused(&system(ring), &[("t", 2), ("i", 4)], "among tiles: element `U[1,0]` is defined by itself");
    tiled(&system(ring), &[("i", 4)]);
}

/// Durbin's rows are added to themselves from their ends: of two rows, the tile at the front needs that at the end, and that
/// one the first.
#[test]
fn rows_that_are_added_to_themselves_from_their_ends() {
    let rows = system(
        "kernel rows(N)\nin a[N]\nout y[N]\nlocal z[N, N]\nz[k, k] = a[k]\n\
         z[k, i] = z[k - 1, i] + a[k] * z[k - 1, k - i - 1]   where i < k\nz[k, i] = 0   where i > k\ny[i] = z[N - 1, i]\n",
    );
    refused(&rows, &[("i", 2), ("k", 2)], "among tiles: element `z[");
    refused(&rows, &[("i", 3), ("k", 3)], "is defined by itself");
    tiled(&rows, &[("i", 1), ("k", 1)]);
}

/// Durbin's recursion needs all of a row for the number that its next row is made with.
#[test]
fn durbin_in_tiles_of_several_rows() {
    let durbin = system(include_str!("../textbook/durbin.rec"));
    refused(&durbin, &[("i", 2), ("k", 2)], "(each is needed for the next) at N = 2");
    refused(&durbin, &[("i", 64), ("k", 64)], "among tiles: element `alpha[0]` is defined by itself");
    tiled(&durbin, &[("i", 3), ("k", 1)]);
    // The same numbers by Schur's recursion, without the inner product.
    tiled(&kernel("polybench/durbin"), &[("i", 3), ("j", 3), ("k", 3)]);
}

/// Along no subscript do all reads go back: no multiple of one moves the other in order, though `3*i + 2*j` has an order.
#[test]
fn a_tensor_whose_reads_go_back_along_no_subscript() {
    let zigzag = |value: &str| {
        system(&format!(
            "kernel zigzag(N)\nin A[N, N]\nout X[N, N]\nX[i, j] = A[i, j] where j <= 1\n\
             X[i, j] = A[i, j] where j >= 2, i == 0\nX[i, j] = A[i, j] where j >= 2, 1 <= i, i == N - 1\n\
             X[i, j] = A[i, j] where j >= 2, 1 <= i, i <= N - 2, j == N - 1\n\
             X[i, j] = {value} where 2 <= j, j <= N - 2, 1 <= i, i <= N - 2\n"
        ))
    };
    let both = zigzag("X[i + 1, j - 2] + X[i - 1, j + 1]");
    refused(&both, &[("i", 3), ("j", 4)], "among tiles: element `X[0,0]` is defined by itself");
    refused(&both, &[("i", 3), ("j", 4)], "X[0,0] -> X[1,0] -> X[0,0] (each is needed for the next) at N = 5");
    for one in ["X[i + 1, j - 1] + X[i + 1, j - 2]", "X[i - 1, j - 1] + X[i, j - 2]"] {
        tiled(&zigzag(one), &[("i", 3), ("j", 4)]);
    }
}

/// One sum over one index and one over two, into the same tensor; alone each is tiled.
#[test]
fn sums_of_another_number_of_indices() {
    let one = "X[i] = sum(k in 0..M) 1   where i <= 0\n";
    let two = "X[i] = sum(k in i..M) (sum(l in 0..M) 1)   where 1 <= i\n";
    let zeros = ["X[i] = 0   where i <= 0\n", "X[i] = 0   where 1 <= i\n"];
    let kernel = |equations: &str| system(&format!("kernel sums(M)\nout X[M]\n{equations}"));
    let sizes = [("i", 2), ("k", 2), ("l", 2)];
    refused(&kernel(&format!("{one}{two}")), &sizes, "its subscripts do not name its points");
    tiled(&kernel(&format!("{one}{}", zeros[1])), &sizes[..2]);
    tiled(&kernel(&format!("{}{two}", zeros[0])), &sizes);
}
