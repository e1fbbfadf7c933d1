//! Several steps of a stencil in one tile: how subscripts are moved, and that no bit changes.

use super::meaning::inputs;
use super::{kernel, system, tiled, tiled_by};
use systole_base::integer::Bindings;
use systole_equations::recurrence::{RecurrenceSystem, evaluate};
use systole_equations::tiles::{TileChains, evaluate_tiled};

/// What is in tiles in place of subscripts.
fn moved(system: &RecurrenceSystem, sizes: &[(&str, i64)]) -> Vec<String> {
    tiled(system, sizes).moved.iter().map(|(form, size)| format!("{form} by {size}")).collect()
}

/// Tiles by these sizes, at these values of the parameters, give the bits of the elements one by one.
fn check(system: &RecurrenceSystem, sides: &[(&str, i64)], values: &[&[i64]]) {
    let tiled = tiled(system, sides);
    for values in values {
        let sizes: Bindings = system.parameters.iter().cloned().zip(values.iter().copied()).collect();
        let inputs = inputs(system, &sizes);
        let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
        assert_eq!(found, evaluate(system, &sizes, &inputs).unwrap(), "{} {sides:?} at {values:?}", system.name);
    }
}

/// Sweeps that read both neighbours of the sweep before move by one element a sweep, two tensors in turn by two; a sweep in place moves each row, too.
#[test]
fn subscripts_are_moved_as_little_as_does() {
    let moved = |title: &str, sizes: &[(&str, i64)]| moved(&kernel(&format!("polybench/{title}")), sizes);
    assert_eq!(moved("jacobi_1d", &[("t", 8), ("i", 16)]), ["i + 2*t by 16"]);
    assert_eq!(moved("jacobi_2d", &[("t", 8), ("i", 4), ("j", 4)]), ["i + 2*t by 4", "j + 2*t by 4"]);
    assert_eq!(moved("seidel_2d", &[("t", 8), ("i", 4), ("j", 4)]), ["i + j + 2*t by 4", "i + t by 4"]);
    assert_eq!(moved("fdtd_2d", &[("t", 8), ("i", 4), ("j", 4)]), ["i + t by 4", "j + t by 4"]);
    assert_eq!(moved("heat_3d", &[("t", 8), ("i", 4), ("j", 4), ("k", 4)]), ["i + t by 4", "j + t by 4", "k + t by 4"]);
}

