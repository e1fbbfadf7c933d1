//! Two terms of an explanation compared, whatever they are: values, lists of directions, directions.
//!
//! In: a world, two terms of one class, how far they are equal. Out: at how many points they were found to be, or why they are not. Terms of
//! a kernel are full of reads, so a law over the reals has nothing to say where one of its sides is undefined.

use crate::check::instances::{Home, Sort, signature_of};
use crate::check::semantics::{Arithmetic, Around, Elements, Evaluation, Meaning, Palette, World, meanings, places};
use crate::rewrite::rules::Tag;
use crate::rewrite::terms::Term;
use egg::{Id, Language, RecExpr};
use std::collections::BTreeMap;
use systole_equations::recurrence::number_text;

/// The number of points, or how the terms differ.
pub(super) type Compared = Result<usize, String>;

/// Where the random numbers of elements start.
const SEED: u64 = 1;

/// How often infinities are drawn: which elements are masked matters more than their number.
const MASKED_ROUNDS: u64 = 4;

/// The seeds with which the elements of a palette are drawn, the `number`th of a law's.
fn seeds(number: usize, palette: Palette) -> impl Iterator<Item = u64> {
    let rounds = if palette == Palette::Infinite { MASKED_ROUNDS } else { 1 };
    (0..rounds).map(move |round| SEED + round * MASKED_ROUNDS + number as u64)
}

/// The law by which one of two terms follows from the other.
#[derive(Clone, Copy)]
pub(super) struct Applied<'a> {
    pub tag: Tag,
    pub law: &'a str,
    /// Whether the first term is the law's right side. Where infinities are values, a law speaks of what its left side has a number for.
    pub backward: bool,
}

/// Compares two terms at all points of a world.
pub(super) fn compare(world: &World, before: &RecExpr<Term>, after: &RecExpr<Term>, law: Applied<'_>) -> Compared {
    match sort(before) {
        Sort::Directions | Sort::Reuses | Sort::Lines => compare_lists(world, before, after),
        Sort::Along | Sort::Reuse => compare_directions(world, before, after),
        _ => compare_values(world, before, after, law),
    }
}

fn sort(term: &RecExpr<Term>) -> Sort {
    let node = &term[term.root()];
    match signature_of(node) {
        Some(signature) => signature.result,
        None if matches!(node, Term::End) => Sort::Directions,
        None if matches!(node, Term::Direction(_)) => Sort::Along,
        None => Sort::Value,
    }
}

/// The space that a term is on, by the first part that names one.
fn home(world: &World, term: &RecExpr<Term>, id: Id) -> Option<usize> {
    let node = &term[id];
    let named = |child: usize| position(world, term, *node.children().get(child)?);
    match signature_of(node).map(|signature| signature.home) {
        Some(Home::On(child) | Home::Between(child, _)) => named(child),
        Some(Home::From(_)) => None,
        _ => node.children().iter().find_map(|child| home(world, term, *child)),
    }
}

fn position(world: &World, term: &RecExpr<Term>, id: Id) -> Option<usize> {
    match &term[id] {
        Term::Heads([space, _]) => position(world, term, *space),
        node => world.position(&node.to_string()),
    }
}

/// The spaces that the two may be on: the one that they name, or else any.
fn homes(world: &World, before: &RecExpr<Term>, after: &RecExpr<Term>) -> Vec<usize> {
    let named = home(world, before, before.root()).or_else(|| home(world, after, after.root()));
    named.map_or_else(|| (0..world.equations.spaces.len()).collect(), |space| vec![space])
}

fn compare_values(world: &World, before: &RecExpr<Term>, after: &RecExpr<Term>, law: Applied<'_>) -> Compared {
    let mut last = Err("neither term says anything here".to_owned());
    for space in homes(world, before, after) {
        let both = meanings(world, before, space).and_then(|one| Ok((one, meanings(world, after, space)?)));
        last = both.and_then(|(one, other)| compare_tuples(world, space, [&one, &other], law));
        if last.is_ok() {
            break;
        }
    }
    last
}

