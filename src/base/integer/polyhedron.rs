//! Sets of integer points given by linear inequalities over named variables, parameters among them.
//!
//! Projection is Fourier and Motzkin's, with each inequality tightened to the integers; it is exact over the rationals,
//! so it may keep a place where no integer point lies, and never loses one. Loops bounded by it may be empty.

use super::{Affine, Bindings, Name, Parameters, shadow};
use std::collections::{BTreeMap, BTreeSet};

/// The points where every constraint is at least 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Polyhedron {
    constraints: Vec<Affine>,
}

/// `coefficient * variable >= form` for a lower bound, `<=` for an upper one; the coefficient is positive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// The other side of the inequality.
    pub form: Affine,
    /// What the variable is multiplied by.
    pub coefficient: i64,
}

impl Bound {
    /// The least integer that satisfies a lower bound.
    pub fn lower_value(&self, bindings: &Bindings) -> Option<i64> {
        Some(-(-self.form.evaluate(bindings)?).div_euclid(self.coefficient))
    }

    /// The greatest integer that satisfies an upper bound.
    pub fn upper_value(&self, bindings: &Bindings) -> Option<i64> {
        Some(self.form.evaluate(bindings)?.div_euclid(self.coefficient))
    }
}

impl Polyhedron {
    /// The set where all `constraints` are at least 0. Duplicates and tautologies are dropped.
    pub fn new(constraints: impl IntoIterator<Item = Affine>) -> Polyhedron {
        let mut set = Polyhedron::default();
        constraints.into_iter().for_each(|constraint| set.add(constraint));
        set
    }

    /// All values that parameters may have.
    pub fn sizes(parameters: &Parameters) -> Polyhedron {
        parameters.sizes()
    }

    /// Each of the variables is at least 1.
    pub fn at_least_one(variables: &[Name]) -> Polyhedron {
        Polyhedron::new(variables.iter().map(|size| Affine::variable(size) - Affine::constant(1)))
    }

    /// Adds `form >= 0`.
    pub fn add(&mut self, form: Affine) {
        let form = tighten(form);
        let tautology = form.is_constant() && form.constant_term() >= 0;
        let implied = self.constraints.iter().any(|known| is_stronger(known, &form));
        if tautology || implied {
            return;
        }
        self.constraints.retain(|known| !is_stronger(&form, known));
        self.constraints.push(form);
    }

    /// The constraints, each `>= 0`.
    pub fn constraints(&self) -> &[Affine] {
        &self.constraints
    }

    /// The forms that are zero at every point: constraints that stand with their opposite.
    pub fn equations(&self) -> impl Iterator<Item = &Affine> {
        self.constraints.iter().filter(|form| self.constraints.contains(&-(*form).clone()))
    }

    /// The set with `other`'s constraints as well.
    pub fn intersect(&self, other: &Polyhedron) -> Polyhedron {
        Polyhedron::new(self.constraints.iter().chain(&other.constraints).cloned())
    }

    /// Every constraint with variables replaced.
    pub fn substitute(&self, image: &BTreeMap<Name, Affine>) -> Polyhedron {
        Polyhedron::new(self.constraints.iter().map(|form| form.substitute(image)))
    }

    /// Whether the point lies in the set; a variable without a value counts as outside.
    pub fn contains(&self, point: &Bindings) -> bool {
        self.constraints.iter().all(|form| form.evaluate(point).is_some_and(|value| value >= 0))
    }

    /// The shadow of the set when `variable` is forgotten.
    ///
    /// A constraint whose numbers would not fit is left out, which only makes the shadow larger.
    pub fn eliminate(&self, variable: &Name) -> Polyhedron {
        let (lower, upper) = self.bounds(variable);
        let free = self.constraints.iter().filter(|form| form.coefficient(variable) == 0).cloned();
        let mut shadow = Polyhedron::new(free);
        for low in &lower {
            for high in &upper {
                let constraint = high.form.combine(low.coefficient, &low.form, -high.coefficient);
                constraint.into_iter().for_each(|form| shadow.add(form));
            }
        }
        shadow
    }

    /// The shadow when `variable` is forgotten, where each point of it is that of some integer point of the set.
    ///
    /// That is so where of each lower and upper bound one has the coefficient 1: then there is an integer between them. It is so too where two
    /// such bounds leave one integer or none, whatever the others are. `None` otherwise, and where numbers would not fit.
    pub fn eliminate_exactly(&self, variable: &Name) -> Option<Polyhedron> {
        let (lower, upper) = self.bounds(variable);
        let pairs = || lower.iter().flat_map(|low| upper.iter().map(move |high| (low, high)));
        let has_integer = |(low, high): (&Bound, &Bound)| low.coefficient == 1 || high.coefficient == 1;
        let leaves_one = |(low, high): (&Bound, &Bound)| {
            let apart = || low.form.clone() - high.form.clone();
            (low.coefficient, high.coefficient) == (1, 1) && apart().is_constant() && apart().constant_term() >= 0
        };
        let fits =
            |(low, high): (&Bound, &Bound)| high.form.combine(low.coefficient, &low.form, -high.coefficient).is_some();
        let is_exact = pairs().all(fits) && (pairs().all(has_integer) || pairs().any(leaves_one));
        is_exact.then(|| self.eliminate(variable))
    }

