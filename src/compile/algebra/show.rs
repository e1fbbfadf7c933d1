//! Terms in the notation of kernels.
//!
//! In: a term, the definitions of the user. Out: text such as `sum(j) P[i, j] * V[j, d]`, in which what a definition of the user says
//! stands as its tensor. For readers alone: nothing reads it back.

use super::written::Root;
use crate::rewrite::{Notation, Step, TermNames};
use systole_base::integer::{Affine, Name};

/// The texts of all terms that a definition names.
pub(super) fn known(definitions: &[Root]) -> TermNames {
    let named = |definition: &Root| (definition.term.to_string(), element(&definition.target, &definition.subscripts));
    definitions.iter().map(named).collect()
}

fn element(tensor: &Name, subscripts: &[Affine]) -> String {
    let list: Vec<String> = subscripts.iter().map(Affine::to_string).collect();
    if list.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", list.join(", ")) }
}

/// The step with its terms in the notation of kernels; as it is where they are none.
pub(super) fn in_mathematics(step: &Step, known: &TermNames) -> Step {
    let text = |term: &str| Notation::show(term, known);
    Step { before: text(&step.before), after: text(&step.after), ..step.clone() }
}
