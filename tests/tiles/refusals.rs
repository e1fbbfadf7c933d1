//! What cannot be tiled is refused with the reason; each has a twin that can.

use super::{kernel, system, tiled, tiled_by};
use systole::diagnostic::render;
use systole::recurrence::RecurrenceSystem;

fn refused(system: &RecurrenceSystem, sizes: &[(&str, i64)], words: &str) {
    let faults = tiled_by(system, sizes).expect_err("it cannot be tiled so");
    let message = render(&faults, false);
    assert!(message.contains(words), "{message}");
}

#[test]
fn an_index_that_there_is_not() {
    refused(&kernel("matmul"), &[("m", 4)], "no equation has an index `m` to be tiled");
    tiled(&kernel("matmul"), &[("k", 4)]);
}

#[test]
fn two_sizes_for_indices_that_are_compared() {
    refused(&kernel("trisolve"), &[("i", 4), ("j", 3)], "tiles of 4 and of 3 along what is divided alike");
    tiled(&kernel("trisolve"), &[("i", 4), ("j", 4)]);
}

/// `x[i - k + K - 1]` turns one of its indices round, so its tiles depend on the remainder of K.
#[test]
fn tiles_that_do_not_line_up() {
    refused(&kernel("conv1d"), &[("i", 4), ("k", 4)], "the tiles of `x` do not line up");
    tiled(&kernel("fir"), &[("i", 4), ("k", 4)]);
}

/// A tile of L needs the tile of U on the diagonal, and the other way round.
#[test]
fn tiles_that_need_each_other() {
    refused(&kernel("lu"), &[("i", 4)], "is defined by itself");
    tiled(&kernel("lu"), &[("i", 1)]);
}

/// Cells of one time step need those on both sides of the step before, so tiles of several steps would need each other.
#[test]
fn time_steps_of_a_stencil_in_one_tile() {
    refused(&kernel("jacobi1d"), &[("t", 2), ("i", 4)], "is defined by itself");
    tiled(&kernel("jacobi1d"), &[("i", 4)]);
}

#[test]
fn a_tensor_that_is_read_ahead_of_its_order() {
    let ahead = "kernel ahead(N)\nin A[N + 1]\nout X[N + 1]\nX[N] = A[N]\nX[i] = X[i + 1] + A[i]   where i < N\n";
    refused(&system(ahead), &[("i", 4)], "`X` is read ahead of the order of its elements");
    tiled(&kernel("prefix_sum"), &[("i", 4)]);
}

#[test]
fn an_output_that_several_tiles_add_to() {
    refused(&kernel("polynomial_product"), &[("i", 4)], "cannot be tiled");
}