    /// The shadow when all of `variables` are forgotten.
    pub fn eliminate_all<'a>(&self, variables: impl IntoIterator<Item = &'a Name>) -> Polyhedron {
        variables.into_iter().fold(self.clone(), |set, variable| set.eliminate(variable))
    }

    /// The lower and the upper bounds that the constraints put on `variable`.
    pub fn bounds(&self, variable: &Name) -> (Vec<Bound>, Vec<Bound>) {
        let (mut lower, mut upper) = (vec![], vec![]);
        for form in &self.constraints {
            let coefficient = form.coefficient(variable);
            let rest = form.clone() - Affine::term(variable, coefficient);
            match coefficient {
                0 => {}
                1.. => lower.push(Bound { form: -rest, coefficient }),
                _ => upper.push(Bound { form: rest, coefficient: -coefficient }),
            }
        }
        (lower, upper)
    }

    /// The variables that occur.
    pub fn variables(&self) -> BTreeSet<Name> {
        self.constraints.iter().flat_map(|form| form.terms().map(|(name, _)| name.clone())).collect()
    }

    /// Whether no rational point satisfies all constraints. `false` promises nothing about integer points.
    pub fn is_empty(&self) -> bool {
        shadow::is_empty(self.constraints.iter())
    }

    /// Whether no integer point satisfies all constraints, as far as replacing each variable that an equation gives tells: of
    /// `p = 1` and `p = 2 * M - 2` it does, where [`Polyhedron::is_empty`] finds the rational point `M = 3/2`.
    pub fn has_no_integers(&self) -> bool {
        let mut set = self.clone();
        while let Some((variable, value)) = set.given() {
            set = set.substitute(&BTreeMap::from([(variable, value)]));
        }
        set.is_empty()
    }

    /// A variable that an equation gives as a form of the others.
    fn given(&self) -> Option<(Name, Affine)> {
        self.equations().find_map(|form| {
            let (variable, sign) = form.terms().find(|(_, coefficient)| coefficient.abs() == 1)?;
            Some((variable.clone(), (form.clone() - Affine::term(variable, sign)) * -sign))
        })
    }

    /// Whether every rational point of this set satisfies `form >= 0`.
    pub fn implies(&self, form: &Affine) -> bool {
        if self.constraints.iter().any(|known| is_stronger(known, form)) {
            return true;
        }
        let opposite = -form.clone() - Affine::constant(1);
        shadow::is_empty(self.constraints.iter().chain([&opposite]))
    }

    /// The points of this set that do not lie in `other`, as disjoint sets; some may be empty.
    pub fn outside(&self, other: &Polyhedron) -> Vec<Polyhedron> {
        let mut inside = self.clone();
        let mut parts = vec![];
        for form in other.constraints.iter().filter(|form| !self.implies(form)) {
            let mut part = inside.clone();
            part.add(-form.clone() - Affine::constant(1));
            parts.push(part);
            inside.add(form.clone());
        }
        parts
    }

    /// The same rational points with fewer constraints: none that the others, together with `known`, imply.
    pub fn irredundant(&self, known: &Polyhedron) -> Polyhedron {
        let mut left = self.constraints.clone();
        let mut position = 0;
        while position < left.len() {
            let others = left.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, form)| form.clone());
            let rest = Polyhedron::new(others.chain(known.constraints.iter().cloned()));
            if rest.implies(&left[position]) {
                left.remove(position);
            } else {
                position += 1;
            }
        }
        Polyhedron { constraints: left }
    }

    /// The same points of `known` with every equation spelled out: each constraint that cannot be more than 0 there stands
    /// with its opposite.
    pub fn with_equations(&self, known: &Polyhedron) -> Polyhedron {
        let all = self.intersect(known);
        let opposites = self.constraints.iter().map(|form| -form.clone()).filter(|form| all.implies(form));
        Polyhedron::new(self.constraints.iter().cloned().chain(opposites.collect::<Vec<Affine>>()))
    }

    /// The integer points over `indices`, in lexicographic order, with the other variables fixed by `bindings`.
    ///
    /// Returns `None` where an index is unbounded or a variable has no value.
    pub fn points(&self, indices: &[Name], bindings: &Bindings) -> Option<Vec<Vec<i64>>> {
        let mut points = vec![];
        let levels = self.levels(indices);
        scan(&levels, indices, &mut bindings.clone(), &mut vec![], &mut |prefix, range| {
            points.extend(range.map(|last| prefix.iter().copied().chain([last]).collect::<Vec<i64>>()));
        })?;
        if indices.is_empty() && self.contains(bindings) {
            points.push(vec![]);
        }
        Some(points)
    }

    /// How many integer points there are over `indices`; the innermost index is counted, not enumerated.
    pub fn count(&self, indices: &[Name], bindings: &Bindings) -> Option<u64> {
        if indices.is_empty() {
            return Some(u64::from(self.contains(bindings)));
        }
        let mut total = 0;
        scan(&self.levels(indices), indices, &mut bindings.clone(), &mut vec![], &mut |_, range| {
            total += u64::try_from(range.end - range.start).unwrap_or(0);
        })?;
        Some(total)
    }

    /// For each index the set in which only it and those before it occur.
    fn levels(&self, indices: &[Name]) -> Vec<Polyhedron> {
        let mut levels = vec![self.clone()];
        for index in indices.iter().skip(1).rev() {
            let next = levels[levels.len() - 1].eliminate(index);
            levels.push(next);
        }
        levels.reverse();
        levels
    }
}

