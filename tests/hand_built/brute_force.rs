//! Decides an obligation by trying all sizes up to a bound and all points in a box: the solver's independent twin.
//!
//! Values are tried in the order in which counterexamples are small, so the first hit is the smallest in the box. A
//! prefix of values is given up when the formula is false whatever follows; a full assignment is judged by
//! `Formula::holds`.

use systole_base::integer::{Affine, Bindings};
use systole_program::obligation::{Formula, Obligation};

/// A formula over numbered variables, for speed.
enum Tree {
    Least { terms: Vec<(usize, i64)>, constant: i64 },
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Not(Box<Tree>),
}

/// The smallest violation with all sizes at most `largest`, the other variables in a box around the domain.
pub fn smallest_violation(obligation: &Obligation, largest: i64) -> Option<Vec<i64>> {
    let tree = number(&obligation.violation, obligation);
    let ranges: Vec<Vec<i64>> = (0..obligation.variables.len()).map(|at| range(obligation, at, largest)).collect();
    let mut sizes = all_sizes(obligation.parameters, largest);
    sizes.sort_by_key(|sizes| (sizes.iter().sum::<i64>(), sizes.clone()));
    sizes
        .into_iter()
        .find_map(|sizes| {
            let mut values = sizes;
            extend(&tree, &ranges, &mut values).then_some(values)
        })
        .inspect(|values| {
            let bindings: Bindings = obligation.variables.iter().cloned().zip(values.iter().copied()).collect();
            assert_eq!(obligation.violation.holds(&bindings), Some(true), "brute force must agree with `holds`");
        })
}

/// Coordinates lie in the domain, one step around it included; times and counts in a wide interval.
fn range(obligation: &Obligation, position: usize, largest: i64) -> Vec<i64> {
    let coordinates = obligation.parameters + obligation.points.iter().sum::<usize>();
    let mut range: Vec<i64> =
        if position < coordinates { (-1..=largest).collect() } else { (-12 * largest..=12 * largest).collect() };
    range.sort_by_key(|value| (value.abs(), *value));
    range
}

fn all_sizes(parameters: usize, largest: i64) -> Vec<Vec<i64>> {
    (0..parameters).fold(vec![vec![]], |prefixes, _| {
        let longer = |prefix: Vec<i64>| (1..=largest).map(move |size| [prefix.clone(), vec![size]].concat());
        prefixes.into_iter().flat_map(longer).collect()
    })
}

fn extend(tree: &Tree, ranges: &[Vec<i64>], values: &mut Vec<i64>) -> bool {
    match judge(tree, values) {
        Some(false) => return false,
        verdict if values.len() == ranges.len() => return verdict == Some(true),
        _ => {}
    }
    for value in &ranges[values.len()] {
        values.push(*value);
        if extend(tree, ranges, values) {
            return true;
        }
        values.pop();
    }
    false
}

/// Three-valued: `None` where the values so far do not decide.
fn judge(tree: &Tree, values: &[i64]) -> Option<bool> {
    match tree {
        Tree::Least { terms, constant } => {
            let mut sum = *constant;
            for (position, coefficient) in terms {
                sum += coefficient * values.get(*position)?;
            }
            Some(sum >= 0)
        }
        Tree::All(parts) => until(parts, values, false),
        Tree::Any(parts) => until(parts, values, true),
        Tree::Not(part) => judge(part, values).map(|verdict| !verdict),
    }
}

/// `decisive` where one part is; otherwise its opposite where all parts are known.
fn until(parts: &[Tree], values: &[i64], decisive: bool) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match judge(part, values) {
            Some(verdict) if verdict == decisive => return Some(decisive),
            verdict => known &= verdict.is_some(),
        }
    }
    known.then_some(!decisive)
}

fn number(formula: &Formula, obligation: &Obligation) -> Tree {
    let all = |parts: &[Formula]| parts.iter().map(|part| number(part, obligation)).collect();
    match formula {
        Formula::AtLeastZero(form) => Tree::Least { terms: terms(form, obligation), constant: form.constant_term() },
        Formula::All(parts) => Tree::All(all(parts)),
        Formula::Any(parts) => Tree::Any(all(parts)),
        Formula::Not(part) => Tree::Not(Box::new(number(part, obligation))),
    }
}

fn terms(form: &Affine, obligation: &Obligation) -> Vec<(usize, i64)> {
    let position = |wanted: &str| obligation.variables.iter().position(|name| **name == *wanted).unwrap();
    form.terms().map(|(name, coefficient)| (position(name), coefficient)).collect()
}
