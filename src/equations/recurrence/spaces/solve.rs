//! The point at which a space leaves an element.
//!
//! A list of subscripts is an affine map, one to one on the last points of a reduction's lines. Its inverse gives the point
//! over the element's subscripts, and what an element must fulfil to be written at all: `L[i, i]` writes only elements with
//! equal subscripts.

use super::super::{Chain, Space, ends};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Matrix, Name, Polyhedron, name};

/// The inverse of affine forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Each unknown over the variables of the targets.
    pub point: BTreeMap<Name, Affine>,
    /// What must be zero for there to be a solution.
    pub residues: Vec<Affine>,
}

impl Solution {
    /// The points of `set` as a set of targets: where the solution exists and lies in it.
    pub fn image(&self, set: &Polyhedron) -> Polyhedron {
        let equal = self.residues.iter().flat_map(|form| [form.clone(), -form.clone()]);
        Polyhedron::new(set.substitute(&self.point).constraints().iter().cloned().chain(equal))
    }

    /// The point in the order of `indices`.
    pub fn coordinates(&self, indices: &[Name]) -> Vec<Affine> {
        indices.iter().map(|index| self.point.get(index).cloned().unwrap_or_default()).collect()
    }
}

/// `quotient` is `of` divided by `by`, rounded down; that nothing is left over is a residue of a solution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Division {
    /// What the quotient is called.
    pub quotient: Name,
    /// What is divided.
    pub of: Affine,
    /// By what, more than 1.
    pub by: i64,
}

impl Division {
    /// What is left over, 0 or more and less than the divisor.
    pub fn rest(&self) -> Affine {
        self.of.clone() - Affine::term(&self.quotient, self.by)
    }

    /// The points of a set where these quotients are what they are called.
    pub fn of_all(divisions: &[Division], set: &Polyhedron) -> Polyhedron {
        let mut set = set.clone();
        divisions.iter().flat_map(Division::conditions).for_each(|form| set.add(form));
        set
    }

    /// What must be 0 or more for the quotient to be one.
    pub fn conditions(&self) -> [Affine; 2] {
        [self.rest(), Affine::constant(self.by - 1) - self.rest()]
    }
}

/// Solves `forms = targets` for `unknowns`, whatever else occurs in the forms being known.
///
/// `None` where the forms do not fix every unknown, or not to an integer.
pub fn solve(forms: &[Affine], unknowns: &[Name], targets: &[Affine]) -> Option<Solution> {
    let (solution, divisions) = solve_by_division(forms, unknowns, targets, "")?;
    divisions.is_empty().then_some(solution)
}

/// [`solve`], where an unknown may be a quotient: `2 x = i` gives `x` as half of `i`, rounded down, and the residue `i - 2 x`.
///
/// Quotients are called `quotient` and a number behind it.
pub fn solve_by_division(
    forms: &[Affine],
    unknowns: &[Name],
    targets: &[Affine],
    quotient: &str,
) -> Option<(Solution, Vec<Division>)> {
    let rows = forms.iter().map(|form| form.row(unknowns)).collect();
    let (echelon, change) = Matrix::new(rows, unknowns.len()).hermite();
    let rest = |row: usize| targets[row].clone() - without(&forms[row], unknowns);
    let mut solved: Vec<Affine> = vec![];
    let (mut residues, mut divisions) = (vec![], vec![]);
    for (row, entries) in echelon.rows().iter().enumerate() {
        let known = solved.iter().zip(entries).fold(rest(row), |sum, (value, entry)| sum - value.clone() * *entry);
        match entries.get(solved.len()).copied().unwrap_or(0) {
            0 if known == Affine::default() => {}
            0 => residues.push(known),
            1 => solved.push(known),
            by => {
                let quotient = name(&format!("{quotient}{}", divisions.len()));
                residues.push(known.clone() - Affine::term(&quotient, by));
                solved.push(Affine::variable(&quotient));
                divisions.push(Division { quotient, of: known, by });
            }
        }
    }
    if solved.len() < unknowns.len() {
        return None;
    }
    let value = |index: usize| {
        let terms = change.rows()[index].iter().zip(&solved).map(|(entry, value)| value.clone() * *entry);
        terms.fold(Affine::default(), |sum, term| sum + term)
    };
    let point = unknowns.iter().enumerate().map(|(index, unknown)| (unknown.clone(), value(index))).collect();
    Some((Solution { point, residues }, divisions))
}

/// The part of a form in which none of `names` occurs.
fn without(form: &Affine, names: &[Name]) -> Affine {
    names.iter().fold(form.clone(), |form, name| {
        let coefficient = form.coefficient(name);
        form - Affine::term(name, coefficient)
    })
}

/// The point at which `space`, reduced in the order of `chain`, leaves the element with these subscripts, or strips and positions
/// ([`Space::element`]).
///
/// `None` where the lines do not end on one face, or more than one point writes an element.
pub fn last_point(space: &Space, chain: &Chain, element: &[Affine]) -> Option<Solution> {
    let mut last = space.domain.set.clone();
    for direction in &chain.directions {
        last = ends(space, &last, direction)?;
    }
    let faces: Vec<Affine> = if chain.directions.is_empty() { vec![] } else { one_of_each_pair(&last) };
    let forms: Vec<Affine> = space.element().into_iter().chain(faces.iter().cloned()).collect();
    let targets: Vec<Affine> = element.iter().cloned().chain(faces.iter().map(|_| Affine::default())).collect();
    solve(&forms, space.indices(), &targets)
}

/// The equations of a set, each once.
fn one_of_each_pair(set: &Polyhedron) -> Vec<Affine> {
    let mut equations: Vec<Affine> = vec![];
    for form in set.equations() {
        if !equations.contains(&-form.clone()) {
            equations.push(form.clone());
        }
    }
    equations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(text: &str) -> Affine {
        Affine::variable(&name(text))
    }

    #[test]
    fn a_skewed_map_is_inverted() {
        let unknowns = [name("i"), name("k")];
        let forms = [variable("i") + variable("k") * 2, variable("i") + variable("k") + Affine::constant(1)];
        let solution = solve(&forms, &unknowns, &[variable("p"), variable("q")]).unwrap();
        let values: Vec<String> = solution.coordinates(&unknowns).iter().map(Affine::to_string).collect();
        assert_eq!(values, ["2*q - p - 2", "p - q + 1"]);
        assert!(solution.residues.is_empty());
    }

    #[test]
    fn a_diagonal_asks_for_equal_subscripts() {
        let solution = solve(&[variable("i"), variable("i")], &[name("i")], &[variable("p"), variable("q")]).unwrap();
        assert_eq!(solution.residues, [variable("q") - variable("p")]);
    }

    #[test]
    fn a_half_is_a_quotient_where_that_is_asked_for() {
        let (solution, divisions) =
            solve_by_division(&[variable("i") * 2], &[name("i")], &[variable("p")], "q").unwrap();
        assert_eq!(solution.coordinates(&[name("i")]), [variable("q0")]);
        assert_eq!(solution.residues, [variable("p") - variable("q0") * 2]);
        assert_eq!(divisions, [Division { quotient: name("q0"), of: variable("p"), by: 2 }]);
    }

    #[test]
    fn halves_and_free_unknowns_are_refused() {
        assert_eq!(solve(&[variable("i") * 2], &[name("i")], &[variable("p")]), None);
        assert_eq!(solve(&[variable("i")], &[name("i"), name("j")], &[variable("p")]), None);
    }
}
