//! Which tensors may stand for their definitions.
//!
//! In: a system. Out: the tensors that one equation defines as a whole, index by index, and that do not need themselves.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::{Equation, Expr, RecurrenceSystem, Role};

/// The position of the equation of each such tensor.
pub(super) fn inlined(system: &RecurrenceSystem) -> BTreeMap<Name, usize> {
    let mut found = whole(system);
    let needs = needs(system);
    found.retain(|tensor, _| !reaches(&needs, tensor, tensor));
    found
}

/// The position of the equation of each tensor that one equation defines as a whole.
fn whole(system: &RecurrenceSystem) -> BTreeMap<Name, usize> {
    let mut found = BTreeMap::new();
    for (position, equation) in system.equations.iter().enumerate() {
        let others = system.equations.iter().filter(|other| other.target == equation.target).count();
        if others == 1 && is_whole(system, equation) {
            found.insert(equation.target.clone(), position);
        }
    }
    found
}

/// The positions of the equations of each tensor that several define, case by case, and that does not need itself.
pub(super) fn cases(system: &RecurrenceSystem) -> BTreeMap<Name, Vec<usize>> {
    let mut found: BTreeMap<Name, Vec<usize>> = BTreeMap::new();
    for (position, equation) in system.equations.iter().enumerate() {
        found.entry(equation.target.clone()).or_default().push(position);
    }
    let needs = needs(system);
    let has_plain_cases = |equations: &[usize]| {
        equations.len() > 1 && equations.iter().all(|position| has_plain_indices(&system.equations[*position]))
    };
    found.retain(|tensor, equations| has_plain_cases(equations) && !reaches(&needs, tensor, tensor));
    found
}

/// The position of the equation of each tensor that one equation defines as a whole, though it needs itself.
pub(super) fn recursive(system: &RecurrenceSystem) -> BTreeMap<Name, usize> {
    let needs = needs(system);
    let needs_itself = |tensor: &Name| needs.get(tensor).is_some_and(|found| found.contains(tensor));
    whole(system).into_iter().filter(|(tensor, _)| needs_itself(tensor)).collect()
}

/// Whether the equation has a plain index in each place, each with all of its dimension.
fn is_whole(system: &RecurrenceSystem, equation: &Equation) -> bool {
    let Some(tensor) = system.tensor(&equation.target).filter(|tensor| tensor.role != Role::Input) else {
        return false;
    };
    if !has_plain_indices(equation) {
        return false;
    }
    let names = equation.subscripts.iter().filter_map(Affine::as_variable);
    let bounds = names.zip(&tensor.shape).flat_map(|(index, extent)| {
        let variable = Affine::variable(index);
        [variable.clone(), extent.clone() - variable - Affine::constant(1)]
    });
    let whole = Polyhedron::new(bounds).intersect(&Polyhedron::sizes(&system.parameters));
    equation.domain.set.constraints().iter().all(|form| whole.implies(form))
}

/// Whether each subscript is an index of its own, and there are no others.
fn has_plain_indices(equation: &Equation) -> bool {
    let names: Vec<&Name> = equation.subscripts.iter().filter_map(Affine::as_variable).collect();
    let distinct: BTreeSet<&Name> = names.iter().copied().collect();
    names.len() == equation.subscripts.len() && distinct.len() == equation.domain.indices.len()
}

/// The tensors that each tensor reads.
fn needs(system: &RecurrenceSystem) -> BTreeMap<&Name, BTreeSet<&Name>> {
    let mut needs: BTreeMap<&Name, BTreeSet<&Name>> = BTreeMap::new();
    for equation in &system.equations {
        collect(&equation.value, needs.entry(&equation.target).or_default());
    }
    needs
}

fn collect<'e>(value: &'e Expr, found: &mut BTreeSet<&'e Name>) {
    value.visit_reads(&Polyhedron::default(), &mut |tensor, _, _| {
        found.insert(tensor);
    });
}

fn reaches(needs: &BTreeMap<&Name, BTreeSet<&Name>>, from: &Name, to: &Name) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(tensor) = open.pop() {
        for next in needs.get(tensor).into_iter().flatten() {
            if *next == to {
                return true;
            }
            if seen.insert(*next) {
                open.push(next);
            }
        }
    }
    false
}
