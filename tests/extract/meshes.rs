//! Every class of meshes for the solve and the two factorisations, by brute force over places and steps.
//!
//! A class is the place of the sums, up to a mirrored or turned array. Brute force knows operations, who reads which element, and
//! nothing of streams: in one step a PE does one operation; a partial sum moves from PE to PE or stays; what is read was computed,
//! or read before, on that PE or next to it. Places have entries from -1 to 1, those of results are shifted by one PE at most;
//! steps of sums have entries from -2 to 2. All of it holds at every point at the sizes that are looked at. The search finds each of
//! these classes with its own shortest steps, and others whose values take two links at once.

use crate::systems::{Kernel, kernel, machine, sizes};
use std::collections::{BTreeMap, BTreeSet};
use systole_compile::extract::{Constraint, solve};
use systole_compile::mapping::candidates::Bounds;

const TRISOLVE: &str = include_str!("../../kernels/trisolve.rec");
const CHOLESKY: &str = include_str!("../../kernels/cholesky.rec");
const LU: &str = include_str!("../../kernels/lu.rec");

/// The size at which a class must be right, and a smaller one at which most that is wrong shows sooner.
const SIZES: [i64; 2] = [4, 8];

/// Entries of the steps of results, which follow the last terms of their sums: a step of two along each of two indices makes four.
const MOST_STEP: i64 = 4;

/// By so many steps results that no sum reads may wait.
const LATER: i64 = 3;

type Point = Vec<i64>;

/// An element of a result, by the number of its tensor.
type Element = (usize, Point);

/// A product that is added to a sum.
struct Term {
    point: Point,
    /// The sum: who takes it, and which of its operations.
    sum: (usize, Point),
    reads: Vec<Element>,
}

/// What is done with a sum once it is complete.
struct Finish {
    point: Point,
    writes: Element,
    reads: Vec<Element>,
}

/// A kernel at some size: terms, and for each kind of result its operations.
struct Work {
    terms: Vec<Term>,
    finishes: Vec<Vec<Finish>>,
}

fn trisolve(n: i64) -> Work {
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let terms = pairs.map(|(i, j)| Term { point: vec![i, j], sum: (0, vec![i]), reads: vec![(0, vec![j])] });
    let finish = |i: i64| Finish { point: vec![i], writes: (0, vec![i]), reads: vec![] };
    Work { terms: terms.collect(), finishes: vec![(0..n).map(finish).collect()] }
}

fn cholesky(n: i64) -> Work {
    let cube = (0..n).flat_map(|i| (0..=i).flat_map(move |j| (0..j).map(move |k| (i, j, k))));
    let term = |(i, j, k): (i64, i64, i64)| {
        let sum = if i == j { (1, vec![i]) } else { (0, vec![i, j]) };
        Term { point: vec![i, j, k], sum, reads: vec![(0, vec![i, k]), (0, vec![j, k])] }
    };
    let below = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let divide =
        |(i, j): (i64, i64)| Finish { point: vec![i, j], writes: (0, vec![i, j]), reads: vec![(0, vec![j, j])] };
    let root = |i: i64| Finish { point: vec![i], writes: (0, vec![i, i]), reads: vec![] };
    Work { terms: cube.map(term).collect(), finishes: vec![below.map(divide).collect(), (0..n).map(root).collect()] }
}

fn lu(n: i64) -> Work {
    let square = || (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
    let terms = square().flat_map(|(i, j)| {
        (0..i.min(j)).map(move |k| Term {
            point: vec![i, j, k],
            sum: (usize::from(i > j), vec![i, j]),
            reads: vec![(1, vec![i, k]), (0, vec![k, j])],
        })
    });
    let upper = square().filter(|(i, j)| i <= j);
    let lower = square().filter(|(i, j)| i > j);
    let pass = |(i, j): (i64, i64)| Finish { point: vec![i, j], writes: (0, vec![i, j]), reads: vec![] };
    let divide =
        |(i, j): (i64, i64)| Finish { point: vec![i, j], writes: (1, vec![i, j]), reads: vec![(0, vec![j, j])] };
    Work { terms: terms.collect(), finishes: vec![upper.map(pass).collect(), lower.map(divide).collect()] }
}

/// Rows of an array's place, each with what is added.
type Place = Vec<(Vec<i64>, i64)>;

fn dot(row: &[i64], point: &[i64]) -> i64 {
    row.iter().zip(point).map(|(a, b)| a * b).sum()
}

fn pe(place: &Place, point: &[i64]) -> Point {
    place.iter().map(|(row, shift)| dot(row, point) + shift).collect()
}

fn hops(one: &[i64], other: &[i64]) -> i64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum()
}

