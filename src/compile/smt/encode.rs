//! Formulas as Z3 terms.
//!
//! Variables are numbered by their position in the obligation, so no name of the user's reaches the solver.

use solver::z3::ast::{Bool, Int};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name};
use systole_program::obligation::{Formula, Obligation};

/// A variable that a formula mentions and its obligation does not declare.
#[derive(Debug)]
pub(super) struct Undeclared(pub Name);

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

    /// The formula as a term.
    ///
    /// # Errors
    /// A variable that the obligation does not declare.
    pub fn formula(&self, formula: &Formula) -> Result<Bool, Undeclared> {
        Ok(match formula {
            Formula::AtLeastZero(form) => self.form(form)?.ge(0),
            Formula::All(parts) => Bool::and(&self.all(parts)?),
            Formula::Any(parts) => Bool::or(&self.all(parts)?),
            Formula::Not(part) => self.formula(part)?.not(),
        })
    }

    fn all(&self, parts: &[Formula]) -> Result<Vec<Bool>, Undeclared> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn form(&self, form: &Affine) -> Result<Int, Undeclared> {
        let mut terms = vec![Int::from_i64(form.constant_term())];
        for (name, coefficient) in form.terms() {
            let position = self.positions.get(name).ok_or_else(|| Undeclared(name.clone()))?;
            terms.push(Int::mul(&[Int::from_i64(coefficient), self.constants[*position].clone()]));
        }
        Ok(Int::add(&terms))
    }
}
