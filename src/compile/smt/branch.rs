//! The best integer solution of a linear problem, by branch and bound.
//!
//! In: a [`LinearProblem`]. Out: its best solution, of equally good ones the one whose unknowns are smallest in their order,
//! positive before negative; that no integers satisfy it; or that a goal falls without end over the rationals. Nothing where a
//! number does not fit or the tree grows too large: then another solver has to be asked. Numbers have 64 bits, or 128 where
//! these are too few.
//! A node is the problem over the rationals with a few more inequalities ([`Dictionary`]); its goals bound those of all
//! integers within. The order of the solutions is goals like any other, so the first node whose solution is one of the
//! problem holds the answer. A node divides at a sum that is less than 1 from a value that it must not have, else at an
//! unknown that is no integer; its sides go on from its dictionary.
//! Land and Doig, An automatic method of solving discrete programming problems, 1960.

use super::dictionary::{Dictionary, Ending, Sum};
use super::lattice::have_no_point;
use super::linear::{Goal, LinearProblem};
use super::number::Number;
use super::sparse::{Inequality, Terms, have_clash, inequalities, opposite, terms};
use std::cell::Cell;
use std::cmp::Ordering;
use systole_base::integer::gcd;

/// Larger numbers are left to others.
const LARGEST: u64 = 1 << 40;

/// Where a problem is best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Best {
    /// At these values of the unknowns.
    At(Vec<i64>),
    /// No integers satisfy the problem.
    Nowhere,
    /// A goal has no least value over the rationals, nor over the integers where any satisfy the problem ([`has_point`]).
    Endless,
}

/// How far a tree may grow: in nodes, and in numbers that are written for them.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub nodes: usize,
    pub written: u64,
}

impl Size {
    /// So many nodes, whatever they take.
    pub const fn of_nodes(nodes: usize) -> Size {
        Size { nodes, written: u64::MAX }
    }
}

/// The first of the best solutions, found in a tree of this size. `work` counts the numbers that are written meanwhile. Where numbers of
/// 64 bits lead to no end, most often since one does not fit, those of 128 bits are tried.
pub(super) fn best(problem: &LinearProblem, most: Size, work: &mut u64) -> Option<Best> {
    let tree = Tree::new(problem, vec![1; problem.bounds.len()])?;
    let tree = Tree { goals: [tree.goals.clone(), tree.order()].concat(), ..tree };
    if tree.has_no_point() {
        return Some(Best::Nowhere);
    }
    let best = best_of::<i64>(&tree, most).or_else(|| best_of::<i128>(&tree, most));
    *work = work.saturating_add(tree.work.get());
    best?.best()
}

/// Whether any integers satisfy a problem, whatever its goals. If so, a goal that falls without end over the rationals does over the
/// integers: it falls along a direction of rational numbers, so along one of integers, and the goals before it stay as they are there. From
/// any solution there is a better one in that direction. A sum that changes on the way has a value that it must not have at one step at
/// most. One that does not change keeps the value that it has at the solution.
pub(super) fn has_point(problem: &LinearProblem, most: Size, work: &mut u64) -> Option<bool> {
    // A goal that has a least value.
    let all = (0..problem.bounds.len()).collect();
    match best(&LinearProblem { goals: vec![Goal::Magnitudes(all)], ..problem.clone() }, most, work)? {
        Best::At(_) => Some(true),
        Best::Nowhere => Some(false),
        Best::Endless => None,
    }
}

/// `None` where a number does not fit.
fn best_of<N: Number>(tree: &Tree, most: Size) -> Option<Ended> {
    search(tree, tree.node(tree.root::<N>()?)?, most)
}

/// How the search in a tree ended.
enum Ended {
    Best(Best),
    /// The tree grew too large.
    Large,
}

impl Ended {
    fn best(self) -> Option<Best> {
        match self {
            Ended::Best(best) => Some(best),
            Ended::Large => None,
        }
    }
}

/// Where the problem before was left: its inequalities, which unknowns are free and the values of the others, its goals, and the dictionary
/// of its best rational solution.
pub(super) struct Left {
    rows: Vec<Inequality>,
    free: Vec<usize>,
    fixed: Vec<i64>,
    goals: Vec<Sum>,
    dictionary: Dictionary<i64>,
}