/// Visits every prefix of indices with the range of the innermost one.
fn scan(
    levels: &[Polyhedron],
    indices: &[Name],
    bindings: &mut Bindings,
    prefix: &mut Vec<i64>,
    visit: &mut dyn FnMut(&[i64], std::ops::Range<i64>),
) -> Option<()> {
    let depth = prefix.len();
    let Some(index) = indices.get(depth) else { return Some(()) };
    let fixed = levels[depth].constraints.iter().filter(|form| form.coefficient(index) == 0);
    for form in fixed {
        if form.evaluate(bindings)? < 0 {
            return Some(());
        }
    }
    let (lower, upper) = levels[depth].bounds(index);
    let low = lower.iter().map(|bound| bound.lower_value(bindings)).try_fold(i64::MIN, |m, v| Some(m.max(v?)))?;
    let high = upper.iter().map(|bound| bound.upper_value(bindings)).try_fold(i64::MAX, |m, v| Some(m.min(v?)))?;
    if low == i64::MIN || high == i64::MAX {
        return None;
    }
    if depth + 1 == indices.len() {
        visit(prefix, low..(high + 1).max(low));
        return Some(());
    }
    for value in low..=high {
        bindings.insert(index.clone(), value);
        prefix.push(value);
        let deeper = scan(levels, indices, bindings, prefix, visit);
        prefix.pop();
        deeper?;
    }
    bindings.remove(index);
    Some(())
}

/// Divides by the common factor of the coefficients and rounds the constant down: the same integer points.
pub(super) fn tighten(form: Affine) -> Affine {
    let divisor = form.content();
    if divisor <= 1 {
        return form;
    }
    let mut result = Affine::constant(form.constant_term().div_euclid(divisor));
    form.terms().for_each(|(name, coefficient)| result.add_term(name, coefficient / divisor));
    result
}

