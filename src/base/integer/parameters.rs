//! The parameters of a kernel, and which values they may have.

use super::polyhedron::tighten;
use super::{Affine, Bindings, Name, Polyhedron};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

/// How many times the usual size is tried at most.
const LARGER: i64 = 8;

/// Names in order. Each stands for a number that is at least 1, and a kernel may assume more of them: `N >= 2`, `K <= N`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameters {
    names: Vec<Name>,
    /// Forms that are 0 or more, beyond what every size is.
    assumed: Vec<Affine>,
}

impl Parameters {
    /// The same names, of whose values `form >= 0` is assumed too.
    pub fn assume(&mut self, form: Affine) {
        let form = tighten(form);
        if !self.sizes().implies(&form) && !self.assumed.contains(&form) {
            self.assumed.push(form);
        }
    }

    /// One more name.
    pub fn push(&mut self, name: Name) {
        self.names.push(name);
    }

    /// What is assumed beyond that each is at least 1.
    pub fn assumed(&self) -> &[Affine] {
        &self.assumed
    }

    /// All values that the parameters may have.
    pub fn sizes(&self) -> Polyhedron {
        let mut sizes = Polyhedron::at_least_one(&self.names);
        self.assumed.iter().for_each(|form| sizes.add(form.clone()));
        sizes
    }

    /// ` where N >= 2, N >= K`; nothing where nothing is assumed.
    pub fn assumptions(&self) -> String {
        let texts: Vec<String> = self.assumed.iter().map(comparison).collect();
        if texts.is_empty() { String::new() } else { format!(" where {}", texts.join(", ")) }
    }

    /// The least value that a parameter may have.
    pub fn least(&self, name: &Name) -> i64 {
        let others = self.names.iter().filter(|other| *other != name);
        let (lower, _) = self.sizes().eliminate_all(others).bounds(name);
        lower.iter().filter_map(|bound| bound.lower_value(&Bindings::new())).max().unwrap_or(1)
    }

    /// `given`, and `usual` for the rest; where something is assumed that does not hold then, another number that serves for all of
    /// the rest, if there is a small one.
    pub fn filled(&self, given: &Bindings, usual: i64) -> Bindings {
        let with = |value: i64| -> Bindings {
            let rest = self.names.iter().map(|name| (name.clone(), value.max(self.least(name))));
            rest.chain(given.iter().map(|(name, value)| (name.clone(), *value))).collect()
        };
        let values = (usual..=usual * LARGER).chain((1..usual).rev());
        values.map(with).find(|sizes| self.broken_at(sizes).is_none()).unwrap_or_else(|| with(usual))
    }

    /// Numbers of tiles in their place, given as a name, the parameter that is cut, and the side of a tile; with what follows for them
    /// from what is assumed.
    pub fn in_tiles<'a>(&self, counts: impl Iterator<Item = (&'a Name, &'a Name, i64)>) -> Parameters {
        let counts: Vec<(&Name, &Name, i64)> = counts.collect();
        let mut tiles: Parameters = counts.iter().map(|(name, ..)| (*name).clone()).collect();
        let assumed = self.assumed.iter().flat_map(|form| counted(form, &counts));
        assumed.for_each(|form| tiles.assume(form));
        tiles
    }

    /// What is assumed that does not hold at `sizes`, in words: `N >= K, which K = 3, N = 2 is not`.
    pub fn breach(&self, sizes: &Bindings) -> Option<String> {
        let form = self.broken_at(sizes)?;
        let named = sizes.iter().filter(|(size, _)| form.coefficient(size) != 0);
        let values: Vec<String> = named.map(|(size, value)| format!("{size} = {value}")).collect();
        Some(format!("{}, which {} is not", comparison(form), values.join(", ")))
    }

    /// What is assumed that does not hold at `sizes`; what cannot be evaluated there is not known to fail.
    pub fn broken_at(&self, sizes: &Bindings) -> Option<&Affine> {
        self.assumed.iter().find(|form| form.evaluate(sizes).is_some_and(|value| value < 0))
    }

    /// Without `name`, which is the same number as `other`.
    pub fn merged(&self, name: &Name, other: &Name) -> Parameters {
        let image = BTreeMap::from([(name.clone(), Affine::variable(other))]);
        let mut merged: Parameters = self.names.iter().filter(|own| *own != name).cloned().collect();
        self.assumed.iter().for_each(|form| merged.assume(form.substitute(&image)));
        merged
    }

    /// Other names in their place, with what is assumed of those that are kept.
    pub fn renamed(&self, names: impl IntoIterator<Item = Name>) -> Parameters {
        let names: Vec<Name> = names.into_iter().collect();
        let kept: BTreeSet<&Name> = names.iter().collect();
        let is_kept = |form: &&Affine| form.terms().all(|(name, _)| kept.contains(name));
        let assumed = self.assumed.iter().filter(is_kept).cloned().collect();
        Parameters { names, assumed }
    }
}

/// What follows for numbers of tiles from `form >= 0` over sizes: `n` tiles of side `s` have at least `s * (n - 1) + 1` and at most
/// `s * n` elements. One form for each way to count the tiles of all sizes in it.
fn counted(form: &Affine, counts: &[(&Name, &Name, i64)]) -> Vec<Affine> {
    let mut forms = vec![Affine::constant(form.constant_term())];
    for (size, factor) in form.terms() {
        let most = |(count, _, side): &(&Name, &Name, i64)| {
            let missing = if factor > 0 { 0 } else { factor * (1 - side) };
            Affine::term(count, factor * side) + Affine::constant(missing)
        };
        let own: Vec<Affine> = counts.iter().filter(|(_, parameter, _)| *parameter == size).map(most).collect();
        forms = forms.iter().flat_map(|form| own.iter().map(|term| form.clone() + term.clone())).collect();
    }
    forms
}

