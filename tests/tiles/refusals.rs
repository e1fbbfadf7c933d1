//! What cannot be tiled is refused with the reason; each has a twin that can.

use super::{kernel, system, tiled, tiled_by};
use systole::diagnostic::render;
use systole::extract::{Constraint, SystemConstraint};
use systole::recurrence::RecurrenceSystem;
use systole::recurrence::one_space;
use systole::recurrence::spaces::cut_spaces;

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

#[test]
fn two_sizes_for_indices_that_are_compared() {
    refused(&kernel("trisolve"), &[("i", 4), ("j", 3)], "tiles of 4 and of 3 along what is divided alike");
    tiled(&kernel("trisolve"), &[("i", 4), ("j", 4)]);
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

/// The pivot's row and column of one step go through all tiles of the step before.
#[test]
fn tiles_that_need_each_other() {
    refused(
        &kernel("transitive_closure"),
        &[("k", 2), ("i", 2)],
        "among tiles: element `C[1,0,0]` is defined by itself",
    );
    tiled(&kernel("transitive_closure"), &[("i", 2)]);
}

/// Cells of one time step need those on both sides of the step before, so tiles of several steps would need each other.
#[test]
fn time_steps_of_a_stencil_in_one_tile() {
    refused(&kernel("jacobi1d"), &[("t", 2), ("i", 4)], "among tiles: element `U[1,1]` is defined by itself");
    tiled(&kernel("jacobi1d"), &[("i", 4)]);
}

#[test]
fn a_tensor_that_is_read_ahead_of_its_order() {
    let ahead = "kernel ahead(N)\nin A[N + 1]\nout X[N + 1]\nX[N] = A[N]\nX[i] = X[i + 1] + A[i]   where i < N\n";
    refused(&system(ahead), &[("i", 4)], "`X` is read ahead of the order of its elements");
    tiled(&kernel("prefix_sum"), &[("i", 4)]);
}

/// Tiles of i and of j that differ would meet in tiles of c that are neither.
#[test]
fn two_sizes_for_indices_that_are_added_up() {
    refused(&kernel("polynomial_product"), &[("i", 4), ("j", 3)], "tiles of 4 and of 3");
    tiled(&kernel("polynomial_product"), &[("i", 4), ("j", 4)]);
}

/// A search is of equations over tiles; those over elements have none.
#[test]
fn a_search_of_equations_over_elements_knows_no_tiles() {
    let text = std::fs::read_to_string(format!("{}/kernels/matmul.rec", env!("CARGO_MANIFEST_DIR"))).expect("a kernel");
    let system = system(&format!("{text}\nschedule blocked\ntile i 4\n"));
    let schedule = system.schedule("blocked").expect("a schedule");
    let alone = Constraint::from_schedule(&one_space(&system).expect("a space"), schedule).map(|_| ());
    let cut = SystemConstraint::from_schedule(&cut_spaces(&system).expect("spaces"), schedule).map(|_| ());
    for refused in [alone, cut] {
        let message = render(&refused.expect_err("no tiles"), false);
        assert!(message.contains("a search knows no tiles") && message.contains("tile i 4"), "{message}");
    }
    let tiled = tiled(&system, &[("i", 4)]).system;
    let schedule = tiled.schedule("blocked").expect("a schedule");
    assert!(Constraint::from_schedule(&one_space(&tiled).expect("a space"), schedule).is_ok());
}
