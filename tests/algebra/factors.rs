//! The search over forms, programs and maps of the two smallest kernels with a choice of form, against brute force.

use crate::common::{few, sizes};
use crate::every_form::{Spaces, at_least, cycles_and, forms, front, front_of_words, least, no_worse};
use crate::whole::object;
use serde_json::Value;
use std::sync::OnceLock;
use systole::integer::Bindings;

fn naive(kernel: &str) -> String {
    std::fs::read_to_string(format!("{}/kernels/naive/{kernel}.rec", env!("SYSTOLE_ROOT"))).unwrap()
}

/// Each form and the cycles that the search over all forms and maps has for it at best.
fn searched(kernel: &str, size: &str) -> Vec<(usize, u64)> {
    let path = format!("kernels/naive/{kernel}.rec");
    let found = object(&["search", &path, "--forms", "--size", size, "--objective", "cycles"]);
    let mut best = vec![];
    for design in found["together"]["front"].as_array().unwrap() {
        let form = design["form"].as_u64().unwrap() as usize;
        if best.iter().all(|(known, _)| *known != form) {
            best.push((form, design["cycles"].as_u64().unwrap()));
        }
    }
    best
}

fn at(m: i64, n: i64, k: i64) -> Bindings {
    sizes(&[("M", m), ("N", n), ("K", k)])
}

/// `A (B x)` on a line of PEs takes M + N + K - 1 cycles, and no map of any of its programs takes less; `(A B) x` on a grid takes as many as
/// operations wait for one another, N + K.
#[test]
fn brute_force_over_forms_programs_and_maps_of_two_factors() {
    for &(m, n, k) in few(&[(2, 3, 2), (3, 2, 4), (3, 3, 3)], 1) {
        let (small, large) = (at(m, n, k), at(m + 2, n + 3, k + 3));
        let forms = forms(&naive("two_factors"), &small);
        let dimensions = |form: &Spaces| form.system.spaces.iter().map(|space| space.dimension()).max().unwrap();
        assert_eq!(forms.iter().map(dimensions).collect::<Vec<usize>>(), [2, 3]);
        let (line, _) = least(&[&forms[0]], [&small, &large], 1);
        let grid = at_least(&forms[1], &small);
        assert_eq!((line, grid), (m + n + k - 1, n + k));
        let found = searched("two_factors", &format!("M={m},N={n},K={k}"));
        assert_eq!(found, [(1, grid as u64), (0, line as u64)]);
        // The twin: fewer operations wait for one another in the first form than it has cycles, so its maps are what takes longer.
        assert!(at_least(&forms[0], &small) < line);
    }
}

/// `a b + a c` and `a (b + c)` on one PE, an element a step: both forms are best, and stay on the front.
#[test]
fn brute_force_over_forms_programs_and_maps_of_two_terms() {
    for n in [1, 4] {
        let (small, large) = (sizes(&[("N", n)]), sizes(&[("N", n + 3)]));
        let forms = forms(&naive("two_terms"), &small);
        let all: Vec<&Spaces> = forms.iter().collect();
        assert_eq!(least(&all, [&small, &large], 0), (n, vec![0, 1]));
        assert_eq!(searched("two_terms", &format!("N={n}")), [(0, n as u64), (1, n as u64)]);
        // The twin: on a line of PEs all elements are one step.
        assert_eq!(least(&all, [&small, &large], 1), (1, vec![0, 1]));
    }
}

/// On a line of PEs no design of `A (B x)` takes fewer PEs in as many cycles than those of the search, and on a grid none of `(A B) x`.
#[test]
fn brute_force_over_cycles_and_pes_of_two_factors() {
    let line = [((2, 3, 2), &[(6, 2)][..]), ((3, 2, 4), &[(8, 4), (11, 3)])];
    let grid = [((2, 2, 2), &[(4, 4)][..]), ((3, 2, 2), &[(4, 6), (8, 4)])];
    for (form, of_form) in [line, grid].into_iter().enumerate() {
        for &((m, n, k), best) in few(&of_form, 1) {
            let (small, large) = (at(m, n, k), at(m + 2, n + 3, k + 3));
            let spaces = &forms(&naive("two_factors"), &small)[form];
            assert_eq!(front(spaces, [&small, &large], m + n + k + 2, form + 1), best);
            let found = searched_by(TRANSPORTS, (m, n, k));
            assert_eq!(no_worse(cycles_and("pes", &found, |number| number == form as u64)), best);
        }
    }
}

/// Nor does any of either form load fewer words in as many cycles, where what is given is streamed or fed: a stream asks for steps under
/// which it has time. With all ways to move it each form loads every element once in its fewest cycles.
#[test]
fn brute_force_over_cycles_and_words_of_two_factors() {
    let expected = [
        ((2, 2, 2), &[(4, 16), (5, 10)][..]),
        ((2, 3, 2), &[(5, 22), (6, 13)]),
        ((3, 2, 2), &[(4, 24), (6, 12)]),
        ((3, 2, 4), &[(6, 42), (8, 22)]),
    ];
    for &((m, n, k), best) in few(&expected, 1) {
        let (small, large) = (at(m, n, k), at(m + 2, n + 3, k + 3));
        let forms = forms(&naive("two_factors"), &small);
        let of_form = |form: &Spaces| front_of_words(form, [&small, &large], m + n + k + 2, form.number + 1);
        assert_eq!(no_worse(forms.iter().flat_map(of_form).collect()), best);
        let found = searched_by("stream,feed", (m, n, k));
        assert_eq!(no_worse(cycles_and("memory_words", &found, |_| true)), best);
        let (found, elements) = (searched_by(TRANSPORTS, (m, n, k)), (m * k + k * n + n) as usize);
        for (form, cycles) in [(0, m + n + k - 1), (1, n + k)] {
            let of_form = no_worse(cycles_and("memory_words", &found, |number| number == form));
            assert_eq!(of_form, [(cycles, elements)]);
        }
    }
}

const TRANSPORTS: &str = "stream,broadcast,prefetch,feed";

/// What the search over all forms finds where operands may move in these ways. Two tests ask the same of the smallest sizes, which is searched
/// once.
fn searched_by(transports: &str, (m, n, k): (i64, i64, i64)) -> Value {
    static SMALLEST: OnceLock<Value> = OnceLock::new();
    let search = || {
        let size = format!("M={m},N={n},K={k}");
        let of = ["search", "kernels/naive/two_factors.rec", "--forms", "--objective", "cycles"];
        object(&[&of[..], &["--size", &size, "--transports", transports]].concat())
    };
    if (transports, m, n, k) == (TRANSPORTS, 2, 2, 2) { SMALLEST.get_or_init(search).clone() } else { search() }
}