/// `form >= 0` with what is taken off on the other side: `N >= K + 1`.
fn comparison(form: &Affine) -> String {
    let [left, right] = sides(form);
    format!("{left} >= {right}")
}

/// Both sides of `form >= 0`, the left one at least the right one, with nothing taken off on either.
pub fn sides(form: &Affine) -> [Affine; 2] {
    let (mut left, mut right) = (Affine::default(), Affine::default());
    for (name, factor) in form.terms() {
        if factor > 0 { left.add_term(name, factor) } else { right.add_term(name, -factor) }
    }
    let constant = form.constant_term();
    if left.is_constant() || constant < 0 {
        right = right - Affine::constant(constant);
    } else {
        left = left + Affine::constant(constant);
    }
    [left, right]
}

impl Deref for Parameters {
    type Target = [Name];

    fn deref(&self) -> &[Name] {
        &self.names
    }
}

impl<'a> IntoIterator for &'a Parameters {
    type Item = &'a Name;
    type IntoIter = std::slice::Iter<'a, Name>;

    fn into_iter(self) -> Self::IntoIter {
        self.names.iter()
    }
}

impl FromIterator<Name> for Parameters {
    fn from_iter<I: IntoIterator<Item = Name>>(names: I) -> Parameters {
        Parameters { names: names.into_iter().collect(), assumed: vec![] }
    }
}

impl From<Vec<Name>> for Parameters {
    fn from(names: Vec<Name>) -> Parameters {
        Parameters { names, assumed: vec![] }
    }
}

impl Extend<Name> for Parameters {
    fn extend<I: IntoIterator<Item = Name>>(&mut self, names: I) {
        self.names.extend(names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::name;

    fn form(coefficients: &[(&str, i64)], constant: i64) -> Affine {
        coefficients
            .iter()
            .fold(Affine::constant(constant), |sum, (variable, factor)| sum + Affine::term(&name(variable), *factor))
    }

    #[test]
    fn what_is_assumed_is_part_of_all_sizes() {
        let mut parameters: Parameters = [name("K"), name("N")].into_iter().collect();
        parameters.assume(form(&[("N", 1)], -1));
        assert!(parameters.assumed().is_empty(), "each size is at least 1 anyway");
        parameters.assume(form(&[("N", 1), ("K", -1)], 0));
        assert!(parameters.sizes().implies(&form(&[("N", 2), ("K", -1)], -1)));
        let at = |k: i64, n: i64| [(name("K"), k), (name("N"), n)].into_iter().collect::<Bindings>();
        assert_eq!(parameters.broken_at(&at(3, 2)), Some(&form(&[("N", 1), ("K", -1)], 0)));
        assert_eq!(parameters.broken_at(&at(2, 2)), None);
        assert_eq!(parameters.breach(&at(3, 2)).as_deref(), Some("N >= K, which K = 3, N = 2 is not"));
    }

    #[test]
    fn tiles_know_what_follows_for_their_numbers() {
        let mut parameters: Parameters = [name("K"), name("N")].into_iter().collect();
        parameters.assume(form(&[("N", 1), ("K", -1)], 0));
        parameters.assume(form(&[("N", 1)], -7));
        let (k, n) = (name("K4"), name("N4"));
        let tiles = parameters.in_tiles([(&k, &parameters[0], 4), (&n, &parameters[1], 4)].into_iter());
        assert_eq!(tiles.assumptions(), " where N4 >= K4, N4 >= 2");
        for (k, n) in (1..20).flat_map(|k| (7.max(k)..20).map(move |n| (k, n))) {
            let counts = [("K4", k), ("N4", n)].map(|(count, size)| (name(count), (size + 3) / 4));
            assert!(tiles.broken_at(&counts.into_iter().collect()).is_none(), "K = {k}, N = {n}");
        }
    }

    #[test]
    fn sizes_that_nobody_gives_are_as_assumed() {
        let mut parameters: Parameters = [name("K"), name("N")].into_iter().collect();
        parameters.assume(form(&[("N", 1), ("K", -1)], 0));
        parameters.assume(form(&[("K", 1)], -10));
        assert_eq!(parameters.least(&name("N")), 10);
        let filled = |given: &[(&str, i64)], usual| {
            let given = given.iter().map(|(size, value)| (name(size), *value)).collect();
            parameters.filled(&given, usual).into_values().collect::<Vec<_>>()
        };
        assert_eq!(filled(&[], 8), [10, 10]);
        assert_eq!(filled(&[("K", 20)], 8), [20, 20]);
        assert_eq!(filled(&[("N", 11)], 12), [11, 11]);
        assert_eq!(filled(&[("N", 5)], 8), [10, 5], "nothing serves: what is refused then is said by who reads sizes");
    }

    #[test]
    fn what_is_assumed_of_a_name_goes_with_it() {
        let mut parameters: Parameters = [name("K"), name("N")].into_iter().collect();
        parameters.assume(form(&[("N", 1), ("K", -1)], 0));
        parameters.assume(form(&[("N", 1)], -2));
        let renamed = parameters.renamed([name("N"), name("P")]);
        assert_eq!(renamed.assumed(), [form(&[("N", 1)], -2)]);
        assert_eq!(renamed.to_vec(), [name("N"), name("P")]);
    }
}
