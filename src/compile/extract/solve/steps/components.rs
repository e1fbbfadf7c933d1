//! Steps that are solved for one connected component at a time: spaces whose steps no condition binds together are problems of their own,
//! and small ones.

use super::Conditions;
use crate::mapping::{Design, Row, SpaceDesign};
use crate::smt::{Goal, LinearProblem, Optimum, Unequal, attempt_alone};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

impl Conditions {
    /// Steps that satisfy all conditions, with small coefficients; nothing where a component is not decided. The span binds all components
    /// together, so it is left out, and these steps need not be the shortest.
    pub(super) fn by_components(&self, design: &Design) -> Option<Vec<SpaceDesign>> {
        let whole = LinearProblem { rows: self.rows.clone(), goals: vec![], ..self.problem(design, true) };
        let values = solve_by_components(&whole, |component| self.counted(|work| attempt_alone(component, work)))?;
        Some(self.parts(design, &values))
    }
}

/// A solution of a problem without goals that is small in each component; nothing where one is not solved.
fn solve_by_components(whole: &LinearProblem, solve: impl Fn(&LinearProblem) -> Optimum) -> Option<Vec<i64>> {
    let mut values = vec![0; whole.bounds.len()];
    for component in components_of(whole) {
        let Optimum::Found(found) = solve(&restricted(whole, &component)) else { return None };
        component.iter().zip(found).for_each(|(unknown, value)| values[*unknown] = value);
    }
    whole.allows(&values).then_some(values)
}

/// The unknowns by component.
fn components_of(whole: &LinearProblem) -> Vec<Vec<usize>> {
    let mut bound = UnionFind::new(whole.bounds.len());
    let of_rows = whole.rows.iter().map(|row| &row.coefficients);
    for coefficients in of_rows.chain(whole.unequal.iter().map(|sum| &sum.coefficients)) {
        let mut used = coefficients.iter().enumerate().filter(|(_, entry)| **entry != 0).map(|(unknown, _)| unknown);
        if let Some(first) = used.next() {
            used.for_each(|other| _ = bound.union(first, other));
        }
    }
    let mut components: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (unknown, label) in bound.into_labeling().into_iter().enumerate() {
        components.entry(label).or_default().push(unknown);
    }
    components.into_values().collect()
}

/// The conditions on these unknowns, which are to be small.
fn restricted(whole: &LinearProblem, component: &[usize]) -> LinearProblem {
    let of = |coefficients: &[i64]| component.iter().map(|unknown| coefficients[*unknown]).collect::<Vec<i64>>();
    let speaks = |coefficients: &[i64]| component.iter().any(|unknown| coefficients[*unknown] != 0);
    let rows = whole.rows.iter().filter(|row| speaks(&row.coefficients));
    let unequal = whole.unequal.iter().filter(|sum| speaks(&sum.coefficients));
    LinearProblem {
        bounds: component.iter().map(|unknown| whole.bounds[*unknown]).collect(),
        rows: rows.map(|row| Row { coefficients: of(&row.coefficients), ..row.clone() }).collect(),
        unequal: unequal.map(|sum| Unequal { coefficients: of(&sum.coefficients), ..sum.clone() }).collect(),
        goals: vec![Goal::Magnitudes((0..component.len()).collect())],
    }
}

#[cfg(test)]
mod tests {
    use super::{components_of, solve_by_components};
    use crate::mapping::Row;
    use crate::smt::{LinearProblem, Unequal, attempt_alone};

    /// `x0 - x1 >= 1`, `x2 + x4 >= 2` and `x2 != 2`; nothing is said of `x3`.
    fn problem() -> LinearProblem {
        let row = |coefficients: [i64; 5], least| Row { coefficients: coefficients.to_vec(), least, label: 0 };
        LinearProblem {
            bounds: vec![(Some(-9), Some(9)); 5],
            rows: vec![row([1, -1, 0, 0, 0], 1), row([0, 0, 1, 0, 1], 2)],
            unequal: vec![Unequal { coefficients: vec![0, 0, 1, 0, 0], value: 2, label: 1 }],
            goals: vec![],
        }
    }

    #[test]
    fn what_is_bound_together_is_one_component() {
        let mut components = components_of(&problem());
        components.sort();
        assert_eq!(components, [vec![0, 1], vec![2, 4], vec![3]]);
    }

    #[test]
    fn components_have_a_solution_of_the_whole_or_none() {
        let solve = |whole: &LinearProblem| solve_by_components(whole, |component| attempt_alone(component, &mut 0));
        let found = solve(&problem()).expect("a solution");
        assert!(problem().allows(&found), "{found:?}");
        assert_eq!(found.iter().map(|value| value.abs()).sum::<i64>(), 3, "{found:?}");
        let mut none = problem();
        none.rows.push(Row { coefficients: vec![0, 0, -1, 0, -1], least: -1, label: 2 });
        assert_eq!(solve(&none), None);
        // A row of no unknown that does not hold belongs to no component.
        let mut never = problem();
        never.rows.push(Row { coefficients: vec![0; 5], least: 1, label: 2 });
        assert_eq!(solve(&never), None);
    }
}