/// One of the best solutions of which each unknown is a multiple of a number of its own: the same each time for problems that come in the
/// same order. It goes on from the problem before where the two differ in their right sides only. Nothing where a goal falls without end.
/// `work` counts the numbers that are written meanwhile.
pub(super) fn any_best(
    problem: &LinearProblem,
    multiples: &[i64],
    most: Size,
    (left, work): (&mut Option<Left>, &mut u64),
) -> Option<Best> {
    let tree = Tree::new(problem, multiples.to_vec())?;
    let best = any_best_of(&tree, most, left);
    *work = work.saturating_add(tree.work.get());
    best
}

fn any_best_of(tree: &Tree, most: Size, left: &mut Option<Left>) -> Option<Best> {
    let mut root = tree.root_after(left.take())?;
    if tree.solve(&mut root)? == Ending::Endless {
        return None;
    }
    let (rows, free, fixed) = (tree.rows.clone(), tree.free.clone(), tree.fixed.clone());
    *left = Some(Left { rows, free, fixed, goals: tree.goals.clone(), dictionary: root.clone() });
    let node = tree.node(root)?;
    let is_whole = match &node {
        Solved::Best(node) => tree.divide(node)?.is_none(),
        Solved::Empty | Solved::Endless => true,
    };
    if !is_whole && tree.has_no_point() {
        return Some(Best::Nowhere);
    }
    search(tree, node, most)?.best()
}

/// Divides the best node until its solution is one of the problem; `None` where a number does not fit.
fn search<N: Number>(tree: &Tree, root: Solved<N>, most: Size) -> Option<Ended> {
    let mut open: Vec<Node<N>> = match root {
        Solved::Best(root) => vec![root],
        Solved::Empty => vec![],
        Solved::Endless => return Some(Ended::Best(Best::Endless)),
    };
    for _ in 0..most.nodes {
        if tree.work.get() > most.written {
            return Some(Ended::Large);
        }
        let Some(next) = (0..open.len()).min_by(|one, other| open[*one].order(&open[*other])) else {
            return Some(Ended::Best(Best::Nowhere));
        };
        let node = open.swap_remove(next);
        let Some(sides) = tree.divide(&node)? else {
            return tree.values(&node).map(|values| Ended::Best(Best::At(values)));
        };
        for side in sides {
            let row = tree.sum(&side.terms, side.least.checked_neg()?)?;
            match tree.node(node.dictionary.with(&row)?)? {
                Solved::Best(side) => open.push(side),
                Solved::Empty => {}
                // With one more inequality a goal falls without end only where it did so before.
                Solved::Endless => return None,
            }
        }
    }
    Some(Ended::Large)
}

/// What a problem with some more inequalities comes to over the rationals ([`Ending`]).
enum Solved<N> {
    Best(Node<N>),
    Empty,
    Endless,
}

/// The best rational solution of the problem with some more inequalities; all numbers are times the denominator.
struct Node<N> {
    dictionary: Dictionary<N>,
    denominator: N,
    goals: Vec<N>,
    values: Vec<N>,
}

impl<N: Number> Node<N> {
    /// By the goals, the first before all others.
    fn order(&self, other: &Node<N>) -> Ordering {
        let scaled = |value: N, by: &Node<N>| value.product(by.denominator);
        let each = self.goals.iter().zip(&other.goals).map(|(a, b)| scaled(*a, other).cmp(&scaled(*b, self)));
        each.fold(Ordering::Equal, Ordering::then)
    }
}

/// What all nodes share.
struct Tree<'a> {
    problem: &'a LinearProblem,
    /// What each unknown is a multiple of.
    multiples: Vec<i64>,
    rows: Vec<Inequality>,
    /// The unknowns that are not fixed; each is the difference of two variables.
    free: Vec<usize>,
    /// The values of those that are.
    fixed: Vec<i64>,
    /// The sums that must not have some value, with it.
    unequal: Vec<(Terms, i64)>,
    /// The goals over the variables; with those of the order the best solution is the only one.
    goals: Vec<Sum>,
    /// The numbers written so far.
    work: Cell<u64>,
}