/// Whether `strong >= 0` implies `weak >= 0` by its constant alone.
fn is_stronger(strong: &Affine, weak: &Affine) -> bool {
    strong.is_parallel(weak) && weak.constant_term() >= strong.constant_term()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::name;
    use proptest::prelude::*;

    fn names() -> Vec<Name> {
        vec![name("i"), name("j")]
    }

    fn boxed(extra: Vec<(i64, i64, i64)>) -> Polyhedron {
        let (i, j) = (Affine::variable(&name("i")), Affine::variable(&name("j")));
        let sides = [i.clone(), j.clone(), Affine::constant(4) - i.clone(), Affine::constant(5) - j.clone()];
        let cuts = extra.into_iter().map(|(a, b, c)| i.clone() * a + j.clone() * b + Affine::constant(c));
        Polyhedron::new(sides.into_iter().chain(cuts))
    }

    /// Elimination by names, in the order that `shadow` takes.
    fn is_empty_by_names(set: &Polyhedron) -> bool {
        let is_contradiction =
            |set: &Polyhedron| set.constraints.iter().any(|form| form.is_constant() && form.constant_term() < 0);
        let growth = |set: &Polyhedron, variable: &Name| {
            let count = |sign: i64| {
                set.constraints.iter().filter(|form| form.coefficient(variable).signum() == sign).count() as i64
            };
            count(1) * count(-1) - count(1) - count(-1)
        };
        let mut set = set.clone();
        while !is_contradiction(&set) {
            let variables = set.variables();
            let Some(variable) = variables.iter().min_by_key(|variable| growth(&set, variable)) else { return false };
            set = set.eliminate(variable);
        }
        true
    }

    /// `2 j = i` has an integer point above every second `i` only, which no shadow can say.
    #[test]
    fn a_shadow_with_gaps_is_not_exact() {
        let (i, j) = (Affine::variable(&name("i")), Affine::variable(&name("j")));
        let set = boxed(vec![(1, -2, 0), (-1, 2, 0)]);
        assert_eq!(set.eliminate_exactly(&name("j")), None);
        let half = Polyhedron::new([j.clone(), i - j * 2]);
        assert!(half.eliminate_exactly(&name("j")).is_some());
    }

    #[test]
    fn an_odd_number_is_no_even_one() {
        let (i, j) = (Affine::variable(&name("i")), Affine::variable(&name("j")));
        let equal = |form: Affine| [form.clone(), -form];
        let at = |value: i64| {
            let pinned = equal(i.clone() - Affine::constant(value));
            Polyhedron::new(pinned.into_iter().chain(equal(i.clone() - j.clone() * 2)))
        };
        assert!(at(1).has_no_integers() && !at(1).is_empty());
        assert!(!at(2).has_no_integers());
    }

    proptest! {
        #[test]
        fn rows_of_numbers_are_as_empty_as_forms_with_names(
            rows in proptest::collection::vec((proptest::collection::vec(-4i64..5, 4), -9i64..10), 0..9),
        ) {
            let names: Vec<Name> = ["i", "j", "k", "N"].map(name).into();
            let form = |(row, constant): &(Vec<i64>, i64)| Affine::from_row(&names, row) + Affine::constant(*constant);
            let set = Polyhedron::new(rows.iter().map(form));
            prop_assert_eq!(set.is_empty(), is_empty_by_names(&set));
        }

        #[test]
        fn sets_that_are_said_to_have_no_integers_have_none(
            cuts in proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..3),
            is_equation in proptest::collection::vec(proptest::bool::ANY, 3),
        ) {
            let turned = |((a, b, c), is_equation): (&(i64, i64, i64), &bool)| is_equation.then_some((-a, -b, -c));
            let opposites: Vec<(i64, i64, i64)> = cuts.iter().zip(&is_equation).filter_map(turned).collect();
            let set = boxed(cuts.into_iter().chain(opposites).collect());
            let count = set.count(&names(), &Bindings::new()).unwrap();
            prop_assert!(count == 0 || !set.has_no_integers());
            prop_assert!(!set.is_empty() || set.has_no_integers());
        }

        #[test]
        fn points_are_those_of_brute_force(cuts in proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..3)) {
            let set = boxed(cuts);
            let all = (0..5).flat_map(|i| (0..6).map(move |j| vec![i, j]));
            let expected: Vec<Vec<i64>> = all
                .filter(|p| set.contains(&names().into_iter().zip(p.iter().copied()).collect()))
                .collect();
            prop_assert_eq!(set.count(&names(), &Bindings::new()), Some(expected.len() as u64));
            prop_assert_eq!(set.points(&names(), &Bindings::new()).unwrap(), expected);
        }

        #[test]
        fn equations_are_spelled_out_and_no_point_is_lost(cuts in proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..4)) {
            let set = boxed(cuts);
            let spelled = set.with_equations(&Polyhedron::default());
            let points = set.points(&names(), &Bindings::new()).unwrap();
            prop_assert_eq!(spelled.points(&names(), &Bindings::new()).unwrap(), points.clone());
            for form in spelled.equations() {
                let value = |point: &Vec<i64>| form.evaluate(&names().into_iter().zip(point.iter().copied()).collect());
                prop_assert!(points.iter().all(|point| value(point) == Some(0)));
            }
        }

        #[test]
        fn an_exact_shadow_is_what_points_throw(cuts in proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..3)) {
            let set = boxed(cuts);
            let Some(shadow) = set.eliminate_exactly(&name("j")) else { return Ok(()) };
            let points = set.points(&names(), &Bindings::new()).unwrap();
            for i in -1..6 {
                let thrown = points.iter().any(|point| point[0] == i);
                prop_assert_eq!(shadow.contains(&Bindings::from([(name("i"), i)])), thrown, "at {}", i);
            }
        }

        #[test]
        fn a_shadow_holds_every_point(cuts in proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..3)) {
            let set = boxed(cuts);
            let shadow = set.eliminate(&name("j"));
            for point in set.points(&names(), &Bindings::new()).unwrap() {
                prop_assert!(shadow.contains(&Bindings::from([(name("i"), point[0])])));
                prop_assert!(!set.is_empty());
            }
        }
    }
}
