//! What is known while a scheme is derived, and the divisions that it needs.
//!
//! A first statement need not lie on a face of the index space once an entry of the increment exceeds one, and a place
//! need not be onto; both need division by a literal. Each division becomes a named quotient, so every guard and value
//! stays a linear form. The report has neither (restrictions of its appendix A).

use std::collections::BTreeSet;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};

/// `name = numerator / divisor`, rounded down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    /// What it is called in forms.
    pub name: Name,
    /// Over coordinates, sizes and the quotients before it.
    pub numerator: Affine,
    /// At least 2.
    pub divisor: i64,
}

impl Quotient {
    /// Its value; `None` where a variable has none.
    pub fn evaluate(&self, at: &Bindings) -> Option<i64> {
        Some(self.numerator.evaluate(at)?.div_euclid(self.divisor))
    }
}

/// What holds at every process, and the quotients so far.
pub(super) struct Context {
    /// Sizes, the process space, and what the quotients are.
    pub known: Polyhedron,
    /// In the order in which they are evaluated.
    pub quotients: Vec<Quotient>,
    taken: BTreeSet<Name>,
}

impl Context {
    /// Nothing but `known`; no quotient will have a name of `taken`.
    pub fn new(known: Polyhedron, taken: BTreeSet<Name>) -> Context {
        Context { known, quotients: vec![], taken }
    }

    /// `numerator / divisor`, rounded down, as a form. What the divisor divides stays outside the quotient.
    pub fn floor(&mut self, numerator: &Affine, divisor: i64) -> Affine {
        let mut whole = Affine::constant(numerator.constant_term().div_euclid(divisor));
        let mut rest = Affine::constant(numerator.constant_term().rem_euclid(divisor));
        for (variable, coefficient) in numerator.terms() {
            whole.add_term(variable, coefficient.div_euclid(divisor));
            rest.add_term(variable, coefficient.rem_euclid(divisor));
        }
        if rest.is_constant() { whole } else { whole + Affine::variable(&self.quotient(rest, divisor)) }
    }

    /// `numerator / divisor`, rounded up, as a form.
    pub fn ceiling(&mut self, numerator: &Affine, divisor: i64) -> Affine {
        self.floor(&(numerator.clone() + Affine::constant(divisor - 1)), divisor)
    }

    fn quotient(&mut self, numerator: Affine, divisor: i64) -> Name {
        let same = |known: &&Quotient| known.numerator == numerator && known.divisor == divisor;
        if let Some(known) = self.quotients.iter().find(same) {
            return known.name.clone();
        }
        let name = fresh(&mut self.taken, "q", self.quotients.len());
        let remainder = numerator.clone() - Affine::term(&name, divisor);
        self.known.add(remainder.clone());
        self.known.add(Affine::constant(divisor - 1) - remainder);
        self.quotients.push(Quotient { name: name.clone(), numerator, divisor });
        name
    }
}

/// The first of `letter0`, `letter1`, .. from `number` on that is free; it is taken then.
pub(super) fn fresh(taken: &mut BTreeSet<Name>, letter: &str, number: usize) -> Name {
    let mut number = number;
    while taken.contains(format!("{letter}{number}").as_str()) {
        number += 1;
    }
    let free = name(&format!("{letter}{number}"));
    taken.insert(free.clone());
    free
}