impl Tree<'_> {
    fn new(problem: &LinearProblem, multiples: Vec<i64>) -> Option<Tree<'_>> {
        let mut rows = inequalities(problem);
        let mut fixed = vec![0; problem.bounds.len()];
        let mut free = vec![];
        for (unknown, (least, most)) in problem.bounds.iter().enumerate() {
            match (least, most) {
                (Some(least), Some(most)) if least == most => fixed[unknown] = *least,
                _ => free.push(unknown),
            }
            rows.extend(least.map(|least| Inequality { terms: vec![(unknown, 1)], least }));
            rows.extend(most.map(|most| Inequality { terms: vec![(unknown, -1)], least: most.saturating_neg() }));
        }
        let apart = problem.unequal.iter().map(|sum| (terms(&sum.coefficients), sum.value));
        let mut unequal: Vec<(Terms, i64)> = apart.collect();
        let numbers = rows.iter().flat_map(|row| row.terms.iter().map(|(_, factor)| *factor).chain([row.least]));
        let sums = unequal.iter().flat_map(|(sum, value)| sum.iter().map(|(_, factor)| *factor).chain([*value]));
        let fits = numbers.chain(sums).all(|number| number.unsigned_abs() <= LARGEST);
        fits.then_some(())?;
        unequal.retain(|(sum, value)| value % whole(sum, &multiples) == 0);
        rows.iter_mut().for_each(|row| row.least = up(row.least, whole(&row.terms, &multiples)));
        let tree = Tree { problem, multiples, rows, free, fixed, unequal, goals: vec![], work: Cell::default() };
        Some(Tree { goals: tree.goals()?, ..tree })
    }

    /// Whether it is seen at once that no integers satisfy the rows.
    fn has_no_point(&self) -> bool {
        have_clash(&self.rows) || have_no_point(self.problem.bounds.len(), &self.rows)
    }

    /// What was left, with the right sides of this problem, where only these differ; else the rows of the problem.
    fn root_after(&self, left: Option<Left>) -> Option<Dictionary<i64>> {
        match left {
            Some(left) if self.is_like(&left) => self.moved(left),
            _ => self.root(),
        }
    }

    /// Whether only right sides differ.
    fn is_like(&self, left: &Left) -> bool {
        let mut sides = self.rows.iter().zip(&left.rows);
        (&self.free, &self.fixed, &self.goals) == (&left.free, &left.fixed, &left.goals)
            && self.rows.len() == left.rows.len()
            && sides.all(|(row, known)| row.terms == known.terms)
    }

    /// What was left, with the right sides of this problem.
    fn moved(&self, Left { rows, mut dictionary, .. }: Left) -> Option<Dictionary<i64>> {
        for (row, (new, known)) in self.rows.iter().zip(&rows).enumerate().filter(|(_, (new, known))| new != known) {
            dictionary.raise(2 * self.free.len() + row, known.least.checked_sub(new.least)?)?;
        }
        Some(dictionary)
    }

    /// The rows of the problem.
    fn root<N: Number>(&self) -> Option<Dictionary<N>> {
        let rows = self.rows.iter().map(|row| self.sum(&row.terms, row.least.checked_neg()?));
        Some(Dictionary::new(2 * self.free.len(), &rows.collect::<Option<Vec<_>>>()?))
    }

    /// Brings a dictionary to the least goals, and counts what that takes.
    fn solve<N: Number>(&self, dictionary: &mut Dictionary<N>) -> Option<Ending> {
        let ending = dictionary.solve(&self.goals);
        self.work.set(self.work.get().saturating_add(dictionary.work()));
        ending
    }

    /// The best solution over the rationals.
    fn node<N: Number>(&self, mut dictionary: Dictionary<N>) -> Option<Solved<N>> {
        match self.solve(&mut dictionary)? {
            Ending::Least => {}
            Ending::Empty => return Some(Solved::Empty),
            Ending::Endless => return Some(Solved::Endless),
        }
        let denominator = dictionary.denominator();
        let mut values: Vec<N> =
            self.fixed.iter().map(|value| N::of(*value).checked_mul(&denominator)).collect::<Option<_>>()?;
        let pairs = dictionary.values(2 * self.free.len());
        for (unknown, pair) in self.free.iter().zip(pairs.chunks_exact(2)) {
            values[*unknown] = pair[0].checked_sub(&pair[1])?;
        }
        let goals = self.goals.iter().map(|goal| score(goal, &pairs, denominator)).collect::<Option<_>>()?;
        Some(Solved::Best(Node { dictionary, denominator, goals, values }))
    }

    /// A sum of unknowns and a constant over the variables.
    fn sum(&self, terms: &[(usize, i64)], mut constant: i64) -> Option<Sum> {
        let mut pairs = Vec::with_capacity(2 * terms.len());
        for (unknown, factor) in terms {
            match self.free.binary_search(unknown) {
                Ok(at) => pairs.extend([(2 * at, *factor), (2 * at + 1, factor.checked_neg()?)]),
                Err(_) => constant = factor.checked_mul(self.fixed[*unknown])?.checked_add(constant)?,
            }
        }
        Some(Sum { constant, terms: pairs })
    }

    /// The goals of the problem.
    fn goals(&self) -> Option<Vec<Sum>> {
        self.problem.goals.iter().map(|goal| self.goal(goal)).collect()
    }

    /// For each unknown its magnitude and, as positive ones come first, what is negative of it.
    fn order(&self) -> Vec<Sum> {
        let of_variables = |terms: Terms| Sum { constant: 0, terms };
        let of_unknown = |at: usize| [vec![(2 * at, 1), (2 * at + 1, 1)], vec![(2 * at + 1, 1)]].map(of_variables);
        (0..self.free.len()).flat_map(of_unknown).collect()
    }

    fn goal(&self, goal: &Goal) -> Option<Sum> {
        let positions = match goal {
            Goal::Form(form) => return self.sum(&terms(form), 0),
            Goal::Magnitudes(positions) => positions,
        };
        let mut sum = Sum { constant: 0, terms: vec![] };
        for unknown in positions {
            match self.free.binary_search(unknown) {
                Ok(at) => sum.terms.extend([(2 * at, 1), (2 * at + 1, 1)]),
                Err(_) => sum.constant = self.fixed[*unknown].checked_abs()?.checked_add(sum.constant)?,
            }
        }
        Some(sum)
    }

    /// Two inequalities one of which every integer solution of the node satisfies, and the node's own does not; none where
    /// that is a solution of the problem.
    fn divide<N: Number>(&self, node: &Node<N>) -> Option<Option<[Inequality; 2]>> {
        for (sum, value) in &self.unequal {
            let each = sum.iter().map(|(unknown, factor)| N::of(*factor).product(node.values[*unknown]));
            let (gap, of_values) = (whole(sum, &self.multiples), each.fold(N::zero().widened(), |sum, one| sum + one));
            let scaled = |value: i64| N::of(value).product(node.denominator);
            if scaled(value - gap) < of_values && of_values < scaled(value + gap) {
                let below = Inequality { terms: opposite(sum)?, least: gap - value };
                return Some(Some([Inequality { terms: sum.clone(), least: gap + value }, below]));
            }
        }
        let whole = |unknown: usize| node.denominator.checked_mul(&N::of(self.multiples[unknown]));
        let is_broken =
            |unknown: &usize| whole(*unknown).is_none_or(|whole| !(node.values[*unknown] % whole).is_zero());
        let Some(unknown) = (0..node.values.len()).find(is_broken) else {
            return Some(None);
        };
        let multiple = self.multiples[unknown];
        let floor = node.values[unknown].div_euclid(&whole(unknown)?).to_i64()?.checked_mul(multiple)?;
        let below = Inequality { terms: vec![(unknown, -1)], least: floor.checked_neg()? };
        Some(Some([below, Inequality { terms: vec![(unknown, 1)], least: floor.checked_add(multiple)? }]))
    }

    /// The values of a node whose solution is one of the problem, checked.
    fn values<N: Number>(&self, node: &Node<N>) -> Option<Vec<i64>> {
        let values = node.values.iter().map(|value| (*value / node.denominator).to_i64());
        let values: Vec<i64> = values.collect::<Option<_>>()?;
        let scores = self.problem.scores(&values)?;
        let is_told = |(score, goal): (&i64, N)| N::of(*score).checked_mul(&node.denominator) == Some(goal);
        let of_pairs = scores.iter().zip(node.goals.iter().copied()).all(is_told);
        let of_pivots = scores.iter().zip(node.dictionary.scores()).all(is_told);
        (self.problem.allows(&values) && of_pairs && of_pivots).then_some(values)
    }
}

/// The value of a sum where the variables have these values, all times the denominator.
fn score<N: Number>(sum: &Sum, values: &[N], denominator: N) -> Option<N> {
    sum.terms.iter().try_fold(N::of(sum.constant).checked_mul(&denominator)?, |total, (variable, factor)| {
        N::of(*factor).checked_mul(&values[*variable])?.checked_add(&total)
    })
}

/// What a sum of multiples is a multiple of.
fn whole(terms: &[(usize, i64)], multiples: &[i64]) -> i64 {
    let each = terms.iter().map(|(unknown, factor)| factor.saturating_mul(multiples[*unknown]));
    each.fold(0, gcd).max(1)
}

/// The least multiple that is not less; the number itself where that does not fit, which says less.
fn up(number: i64, multiple: i64) -> i64 {
    let over = number.rem_euclid(multiple);
    if over == 0 { number } else { number.checked_add(multiple - over).unwrap_or(number) }
}
