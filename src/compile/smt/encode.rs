//! Formulas as Z3 terms.
//!
//! Variables are numbered by their position in the obligation, so no name of the user's reaches the solver.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name};
use systole_program::obligation::{Formula, Obligation};
use z3::ast::{Bool, Int};

/// The solver's constants for the variables of one obligation.
pub(super) struct Encoding {
    constants: Vec<Int>,
    positions: BTreeMap<Name, usize>,
}

impl Encoding {
    pub fn new(obligation: &Obligation) -> Encoding {
        let numbered = obligation.variables.iter().zip(0u32..);
        Encoding {
            constants: numbered.map(|(_, number)| Int::new_const(number)).collect(),
            positions: obligation.variables.iter().cloned().zip(0..).collect(),
        }
    }

    /// The constants in the order of the obligation's variables.
    pub fn constants(&self) -> &[Int] {
        &self.constants
    }

    /// The formula as a term; `None` where it mentions a variable that the obligation does not declare.
    pub fn formula(&self, formula: &Formula) -> Option<Bool> {
        Some(match formula {
            Formula::AtLeastZero(form) => self.form(form)?.ge(0),
            Formula::All(parts) => Bool::and(&self.all(parts)?),
            Formula::Any(parts) => Bool::or(&self.all(parts)?),
            Formula::Not(part) => self.formula(part)?.not(),
        })
    }

    fn all(&self, parts: &[Formula]) -> Option<Vec<Bool>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn form(&self, form: &Affine) -> Option<Int> {
        let mut terms = vec![Int::from_i64(form.constant_term())];
        for (name, coefficient) in form.terms() {
            let constant = self.constants.get(*self.positions.get(name)?)?;
            terms.push(Int::mul(&[Int::from_i64(coefficient), constant.clone()]));
        }
        Some(Int::add(&terms))
    }
}