fn compare_tuples(world: &World, space: usize, [before, after]: [&[Meaning]; 2], law: Applied<'_>) -> Compared {
    if before.len() != after.len() {
        return Err(format!("{} components before, {} after", before.len(), after.len()));
    }
    let pairs = before.iter().zip(after);
    pairs.map(|(one, other)| compare_on(world, space, [one, other], law)).sum()
}

fn compare_on(world: &World, space: usize, terms: [&Meaning; 2], applied: Applied<'_>) -> Compared {
    let Applied { tag, law, backward } = applied;
    let mut met = 0;
    let points = places(world, space, &terms);
    let palettes = Palette::of(tag, law).iter().copied().enumerate();
    for (palette, seed) in
        palettes.flat_map(|(number, palette)| seeds(number, palette).map(move |seed| (palette, seed)))
    {
        let elements = Elements { seed, palette, fixed: BTreeMap::new() };
        for point in &points {
            let evaluation = Evaluation::new(world, &elements, Arithmetic::of(tag, palette));
            let left = evaluation.number(terms[usize::from(backward)], point);
            let promises = evaluation.arithmetic.promises(left);
            let right = evaluation.number(terms[usize::from(!backward)], point);
            let [one, other] = if backward { [right, left] } else { [left, right] };
            let is_real = tag != Tag::Exact && !evaluation.arithmetic.is_extended();
            let is_outside = !promises || is_real && (one.is_none() || other.is_none());
            if evaluation.arithmetic.is_undecided() || is_outside {
                continue;
            }
            if !evaluation.arithmetic.agree(one, other) {
                return Err(differ(world, space, point, [one, other]));
            }
            met += 1;
        }
    }
    Ok(met)
}

fn differ(world: &World, space: usize, point: &[i64], values: [Option<f64>; 2]) -> String {
    let at: Vec<String> =
        world.indices(space).iter().zip(point).map(|(index, value)| format!("{index}={value}")).collect();
    let sizes: Vec<String> = world.sizes.iter().map(|(size, value)| format!("{size}={value}")).collect();
    let [one, other] = values.map(|value| value.map_or_else(|| "undefined".to_owned(), number_text));
    format!("at {} for {}: {one} before, {other} after", at.join(", "), sizes.join(", "))
}

/// Every line of the directions of one list lies among the points that the other one speaks of, at each point.
fn compare_lists(world: &World, before: &RecExpr<Term>, after: &RecExpr<Term>) -> Compared {
    let space = homes(world, before, after).first().copied().unwrap_or(0);
    let ((face, sets), (_, lines)) = (Meaning::list(world, before, space)?, Meaning::list(world, after, space)?);
    let elements = |_: &str, _: &[i64]| 0.0;
    let evaluation = Evaluation::new(world, &elements, Arithmetic::of(Tag::Exact, Palette::Integers));
    let points = world.points(space).iter().filter(|point| world.is_on(&face, point));
    let around = |list: &[Around], point: &[i64]| -> Vec<Vec<Vec<i64>>> {
        list.iter().map(|set| evaluation.around(&face, set, point)).collect()
    };
    for point in points {
        let (all, lines) = (around(&sets, point), around(&lines, point));
        let lies_within = |line: &Vec<Vec<i64>>| all.iter().any(|set| line.iter().all(|point| set.contains(point)));
        if !all.is_empty() && !lines.iter().all(lies_within) {
            return Err(format!("a line through {point:?} leaves the points of one value"));
        }
    }
    Ok(world.points(space).len())
}

fn compare_directions(world: &World, before: &RecExpr<Term>, after: &RecExpr<Term>) -> Compared {
    let space = homes(world, before, after).first().copied().unwrap_or(0);
    let (one, other) = (Meaning::direction(world, before, space)?, Meaning::direction(world, after, space)?);
    if one == other { Ok(1) } else { Err(format!("{one:?} is another direction than {other:?}")) }
}
