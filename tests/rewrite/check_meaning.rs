//! What the checker takes a term to mean is what the interpreter of these tests does: neither knows of the other.

use crate::choices::lower;
use crate::interpreter::{element, is_field, world};
use crate::kernels;
use crate::soundness::{all_kernels, classes};
use systole_base::integer::Bindings;
use systole_compile::check::values;
use systole_equations::recurrence::Space;

const SIZES: [&[i64]; 3] = [&[1], &[2, 3], &[3, 2, 4]];

/// How many values of terms of the e-graph were compared.
fn compare(space: &Space, sizes: &[i64]) -> usize {
    let bindings: Bindings = space.parameters.iter().cloned().zip(sizes.iter().cycle().copied()).collect();
    let world = world(space, sizes);
    let mut compared = 0;
    for term in classes(&lower(space).dump()).iter().flatten().filter(|term| is_field(term)) {
        let mine = values(space, &bindings, term, element).unwrap_or_else(|reason| panic!("{term}: {reason}"));
        let theirs = world.values(term, 0);
        for (one, other) in mine.iter().zip(&theirs) {
            // Undefined is not a number there.
            assert!(
                one.map_or(other.is_nan(), |value| value == *other),
                "{term} of {}: {mine:?} {theirs:?}",
                space.name
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_checker_and_the_interpreter_read_terms_alike() {
    let mut compared = 0;
    for space in all_kernels() {
        compared += SIZES.iter().map(|sizes| compare(&space, sizes)).sum::<usize>();
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn also_on_domains_that_are_no_boxes() {
    for cut in ["i-k", "i+k-1"] {
        for mut space in [kernels::matmul(), kernels::fir(), kernels::scaled()] {
            space.domain.set.add(kernels::form(cut));
            assert!(SIZES.iter().map(|sizes| compare(&space, sizes)).sum::<usize>() > 0);
        }
    }
}