/// The shape of a tensor over tiles.
fn shape(title: &str, sizes: &[(&str, i64)], tensor: &str) -> String {
    let tiled = tiled(&kernel(&format!("polybench/{title}")), sizes);
    let tensor = tiled.system.tensors.iter().find(|known| &*known.name == tensor).expect("a tensor");
    tensor.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Where the elements of a step begin a whole number of tiles further than those of the step before, tiles are counted from
/// there: a step has those of its elements and some more, however many steps there are. Else they are counted by places.
#[test]
fn a_step_has_as_many_tiles_as_its_elements_need() {
    assert_eq!(shape("jacobi_1d", &[("t", 8), ("i", 16)], "a"), "TSTEPS_by_8 + 1, N_by_16 + 2");
    assert_eq!(shape("jacobi_1d", &[("t", 8), ("i", 8)], "a"), "TSTEPS_by_8 + 1, N_by_8 + 3");
    let plane = [("t", 8), ("i", 16), ("j", 8)];
    assert_eq!(shape("jacobi_2d", &plane, "a"), "TSTEPS_by_8 + 1, N_by_16 + 2, N_by_8 + 3");
    // Beside the tiles with elements stand those that tiles at the edge read.
    assert_eq!(shape("seidel_2d", &[("t", 8), ("i", 8), ("j", 8)], "U"), "TSTEPS_by_8 + 1, N_by_8 + 3, N_by_8 + 5");
    let by_places = "TSTEPS_by_8 + 1, N_by_32 + 2*TSTEPS_by_32 + 2";
    assert_eq!(shape("jacobi_1d", &[("t", 8), ("i", 32)], "a"), by_places);
}

/// Where single sweeps are in tiles nothing is moved, nor where all reads go back along each subscript.
#[test]
fn nothing_is_moved_without_need() {
    let jacobi = kernel("polybench/jacobi_1d");
    assert!(tiled(&jacobi, &[("i", 4)]).slants.is_empty());
    assert!(tiled(&jacobi, &[("t", 1), ("i", 4)]).moved.is_empty());
    assert!(tiled(&kernel("smith_waterman"), &[("i", 3), ("j", 3)]).slants.is_empty());
}

#[test]
fn several_sweeps_in_a_tile_change_no_bit() {
    let sizes: [&[i64]; 6] = [&[1, 1], &[1, 2], &[2, 3], &[5, 4], &[7, 7], &[3, 9]];
    let planes: [&[i64]; 4] = [&[1, 1], &[2, 3], &[5, 4], &[3, 6]];
    for (t, i) in [(2, 2), (4, 4), (3, 5), (5, 1), (1, 3), (8, 3)] {
        check(&kernel("polybench/jacobi_1d"), &[("t", t), ("i", i)], &sizes);
        check(&kernel("jacobi1d"), &[("t", t), ("i", i)], &sizes);
    }
    for (t, i, j) in [(2, 2, 2), (4, 3, 2), (3, 1, 4)] {
        check(&kernel("polybench/jacobi_2d"), &[("t", t), ("i", i), ("j", j)], &planes);
        check(&kernel("polybench/seidel_2d"), &[("t", t), ("i", i), ("j", i)], &planes);
    }
    check(&kernel("polybench/fdtd_2d"), &[("t", 2), ("i", 3), ("j", 3)], &[&[1, 1, 1], &[2, 3, 2], &[5, 4, 6]]);
    check(&kernel("polybench/heat_3d"), &[("t", 2), ("i", 2), ("j", 3), ("k", 2)], &[&[1, 1], &[2, 3], &[2, 5]]);
}

/// Steps along the last subscript, reads two steps back and further away, of one side only.
const SWEEPS: [&str; 4] = [
    "kernel turned(T, N)\nin A[N]\nout U[N, T + 1]\nU[i, 0] = A[i]\nU[0, t] = U[0, t - 1]   where 1 <= t\n\
     U[N - 1, t] = U[N - 1, t - 1]   where 1 <= t, 2 <= N\n\
     U[i, t] = U[i - 1, t - 1] + U[i, t - 1] * 2 - U[i + 1, t - 1]   where 1 <= t, 1 <= i < N - 1\n",
    "kernel wave(T, N)\nin A[N]\nout U[T + 2, N]\nU[0, i] = A[i]\nU[1, i] = A[i] * 2\nU[t, 0] = 0   where 2 <= t\n\
     U[t, N - 1] = 0   where 2 <= t, 2 <= N\n\
     U[t, i] = U[t - 1, i - 1] + U[t - 1, i + 1] - U[t - 2, i]   where 2 <= t, 1 <= i < N - 1\n",
    "kernel wide(T, N)\nin A[N]\nout U[T + 1, N]\nU[0, i] = A[i]\nU[t, i] = A[i]   where 1 <= t, i <= 2\n\
     U[t, i] = A[i]   where 1 <= t, 3 <= i, N - 3 <= i\n\
     U[t, i] = U[t - 1, i - 3] - U[t - 1, i + 3] * 0.5   where 1 <= t, 3 <= i < N - 3\n",
    "kernel ahead(T, N)\nin A[N]\nout U[T + 1, N]\nU[0, i] = A[i]\nU[t, N - 1] = A[0]   where 1 <= t\n\
     U[t, i] = U[t, i + 1] + U[t - 1, i]   where 1 <= t, i < N - 1\n",
];

#[test]
fn sweeps_of_other_shapes_change_no_bit() {
    let sizes: [&[i64]; 7] = [&[1, 1], &[1, 2], &[2, 3], &[5, 4], &[7, 7], &[3, 9], &[4, 16]];
    for (text, (t, i)) in SWEEPS.iter().flat_map(|text| [(2, 2), (4, 3), (3, 5), (5, 1)].map(|side| (text, side))) {
        check(&system(text), &[("t", t), ("i", i)], &sizes);
    }
    assert_eq!(moved(&system(SWEEPS[2]), &[("t", 2), ("i", 2)]), ["i + 3*t by 2"]);
}

/// The pivots of a step turn round with the nodes, so steps in a tile are moved like sweeps.
#[test]
fn several_steps_of_a_closure_change_no_bit() {
    for (k, i) in [(2, 2), (3, 3)] {
        check(&kernel("transitive_closure"), &[("k", k), ("i", i)], &[&[1], &[2], &[3], &[5], &[6]]);
    }
}

/// What only the last sweep leaves is handed out without the sweeps.
#[test]
fn the_last_sweep_is_read_where_it_lies() {
    let text = "kernel last(T, N)\nin A[N]\nout X[N]\nlocal U[T + 1, N]\nU[0, i] = A[i]\nU[t, 0] = U[t - 1, 0]   where 1 <= t\n\
                U[t, N - 1] = U[t - 1, N - 1]   where 1 <= t, 2 <= N\n\
                U[t, i] = U[t - 1, i - 1] + U[t - 1, i + 1]   where 1 <= t, 1 <= i < N - 1\nX[i] = U[T, i]\n";
    for (t, i) in [(4, 4), (2, 4)] {
        check(&system(text), &[("t", t), ("i", i)], &[&[1, 1], &[1, 2], &[2, 3], &[5, 4], &[7, 7], &[3, 9]]);
    }
    assert!(tiled_by(&system(text), &[("t", 2), ("i", 2), ("k", 2)]).is_err());
}