/// All vectors with entries in a range.
fn vectors(length: usize, (low, high): (i64, i64)) -> Vec<Vec<i64>> {
    (0..length).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|row| (low..=high).map(move |entry| [row.clone(), vec![entry]].concat())).collect()
    })
}

/// The place of all that is like it on a mirrored or turned array.
fn class(rows: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let positive = |row: &Vec<i64>| {
        let first = row.iter().find(|entry| **entry != 0).copied().unwrap_or(1);
        row.iter().map(|entry| entry * first.signum()).collect::<Vec<i64>>()
    };
    let mut rows: Vec<Vec<i64>> = rows.iter().map(positive).collect();
    rows.sort();
    rows
}

/// The terms under a place and a step: where and when each is, and the last of each sum. `None` where two are at once on a PE, or a sum
/// does not move from neighbour to neighbour.
struct Laid<'a> {
    work: &'a Work,
    at: Vec<(Point, i64)>,
    last: BTreeMap<&'a (usize, Point), (Point, i64)>,
}

impl<'a> Laid<'a> {
    fn new(work: &'a Work, place: &Place, step: &[i64]) -> Option<Laid<'a>> {
        let at: Vec<(Point, i64)> =
            work.terms.iter().map(|term| (pe(place, &term.point), dot(step, &term.point))).collect();
        let busy: BTreeSet<&(Point, i64)> = at.iter().collect();
        let mut sums: BTreeMap<&(usize, Point), Vec<&(Point, i64)>> = BTreeMap::new();
        work.terms.iter().zip(&at).for_each(|(term, at)| sums.entry(&term.sum).or_default().push(at));
        for terms in sums.values_mut() {
            terms.sort_by_key(|(_, time)| *time);
            let near = |pair: &[&(Point, i64)]| pair[1].1 - pair[0].1 >= hops(&pair[0].0, &pair[1].0).max(1);
            if !terms.windows(2).all(|pair| hops(&pair[0].0, &pair[1].0) <= 1 && near(pair)) {
                return None;
            }
        }
        if busy.len() < at.len() {
            return None;
        }
        let last = sums.into_iter().filter_map(|(sum, terms)| Some((sum, (*terms.last()?).clone()))).collect();
        Some(Laid { work, at, last })
    }

    /// For each element the step of the terms that read it first, and where they are: only who computes it can give it to them.
    fn first_readers(&self) -> BTreeMap<&Element, (i64, Vec<&Point>)> {
        let mut first: BTreeMap<&Element, (i64, Vec<&Point>)> = BTreeMap::new();
        for (term, (at, time)) in self.work.terms.iter().zip(&self.at) {
            for element in &term.reads {
                let known = first.entry(element).or_insert((*time, vec![]));
                if *time < known.0 {
                    *known = (*time, vec![]);
                }
                if *time == known.0 {
                    known.1.push(at);
                }
            }
        }
        first
    }

    /// Places and steps, with what is added, for one kind of result that lie beside its sums and are done in time for the first that
    /// reads them.
    fn results(&self, kind: usize, rank: usize) -> Vec<(Place, Vec<i64>, i64)> {
        let finishes = &self.work.finishes[kind];
        let dimension = finishes[0].point.len();
        let first = self.first_readers();
        let rows: Vec<(Vec<i64>, i64)> = vectors(dimension, (-1, 1))
            .into_iter()
            .flat_map(|row| [-1, 0, 1].map(|shift| (row.clone(), shift)))
            .collect();
        let places = (0..rank).fold(vec![vec![]], |all: Vec<Place>, _| {
            all.iter().flat_map(|place| rows.iter().map(|row| [place.clone(), vec![row.clone()]].concat())).collect()
        });
        let sum = |finish: &Finish| self.last.get(&(kind, finish.point.clone()));
        let is_near = |place: &Place, finish: &Finish| {
            let here = pe(place, &finish.point);
            let readers = first.get(&finish.writes).into_iter().flat_map(|(_, there)| there);
            sum(finish).is_none_or(|(at, _)| hops(at, &here) <= 1) && { readers }.all(|there| hops(&here, there) <= 1)
        };
        let beside = places.into_iter().filter(|place| finishes.iter().all(|finish| is_near(place, finish)));
        let mut found = vec![];
        for place in beside {
            for step in vectors(dimension, (-MOST_STEP, MOST_STEP)) {
                let least = finishes.iter().filter_map(|finish| {
                    let (at, time) = sum(finish)?;
                    Some(time + hops(at, &pe(&place, &finish.point)).max(1) - dot(&step, &finish.point))
                });
                let most = finishes
                    .iter()
                    .filter_map(|finish| Some(first.get(&finish.writes)?.0 - 1 - dot(&step, &finish.point)));
                let Some(least) = least.max() else { continue };
                let most = most.min().unwrap_or(least + LATER);
                found.extend((least..=most).map(|start| (place.clone(), step.clone(), start)));
            }
        }
        found
    }

    /// Whether results at these places and steps make it a mesh.
    fn is_mesh(&self, results: &[(Place, Vec<i64>, i64)]) -> bool {
        let mut busy: BTreeSet<(Point, i64)> = self.at.iter().cloned().collect();
        let mut holders: BTreeMap<&Element, Vec<(Point, i64)>> = BTreeMap::new();
        let mut readers: Vec<(&Element, (Point, i64))> = vec![];
        for (kind, (place, step, start)) in results.iter().enumerate() {
            for finish in &self.work.finishes[kind] {
                let at = (pe(place, &finish.point), dot(step, &finish.point) + start);
                let in_time =
                    |(last, time): &(Point, i64)| at.1 - time >= hops(last, &at.0).max(1) && hops(last, &at.0) <= 1;
                if !busy.insert(at.clone()) || !self.last.get(&(kind, finish.point.clone())).is_none_or(in_time) {
                    return false;
                }
                readers.extend(finish.reads.iter().map(|element| (element, at.clone())));
                holders.entry(&finish.writes).or_default().push(at);
            }
        }
        let terms = self.work.terms.iter().zip(&self.at);
        readers.extend(terms.flat_map(|(term, at)| term.reads.iter().map(move |element| (element, at.clone()))));
        readers.iter().for_each(|(element, at)| holders.entry(element).or_default().push(at.clone()));
        readers.iter().all(|(element, (here, now))| {
            let mut known = holders[element].iter();
            known.any(|(there, then)| hops(there, here) <= 1 && now - then >= hops(there, here).max(1))
        })
    }
}

/// Whether some steps and some places of results make a mesh of a place of the sums, at each size.
fn has_mesh(works: &[Work], rows: &[Vec<i64>]) -> bool {
    let place: Place = rows.iter().map(|row| (row.clone(), 0)).collect();
    let steps = vectors(rows[0].len(), (-2, 2));
    steps.iter().any(|step| {
        let laid: Option<Vec<Laid>> = works.iter().map(|work| Laid::new(work, &place, step)).collect();
        let Some(laid) = laid else { return false };
        let kinds = 0..works[0].finishes.len();
        let offered: Vec<Vec<(Place, Vec<i64>, i64)>> = kinds
            .map(|kind| {
                let [small, large] = [0, 1].map(|size| laid[size].results(kind, rows.len()));
                small.into_iter().filter(|one| large.contains(one)).collect()
            })
            .collect();
        let all = offered.iter().fold(vec![vec![]], |all: Vec<Vec<_>>, kind| {
            all.iter().flat_map(|some| kind.iter().map(|one| [some.clone(), vec![one.clone()]].concat())).collect()
        });
        all.iter().any(|results| laid.iter().all(|laid| laid.is_mesh(results)))
    })
}

/// The classes that brute force finds on an array of this rank.
fn by_brute_force(work: fn(i64) -> Work, rank: usize) -> BTreeSet<Vec<Vec<i64>>> {
    let works = SIZES.map(work);
    let dimension = works[0].terms[0].point.len();
    let rows: Vec<Vec<i64>> =
        vectors(dimension, (-1, 1)).into_iter().filter(|row| row.iter().any(|entry| *entry != 0)).collect();
    let places = (0..rank).fold(vec![vec![]], |all: Vec<Vec<Vec<i64>>>, _| {
        all.iter().flat_map(|place| rows.iter().map(|row| [place.clone(), vec![row.clone()]].concat())).collect()
    });
    let classes: BTreeSet<Vec<Vec<i64>>> = places.iter().map(|rows| class(rows)).collect();
    classes.into_iter().filter(|rows| has_mesh(&works, rows)).collect()
}

/// Those that the search finds.
fn by_search(Kernel { system, choices, .. }: &Kernel, rank: usize) -> BTreeSet<Vec<Vec<i64>>> {
    let dimension = system.spaces.iter().map(|space| space.dimension()).max().expect("a space");
    let bounds = Bounds { ranks: vec![rank], ..Bounds::for_dimension(dimension) };
    let (machine, sizes) = (machine(1), sizes(&[("N", 8)]));
    let task = solve::Task::new(system, choices, bounds, &machine, &sizes, Constraint::none(system));
    let survey = solve::search(&task.expect("a task"), true, &|_, _| true);
    let sums = system.spaces.iter().position(|space| space.dimension() == dimension).expect("it is there");
    survey.all.iter().map(|found| class(found.parts[sums].map.place.rows())).collect()
}

/// The classes that brute force finds, as places over the indices of the sums.
const OF_TRISOLVE: [&[&[i64]]; 3] = [&[&[0, 1]], &[&[1, -1]], &[&[1, 0]]];
const OF_CHOLESKY: [&[&[i64]]; 6] = [
    &[&[0, 0, 1], &[0, 1, 0]],
    &[&[0, 0, 1], &[1, -1, 0]],
    &[&[0, 0, 1], &[1, 0, 0]],
    &[&[0, 1, -1], &[1, 0, 0]],
    &[&[0, 1, 0], &[1, 0, -1]],
    &[&[0, 1, 0], &[1, 0, 0]],
];
const OF_LU: [&[&[i64]]; 7] = [
    &[&[0, 0, 1], &[0, 1, 0]],
    &[&[0, 0, 1], &[1, -1, 0]],
    &[&[0, 0, 1], &[1, 0, 0]],
    &[&[0, 0, 1], &[1, 1, 0]],
    &[&[0, 1, -1], &[1, 0, 0]],
    &[&[0, 1, 0], &[1, 0, -1]],
    &[&[0, 1, 0], &[1, 0, 0]],
];

fn listed(classes: &[&[&[i64]]]) -> BTreeSet<Vec<Vec<i64>>> {
    classes.iter().map(|rows| rows.iter().map(|row| row.to_vec()).collect()).collect()
}

/// With the feature `long-tests` those of the factorisations too: brute force takes half a minute.
#[test]
fn brute_force_finds_these_classes() {
    assert_eq!(by_brute_force(trisolve, 1), listed(&OF_TRISOLVE));
    if cfg!(feature = "long-tests") {
        assert_eq!(by_brute_force(cholesky, 2), listed(&OF_CHOLESKY));
        assert_eq!(by_brute_force(lu, 2), listed(&OF_LU));
    }
}

#[test]
fn the_search_finds_every_class_of_meshes() {
    for (name, text, right, rank) in [
        ("trisolve", TRISOLVE, listed(&OF_TRISOLVE), 1),
        ("cholesky", CHOLESKY, listed(&OF_CHOLESKY), 2),
        ("lu", LU, listed(&OF_LU), 2),
    ] {
        let mine = by_search(&kernel(text), rank);
        let missing: Vec<_> = right.difference(&mine).collect();
        assert!(missing.is_empty(), "{name}: {missing:?} of {mine:?}");
    }
}

/// The twin: a place at which a sum would have to jump, or values would have to run ahead of time, has no mesh.
#[test]
fn what_is_no_mesh_is_not_found_by_brute_force() {
    for rows in [vec![vec![1, 1]], vec![vec![0, 0]]] {
        assert!(!has_mesh(&SIZES.map(trisolve), &rows), "{rows:?}");
    }
}
