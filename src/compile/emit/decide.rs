//! What is known while a program is written: decides conditions once and for all sizes.

use crate::mapping::ends::assume;
use systole_base::integer::{Affine, Polyhedron};

/// What a condition comes to where something is known.
pub enum Decision {
    /// It holds.
    Always,
    /// It fails.
    Never,
    /// It depends; these of its parts have to be tested.
    Test(Vec<Affine>),
}

/// Decides whether all of `conditions` (each `>= 0`) hold at the points of `known`.
pub fn decide(conditions: &[Affine], known: &Polyhedron) -> Decision {
    let excluded = |condition: &Affine| {
        let mut both = known.clone();
        both.add(condition.clone());
        both.is_empty()
    };
    if conditions.iter().any(excluded) {
        return Decision::Never;
    }
    let open: Vec<Affine> = conditions.iter().filter(|condition| !known.implies(condition)).cloned().collect();
    // Each may hold at some point, and all together at none.
    match open.len() {
        0 => Decision::Always,
        2.. if assume(known, &open).has_no_integers() => Decision::Never,
        _ => Decision::Test(open),
    }
}

/// `known`, and that `conditions` do not all hold; only a single condition can be negated.
pub fn assume_not(known: &Polyhedron, conditions: &[Affine]) -> Polyhedron {
    let mut narrowed = known.clone();
    if let [condition] = conditions {
        narrowed.add(negation(condition));
    }
    narrowed
}

/// `form < 0` as `.. >= 0`.
pub fn negation(form: &Affine) -> Affine {
    -form.clone() - Affine::constant(1)
}
